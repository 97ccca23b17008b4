"""What the solvers of one source cost. Each solves several sources one after another."""

from collections.abc import Callable
from math import log2, sqrt

from ..costs import Cost, Facts, Terms, Wanted

_VERTICES_OF_PART = 384  # of partition.borders, on most graphs
_WIDTH_IN_ROOTS_MAX = 6  # Wider graphs have no parts with few borders, unless they are trees.
_DEGREE_OF_TREE = 2


def _for_each_source(terms: Callable[[Facts], Terms | None]) -> Cost:
    """The cost of a solver of weights of at least 0 with these ``terms`` for one source, and those of its tree."""

    def cost(facts: Facts, wanted: Wanted) -> Terms | None:
        if facts.is_negative:
            return None
        found = terms(facts)
        if found is None:
            return None
        prepare, call = found
        if wanted.trees:
            call = {**call, "tree": 1, "tree arc": facts.arcs, "float tree arc": facts.arcs * facts.has_floats}
        return Terms(prepare, {name: wanted.sources * value for name, value in call.items()})

    return cost


@_for_each_source
def cluster(facts: Facts) -> Terms:
    """A barrier of the cluster for each level, before which a thread looks at its share of the arcs."""
    return Terms(
        {"graph": 1, "vertex": facts.vertices, "arc": facts.arcs},
        {
            "source": 1,
            "level": facts.levels,
            "level arc": facts.levels * facts.arcs,
            "level degree": facts.levels * facts.degree,
        },
    )


@_for_each_source
def queue(facts: Facts) -> Terms:
    """A barrier of the grid for some levels; the more arcs a vertex has, the more of them a shortest path takes."""
    return Terms(
        {"graph": 1, "arc": facts.arcs},
        {
            "source": 1,
            "level": facts.levels,
            "level width": facts.levels * log2(1 + facts.width),
            "level degree": facts.levels * facts.degree,
            "vertex": facts.vertices,
            "arc": facts.arcs,
            "skewed arc": facts.arcs * facts.is_skewed,
        },
    )


@_for_each_source
def whole_grid(facts: Facts) -> Terms:
    """As ``queue``, but blocks look at all vertices in each level; the arcs are sorted once."""
    return Terms(
        {"graph": 1, "vertex": facts.vertices, "arc": facts.arcs},
        {
            "source": 1,
            "level": facts.levels,
            "level degree": facts.levels * facts.degree,
            "level vertex": facts.levels * facts.vertices,
            "vertex": facts.vertices,
            "arc": facts.arcs,
            "skewed arc": facts.arcs * facts.is_skewed,
        },
    )


@_for_each_source
def borders(facts: Facts) -> Terms | None:
    """A message from part to part along the longest path, then each part by itself; floats are added along paths.

    A message tells of all borders that a part has on a side.
    """
    if facts.width > _WIDTH_IN_ROOTS_MAX * sqrt(facts.vertices) and facts.degree > _DEGREE_OF_TREE:
        return None
    side = sqrt(_VERTICES_OF_PART)
    crossings = facts.levels / max(side, _VERTICES_OF_PART / facts.width)
    return Terms(
        {"graph": 1, "vertex": facts.vertices, "arc": facts.arcs, "skewed arc": facts.arcs * facts.is_skewed},
        {
            "source": 1,
            "crossing": crossings,
            "crossing border": crossings * min(facts.width, 2 * side),
            "vertex": facts.vertices,
            "arc": facts.arcs,
            "floats": facts.has_floats,
            "float vertex": facts.vertices * facts.has_floats,
            "float level vertex": facts.levels * facts.vertices * facts.has_floats,
        },
    )


def four_arcs(facts: Facts, wanted: Wanted) -> Terms | None:
    """The only solver of negative weights, except for all pairs whose sums fit 32 bits."""
    if not facts.is_negative or (wanted.all_pairs and facts.sums_fit and not facts.has_floats):
        return None
    return Terms({}, {})
