"""cuGraph: the function ``cugraph_sssp`` of its C interface on a GPU, without predecessors.

Weights are float32 if trial distances are small enough for exact ones, and float64 otherwise. Trial solves choose
whether cuGraph numbers the vertices again. RMM keeps a pool of device memory.
"""

import ctypes
import importlib
import math
import weakref
from functools import cache
from typing import Any

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from . import _cugraph
from ._cugraph import Form, Setting, version
from .contract import Peer

POINTER, NUMBER = ctypes.c_void_p, ctypes.c_int
TYPES = {np.dtype(np.int32): 2, np.dtype(np.float32): 8, np.dtype(np.float64): 9}  # of cugraph_c/types.h, since 24.12
TO_HOST = 2  # cudaMemcpyDeviceToHost


class _Properties(ctypes.Structure):
    _fields_ = (("is_symmetric", NUMBER), ("is_multigraph", NUMBER))


class OnDevice:
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


def prepare(graph: Graph, device: Device, **setting: int) -> Form:
    return Form(graph, OnDevice, Setting(**setting))


PEER = Peer(
    title="cuGraph",
    summary="cugraph_sssp of the C interface: on the GPU, without predecessors",
    version=version,
    prepare=prepare,
    solve=_cugraph.solve,
    distances=_cugraph.distances,
    tune=_cugraph.tune,
    on_cpu=False,
)
