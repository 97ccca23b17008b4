"""Which solver answers a request, from the graph, the device and the request; and whether a first call changes it."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import Literal, NamedTuple

import numpy as np

from ..device.resident import Resident
from ..errors import OutOfMemoryError, UsageError
from ..solvers.choice.choose import FEW, ONE, Choice, choices, drop_solvers, named, ranked, suitable
from ..solvers.choice.facts import shape_of
from ..solvers.choice.first_call import WATCHED, if_short, ranked_for_rest, seen, steps_at_first
from ..solvers.costs import Wanted
from .calls import Call, Delivery, after_failure
from .memory import retried


class Request(NamedTuple):
    """What determines the choice of a solver. Numbers are rounded up to powers of two, so that requests are few."""

    wanted: Wanted
    expected: int
    algorithm: str | None = None
    variant: str | None = None
    parameters: tuple[tuple[str, int], ...] = ()


@dataclass
class Calls:
    """What the calls about a graph have shown, and the solvers that were chosen for them.

    ``answered``: whether a call from one source has been answered, for solvers that are prepared and for others.
    """

    is_updated: bool = False
    answered: dict[bool, bool] = field(default_factory=dict)
    choices: dict[Request, Choice] = field(default_factory=dict)
    unsuitable: set[str] = field(default_factory=set)

    def expected(self, prepared: int, sources: int) -> int:
        """How many calls are expected, of a solver that is ``prepared`` for so many, or for none.

        The first call from one source may be the last. After an update, what a call makes from the weights serves a few
        calls if another update follows.
        """
        is_first = sources == 1 and not self.answered.get(prepared > 0)
        if is_first:
            self.answered[prepared > 0] = True
        if self.is_updated:
            return prepared if prepared and not is_first else FEW
        return prepared or (ONE if is_first else FEW)


def calls_of(resident: Resident) -> Calls:
    return resident.fact("calls", Calls)


def follow(updated: Resident, before: Resident) -> None:
    """Use what was chosen for ``before``, which has the same arcs and other weights."""
    calls, old = calls_of(updated), calls_of(before)
    calls.is_updated, updated.is_certified = True, before.is_certified
    if (updated.graph.weight_min < 0) == (before.graph.weight_min < 0):  # little else of the weights matters
        calls.choices = {request: choice for request, choice in old.choices.items() if not request.wanted.all_pairs}
        calls.unsuitable = old.unsuitable


def wanted_of(sources: int, delivery: Delivery, targets: int | None = None, alone: bool = False) -> Wanted:
    """What a call for paths from so many sources wants, if need be to so many targets."""
    of_table = targets and _rounded(targets) if delivery.is_bare else None
    return Wanted(_rounded(sources), of_table, delivery.predecessors, alone=alone)


def _rounded(count: int) -> int:
    return 1 << (count - 1).bit_length() if count else 0


def call_for(resident: Resident, request: Request, sources: np.ndarray, delivery: Delivery) -> Call:
    """The solver for ``request``: the chosen one, or an alternative if that does not support the graph."""
    calls = calls_of(resident)
    choice = calls.choices.get(request)
    if choice is not None:
        return Call(resident, choice, delivery)
    choice, begun_s = _choose(resident, calls, request, sources, delivery)
    calls.choices[request] = choice
    return Call(resident, choice, delivery, begun_s)


def _choose(
    resident: Resident, calls: Calls, request: Request, sources: np.ndarray, delivery: Delivery
) -> tuple[Choice, float]:
    """The choice, and the seconds of the first steps, which it may have watched."""
    device, wanted = resident.device, request.wanted
    resident.is_certified |= delivery.certify and device.kind != "cpu"
    problem: Literal["sssp", "apsp"] = "apsp" if wanted.all_pairs else "sssp"
    choice = named(problem, device, request.algorithm, request.variant, dict(request.parameters))
    if choice:
        return choice, 0.0
    chosen = partial(_chosen, resident, calls, sources)
    if request.expected != ONE or not wanted.alone or device.kind == "cpu":
        return chosen(choices(resident, wanted, request.expected)), 0.0
    facts = if_short(shape_of(resident))
    names = [name for name, _ in ranked(facts, wanted, device.kind, 1)]
    choice = chosen(suitable(resident, facts, names, "the least cost of a first call if paths are short"))
    steps = steps_at_first(facts, wanted, device.kind) if choice.name == WATCHED else None
    if steps is None:
        return choice, 0.0
    call = Call(resident, choice, delivery)
    began = perf_counter()
    try:
        ended, reached = call.solver.begin(int(sources[0]), call.first_rows(), steps)
        begun_s = perf_counter() - began
        if ended:
            return choice, begun_s
        facts = seen(facts, steps, reached)
        names = ranked_for_rest(facts, wanted, device.kind, reached)
        found = chosen(suitable(resident, facts, names, "the least cost after first steps, which reached few vertices"))
    except BaseException:  # a solve that was begun is not for a later call
        after_failure(resident)
        raise
    if found.key == choice.key:
        return choice, begun_s
    drop_solvers(resident, choice.key)
    return found, begun_s


def _chosen(resident: Resident, calls: Calls, sources: np.ndarray, found: Iterator[Choice]) -> Choice:
    """The first choice for which a solver can be made; the last one is made by the call, which tells what is wrong."""
    choice = None
    for choice in found:
        if not choice.by_rows or not len(sources):
            return choice
        if choice.name not in calls.unsuitable:
            try:
                retried(resident.device, partial(choice.solver, resident))
                return choice
            except (UsageError, OutOfMemoryError):
                calls.unsuitable.add(choice.name)
    assert choice  # one solver takes each graph
    return choice
