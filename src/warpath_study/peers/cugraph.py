"""cuGraph: ``pylibcugraph.sssp`` on a GPU, float64 weights, distances copied to the host.

Not tried: it was written from the documentation of pylibcugraph and has not run yet. Its package is called
pylibcugraph-cu12 or pylibcugraph-cu13.
"""

import importlib.metadata
import sys
from dataclasses import dataclass
from typing import Any

import numpy as np

from warpath.device import kind_of
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
    found = None
    for package in PACKAGES:
        try:
            found = found or importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    if found is None:
        raise MissingPeerError("cuGraph is not installed; pip install pylibcugraph-cu12, or -cu13 for CUDA 13")
    if kind_of("auto") != "cuda":
        raise MissingPeerError("cuGraph needs a GPU, and there is none")
    return found


def prepare(graph: Graph) -> Form:
    import cupy
    import pylibcugraph

    arcs = lightest_arcs(graph)
    handle = pylibcugraph.ResourceHandle()
    made = pylibcugraph.SGGraph(
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
    return Form(graph.vertices, handle, made)


def solve(form: Form, source: int) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and their distances, in host memory."""
    import cupy
    import pylibcugraph

    # The documentation asks for predecessors: "must be set to True for this release".
    found = pylibcugraph.sssp(form.handle, form.graph, int(source), sys.float_info.max, True, False)
    return cupy.asnumpy(found[0]), cupy.asnumpy(found[1])


def distances(answer: tuple[np.ndarray, np.ndarray], form: Form) -> np.ndarray:
    vertices, found = answer
    row = np.full(form.vertices, np.inf)
    row[vertices] = found
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
