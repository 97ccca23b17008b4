"""cuGraph on a GPU: the function ``cugraph_sssp`` of its C interface, and the Python function ``pylibcugraph.sssp``.

The C function is called without predecessors. The Python function always finds them, checks the source first, and
copies vertices, distances and predecessors on the device. Weights are float32 if trial distances are small enough for
exact ones, and float64 otherwise. Trial solves choose whether cuGraph numbers the vertices again. RMM keeps a pool of
device memory.
"""

import contextlib
import ctypes
import importlib
import importlib.metadata
import math
import weakref
from collections.abc import Callable, Mapping
from functools import cache
from time import perf_counter
from typing import Any, NamedTuple, Protocol

import numpy as np

from warpath.device import Device, has_gpu
from warpath.graphs.csr import Graph

from .contract import MissingPeerError, Peer

PACKAGES = ("pylibcugraph-cu13", "pylibcugraph-cu12", "pylibcugraph")
POOL_MAX = 8 << 30  # bytes of the device at first; the pool grows
EXACT_IN_FLOAT32 = 1 << 24  # float32 holds all whole numbers up to here
TRIAL_SOURCES = 3
POINTER, NUMBER = ctypes.c_void_p, ctypes.c_int
TYPES = {np.dtype(np.int32): 2, np.dtype(np.float32): 8, np.dtype(np.float64): 9}  # of cugraph_c/types.h, since 24.12
TO_HOST = 2  # cudaMemcpyDeviceToHost


class Setting(NamedTuple):
    """The bits of a weight, and whether cuGraph numbers the vertices again."""

    bits: int = 64
    renumber: int = 1


class OnDevice(Protocol):
    """A graph of cuGraph."""

    def vertices(self, source: int) -> np.ndarray:
        """The vertex of each distance, after a solve from ``source``; the same for all sources."""

    def solve(self, source: int) -> np.ndarray:
        """Distances in host memory; the largest number of their type without a path."""


class Form:
    """A graph on the device."""

    def __init__(self, graph: Graph, load: Callable[[Graph, Setting], OnDevice], setting: Setting):
        _use_pool()
        self.graph, self._load = graph, load
        self.set(setting)

    def set(self, setting: Setting) -> None:
        """Load the graph with ``setting``."""
        self._on_device: OnDevice | None = None  # frees its memory first
        self._on_device = self._load(self.graph, setting)
        self._vertices: np.ndarray | None = None

    def solve(self, source: int) -> np.ndarray:
        """Distances in the order of cuGraph, in host memory."""
        assert self._on_device
        return self._on_device.solve(int(source))

    def distances(self, answer: np.ndarray) -> np.ndarray:
        """Distances in the order of vertices, float64.

        Sums of whole numbers are rounded only above ``EXACT_IN_FLOAT32``, and then not below it. So smaller distances
        are exact; from there on, each float32 distance is refused.
        """
        if self._vertices is None:
            assert self._on_device
            self._vertices = self._on_device.vertices(0)
        lengths = np.where(answer == np.finfo(answer.dtype).max, np.inf, answer.astype(np.float64))
        if answer.dtype == np.float32:
            lengths[(lengths >= EXACT_IN_FLOAT32) & (lengths < np.inf)] = -1
        row = np.full(self.graph.vertices, np.inf)
        row[self._vertices] = lengths
        return row


def tune(form: Form) -> Mapping[str, int]:
    """The fastest setting of trial solves.

    With float32 weights, no trial distance is beyond half of what is exact. If arcs go both ways, this is enough for
    all sources, because from one of them no vertex is more than twice as far away as from another.
    """
    starts = _starts(form.graph)
    if not starts:
        return {}
    whole = form.graph.weights.dtype == np.int32
    bits = 32 if whole and max(_farthest(form, start) for start in starts) < EXACT_IN_FLOAT32 / 2 else 64
    seconds = {setting: _trial_s(form, setting, starts) for setting in (Setting(bits, 0), Setting(bits, 1))}
    return min(seconds, key=seconds.__getitem__)._asdict()


def _starts(graph: Graph) -> list[int]:
    """A few vertices with arcs; none if the graph has no arcs."""
    tails = graph.tails()
    return tails[np.linspace(0, len(tails) - 1, TRIAL_SOURCES + 2, dtype=int)[1:-1]].tolist() if len(tails) else []


def _farthest(form: Form, source: int) -> float:
    answer = form.solve(source)
    return float(answer.max(where=answer < np.finfo(answer.dtype).max, initial=0))


def _trial_s(form: Form, setting: Setting, starts: list[int]) -> float:
    """The time of a solve from each start, after a warm-up."""
    form.set(setting)
    form.solve(starts[0])
    start = perf_counter()
    for source in starts:
        form.solve(source)
    return perf_counter() - start


def version() -> str:
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            installed = importlib.metadata.version(package)
            if not has_gpu():
                raise MissingPeerError("cuGraph needs a GPU, and there is none")
            return installed
    raise MissingPeerError("cuGraph is not installed; pip install pylibcugraph-cu12, or -cu13 for CUDA 13")


@cache
def _use_pool() -> None:
    """Let cuGraph take its memory from a pool, once in a process, before it takes any."""
    import cupy
    import rmm

    free, _ = cupy.cuda.runtime.memGetInfo()
    rmm.reinitialize(pool_allocator=True, initial_pool_size=min(POOL_MAX, free // 4 // 256 * 256))


class _Properties(ctypes.Structure):
    _fields_ = (("is_symmetric", NUMBER), ("is_multigraph", NUMBER))


class OfC:
    """A graph of the C interface."""

    def __init__(self, graph: Graph, setting: Setting):
        import cupy

        self.library, self.handle = _library()
        self.weight_type = np.dtype(f"float{setting.bits}")
        weights = graph.weights.astype(self.weight_type)
        arrays = [cupy.asarray(array) for array in (graph.indptr, graph.indices, weights)]
        views = [
            self.library.cugraph_type_erased_device_array_view_create(array.data.ptr, array.size, TYPES[array.dtype])
            for array in arrays
        ]
        self.pointer, error = POINTER(), POINTER()
        failed = self.library.cugraph_graph_create_sg_from_csr(
            self.handle,
            ctypes.byref(_Properties(0, 0)),
            *views,
            None,  # edge ids
            None,  # edge types
            0,  # not transposed
            setting.renumber,
            0,  # not symmetrized
            0,  # not checked
            ctypes.byref(self.pointer),
            ctypes.byref(error),
        )
        for view in views:
            self.library.cugraph_type_erased_device_array_view_free(view)
        self._check(failed, error)
        weakref.finalize(self, self.library.cugraph_graph_free, self.pointer)

    def vertices(self, source: int) -> np.ndarray:
        return self._solve(source, "vertices", np.dtype(np.int32))

    def solve(self, source: int) -> np.ndarray:
        return self._solve(source, "distances", self.weight_type)

    def _solve(self, source: int, part: str, dtype: np.dtype) -> np.ndarray:
        """An array of the paths from ``source``, in host memory."""
        import cupy

        paths, error = POINTER(), POINTER()
        failed = self.library.cugraph_sssp(
            self.handle, self.pointer, source, math.inf, 0, 0, ctypes.byref(paths), ctypes.byref(error)
        )
        self._check(failed, error)
        view = getattr(self.library, f"cugraph_paths_result_get_{part}")(paths)
        array = np.empty(self.library.cugraph_type_erased_device_array_view_size(view), dtype)
        address = self.library.cugraph_type_erased_device_array_view_pointer(view)
        cupy.cuda.runtime.deviceSynchronize()  # cuGraph has a stream of its own
        cupy.cuda.runtime.memcpy(array.ctypes.data, address, array.nbytes, TO_HOST)
        self.library.cugraph_type_erased_device_array_view_free(view)
        self.library.cugraph_paths_result_free(paths)
        return array

    def _check(self, failed: int, error: ctypes.c_void_p) -> None:
        if failed:
            message = self.library.cugraph_error_message(error) if error else b"no message"
            raise RuntimeError(f"cuGraph: {message.decode(errors='replace')}")


@cache
def _library() -> tuple[Any, int]:
    """The library with the C interface, and a handle of its resources."""
    importlib.import_module("pylibcugraph")  # loads the library and what it needs
    library = ctypes.CDLL("libcugraph_c.so")
    size, pointers = ctypes.c_size_t, ctypes.POINTER(POINTER)
    for name, result, *arguments in (
        ("create_resource_handle", POINTER, POINTER),
        ("type_erased_device_array_view_create", POINTER, POINTER, size, NUMBER),
        ("type_erased_device_array_view_free", None, POINTER),
        ("type_erased_device_array_view_pointer", POINTER, POINTER),
        ("type_erased_device_array_view_size", size, POINTER),
        (
            "graph_create_sg_from_csr",
            NUMBER,
            POINTER,
            ctypes.POINTER(_Properties),
            *(POINTER,) * 5,
            *(NUMBER,) * 4,
            *(pointers,) * 2,
        ),
        ("graph_free", None, POINTER),
        ("sssp", NUMBER, POINTER, POINTER, size, ctypes.c_double, NUMBER, NUMBER, *(pointers,) * 2),
        ("paths_result_get_vertices", POINTER, POINTER),
        ("paths_result_get_distances", POINTER, POINTER),
        ("paths_result_free", None, POINTER),
        ("error_message", ctypes.c_char_p, POINTER),
    ):
        function = getattr(library, f"cugraph_{name}")
        function.restype, function.argtypes = result, arguments
    return library, library.cugraph_create_resource_handle(None)


class OfPython:
    """A graph of ``pylibcugraph``."""

    def __init__(self, graph: Graph, setting: Setting):
        import cupy
        import pylibcugraph

        self.handle = pylibcugraph.ResourceHandle()
        self.graph = pylibcugraph.SGGraph(
            self.handle,
            pylibcugraph.GraphProperties(is_symmetric=False, is_multigraph=False),
            cupy.asarray(graph.indptr),
            cupy.asarray(graph.indices),
            weight_array=cupy.asarray(graph.weights.astype(f"float{setting.bits}")),
            store_transposed=False,
            renumber=bool(setting.renumber),
            do_expensive_check=False,
            input_array_format="CSR",
        )

    def vertices(self, source: int) -> np.ndarray:
        return self._solve(source)[0].get()

    def solve(self, source: int) -> np.ndarray:
        return self._solve(source)[1].get()

    def _solve(self, source: int) -> Any:
        """Vertices, distances and predecessors on the device."""
        import pylibcugraph

        # The documentation of compute_predecessors: "must be set to True for this release".
        return pylibcugraph.sssp(
            self.handle, self.graph, source, math.inf, compute_predecessors=True, do_expensive_check=False
        )


def _peer(title: str, summary: str, load: Callable[[Graph, Setting], OnDevice]) -> Peer:
    def prepare(graph: Graph, device: Device, **setting: int) -> Form:
        return Form(graph, load, Setting(**setting))

    return Peer(
        title=title,
        summary=summary,
        version=version,
        prepare=prepare,
        solve=Form.solve,
        distances=lambda answer, form: form.distances(answer),
        tune=tune,
        on_cpu=False,
    )


PEERS = {
    "cugraph": _peer("cuGraph", "cugraph_sssp of the C interface: on the GPU, without predecessors", OfC),
    "cugraph_python": _peer(
        "cuGraph, Python", "pylibcugraph.sssp of cuGraph: on the GPU, predecessors included", OfPython
    ),
}
