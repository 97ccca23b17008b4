"""Checks that a file or a graph is the one in the catalog.

If the catalog has no hash of a published file, the first download is trusted: the hash of its uncompressed content is
written beside it, as ``<file>.sha256``, in the format of ``sha256sum``. Later downloads, copies from mirrors and
conversions in the same folder must have this hash. Delete the file to accept a new edition.
"""

import hashlib
import os
import re
from pathlib import Path

import numpy as np

from warpath.errors import FormatError, UsageError
from warpath.graphs.content import CHUNK_BYTES, compression_named, open_content
from warpath.graphs.csr import Graph
from warpath.graphs.files.formats import TEXT
from warpath.graphs.npz_file import to_make_again
from warpath.graphs.weights import with_ones
from warpath.system.atomic import write_text

from ..matrix_product.matrices import Matrices
from .catalog import Dataset, load_catalog
from .weight_rules import WeightRule, with_drawn


def check_file(dataset: Dataset, path: str | os.PathLike, folder: Path | None = None) -> str:
    """The sha256 of the uncompressed content of ``path``, once it is checked to be the file of ``dataset``.

    The counts in the file's header must be those of the catalog, and the hash that of the catalog or of the first
    download into ``folder`` (by default the folder of ``path``). Raises FormatError if they are not, and if the file is
    truncated or too large.
    """
    counts = TEXT[dataset.kind].counts(path)
    if counts is not None:
        check_counts(dataset, path, *counts)
    sha256 = content_sha256(path, dataset.size_limit)
    if sha256 is None:
        raise FormatError(
            f"{path}: not {_described(dataset)}: its uncompressed content has more than the {dataset.size_limit} bytes "
            f"expected (max_bytes in the catalog)"
        )
    folder = Path(path).parent if folder is None else folder
    first = read_hash(dataset, folder)
    mismatch = f"{path}: not {_described(dataset)}: the sha256 of its uncompressed content is {sha256}"
    if dataset.sha256 not in (None, sha256):
        raise FormatError(f"{mismatch}, the catalog says {dataset.sha256}")
    if first not in (None, sha256):
        file = hash_file_of(dataset, folder)
        raise FormatError(f"{mismatch}, the first download had {first} (delete {file} to accept a new edition)")
    return sha256


def check_counts(dataset: Dataset, path: str | os.PathLike, vertices: int, arcs: int) -> None:
    """Raise FormatError if the number of vertices or arcs in ``path`` is not that of the catalog."""
    expected = {"vertices": dataset.vertices, "arcs": dataset.arcs}
    actual = {"vertices": vertices, "arcs": arcs}
    if any(count not in (None, actual[what]) for what, count in expected.items()):
        says = " and ".join(f"{count} {what}" for what, count in expected.items() if count is not None)
        verb = "it gives" if dataset.derived else "it has"
        raise FormatError(
            f"{path}: not {_described(dataset)}: {verb} {vertices} vertices and {arcs} arcs, the catalog says {says}"
        )


def _described(dataset: Dataset) -> str:
    if dataset.derived:
        return f"the original graph of {dataset.name}"
    return f"the dataset {dataset.name}" if dataset.own else f"the published {dataset.file}"


def hash_file_of(dataset: Dataset, folder: Path) -> Path | None:
    """The file in ``folder`` with the hash of the first download; None if the catalog has a hash, or for own files."""
    return folder / f"{dataset.file}.sha256" if dataset.trusts_first_download else None


def read_hash(dataset: Dataset, folder: Path) -> str | None:
    """The hash of the first download into ``folder``, if any. Raises FormatError if its file is damaged."""
    file = hash_file_of(dataset, folder)
    if file is None or not os.path.lexists(file):
        return None
    match = re.match(rb"([0-9a-f]{64})\s", file.read_bytes()) if file.is_file() else None
    if match is None:
        raise FormatError(f"{file}: does not begin with a sha256; delete it and fetch again")
    return match[1].decode()


def write_hash(dataset: Dataset, folder: Path, sha256: str) -> None:
    """Write ``sha256`` into ``folder`` if it is that of the first download."""
    file = hash_file_of(dataset, folder)
    if file is not None and read_hash(dataset, folder) is None:
        name = dataset.file or ""
        write_text(file, f"{sha256}  {Path(name).stem if compression_named(name) else name}\n")


def checked_name(given: str | None, graph: Graph | Matrices, path: str | os.PathLike) -> str:
    """The name of a graph in a record: the one that is given, or else in the file or of it.

    Raises UsageError if it cannot be a name of a file. Raises FormatError as ``check_generated`` does.
    """
    name = given or graph.metadata.get("dataset") or Path(path).stem
    if not isinstance(name, str) or not re.fullmatch(r"(?!\.)[^/\x00-\x1f\x7f\ud800-\udfff]+", name):
        raise UsageError(f"{name!r} cannot be the name of a graph in a record; give another one with --dataset")
    check_generated(name, graph, path)
    return name


def check_generated(name: str | None, graph: Graph | Matrices, path: str | os.PathLike) -> None:
    """Raise FormatError if ``name`` is a generated dataset of the catalog and ``graph``, from ``path``, is another.

    The catalog has the hash of the generated graph. Random weights are compared with those of the seed in the metadata.
    """
    dataset = load_catalog().get(name) if name else None
    if dataset is None or not dataset.generated or dataset.sha256 is None:
        return
    if dataset.weighted or isinstance(graph, Matrices):
        same = graph.sha256 == dataset.sha256
    else:
        rule = graph.metadata.get("weights", {})
        same = (
            with_ones(graph).sha256 == dataset.sha256
            and rule.get("kind") == "random"
            and np.array_equal(
                with_drawn(graph, WeightRule(rule["seed"], rule["min"], rule["max"])).weights, graph.weights
            )
        )
    if not same:
        raise FormatError(
            f"{path}: not the dataset {name}, whose generator makes other arcs or weights; {to_make_again(path)}"
        )


def content_sha256(path: str | os.PathLike, bytes_max: int | None = None) -> str | None:
    """The hash of the uncompressed bytes of ``path``; None if they exceed ``bytes_max``. Raises FormatError."""
    digest, size = hashlib.sha256(), 0
    with open_content(path) as file:
        while piece := file.read(CHUNK_BYTES):
            size += len(piece)
            if bytes_max is not None and size > bytes_max:
                return None
            digest.update(piece)
    return digest.hexdigest()
