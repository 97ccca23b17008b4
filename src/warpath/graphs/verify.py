"""Is a file the one that the catalog describes?"""

import os

from ..errors import FormatError
from . import dimacs, edge_list, edge_text
from .catalog import Dataset
from .content import content_sha256


def _counts_of_matrix(path: str | os.PathLike) -> tuple[int, int] | None:
    from . import matrix_market  # scipy.io takes long to import

    return matrix_market.counts(path)


_ANNOUNCED = {
    "dimacs": dimacs.counts,
    "pace": dimacs.counts,
    "snap": edge_list.counts,
    "edges": edge_text.counts,
    "mtx": _counts_of_matrix,
}


def check_file(dataset: Dataset, path: str | os.PathLike) -> None:
    """Raise FormatError if ``path`` is not the file of ``dataset``, with any compression.

    The counts that the file announces must be the catalog's, and so must the hash of its uncompressed content. If
    the catalog has no hash, the file is still read to its end, to notice a compressed file that is cut short.
    """
    announced = _ANNOUNCED[dataset.kind](path)
    if announced is not None:
        check_counts(dataset, path, *announced)
    found = content_sha256(path)
    if dataset.sha256 not in (None, found):
        raise FormatError(
            f"{path}: not {_described(dataset)}: the sha256 of its uncompressed content is {found}, "
            f"the catalog says {dataset.sha256}"
        )


def check_counts(dataset: Dataset, path: str | os.PathLike, vertices: int, arcs: int) -> None:
    """Raise FormatError if ``vertices`` or ``arcs``, found in ``path``, differ from those that the catalog states."""
    stated = {"vertices": dataset.vertices, "arcs": dataset.arcs}
    found = {"vertices": vertices, "arcs": arcs}
    if any(count not in (None, found[what]) for what, count in stated.items()):
        says = " and ".join(f"{count} {what}" for what, count in stated.items() if count is not None)
        verb = "it gives" if dataset.derived else "it has"
        raise FormatError(
            f"{path}: not {_described(dataset)}: {verb} {vertices} vertices and {arcs} arcs, the catalog says {says}"
        )


def _described(dataset: Dataset) -> str:
    if dataset.derived:
        return f"the graph that {dataset.name} is derived from"
    return f"the dataset {dataset.name}" if dataset.own else f"the published {dataset.file}"
