"""Near-far by queues: lists and queues too short, heavy vertices, and any number of hops, lanes and threads."""

from itertools import pairwise

import numpy as np
import pytest
from every_device import SIMULATED_DEVICES, opened
from families import make
from hypothesis import given, strategies
from scipy_reference import reference
from tiny_graphs import graph as tiny
from tiny_graphs import random_graphs, scattered_path

from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.distances import unreachable
from warpath.graphs.csr import Graph, from_arcs
from warpath.graphs.weights import with_random_weights
from warpath.solvers.one_source.near_far.queue import QueuePlan, lanes_for
from warpath_study.datasets.generate import generate

TIGHT = {"LIST_MAX": 3, "HEAVY_ARCS": 5, "HEAVY_MAX": 1, "HOPS_WIDE": 1, "WIDE": 2}
SMALL = {"block": (32,), "share": 1, "hops": 2}
OVERFLOWED = 1  # a word of the status


@pytest.fixture(scope="module", params=SIMULATED_DEVICES)
def device(request):
    return opened(request.param, seed=5)


@pytest.fixture(scope="module")
def shuffled():
    return opened("shuffle", seed=3)


def solved(device, graph, source=0, **settings):
    plan = QueuePlan(device, graph, source, **settings)
    solution = plan.solve()
    np.testing.assert_array_equal(solution.distances, reference(graph, source))
    if solution.predecessors is not None:
        certify(graph, source, solution.distances, solution.predecessors)
    return plan


@given(
    graph=random_graphs(vertices_max=150, arcs_per_vertex=8),
    delta=strategies.sampled_from([1, 3, 20, 10**6, 2**31 - 1]),
    lanes=strategies.sampled_from([1, 2, 4, 8, 32]),
    hops=strategies.sampled_from([1, 2, 5]),
    threads=strategies.sampled_from([32, 64]),
    macros=strategies.sampled_from([TIGHT, {}]),
    data=strategies.data(),
)
def test_is_exact_whatever_finds_no_room(shuffled, graph, delta, lanes, hops, threads, macros, data):
    source = data.draw(strategies.integers(0, graph.vertices - 1))
    settings = {"delta": delta, "lanes": lanes, "hops": hops, "block": (threads,), "macros": macros}
    solved(shuffled, graph, source, share=1, predecessors=False, **settings)


@pytest.mark.parametrize(
    ("seed", "arcs", "threads", "lanes", "delta"),
    [(1, 1650, 64, 4, 10**5), (908, 900, 64, 8, 2000), (945, 900, 128, 8, 200), (1299, 900, 128, 8, 200)],
)
def test_lanes_of_a_vertex_relax_with_one_distance(shuffled, seed, arcs, threads, lanes, delta):
    """In these orders of threads, another warp lowers the distance of a vertex while its lanes read it."""
    numbers = np.random.default_rng(seed)
    of = from_arcs(150, *numbers.integers(0, 150, (2, arcs)), numbers.integers(1, 10_001, arcs))
    solved(shuffled, of, predecessors=False, delta=delta, lanes=lanes, hops=1, block=(threads,), share=1, macros=TIGHT)


@pytest.mark.parametrize(
    ("lanes", "arcs"),
    [
        # 1 falls three times in a hop; one fall is listed, and the others are queued.
        (4, [(0, 1, 5), (0, 1, 4), (0, 1, 3), (1, 2, 1)]),
        # The only record of 1 has the inverted head 0.
        (1, [(0, 1, 1), (1, 0, 1), (1, 2, 1)]),
    ],
)
def test_a_vertex_is_not_lost_within_a_step(device, lanes, arcs):
    graph = tiny(3, *arcs)
    solved(device, graph, predecessors=False, lanes=lanes, delta=10, block=(32,), macros={"LIST_MAX": 1})


@given(
    graph=random_graphs(vertices_max=150, arcs_per_vertex=8),
    delta=strategies.sampled_from([1, 3, 20, 10**6]),
    steps=strategies.integers(1, 60),
    hops=strategies.sampled_from([1, 2, 5]),
    threads=strategies.sampled_from([32, 64]),
    macros=strategies.sampled_from([TIGHT, {}]),
    data=strategies.data(),
)
def test_a_solve_that_was_stopped_goes_on(shuffled, graph, delta, steps, hops, threads, macros, data):
    source, other = (data.draw(strategies.integers(0, graph.vertices - 1)) for _ in range(2))
    plan = QueuePlan(shuffled, graph, source, True, delta, block=(threads,), share=1, hops=hops, macros=macros)
    for begun, then in ((source, source), (source, other), (other, other)):
        plan.begin_solve(begun, steps)
        plan.start(then)
        plan.run_until_settled()
        np.testing.assert_array_equal(plan.distances, reference(graph, then))
        certify(graph, then, plan.distances, plan.predecessors)


@pytest.mark.parametrize("weights", [np.int32, np.float32, np.float64])
def test_a_solve_stops_after_so_many_steps(device, weights):
    path = scattered_path(3000)
    of = Graph(path.indptr, path.indices, path.weights.astype(weights))
    plan = QueuePlan(device, of, 0, delta=10**6)
    reached = []
    for steps in (1, 10, 100, 1000, 2**40):
        ended, share = plan.begin_solve(0, steps)
        reached.append(np.count_nonzero(plan.distances < unreachable(np.dtype(weights))))
        assert share == pytest.approx(reached[-1] / of.vertices, abs=0.1) and ended == (steps == 2**40)
        plan.start(1)
    assert reached[-1] == 3000 and all(few < more for few, more in pairwise(reached))
    assert all(few <= 2 * steps for few, steps in zip(reached, (1, 10, 100, 1000), strict=False))


@pytest.mark.parametrize(("tail", "noticed"), [(1, True), (88, False)])
def test_a_sum_beyond_32_bits_is_noticed_before_and_after_a_stop(device, tail, noticed):
    path = [(at, at + 1, 1) for at in range(90)]
    plan = QueuePlan(device, tiny(100, *path, (tail, 95, 2**31 - 2)), 0, delta=10)
    ended, _ = plan.begin_solve(0, 20)
    assert not ended and bool(plan.status[OVERFLOWED]) == noticed
    plan.start(0)
    plan.run_until_settled()
    assert not plan.sums_fit


def test_a_solve_that_was_begun_twice_goes_on_once(device):
    plan = QueuePlan(device, scattered_path(3000), 0)
    first = plan.begin_solve(0, 100)
    launches, seconds = plan.counters["launches"], plan.begun_s
    assert plan.begin_solve(0, 50) == first and plan.counters["launches"] == launches and plan.begun_s == seconds > 0
    plan.start(1)
    assert plan.begun_s == 0


@pytest.mark.parametrize("weights", [(0, 1), (0, 4), (1, 101)])
@pytest.mark.parametrize("macros", [TIGHT, {}])
def test_vertices_with_more_arcs_than_a_block_has_threads(device, weights, macros):
    """Some are met in the same hop, beyond what a block takes as heavy at once."""
    numbers = np.random.default_rng(3)
    tails = np.concatenate([np.zeros(9, np.int64), np.repeat(np.arange(1, 10), 300), numbers.integers(0, 400, 900)])
    heads = np.concatenate([np.arange(1, 10), numbers.integers(0, 400, 9 * 300 + 900)])
    of = from_arcs(400, tails, heads, numbers.integers(*weights, len(tails)))
    solved(device, of, block=(64,), lanes=4, macros=macros)


@pytest.mark.parametrize("weights", [np.int32, np.float64])
def test_a_vertex_that_waits_beyond_half_a_step_is_not_forgotten(device, weights):
    """The first step of the threshold ends at 1, the second at 12, and because of four vertices in it, at 11."""
    of = tiny(6, (0, 1, 10), (0, 2, 10), (0, 3, 10), (0, 4, 11), (4, 5, 7))
    of = Graph(of.indptr, of.indices, of.weights.astype(weights))
    solved(device, of, delta=1, macros={"WIDE": 2})


def test_long_paths_are_followed_by_one_block(device):
    solved(device, scattered_path(300), **SMALL)
    solved(device, with_random_weights(generate("power_law", vertices=600, arcs=6000), seed=4), **SMALL, macros=TIGHT)


@pytest.mark.parametrize(("degree", "lanes"), [(0, 4), (4, 4), (5, 8), (8, 8), (9, 16), (200, 16)])
def test_lanes_follow_the_degrees_of_most_vertices(degree, lanes):
    tails = np.repeat(np.arange(300), degree)
    assert lanes_for(from_arcs(301, tails, (tails + 1) % 301, np.ones(len(tails), np.int64))) == lanes


@pytest.mark.cuda
@pytest.mark.parametrize("steps", [1, 20, 300, 2000])
def test_many_blocks_stop_together_and_go_on(steps):
    cuda = open_device("cuda")
    for family, vertices in (("road", 30_000), ("long grid", 30_000), ("R-MAT, degree 32", 16_384), ("comb", 9_000)):
        of = make(family, vertices, seed=3)
        plan = QueuePlan(cuda, of, 0)
        for source in (0, of.vertices // 2, of.vertices - 1):
            plan.begin_solve(source, steps)
            plan.start(source)
            plan.run_until_settled()
            np.testing.assert_array_equal(plan.distances.get(), reference(of, source))
            certify(of, source, plan.distances.get(), plan.predecessors.get())


@pytest.mark.cuda
@pytest.mark.parametrize("macros", [{**TIGHT, "LIST_MAX": 40}, {}])
def test_many_blocks_find_what_one_finds(macros):
    cuda = open_device("cuda")
    for family, vertices in (
        ("road", 30_000),
        ("random, degree 4", 20_000),
        ("R-MAT, degree 32", 16_384),
        ("comb", 9_000),
    ):
        of = make(family, vertices, seed=2)
        for lanes, share in ((4, 1), (8, 16), (32, 300)):
            plan = QueuePlan(cuda, of, 0, lanes=lanes, share=share, macros=macros)
            for source in (0, vertices // 2, vertices - 1):
                plan.start(source)
                plan.run()
                np.testing.assert_array_equal(plan.distances.get(), reference(of, source))
                certify(of, source, plan.distances.get(), plan.predecessors.get())
