"""All rows of distances on disk: a Zarr group that anyone opens with ``zarr.open``, filled shard by shard.

``distances`` is int32 of shape (sources, n), in shards of whole rows, a file each. What has no row yet reads as
NOT_SOLVED. ``labels`` are what the graph calls its vertices, where these are numbers. Beside the shards,
``distances/done`` has a part for each that is whole: its certificate, the hash of its file, and its reductions. A shard
without a part counts as not there, whatever lies in its place.
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

from ..atomic import explain_write_errors, temporary_name
from ..distances import UNREACHABLE
from ..errors import FormatError, UsageError
from ..facts import Code
from ..graphs.csr import Graph
from .parts import Part, read_part, write_part

FORMAT: Final = 1
NOT_SOLVED: Final = -(2**31)
# Rows of a shard, and of each piece that is compressed by itself; a reader decompresses whole pieces.
SHARD_BYTES = 128 << 20
PIECE_ROWS, PIECE_COLUMNS = 16, 1 << 16


class Store:
    """A store that is there. ``code`` is today's: what other code made is refused."""

    def __init__(self, path: Path, about: dict[str, Any], code: Code):
        self.path, self.about, self.code = path, about, code
        self.block: int = about["shard_rows"]
        """Rows of a shard."""

    @cached_property
    def _distances(self) -> Any:
        return _zarr().open_array(self.path / "distances", mode="r+")

    def shards(self, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The ranges of the shards from source ``first``, where one begins, up to ``last``, where one ends."""
        for begin in range(first, last, self.block):
            yield begin, min(begin + self.block, last)

    def done(self, first: int, last: int) -> Part | None:
        """The part of a shard; None if it is not there yet. Raises FormatError if it, or the shard, is damaged."""
        marker, shard = self._marker(first), self._file(first)
        if not marker.is_file():
            return None
        part = read_part(marker)
        facts = part.facts
        if (facts.first, facts.last) != (first, last) or facts.graph.sha256 != self.about["graph_sha256"]:
            raise FormatError(f"{marker}: is of other rows or of another graph; delete it and run again")
        if facts.code.identity != self.code.identity:
            raise FormatError(
                f"{marker}: rows {first:,} to {last - 1:,} were made by other code than today's; delete {self.path} or "
                "name another store"
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
        """Write the rows of a whole shard, int32 of shape (k, n), and return the hash of its file.

        Raises WarpathError where it cannot be written.
        """
        with explain_write_errors(self.path):
            self._file(first).unlink(missing_ok=True)  # zarr would read it, to change a part of it
            self._distances[first : first + len(rows)] = rows
            with open(self._file(first), "rb+") as file:
                os.fsync(file.fileno())
            return _sha256_of(self._file(first))

    def mark_done(self, part: Part) -> None:
        """Keep the part of a shard whose file is whole."""
        write_part(self._marker(part.facts.first), part)

    def _marker(self, first: int) -> Path:
        return self.path / "distances" / "done" / f"{first}.npz"

    def _file(self, first: int) -> Path:
        return self.path / "distances" / "c" / str(first // self.block) / "0"


def open_store(path: str | os.PathLike, graph: Graph, sources: int, nearest: int, parts: int, code: Code) -> Store:
    """The store at ``path`` for rows of vertices 0 to ``sources`` - 1; made, empty, if nothing is there.

    ``parts`` is how many jobs share the work: each gets a shard at least, as far as there are rows. Several processes
    may ask at once. Raises FormatError if something else is there, or a store of another graph, extent or code;
    UsageError without zarr.
    """
    target = Path(path)
    zarr = _zarr()
    wanted = {
        "format": FORMAT,
        "graph_sha256": graph.sha256,
        "vertices": graph.vertices,
        "scale": graph.scale,
        "sources": sources,
        "nearest": nearest,
        "code": code.identity,
    }
    if not target.exists():
        _make(zarr, target, graph, wanted, _block(graph.vertices, sources, parts))
    about = _about(zarr, target)
    for key, words in (
        ("format", "is of another version of warpath"),
        ("graph_sha256", "has the distances of another graph"),
        ("scale", "has the distances of another graph"),
        ("vertices", "has the distances of another graph"),
        ("sources", f"has rows for {about.get('sources')} sources, not {sources}"),
        ("nearest", f"keeps {about.get('nearest')} nearest vertices of each source, not {nearest}"),
        ("code", "was begun by other code than today's"),
    ):
        if about.get(key) != wanted[key]:
            raise FormatError(f"{target}: {words}; delete it, or name another store")
    return Store(target, about, code)


def _block(vertices: int, sources: int, parts: int) -> int:
    """Rows of a shard: whole pieces, unless there are fewer rows, or a part has fewer."""
    rows = max(1, min(SHARD_BYTES // (4 * vertices), -(-sources // parts)))
    return rows if rows < PIECE_ROWS else rows // PIECE_ROWS * PIECE_ROWS


def _make(zarr: ModuleType, target: Path, graph: Graph, about: dict[str, Any], block: int) -> None:
    """Make an empty store under another name, and rename it, unless another process was faster."""
    made = target.with_name(temporary_name(target))
    columns = min(PIECE_COLUMNS, graph.vertices)
    pieces = (min(PIECE_ROWS, block), columns)
    with explain_write_errors(target, made):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            group = zarr.create_group(made, attributes={"warpath": {**about, "shard_rows": block}})
            group.create_array(
                "distances",
                shape=(about["sources"], graph.vertices),
                dtype="int32",
                chunks=pieces,
                shards=(block, -(-graph.vertices // columns) * columns),
                compressors=zarr.codecs.BloscCodec(cname="lz4", clevel=5, shuffle="shuffle"),
                fill_value=NOT_SOLVED,
                dimension_names=("source", "vertex"),
                attributes={"unreachable": int(UNREACHABLE), "not_solved": NOT_SOLVED, "scale": graph.scale},
            )
            if graph.names.numbers:
                group.create_array("labels", data=graph.names.array, dimension_names=("vertex",))
            os.rename(made, target)
        except OSError:
            if not target.exists():
                raise
        finally:
            shutil.rmtree(made, ignore_errors=True)


def _about(zarr: ModuleType, target: Path) -> dict[str, Any]:
    try:
        about = dict(zarr.open_group(target, mode="r").attrs)["warpath"]
        if not isinstance(about["shard_rows"], int) or about["shard_rows"] < 1:
            raise ValueError("shard_rows")
    except Exception as error:
        raise FormatError(
            f"{target}: not a store of distances ({type(error).__name__}: {' '.join(str(error).split())[:200]}); name "
            "another one"
        ) from None
    return about


def _zarr() -> ModuleType:
    try:
        import zarr
        import zarr.codecs
    except ImportError as error:
        raise UsageError(f"a store needs the package zarr ({error}); pip install 'warpath[store]'") from None
    return zarr


def _sha256_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
