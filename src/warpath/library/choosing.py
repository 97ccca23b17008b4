"""Which solver answers a request, from the graph, the device and the request; and whether a first call changes it."""

from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Literal, NamedTuple

import numpy as np

from ..device.resident import Resident
from ..errors import OutOfMemoryError, UsageError
from ..solvers.choice.auto import Choice, Preparation, choose, drop_solvers
from ..solvers.choice.first_call import are_short, choose_again, on_cpu, steps_at_first
from .calls import Call, Delivery
from .memory import retried


class Request(NamedTuple):
    """What determines the choice of a solver. ``to_all``: from one source to all vertices."""

    problem: Literal["sssp", "apsp"]
    sources: int
    preparation: Preparation
    algorithm: str | None = None
    variant: str | None = None
    parameters: tuple[tuple[str, int], ...] = ()
    table: bool = False
    to_all: bool = False


@dataclass
class Calls:
    """What the calls about a graph have shown, and the solvers that were chosen for them.

    ``answered``: whether a call from one source has been answered, for solvers that are prepared and for others.
    """

    is_updated: bool = False
    long_paths: bool = True  # until a call shows that they are short
    answered: dict[bool, bool] = field(default_factory=dict)
    choices: dict[Request, Choice] = field(default_factory=dict)
    unsuitable: set[str] = field(default_factory=set)

    def preparation(self, prepared: bool, sources: int) -> Preparation:
        """What the next call may make for later ones.

        The first call from one source, which may be the last, makes nothing. After an update it may use what was made
        from the arcs; what it makes from the weights serves a single call if another update follows.
        """
        is_first = sources == 1 and not self.answered.get(prepared)
        if is_first:
            self.answered[prepared] = True
        if self.is_updated:
            return "all" if prepared and not is_first else "some"
        return "all" if prepared else "none" if is_first else "some"


def calls_of(resident: Resident) -> Calls:
    return resident.fact("calls", Calls)


def follow(updated: Resident, before: Resident) -> None:
    """Use what was chosen for ``before``, which has the same arcs and other weights."""
    calls, old = calls_of(updated), calls_of(before)
    calls.is_updated = True
    if (updated.graph.weight_min < 0) == (before.graph.weight_min < 0):  # little else of the weights matters
        calls.choices = {request: choice for request, choice in old.choices.items() if request.problem == "sssp"}
        calls.unsuitable, calls.long_paths = old.unsuitable, old.long_paths


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
    is_ours = request.problem == "sssp" and request.algorithm is None
    if is_ours and request.to_all:
        choice = on_cpu(resident, request.preparation)
        if choice:
            return choice, 0.0
    names = request.algorithm, request.variant, dict(request.parameters)
    what = request.sources, request.preparation, *names, request.table, calls.long_paths
    choice = _suitable(resident, calls, choose(request.problem, resident, *what), sources, delivery.predecessors)
    watched = is_ours and len(sources) == 1 and request.preparation == "none" and resident.device.kind != "cpu"
    if not watched or (steps := steps_at_first(resident.graph)) is None:
        return choice, 0.0
    call = Call(resident, choice, delivery)
    began = perf_counter()
    try:
        ended, reached = call.solver.begin(int(sources[0]), call.first_rows(), steps)
    except BaseException:
        drop_solvers(resident)
        raise
    begun_s = perf_counter() - began
    calls.long_paths = not are_short(resident.graph, steps, reached)
    another = None if ended else choose_again(resident, steps, reached)
    if another is None:
        return choice, begun_s
    found = _suitable(resident, calls, replace(another, otherwise=choice), sources, delivery.predecessors)
    if found is not choice:
        drop_solvers(resident, choice.key)
    return found, begun_s


def _suitable(resident: Resident, calls: Calls, choice: Choice, sources: np.ndarray, predecessors: bool) -> Choice:
    """``choice``, or the next one for which a solver can be made."""
    while choice.by_rows and choice.otherwise and len(sources):
        if choice.name not in calls.unsuitable:
            try:
                retried(resident.device, partial(choice.solver, resident, predecessors))
                return choice
            except (UsageError, OutOfMemoryError):
                calls.unsuitable.add(choice.name)
        choice = choice.otherwise
    return choice
