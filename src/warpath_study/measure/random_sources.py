"""The mean over many sources: one timed solve from each, and every answer certified."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numba
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from warpath.certificates.certificate import Certificate, certify_each, combined
from warpath.device import AnyDevice
from warpath.errors import UsageError
from warpath.graphs.csr import Graph
from warpath.graphs.random_numbers import permutation
from warpath.solvers.plan import Plan, Solution
from warpath.solvers.registry import Configured

from ..record import RandomSources, Sample
from .sampling import make_ready, timed_solve

# A separate random stream (the letters of "sources"): sources are independent of a graph made from the same seed.
_STREAM = int.from_bytes(b"sources", "big")
# Host memory for answers that are waiting to be certified.
ANSWERS_BYTES = 1 << 30


def draw(graph: Graph, sources: RandomSources) -> list[int]:
    """Different vertices of the graph's largest weakly connected component, in random order.

    A source in a small component leaves little to measure. Raises UsageError if the largest one is too small.
    """
    vertices = np.flatnonzero(_largest_part(graph))
    if len(vertices) < sources.count:
        raise UsageError(
            f"{sources.count} sources were asked for, but the graph connects only {len(vertices)} vertices"
        )
    return vertices[permutation(sources.seed, _STREAM, len(vertices))[: sources.count]].tolist()


@dataclass(frozen=True)
class SourcesMeasurement:
    """A sample for each source, in order; such a run is never estimated."""

    samples: tuple[Sample, ...]
    estimate: None = None

    @property
    def seconds(self) -> float:
        """The time that a table shows: the mean over all solves."""
        return statistics.fmean(sample.total_s for sample in self.samples)

    @property
    def counters(self) -> Mapping[str, int]:
        """The counters of the last solve."""
        return self.samples[-1].counters or {}


def measure_from_each(
    graph: Graph, configured: Configured, plan: Plan, device: AnyDevice, sources: Sequence[int]
) -> tuple[SourcesMeasurement, Certificate]:
    """Time one full solve of ``plan`` from each source and certify it. Raises CertificateError if one is wrong."""
    samples, certificates = [], []
    # Counting takes time, so a plan of its own counts what kernels compiled for it count, in solves that are not timed.
    counting = configured.plan(device, graph, sources[0], counting=True) if configured.variant.counted else None
    step = _answers_at_once(graph)
    for group in (sources[first : first + step] for first in range(0, len(sources), step)):
        distances = np.empty((len(group), graph.vertices), np.int32)
        predecessors: np.ndarray | None = np.empty_like(distances)
        for row, source in enumerate(group):
            times, solution = _solve_from(plan, device, source)
            counters = {"iterations": plan.iterations, **plan.counters, **_counted(configured, counting, source)}
            samples.append(Sample(times.total_s, times.phases, source, counters))
            distances[row] = solution.distances
            if solution.predecessors is None:
                predecessors = None
            elif predecessors is not None:
                predecessors[row] = solution.predecessors
        certificates.append(certify_each(graph, group, distances, predecessors))
    return SourcesMeasurement(tuple(samples)), combined(certificates)


def _answers_at_once(graph: Graph) -> int:
    """How many answers are certified together: one per core, limited by ANSWERS_BYTES."""
    return max(1, min(numba.get_num_threads(), ANSWERS_BYTES // (8 * graph.vertices)))


def _solve_from(plan: Plan, device: AnyDevice, source: int) -> tuple[Sample, Solution]:
    plan.source = source
    make_ready(plan, device)
    try:
        times, solution = timed_solve(plan, device)
    finally:
        plan.release()
    assert isinstance(solution, Solution)  # as of every variant that takes a source
    return times, solution


def _counted(configured: Configured, counting: Plan | None, source: int) -> dict[str, int]:
    """What ``counting`` counts in a solve from ``source``."""
    if counting is None:
        return {}
    counting.counters.clear()
    counting.start(source)
    try:
        counting.run_until_settled()
    finally:
        counting.release()
    return {name: counting.counters[name] for name in configured.variant.counted}


def _largest_part(graph: Graph) -> np.ndarray:
    """Which vertices belong to the largest weakly connected component, shape (n,), bool."""
    arcs = csr_array((np.ones(graph.arcs, np.int8), graph.indices, graph.indptr), shape=(graph.vertices,) * 2)
    _, part_of = connected_components(arcs, directed=True, connection="weak")
    return part_of == np.argmax(np.bincount(part_of))
