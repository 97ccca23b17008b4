"""Copies in streams of their own are as late as a GPU may be with them, and no call overwrites what they read."""

import numpy as np
import pytest
from late_device import LateDevice, Lot
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import named

import warpath

VERTICES = 40
NUMBERS = np.random.default_rng(5)
ARCS = NUMBERS.integers(0, VERTICES, (2, 4 * VERTICES))
GRAPH = warpath.from_arcs(VERTICES, *ARCS, NUMBERS.integers(1, 100, 4 * VERTICES))
RIGHT = dijkstra(GRAPH.to_scipy())
SOURCES = [5, 0, 39, 17, 5, 33, 8]
SOLVERS = [
    ("near_far", "queue"),
    ("near_far", "whole_grid"),
    ("label_correcting", "four_arcs"),
    ("label_correcting", "batch"),
    ("partition", "borders"),
]
BETWEEN = {
    "one source": lambda solver, **how: solver.sssp(3, **how),
    "distances from one source": lambda solver, **how: solver.sssp(3, predecessors=False, **how),
    "near": lambda solver, **how: solver.sssp(3, cutoff=50, **how),
    "several sources": lambda solver, **how: solver.sssp([3, 3, 3], **how),
    "a table": lambda solver, **how: solver.table([3, 3, 3], [4]),
    "a stream": lambda solver, **how: list(solver.stream([3, 3, 3], chunk=1, **how)),
    "a part of a stream": lambda solver, **how: next(solver.stream([3, 3, 3], chunk=1, **how)),
}
OPTIONS = [{}, {"predecessors": True}, {"targets": [7, 5, 9]}, {"cutoff": 70}]


def solvers(algorithm, variant):
    for seed in range(2):
        with named(f"seed {seed}"):
            yield warpath.prepare(GRAPH, LateDevice(Lot(seed))), {"algorithm": algorithm, "variant": variant}


def check(sources, distances, predecessors=None, targets=None, cutoff=np.inf):
    right = np.where(RIGHT[sources] <= cutoff, RIGHT[sources], np.inf)[:, slice(None) if targets is None else targets]
    np.testing.assert_array_equal(np.where(distances == warpath.UNREACHABLE, np.inf, distances), right)
    if predecessors is not None:
        certified = warpath.certify(GRAPH, list(sources), distances, predecessors, device="cpu")
        assert certified.sources == len(sources)


@pytest.mark.parametrize(("algorithm", "variant"), SOLVERS)
@pytest.mark.parametrize("predecessors", [True, False])
def test_rows_from_several_sources(algorithm, variant, predecessors):
    for solver, how in solvers(algorithm, variant):
        how["predecessors"] = predecessors
        for sources, paths in [
            (asked, solver.sssp(asked, **how)) for asked in (SOURCES, SOURCES[::-1], range(VERTICES))
        ]:
            check(sources, paths.distances, paths.predecessors)


@pytest.mark.parametrize(("algorithm", "variant"), SOLVERS)
@pytest.mark.parametrize("chunk", [1, 3])
def test_streams_while_other_calls_run_between_their_chunks(algorithm, variant, chunk):
    for solver, how in solvers(algorithm, variant):
        for options in OPTIONS:
            for name, between in BETWEEN.items():
                with named(f"{options}, {name}"):
                    found = []
                    for part in solver.stream(SOURCES, chunk=chunk, **how, **options):
                        found.append(part)
                        between(solver, **how)
                    sources, *rows = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
                    kept = {name: value for name, value in options.items() if name != "predecessors"}
                    check(sources, *rows, **kept)
