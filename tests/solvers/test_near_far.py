"""Near-far by the whole GPU and by queues: any delta, pieces, hops and lanes, and what finds no room."""

from itertools import pairwise

import numpy as np
import pytest
from every_device import SIMULATED_DEVICES, opened
from families import make
from hypothesis import given, strategies
from planned import planned
from scipy_reference import reference
from tiny_graphs import TINY, graph, named, random_graphs, scattered_path

from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.distances import UNREACHABLE, unreachable
from warpath.errors import DeviceError
from warpath.graphs.csr import Graph, from_arcs
from warpath.graphs.weights import with_random_weights
from warpath.solvers.one_source.near_far.queue import Queue
from warpath.solvers.one_source.near_far.whole_grid import WholeGrid, pieces_of
from warpath_study.datasets.generate import generate

SMALL = {"block": (32,), "piece": 3}
SMALL_OF = {WholeGrid: SMALL, Queue: {"block": (32,), "share": 1, "hops": 2}}
NEVER_ALONE = {"ARCS_ALONE_MAX": 0, "PULLS_OF_A_LANE": 1}
ALONE = {"ARCS_ALONE_MAX": 10**6, "ROUNDS_ALONE_MAX": 3, "PULLS_OF_A_LANE": 0}


@pytest.fixture(scope="module", params=SIMULATED_DEVICES)
def device(request):
    return opened(request.param, seed=5)


@pytest.fixture(scope="module")
def shuffled():
    return opened("shuffle", seed=3)


def solved(device, graph, source=0, plan=WholeGrid, **settings):
    plan = planned(plan, device, graph, source, **settings)
    solution = plan.solve()
    np.testing.assert_array_equal(solution.distances, reference(graph, source))
    if solution.predecessors is not None:
        certify(graph, source, solution.distances, solution.predecessors)
    return plan


def star(spokes, weights, ends=0):
    """Vertex 0 with an arc to each of ``spokes`` vertices, and one arc more from each of ``ends`` of them, in turn."""
    numbers = np.random.default_rng(spokes)
    tails, heads = np.zeros(spokes, np.int64), np.arange(1, spokes + 1)
    more = numbers.integers(1, spokes + 1, ends)
    return from_arcs(
        spokes + 1,
        np.concatenate([tails, more]),
        np.concatenate([heads, numbers.integers(0, spokes + 1, ends)]),
        numbers.integers(*weights, spokes + ends),
    )


@pytest.mark.parametrize("plan", SMALL_OF)
def test_any_delta_gives_the_same(device, plan):
    for name in ("path of 64", "zero weights in a circle", "ties", "largest distance"):
        for delta in (1, 7, 2**31 - 1):
            with named(f"{name}, delta {delta}"):
                solved(device, TINY[name], plan=plan, delta=delta, **SMALL_OF[plan])


@given(
    graph=random_graphs(vertices_max=150, arcs_per_vertex=8),
    delta=strategies.sampled_from([1, 3, 20, 10**6, 2**31 - 1]),
    piece=strategies.sampled_from([1, 2, 5, 128]),
    data=strategies.data(),
)
def test_is_exact_whatever_delta_and_pieces(shuffled, graph, delta, piece, data):
    source = data.draw(strategies.integers(0, graph.vertices - 1))
    solved(shuffled, graph, source, delta=delta, piece=piece, block=(32,), predecessors=False)


@pytest.mark.parametrize("weights", [(0, 1), (0, 4), (1, 101)])
@pytest.mark.parametrize("block", [32, 128])
def test_a_vertex_with_more_arcs_than_a_block_has_threads(device, weights, block):
    solved(device, star(1000, weights, ends=3000), block=(block,), piece=16)


def test_a_heavy_vertex_that_is_reached_late(device):
    """The lone block meets it, and leaves it to all blocks."""
    outward = star(300, (1, 9))
    tails = np.concatenate([outward.tails() + 40, np.arange(40)])
    heads = np.concatenate([outward.indices + 40, np.arange(1, 41)])
    solved(device, from_arcs(341, tails, heads, np.concatenate([outward.weights, np.full(40, 3)])), **SMALL)


@pytest.mark.parametrize("delta", [1, 40, 10**6])
def test_more_vertices_fall_at_once_than_the_queue_holds(device, delta):
    """Vertices that have no place in it are found by their distances."""
    graph = with_random_weights(generate("power_law", vertices=600, arcs=6000), seed=4)
    solved(device, graph, delta=delta, **SMALL)
    solved(device, graph, delta=delta, block=(32,), piece=3, macros=NEVER_ALONE)
    solved(device, graph, delta=delta, block=(32,), piece=600, macros=ALONE)


@given(
    graph=random_graphs(vertices_max=200, arcs_per_vertex=30),
    pulls=strategies.integers(0, 40),
    block=strategies.sampled_from([32, 64]),
)
def test_pulling_finds_what_pushing_finds(shuffled, graph, pulls, block):
    """Where most vertices wait, rounds pull; a lane gives long rows to its warp."""
    for shares in ((0, 0), (0, graph.vertices), (graph.vertices, 0)):
        macros = (NEVER_ALONE, ALONE)[pulls % 2]
        plan = planned(WholeGrid, shuffled, graph, 0, delta=1 + pulls, block=(block,), macros=macros)
        plan.start(0)
        plan.launch.set(pull_above=np.int32(shares[0]), pull_below=np.int32(shares[1]))
        plan.run()
        solution = plan.on_device()
        np.testing.assert_array_equal(solution.distances, reference(graph, 0))
        certify(graph, 0, solution.distances, solution.predecessors)


@pytest.mark.parametrize("macros", [NEVER_ALONE, ALONE])
def test_long_paths_are_followed_by_one_block_and_by_all(device, macros):
    solved(device, scattered_path(97), block=(32,), macros=macros)


@pytest.mark.parametrize("plan", SMALL_OF)
def test_gaps_between_distances_far_wider_than_delta(shuffled, plan):
    solved(shuffled, graph(4, (0, 1, 10**9), (1, 2, 10**9), (2, 3, 5)), plan=plan, delta=1, **SMALL_OF[plan])


@pytest.mark.parametrize("plan", SMALL_OF)
def test_sums_that_would_wrap_are_no_paths(shuffled, plan):
    heavy = graph(5, (0, 1, 2**31 - 2), (1, 2, 2**31 - 2), (0, 3, 2**31 - 2), (3, 2, 1), (2, 4, 1))
    solution = planned(plan, shuffled, heavy, 0, **SMALL_OF[plan], predecessors=False).solve()
    assert solution.distances.tolist() == [0, 2**31 - 2, UNREACHABLE, 2**31 - 2, UNREACHABLE]


@pytest.mark.parametrize("plan", SMALL_OF)
def test_solves_from_one_source_after_another(device, plan):
    graph = scattered_path(97)
    one = planned(plan, device, graph, 0, **SMALL_OF[plan])
    for source in (5, 0, 96, 5):
        one.start(source)
        one.run()
        np.testing.assert_array_equal(one.on_device().distances, reference(graph, source))


def test_predecessors_are_left_out_where_nobody_asks(shuffled):
    assert solved(shuffled, TINY["ties"], **SMALL, predecessors=False).on_device().predecessors is None


@pytest.mark.parametrize("plan", SMALL_OF)
def test_a_launch_that_gave_up_is_reported_and_the_next_solve_works(shuffled, plan):
    one = planned(plan, shuffled, TINY["ties"], 0, **SMALL_OF[plan])
    one.start(0)
    one.iterate(0, 1)
    one.status[0] = 1  # as blocks set it that waited too long
    with pytest.raises(DeviceError, match="queue" if plan is Queue else "whole_grid"):
        one.finish()
    one.start(0)
    one.run()
    np.testing.assert_array_equal(one.on_device().distances, reference(TINY["ties"], 0))


@given(random_graphs(arcs_per_vertex=9), strategies.integers(1, 5))
def test_pieces_cover_each_arc_once(graph, length):
    covered = np.zeros(graph.arcs, int)
    rows = [(vertex, graph.indptr[vertex]) for vertex in range(graph.vertices)]
    for tail, first in [*rows, *zip(*pieces_of(graph.indptr, length), strict=True)]:
        covered[first : min(first + length, graph.indptr[tail + 1])] += 1
    assert (covered == 1).all()


# By queues


TIGHT = {"LIST_MAX": 3, "HEAVY_ARCS": 5, "HEAVY_MAX": 1, "HOPS_WIDE": 1, "WIDE": 2}
OVERFLOWED = 1  # a word of the status


def solved_by_queue(device, of, source=0, **settings):
    return solved(device, of, source, Queue, **settings)


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
    solved_by_queue(shuffled, graph, source, share=1, predecessors=False, **settings)


@pytest.mark.parametrize(
    ("seed", "arcs", "threads", "lanes", "delta"),
    [(1, 1650, 64, 4, 10**5), (908, 900, 64, 8, 2000), (945, 900, 128, 8, 200), (1299, 900, 128, 8, 200)],
)
def test_lanes_of_a_vertex_relax_with_one_distance(shuffled, seed, arcs, threads, lanes, delta):
    """In these orders of threads, another warp lowers the distance of a vertex while its lanes read it."""
    numbers = np.random.default_rng(seed)
    of = from_arcs(150, *numbers.integers(0, 150, (2, arcs)), numbers.integers(1, 10_001, arcs))
    solved_by_queue(
        shuffled, of, predecessors=False, delta=delta, lanes=lanes, hops=1, block=(threads,), share=1, macros=TIGHT
    )


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
    solved_by_queue(
        device, graph(3, *arcs), predecessors=False, lanes=lanes, delta=10, block=(32,), macros={"LIST_MAX": 1}
    )


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
    plan = planned(Queue, shuffled, graph, source, True, delta, block=(threads,), share=1, hops=hops, macros=macros)
    for begun, then in ((source, source), (source, other), (other, other)):
        plan.start(begun)
        plan.begin(begun, plan.rows, steps)
        plan.start(then)
        plan.run_until_settled()
        found = plan.on_device()
        np.testing.assert_array_equal(found.distances, reference(graph, then))
        certify(graph, then, found.distances, found.predecessors)


@pytest.mark.parametrize("weights", [np.int32, np.float32, np.float64])
def test_a_solve_stops_after_so_many_steps(device, weights):
    path = scattered_path(3000)
    of = Graph(path.indptr, path.indices, path.weights.astype(weights))
    plan = planned(Queue, device, of, 0, delta=10**6)
    reached = []
    for steps in (1, 10, 100, 1000, 2**40):
        plan.start(0)
        ended, share = plan.begin(0, plan.rows, steps)
        reached.append(np.count_nonzero(plan.on_device().distances < unreachable(np.dtype(weights))))
        assert share == pytest.approx(reached[-1] / of.vertices, abs=0.1) and ended == (steps == 2**40)
    assert reached[-1] == 3000 and all(few < more for few, more in pairwise(reached))
    assert all(few <= 2 * steps for few, steps in zip(reached, (1, 10, 100, 1000), strict=False))


@pytest.mark.parametrize(("tail", "noticed"), [(1, True), (88, False)])
def test_a_sum_beyond_32_bits_is_noticed_before_and_after_a_stop(device, tail, noticed):
    path = [(at, at + 1, 1) for at in range(90)]
    plan = planned(Queue, device, graph(100, *path, (tail, 95, 2**31 - 2)), 0, delta=10)
    plan.start(0)
    ended, _ = plan.begin(0, plan.rows, 20)
    assert not ended and bool(plan.status[OVERFLOWED]) == noticed
    plan.run_until_settled()
    assert not plan.sums_fit


@pytest.mark.parametrize("weights", [(0, 1), (0, 4), (1, 101)])
@pytest.mark.parametrize("macros", [TIGHT, {}])
def test_vertices_with_more_arcs_than_a_block_has_threads(device, weights, macros):
    """Some are met in the same hop, beyond what a block takes as heavy at once."""
    numbers = np.random.default_rng(3)
    tails = np.concatenate([np.zeros(9, np.int64), np.repeat(np.arange(1, 10), 300), numbers.integers(0, 400, 900)])
    heads = np.concatenate([np.arange(1, 10), numbers.integers(0, 400, 9 * 300 + 900)])
    of = from_arcs(400, tails, heads, numbers.integers(*weights, len(tails)))
    solved_by_queue(device, of, block=(64,), lanes=4, macros=macros)


@pytest.mark.parametrize("weights", [np.int32, np.float64])
def test_a_vertex_that_waits_beyond_half_a_step_is_not_forgotten(device, weights):
    """The first step of the threshold ends at 1, the second at 12, and because of four vertices in it, at 11."""
    of = graph(6, (0, 1, 10), (0, 2, 10), (0, 3, 10), (0, 4, 11), (4, 5, 7))
    of = Graph(of.indptr, of.indices, of.weights.astype(weights))
    solved_by_queue(device, of, delta=1, macros={"WIDE": 2})


def test_long_paths_are_followed_by_one_block(device):
    solved_by_queue(device, scattered_path(300), **SMALL_OF[Queue])
    solved_by_queue(
        device,
        with_random_weights(generate("power_law", vertices=600, arcs=6000), seed=4),
        **SMALL_OF[Queue],
        macros=TIGHT,
    )


@pytest.mark.cuda
@pytest.mark.parametrize("macros", [{**TIGHT, "LIST_MAX": 40}, {}])
def test_many_blocks_find_what_one_finds_and_stop_together_and_go_on(macros):
    cuda = open_device("cuda")
    sizes = {"road": 30_000, "random, degree 4": 20_000, "R-MAT, degree 32": 16_384, "comb": 9_000, "long grid": 30_000}
    for family, vertices in sizes.items():
        of = make(family, vertices, seed=2)
        for lanes, share, steps in ((4, 1, 1), (8, 16, 20), (32, 300, 300), (8, 16, 2000), (8, 16, None)):
            plan = planned(Queue, cuda, of, 0, lanes=lanes, share=share, macros=macros)
            for source in (0, of.vertices // 2, of.vertices - 1):
                plan.start(source)
                if steps:
                    plan.begin(source, plan.rows, steps)
                plan.run_until_settled()
                found = plan.on_device()
                np.testing.assert_array_equal(found.distances.get(), reference(of, source))
                certify(of, source, found.distances.get(), found.predecessors.get())
