"""Answers a few sources at a time: the same rows as all at once, whatever solves and however many fit."""

import numpy as np
import pytest
from examples import fewer
from hypothesis import given, strategies
from reordering_device import LateDevice, Lot
from tiny_graphs import TINY, random_graphs

import warpath
from warpath.errors import CertificateError, UsageError
from warpath.solvers import variants

GRAPH = TINY["zero weights in a circle"]
BY_ROWS = [variant for variant in variants() if variant.problem == "sssp" or variant.many_sources]


@pytest.mark.parametrize("variant", BY_ROWS, ids=lambda variant: f"{variant.algorithm}.{variant.name}")
@pytest.mark.parametrize("output", ["host", "device"])
def test_chunks_are_the_rows_of_the_whole_answer(variant, output):
    solver = warpath.prepare(GRAPH, "simulated")
    named = {"algorithm": variant.algorithm, "variant": variant.name}
    sources = [3, 0, 3, 1, 2]
    whole = solver.sssp(sources, **named)
    pieces = list(solver.stream(sources, chunk=2, predecessors=True, output=output, **named))
    assert {len(piece[0]) for piece in pieces} <= {1, 2}
    np.testing.assert_array_equal(np.concatenate([piece[0] for piece in pieces]), sources)
    np.testing.assert_array_equal(np.concatenate([piece[1] for piece in pieces]), whole.distances)
    np.testing.assert_array_equal(np.concatenate([piece[2] for piece in pieces]), whole.predecessors)


@fewer
@given(graph=random_graphs(vertices_max=30), chunk=strategies.integers(1, 40))
def test_without_sources_every_vertex_has_its_turn(graph, chunk):
    solver = warpath.prepare(graph, "simulated")
    rows = [row for _, distances in solver.stream(chunk=chunk) for row in distances]
    expected = solver.apsp(predecessors=False)
    np.testing.assert_array_equal(np.array(rows).reshape(expected.distances.shape), expected.distances)


@pytest.mark.parametrize("algorithm", ["near_far", "sparse_all_pairs", "contraction_hierarchy"])
def test_a_late_copy_is_not_overtaken_by_later_sources(algorithm):
    numbers = np.random.default_rng(1)
    for seed in range(8):
        vertices = int(numbers.integers(20, 70))
        tails, heads = numbers.integers(0, vertices, (2, 4 * vertices))
        graph = warpath.from_arcs(vertices, tails, heads, numbers.integers(1, 50, 4 * vertices))
        sources = numbers.integers(0, vertices, 13)
        solver = warpath.prepare(graph, LateDevice(Lot(seed)))
        rows = np.concatenate([rows for _, rows in solver.stream(sources, chunk=2, algorithm=algorithm)])
        np.testing.assert_array_equal(rows, warpath.sssp(graph, sources, device="cpu").distances)


def test_targets_and_a_cutoff_hold_for_each_chunk():
    solver = warpath.prepare(GRAPH, "simulated")
    whole = solver.table([0, 1, 2], [2, 0], cutoff=1)
    rows = [row for _, distances in solver.stream([0, 1, 2], targets=[2, 0], cutoff=1, chunk=2) for row in distances]
    np.testing.assert_array_equal(rows, whole.distances)


def test_no_sources_give_no_chunks():
    assert list(warpath.prepare(GRAPH, "simulated").stream([])) == []


def test_a_caller_may_stop_early_and_go_on():
    solver = warpath.prepare(GRAPH, "simulated")
    for _, _ in solver.stream(chunk=1):
        break
    assert solver.sssp(0).distances[0] == 0


def test_a_wrong_chunk_is_not_given_out(monkeypatch):
    solver = warpath.prepare(GRAPH, "simulated")
    honest = solver._cache.certified

    def falsified(variant, sources, distances, predecessors):
        distances[-1, sources[-1]] += 2 in sources
        return honest(variant, sources, distances, predecessors)

    monkeypatch.setattr(solver._cache, "certified", falsified)
    stream = solver.stream([0, 1, 2, 3], chunk=1)
    assert next(stream)[0].tolist() == [0]
    with pytest.raises(CertificateError, match="source 2"):
        list(stream)


@pytest.mark.parametrize("chunk", [0, -1, 1.5, True, "2"])
def test_chunks_that_are_no_numbers_of_sources(chunk):
    with pytest.raises(UsageError, match="not a number of sources"):
        warpath.prepare(GRAPH, "simulated").stream(chunk=chunk)


def test_what_a_graph_turns_out_not_to_suit_is_replaced(monkeypatch):
    from warpath.solvers.many_sources.sweep import sweep

    def refuse(*_):
        tried.append(1)
        raise UsageError("too many separators")

    tried: list[int] = []
    monkeypatch.setattr(sweep.Elimination, "of", refuse)
    long = warpath.from_arcs(400, range(399), range(1, 400), [1] * 399)
    solver = warpath.prepare(long, "simulated")
    for _ in range(2):
        paths = solver.sssp(range(20), predecessors=False)
        assert paths.variant != "contraction_hierarchy.sweep" and len(tried) == 1
    assert paths.distances[3, 399] == 396
    with pytest.raises(UsageError, match="too many separators"):
        solver.sssp(range(20), algorithm="contraction_hierarchy")
