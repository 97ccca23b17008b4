"""The functions of the library: ``sssp``, ``apsp``, ``closure``, ``certify``, and ``prepare``, which they all use."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..certificates.certificate import Certificate
from ..device import Device, open_device
from ..graphs.adopted import Adopted, adopt
from ..graphs.csr import Graph
from ..locks import Guard, once
from .chunks import Output
from .given import whole_distances, whole_predecessors
from .paths import Paths, Reachability
from .solver import Solver

# So many graphs keep their solver, the one used last at the end: plain calls reuse what is on the device.
_KEPT = 4
_solvers: OrderedDict[tuple[int, int], Solver] = OrderedDict()
_choosing = Guard()


def sssp(
    graph: Any,
    source: Any,
    *,
    targets: Any = None,
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
    """Shortest paths from ``source``, a vertex, or from each of several: ``Paths`` of shape (n,), or (k, n).

    ``graph`` is a Graph, a matrix (SciPy's sparse, NumPy's, CuPy's), a NetworkX or igraph graph, or a pandas edge list
    with columns source, target and, if there are weights, weight. Vertices are named as ``graph`` names them: by index
    in a Graph, a matrix and igraph, by node in NetworkX, by value in pandas. The arrays of the answer are in the order
    of ``answer.graph.labels``. Weights are whole numbers; where they are not, ``scale`` times each has to be one.

    ``targets`` keeps the distances of those vertices alone, in their order. What is farther than ``cutoff`` counts as
    unreachable. ``algorithm``, ``variant`` and ``parameters`` are those of ``warpath list variants``; without an
    algorithm, what suits the graph runs, and the answer says which and why. ``device`` is "auto", "cuda", "cuda:INDEX",
    "host" or an opened device. ``output`` says whether arrays come to the "host" or stay on the "device".
    ``certify=False`` leaves out the certificate, which is computed on the device from the answer itself.

    Raises WarpathError: UsageError, GraphError (weights that do not suit), NegativeCycleError, CertificateError (a
    wrong answer), DeviceError, OutOfMemoryError.
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
    graph: Any,
    *,
    targets: Any = None,
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
    """Shortest paths between all pairs: ``Paths`` of shape (n, n), row s from the vertex of index s.

    Parameters and errors as for ``sssp``.
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
    graph: Any,
    *,
    variant: str | None = None,
    device: str | Device = "auto",
    output: Output = "host",
    certify: bool = True,
) -> Reachability:
    """The transitive closure: ``Reachability``, whose ``reachable`` is bool of shape (n, n).

    Parameters and errors as for ``sssp``; weights do not matter.
    """
    return _solver(adopt(graph, None).graph, device).closure(variant=variant, output=output, certify=certify)


def certify(
    graph: Any, sources: Any, distances: Any, predecessors: Any = None, *, device: str | Device = "auto"
) -> Certificate:
    """Certify anyone's answer on ``graph``; raises CertificateError, which names the first wrong vertex or arc.

    ``sources`` is a vertex, with arrays of shape (n,); or k vertices, with arrays of shape (k, n); or None for all in
    order, (n, n). Distances are integers or floats; UNREACHABLE and ``inf`` mean no path. Predecessors are -1 or
    scipy's -9999 where there is none; without them, the distances alone are certified. Parameters as for ``sssp``.
    """
    adopted = adopt(graph, None)
    solver = _solver(adopted.graph, device)
    of_sources = np.arange(adopted.graph.vertices) if sources is None else _indices(adopted, sources)
    return solver.certify(
        of_sources,
        whole_distances(distances, adopted.graph.scale),
        None if predecessors is None else whole_predecessors(predecessors),
    )


def prepare(graph: Any, device: str | Device = "auto") -> Solver:
    """A solver that keeps ``graph`` and its kernels on ``device``, for many calls; its vertices are indices.

    Its first call also prepares the graph, where that makes the calls after it quicker: it cuts road networks into
    parts. Plain calls do not, until their graph has such a solver. Errors as for ``sssp``.
    """
    solver = _solver(graph if isinstance(graph, Graph) else adopt(graph, None).graph, device)
    solver.prepared = True
    return solver


def _solver(graph: Graph, device: str | Device) -> Solver:
    on_device = _opened(device) if isinstance(device, str) else device
    key = id(graph), id(on_device)
    with _choosing.lock:
        solver = _solvers.get(key)
        if solver is None:
            solver = _solvers[key] = Solver(graph, on_device, prepared=False)
            while len(_solvers) > _KEPT:
                _solvers.popitem(last=False)
        _solvers.move_to_end(key)
        return solver


@once
def _opened(name: str) -> Device:
    """The device ``name``, opened once in a process, so that it keeps its kernels."""
    return open_device(name)


def _indices(adopted: Adopted, vertices: Any) -> Any:
    return adopted.graph.index_of(vertices) if adopted.by_label else vertices
