"""What both peers of cuGraph share: the graph on the device, and the trials that choose its form."""

import contextlib
import importlib.metadata
from collections.abc import Callable, Mapping
from functools import cache
from time import perf_counter
from typing import NamedTuple, Protocol

import numpy as np

from warpath.device import has_gpu
from warpath.graphs.csr import Graph

from .contract import MissingPeerError

PACKAGES = ("pylibcugraph-cu13", "pylibcugraph-cu12", "pylibcugraph")
POOL_MAX = 8 << 30  # bytes of the device at first; the pool grows
EXACT_IN_FLOAT32 = 1 << 24  # float32 holds all whole numbers up to here
TRIAL_SOURCES = 3


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
        return self._on_device.solve(source)

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


def solve(form: Form, source: int) -> np.ndarray:
    """Distances in the order of cuGraph."""
    return form.solve(int(source))


def distances(answer: np.ndarray, form: Form) -> np.ndarray:
    return form.distances(answer)


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
