"""What ``solver_times.py`` recorded, and what the choice of the library loses by it."""

import csv
import math
from ast import literal_eval
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from warpath.solvers.choice.choose import FEW, MANY, ONE, entries_for, ranked
from warpath.solvers.choice.first_call import WATCHED, if_short, ranked_for_rest, seen, steps_at_first
from warpath.solvers.costs import Facts, Wanted

KIND = "cuda"
# What near_far.queue has reached after so many steps of a first call, by the name of the column.
REACHED = {f"reached in {steps}": steps for steps in (160, 640, 2560, 10240)}
# They solve several sources one after another.
ONE_SOURCE = ("label_correcting.cluster", "near_far.queue", "near_far.whole_grid", "partition.borders")


def wanted_by(request: str, facts: Facts) -> Wanted:
    """What a request such as "16 trees" wants of a graph."""
    if request == "all pairs":
        return Wanted(facts.vertices, all_pairs=True)
    sources, _, targets = request.removesuffix(" trees").partition(" x ")
    alone = sources == "1" and not targets
    return Wanted(int(sources), int(targets) if targets else None, " trees" in request, alone=alone)


@dataclass
class RecordedGraph:
    """``times`` has microseconds by request and solver, infinite if the solver does not fit.

    ``reached`` has shares of the vertices, by steps of a first call.
    """

    name: str
    kept_aside: bool
    facts: Facts
    reached: dict[int, float]
    times: dict[tuple[str, str], float] = field(default_factory=dict)

    def wanted(self, request: str) -> Wanted:
        return wanted_by(request, self.facts)

    @cached_property
    def requests(self) -> list[str]:
        return [request for request in dict.fromkeys(request for request, _ in self.times) if request != "first"]

    def call_us(self, request: str, solver: str) -> float | None:
        """Of a later call; None if it was not measured."""
        wanted = self.wanted(request)
        if solver in ONE_SOURCE and not wanted.all_pairs:
            us = self.times.get((f"1{' trees' * wanted.trees}", solver))
            return us and wanted.sources * us
        us = self.times.get((request, solver))
        if us is None and wanted.targets:  # all distances from these sources
            us = self.times.get((str(wanted.sources), solver))
        return us

    def prepare_us(self, solver: str) -> float | None:
        """What a first call takes longer than a later one; None if one of them was not measured."""
        first = self.times.get(("first", solver))
        later = self.times.get(("1", solver), self.times.get(("all pairs", solver)))
        return None if first is None or later is None else max(0.0, first - later)

    def us(self, request: str, solver: str, calls: int) -> float | None:
        """Of preparation and so many calls; None if it was not measured."""
        call_us, prepare_us = self.call_us(request, solver), self.prepare_us(solver)
        if call_us is None or call_us == math.inf:
            return call_us
        if prepare_us is None:
            return calls * call_us if calls == MANY else None
        return prepare_us + calls * call_us


class Loss(NamedTuple):
    """What the choice takes, over what the best solver takes."""

    graph: RecordedGraph
    request: str
    expected: str
    chosen: str
    best: str
    ratio: float


def read_records(folder: Path) -> list[RecordedGraph]:
    found = {}
    for row in _rows(folder / "graphs.csv"):
        name = row["family"], row["weights"], row["wanted"]
        facts = Facts(**{fact.name: literal_eval(row[fact.name]) for fact in fields(Facts)})
        told = f"{row['family']}, {row['weights']}, {int(row['vertices']):,} vertices"
        reached = {steps: float(row[column]) for column, steps in REACHED.items()}
        found[name] = RecordedGraph(told, row["kept_aside"] == "True", facts, reached)
    for row in _rows(folder / "times.csv"):
        graph = found.get((row["family"], row["weights"], row["wanted"]))
        if graph:
            graph.times[row["request"], row["solver"]] = float(row["us"])
    return list(found.values())


def _rows(file: Path) -> Iterator[dict[str, str]]:
    with open(file, newline="", encoding="utf-8") as rows:
        yield from csv.DictReader(rows)


def losses(graph: RecordedGraph) -> Iterator[Loss]:
    """What each choice for a graph loses, where all solvers were measured that may be chosen.

    Raises LookupError if a later call of the chosen solver was not recorded.
    """
    for request in graph.requests:
        for expected, calls in (("one", ONE), ("few", FEW), ("many", MANY)):
            wanted = graph.wanted(request)
            solvers = [entry.name for entry in entries_for(KIND, wanted.alone)]
            times = {solver: us for solver in solvers if (us := graph.us(request, solver, calls)) is not None}
            if calls != ONE:
                chosen = _fitting(graph, request, [name for name, _ in ranked(graph.facts, wanted, KIND, calls)])
                us = times.get(chosen)
            elif request == "1":
                chosen, us = _first_call(graph, times)
            else:
                continue
            if us is not None:
                best = min(times, key=lambda solver: times[solver])
                yield Loss(graph, request, expected, chosen, best, us / times[best])


def _first_call(graph: RecordedGraph, times: dict[str, float]) -> tuple[str, float | None]:
    """The solver of a first call, after the first steps, and its time."""
    wanted, short = graph.wanted("1"), if_short(graph.facts)
    begun = _fitting(graph, "1", [name for name, _ in ranked(short, wanted, KIND, 1)])
    steps = steps_at_first(short, wanted, KIND) if begun == WATCHED else None
    if not steps:
        return begun, times.get(begun)
    known = {0: 0.0} | graph.reached
    reached = float(np.interp(steps, list(known), list(known.values())))
    if reached == 1:
        return begun, times.get(begun)
    chosen = _fitting(graph, "1", ranked_for_rest(seen(short, steps, reached), wanted, KIND, reached))
    us = times.get(chosen)
    return chosen, us if us is None or chosen == begun else steps + us


def _fitting(graph: RecordedGraph, request: str, names: list[str]) -> str:
    """The first of the solvers that fits the graph."""
    for name in names:
        call_us = graph.call_us(request, name)
        if call_us is None:
            raise LookupError(f"{graph.name}, {request}: {name} was not measured")
        if call_us < math.inf:
            return name
    raise LookupError(f"{graph.name}, {request}: no solver fits")
