"""The library's functions: shortest paths from one source, shortest paths between all pairs, transitive closure.

They follow scipy.sparse.csgraph: they take a graph and return distances, and predecessors if asked, as NumPy arrays.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .algorithms import find
from .algorithms.limits import refuse_overflow, refuse_unsolvable
from .algorithms.plan import Closure, Solution
from .device import Device, open_device
from .errors import OutOfMemoryError, UsageError
from .graphs.adjacency_matrix import from_matrix
from .graphs.csr import Graph


def sssp(
    graph: Graph | Any,
    source: int,
    *,
    algorithm: str = "bellman_ford",
    variant: str = "stride_flag",
    parameters: Mapping[str, int] | None = None,
    device: str | Device = "auto",
    return_predecessors: bool = False,
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Shortest distances from ``source`` to every vertex.

    Parameters: ``graph`` is a Graph, a scipy sparse matrix or a dense array (see ``from_matrix``); ``device`` is
    "auto", "cuda", "cuda:INDEX", "host" or an opened device; ``algorithm`` and ``variant`` as ``warpath solve --help``
    lists them; ``parameters`` are the variant's own, such as ``{"k": 3}`` for label_correcting locality.

    Returns distances of shape (n,), int32, with UNREACHABLE (2**31 - 1) where there is no path; with
    ``return_predecessors`` also predecessors of shape (n,), int32, -1 for the source and unreachable vertices.

    Raises UsageError, GraphError, NegativeCycleError, DeviceError or OutOfMemoryError, all of them WarpathError.
    """
    solution = solve(as_graph(graph), "sssp", algorithm, variant, device, int(source), parameters)
    return _answer(solution, return_predecessors)


def apsp(
    graph: Graph | Any,
    *,
    algorithm: str = "floyd_warshall",
    variant: str = "tiled_shared",
    parameters: Mapping[str, int] | None = None,
    device: str | Device = "auto",
    return_predecessors: bool = False,
) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
    """Shortest distances between all pairs: row s holds what ``sssp(graph, s)`` returns.

    Parameters and errors as for ``sssp``. Returns distances of shape (n, n), int32; with ``return_predecessors`` also
    predecessors of shape (n, n), int32.
    """
    return _answer(solve(as_graph(graph), "apsp", algorithm, variant, device, None, parameters), return_predecessors)


def closure(graph: Graph | Any, *, variant: str = "bitset", device: str | Device = "auto") -> np.ndarray:
    """The transitive closure: 1 if there is a path from the row's vertex to the column's, else 0.

    Parameters and errors as for ``sssp``; weights are ignored. Returns an array of shape (n, n), uint8, with 1 on the
    diagonal.
    """
    return solve(as_graph(graph), "closure", "transitive_closure", variant, device, None).reachable()


def solve(
    graph: Graph,
    problem: str,
    algorithm: str,
    variant: str,
    device: str | Device,
    source: int | None,
    parameters: Mapping[str, int] | None = None,
) -> Solution | Closure:
    """Solve once. Refuses an unsuitable graph, and sums beyond int32. Errors as for ``sssp``."""
    definition = find(algorithm, variant)
    configured = definition.configured(parameters)
    if definition.problem != problem:
        raise UsageError(f"{algorithm} {variant} solves {definition.problem}, not {problem}")
    refuse_unsolvable(graph, definition, source)
    opened = open_device(device) if isinstance(device, str) else device
    try:
        solution = configured.plan(opened, graph, source).solve()
    except MemoryError as error:
        raise OutOfMemoryError(
            f"the host is out of memory for {problem} on {graph.vertices:,} vertices: {error}"
        ) from error
    if isinstance(solution, Solution):
        refuse_overflow(graph, solution.distances)
    return solution


def as_graph(graph: Graph | Any) -> Graph:
    """``graph`` itself, or the graph of a matrix."""
    return graph if isinstance(graph, Graph) else from_matrix(graph)


def _answer(solution: Solution, return_predecessors: bool):
    return (solution.distances, solution.predecessors) if return_predecessors else solution.distances
