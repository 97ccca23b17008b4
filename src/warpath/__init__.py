"""Exact shortest paths on GPUs.

>>> import warpath
>>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
>>> warpath.sssp(graph, 0, device="cpu").distances
array([0, 4, 9], dtype=int32)

All functions are safe to call from several threads, on shared graphs, solvers and matrices. If there are several
shortest paths, predecessors may differ between calls. Arrays on a GPU are ready on CuPy's current stream, and calls
wait for the work in it.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Names are imported on first use, so that a command that only downloads a file does not load Numba.
_MODULE_OF = {
    "Graph": ".graphs.csr",
    "from_arcs": ".graphs.csr",
    "from_matrix": ".graphs.adjacency_matrix",
    "as_graph": ".graphs.adopted",
    "read": ".graphs.formats",
    "write": ".graphs.formats",
    "sssp": ".library.shortest_paths",
    "apsp": ".library.shortest_paths",
    "closure": ".library.shortest_paths",
    "certify": ".library.shortest_paths",
    "prepare": ".library.shortest_paths",
    "Paths": ".library.paths",
    "Reachability": ".library.paths",
    "open_device": ".device",
    "available_devices": ".device",
    "path_to": ".distances",
    "UNREACHABLE": ".distances",
    "NO_PREDECESSOR": ".distances",
    "WarpathError": ".errors",
}

__all__ = [*_MODULE_OF, "csgraph", "__version__"]


def __getattr__(name: str) -> Any:
    if name == "csgraph":
        return import_module(".csgraph", __name__)
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'warpath' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name], __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
