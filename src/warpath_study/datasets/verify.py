"""Is a file the one that the catalog describes?"""

import hashlib
import os
from pathlib import Path

from warpath.errors import FormatError
from warpath.graphs import dimacs, edge_list, edge_text
from warpath.graphs.content import CHUNK_BYTES, open_content

from . import recorded_hash
from .catalog import Dataset


def _counts_of_matrix(path: str | os.PathLike) -> tuple[int, int] | None:
    from warpath.graphs import matrix_market  # scipy.io takes long to import

    return matrix_market.counts(path)


_ANNOUNCED = {
    "dimacs": dimacs.counts,
    "pace": dimacs.counts,
    "snap": edge_list.counts,
    "edges": edge_text.counts,
    "mtx": _counts_of_matrix,
}


def check_file(dataset: Dataset, path: str | os.PathLike, folder: Path | None = None) -> str:
    """Raise FormatError if ``path`` is not the file of ``dataset``, with any compression; return its content's sha256.

    The counts that the file announces must be the catalog's, and so must the hash of its uncompressed content. If
    the catalog has no hash, the one recorded in ``folder`` counts (by default that of ``path``). If there is none
    either, the file is still read to its end, to notice a compressed file that is cut short or too large.
    """
    announced = _ANNOUNCED[dataset.kind](path)
    if announced is not None:
        check_counts(dataset, path, *announced)
    found = _content_sha256(dataset, path)
    place = Path(path).parent if folder is None else folder
    recorded = recorded_hash.read(dataset, place)
    wrong = f"{path}: not {_described(dataset)}: the sha256 of its uncompressed content is {found}"
    if dataset.sha256 not in (None, found):
        raise FormatError(f"{wrong}, the catalog says {dataset.sha256}")
    if recorded not in (None, found):
        record = recorded_hash.place(dataset, place)
        raise FormatError(
            f"{wrong}, that of the first download was {recorded} (delete {record} to accept a new edition)"
        )
    return found


def _content_sha256(dataset: Dataset, path: str | os.PathLike) -> str:
    """Hash of the uncompressed bytes of ``path``; FormatError if they are more than the catalog expects."""
    digest, size, limit = hashlib.sha256(), 0, dataset.size_limit
    with open_content(path) as file:
        while piece := file.read(CHUNK_BYTES):
            size += len(piece)
            if limit is not None and size > limit:
                raise FormatError(
                    f"{path}: not {_described(dataset)}: its uncompressed content has more than the {limit} bytes "
                    f"expected (max_bytes in the catalog)"
                )
            digest.update(piece)
    return digest.hexdigest()


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
