"""Is a file the one that the catalog names?"""

import os

from ..errors import FormatError
from . import dimacs, snap
from .catalog import Dataset
from .content import content_sha256


def check_file(dataset: Dataset, path: str | os.PathLike) -> None:
    """Raise FormatError where ``path`` is not the published file of ``dataset``, however it is compressed.

    The counts that the file announces must be the catalog's, and so must the hash of its uncompressed content. Where
    the catalog has no hash, the file is at least read to its end, which shows a compressed one that is cut short.
    """
    announced = (dimacs if dataset.kind == "dimacs" else snap).counts(path)
    if announced is not None:
        check_counts(dataset, path, *announced)
    found = content_sha256(path)
    if dataset.sha256 not in (None, found):
        raise FormatError(
            f"{path}: not the published {dataset.file}: the sha256 of its uncompressed content is {found}, "
            f"the catalog says {dataset.sha256}"
        )


def check_counts(dataset: Dataset, path: str | os.PathLike, vertices: int, arcs: int) -> None:
    """Raise FormatError where ``vertices`` and ``arcs``, found in ``path``, are not the catalog's."""
    if (vertices, arcs) != (dataset.vertices, dataset.arcs):
        raise FormatError(
            f"{path}: not the published {dataset.file}: it has {vertices} vertices and {arcs} arcs, "
            f"the catalog says {dataset.vertices} and {dataset.arcs}"
        )
