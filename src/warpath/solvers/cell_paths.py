"""Predecessors on the host: by recursion over intermediate vertices, or grown as trees from the lengths."""

import numba
import numpy as np

from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..graphs.csr import Graph
from ..locks import on_all_cores


def grow_trees(graph: Graph, lengths: np.ndarray, predecessors: np.ndarray) -> None:
    """Overwrite ``predecessors`` with trees of tight arcs under the final ``lengths``; both of shape (n, n)."""
    _grow_trees(graph.indptr, graph.indices, graph.weights, lengths, predecessors)


@on_all_cores
@numba.njit(parallel=True, cache=True)
def _grow_trees(
    indptr: np.ndarray, indices: np.ndarray, weights: np.ndarray, lengths: np.ndarray, predecessors: np.ndarray
) -> None:
    for source in numba.prange(len(lengths)):
        _grow_tree(indptr, indices, weights, source, lengths[source], predecessors[source])


@numba.njit(cache=True)
def _grow_tree(
    indptr: np.ndarray,
    indices: np.ndarray,
    weights: np.ndarray,
    source: int,
    lengths: np.ndarray,
    predecessors: np.ndarray,
) -> None:
    predecessors[:] = NO_PREDECESSOR
    hanging = np.empty(len(lengths), np.int32)
    hanging[0] = source
    count = 1
    at = 0
    while at < count:
        tail = hanging[at]
        at += 1
        for arc in range(indptr[tail], indptr[tail + 1]):
            head = indices[arc]
            if head == source or predecessors[head] != NO_PREDECESSOR or lengths[head] == UNREACHABLE:
                continue
            if np.int64(lengths[tail]) + weights[arc] == lengths[head]:
                predecessors[head] = tail
                hanging[count] = head
                count += 1


@on_all_cores
@numba.njit(parallel=True, cache=True)
def resolve(intermediates: np.ndarray) -> None:
    """Turn intermediate vertices, shape (n, n), into predecessors, in place."""
    # A cell that another thread has already resolved ends the walk in the same place (see resolve.cu).
    for i in numba.prange(len(intermediates)):
        for j in range(intermediates.shape[1]):
            last = i
            next_ = intermediates[i, j]
            if next_ >= 0:
                while next_ != last:
                    last = next_
                    next_ = intermediates[last, j]
                intermediates[i, j] = last
