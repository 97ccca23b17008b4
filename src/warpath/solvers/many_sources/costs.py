"""What the solvers of many sources cost."""

from math import ceil, log2, sqrt

from ..costs import Facts, Terms, Wanted

_SOURCES_OF_BATCH = 32
_SOURCES_OF_CORE = 8 * 132  # of all blocks of a GPU
_VERTICES_OF_TARGET = 16
SOURCES_ALONE_MAX = 4  # of a sweep, one after another; more are solved together
WIDTH_IN_ROOTS_MAX = 4  # about 1 on roads; networks of people and machines have a tenth of all vertices in one level


def batch(facts: Facts, wanted: Wanted) -> Terms | None:
    """Rounds, one or a few for each level, in each of which a group of sources looks at the arcs."""
    if facts.is_negative:
        return None
    groups, cells = ceil(wanted.sources / _SOURCES_OF_BATCH), wanted.sources * facts.vertices
    return Terms(
        {"graph": 1, "vertex": facts.vertices},
        {
            "call": 1,
            "level": facts.levels,
            "level width": facts.levels * log2(1 + facts.width),
            "level arc": facts.levels * facts.arcs,
            "group level": groups * facts.levels,
            "group arc": groups * facts.arcs,
            "group level arc": groups * facts.levels * facts.arcs,
            "tree cell": cells * wanted.trees,
            "skewed tree cell": cells * wanted.trees * facts.is_skewed,
        },
    )


def core(facts: Facts, wanted: Wanted) -> Terms | None:
    """Each block sweeps over all arcs, for a few sources, as often as distances fall."""
    if facts.is_negative:
        return None
    rounds, cells = ceil(wanted.sources / _SOURCES_OF_CORE), wanted.sources * facts.vertices
    return Terms(
        {"graph": 1, "arc": facts.arcs},
        {
            "call": 1,
            "level": facts.levels,
            "arc": facts.arcs,
            "round level arc": rounds * facts.levels * facts.arcs,
            "source level arc": wanted.sources * facts.levels * facts.arcs,
            "cell": cells,
            "tree cell": cells * wanted.trees,
        },
    )


def sweep(facts: Facts, wanted: Wanted) -> Terms | None:
    """Levels of an elimination tree, whose top is about as wide as a level of the graph; rounds of arcs for floats.

    A few sources take tiers, not levels: each climbs through the arcs of its ancestors, and then reads a few paths of
    each vertex.
    """
    if facts.is_negative or facts.width > WIDTH_IN_ROOTS_MAX * sqrt(facts.vertices):
        return None
    cut = facts.arcs * log2(1 + facts.width)
    prepare = {"graph": 1, "vertex": facts.vertices, "cut arc": cut, "cubed width": facts.width**3}
    if wanted.targets and not facts.has_floats and are_few(wanted.targets, facts.vertices):
        cells = wanted.sources * wanted.targets
        return Terms(prepare, {"table": 1, "table width": facts.width, "table cell": cells})
    cells = wanted.sources * facts.vertices
    tree = {"tree": wanted.trees, "tree arc": wanted.sources * facts.arcs * wanted.trees}
    if wanted.sources <= SOURCES_ALONE_MAX and not facts.has_floats:
        pieces = facts.vertices / facts.width**2  # as long as wide
        ancestors = facts.width * log2(2 * WIDTH_IN_ROOTS_MAX**2 * pieces)
        alone = {
            "source": wanted.sources,
            "source ancestor": wanted.sources * ancestors,
            "source ancestor arc": wanted.sources * ancestors * facts.width,
            "source vertex": cells,
        }
        return Terms(prepare, alone | tree)
    return Terms(
        prepare,
        {
            "call": 1,
            "vertex": facts.vertices,
            "squared width": facts.width**2,
            "cell": cells,
            "float cell": cells * facts.has_floats,
            "float level arc": facts.levels * facts.arcs * facts.has_floats,
            **tree,
        },
    )


def are_few(targets: int, vertices: int) -> bool:
    """Whether a sweep finds the distances of so many targets alone in less time than those of all vertices."""
    return _VERTICES_OF_TARGET * targets <= vertices
