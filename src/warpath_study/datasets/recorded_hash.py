"""Trust on first use: where the catalog has no hash of a published file, that of the first download is kept beside it.

The record ``<file>.sha256`` is one line as ``sha256sum`` writes it, for the uncompressed file. Later downloads, copies
from mirrors and conversions in the same folder are held to it. Deleting it accepts a new edition.
"""

import re
from pathlib import Path

from warpath.atomic import write_text
from warpath.errors import FormatError
from warpath.graphs.content import compression_named

from .catalog import Dataset

_LONGEST_LINE = 1000


def place(dataset: Dataset, folder: Path) -> Path | None:
    """Where ``folder`` keeps the hash of the file of ``dataset``; None if the catalog has it, or the file is one's own.

    Nobody publishes a file of one's own, which may change as its owner likes.
    """
    if dataset.sha256 is not None or not dataset.addresses or dataset.file is None:
        return None
    return folder / f"{dataset.file}.sha256"


def read(dataset: Dataset, folder: Path) -> str | None:
    """The hash that ``folder`` keeps for the file of ``dataset``; None if there is none or none is needed.

    Raises FormatError if the record holds something else.
    """
    record = place(dataset, folder)
    if record is None or not (record.exists() or record.is_symlink()):
        return None
    if record.is_file():
        with open(record, "rb") as file:
            start = file.read(_LONGEST_LINE)
        match = re.match(rb"([0-9a-f]{64})\s", start)
        if match:
            return match[1].decode()
    raise FormatError(f"{record}: does not begin with a sha256; delete it to have it recorded anew")


def write(dataset: Dataset, folder: Path, sha256: str) -> None:
    """Keep ``sha256`` in ``folder`` if it is the first one for the file of ``dataset``."""
    record = place(dataset, folder)
    if record is None or read(dataset, folder) is not None:
        return
    name = dataset.file or ""
    uncompressed = Path(name).stem if compression_named(name) else name
    write_text(record, f"{sha256}  {uncompressed}\n")
