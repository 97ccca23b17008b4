"""The graph: a weighted digraph in compressed sparse rows, with scipy's names.

``indptr`` has shape (n + 1,), ``indices`` and ``weights`` have shape (m,); all are int32. The arcs leaving vertex ``u``
are ``indices[indptr[u]:indptr[u + 1]]``. Loops, parallel arcs, zero weights and vertices without arcs are kept.
"""

import hashlib
import json
import os
import zipfile
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from ..atomic import written_whole
from ..distances import UNREACHABLE
from ..errors import FormatError, GraphError

ARCS_MAX = 2**31 - 1
VERTICES_MAX = 2**31 - 2
# UNREACHABLE is not a weight: in a dense matrix it means "no arc".
WEIGHT_LIMIT = 2**31 - 2


@dataclass(frozen=True, eq=False)
class Graph:
    """A weighted digraph; see the module for the arrays. ``about`` says where it comes from (JSON values only)."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray
    about: dict = field(default_factory=dict)

    @property
    def vertices(self) -> int:
        return len(self.indptr) - 1

    @property
    def arcs(self) -> int:
        return len(self.indices)

    @cached_property
    def weight_min(self) -> int:
        """Smallest weight, 0 for a graph without arcs."""
        return int(self.weights.min()) if self.arcs else 0

    @cached_property
    def weight_max(self) -> int:
        """Largest weight, 0 for a graph without arcs."""
        return int(self.weights.max()) if self.arcs else 0

    @cached_property
    def sha256(self) -> str:
        """Hash of the three arrays; equal graphs have equal hashes."""
        digest = hashlib.sha256(f"{self.vertices} {self.arcs}\n".encode())
        for array in (self.indptr, self.indices, self.weights):
            digest.update(np.ascontiguousarray(array, dtype="<i4").data)
        return digest.hexdigest()

    def sources(self) -> np.ndarray:
        """The tail of every arc, shape (m,), int32, in the order of ``indices``."""
        return np.repeat(np.arange(self.vertices, dtype=np.int32), np.diff(self.indptr))

    def dense(self) -> np.ndarray:
        """The weight matrix, shape (n, n), int32, with UNREACHABLE where there is no arc.

        Of parallel arcs it holds the lightest; loops are on the diagonal.
        """
        matrix = np.full((self.vertices, self.vertices), UNREACHABLE, dtype=np.int32)
        np.minimum.at(matrix, (self.sources(), self.indices), self.weights)
        return matrix

    def longest_path_bound(self) -> int:
        """An upper bound on the absolute weight of any simple path.

        A simple path enters each vertex at most once, so the bound is the heaviest arc into each vertex, summed over
        all vertices. If it is below 2**31 - 1, every distance fits into int32.
        """
        heaviest_into = np.zeros(self.vertices, dtype=np.int64)
        np.maximum.at(heaviest_into, self.indices, np.abs(self.weights.astype(np.int64)))
        return int(heaviest_into.sum())

    def check(self) -> None:
        """Raise GraphError if the arrays are not a graph as the module describes it. Costs a pass over the arcs."""
        for name in ("indptr", "indices", "weights"):
            array = getattr(self, name)
            if array.ndim != 1 or array.dtype != np.int32:
                raise GraphError(f"{name} is {array.ndim}-dimensional {array.dtype}; it must be one-dimensional int32")
        if self.vertices < 1:
            raise GraphError("the graph has no vertices; a shortest path needs at least one")
        if len(self.weights) != self.arcs:
            raise GraphError(f"there are {self.arcs} indices but {len(self.weights)} weights")
        if self.indptr[0] != 0 or self.indptr[-1] != self.arcs or np.any(self.indptr[1:] < self.indptr[:-1]):
            raise GraphError(f"indptr does not increase from 0 to the number of arcs, {self.arcs}")
        _check_ends("indices", self.indices, self.vertices)
        _check_weights(self.weights)

    def save(self, path: str | os.PathLike) -> None:
        """Write the graph to ``path`` (.npz), whole or not at all. Equal graphs give equal bytes."""
        about = json.dumps(self.about, sort_keys=True, ensure_ascii=False)
        with written_whole(path) as temporary, open(temporary, "wb") as file:
            np.savez(
                file,
                indptr=self.indptr,
                indices=self.indices,
                weights=self.weights,
                about=np.frombuffer(about.encode(), dtype=np.uint8),
            )


def from_arcs(
    vertices: int, tails: np.ndarray, heads: np.ndarray, weights: np.ndarray, about: dict | None = None
) -> Graph:
    """Build a graph from arc lists, integers of shape (m,); arcs of one tail keep their order.

    Raises GraphError for no vertices, an endpoint outside 0..vertices-1, a weight beyond 32 bits, or more vertices or
    arcs than int32 can number.
    """
    if vertices < 1:
        raise GraphError("the graph has no vertices; a shortest path needs at least one")
    tails, heads, weights = (
        _integers(name, values) for name, values in (("tails", tails), ("heads", heads), ("weights", weights))
    )
    if not len(tails) == len(heads) == len(weights):
        raise GraphError(
            f"there are {len(tails)} tails, {len(heads)} heads and {len(weights)} weights; an arc needs one of each"
        )
    if vertices > VERTICES_MAX or len(tails) > ARCS_MAX:
        raise GraphError(f"{vertices} vertices and {len(tails)} arcs are more than 32-bit indices can number")
    _check_ends("tails", tails, vertices)
    _check_ends("heads", heads, vertices)
    _check_weights(weights)
    indptr = np.zeros(vertices + 1, dtype=np.int32)
    np.cumsum(np.bincount(tails, minlength=vertices), out=indptr[1:])
    # Tail and position in one integer: sorting these keeps the order of equal tails, is faster than a stable argsort,
    # and needs no second array.
    order = tails.astype(np.int64)
    order <<= 32
    order |= np.arange(len(order))
    order.sort()
    order &= 2**32 - 1
    return Graph(
        indptr,
        heads[order].astype(np.int32, copy=False),
        weights[order].astype(np.int32, copy=False),
        about or {},
    )


def _integers(name: str, values: np.ndarray) -> np.ndarray:
    values = np.asarray(values)
    if len(values) and values.dtype.kind not in "iu":
        raise GraphError(f"{name} are {values.dtype} numbers; they must be integers")
    return values if len(values) else values.astype(np.int32)


def _check_ends(name: str, ends: np.ndarray, vertices: int) -> None:
    if len(ends) and not 0 <= ends.min() <= ends.max() < vertices:
        arc = int(np.flatnonzero((ends < 0) | (ends >= vertices))[0])
        raise GraphError(f"{name}[{arc}] is {ends[arc]}, which is not a vertex; vertices are 0..{vertices - 1}")


def _check_weights(weights: np.ndarray) -> None:
    if len(weights) and not -WEIGHT_LIMIT <= weights.min() <= weights.max() <= WEIGHT_LIMIT:
        arc = int(np.flatnonzero((weights < -WEIGHT_LIMIT) | (weights > WEIGHT_LIMIT))[0])
        raise GraphError(f"weights[{arc}] is {weights[arc]}; weights are at most {WEIGHT_LIMIT} in absolute value")


def load(path: str | os.PathLike) -> Graph:
    """Read a graph that ``Graph.save`` wrote. Raises FormatError if it is not one."""
    try:
        if Path(path).is_file() and not zipfile.is_zipfile(path):
            raise FormatError(f"{path}: not a warpath graph (not a complete .npz file); convert it again")
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(bytes(file["about"]).decode())
            graph = Graph(file["indptr"], file["indices"], file["weights"], about)
            graph.check()
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, GraphError) as error:
        raise FormatError(f"{path}: not a warpath graph ({error}); convert it again") from error
    return graph
