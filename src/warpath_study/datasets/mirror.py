"""Mirrors: folders that hold files of datasets, for machines without a network or to spare the publisher."""

import os
import shutil
from pathlib import Path

from warpath.atomic import written_whole
from warpath.errors import FormatError
from warpath.graphs.content import compressing, compression_named, compression_of, content_sha256, open_content

from .catalog import Dataset
from .verify import check_file

ENVIRONMENT_VARIABLE = "WARPATH_MIRROR"


def folders_from_environment() -> list[Path]:
    """The folders in WARPATH_MIRROR, which is separated like PATH."""
    return [Path(folder) for folder in os.environ.get(ENVIRONMENT_VARIABLE, "").split(os.pathsep) if folder]


def held_file(dataset: Dataset, folder: Path) -> Path | None:
    """The file of ``dataset`` in ``folder``, with any compression or none; None if the folder lacks it."""
    name = Path(dataset.file or "")
    stem = name.stem if compression_named(name) else name.name
    for candidate in dict.fromkeys([name.name, stem, f"{stem}.gz", f"{stem}.xz"]):
        if (folder / candidate).is_file():
            return folder / candidate
    return None


def copy(dataset: Dataset, source: Path, output: Path) -> str:
    """Check ``source`` against the catalog and write it to ``output``, whose name says how to compress it.

    Returns the sha256 of its uncompressed content. Raises FormatError if it is not the file of ``dataset``.
    """
    sha256 = check_file(dataset, source, output.parent)
    with written_whole(output) as temporary:
        if compression_of(source) == compression_named(output):
            shutil.copyfile(source, temporary)
        else:
            with open_content(source) as content, compressing(temporary) as file:
                shutil.copyfileobj(content, file)
        if content_sha256(temporary) != sha256:
            raise FormatError(f"{source}: changed while it was copied; fetch again")
    return sha256
