"""The solver of a first call from one source, which knows how large the graph is, but not how long its paths are.

It begins with what is best for short paths. If that is near_far.queue, and another solver is best for long paths, the
call watches its first steps, and compares the costs again.
"""

from dataclasses import replace
from math import log

from ..costs import Facts, Wanted
from .choose import ranked

WATCHED = "near_far.queue"
# Of the time that another solver would take, the share that the first steps may.
_WATCHED_SHARE, _WATCHED_STEPS_MIN = 0.06, 160


def if_short(facts: Facts) -> Facts:
    """The facts of a graph if it has as few levels as a random one."""
    return replace(facts, levels=log(max(2, facts.vertices)) / log(max(2.0, facts.degree)))


def steps_at_first(facts: Facts, wanted: Wanted, device_kind: str) -> int | None:
    """After so many steps, a first call compares costs again; None if no length of paths changes its solver."""
    longest = replace(facts, levels=facts.vertices / 2)
    name, cost = ranked(longest, wanted, device_kind, 1)[0]
    return None if name == WATCHED else max(_WATCHED_STEPS_MIN, int(_WATCHED_SHARE * cost.of_calls(1)))


def seen(short: Facts, steps: int, reached: float) -> Facts:
    """``short``, of which so many steps have reached this share, with more levels: a step reaches about one."""
    return replace(short, levels=max(short.levels, steps / max(reached, 1 / short.vertices)))


def ranked_for_rest(facts: Facts, wanted: Wanted, device_kind: str, reached: float) -> list[str]:
    """The names of solvers for the rest of a first call that has reached this share of the vertices, best first."""
    ranking = ranked(facts, wanted, device_kind, 1)
    rest = {name: cost.call * (1 - reached) if name == WATCHED else cost.of_calls(1) for name, cost in ranking}
    return sorted(rest, key=lambda name: rest[name])
