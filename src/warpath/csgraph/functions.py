"""The functions of ``warpath.csgraph``; their parameters and results are those of scipy.sparse.csgraph."""

from typing import Any, cast

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import NegativeCycleError

from .. import errors
from ..device import Device
from ..distances import NO_PREDECESSOR
from ..graphs.adjacency_matrix import check_sparse
from ..graphs.csr import Graph
from ..library.shortest_paths import apsp, sssp
from ..solvers.limits import refuse_negative_cycle
from .arcs import Arcs, arcs_of
from .forest import nearest_source

# scipy's mark for "no predecessor".
_NONE = np.int32(-9999)


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
    shape = arcs.vertices, arcs.vertices
    if arcs.vertices:
        graph = arcs.graph()
        paths = _with_scipys_errors(apsp, graph, predecessors=return_predecessors, device=device, certify=certify)
        distances, predecessors = paths.floats(), _scipys(paths.predecessors) if return_predecessors else None
    else:
        distances, predecessors = np.empty(shape), np.empty(shape, np.int32) if return_predecessors else None
    if overwrite and type(csgraph) is np.ndarray and csgraph.dtype == np.float64 and csgraph.flags.c_contiguous:
        csgraph[...] = distances
        distances = csgraph
    return _shaped(shape, distances, predecessors)


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
        _refuse_out_of_range(indices, vertices)
    given = np.array(indices, dtype=np.int64, order="C")  # cuts 1.7 to 1, as scipy does
    _refuse_out_of_range(given, vertices)
    sources = given.reshape(-1)
    sources[sources < 0] += vertices
    return sources, (*given.shape, vertices)


def _refuse_out_of_range(indices: Any, vertices: int) -> None:
    if np.any((indices < -vertices) | (indices >= vertices)):
        raise ValueError("indices out of range 0...N")


def _from_sources(
    arcs: Arcs,
    sources: np.ndarray,
    return_predecessors: bool,
    device: str | Device,
    certify: bool,
    anywhere: bool = False,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Distances as floats, shape (k, n), and predecessors as scipy has them, or None.

    With ``anywhere`` a negative cycle counts even if no source reaches it.
    """
    if anywhere and arcs.vertices:
        _with_scipys_errors(refuse_negative_cycle, arcs.graph(), None)
    if not len(sources):
        shape = 0, arcs.vertices
        return np.empty(shape), np.empty(shape, np.int32) if return_predecessors else None
    graph = arcs.graph()
    paths = _with_scipys_errors(sssp, graph, sources, predecessors=return_predecessors, device=device, certify=certify)
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
