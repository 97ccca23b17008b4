"""What the solvers of one source cost. Each solves several sources one after another."""

from collections.abc import Callable
from math import log2, sqrt

from ..costs import Constants, Cost, Facts, Microseconds, Wanted

_VERTICES_OF_PART = 384  # of partition.borders, on most graphs
_WIDTH_IN_ROOTS_MAX = 6  # Wider graphs have no parts with few borders, unless they are trees.
_DEGREE_OF_TREE = 2


def _for_each_source(of_one: Callable[[Facts, Constants, Constants], Microseconds | None]) -> Cost:
    """The cost of a solver of weights of at least 0, from that of one source without its tree."""

    def cost(facts: Facts, wanted: Wanted, prepare: Constants, call: Constants) -> Microseconds | None:
        if facts.is_negative:
            return None
        found = of_one(facts, prepare, call)
        if found is None:
            return None
        of_graph, of_source = found
        if wanted.trees:
            of_source += call["tree"]
            of_source += call["tree arc"] * facts.arcs
            of_source += call["float tree arc"] * facts.arcs * facts.has_floats
        return Microseconds(of_graph, wanted.sources * of_source)

    return cost


@_for_each_source
def cluster(facts: Facts, prepare: Constants, call: Constants) -> Microseconds:
    """A barrier of the cluster for each level, before which a thread looks at its share of the arcs."""
    return Microseconds(
        prepare["graph"] + prepare["vertex"] * facts.vertices + prepare["arc"] * facts.arcs,
        call["source"]
        + call["level"] * facts.levels
        + call["level arc"] * (facts.levels * facts.arcs)
        + call["level degree"] * (facts.levels * facts.degree),
    )


@_for_each_source
def queue(facts: Facts, prepare: Constants, call: Constants) -> Microseconds:
    """A barrier of the grid for some levels; the more arcs a vertex has, the more of them a shortest path takes."""
    return Microseconds(
        prepare["graph"] + prepare["arc"] * facts.arcs,
        call["source"]
        + call["level"] * facts.levels
        + call["level width"] * (facts.levels * log2(1 + facts.width))
        + call["level degree"] * (facts.levels * facts.degree)
        + call["vertex"] * facts.vertices
        + call["arc"] * facts.arcs
        + call["skewed arc"] * facts.arcs * facts.is_skewed,
    )


@_for_each_source
def whole_grid(facts: Facts, prepare: Constants, call: Constants) -> Microseconds:
    """As ``queue``, but blocks look at all vertices in each level; the arcs are sorted once."""
    return Microseconds(
        prepare["graph"] + prepare["vertex"] * facts.vertices + prepare["arc"] * facts.arcs,
        call["source"]
        + call["level"] * facts.levels
        + call["level degree"] * (facts.levels * facts.degree)
        + call["level vertex"] * (facts.levels * facts.vertices)
        + call["vertex"] * facts.vertices
        + call["arc"] * facts.arcs
        + call["skewed arc"] * facts.arcs * facts.is_skewed,
    )


@_for_each_source
def borders(facts: Facts, prepare: Constants, call: Constants) -> Microseconds | None:
    """A message from part to part along the longest path, then each part by itself; floats are added along paths.

    A message tells of all borders that a part has on a side.
    """
    if facts.width > _WIDTH_IN_ROOTS_MAX * sqrt(facts.vertices) and facts.degree > _DEGREE_OF_TREE:
        return None
    side = sqrt(_VERTICES_OF_PART)
    crossings = facts.levels / max(side, _VERTICES_OF_PART / facts.width)
    return Microseconds(
        prepare["graph"]
        + prepare["vertex"] * facts.vertices
        + prepare["arc"] * facts.arcs
        + prepare["skewed arc"] * facts.arcs * facts.is_skewed,
        call["source"]
        + call["crossing"] * crossings
        + call["crossing border"] * (crossings * min(facts.width, 2 * side))
        + call["vertex"] * facts.vertices
        + call["arc"] * facts.arcs
        + call["floats"] * facts.has_floats
        + call["float vertex"] * facts.vertices * facts.has_floats
        + call["float level vertex"] * (facts.levels * facts.vertices) * facts.has_floats,
    )


def four_arcs(facts: Facts, wanted: Wanted, prepare: Constants, call: Constants) -> Microseconds | None:
    """The only solver of negative weights, except for all pairs whose sums fit 32 bits."""
    if not facts.is_negative or (wanted.all_pairs and facts.sums_fit and not facts.has_floats):
        return None
    return Microseconds(0.0, 0.0)
