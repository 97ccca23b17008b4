"""The functions of ``warpath.csgraph``; their parameters and results are those of scipy.sparse.csgraph."""

from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import NegativeCycleError, csgraph_from_dense, csgraph_from_masked

from .. import errors
from ..device import Device
from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..errors import GraphError
from ..graphs.adjacency_matrix import check_sparse
from ..graphs.csr import WEIGHT_LIMIT, Graph, from_arcs
from ..graphs.weights import given_weights
from ..library.shortest_paths import apsp, sssp
from ..locks import Guard
from ..solvers.preconditions import check_no_negative_cycle

# scipy's mark for "no predecessor".
_NONE = np.int32(-9999)

_POWERS = sorted([*(2**exponent for exponent in range(31)), *(10**exponent for exponent in range(1, 10))])
# Sums of decimals in floats are off by this much: 0.1 + 0.2 is 0.30000000000000004.
_ROUNDING = 1e-15

# A matrix that comes again is the graph that it was, whose copy the library still has on the device.
_recent: deque[Graph] = deque(maxlen=4)
_looking = Guard()


def dijkstra(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
    *,
    device: str | Device = "auto",
    certify: bool = True,
) -> Any:
    """scipy.sparse.csgraph.dijkstra on a GPU: distances from ``indices``, float64 with ``inf``, shape ([k,] n).

    With ``return_predecessors`` also predecessors, int32 with -9999; with ``min_only`` the distance from the nearest of
    ``indices``, shape (n,), and the source it is from. Raises ValueError for a matrix that is not square, indices out
    of range and a limit below 0, NegativeCycleError, and GraphError for weights that no scale makes whole.
    """
    arcs = arcs_of(csgraph, directed, unweighted)
    sources, shape = _sources(indices, arcs.vertices)
    limit = float(limit)
    if limit < 0:
        raise ValueError("limit must be >= 0")
    if min_only:
        nearest = _nearest(arcs, sources, device, certify)
        far = ~(nearest[0] <= limit)
        far[sources] = False  # within any limit, even NaN
        _forget(far, *nearest)
        return nearest if return_predecessors else nearest[0]
    distances, predecessors = _from_sources(arcs, sources, return_predecessors, device, certify)
    far = ~(distances <= limit)
    far[np.arange(len(sources)), sources] = False
    _forget(far, distances, predecessors)
    return _shaped(shape, distances, predecessors)


def bellman_ford(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    *,
    device: str | Device = "auto",
    certify: bool = True,
) -> Any:
    """scipy.sparse.csgraph.bellman_ford on a GPU: as ``dijkstra``, for weights of any sign.

    Raises NegativeCycleError where one of ``indices`` reaches a negative cycle, and what ``dijkstra`` raises.
    """
    arcs = arcs_of(csgraph, directed, unweighted)
    sources, shape = _sources(indices, arcs.vertices)
    return _shaped(shape, *_from_sources(arcs, sources, return_predecessors, device, certify))


def johnson(
    csgraph: Any,
    directed: bool = True,
    indices: Any = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    *,
    device: str | Device = "auto",
    certify: bool = True,
) -> Any:
    """scipy.sparse.csgraph.johnson on a GPU: as ``bellman_ford``, but any negative cycle raises NegativeCycleError."""
    arcs = arcs_of(csgraph, directed, unweighted)
    sources, shape = _sources(indices, arcs.vertices)
    return _shaped(shape, *_from_sources(arcs, sources, return_predecessors, device, certify, anywhere=True))


def floyd_warshall(
    csgraph: Any,
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    *,
    device: str | Device = "auto",
    certify: bool = True,
) -> Any:
    """scipy.sparse.csgraph.floyd_warshall on a GPU: all pairs, shape (n, n), for weights of any sign.

    ``overwrite`` puts the distances into ``csgraph`` if that is a C-ordered float64 array. Errors as for ``johnson``.
    """
    arcs = arcs_of(csgraph, directed, unweighted, dense=True)
    distances, predecessors = _from_sources(arcs, None, return_predecessors, device, certify)
    if overwrite and type(csgraph) is np.ndarray and csgraph.dtype == np.float64 and csgraph.flags.c_contiguous:
        csgraph[...] = distances
        distances = csgraph
    return _shaped(distances.shape, distances, predecessors)


def shortest_path(
    csgraph: Any,
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: Any = None,
    *,
    device: str | Device = "auto",
    certify: bool = True,
) -> Any:
    """scipy.sparse.csgraph.shortest_path on a GPU: ``method`` is "auto", "FW", "D", "BF" or "J", the functions here.

    "auto" chooses as scipy does: by the number of edges, ``indices`` and the signs of weights.
    """
    if method == "auto":
        method = _method(csgraph, indices)
    options: dict[str, Any] = {"return_predecessors": return_predecessors, "unweighted": unweighted}
    options |= {"device": device, "certify": certify}
    if method == "FW":
        if indices is not None:
            raise ValueError("Cannot specify indices with method == 'FW'.")
        return floyd_warshall(csgraph, directed, overwrite=overwrite, **options)
    functions = {"D": dijkstra, "BF": bellman_ford, "J": johnson}
    if method not in functions:
        raise ValueError(f"unrecognized method '{method}'")
    return functions[method](csgraph, directed, indices=indices, **options)


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
        metadata = {"origin": "matrix", "weights": given_weights(scaled[1])}
        graph = from_arcs(self.vertices, self.tails, self.heads, scaled[0], metadata)
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


@dataclass
class Nearest:
    """For each vertex the nearest source: its distance, int32 with UNREACHABLE; the predecessor on a path from it,
    int32, -1 for none; and the source itself, int32, -1 where no source leads. Shapes (n,).
    """

    distances: np.ndarray
    predecessors: np.ndarray
    sources: np.ndarray


def nearest_source(graph: Graph, sources: np.ndarray, device: Any, certify: bool) -> Nearest:
    """Paths from whichever of ``sources``, at least one, is nearest. Errors as for ``warpath.sssp``.

    One solve: from a new vertex with an arc of weight 0 to each source.
    """
    start, heads = graph.vertices, np.unique(sources).astype(np.int32)
    joined = from_arcs(
        graph.vertices + 1,
        np.append(graph.sources(), np.full(len(heads), start, np.int32)),
        np.append(graph.indices, heads),
        np.append(graph.weights, np.zeros(len(heads), np.int32)),
        graph.metadata,
    )
    paths = sssp(joined, start, device=device, certify=certify)
    distances, predecessors = paths.distances[:-1], paths.predecessors[:-1].copy()
    predecessors[predecessors == start] = NO_PREDECESSOR
    # A source may have been reached from another one, through arcs of weight 0: then its path begins at itself.
    predecessors[heads[distances[heads] == 0]] = NO_PREDECESSOR
    roots, _ = roots_and_depths(predecessors)
    return Nearest(distances, predecessors, np.where(distances == UNREACHABLE, -1, roots).astype(np.int32))


def roots_and_depths(predecessors: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The root of each vertex's tree and the number of arcs from there, shapes (n,); -1 means no predecessor.

    Doubles the steps in each pass, so that deep trees take few passes.
    """
    ancestors = np.where(predecessors == NO_PREDECESSOR, np.arange(len(predecessors)), predecessors)
    depths = (predecessors != NO_PREDECESSOR).astype(np.int64)
    while True:
        farther = ancestors[ancestors]
        if np.array_equal(farther, ancestors):
            return ancestors, depths
        depths += depths[ancestors]
        ancestors = farther


def _method(csgraph: Any, indices: Any) -> str:
    """The method that scipy chooses: "FW" for all pairs of at least a quarter of the entries, else "D" or "J"."""
    if scipy.sparse.issparse(csgraph):
        check_sparse(csgraph)
        edges = cast(Any, csgraph).tocoo().data
    elif np.ma.isMaskedArray(csgraph):
        edges = csgraph.compressed()
    else:
        entries = np.asarray(csgraph)
        edges = entries[np.isfinite(entries) & (entries != 0)]
    if indices is None and len(edges) >= np.shape(csgraph)[0] ** 2 / 4:
        return "FW"
    return "J" if np.any(edges < 0) else "D"


def _sources(indices: Any, vertices: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """The vertices ``indices`` names, flat, int64, and the shape of the answer. Raises ValueError for what is none."""
    if indices is None:
        return np.arange(vertices), (vertices, vertices)
    if isinstance(indices, (np.ndarray, np.generic)) and indices.dtype.kind in "iuf":
        _check_in_range(indices, vertices)
    given = np.array(indices, dtype=np.int64, order="C")  # cuts 1.7 to 1, as scipy does
    _check_in_range(given, vertices)
    sources = given.reshape(-1)
    sources[sources < 0] += vertices
    return sources, (*given.shape, vertices)


def _check_in_range(indices: Any, vertices: int) -> None:
    if np.any((indices < -vertices) | (indices >= vertices)):
        raise ValueError("indices out of range 0...N")


def _from_sources(
    arcs: Arcs,
    sources: np.ndarray | None,
    return_predecessors: bool,
    device: str | Device,
    certify: bool,
    anywhere: bool = False,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Distances as floats, shape (k, n), and predecessors as scipy has them, or None; all pairs without ``sources``.

    With ``anywhere`` a negative cycle counts even if no source reaches it.
    """
    if anywhere and arcs.vertices:
        _with_scipys_errors(check_no_negative_cycle, arcs.graph(), None)
    shape = arcs.vertices if sources is None else len(sources), arcs.vertices
    if not shape[0]:
        return np.empty(shape), np.empty(shape, np.int32) if return_predecessors else None
    solve: Any = apsp if sources is None else partial(sssp, source=sources)
    options = {"predecessors": return_predecessors, "device": device, "certify": certify}
    paths = _with_scipys_errors(solve, arcs.graph(), **options)
    return paths.floats(), _scipys(paths.predecessors) if return_predecessors else None


def _nearest(
    arcs: Arcs, sources: np.ndarray, device: str | Device, certify: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances as floats, predecessors and the nearest source with -9999 for none, shapes (n,)."""
    if not len(sources):
        return np.full(arcs.vertices, np.inf), *np.full((2, arcs.vertices), _NONE)
    graph = arcs.graph()
    nearest = _with_scipys_errors(nearest_source, graph, sources, device=device, certify=certify)
    distances = np.where(nearest.sources < 0, np.inf, nearest.distances / graph.scale)
    return distances, _scipys(nearest.predecessors), _scipys(nearest.sources)


def _with_scipys_errors(function: Any, graph: Graph, *arguments: Any, **options: Any) -> Any:
    """The result; scipy's NegativeCycleError where warpath raises its own, and advice where sums are too large."""
    try:
        return function(graph, *arguments, **options)
    except errors.NegativeCycleError as error:
        raise NegativeCycleError(str(error)) from None
    except errors.GraphError as error:
        raise errors.GraphError(f"{error}, or use scipy.sparse.csgraph") from None


def _forget(far: np.ndarray, distances: np.ndarray, *vertices: np.ndarray | None) -> None:
    """Make unreachable what is ``far``, a mask: inf, and -9999 in ``vertices``."""
    if far.any():
        distances[far] = np.inf
        for array in vertices:
            if array is not None:
                array[far] = _NONE


def _scipys(vertices: np.ndarray) -> np.ndarray:
    """Predecessors or sources with -9999 instead of -1."""
    return np.where(vertices == NO_PREDECESSOR, _NONE, vertices)


def _shaped(shape: tuple[int, ...], distances: np.ndarray, predecessors: np.ndarray | None) -> Any:
    """What a function returns: distances, and predecessors unless they are None."""
    distances = distances.reshape(shape)
    return distances if predecessors is None else (distances, predecessors.reshape(shape))
