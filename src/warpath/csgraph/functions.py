"""The functions of ``warpath.csgraph``, with the parameters and results of scipy.sparse.csgraph."""

import math
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import NegativeCycleError, csgraph_from_dense, csgraph_from_masked

from .. import errors
from ..device import Device
from ..distances import NO_PREDECESSOR
from ..errors import GraphError
from ..graphs.csr import Graph, from_arcs
from ..graphs.objects.adjacency_matrix import check_sparse
from ..graphs.weights import fit_int32
from ..library.shortest_paths import apsp, nearest, sssp
from ..solvers.checks.preconditions import check_no_negative_cycle
from ..system.arrays import complete, on_host
from ..system.locks import Guard

if TYPE_CHECKING:
    from ..typing import ArrayLike, MatrixLike

_NONE = np.int32(-9999)  # SciPy's value for "no predecessor"

# A matrix that is equal to a recent one uses its graph, which is still on the device.
_recent: deque[Graph] = deque(maxlen=4)
_recent_guard = Guard()


def dijkstra(
    csgraph: "MatrixLike",
    directed: bool = True,
    indices: "ArrayLike | None" = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    limit: float = np.inf,
    min_only: bool = False,
    *,
    device: str | Device = "auto",
    certify: bool = True,
) -> Any:
    """Find shortest paths from some vertices or from all, as scipy.sparse.csgraph.dijkstra.

    Parameters
    ----------
    csgraph : array, masked array or sparse array of shape (n, n)
        The weights. A stored zero of a sparse array is an edge. A zero of a dense array is not.
    directed : bool, default True
        If false, each edge leads both ways.
    indices : int or array of ints, optional
        The sources. By default all vertices.
    return_predecessors : bool, default False
        Return predecessors as well.
    unweighted : bool, default False
        Give each edge the weight 1.
    limit : float, default inf
        Vertices that are farther away count as unreachable.
    min_only : bool, default False
        Find the distance of each vertex from the nearest source.
    device : str or Device, default "auto"
        "auto", "cuda", "cuda:INDEX", "cpu", "simulated", or an opened device.
    certify : bool, default True
        Certify the result.

    Returns
    -------
    distances : float64 array of shape (..., n), or (n,) with min_only
        ``inf`` where there is no path. ``indices`` has the leading shape. The length of a path is the sum of its
        weights from the source on, rounded after each addition, whichever function is called.
    predecessors : int32 array of the same shape
        -9999 where there is none. Only with ``return_predecessors``.
    sources : int32 array of shape (n,)
        The nearest source, or -9999. Only with ``return_predecessors`` and ``min_only``.

    Raises
    ------
    ValueError
        The matrix is not square, an index is out of range, or ``limit`` is negative.
    NegativeCycleError
        A source reaches a negative cycle.
    GraphError
        A weight is -inf or NaN.

    Examples
    --------
    >>> from warpath.csgraph import dijkstra
    >>> dijkstra([[0, 1.5, 0], [0, 0, 2], [0, 0, 0]], indices=0, device="cpu")
    array([0. , 1.5, 3.5])
    """
    arcs = arcs_of(csgraph, directed, unweighted)
    sources, shape = _sources(indices, arcs.vertices)
    limit = math.fsum([limit])  # unlike float, takes no text
    if limit < 0:
        raise ValueError("limit must be >= 0")
    if min_only:
        found = _nearest(arcs, sources, device, certify)
        far = ~(found[0] <= limit)
        far[sources] = False  # a source is within every limit, even NaN
        _make_unreachable(far, *found)
        return found if return_predecessors else found[0]
    distances, predecessors = _from_sources(arcs, sources, return_predecessors, device, certify)
    far = ~(distances <= limit)
    far[np.arange(len(sources)), sources] = False
    _make_unreachable(far, distances, predecessors)
    return _shaped(shape, distances, predecessors)


def bellman_ford(
    csgraph: "MatrixLike",
    directed: bool = True,
    indices: "ArrayLike | None" = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    *,
    device: str | Device = "auto",
    certify: bool = True,
) -> Any:
    """Find shortest paths from some vertices or from all, as scipy.sparse.csgraph.bellman_ford.

    See ``dijkstra`` for the parameters, results and errors.
    """
    return dijkstra(csgraph, directed, indices, return_predecessors, unweighted, device=device, certify=certify)


def johnson(
    csgraph: "MatrixLike",
    directed: bool = True,
    indices: "ArrayLike | None" = None,
    return_predecessors: bool = False,
    unweighted: bool = False,
    *,
    device: str | Device = "auto",
    certify: bool = True,
) -> Any:
    """Find shortest paths from some vertices or from all, as scipy.sparse.csgraph.johnson.

    See ``dijkstra`` for the parameters, results and errors. A negative cycle raises NegativeCycleError even if no
    source reaches it.
    """
    arcs = arcs_of(csgraph, directed, unweighted)
    sources, shape = _sources(indices, arcs.vertices)
    if arcs.vertices:
        _solved(check_no_negative_cycle, arcs, None)
    return _shaped(shape, *_from_sources(arcs, sources, return_predecessors, device, certify))


def floyd_warshall(
    csgraph: "MatrixLike",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    *,
    device: str | Device = "auto",
    certify: bool = True,
) -> Any:
    """Find shortest paths between all pairs, as scipy.sparse.csgraph.floyd_warshall.

    See ``dijkstra`` for the other parameters, the results and the errors.

    Parameters
    ----------
    overwrite : bool, default False
        Write the distances into ``csgraph`` if it is a float64 array.
    """
    arcs = arcs_of(csgraph, directed, unweighted, dense=True)
    distances, predecessors = _from_sources(arcs, None, return_predecessors, device, certify)
    if overwrite and isinstance(csgraph, np.ndarray) and csgraph.dtype == np.float64:
        overwritten = np.asarray(csgraph)
        overwritten[...] = distances
        distances = overwritten
    return _shaped(distances.shape, distances, predecessors)


def shortest_path(
    csgraph: "MatrixLike",
    method: str = "auto",
    directed: bool = True,
    return_predecessors: bool = False,
    unweighted: bool = False,
    overwrite: bool = False,
    indices: "ArrayLike | None" = None,
    *,
    device: str | Device = "auto",
    certify: bool = True,
) -> Any:
    """Find shortest paths, as scipy.sparse.csgraph.shortest_path.

    See the function that ``method`` names for the other parameters, the results and the errors.

    Parameters
    ----------
    method : {"auto", "FW", "D", "BF", "J"}
        ``floyd_warshall``, ``dijkstra``, ``bellman_ford`` or ``johnson``. "auto" chooses as SciPy does: by the number
        of edges, ``indices`` and the signs of the weights.
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
    if not isinstance(method, str) or method not in functions:
        raise ValueError(f"unrecognized method '{method}'")
    return functions[method](csgraph, directed, indices=indices, **options)


@dataclass
class Arcs:
    """The arcs tails[i] -> heads[i] among ``vertices`` vertices; weights are float64, arrays have shape (m,)."""

    vertices: int
    tails: np.ndarray
    heads: np.ndarray
    weights: np.ndarray

    def graphs(self) -> Iterator[Graph]:
        """The graph of these arcs: first with int32 weights, if all are whole and fit, and then with float64."""
        if fit_int32(self.weights).all():
            yield self._graph(self.weights.astype(np.int32))
        yield self._graph(self.weights)

    def _graph(self, weights: np.ndarray) -> Graph:
        graph = from_arcs(self.vertices, self.tails, self.heads, weights, {"origin": "matrix"})
        with _recent_guard.lock:
            for known in _recent:
                if known == graph:
                    return known
            _recent.append(graph)
            return graph


def arcs_of(csgraph: Any, directed: bool, unweighted: bool, dense: bool = False) -> Arcs:
    """The arcs of a sparse, dense or masked matrix, in both directions unless ``directed``.

    In a sparse matrix, every stored entry is an arc, zeros included; inf and NaN are arcs only if ``unweighted``.
    Duplicates in COO are added up. Duplicates in float64 CSR and CSC are parallel arcs. In a dense array, 0, inf and
    NaN are not arcs. With ``dense``, the rules are those of SciPy's functions for dense matrices: inf, masked zeros and
    loops are not arcs, NaN is an arc in a masked array only, and duplicates are parallel arcs. Raises ValueError if the
    matrix is not square, GraphError for an arc of -inf or NaN.
    """
    matrix = _matrix(csgraph)
    masked = np.ma.isMaskedArray(matrix)
    if scipy.sparse.issparse(matrix):
        stored = cast(Any, matrix).tocsr()
        if not dense:
            stored = stored.astype(np.float64)
    else:
        stored = csgraph_from_masked(matrix) if masked else csgraph_from_dense(matrix)
    if stored.shape[0] != stored.shape[1]:
        raise ValueError("compressed-sparse graph must be shape (N, N)")
    vertices = stored.shape[0]
    tails = np.repeat(np.arange(vertices, dtype=np.int32), np.diff(stored.indptr))
    heads, weights = stored.indices.astype(np.int32, copy=False), stored.data.astype(np.float64, copy=False)
    nan_counts = np.isnan(weights) & (dense and masked)
    if unweighted:
        weights = np.where(nan_counts if dense else True, 1.0, weights)
    is_arc = (weights < np.inf) | nan_counts  # NaN < inf is false
    if dense:
        is_arc &= tails != heads
        if masked:
            is_arc &= weights != 0
    tails, heads, weights = tails[is_arc], heads[is_arc], weights[is_arc]
    infinite = np.flatnonzero(~np.isfinite(weights))
    if len(infinite):
        first = infinite[0]
        raise GraphError(
            f"entry ({tails[first]}, {heads[first]}) is {weights[first]}, and distances must be finite; "
            "leave it out, or use scipy.sparse.csgraph"
        )
    if unweighted:
        weights = np.ones(len(weights))
    if not directed:
        tails, heads, weights = np.append(tails, heads), np.append(heads, tails), np.append(weights, weights)
    return Arcs(vertices, tails, heads, weights)


def _matrix(csgraph: Any) -> Any:
    """A sparse, masked or dense array. Raises ValueError unless it has two dimensions."""
    matrix = on_host(csgraph)
    if scipy.sparse.issparse(matrix):
        check_sparse(matrix)
    elif np.ma.isMaskedArray(matrix):
        matrix = np.ma.array(matrix, mask=np.ma.getmaskarray(matrix))
    else:
        matrix = np.asarray(matrix)
    if matrix.ndim != 2:
        raise ValueError("graph should have two dimensions")
    return matrix


def _method(csgraph: Any, indices: Any) -> str:
    """The method that SciPy chooses: "FW" for all pairs if a quarter of the entries are edges, else "D" or "J"."""
    matrix = _matrix(csgraph)
    if scipy.sparse.issparse(matrix):
        edges = cast(Any, matrix).tocoo().data
    elif np.ma.isMaskedArray(matrix):
        edges = matrix.compressed()
    else:
        edges = matrix[np.isfinite(matrix) & (matrix != 0)]
    if indices is None and len(edges) >= matrix.shape[0] ** 2 / 4:
        return "FW"
    return "J" if np.any(edges < 0) else "D"


def _sources(indices: Any, vertices: int) -> tuple[np.ndarray, tuple[int, ...]]:
    """The sources, flat, int64, and the shape of the result. Raises ValueError for an index out of range."""
    if indices is None:
        return np.arange(vertices), (vertices, vertices)
    indices = complete("indices", on_host(indices), ValueError)
    if isinstance(indices, (np.ndarray, np.generic)) and indices.dtype.kind in "iuf":
        _check_in_range(indices, vertices)
    whole = np.array(indices, dtype=np.int64, order="C")  # truncates 1.7 to 1, as SciPy does
    _check_in_range(whole, vertices)
    sources = whole.reshape(-1)
    sources[sources < 0] += vertices
    return sources, (*whole.shape, vertices)


def _check_in_range(indices: Any, vertices: int) -> None:
    if np.any((indices < -vertices) | (indices >= vertices)):
        raise ValueError("indices out of range 0...N")


def _from_sources(
    arcs: Arcs,
    sources: np.ndarray | None,
    return_predecessors: bool,
    device: str | Device,
    certify: bool,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Distances as floats, shape (k, n), and predecessors with -9999, or None; all pairs if ``sources`` is None."""
    shape = arcs.vertices if sources is None else len(sources), arcs.vertices
    if not shape[0]:
        return np.empty(shape), np.empty(shape, np.int32) if return_predecessors else None
    solve: Any = apsp if sources is None else partial(sssp, source=sources)
    options = {"predecessors": bool(return_predecessors), "device": device, "certify": certify}
    paths = _solved(solve, arcs, **options)
    return paths.floats(), _with_scipy_none(paths.predecessors) if return_predecessors else None


def _nearest(
    arcs: Arcs, sources: np.ndarray, device: str | Device, certify: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances as floats, and predecessors and nearest sources with -9999; shapes (n,)."""
    if not len(sources):
        return np.full(arcs.vertices, np.inf), *np.full((2, arcs.vertices), _NONE)
    found = _solved(nearest, arcs, sources, device=device, certify=certify)
    return found.floats(), _with_scipy_none(found.predecessors), _with_scipy_none(found.nearest)


def _solved(function: Any, arcs: Arcs, *arguments: Any, **options: Any) -> Any:
    """The result of ``function`` for the graph of ``arcs``. Raises SciPy's NegativeCycleError."""
    for graph in arcs.graphs():
        try:
            return function(graph, *arguments, **options)
        except errors.NegativeCycleError as error:
            raise NegativeCycleError(str(error)) from None
        except GraphError as error:
            refusal = error  # sums of whole numbers that do not fit 32 bits: then as floats
    raise refusal


def _make_unreachable(far: np.ndarray, distances: np.ndarray, *vertices: np.ndarray | None) -> None:
    """Make the vertices of the mask ``far`` unreachable: inf in ``distances``, and -9999 in ``vertices``."""
    if far.any():
        distances[far] = np.inf
        for array in vertices:
            if array is not None:
                array[far] = _NONE


def _with_scipy_none(vertices: np.ndarray) -> np.ndarray:
    """Predecessors or sources, with -9999 instead of -1."""
    return np.where(vertices == NO_PREDECESSOR, _NONE, vertices)


def _shaped(shape: tuple[int, ...], distances: np.ndarray, predecessors: np.ndarray | None) -> Any:
    """The result of a function: distances, and predecessors unless they are None."""
    distances = distances.reshape(shape)
    return distances if predecessors is None else (distances, predecessors.reshape(shape))
