"""The arcs of a matrix: which entries count, by scipy.sparse.csgraph's rules."""

from collections import deque
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import csgraph_from_dense, csgraph_from_masked

from ..errors import GraphError
from ..graphs.adjacency_matrix import check_sparse
from ..graphs.csr import Graph, from_arcs
from ..graphs.csr_arrays import WEIGHT_LIMIT
from ..graphs.weights import given_weights
from ..locks import Guard

_POWERS = sorted([*(2**exponent for exponent in range(31)), *(10**exponent for exponent in range(1, 10))])
# Sums of decimals in floats are off by this much: 0.1 + 0.2 is 0.30000000000000004.
_ROUNDING = 1e-15

# A matrix that comes again is the graph that it was, whose copy the library still has on the device.
_recent: deque[Graph] = deque(maxlen=4)
_looking = Guard()


@dataclass
class Arcs:
    """The arcs tails[i] -> heads[i] among ``vertices`` vertices; weights are float64, arrays have shape (m,)."""

    vertices: int
    tails: np.ndarray
    heads: np.ndarray
    weights: np.ndarray

    def graph(self) -> Graph:
        """The graph of these arcs, its weights scaled to whole numbers. Raises GraphError where no scale does."""
        scaled = scaled_exactly(self.weights)
        if scaled is None:
            raise GraphError(
                f"no power of two or of ten makes the weights ({_some(self.weights)}) whole numbers of 31 bits; "
                "multiply them by a scale and round, or use scipy.sparse.csgraph"
            )
        about = {"origin": "matrix", "weights": given_weights(scaled[1])}
        graph = from_arcs(self.vertices, self.tails, self.heads, scaled[0], about)
        with _looking.lock:
            for known in _recent:
                if known == graph:
                    return known
            _recent.append(graph)
            return graph


def arcs_of(csgraph: Any, directed: bool, unweighted: bool, dense: bool = False) -> Arcs:
    """The arcs of a matrix, sparse, dense or masked: each both ways unless ``directed``, of weight 1 if ``unweighted``.

    In a sparse matrix every stored entry is an arc, zeros included, but inf and NaN only if ``unweighted``. Duplicates
    in COO are added up, as by ``tocsr()``; duplicates in float64 CSR and CSC are parallel arcs. In a dense array 0, inf
    and NaN are no arcs. ``dense`` reads like a function that works on the dense matrix: inf, masked zeros and loops are
    no arcs, NaN is one in a masked array alone, duplicates are parallel arcs. Raises ValueError unless the matrix is
    square, GraphError for an arc of -inf or NaN.
    """
    masked = np.ma.isMaskedArray(csgraph)
    stored: Any
    if scipy.sparse.issparse(csgraph):
        check_sparse(csgraph)
        stored = cast(Any, csgraph).tocsr()
        if not dense:
            stored = stored.astype(np.float64)
    else:
        stored = csgraph_from_masked(csgraph) if masked else csgraph_from_dense(csgraph)
    if stored.ndim != 2:
        raise ValueError("compressed-sparse graph must be 2-D")
    if stored.shape[0] != stored.shape[1]:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    vertices = stored.shape[0]
    tails = np.repeat(np.arange(vertices, dtype=np.int32), np.diff(stored.indptr))
    heads, weights = stored.indices.astype(np.int32, copy=False), stored.data.astype(np.float64, copy=False)
    nan_counts = np.isnan(weights) & (dense and masked)
    if unweighted:
        weights = np.where(nan_counts if dense else True, 1.0, weights)
    kept = (weights < np.inf) | nan_counts  # NaN is not less
    if dense:
        kept &= tails != heads
        if masked:
            kept &= weights != 0
    tails, heads, weights = tails[kept], heads[kept], weights[kept]
    strange = np.flatnonzero(~np.isfinite(weights))
    if len(strange):
        first = strange[0]
        raise GraphError(
            f"entry ({tails[first]}, {heads[first]}) is {weights[first]}, and distances have to be finite; "
            "leave it out, or use scipy.sparse.csgraph"
        )
    if unweighted:
        weights = np.ones(len(weights))
    if not directed:
        tails, heads, weights = np.append(tails, heads), np.append(heads, tails), np.append(weights, weights)
    return Arcs(vertices, tails, heads, weights)


def _some(weights: np.ndarray) -> str:
    shown = ", ".join(f"{weight:.17g}" for weight in weights[:3])
    return f"{shown}, ..." if len(weights) > 3 else shown


def scaled_exactly(weights: np.ndarray) -> tuple[np.ndarray, int] | None:
    """``weights``, float64 of shape (m,), as int32 in units of 1 / scale, and the scale; None if there is none.

    The scale is the smallest power of two or of ten that makes each weight a whole number, but for the rounding of
    floats, 1e-15 of the weight: 0.1, the float nearest to 1 / 10, is whole at scale 10.
    """
    if not np.isfinite(weights).all():
        return None
    sizes = np.abs(weights)
    largest = sizes.max(initial=0)
    for scale in _POWERS:
        if largest * scale > WEIGHT_LIMIT:
            return None
        whole = np.rint(weights * scale)
        if np.all(np.abs(whole / scale - weights) <= _ROUNDING * sizes):
            return whole.astype(np.int32), scale
    return None
