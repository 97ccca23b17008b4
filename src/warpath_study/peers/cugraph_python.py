"""cuGraph: the Python function ``pylibcugraph.sssp`` on a GPU, which always finds predecessors.

It also checks the source first and copies vertices, distances and predecessors on the device. Weights, numbers of
vertices and memory are as those of the peer ``cugraph``.
"""

import math
from typing import Any

import numpy as np

from warpath.device import Device
from warpath.graphs.csr import Graph

from . import _cugraph
from ._cugraph import Form, Setting, version
from .contract import Peer


class OnDevice:
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


def prepare(graph: Graph, device: Device, **setting: int) -> Form:
    return Form(graph, OnDevice, Setting(**setting))


PEER = Peer(
    title="cuGraph, Python",
    summary="pylibcugraph.sssp of cuGraph: on the GPU, predecessors included",
    version=version,
    prepare=prepare,
    solve=_cugraph.solve,
    distances=_cugraph.distances,
    tune=_cugraph.tune,
    on_cpu=False,
)
