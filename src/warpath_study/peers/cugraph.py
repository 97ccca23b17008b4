"""cuGraph: ``pylibcugraph.sssp`` on a GPU, float64 weights, distances copied to the host.

Not tried: this adapter follows the documentation of pylibcugraph and has not run yet.
"""

import contextlib
import importlib.metadata
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from warpath.device import has_gpu
from warpath.graphs.csr import Graph

from .contract import MissingPeerError, Peer, lightest_arcs, whole

PACKAGES = ("pylibcugraph-cu13", "pylibcugraph-cu12", "pylibcugraph")


@dataclass(frozen=True)
class Form:
    """A graph on the device, and the handle of the library's calls."""

    vertices: int
    handle: Any
    graph: Any


def version() -> str:
    for package in PACKAGES:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            installed = importlib.metadata.version(package)
            if not has_gpu():
                raise MissingPeerError("cuGraph needs a GPU, and there is none")
            return installed
    raise MissingPeerError("cuGraph is not installed; pip install pylibcugraph-cu12, or -cu13 for CUDA 13")


def prepare(graph: Graph) -> Form:
    import cupy
    import pylibcugraph

    arcs = lightest_arcs(graph)
    handle = pylibcugraph.ResourceHandle()
    on_device = pylibcugraph.SGGraph(
        handle,
        pylibcugraph.GraphProperties(is_symmetric=False, is_multigraph=False),
        cupy.asarray(arcs.indptr),
        cupy.asarray(arcs.heads),
        weight_array=cupy.asarray(arcs.weights),
        store_transposed=False,
        renumber=False,
        do_expensive_check=False,
        input_array_format="CSR",
    )
    return Form(graph.vertices, handle, on_device)


def solve(form: Form, source: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and their distances, in host memory."""
    import cupy
    import pylibcugraph

    # True, for predecessors, "must be set to True for this release", says the documentation.
    vertices, lengths, *_ = pylibcugraph.sssp(form.handle, form.graph, int(source), sys.float_info.max, True, False)
    return cupy.asnumpy(vertices), cupy.asnumpy(lengths)


def distances(answer: tuple[np.ndarray, np.ndarray], form: Form) -> np.ndarray:
    vertices, lengths = answer
    row = np.full(form.vertices, np.inf)
    row[vertices] = lengths
    return whole(row, sys.float_info.max)


PEER = Peer(
    title="cuGraph",
    summary="pylibcugraph.sssp: on the GPU, predecessors included",
    version=version,
    prepare=prepare,
    solve=solve,
    distances=distances,
    on_cpu=False,
    tried=False,
)
