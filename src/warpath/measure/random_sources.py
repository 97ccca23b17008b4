"""The mean over many sources: one timed solve from each, every answer certified."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numba
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..algorithms.plan import Solution
from ..algorithms.registry import Variant
from ..certify.certificate import Certificate, certify_each
from ..device import Device
from ..errors import UsageError
from ..graphs.csr import Graph
from ..graphs.random_numbers import permutation
from .sampling import Sample, timed_solve

# A stream of its own (the letters of "sources"), so that sources do not follow a graph made from the same seed.
_STREAM = int.from_bytes(b"sources", "big")
# Host memory for answers that wait to be certified.
ANSWERS_BYTES = 1 << 30


@dataclass(frozen=True)
class RandomSources:
    """``count`` sources that ``seed`` picks. Raises UsageError where there are to be none."""

    count: int
    seed: int = 1

    def __post_init__(self):
        if self.count < 1:
            raise UsageError(f"a mean over sources needs at least one, not {self.count}")

    def of(self, graph: Graph) -> list[int]:
        """Different vertices of the graph's largest connected part, directions ignored, in random order.

        From a vertex of a small part there is nothing to measure. Raises UsageError where the part is too small.
        """
        vertices = np.flatnonzero(_largest_part(graph))
        if len(vertices) < self.count:
            raise UsageError(
                f"{self.count} sources were asked for, but the graph connects only {len(vertices)} vertices"
            )
        return vertices[permutation(self.seed, _STREAM, len(vertices))[: self.count]].tolist()


@dataclass(frozen=True)
class SourceSample:
    """One solve: where it began, its times and what it did."""

    source: int
    times: Sample
    counters: Mapping[str, int]

    def as_dict(self) -> dict[str, Any]:
        """For a record."""
        return {"source": self.source, **self.times.as_dict(), "counters": dict(self.counters)}


@dataclass(frozen=True)
class SourcesMeasurement:
    """A sample for each source, in order."""

    samples: tuple[SourceSample, ...]
    estimate: None = None

    @property
    def seconds(self) -> float:
        """What a table shows: the mean of the whole solves."""
        return statistics.fmean(sample.times.total_s for sample in self.samples)

    @property
    def counters(self) -> Mapping[str, int]:
        """Those of the last solve."""
        return self.samples[-1].counters


def measure_from_each(
    graph: Graph, variant: Variant, device: Device, sources: list[int]
) -> tuple[SourcesMeasurement, Certificate]:
    """Time one full solve from each source and certify it. Raises CertificateError where one is wrong."""
    samples, certificates = [], []
    step = _answers_at_once(graph)
    for group in (sources[first : first + step] for first in range(0, len(sources), step)):
        distances = np.empty((len(group), graph.vertices), np.int32)
        predecessors = np.empty_like(distances)
        for row, source in enumerate(group):
            sample, solution = _solve_from(graph, variant, device, source)
            samples.append(sample)
            distances[row], predecessors[row] = solution.distances, solution.predecessors
        certificates.append(certify_each(graph, group, distances, predecessors))
    return SourcesMeasurement(tuple(samples)), reduce(_both, certificates)


def _answers_at_once(graph: Graph) -> int:
    """How many answers wait to be certified together: one a core, but no more than fit into the memory for them."""
    return max(1, min(numba.get_num_threads(), ANSWERS_BYTES // (8 * graph.vertices)))


def _solve_from(graph: Graph, variant: Variant, device: Device, source: int) -> tuple[SourceSample, Solution]:
    plan = variant.plan(device, graph, source, **variant.settings)
    plan.reset()
    device.release()  # so that allocation is real, as in the published region
    device.synchronize()
    try:
        times, solution = timed_solve(plan, device)
    finally:
        plan.release()
    counters = {"iterations": plan.iterations, **plan.counters, **_counted(graph, variant, device, source)}
    return SourceSample(source, times, counters), solution


def _counted(graph: Graph, variant: Variant, device: Device, source: int) -> dict[str, int]:
    """What only kernels compiled for counting can tell, from a solve of its own: counting takes time."""
    if not variant.counted:
        return {}
    plan = variant.plan(device, graph, source, **variant.settings, counting=True)
    plan.solve()
    return {name: plan.counters[name] for name in variant.counted}


def _both(one: Certificate, other: Certificate) -> Certificate:
    return Certificate(
        one.scope,
        one.vertices,
        one.sources + other.sources,
        one.arcs_checked + other.arcs_checked,
        one.reached + other.reached,
    )


def _largest_part(graph: Graph) -> np.ndarray:
    """Which vertices belong to the largest weakly connected part, shape (n,), bool."""
    arcs = csr_array((np.ones(graph.arcs, np.int8), graph.indices, graph.indptr), shape=(graph.vertices,) * 2)
    _, part_of = connected_components(arcs, directed=True, connection="weak")
    return part_of == np.argmax(np.bincount(part_of))
