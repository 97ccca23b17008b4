"""harish and locality beyond the contract: all parameters, and counters that say what was done."""

import numpy as np
import pytest
from every_device import opened
from hypothesis import given, settings, strategies
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import TINY, graph, grid_of, random_graphs

from warpath.certificates.certificate import certify
from warpath.distances import UNREACHABLE
from warpath.solvers.one_source.four_arcs import FourArcsPlan
from warpath_study.measure.runs import code_of, find
from warpath_study.published.safari_ebnenasir.label_correcting.harish import HarishPlan
from warpath_study.published.safari_ebnenasir.label_correcting.locality import VARIANT, LocalityPlan, tune


@pytest.fixture(scope="module")
def device():
    return opened("shuffle", seed=3)


both = pytest.mark.parametrize("plan_of", [LocalityPlan, FourArcsPlan])


@both
@pytest.mark.parametrize(("k", "vertices_per_thread"), [(1, 1), (1, 32), (3, 2), (16, 1), (16, 32)])
@settings(max_examples=8)
@given(graph=random_graphs(vertices_max=60, arcs_per_vertex=6, weights=(0, 9)), unread=strategies.integers(0, 6))
def test_all_parameters_give_shortest_paths(plan_of, k, vertices_per_thread, graph, unread):
    device = opened("shuffle", seed=k)
    solution = plan_of(device, graph, 0, k, vertices_per_thread, unread).solve()
    reference = dijkstra(graph.to_scipy(), indices=0)
    np.testing.assert_array_equal(
        solution.distances, np.where(np.isinf(reference), UNREACHABLE, reference).astype(np.int32)
    )
    certify(graph, 0, solution.distances, solution.predecessors)


@both
def test_a_vertex_with_many_arcs(plan_of, device):
    star = graph(40, *[(0, v, 40 - v) for v in range(1, 40)], *[(v, v - 1, 1) for v in range(2, 40)])
    solution = plan_of(device, star, 0, k=3).solve()
    certify(star, 0, solution.distances, solution.predecessors)


def test_harish_takes_an_iteration_an_arc_and_one_that_finds_nothing(device):
    plan = HarishPlan(device, grid_of(33, 2), 0)
    plan.solve()
    assert plan.counters["iterations"] == plan.counters["host_reads"] == 33
    assert plan.counters["launches"] == 2 * 33 + 1  # and one for the predecessors
    assert (plan.counters["bytes_per_vertex"], plan.counters["bytes_per_arc"]) == (4 + 4 + 4 + 4 + 1, 8)


@pytest.mark.parametrize(("k", "launches"), [(1, 33), (2, 17), (4, 9), (16, 3)])
@both
def test_a_launch_goes_k_arcs(plan_of, device, k, launches):
    plan = plan_of(device, grid_of(33, 2), 0, k=k, unread_launches=0)
    plan.solve()
    assert plan.counters["iterations"] == plan.counters["host_reads"] == launches
    assert plan.counters["launches"] == launches + 1


@pytest.mark.parametrize("unread", [0, 1, 7, 8, 20, 50])
def test_the_host_reads_only_after_the_unread_launches(device, unread):
    plan = LocalityPlan(device, grid_of(33, 2), 0, k=4, unread_launches=unread)
    solution = plan.solve()
    assert plan.counters["host_reads"] == max(1, 9 - unread)
    assert plan.counters["iterations"] == unread + plan.counters["host_reads"]
    assert solution.distances.tolist() == [2 * v for v in range(33)]


def test_a_second_solve_counts_from_zero(device):
    plan = LocalityPlan(device, grid_of(33, 2), 0, k=4, unread_launches=2)
    plan.solve()
    first = dict(plan.counters)
    plan.counters.clear()
    plan.solve()
    assert dict(plan.counters) == first


def test_atomics_are_counted_in_a_compile_of_its_own(device):
    path = grid_of(33, 2)
    silent, counting = HarishPlan(device, path, 0), HarishPlan(device, path, 0, counting=True)
    silent.solve()
    counting.solve()
    assert "atomics" not in silent.counters
    assert counting.counters["atomics"] == path.arcs  # each vertex is relaxed once
    looped = graph(33, *[(v, v + 1, 2) for v in range(32)], *[(v, v, 0) for v in range(33)])
    locality = LocalityPlan(device, looped, 0, k=4, counting=True)
    for _ in range(2):
        locality.solve()
        assert locality.counters["bytes_per_vertex"] == 4 + 4 + 4 + 1 + 1
        assert locality.counters["atomics"] == 32  # only arcs that lower a distance; not added up over solves


@both
@pytest.mark.parametrize("k", [1, 3])
def test_arcs_that_lower_nothing_are_not_followed(plan_of, device, k):
    looped = graph(33, *[(v, v + 1, 2) for v in range(32)], *[(v, v, 0) for v in range(33)])
    plan = plan_of(device, looped, 0, k=k, unread_launches=0)
    plan.solve()
    assert plan.counters["iterations"] == 33 // k + (33 % k > 0)


def test_reads_for_predecessors_are_counted_where_weights_are_zero(device):
    plan = HarishPlan(device, TINY["all weights zero"], 0)
    plan.solve()
    assert plan.counters["host_reads"] > plan.counters["iterations"]


def test_tuning_divides_the_fewest_iterations_of_harish_by_k(device):
    path = grid_of(33, 2)  # 33 iterations from an end, 17 from the middle
    assert tune(device, path, [0, 16, 32], {**VARIANT.configured().settings, "k": 4}) == {"unread_launches": 17 // 4}
    assert tune(device, path, [0], {**VARIANT.configured().settings, "k": 1}) == {"unread_launches": 33}


def test_a_run_depends_on_the_kernel_that_tunes_it():
    assert "harish.cu" in code_of(find("label_correcting", "locality"), "cuda").kernels
