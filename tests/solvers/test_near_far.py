"""Near-far by the whole GPU: any delta, heavy vertices, queues too short, and a launch that gives up."""

import numpy as np
import pytest
from every_device import SIMULATED_DEVICES, opened
from hypothesis import given, strategies
from scipy_reference import reference
from tiny_graphs import TINY, graph, random_graphs, scattered_path

from warpath.certificates.certificate import certify
from warpath.distances import UNREACHABLE
from warpath.errors import DeviceError
from warpath.graphs.csr import from_arcs
from warpath.graphs.weights import with_random_weights
from warpath.solvers.one_source.near_far._all_blocks import DELTA_MAX
from warpath.solvers.one_source.near_far.queue import QueuePlan
from warpath.solvers.one_source.near_far.whole_grid import VARIANT, WholeGridPlan, first_delta, pieces_of
from warpath_study.datasets.generate import generate

SMALL = {"block": (32,), "piece": 3}
SMALL_OF = {WholeGridPlan: SMALL, QueuePlan: {"block": (32,), "share": 1, "hops": 2}}
NEVER_ALONE = {"ARCS_ALONE_MAX": 0, "PULLS_OF_A_LANE": 1}
ALONE = {"ARCS_ALONE_MAX": 10**6, "ROUNDS_ALONE_MAX": 3, "PULLS_OF_A_LANE": 0}


@pytest.fixture(scope="module", params=SIMULATED_DEVICES)
def device(request):
    return opened(request.param, seed=5)


@pytest.fixture(scope="module")
def shuffled():
    return opened("shuffle", seed=3)


def solved(device, graph, source=0, plan=WholeGridPlan, **settings):
    plan = plan(device, graph, source, **settings)
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
@pytest.mark.parametrize("delta", [1, 7, 2**31 - 1])
@pytest.mark.parametrize("name", ["path of 64", "zero weights in a circle", "ties", "largest distance"])
def test_any_delta_gives_the_same(device, plan, name, delta):
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
        plan = WholeGridPlan(shuffled, graph, 0, delta=1 + pulls, block=(block,), macros=macros)
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
    solution = plan(shuffled, heavy, 0, **SMALL_OF[plan], predecessors=False).solve()
    assert solution.distances.tolist() == [0, 2**31 - 2, UNREACHABLE, 2**31 - 2, UNREACHABLE]


@pytest.mark.parametrize("plan", SMALL_OF)
def test_solves_from_one_source_after_another(device, plan):
    graph = scattered_path(97)
    one = plan(device, graph, 0, **SMALL_OF[plan])
    for source in (5, 0, 96, 5):
        one.start(source)
        one.run()
        np.testing.assert_array_equal(one.on_device().distances, reference(graph, source))


def test_predecessors_are_left_out_where_nobody_asks(shuffled):
    assert solved(shuffled, TINY["ties"], **SMALL, predecessors=False).on_device().predecessors is None


@pytest.mark.parametrize("plan", SMALL_OF)
def test_a_launch_that_gave_up_is_reported_and_the_next_solve_works(shuffled, plan):
    one = plan(shuffled, TINY["ties"], 0, **SMALL_OF[plan])
    one.start(0)
    one.iterate(0, 1)
    one.status[0] = 1  # as blocks set it that waited too long
    with pytest.raises(DeviceError, match=rf"^near_far {plan.name} gave up: [^.]*$"):
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


def test_delta_follows_weights_and_degrees():
    light = with_random_weights(generate("random", vertices=100, arcs=800), 1, 1, 10)
    heavy = with_random_weights(generate("random", vertices=100, arcs=800), 1, 1000, 10_000)
    dense = with_random_weights(generate("random", vertices=100, arcs=6400), 1, 1000, 10_000)
    assert 1 <= first_delta(light, 32) < first_delta(dense, 32) < first_delta(heavy, 32) < DELTA_MAX
    assert first_delta(light, 1000) == first_delta(TINY["no arcs"], 32) == DELTA_MAX
    assert VARIANT.optional_predecessors and not VARIANT.negative_arcs
