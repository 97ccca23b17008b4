"""What the solvers of the CPU cost. On a GPU, they are for a single source."""

from math import log2

from ...system.cores import UNCOMPILED_STEPS_MAX
from ..costs import Constants, Facts, Microseconds, Wanted

_VERTICES_OF_CACHE = 2**14


def heap(facts: Facts, wanted: Wanted, prepare: Constants, call: Constants) -> Microseconds | None:
    """A heap of about as many vertices as a level has; large graphs leave the caches."""
    if facts.is_negative or _needs_no_compiler(facts, wanted):
        return None
    sources, vertices = wanted.sources, wanted.sources * facts.vertices
    return Microseconds(
        prepare["graph"] + prepare["vertex"] * facts.vertices,
        call["source"] * sources
        + call["arc"] * (sources * facts.arcs)
        + call["heap"] * (vertices * log2(1 + facts.width))
        + call["memory"] * (vertices * max(0.0, log2(max(1, facts.vertices) / _VERTICES_OF_CACHE))),
    )


def small(facts: Facts, wanted: Wanted, prepare: Constants, call: Constants) -> Microseconds | None:
    """Plain Python, for so few steps that compiled code is not worth loading."""
    if facts.is_negative or not _needs_no_compiler(facts, wanted):
        return None
    steps = wanted.sources * (facts.vertices + facts.arcs)
    return Microseconds(0.0, call["source"] * wanted.sources + call["step"] * steps)


def queue(facts: Facts, wanted: Wanted, prepare: Constants, call: Constants) -> Microseconds | None:
    """The only solver of negative weights."""
    return Microseconds(0.0, 0.0) if facts.is_negative else None


def _needs_no_compiler(facts: Facts, wanted: Wanted) -> bool:
    return wanted.sources * (facts.vertices + facts.arcs) <= UNCOMPILED_STEPS_MAX
