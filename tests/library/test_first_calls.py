"""The first call about a graph, which chooses its solver while it solves, gives the same answers as any other."""

from copy import deepcopy
from functools import partial

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from tiny_graphs import grid_of, named

import warpath
from warpath.device.resident import resident
from warpath.library.solver import Solver
from warpath.solvers.choice.choose import Choice
from warpath.solvers.one_source.near_far.queue import Queue
from warpath.solvers.solver import Rows
from warpath.system.arrays import on_host
from warpath_study.datasets.generate import generate

SOURCE, TARGETS = 3, [7, 11]
# How many steps a first call watches depends on the size; each of these graphs is solved in more.
GRAPHS = {
    "roads": generate("road", vertices=5000, arcs=13_000, seed=2),
    "random": generate("random", vertices=20_000, arcs=80_000, seed=1),
    "fewer": generate("random", vertices=11_000, arcs=44_000, seed=1),
}


def cells(distances):
    """Distances with inf where there is no path."""
    return np.where(on_host(distances) == warpath.UNREACHABLE, np.inf, on_host(distances))


def row_of(matrix):
    row = np.full(matrix.targets.shape, np.inf)
    row[matrix.indices] = matrix.distances
    return row


# The answer of each call as distances: of all vertices, or of TARGETS.
CALLS = {
    "sssp": lambda call: cells(call.sssp(SOURCE).distances),
    "on the device": lambda call: cells(call.sssp(SOURCE, output="device").distances),
    "of one in a list": lambda call: cells(call.sssp([SOURCE], output="device").distances)[0],
    "without predecessors": lambda call: cells(call.sssp(SOURCE, predecessors=False).distances),
    "within": lambda call: row_of(call.within(np.inf, [SOURCE])),
    "table": lambda call: cells(call.table([SOURCE], output="device").distances)[0],
    "pairs": lambda call: call.pairs([SOURCE, SOURCE], TARGETS).floats(),
    "paths": lambda call: call.pairs([SOURCE, SOURCE], TARGETS, paths=True).floats(),
    "nearest": lambda call: call.nearest([SOURCE]).floats(),
}


class FirstCall:
    """The functions of the library on a graph that is new at each call."""

    def __init__(self, graph, **options):
        self._graph, self._options = graph, options

    def __getattr__(self, name):
        return partial(getattr(warpath, name), deepcopy(self._graph), **self._options)

    def within(self, cutoff, sources):
        return warpath.within(deepcopy(self._graph), cutoff, sources, **self._options)


@pytest.mark.parametrize("device", EVERY_DEVICE)
@pytest.mark.parametrize("name", GRAPHS)
def test_a_first_call_of_any_kind_is_right(name, device):
    right = warpath.sssp(GRAPHS[name], SOURCE, device="cpu").floats()
    for certify in (True, False):
        first = FirstCall(GRAPHS[name], device=opened(device), certify=certify)
        for kind, call in CALLS.items():
            with named(f"{kind}, certify={certify}"):
                found = call(first)
                np.testing.assert_array_equal(found, right[TARGETS] if len(found) == len(TARGETS) else right)


@pytest.mark.parametrize("name", GRAPHS)
def test_a_solver_for_one_call_gives_right_statistics_and_paths(name):
    right = warpath.sssp(GRAPHS[name], SOURCE, device="cpu").floats()
    for sources in ([SOURCE], [SOURCE, 9]):
        statistics = warpath.prepare(deepcopy(GRAPHS[name]), "simulated", calls=1).statistics(sources)
        assert statistics.rows.sums[0] == right[np.isfinite(right)].sum()
        paths = warpath.prepare(deepcopy(GRAPHS[name]), "simulated", calls=1).sssp(sources)
        np.testing.assert_array_equal(paths.floats()[0], right)


def test_later_calls_are_chosen_as_such():
    solver = Solver(deepcopy(GRAPHS["roads"]), opened("simulated"), prepared=0)
    reasons = [solver.sssp(source).reason for source in range(SOURCE, SOURCE + 4)]
    assert reasons[0] != reasons[1] == reasons[2] == reasons[3]


@pytest.mark.parametrize("device", EVERY_DEVICE)
def test_a_solve_that_was_begun_in_other_rows_begins_again(device):
    device, given = opened(device), grid_of(2500, 3)
    solver = Queue(resident(device, given), predecessors=False)
    ended, _ = solver.begin(SOURCE, Rows(device.upload(np.full((1, 2500), 5, np.int32)), None), 10)
    assert not ended
    into = Rows(device.upload(np.full((1, 2500), 5, np.int32)), None)
    solver.solve(np.array([SOURCE], np.int32), into)
    device.synchronize()
    assert solver.check()
    np.testing.assert_array_equal(on_host(into.distances)[0], warpath.sssp(given, SOURCE, device="cpu").distances)


def test_an_interruption_while_the_second_solver_is_prepared_leaves_no_begun_solve(monkeypatch):
    given = deepcopy(GRAPHS["roads"])
    right, solver = warpath.sssp(given, SOURCE, device="cpu").distances, Solver(given, opened("simulated"), prepared=0)
    options = {"cutoff": 10**6, "certify": False}
    makes = Choice.solver

    def interrupted(choice, resident):
        if choice.name != "near_far.queue":
            raise KeyboardInterrupt
        return makes(choice, resident)

    monkeypatch.setattr(Choice, "solver", interrupted)
    with pytest.raises(KeyboardInterrupt):
        solver.sssp(SOURCE, **options)
    monkeypatch.undo()
    solver.sssp(SOURCE + 4, algorithm="near_far", variant="whole_grid", **options)
    found = solver.sssp(SOURCE, algorithm="near_far", variant="queue", **options)
    np.testing.assert_array_equal(found.distances, right)


@pytest.mark.parametrize("cutoff", [None, 10**6])
def test_a_first_call_goes_on_after_the_steps_by_which_it_chose(cutoff, monkeypatch):
    used = []

    def noted(method):
        def call(self, source, into, *steps):
            used.append(into.distances)
            return method(self, source, into, *steps)

        return call

    monkeypatch.setattr(Queue, "begin", noted(Queue.begin))
    monkeypatch.setattr(Queue, "solve", noted(Queue.solve))
    warpath.sssp(deepcopy(GRAPHS["fewer"]), SOURCE, cutoff=cutoff, device="simulated")
    begun, solved = used
    assert begun is solved
