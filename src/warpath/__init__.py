"""Reproducible shortest paths on GPUs.

>>> import warpath
>>> graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
>>> warpath.sssp(graph, source=0, device="host")
array([0, 4, 9], dtype=int32)
"""

from importlib import import_module

__version__ = "0.1.0"

# Names are imported on first use, so that a command that only fetches a file does not load Numba.
_HOMES = {
    "Graph": ".graphs.csr",
    "from_arcs": ".graphs.csr",
    "from_matrix": ".graphs.adjacency_matrix",
    "read": ".graphs.formats",
    "sssp": ".solve",
    "apsp": ".solve",
    "closure": ".solve",
    "open_device": ".device",
    "available_devices": ".device",
    "path_to": ".distances",
    "UNREACHABLE": ".distances",
    "NO_PREDECESSOR": ".distances",
    "WarpathError": ".errors",
}

__all__ = [*_HOMES, "__version__"]


def __getattr__(name: str):
    if name not in _HOMES:
        raise AttributeError(f"module 'warpath' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name], __name__), name)


def __dir__():
    return sorted(__all__)
