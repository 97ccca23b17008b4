"""What the solvers of one source cost. Each solves several sources one after another."""

from math import log2, sqrt

from ..costs import Facts, Terms, Wanted

_VERTICES_OF_PART = 384  # of partition.borders, on most graphs


def cluster(facts: Facts, wanted: Wanted) -> Terms | None:
    """A barrier of the cluster for each level, before which a thread looks at its share of the arcs."""
    if facts.is_negative:
        return None
    levels = wanted.sources * facts.levels
    return Terms(
        {"graph": 1, "vertex": facts.vertices, "arc": facts.arcs},
        {
            "source": wanted.sources,
            "level": levels,
            "level arc": levels * facts.arcs,
            "level degree": levels * facts.degree,
        },
    )


def queue(facts: Facts, wanted: Wanted) -> Terms | None:
    """A barrier of the grid for some levels; the more arcs a vertex has, the more of them a shortest path takes."""
    if facts.is_negative:
        return None
    sources, levels = wanted.sources, wanted.sources * facts.levels
    return Terms(
        {"graph": 1, "arc": facts.arcs},
        {
            "source": sources,
            "level": levels,
            "level width": levels * log2(1 + facts.width),
            "level degree": levels * facts.degree,
            "vertex": sources * facts.vertices,
            "arc": sources * facts.arcs,
            "skewed arc": sources * facts.arcs * facts.is_skewed,
        },
    )


def whole_grid(facts: Facts, wanted: Wanted) -> Terms | None:
    """As ``queue``, but blocks look at all vertices in each level; the arcs are sorted once."""
    if facts.is_negative:
        return None
    sources, levels = wanted.sources, wanted.sources * facts.levels
    return Terms(
        {"graph": 1, "vertex": facts.vertices, "arc": facts.arcs},
        {
            "source": sources,
            "level": levels,
            "level degree": levels * facts.degree,
            "level vertex": levels * facts.vertices,
            "vertex": sources * facts.vertices,
            "arc": sources * facts.arcs,
            "skewed arc": sources * facts.arcs * facts.is_skewed,
        },
    )


def borders(facts: Facts, wanted: Wanted) -> Terms | None:
    """A message from part to part along the longest path, then each part by itself; floats are added along paths."""
    if facts.is_negative:
        return None
    sources, of_floats = wanted.sources, wanted.sources * facts.has_floats
    levels_of_part = max(sqrt(_VERTICES_OF_PART), _VERTICES_OF_PART / facts.width)
    return Terms(
        {"graph": 1, "vertex": facts.vertices, "arc": facts.arcs},
        {
            "source": sources,
            "crossing": sources * facts.levels / levels_of_part,
            "vertex": sources * facts.vertices,
            "arc": sources * facts.arcs,
            "floats": of_floats,
            "float vertex": of_floats * facts.vertices,
            "float level vertex": of_floats * facts.levels * facts.vertices,
        },
    )


def four_arcs(facts: Facts, wanted: Wanted) -> Terms | None:
    """The only solver of negative weights, except for all pairs whose sums fit 32 bits."""
    if not facts.is_negative or (wanted.all_pairs and facts.sums_fit and not facts.has_floats):
        return None
    return Terms({}, {})
