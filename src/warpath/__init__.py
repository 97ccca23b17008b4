"""Exact shortest paths on GPUs.

>>> import warpath
>>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
>>> warpath.sssp(graph, 0, device="cpu").distances
array([0, 4, 9], dtype=int32)

All functions are safe to call from several threads, on shared graphs, solvers and matrices. Of several shortest paths,
every solver finds the same one on every device. Arrays on a GPU are ready on CuPy's current stream, and calls wait for
the work in it.
"""

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# Names are imported on first use, so that a command that only downloads a file does not load Numba.
_MODULE_OF = {
    "Graph": ".graphs.csr",
    "from_arcs": ".graphs.csr",
    "from_matrix": ".graphs.objects.adjacency_matrix",
    "as_graph": ".graphs.objects.adopted",
    "read": ".graphs.files.formats",
    "write": ".graphs.files.formats",
    "sssp": ".library.shortest_paths",
    "apsp": ".library.shortest_paths",
    "table": ".library.shortest_paths",
    "path": ".library.shortest_paths",
    "pairs": ".library.shortest_paths",
    "nearest": ".library.shortest_paths",
    "within": ".library.shortest_paths",
    "closure": ".library.shortest_paths",
    "certify": ".library.shortest_paths",
    "prepare": ".library.shortest_paths",
    "Solver": ".library.solver",
    "Path": ".library.paths",
    "Paths": ".library.paths",
    "Nearest": ".library.nearest",
    "Pairs": ".library.pairs",
    "Table": ".library.table",
    "Within": ".library.within",
    "Reachability": ".library.paths",
    "Statistics": ".statistics.statistics",
    "Certificate": ".certificates.certificate",
    "open_device": ".device",
    "available_devices": ".device",
    "path_to": ".distances",
    "UNREACHABLE": ".distances",
    "NO_PREDECESSOR": ".distances",
    "WarpathError": ".errors",
    "UsageError": ".errors",
    "FormatError": ".errors",
    "GraphError": ".errors",
    "NegativeCycleError": ".errors",
    "DeviceError": ".errors",
    "NoClustersError": ".errors",
    "OutOfMemoryError": ".errors",
    "CertificateError": ".errors",
}

__all__ = [*_MODULE_OF, "csgraph", "__version__"]

if TYPE_CHECKING:  # a type checker does not see what __getattr__ imports
    from . import csgraph as csgraph
    from .certificates.certificate import Certificate as Certificate
    from .device import available_devices as available_devices
    from .device import open_device as open_device
    from .distances import NO_PREDECESSOR as NO_PREDECESSOR
    from .distances import UNREACHABLE as UNREACHABLE
    from .distances import path_to as path_to
    from .errors import CertificateError as CertificateError
    from .errors import DeviceError as DeviceError
    from .errors import FormatError as FormatError
    from .errors import GraphError as GraphError
    from .errors import NegativeCycleError as NegativeCycleError
    from .errors import NoClustersError as NoClustersError
    from .errors import OutOfMemoryError as OutOfMemoryError
    from .errors import UsageError as UsageError
    from .errors import WarpathError as WarpathError
    from .graphs.csr import Graph as Graph
    from .graphs.csr import from_arcs as from_arcs
    from .graphs.files.formats import read as read
    from .graphs.files.formats import write as write
    from .graphs.objects.adjacency_matrix import from_matrix as from_matrix
    from .graphs.objects.adopted import as_graph as as_graph
    from .library.nearest import Nearest as Nearest
    from .library.pairs import Pairs as Pairs
    from .library.paths import Path as Path
    from .library.paths import Paths as Paths
    from .library.paths import Reachability as Reachability
    from .library.shortest_paths import apsp as apsp
    from .library.shortest_paths import certify as certify
    from .library.shortest_paths import closure as closure
    from .library.shortest_paths import nearest as nearest
    from .library.shortest_paths import pairs as pairs
    from .library.shortest_paths import path as path
    from .library.shortest_paths import prepare as prepare
    from .library.shortest_paths import sssp as sssp
    from .library.shortest_paths import table as table
    from .library.shortest_paths import within as within
    from .library.solver import Solver as Solver
    from .library.table import Table as Table
    from .library.within import Within as Within
    from .statistics.statistics import Statistics as Statistics
else:

    def __getattr__(name):
        if name == "csgraph":
            return import_module(".csgraph", __name__)
        if name not in _MODULE_OF:
            raise AttributeError(f"module 'warpath' has no attribute {name!r}")
        found = globals()[name] = getattr(import_module(_MODULE_OF[name], __name__), name)  # asked for once
        return found


def __dir__() -> list[str]:
    return sorted(__all__)
