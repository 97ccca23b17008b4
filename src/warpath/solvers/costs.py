"""What a solver costs: terms that grow with the graph and the request, each with a constant fitted to recorded times.

A solver's ``cost`` stands in ``costs.py`` beside its kernels. It multiplies each term with a constant and adds them up;
``fitted.py`` has the constants, in microseconds of an H200, which ``benchmarks/fit_costs.py`` writes. First calls wait
for the costs of all solvers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple


@dataclass(frozen=True)
class Facts:
    """What costs depend on, of a graph.

    Attributes
    ----------
    levels : float
        About how many a breadth-first search has.
    is_skewed : bool
        A few vertices have a large share of the arcs.
    sums_fit : bool
        The sum of two paths fits a distance.
    """

    vertices: int
    arcs: int
    levels: float
    is_skewed: bool
    has_floats: bool
    weight_min: float
    weight_max: float
    sums_fit: bool = True

    @cached_property
    def degree(self) -> float:
        """The mean outdegree."""
        return self.arcs / max(1, self.vertices)

    @cached_property
    def width(self) -> float:
        """The mean number of vertices of a level."""
        return self.vertices / max(1.0, self.levels)

    @property
    def is_negative(self) -> bool:
        return self.weight_min < 0


@dataclass(frozen=True)
class Wanted:
    """What one call wants: distances from so many sources, and more.

    Attributes
    ----------
    targets : int or None
        The number of targets whose distances are all that is wanted.
    trees : bool
        Predecessors, too.
    all_pairs : bool
        All vertices are sources, in order.
    alone : bool
        The call is about one source, so that a solver of the CPU may serve a GPU.
    """

    sources: int
    targets: int | None = None
    trees: bool = False
    all_pairs: bool = False
    alone: bool = False


class Microseconds(NamedTuple):
    """What a solver makes for a graph takes, and a call."""

    prepare: float
    call: float

    def of_calls(self, count: float) -> float:
        """Of preparation and so many calls."""
        return self.prepare + count * self.call


Constants = Mapping[str, float]
"""By the names of the terms."""
Cost = Callable[[Facts, Wanted, Constants, Constants], Microseconds | None]
"""Takes the constants of preparation and of a call. Returns None if the solver does not solve this, or never best."""
