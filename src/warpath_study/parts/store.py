"""All rows of distances on disk: a Zarr group that is filled shard by shard. ``zarr.open`` opens it.

``distances`` has the type of the weights, and shape (sources, n). A shard is a file of whole rows. Rows that are not
solved yet are NOT_SOLVED, or NaN among floats. ``labels`` are the labels of the vertices if they are numbers. For each
complete shard, ``distances/done`` has a part: the certificate, the hash of the shard's file, and the statistics. A
shard without a part is ignored.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np

from warpath.distances import UNREACHABLE
from warpath.errors import FormatError, UsageError
from warpath.graphs.csr import Graph
from warpath.system.atomic import explain_write_errors, temporary_name

from ..provenance.facts import Code
from .parts import Part, read_part, write_part

FORMAT: Final = 1
NOT_SOLVED: Final = -(2**31)
# The size of a shard, and of the pieces that are compressed one by one.
SHARD_BYTES = 128 << 20
PIECE_ROWS, PIECE_COLUMNS = 16, 1 << 16


class Store:
    """An existing store. ``code`` is the current code; shards of other code are refused."""

    def __init__(self, path: Path, metadata: dict[str, Any], code: Code):
        self.path, self.metadata, self.code = path, metadata, code
        self.block: int = metadata["shard_rows"]
        """The number of rows of a shard."""

    @cached_property
    def _distances(self) -> Any:
        return _zarr().open_array(self.path / "distances", mode="r+")

    def shards(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The ranges of the shards from source ``first`` to ``last`` - 1, a range of whole shards."""
        for begin in range(first, last, self.block):
            yield begin, min(begin + self.block, last)

    def done(self, first: int, last: int) -> Part | None:
        """The part of a shard, or None if it is not complete. Raises FormatError if one of them is damaged."""
        marker, shard = self._marker(first), self._file(first)
        if not marker.is_file():
            return None
        part = read_part(marker)
        facts = part.facts
        if (facts.first, facts.last) != (first, last) or facts.graph.sha256 != self.metadata["graph_sha256"]:
            raise FormatError(f"{marker}: belongs to other rows or to another graph; delete it and run again")
        if facts.code.identity != self.code.identity:
            raise FormatError(
                f"{marker}: rows {first:,} to {last - 1:,} were made by other code than the current one; delete "
                f"{self.path}, or name another store"
            )
        try:
            whole = _sha256_of(shard) == facts.shard
        except FileNotFoundError:
            whole = False
        if not whole:
            raise FormatError(
                f"{shard}: rows {first:,} to {last - 1:,} are damaged or missing; delete {marker} to make them again"
            )
        return part

    def write(self, first: int, rows: np.ndarray) -> str:
        """Write the rows of a shard, shape (k, n), and return the hash of its file.

        Raises WarpathError if the file cannot be written.
        """
        with explain_write_errors(self.path):
            self._file(first).unlink(missing_ok=True)  # zarr would read it first
            self._distances[first : first + len(rows)] = rows
            with open(self._file(first), "rb+") as file:
                os.fsync(file.fileno())
            return _sha256_of(self._file(first))

    def mark_done(self, part: Part) -> None:
        """Write the part of a complete shard."""
        write_part(self._marker(part.facts.first), part)

    def _marker(self, first: int) -> Path:
        return self.path / "distances" / "done" / f"{first}.npz"

    def _file(self, first: int) -> Path:
        return self.path / "distances" / "c" / str(first // self.block) / "0"


def open_store(path: str | os.PathLike, graph: Graph, sources: int, nearest: int, parts: int, code: Code) -> Store:
    """Open the store at ``path`` for the rows of vertices 0 to ``sources`` - 1, or create it.

    A new store has a shard for each of ``parts`` jobs, if there are enough rows. Several processes may call this at the
    same time. Raises FormatError if ``path`` is something else, or a store of another graph, extent or code. Raises
    UsageError if zarr is not installed.
    """
    target = Path(path)
    zarr = _zarr()
    expected = {
        "format": FORMAT,
        "graph_sha256": graph.sha256,
        "vertices": graph.vertices,
        "scale": graph.scale,
        "sources": sources,
        "nearest": nearest,
        "code": code.identity,
    }
    if not target.exists():
        _create(zarr, target, graph, expected, _block(graph.weights.itemsize * graph.vertices, sources, parts))
    metadata = _metadata(zarr, target)
    for key, difference in (
        ("format", "was made by another version of warpath"),
        ("graph_sha256", "has the distances of another graph"),
        ("scale", "has the distances of another graph"),
        ("sources", f"has rows for {metadata.get('sources')} sources, not {sources}"),
        ("nearest", f"has {metadata.get('nearest')} nearest vertices per source, not {nearest}"),
        ("code", "was made by other code than the current one, or on another kind of device"),
    ):
        if metadata.get(key) != expected[key]:
            raise FormatError(f"{target}: {difference}; delete it, or name another store")
    return Store(target, metadata, code)


def _block(row_bytes: int, sources: int, parts: int) -> int:
    """The number of rows of a shard: whole pieces, unless a part has fewer rows."""
    rows = max(1, min(SHARD_BYTES // row_bytes, -(-sources // parts)))
    return rows if rows < PIECE_ROWS else rows // PIECE_ROWS * PIECE_ROWS


def _create(zarr: ModuleType, target: Path, graph: Graph, metadata: dict[str, Any], block: int) -> None:
    """Create an empty store under another name, and rename it, unless another process was faster."""
    temporary = target.with_name(temporary_name(target))
    columns = min(PIECE_COLUMNS, graph.vertices)
    pieces = (min(PIECE_ROWS, block), columns)
    marks: dict[str, Any] = {"unreachable": int(UNREACHABLE), "not_solved": NOT_SOLVED}
    if graph.has_floats:
        marks = {"unreachable": "Infinity", "not_solved": "NaN"}  # JSON has no such numbers
    with explain_write_errors(target, temporary):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            group = zarr.create_group(temporary, attributes={"warpath": {**metadata, "shard_rows": block}})
            group.create_array(
                "distances",
                shape=(metadata["sources"], graph.vertices),
                dtype=graph.weights.dtype.name,
                chunks=pieces,
                shards=(block, -(-graph.vertices // columns) * columns),
                compressors=zarr.codecs.BloscCodec(cname="lz4", clevel=5, shuffle="shuffle"),
                fill_value=float("nan") if graph.has_floats else NOT_SOLVED,
                dimension_names=("source", "vertex"),
                attributes={**marks, "scale": graph.scale},
            )
            if graph.names.numbers:
                group.create_array("labels", data=graph.names.array, dimension_names=("vertex",))
            os.rename(temporary, target)
        except OSError:
            if not target.exists():
                raise
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _metadata(zarr: ModuleType, target: Path) -> dict[str, Any]:
    try:
        metadata = dict(zarr.open_group(target, mode="r").attrs)["warpath"]
        if not isinstance(metadata["shard_rows"], int) or metadata["shard_rows"] < 1:
            raise ValueError("shard_rows")
    except Exception as error:
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        raise FormatError(f"{target}: not a store of distances ({reason}); name another one") from None
    return metadata


def _zarr() -> ModuleType:
    try:
        import zarr
        import zarr.codecs
    except ImportError as error:
        raise UsageError(f"a store needs the package zarr ({error}); in the clone, pip install '.[store]'") from None
    return zarr


def _sha256_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
