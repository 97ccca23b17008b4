"""The functions of the library, such as ``sssp``, ``table``, ``nearest``, ``pairs``, ``apsp`` and ``prepare``."""

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

from ..certificates.certificate import Certificate
from ..device import Device, open_device
from ..device.resident import keep_lately_used
from ..errors import UsageError
from ..graphs.csr import Graph
from ..graphs.named_arcs import WEIGHT
from ..graphs.objects.adopted import adopt
from ..solvers.choice.choose import MANY
from ..system.locks import once
from .arguments import check_count
from .calls import Output
from .nearest import Nearest
from .pairs import Pairs
from .paths import Path, Paths, Reachability
from .solver import Solver
from .table import Table
from .within import Within

if TYPE_CHECKING:
    from ..typing import ArrayLike, GraphLike, VertexLike, VerticesLike

_devices: dict[tuple[str, int], Device] = {}


def sssp(
    graph: "GraphLike",
    source: "VertexLike | VerticesLike",
    *,
    cutoff: float | None = None,
    algorithm: str | None = None,
    variant: str | None = None,
    parameters: Mapping[str, int] | None = None,
    device: str | Device = "auto",
    predecessors: bool = True,
    output: Output = "host",
    certify: bool = True,
    scale: int | None = None,
    weight: Hashable | None = "weight",
    tail: Hashable = "source",
    head: Hashable = "target",
    directed: bool = True,
) -> Paths:
    """Find shortest paths from one source or from several.

    Parameters
    ----------
    graph : Graph, matrix, NetworkX graph, igraph graph or data frame
        A matrix is square, of SciPy, NumPy or CuPy. Each row of a data frame is an arc. Weights are integers or floats.
    source : vertex, or sequence of k vertices
        A label: the name or number in the file, a node of NetworkX, the attribute ``name`` of igraph, a value in a data
        frame. An index from 0 for a matrix, for arcs given as arrays, and for ``graph.by_index``.
    cutoff : float, optional
        Vertices that are farther away count as unreachable.
    algorithm, variant : str, optional
        The two parts of a solver's name: "near_far" and "queue" for ``near_far.queue``. ``warpath list variants`` lists
        them. By default the library chooses one; of an ``algorithm`` alone, the first that solves this.
    parameters : mapping of str to int, optional
        Parameters of that variant.
    device : str or Device, default "auto"
        "auto", "cuda", "cuda:INDEX", "cpu", "simulated", or an opened device.
    predecessors : bool, default True
        Find predecessors as well.
    output : {"host", "device"}
        Where the arrays of the answer are.
    certify : bool, default True
        Certify the answer, on the device and from the answer itself.
    scale : int, optional
        Multiply weights by this number, and take the products as integers. Each must be whole.
    weight : str, optional
        The attribute of edges, or the column of a data frame, that has the weights. None means that each arc counts 1.
        So do the arcs of an object without any numbers.
    tail, head : str, optional
        The columns of a data frame, or levels of its index, that have the tail and the head of each arc.
    directed : bool, default True
        If it is false, each arc counts in both directions.

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
    return _solver(graph, device, scale, weight, tail, head, directed).sssp(
        source,
        cutoff=cutoff,
        algorithm=algorithm,
        variant=variant,
        parameters=parameters,
        predecessors=predecessors,
        output=output,
        certify=certify,
    )


def apsp(
    graph: "GraphLike",
    *,
    cutoff: float | None = None,
    algorithm: str | None = None,
    variant: str | None = None,
    parameters: Mapping[str, int] | None = None,
    device: str | Device = "auto",
    predecessors: bool = True,
    output: Output = "host",
    certify: bool = True,
    scale: int | None = None,
    weight: Hashable | None = "weight",
    tail: Hashable = "source",
    head: Hashable = "target",
    directed: bool = True,
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
    return _solver(graph, device, scale, weight, tail, head, directed).apsp(
        cutoff=cutoff,
        algorithm=algorithm,
        variant=variant,
        parameters=parameters,
        predecessors=predecessors,
        output=output,
        certify=certify,
    )


def path(
    graph: "GraphLike",
    source: "VertexLike",
    target: "VertexLike",
    *,
    cutoff: float | None = None,
    device: str | Device = "auto",
    certify: bool = True,
    scale: int | None = None,
    weight: Hashable | None = "weight",
    tail: Hashable = "source",
    head: Hashable = "target",
    directed: bool = True,
) -> Path:
    """Find the distance and a shortest path from one vertex to another.

    See ``sssp`` for the parameters and errors. For many pairs, ``pairs`` takes less time.

    Returns
    -------
    Path

    Examples
    --------
    >>> import pandas, warpath
    >>> roads = pandas.DataFrame({"source": ["Oslo", "Voss"], "target": ["Voss", "Bergen"], "km": [356, 107]})
    >>> path = warpath.path(roads, "Oslo", "Bergen", weight="km", device="cpu")
    >>> path.distance, path.vertices
    (463.0, ['Oslo', 'Voss', 'Bergen'])
    >>> warpath.path(roads, "Bergen", "Oslo", weight="km", device="cpu").distance
    inf
    """
    solver = _solver(graph, device, scale, weight, tail, head, directed)
    return solver.path(source, target, cutoff=cutoff, certify=certify)


def table(
    graph: "GraphLike",
    sources: "VerticesLike",
    targets: "VerticesLike | None" = None,
    *,
    nearest: int | None = None,
    cutoff: float | None = None,
    device: str | Device = "auto",
    output: Output = "host",
    certify: bool = True,
    scale: int | None = None,
    weight: Hashable | None = "weight",
    tail: Hashable = "source",
    head: Hashable = "target",
    directed: bool = True,
) -> Table:
    """Find the distance from each source to each target, or to the nearest targets.

    Parameters
    ----------
    graph, device, scale, weight, tail, head, directed
        As for ``sssp``.
    sources : sequence of s vertices
    targets : sequence of t vertices, optional
        By default every vertex; with ``nearest``, every vertex but the source itself.
    nearest : int, optional
        For each source, find only so many targets, at most 1,024: the nearest, and of equally near ones those of lower
        index.
    cutoff : float, optional
        Targets that are farther away count as unreachable.
    output : {"host", "device"}
        Where the distances are.
    certify : bool, default True
        Certify the distances from each source to all vertices. Without this, a few targets on a road network take less
        time.

    Returns
    -------
    Table

    Raises
    ------
    GraphError
        A weight is negative, with ``nearest``. The other errors are those of ``sssp``.

    Examples
    --------
    >>> import warpath
    >>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    >>> warpath.table(graph, [0, 1], [2, 1], device="cpu").distances
    array([[9, 4],
           [5, 0]], dtype=int32)
    >>> warpath.table(graph, [0, 1], nearest=1, device="cpu").targets
    array([[1],
           [2]])
    """
    return _solver(graph, device, scale, weight, tail, head, directed).table(
        sources, targets, nearest=nearest, cutoff=cutoff, output=output, certify=certify
    )


def pairs(
    graph: "GraphLike",
    sources: "VerticesLike",
    targets: "VerticesLike | None" = None,
    *,
    paths: bool = False,
    cutoff: float | None = None,
    device: str | Device = "auto",
    output: Output = "host",
    certify: bool = True,
    scale: int | None = None,
    weight: Hashable | None = "weight",
    tail: Hashable = "source",
    head: Hashable = "target",
    directed: bool = True,
) -> Pairs:
    """Find the distance from each source to the target at the same position.

    Parameters
    ----------
    graph, device, scale, weight, tail, head, directed
        As for ``sssp``.
    sources, targets : sequences of p vertices
        Instead of both, ``sources`` may be a data frame with the columns source and target.
    paths : bool, default False
        Find a path for each pair as well.
    cutoff : float, optional
        Pairs that are farther apart count as unreachable.
    output : {"host", "device"}
        Where the distances are.
    certify : bool, default True
        Certify the distances. Without this, and without paths, a few pairs of a road network take less time.

    Returns
    -------
    Pairs

    Raises
    ------
    UsageError
        An argument is wrong. The other errors are those of ``sssp``.

    Examples
    --------
    >>> import warpath
    >>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    >>> pairs = warpath.pairs(graph, [0, 1, 2], [2, 2, 0], paths=True, device="cpu")
    >>> pairs.floats()
    array([ 9.,  5., inf])
    >>> pairs.path(0)
    [0, 1, 2]
    """
    return _solver(graph, device, scale, weight, tail, head, directed).pairs(
        sources, targets, paths=paths, cutoff=cutoff, output=output, certify=certify
    )


def nearest(
    graph: "GraphLike",
    sources: "VerticesLike",
    *,
    cutoff: float | None = None,
    device: str | Device = "auto",
    output: Output = "host",
    certify: bool = True,
    scale: int | None = None,
    weight: Hashable | None = "weight",
    tail: Hashable = "source",
    head: Hashable = "target",
    directed: bool = True,
) -> Nearest:
    """Find the nearest of several sources for each vertex, and a shortest path from it.

    This is one solve, from all sources at once.

    Parameters
    ----------
    graph, device, scale, weight, tail, head, directed
        As for ``sssp``.
    sources : sequence of k vertices, at least one
    cutoff : float, optional
        Vertices that are farther away count as unreachable.
    output : {"host", "device"}
        Where the arrays of the answer are.
    certify : bool, default True
        Certify the answer.

    Returns
    -------
    Nearest

    Raises
    ------
    UsageError
        There are no sources. The other errors are those of ``sssp``.

    Examples
    --------
    >>> import warpath
    >>> graph = warpath.from_arcs(4, [0, 1, 3], [1, 2, 2], [4, 5, 6])
    >>> stations = warpath.nearest(graph, [0, 3], device="cpu")
    >>> stations.nearest, stations.distances
    (array([0, 0, 3, 3], dtype=int32), array([0, 4, 6, 0], dtype=int32))
    >>> stations.path_to(2)
    [3, 2]
    """
    return _solver(graph, device, scale, weight, tail, head, directed).nearest(
        sources, cutoff=cutoff, output=output, certify=certify
    )


def within(
    graph: "GraphLike",
    cutoff: float,
    sources: "VerticesLike | None" = None,
    targets: "VerticesLike | None" = None,
    *,
    device: str | Device = "auto",
    certify: bool = True,
    scale: int | None = None,
    weight: Hashable | None = "weight",
    tail: Hashable = "source",
    head: Hashable = "target",
    directed: bool = True,
) -> Within:
    """Find the targets within a cutoff of each source, and their distances.

    ``table`` and ``apsp`` with a ``cutoff`` have the same distances, in dense arrays. This keeps what is within the
    cutoff alone, so all pairs of a large graph fit into memory.

    Parameters
    ----------
    graph, device, scale, weight, tail, head, directed
        As for ``sssp``.
    cutoff : float
        The greatest distance, in the original unit of the weights.
    sources, targets : sequences of s and t vertices, optional
        By default every vertex.
    certify : bool, default True
        Certify the distances up to the cutoff from each source to all vertices.

    Returns
    -------
    Within

    Raises
    ------
    UsageError
        An argument is wrong. The other errors are those of ``sssp``.

    Examples
    --------
    >>> import warpath
    >>> graph = warpath.from_arcs(4, [0, 1, 2], [1, 2, 3], [4, 5, 6])
    >>> near = warpath.within(graph, 9, device="cpu")
    >>> near.to_frame()
       source  target  distance
    0       0       0       0.0
    1       0       1       4.0
    2       0       2       9.0
    3       1       1       0.0
    4       1       2       5.0
    5       2       2       0.0
    6       2       3       6.0
    7       3       3       0.0
    >>> near.to_scipy().shape
    (4, 4)
    """
    return _solver(graph, device, scale, weight, tail, head, directed).within(cutoff, sources, targets, certify=certify)


def closure(
    graph: "GraphLike",
    *,
    variant: str | None = None,
    device: str | Device = "auto",
    output: Output = "host",
    certify: bool = True,
    tail: Hashable = "source",
    head: Hashable = "target",
    directed: bool = True,
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
    weight = WEIGHT if isinstance(graph, Graph) else None  # weights that do not suit do not matter either
    solver = _solver(graph, device, None, weight, tail, head, directed)
    return solver.closure(variant=variant, output=output, certify=certify)


def certify(
    graph: "GraphLike",
    sources: "VertexLike | VerticesLike | None",
    distances: "ArrayLike | Paths",
    predecessors: "ArrayLike | None" = None,
    *,
    device: str | Device = "auto",
    scale: int | None = None,
    weight: Hashable | None = "weight",
    tail: Hashable = "source",
    head: Hashable = "target",
    directed: bool = True,
) -> Certificate:
    """Certify an answer of any program on ``graph``.

    Parameters
    ----------
    graph, device, scale, weight, tail, head, directed
        As for ``sssp``.
    sources : vertex, sequence of k vertices, or None
        None means all vertices in order.
    distances : array of shape (n,), (k, n) or (n, n), or Paths
        Integers or floats, in the original unit of the weights, as ``Paths.floats`` has them. ``inf`` means that there
        is no path; if ``graph.weights`` are integers, so does UNREACHABLE. Paths bring their predecessors.
    predecessors : array of the same shape, optional
        -1, or SciPy's -9999, where there is none. Without them, only the distances are certified.

    Returns
    -------
    Certificate

    Raises
    ------
    CertificateError
        The answer is wrong, and the error names the first wrong vertex or arc; or an array has another shape or type.
    UsageError
        A source is not a vertex.

    Examples
    --------
    >>> import warpath
    >>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    >>> warpath.certify(graph, 0, [0, 4, 9], device="cpu").reached
    3
    """
    solver = _solver(graph, device, scale, weight, tail, head, directed)
    return solver.certify(sources, distances, predecessors)


def prepare(
    graph: "GraphLike",
    device: str | Device = "auto",
    *,
    weight: Hashable | None = "weight",
    tail: Hashable = "source",
    head: Hashable = "target",
    directed: bool = True,
    scale: int | None = None,
    calls: int = MANY,
) -> Solver:
    """Prepare ``graph`` for many calls.

    Parameters
    ----------
    graph, device, weight, tail, head, directed, scale
        As for ``sssp``.
    calls : int, default 3000
        How many calls are expected. For many, preparing may take some seconds, if that makes each call faster.

    Returns
    -------
    Solver
        It keeps the graph and its kernels on the device. Its vertices are those that ``sssp`` takes for this graph. Its
        first call on a road network also partitions the graph, which makes later calls faster.

    Examples
    --------
    >>> import warpath
    >>> solver = warpath.prepare(warpath.from_arcs(3, [0, 1], [1, 2], [4, 5]), "cpu")
    >>> solver.table([0, 1], [2]).distances
    array([[9],
           [5]], dtype=int32)
    >>> import pandas
    >>> roads = pandas.DataFrame({"u": ["Oslo", "Voss"], "v": ["Voss", "Bergen"], "km": [356, 107]})
    >>> solver = warpath.prepare(roads, "simulated", tail="u", head="v", weight="km", directed=False)
    >>> solver.sssp("Bergen").path_to("Oslo")
    ['Bergen', 'Voss', 'Oslo']
    """
    adopted = adopt(graph, scale, weight=weight, tail=tail, head=head, directed=directed)
    check_count("calls", calls, "calls")
    return Solver(adopted.graph, _device(device), prepared=int(calls), origin=adopted.origin)


def _device(device: str | Device) -> Device:
    if isinstance(device, str):
        return _opened(device)
    if not hasattr(device, "call_context"):
        raise UsageError(f"device={device!r} is neither the name of a device, such as 'cpu', nor an opened device")
    return device


def _solver(
    graph: Any, device: str | Device, scale: int | None, weight: Any, tail: Any, head: Any, directed: bool
) -> Solver:
    """A solver for one call, which uses what other calls have left on the device, and leaves what it makes there."""
    adopted = adopt(graph, scale, weight=weight, tail=tail, head=head, directed=directed)
    solver = Solver(adopted.graph, _device(device), prepared=0, origin=adopted.origin)
    keep_lately_used(solver.resident)
    return solver


@once
def _opened(name: str) -> Device:
    """The device ``name``, opened once per process, so that it keeps its kernels. A device has several names."""
    device = open_device(name)
    return _devices.setdefault((device.kind, getattr(device, "index", 0)), device)
