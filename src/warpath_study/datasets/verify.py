"""Is a file, or a graph, the one that the catalog describes?

Where the catalog has no hash of a published file, the first one is trusted: the hash of the first download is kept
beside it, as ``<file>.sha256``, one line as ``sha256sum`` writes it, for the uncompressed file. Later downloads, copies
from mirrors and conversions in the same folder are held to it. Deleting it accepts a new edition.
"""

import os
import re
from pathlib import Path

import numpy as np

from warpath.atomic import write_text
from warpath.errors import FormatError
from warpath.graphs.content import compression_named, content_sha256
from warpath.graphs.csr import Graph
from warpath.graphs.formats import TEXT
from warpath.graphs.npz_file import to_make_again
from warpath.graphs.weights import WeightRule, with_drawn, with_ones

from ..matrix_product.matrices import Matrices
from .catalog import Dataset, load_catalog


def check_file(dataset: Dataset, path: str | os.PathLike, folder: Path | None = None) -> str:
    """Raise FormatError if ``path`` is not the file of ``dataset``, with any compression; return its content's sha256.

    The counts that the file announces must be the catalog's, and so must the hash of its uncompressed content. If
    the catalog has no hash, the one recorded in ``folder`` counts (by default that of ``path``). If there is none
    either, the file is still read to its end, to notice a compressed file that is cut short or too large.
    """
    announced = TEXT[dataset.kind].counts(path)
    if announced is not None:
        check_counts(dataset, path, *announced)
    found = content_sha256(path, dataset.size_limit)
    if found is None:
        raise FormatError(
            f"{path}: not {_described(dataset)}: its uncompressed content has more than the {dataset.size_limit} bytes "
            f"expected (max_bytes in the catalog)"
        )
    place = Path(path).parent if folder is None else folder
    recorded = read_recorded(dataset, place)
    wrong = f"{path}: not {_described(dataset)}: the sha256 of its uncompressed content is {found}"
    if dataset.sha256 not in (None, found):
        raise FormatError(f"{wrong}, the catalog says {dataset.sha256}")
    if recorded not in (None, found):
        record = record_of(dataset, place)
        raise FormatError(
            f"{wrong}, that of the first download was {recorded} (delete {record} to accept a new edition)"
        )
    return found


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


def record_of(dataset: Dataset, folder: Path) -> Path | None:
    """Where ``folder`` keeps the hash of the file of ``dataset``; None if the catalog has it, or the file is one's own,
    which may change as its owner likes.
    """
    return folder / f"{dataset.file}.sha256" if dataset.trusts_first_download else None


def read_recorded(dataset: Dataset, folder: Path) -> str | None:
    """The hash that ``folder`` keeps for the file of ``dataset``; None if there is none or none is needed.

    Raises FormatError if the record holds something else.
    """
    record = record_of(dataset, folder)
    if record is None or not os.path.lexists(record):
        return None
    match = re.match(rb"([0-9a-f]{64})\s", record.read_bytes()) if record.is_file() else None
    if match is None:
        raise FormatError(f"{record}: does not begin with a sha256; delete it to have it recorded anew")
    return match[1].decode()


def write_recorded(dataset: Dataset, folder: Path, sha256: str) -> None:
    """Keep ``sha256`` in ``folder`` if it is the first one for the file of ``dataset``."""
    record = record_of(dataset, folder)
    if record is not None and read_recorded(dataset, folder) is None:
        name = dataset.file or ""
        write_text(record, f"{sha256}  {Path(name).stem if compression_named(name) else name}\n")


def check_named(name: str | None, graph: Graph | Matrices, path: str | os.PathLike) -> None:
    """Raise FormatError if ``name`` is a generated dataset of the catalog and ``graph``, read from ``path``, is not it.

    The catalog has the hash of what the generator makes. Random weights are drawn again, with the seed in the graph's
    metadata, and compared.
    """
    dataset = load_catalog().get(name) if name else None
    if dataset is None or not dataset.generated or dataset.sha256 is None:
        return
    if dataset.weighted or isinstance(graph, Matrices):
        same = graph.sha256 == dataset.sha256
    else:
        drawn = graph.metadata.get("weights", {})
        same = (
            with_ones(graph).sha256 == dataset.sha256
            and drawn.get("kind") == "random"
            and np.array_equal(
                with_drawn(graph, WeightRule(drawn["seed"], drawn["min"], drawn["max"])).weights, graph.weights
            )
        )
    if not same:
        raise FormatError(
            f"{path}: not the dataset {name}, whose generator makes other arcs or weights; {to_make_again(path)}"
        )
