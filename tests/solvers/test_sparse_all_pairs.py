"""Sparse all pairs beyond the contract: the guard of 16 bits, helpers, rows without arcs, and what does not fit."""

from unittest.mock import patch

import numpy as np
import pytest
from every_device import SIMULATED_DEVICES, opened
from hypothesis import given, settings, strategies
from planned import planned, solve_rows
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import TINY, graph, random_graphs

from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.device.resident import resident
from warpath.distances import UNREACHABLE
from warpath.errors import DeviceError, UsageError
from warpath.graphs.csr import from_arcs
from warpath.solvers.choice.facts import shape_of
from warpath.solvers.many_sources.core import narrow
from warpath.solvers.many_sources.core._core import ARCS_A_HEAD_MAX, Core, core_size_at_least, core_size_at_most, fits
from warpath.solvers.many_sources.core.narrow import WEIGHT_MAX, CoreLaunch, Narrow


def in_16_bits(device, graph, **options):
    return planned(Narrow, device, graph, None, **options)


def in_32_bits(device, graph, **options):
    """A plan whose weights count as too heavy for 16 bits."""
    with patch.object(narrow, "WEIGHT_MAX", -1):
        return in_16_bits(device, graph, **options)


both = pytest.mark.parametrize("plan_of", [in_16_bits, in_32_bits])


def reference(graph):
    distances = dijkstra(graph.to_scipy())
    return np.where(np.isinf(distances), UNREACHABLE, distances).astype(np.int32)


def line(*weights):
    return graph(len(weights) + 1, *[(tail, tail + 1, weight) for tail, weight in enumerate(weights)])


@both
@pytest.mark.parametrize("words", [1, 2, 4])
@pytest.mark.parametrize("order", SIMULATED_DEVICES)
@settings(max_examples=6)
@given(graph=random_graphs(vertices_max=100))
def test_any_number_of_words_gives_shortest_paths(plan_of, words, order, graph):
    device = opened(order, seed=words)
    solution = plan_of(device, graph, words=words, block=(64,)).solve()
    np.testing.assert_array_equal(solution.distances, reference(graph))
    certify(graph, None, solution.distances, solution.predecessors)


@pytest.mark.parametrize("heaviest", [200, WEIGHT_MAX, WEIGHT_MAX + 1])
def test_distances_around_what_16_bits_hold_are_exact(heaviest):
    """A line whose last arcs pass the limit, or the guard one or two arcs before it, by some little."""
    device = open_device("simulated")
    ends = [limit - before * heaviest for limit in (2**15, 2**16 - 1, 2**16) for before in (0, 1, 2)]
    for length in sorted({end + beyond for end in ends for beyond in (-2, -1, 0, 1, 2)}):
        steps, rest = divmod(length, heaviest)
        path = line(*[heaviest] * steps, rest, heaviest, heaviest, 0)
        found = np.empty((1, path.vertices), np.int32)
        plan = in_16_bits(device, path, predecessors=False, words=1, block=(32,))
        solve_rows(plan, np.zeros(1, np.int32), found, None)
        np.testing.assert_array_equal(found[0], np.append(0, np.cumsum(path.weights)))


@given(weights=strategies.lists(strategies.integers(0, WEIGHT_MAX), min_size=3, max_size=24))
def test_a_line_of_heavy_arcs_is_exact(weights):
    path = line(*weights)
    plan = in_16_bits(open_device("simulated"), path, words=1, block=(32,))
    np.testing.assert_array_equal(plan.solve().distances, reference(path))


def overflows(plan, monkeypatch):
    """The words of the guard after a solve."""
    seen = []
    enqueue = CoreLaunch.enqueue

    def noted(self, solver, rows, filled_count, distances, overflowed):
        enqueue(self, solver, rows, filled_count, distances, overflowed)
        seen.append(overflowed.copy())

    monkeypatch.setattr(CoreLaunch, "enqueue", noted)
    plan.solve()
    return seen[0].tolist()


def test_the_guard_strikes_only_where_it_has_to(monkeypatch):
    """Two sources a block: those that lie near the end of the line need no wider distances."""
    path = line(*[10_000] * 7)
    struck = overflows(in_16_bits(open_device("simulated"), path, words=1), monkeypatch)
    assert struck == [1, 1, 0, 0]  # from vertex 2 the end is 50,000 away, from vertex 3 it is 40,000
    assert overflows(in_16_bits(open_device("simulated"), TINY["path of 64"], words=1), monkeypatch) == [0] * 32


@both
def test_vertices_with_many_arcs_into_them_get_helpers(plan_of):
    count = ARCS_A_HEAD_MAX**2 + 100  # so that helpers get helpers
    tails = np.arange(1, count)
    arcs = [(tail, 0, int(tail) % 7 + 1) for tail in tails]
    star = graph(count + 1, *arcs, (0, 5, 2), *[(tail, count, 9) for tail in tails])  # into the core, and into a sink
    core = Core.of(star, warps=2)
    assert core.size > count and np.diff(core.inside.starts).max() <= ARCS_A_HEAD_MAX
    distances = np.full((3, count + 1), 77, np.int32)
    plan = plan_of(opened("shuffle"), star, predecessors=False)
    solve_rows(plan, np.array([1, 0, count], np.int32), distances, None)
    expected = dijkstra(star.to_scipy(), indices=[1, 0, count])
    np.testing.assert_array_equal(distances, np.where(np.isinf(expected), UNREACHABLE, expected))


@both
def test_rows_without_arcs_are_filled_at_any_alignment(plan_of):
    for vertices in (1, 2, 3, 4, 5, 6, 7, 9, 130):
        lonely = graph(vertices + 1, (0, vertices, 1))
        solution = plan_of(opened("shuffle"), lonely, block=(32,)).solve()
        np.testing.assert_array_equal(solution.distances, reference(lonely))


@both
def test_more_rows_without_arcs_than_blocks_fill_beside_their_own(plan_of, monkeypatch):
    monkeypatch.setattr("warpath.solvers.many_sources.core.narrow.FILLS_A_BLOCK", 1)
    np.testing.assert_array_equal(
        plan_of(open_device("simulated"), TINY["sinks"], words=1).solve().distances, reference(TINY["sinks"])
    )


@both
def test_the_core_of_a_graph_decides_whether_it_fits(plan_of, monkeypatch):
    device = open_device("simulated")
    monkeypatch.setattr("warpath.device.simulated.device.DYNAMIC_SHARED_BYTES_MAX", 4 * (96 + 3 * 3 + 1))
    small, large = TINY["path of 64"], TINY["scattered path of 97"]
    has_room = lambda of: fits(found := resident(device, of), shape_of(found))  # noqa: E731
    assert has_room(small) and not has_room(large)
    assert plan_of(device, small).words == 1
    with pytest.raises(UsageError, match="97"):
        plan_of(device, large)
    wide_star = from_arcs(500, np.zeros(499, int), np.arange(1, 500), np.ones(499, int))
    assert has_room(wide_star)  # 500 vertices, one of them with arcs


@given(random_graphs(vertices_max=80, arcs_per_vertex=60))
def test_the_size_of_a_core_lies_within_its_bounds(graph):
    assert core_size_at_least(graph) <= Core.of(graph, warps=1).size <= core_size_at_most(graph)


def test_heads_with_many_arcs_count_before_the_core_is_made():
    count = ARCS_A_HEAD_MAX**2 + 100
    inward = from_arcs(count, np.arange(1, count), np.zeros(count - 1, int), np.ones(count - 1, int))
    assert Core.of(inward, warps=1).size == core_size_at_most(inward) > core_size_at_least(inward) + count // 32


@both
def test_a_solve_that_was_ended_is_an_error(plan_of):
    plan = plan_of(open_device("simulated"), TINY["ties"])
    plan.unfinished[0] = 1
    with pytest.raises(DeviceError, match="sweep"):
        plan.solve()
