"""What the solvers of many sources cost."""

from math import ceil, log2, sqrt

from ..costs import Constants, Facts, Microseconds, Wanted

_SOURCES_OF_BATCH = 32
_SOURCES_OF_CORE = 8 * 132  # of all blocks of a GPU
_VERTICES_OF_TARGET = 16
SOURCES_ALONE_MAX = 4  # of a sweep, one after another; more are solved together
WIDTH_IN_ROOTS_MAX = 4  # about 1 on roads; networks of people and machines have a tenth of all vertices in one level


def batch(facts: Facts, wanted: Wanted, prepare: Constants, call: Constants) -> Microseconds | None:
    """Rounds, one or a few for each level, in each of which a group of sources looks at the arcs."""
    if facts.is_negative:
        return None
    groups, cells = ceil(wanted.sources / _SOURCES_OF_BATCH), wanted.sources * facts.vertices
    return Microseconds(
        prepare["graph"] + prepare["vertex"] * facts.vertices,
        call["call"]
        + call["level"] * facts.levels
        + call["level width"] * (facts.levels * log2(1 + facts.width))
        + call["level arc"] * (facts.levels * facts.arcs)
        + call["group level"] * (groups * facts.levels)
        + call["group arc"] * (groups * facts.arcs)
        + call["group level arc"] * (groups * facts.levels * facts.arcs)
        + call["tree cell"] * (cells * wanted.trees)
        + call["skewed tree cell"] * (cells * wanted.trees * facts.is_skewed),
    )


def core(facts: Facts, wanted: Wanted, prepare: Constants, call: Constants) -> Microseconds | None:
    """Each block sweeps over all arcs, for a few sources, as often as distances fall."""
    if facts.is_negative:
        return None
    rounds, cells = ceil(wanted.sources / _SOURCES_OF_CORE), wanted.sources * facts.vertices
    return Microseconds(
        prepare["graph"] + prepare["arc"] * facts.arcs,
        call["call"]
        + call["level"] * facts.levels
        + call["arc"] * facts.arcs
        + call["round level arc"] * (rounds * facts.levels * facts.arcs)
        + call["source level arc"] * (wanted.sources * facts.levels * facts.arcs)
        + call["cell"] * cells
        + call["tree cell"] * (cells * wanted.trees),
    )


def sweep(facts: Facts, wanted: Wanted, prepare: Constants, call: Constants) -> Microseconds | None:
    """Levels of an elimination tree, whose top is about as wide as a level of the graph; rounds of arcs for floats.

    A few sources take tiers, not levels: each climbs through the arcs of its ancestors, and then reads a few paths of
    each vertex.
    """
    if facts.is_negative or facts.width > WIDTH_IN_ROOTS_MAX * sqrt(facts.vertices):
        return None
    of_graph = (
        prepare["graph"]
        + prepare["vertex"] * facts.vertices
        + prepare["cut arc"] * (facts.arcs * log2(1 + facts.width))
        + prepare["cubed width"] * facts.width**3
    )
    if wanted.targets and not facts.has_floats and are_few(wanted.targets, facts.vertices):
        cells = wanted.sources * wanted.targets
        return Microseconds(of_graph, call["table"] + call["table width"] * facts.width + call["table cell"] * cells)
    cells = wanted.sources * facts.vertices
    if wanted.sources <= SOURCES_ALONE_MAX and not facts.has_floats:
        pieces = facts.vertices / facts.width**2  # as long as wide
        ancestors = wanted.sources * facts.width * log2(2 * WIDTH_IN_ROOTS_MAX**2 * pieces)
        of_call = (
            call["source"] * wanted.sources
            + call["source ancestor"] * ancestors
            + call["source ancestor arc"] * (ancestors * facts.width)
            + call["source vertex"] * cells
        )
    else:
        of_call = (
            call["call"]
            + call["vertex"] * facts.vertices
            + call["squared width"] * facts.width**2
            + call["cell"] * cells
            + call["float cell"] * (cells * facts.has_floats)
            + call["float level arc"] * (facts.levels * facts.arcs * facts.has_floats)
        )
    if wanted.trees:
        of_call += call["tree"] + call["tree arc"] * (wanted.sources * facts.arcs)
    return Microseconds(of_graph, of_call)


def are_few(targets: int, vertices: int) -> bool:
    """Whether a sweep finds the distances of so many targets alone in less time than those of all vertices."""
    return _VERTICES_OF_TARGET * targets <= vertices
