"""The functions of the library: ``sssp``, ``apsp``, ``closure``, ``certify`` and ``prepare``."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numba  # noqa: F401 (a program that solves several graphs gains more than the import takes; see solvers.shape)
import numpy as np

from ..certificates.certificate import Certificate
from ..device import Device, open_device
from ..graphs.adopted import Adopted, adopt
from ..graphs.csr import Graph
from ..locks import Guard, once
from .arguments import distances_for, whole_predecessors
from .chunks import Output
from .paths import Paths, Reachability
from .solver import Solver

if TYPE_CHECKING:
    from ..typing import ArrayLike, GraphLike, VertexLike, VerticesLike

# The solvers of the most recent graphs, so that calls without ``prepare`` reuse the data on the device.
_SOLVERS_MAX = 4
_solvers: OrderedDict[tuple[int, int], Solver] = OrderedDict()
_solvers_guard = Guard()


def sssp(
    graph: "GraphLike",
    source: "VertexLike | VerticesLike",
    *,
    targets: "VerticesLike | None" = None,
    cutoff: float | None = None,
    algorithm: str | None = None,
    variant: str | None = None,
    parameters: Mapping[str, int] | None = None,
    device: str | Device = "auto",
    predecessors: bool = True,
    output: Output = "host",
    certify: bool = True,
    scale: int | None = None,
) -> Paths:
    """Find shortest paths from one source or from several.

    Parameters
    ----------
    graph : Graph, matrix, NetworkX graph, igraph graph or DataFrame
        A matrix is square, of SciPy, NumPy or CuPy. A data frame has the columns ``source``, ``target`` and, if there
        are weights, ``weight``. Weights are integers or floats.
    source : vertex, or sequence of k vertices
        An index for a Graph, a matrix and igraph; a node for NetworkX; a value for pandas.
    targets : sequence of t vertices, optional
        Keep only the distances of these vertices, in this order.
    cutoff : float, optional
        Vertices that are farther away count as unreachable.
    algorithm, variant : str, optional
        The name of a solver; ``warpath list variants`` lists them. By default the library chooses one.
    parameters : mapping of str to int, optional
        Parameters of that variant.
    device : str or Device, default "auto"
        "auto", "cuda", "cuda:INDEX", "cpu", "host", or an opened device.
    predecessors : bool, default True
        Find predecessors as well.
    output : {"host", "device"}
        Where the arrays of the answer are.
    certify : bool, default True
        Certify the answer, on the device and from the answer itself.
    scale : int, optional
        Multiply weights by this number, and take the products as integers. Each must be whole.

    Returns
    -------
    Paths
        Distances have the type of the weights, and shape (n,) for one source and (k, n) for several, in the order of
        ``answer.graph.labels``.

    Raises
    ------
    UsageError
        An argument is wrong.
    GraphError
        ``graph`` cannot be converted or solved.
    NegativeCycleError
        A cycle of negative length can be reached.
    CertificateError
        The answer is wrong.
    DeviceError, OutOfMemoryError
        The device fails, or has too little memory.

    Examples
    --------
    >>> import warpath
    >>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    >>> paths = warpath.sssp(graph, 0, device="cpu")
    >>> paths.distances
    array([0, 4, 9], dtype=int32)
    >>> paths.path_to(2)
    [0, 1, 2]
    """
    adopted = adopt(graph, scale)
    paths = _solver(adopted.graph, device).sssp(
        _indices(adopted, source),
        targets=None if targets is None else _indices(adopted, targets),
        cutoff=cutoff,
        algorithm=algorithm,
        variant=variant,
        parameters=parameters,
        predecessors=predecessors,
        output=output,
        certify=certify,
    )
    return paths.by_labels() if adopted.by_label else paths


def apsp(
    graph: "GraphLike",
    *,
    targets: "VerticesLike | None" = None,
    cutoff: float | None = None,
    algorithm: str | None = None,
    variant: str | None = None,
    parameters: Mapping[str, int] | None = None,
    device: str | Device = "auto",
    predecessors: bool = True,
    output: Output = "host",
    certify: bool = True,
    scale: int | None = None,
) -> Paths:
    """Find shortest paths between all pairs of vertices.

    See ``sssp`` for the parameters and errors.

    Returns
    -------
    Paths
        Distances have the type of the weights, and shape (n, n); row s is from the vertex of index s.

    Examples
    --------
    >>> import warpath
    >>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    >>> warpath.apsp(graph, device="cpu").floats()
    array([[ 0.,  4.,  9.],
           [inf,  0.,  5.],
           [inf, inf,  0.]])
    """
    adopted = adopt(graph, scale)
    paths = _solver(adopted.graph, device).apsp(
        targets=None if targets is None else _indices(adopted, targets),
        cutoff=cutoff,
        algorithm=algorithm,
        variant=variant,
        parameters=parameters,
        predecessors=predecessors,
        output=output,
        certify=certify,
    )
    return paths.by_labels() if adopted.by_label else paths


def closure(
    graph: "GraphLike",
    *,
    variant: str | None = None,
    device: str | Device = "auto",
    output: Output = "host",
    certify: bool = True,
) -> Reachability:
    """Find which vertices can be reached from which: the transitive closure.

    See ``sssp`` for the parameters and errors. Weights do not matter.

    Returns
    -------
    Reachability
        ``reachable`` is bool of shape (n, n).

    Examples
    --------
    >>> import warpath
    >>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    >>> warpath.closure(graph, device="cpu").reachable.sum(axis=1)
    array([3, 2, 1])
    """
    return _solver(adopt(graph, None).graph, device).closure(variant=variant, output=output, certify=certify)


def certify(
    graph: "GraphLike",
    sources: "VertexLike | VerticesLike | None",
    distances: "ArrayLike",
    predecessors: "ArrayLike | None" = None,
    *,
    device: str | Device = "auto",
) -> Certificate:
    """Certify an answer of any program on ``graph``.

    Parameters
    ----------
    graph, device
        As for ``sssp``.
    sources : vertex, sequence of k vertices, or None
        None means all vertices in order.
    distances : array of shape (n,), (k, n) or (n, n)
        Integers or floats. UNREACHABLE and ``inf`` mean that there is no path.
    predecessors : array of the same shape, optional
        -1, or SciPy's -9999, where there is none. Without them, only the distances are certified.

    Returns
    -------
    Certificate

    Raises
    ------
    CertificateError
        The answer is wrong. The error names the first wrong vertex or arc.

    Examples
    --------
    >>> import warpath
    >>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    >>> warpath.certify(graph, 0, [0, 4, 9], device="cpu").reached
    3
    """
    adopted = adopt(graph, None)
    solver = _solver(adopted.graph, device)
    of_sources = np.arange(adopted.graph.vertices) if sources is None else _indices(adopted, sources)
    return solver.certify(
        of_sources,
        distances_for(adopted.graph, distances),
        None if predecessors is None else whole_predecessors(predecessors),
    )


def prepare(graph: "GraphLike", device: str | Device = "auto") -> Solver:
    """Prepare ``graph`` for many calls.

    Parameters
    ----------
    graph, device
        As for ``sssp``.

    Returns
    -------
    Solver
        It keeps the graph and its kernels on the device. Its vertices are indices. Its first call on a road network
        also partitions the graph, which makes later calls faster.

    Examples
    --------
    >>> import warpath
    >>> solver = warpath.prepare(warpath.from_arcs(3, [0, 1], [1, 2], [4, 5]), "cpu")
    >>> solver.sssp([0, 1], targets=[2]).distances
    array([[9],
           [5]], dtype=int32)
    """
    solver = _solver(graph if isinstance(graph, Graph) else adopt(graph, None).graph, device)
    solver.prepared = True
    return solver.twin()  # updates do not concern the functions


def _solver(graph: Graph, device: str | Device) -> Solver:
    on_device = _opened(device) if isinstance(device, str) else device
    key = id(graph), id(on_device)
    with _solvers_guard.lock:
        solver = _solvers.get(key)
        if solver is None:
            solver = _solvers[key] = Solver(graph, on_device, prepared=False)
            while len(_solvers) > _SOLVERS_MAX:
                _solvers.popitem(last=False)
        _solvers.move_to_end(key)
        return solver


@once
def _opened(name: str) -> Device:
    """The device ``name``, opened once per process, so that it keeps its kernels."""
    return open_device(name)


def _indices(adopted: Adopted, vertices: Any) -> Any:
    return adopted.graph.index_of(vertices) if adopted.by_label else vertices
