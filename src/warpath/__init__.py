"""Reproducible shortest paths on GPUs.

>>> import warpath
>>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
>>> warpath.sssp(graph, 0, device="host").distances
array([0, 4, 9], dtype=int32)

Any number of threads may call any function, on graphs, solvers and matrices that they share: distances are those of one
call after another. Of several shortest paths, predecessors may show another one from call to call. Arrays that stay on
a GPU are ready on CuPy's current stream, and calls wait for the work that is already in it.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Names are imported on first use, so that a command that only fetches a file does not load Numba.
_HOMES = {
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

_MODULES = ("csgraph",)

__all__ = [*_HOMES, *_MODULES, "__version__"]


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    if name not in _HOMES:
        raise AttributeError(f"module 'warpath' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
