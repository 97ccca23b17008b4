"""After Ctrl-C, or where memory ends, at any step of a call: later calls are right, and earlier answers last."""

import os
import random

import numpy as np
import pytest
from faulty_device import FaultyDevice
from late_device import Lot
from tiny_graphs import named

import warpath
from warpath.errors import OutOfMemoryError

VERTICES, STEPS = 60, 10
SOURCES = [5, 0, 59, 17, 33, 8]
TAILS, HEADS = np.random.default_rng(3).integers(0, VERTICES, (2, 4 * VERTICES))


def graph_of(seed):
    return warpath.from_arcs(VERTICES, TAILS, HEADS, np.random.default_rng(seed).integers(1, 90, len(TAILS)))


def right(graph):
    return warpath.apsp(graph, device="cpu").distances


def rows(solver, asked, **options):
    """A call for rows, and a check of them, which may be made later."""
    graph, paths = solver.graph, solver.sssp(asked, **options)

    def check():
        np.testing.assert_array_equal(paths.distances, right(graph)[asked])
        if paths.predecessors is not None:
            warpath.certify(graph, asked, paths.distances, paths.predecessors, device="cpu")

    return check


def matrix(solver, **options):
    graph, paths = solver.graph, solver.apsp(**options)
    return lambda: np.testing.assert_array_equal(paths.distances, right(graph))


def chunks(solver, **options):
    graph, found = solver.graph, list(solver.stream(SOURCES, chunk=2, **options))

    def check():
        sources, distances, *_ = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
        np.testing.assert_array_equal(distances, right(graph)[sources])

    return check


def table(solver):
    graph, found = solver.graph, solver.table(SOURCES, [3, 9, 3])
    return lambda: np.testing.assert_array_equal(found.distances, right(graph)[np.ix_(SOURCES, [3, 9, 3])])


def pairs(solver):
    graph, found = solver.graph, solver.pairs(SOURCES, SOURCES[::-1])
    return lambda: np.testing.assert_array_equal(found.distances, right(graph)[SOURCES, SOURCES[::-1]])


def update(solver):
    solver.update(graph_of(int(solver.graph.weights.sum())).weights)
    return rows(solver, 8)


def closure(solver):
    graph, found = solver.graph, solver.closure()
    return lambda: np.testing.assert_array_equal(found.reachable, right(graph) != warpath.UNREACHABLE)


def by(algorithm, variant, call=rows, **options):
    asked = {"asked": SOURCES} if call is rows else {}
    return lambda solver: call(solver, **{**asked, **options}, algorithm=algorithm, variant=variant)


CALLS = {
    "one source": lambda solver: rows(solver, 8),
    "one source, not certified": lambda solver: rows(solver, 17, certify=False),
    "several sources": lambda solver: rows(solver, SOURCES),
    "a stream": chunks,
    "a table": table,
    "pairs": pairs,
    "an update": update,
    "closure": closure,
    "near_far.queue": by("near_far", "queue"),
    "near_far.whole_grid": by("near_far", "whole_grid", chunks, predecessors=True),
    "label_correcting.batch": by("label_correcting", "batch", chunks, certify=False),
    "partition.borders": by("partition", "borders", certify=False),
    "contraction_hierarchy.sweep": by("contraction_hierarchy", "sweep", predecessors=False),
    "floyd_warshall.lookahead": by("floyd_warshall", "lookahead", matrix),
    "floyd_warshall.shared_rows": by("floyd_warshall", "shared_rows", matrix),
    "sparse_all_pairs.narrow": by("sparse_all_pairs", "narrow", matrix, predecessors=False),
}
AFTER = ("one source, not certified", "several sources", "a stream", "a table")


@pytest.mark.parametrize("is_first", [True, False], ids=["first", "later"])
@pytest.mark.parametrize("name", CALLS)
def test_calls_after_one_that_failed_are_right(name, is_first):
    call, kept = CALLS[name], []
    chance = random.Random(os.environ["WARPATH_TEST_SEED"] + name)

    def asked(solver, names):
        kept[:] = [*kept[-3:], *(CALLS[name](solver) for name in names)]
        for check in kept:
            check()

    def solver_of(device):
        solver = warpath.prepare(graph_of(1), device, calls=chance.choice([1, 1000]))
        kept.clear()
        if not is_first:
            asked(solver, [name, *chance.sample(AFTER, 1)])
        return solver

    device = FaultyDevice(Lot(0))
    solver = solver_of(device)
    device.never_fails()
    asked(solver, [name])
    steps = range(1, device.calls + 1)
    for step in chance.sample(steps, min(STEPS, len(steps))):
        error, after = chance.choice([KeyboardInterrupt, OutOfMemoryError]), chance.random() < 0.5
        device = FaultyDevice(Lot(step))
        solver = solver_of(device)
        with named(f"{error.__name__} {'after' if after else 'before'} step {step} of {len(steps)}"):
            device.fails(step, error("injected"), after)
            try:
                check = call(solver)
            except (KeyboardInterrupt, warpath.WarpathError):
                if name == "an update":
                    kept.clear()
            else:
                kept.append(check)
            device.never_fails()
            asked(solver, [name, *chance.sample(AFTER, 2), name])
