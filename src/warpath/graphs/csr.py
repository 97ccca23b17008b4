"""The one graph of warpath: a weighted digraph in compressed sparse rows, in scipy's names.

``indptr`` has shape (n + 1,), ``indices`` and ``weights`` have shape (m,); all are int32. The arcs leaving vertex ``u``
are ``indices[indptr[u]:indptr[u + 1]]``. Loops, parallel arcs, zero weights and vertices without arcs are all kept.
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

INT32_MAX = 2**31 - 1


@dataclass(frozen=True, eq=False)
class Graph:
    """A weighted digraph; arrays as the module describes. ``about`` says where it comes from (JSON values only)."""

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
        """Hash of the three arrays: equal exactly when the graphs are."""
        digest = hashlib.sha256(f"{self.vertices} {self.arcs}\n".encode())
        for array in (self.indptr, self.indices, self.weights):
            digest.update(np.ascontiguousarray(array, dtype="<i4").data)
        return digest.hexdigest()

    def sources(self) -> np.ndarray:
        """The tail of every arc, shape (m,), int32, in the order of ``indices``."""
        return np.repeat(np.arange(self.vertices, dtype=np.int32), np.diff(self.indptr))

    def dense(self) -> np.ndarray:
        """The weight matrix, shape (n, n), int32, with UNREACHABLE where there is no arc.

        Parallel arcs count as the lightest of them; a loop stands on the diagonal as it is.
        """
        matrix = np.full((self.vertices, self.vertices), UNREACHABLE, dtype=np.int32)
        np.minimum.at(matrix, (self.sources(), self.indices), self.weights)
        return matrix

    def longest_path_bound(self) -> int:
        """An upper bound on the absolute weight of any simple path.

        A simple path enters each vertex at most once, so the heaviest arc into each vertex, summed over all vertices,
        is never exceeded. While this stays below 2**31 - 1 no distance can leave int32.
        """
        heaviest_into = np.zeros(self.vertices, dtype=np.int64)
        np.maximum.at(heaviest_into, self.indices, np.abs(self.weights.astype(np.int64)))
        return int(heaviest_into.sum())

    def save(self, path: str | os.PathLike) -> None:
        """Write the graph to ``path`` (.npz), whole or not at all, the same bytes for the same graph."""
        about = json.dumps(self.about, sort_keys=True, ensure_ascii=False)
        with written_whole(path) as temporary:
            np.savez(
                temporary,
                indptr=self.indptr,
                indices=self.indices,
                weights=self.weights,
                about=np.frombuffer(about.encode(), dtype=np.uint8),
            )


def from_arcs(
    vertices: int, tails: np.ndarray, heads: np.ndarray, weights: np.ndarray, about: dict | None = None
) -> Graph:
    """Build a graph from arc lists of shape (m,); arcs of one tail keep their order.

    Raises GraphError for no vertices, an endpoint outside 0..vertices-1, or more arcs than int32 can number.
    """
    if vertices < 1:
        raise GraphError("the graph has no vertices; a shortest path needs at least one")
    if len(tails) > INT32_MAX or vertices > INT32_MAX - 1:
        raise GraphError(f"{vertices} vertices and {len(tails)} arcs are more than 32-bit indices can number")
    for name, ends in (("tail", tails), ("head", heads)):
        if len(ends) and (ends.min() < 0 or ends.max() >= vertices):
            worst = int(np.flatnonzero((ends < 0) | (ends >= vertices))[0])
            raise GraphError(f"arc {worst}: {name} {ends[worst]} is not a vertex; vertices are 0..{vertices - 1}")
    counts = np.bincount(tails, minlength=vertices)
    indptr = np.zeros(vertices + 1, dtype=np.int32)
    np.cumsum(counts, out=indptr[1:])
    order = np.argsort(tails, kind="stable")
    return Graph(
        indptr,
        np.ascontiguousarray(heads[order], dtype=np.int32),
        np.ascontiguousarray(weights[order], dtype=np.int32),
        about or {},
    )


def load(path: str | os.PathLike) -> Graph:
    """Read a graph that ``Graph.save`` wrote. Raises FormatError where it is not one."""
    try:
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(bytes(file["about"]).decode())
            graph = Graph(file["indptr"], file["indices"], file["weights"], about)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise FormatError(f"{Path(path)}: not a warpath graph ({error}); convert it again") from error
    return graph
