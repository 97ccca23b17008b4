"""Many sources in one call: each row equals a solve of its own, of whole weights and of floats."""

from itertools import pairwise, product

import numpy as np
import pytest
from every_device import EVERY_DEVICE, SIMULATED_DEVICES, each, opened
from examples import fewer
from hard_graphs import HARD
from hard_graphs import distances as distances_between
from hypothesis import given, settings, strategies
from planned import planned, solve_rows
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import TINY, graph, named, random_graphs, scattered_path

import warpath
from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.device.copies import downloaded
from warpath.distances import NO_PREDECESSOR, UNREACHABLE
from warpath.errors import UsageError
from warpath.graphs.csr import Graph, from_arcs
from warpath.solvers import variants
from warpath.solvers.float_sums import guided_rows as _guided_rows
from warpath.solvers.many_sources.costs import SOURCES_ALONE_MAX
from warpath.solvers.many_sources.sweep import sweep
from warpath.solvers.many_sources.sweep._elimination import Elimination
from warpath.solvers.many_sources.sweep._order import elimination_order, has_small_separators, neighbours
from warpath.solvers.many_sources.sweep._schedule import Schedule, tiers_of_all
from warpath.solvers.many_sources.sweep.sweep import Sweep
from warpath_study.datasets.road import road
from warpath_study.measure.plans import plan_of

VARIANTS = [variant for variant in variants() if variant.many_sources]
each_variant = each(VARIANTS)


def test_a_path_of_any_length_fits():
    """In a block's memory there is room for all ancestors of a vertex, which are few."""
    device = open_device("simulated")
    path = scattered_path(device.shared_memory_bytes // 4)
    plan = planned(Sweep, device, path, 0)
    assert plan.height <= 32
    np.testing.assert_array_equal(solved_rows(device, plan, [5])[0], reference(path, [5]))


def solved_rows(device, plan, sources, predecessors=True):
    """Distances and predecessors of ``sources``, from arrays that hold something else before."""
    shape = (len(sources), plan.graph.vertices)
    distances, found = (device.upload(np.full(shape, 77, dtype)) for dtype in (plan.graph.weights.dtype, np.int32))
    solve_rows(plan, np.array(sources, np.int32), distances, found if predecessors else None)
    device.synchronize()
    return distances, found


def reference(graph, sources):
    distances = dijkstra(graph.to_scipy(), indices=sources)
    return np.where(np.isinf(distances), UNREACHABLE, distances).astype(np.int32)


def sources_of(graph, count, seed=0):
    return np.random.default_rng(seed).integers(0, graph.vertices, count).tolist()


@each_variant
@pytest.mark.parametrize("order", SIMULATED_DEVICES)
def test_rows_of_every_tiny_graph(variant, order):
    device = opened(order, seed=3)
    for name, tiny in TINY.items():
        with named(name):
            plan = plan_of(variant, device, tiny, 0 if variant.problem == "sssp" else None, **variant.smallest)
            sources = sources_of(tiny, 5)
            distances, predecessors = solved_rows(device, plan, sources)
            np.testing.assert_array_equal(distances, reference(tiny, sources))
            for row, source in enumerate(sources):
                certify(tiny, source, distances[row], predecessors[row])


@each_variant
@settings(max_examples=8)
@given(graph=random_graphs(vertices_max=90), count=strategies.sampled_from([1, 2, 31, 33, 70]))
def test_rows_of_random_graphs(variant, graph, count):
    device = opened("shuffle", seed=count)
    plan = plan_of(variant, device, graph, 0 if variant.problem == "sssp" else None, **variant.smallest)
    sources = sources_of(graph, count, seed=count)
    distances, predecessors = solved_rows(device, plan, sources)
    np.testing.assert_array_equal(distances, reference(graph, sources))
    for row in (0, count - 1):
        certify(graph, sources[row], distances[row], predecessors[row])


def table(plan, sources, targets):
    distances = plan.device.upload(np.full((len(sources), len(targets)), 77, np.int32))
    plan.solve_table(np.array(sources), np.array(targets), distances)
    plan.device.synchronize()
    return distances


@pytest.mark.parametrize("order", SIMULATED_DEVICES)
def test_tables_and_pairs_of_tiny_and_hard_graphs(order):
    for name, of in {**TINY, **HARD}.items():
        plan, expected = planned(Sweep, opened(order, seed=4), of, 0), distances_between(of)
        sources, targets = sources_of(of, 5, 1), [*range(of.vertices), 0, 0]
        with named(name):
            np.testing.assert_array_equal(table(plan, sources, targets), expected[np.ix_(sources, targets)])
            for count in (1, of.vertices // 2 + 1, 70):  # of the ends alone, of all vertices, and again
                sources, targets = sources_of(of, count, 1), sources_of(of, count, 2)
                targets[0] = sources[0]
                np.testing.assert_array_equal(pair_distances(plan, sources, targets), expected[sources, targets])


@fewer
@given(
    graph=random_graphs(vertices_max=150),
    sources=strategies.sampled_from([1, 2, 63, 65, 130]),
    targets=strategies.sampled_from([1, 3, 64, 66, 129]),
)
def test_tables_of_random_graphs(graph, sources, targets):
    plan = planned(Sweep, opened("shuffle", seed=targets), graph, 0, predecessors=False)
    of, to = sources_of(graph, sources, 1), sources_of(graph, targets, 2)
    np.testing.assert_array_equal(table(plan, of, to), reference(graph, of)[:, to])


def test_a_table_of_a_road_network_whose_arcs_differ_by_direction():
    roads = road(600, 1560, seed=4)
    weights = np.random.default_rng(1).integers(1, 100, roads.arcs).astype(np.int32)
    one_way = Graph(roads.indptr, roads.indices, weights)
    plan = planned(Sweep, opened("shuffle", seed=5), one_way, 0)
    sources, targets = sources_of(one_way, 70, 1), sources_of(one_way, 90, 2)
    assert plan.height > 32
    np.testing.assert_array_equal(table(plan, sources, targets), reference(one_way, sources)[:, targets])
    np.testing.assert_array_equal(solved_rows(plan.device, plan, targets)[0], reference(one_way, targets))


def pair_distances(plan, sources, targets):
    distances = plan.device.upload(np.full(len(sources), 77, np.int32))
    plan.solve_pairs(np.array(sources), np.array(targets), distances)
    plan.device.synchronize()
    return distances


@fewer
@given(
    graph=random_graphs(vertices_max=150),
    pairs=strategies.integers(1, 200),
    at_once=strategies.sampled_from([1, 5, 64]),
)
def test_pairs_of_random_graphs(graph, pairs, at_once):
    sources, targets = sources_of(graph, pairs, 1), sources_of(graph, pairs, 2)
    expected = reference(graph, sources)[np.arange(pairs), targets]
    device = opened("shuffle", seed=pairs)
    plan = planned(Sweep, device, graph, 0, predecessors=False)
    np.testing.assert_array_equal(pair_distances(plan, sources, targets), expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sweep, "LABELS_PART_MAX", 0)
        patch.setattr(sweep, "LABELS_BYTES_AT_ONCE", 2 * sweep.WORD_BYTES * plan.height * at_once)
        plan = planned(Sweep, device, graph, 0, predecessors=False)
        np.testing.assert_array_equal(pair_distances(plan, sources, targets), expected)
        assert plan.counters["launches"] == 2 * -(-pairs // at_once)


@pytest.mark.parametrize("both_ways_alike", [True, False])
def test_pairs_of_a_road_network(both_ways_alike):
    roads = road(300, 780, seed=4)
    if not both_ways_alike:
        weights = np.random.default_rng(1).integers(1, 100, roads.arcs).astype(np.int32)
        roads = Graph(roads.indptr, roads.indices, weights)
    plan = planned(Sweep, opened("shuffle", seed=5), roads, 0)
    assert plan.is_symmetric == both_ways_alike
    sources, targets = np.divmod(np.arange(0, 300 * 300, 7), 300)
    expected = reference(roads, np.arange(300))
    np.testing.assert_array_equal(pair_distances(plan, sources, targets), expected[sources, targets])
    assert pair_distances(plan, [5], [9]) == expected[5, 9]


@each_variant
def test_a_plan_solves_rows_again_and_more_of_them(variant):
    device, graph = open_device("simulated"), scattered_path(50)
    plan = plan_of(variant, device, graph, 0 if variant.problem == "sssp" else None, **variant.smallest)
    for count in (3, 40, 2):
        sources = sources_of(graph, count, seed=count)
        np.testing.assert_array_equal(solved_rows(device, plan, sources)[0], reference(graph, sources))


@each_variant
def test_without_predecessors_nothing_is_written_there(variant):
    device, graph = open_device("simulated"), TINY["sinks"]
    plan = plan_of(
        variant, device, graph, 0 if variant.problem == "sssp" else None, predecessors=False, **variant.smallest
    )
    distances, untouched = solved_rows(device, plan, [0, 3, 5], predecessors=False)
    np.testing.assert_array_equal(distances, reference(graph, [0, 3, 5]))
    assert (untouched == 77).all()
    assert plan.solve().predecessors is None


def test_cells_of_any_size_sweep_a_road_network():
    device, roads = opened("shuffle", seed=5), road(300, 780, seed=4)
    sources = sources_of(roads, 40)
    for slots, top in ((1, 10**6), (2, 0), (5, 100), (9, 0), (30, 0), (100, 0), (400, 10**6)):
        plan = planned(Sweep, device, roads, 0, slots_max=slots, top_max=top)
        with named(f"{slots} slots"):
            np.testing.assert_array_equal(solved_rows(device, plan, sources)[0], reference(roads, sources))


@given(
    graph=random_graphs(vertices_max=60),
    slots_max=strategies.integers(1, 70),
    top_max=strategies.sampled_from([0, 5, 60]),
)
def test_every_vertex_is_swept_once_and_after_its_ancestors(graph, slots_max, top_max):
    elimination = Elimination.of(open_device("simulated"), graph)
    schedule = Schedule.of(elimination, slots_max, top_max)
    swept = np.concatenate([schedule.tops, *(tier.vertices for tier in schedule.tiers)])
    assert sorted(swept) == list(range(graph.vertices))
    every_arc = list(zip(elimination.heads.tolist(), elimination.down.tolist(), strict=True))
    arcs = [every_arc[begin:end] for begin, end in pairwise(elimination.starts)]
    level_of_top = np.repeat(np.arange(len(schedule.level_starts) - 1), np.diff(schedule.level_starts))
    when = np.full(graph.vertices, -1)
    when[schedule.tops] = level_of_top
    for vertex in schedule.tops:
        assert all(0 <= when[head] < when[vertex] for head, _ in arcs[vertex])
    for tier in reversed(schedule.tiers):
        done = when >= 0
        for first, last, first_border, last_border, first_vertex, end_vertex in tier.stretches:
            borders = tier.borders[first_border:last_border].tolist()
            assert done[borders].all()
            own = tier.items[first:last, 1]
            assert own.min() == first_vertex and (own + elimination.size[own]).max() == end_vertex
            slots = borders + own.tolist()
            assert len(slots) <= min(tier.slots, slots_max)
            for i in range(first, last):
                pairs = tier.arcs[tier.items[i, 0] : tier.items[i + 1, 0]].copy()
                assert (pairs >> 63).tolist() == [[0, 0]] * (len(pairs) - 1) + [[1, 0]]
                pairs = pairs.ravel() & np.uint64(2**63 - 1)
                known = slots[: max(1, len(borders) + i - first)]
                found = {(known[arc >> 32], arc & 0xFFFFFFFF) for arc in pairs.tolist()}
                vertex = tier.items[i, 1]
                assert found - {(head, int(UNREACHABLE)) for head in known} == {
                    arc for arc in arcs[vertex] if arc[1] != UNREACHABLE
                }
                when[vertex] = 10**6


@given(graph=random_graphs(vertices_max=60), slots_max=strategies.integers(1, 70))
def test_every_vertex_is_in_one_tier_below_those_of_its_borders(graph, slots_max):
    elimination = Elimination.of(open_device("simulated"), graph)
    done = np.zeros(graph.vertices, bool)
    for tier in reversed(tiers_of_all(elimination, slots_max)):
        assert done[tier.borders].all() and not done[tier.vertices].any()
        done[tier.vertices] = True
    assert done.all()


@pytest.mark.parametrize("order", SIMULATED_DEVICES)
@pytest.mark.parametrize("slots", [1, 5, 64])
def test_a_single_source_is_any_vertex(order, slots):
    device = opened(order, seed=slots)
    for name, of in {**TINY, **HARD, "road": road(150, 390, seed=6)}.items():
        plan = planned(Sweep, device, of, 0, predecessors=False, closed_slots_max=slots)
        with named(name):
            rows = [solved_rows(device, plan, [source], False)[0][0] for source in range(of.vertices)]
            np.testing.assert_array_equal(rows, distances_between(of))


def test_a_single_source_of_a_road_network_whose_arcs_differ_by_direction():
    device, roads = opened("shuffle", seed=5), road(900, 2340, seed=4)
    weights = np.random.default_rng(2).integers(0, 100, roads.arcs).astype(np.int32)
    one_way = Graph(roads.indptr, roads.indices, weights)
    for slots in (2, 30, 1000):
        plan = planned(Sweep, device, one_way, 0, predecessors=False, closed_slots_max=slots)
        sources = sources_of(one_way, SOURCES_ALONE_MAX)
        with named(f"{slots} slots"):
            np.testing.assert_array_equal(solved_rows(device, plan, sources, False)[0], reference(one_way, sources))


@pytest.mark.parametrize("count", [1, SOURCES_ALONE_MAX + 1])
def test_a_distance_at_the_end_of_32_bits_and_one_beyond_do_not_wrap(count):
    heavy = 2**30 - 1
    line = graph(5, (0, 1, heavy), (1, 2, heavy), (2, 3, 1), (3, 4, heavy))
    device = open_device("simulated")
    for slots in (1, 64):
        plan = planned(Sweep, device, line, 0, closed_slots_max=slots)
        distances, _ = solved_rows(device, plan, count * [0])
        assert distances.tolist() == count * [[0, heavy, 2**31 - 2, UNREACHABLE, UNREACHABLE]]


def long_grid(length, width):
    numbers = np.arange(length * width).reshape(length, width)
    pairs = [(numbers[:-1], numbers[1:]), (numbers[:, :-1], numbers[:, 1:])]
    one, other = (np.concatenate([pair[end].ravel() for pair in pairs]) for end in (0, 1))
    weights = np.random.default_rng(3).integers(1, 50, 2 * len(one)).astype(np.int32)
    return from_arcs(length * width, np.append(one, other), np.append(other, one), weights)


def test_levels_separate_a_long_grid_beside_another():
    width = 5
    grids = [long_grid(length, width) for length in (900, 400)]
    vertices = grids[0].vertices
    both = from_arcs(
        vertices + grids[1].vertices,
        *(np.append(of_first, vertices + of_other) for of_first, of_other in zip(*map(ends_of, grids), strict=True)),
        np.append(*(grid.weights for grid in grids)),
    )
    rank = elimination_order(*neighbours(both.indptr, both.indices))
    assert sorted(rank) == list(range(both.vertices))
    device = open_device("simulated")
    plan = planned(Sweep, device, both, 0, predecessors=False)
    assert plan.height <= 3 * width * np.log2(both.vertices)
    sources = [7, vertices + 900]
    np.testing.assert_array_equal(solved_rows(device, plan, sources, False)[0], reference(both, sources))


def ends_of(graph):
    return graph.tails(), graph.indices


@pytest.mark.parametrize("limit", ["ARCS_ALWAYS_ALLOWED", "PAIRS_MAX"])
def test_a_graph_without_separators_is_refused(monkeypatch, limit):
    monkeypatch.setattr(f"warpath.solvers.many_sources.sweep._elimination.{limit}", 5000)
    numbers = np.random.default_rng(1)
    tails, heads = numbers.integers(0, 200, (2, 4000))
    dense = from_arcs(200, tails, heads, np.ones(4000, np.int32))
    with pytest.raises(UsageError, match="separators"):
        planned(Sweep, open_device("simulated"), dense, 0)


def test_a_tree_too_high_for_a_block_is_refused(monkeypatch):
    monkeypatch.setattr("warpath.device.simulated.device.DYNAMIC_SHARED_BYTES_MAX", 100)
    complete = graph(20, *[(u, v, 1) for u in range(20) for v in range(20)])
    with pytest.raises(UsageError, match="20"):
        planned(Sweep, open_device("simulated"), complete, 0)


def test_roads_have_small_separators_and_random_graphs_have_not():
    assert has_small_separators(road(3000, 7800, seed=1))
    assert all(has_small_separators(graph) for graph in TINY.values())
    numbers = np.random.default_rng(1)
    tails, heads = numbers.integers(0, 3000, (2, 12_000))
    assert not has_small_separators(from_arcs(3000, tails, heads, np.ones(12_000, np.int32)))


@fewer
@given(graph=random_graphs(vertices_max=60))
def test_every_vertex_has_its_place_in_the_order(graph):
    rank = elimination_order(*neighbours(graph.indptr, graph.indices))
    assert sorted(rank) == list(range(graph.vertices))


def test_warps_of_a_block_take_some_or_all_groups():
    device, roads = opened("shuffle", seed=7), road(80, 194, seed=5)
    plan = planned(Sweep, device, roads, 0, slots_max=12, top_max=10)
    for count in (5, 32, 33, 160, 161):
        sources = [number % roads.vertices for number in range(count)]
        np.testing.assert_array_equal(solved_rows(device, plan, sources)[0], reference(roads, sources))


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_a_block_of_cells_takes_no_more_groups_than_fit(monkeypatch, groups):
    roads = road(80, 194, seed=5)
    plan = planned(Sweep, open_device("simulated"), roads, 0)
    most = max(plan.cell_bytes(plan.schedule, groups), plan.climb_bytes, plan.top_bytes(plan.schedule, 1))
    for module in ("device", "runtime"):  # what plans ask, and what launches refuse
        monkeypatch.setattr(f"warpath.device.simulated.{module}.DYNAMIC_SHARED_BYTES_MAX", most)
    sources = sources_of(roads, 130)
    np.testing.assert_array_equal(solved_rows(plan.device, plan, sources, False)[0], reference(roads, sources))


def test_more_sources_than_the_work_array_takes(monkeypatch):
    monkeypatch.setattr(sweep, "WORK_DISTANCES_MAX", 1)
    device, roads = open_device("simulated"), road(80, 200, seed=1)
    plan = planned(Sweep, device, roads, 0)
    sources = sources_of(roads, 70)
    np.testing.assert_array_equal(solved_rows(device, plan, sources)[0], reference(roads, sources))
    assert plan.counters["launches"] >= 3 * 3 and plan.work.shape == (1, 80, 32)


@pytest.mark.parametrize("blocks", [1, 6, 19, 100])
@pytest.mark.parametrize("order", SIMULATED_DEVICES)
def test_any_number_of_sources_shares_a_block_of_the_top(monkeypatch, blocks, order):
    monkeypatch.setattr(sweep, "BLOCKS_OF_TOP_MIN", blocks)
    roads = road(200, 520, seed=2)
    plan = planned(Sweep, opened(order, seed=1), roads, 0, slots_max=9, top_max=100, block_of_top=(64,))
    sources = sources_of(roads, 37)
    np.testing.assert_array_equal(solved_rows(plan.device, plan, sources)[0], reference(roads, sources))


@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_warps_share_the_arcs_of_a_vertex_of_the_top(name):
    device, count = opened(name), 100
    tails, heads = (numbers.ravel() for numbers in np.divmod(np.arange(count**2), count))
    complete = from_arcs(count, tails, heads, np.random.default_rng(4).integers(1, 10**6, count**2).astype(np.int32))
    plan = planned(Sweep, device, complete, 0, slots_max=1, top_max=count, block_of_top=(128,))
    assert len(plan.schedule.tops) == count
    sources = sources_of(complete, 37)
    distances, _ = solved_rows(device, plan, sources, predecessors=False)
    np.testing.assert_array_equal(downloaded(device, distances), reference(complete, sources))


def test_the_top_shrinks_until_it_fits_a_block(monkeypatch):
    roads = road(2500, 6500, seed=2)
    first, wanted = (
        planned(Sweep, open_device("simulated"), roads, 0, slots_max=slots, top_max=5000) for slots in (4, 8)
    )
    assert first.top_bytes(first.schedule, 1) > wanted.top_bytes(wanted.schedule, 1) >= wanted.climb_bytes
    monkeypatch.setattr(
        "warpath.device.simulated.device.DYNAMIC_SHARED_BYTES_MAX", wanted.top_bytes(wanted.schedule, 1)
    )
    plan = planned(Sweep, open_device("simulated"), roads, 0, slots_max=4, top_max=5000)
    assert len(plan.schedule.tops) == len(wanted.schedule.tops)
    sources = sources_of(roads, 5)
    np.testing.assert_array_equal(solved_rows(plan.device, plan, sources)[0], reference(roads, sources))


# Floats on roads


ROADS = road(400, 1040, seed=3)
NUMBERS = np.random.default_rng(1)
WEIGHTS = {
    "thirds": ROADS.weights / 3,
    "one third": np.full(ROADS.arcs, 1 / 3),
    "with zeros": NUMBERS.integers(0, 3, ROADS.arcs) / 10,
    "30 orders of magnitude": 10 ** NUMBERS.uniform(-15, 15, ROADS.arcs),
    "tiny": NUMBERS.uniform(0, 1e-40, ROADS.arcs),
    "sums beyond the largest float": NUMBERS.uniform(1e37, 1e38, ROADS.arcs),
    "one that is very long": np.where(np.arange(ROADS.arcs) == 7, 1e30, 0.7),
    "zero": np.zeros(ROADS.arcs),
}
SOURCES = NUMBERS.integers(0, ROADS.vertices, 40).astype(np.int32)


def with_weights(weights, dtype):
    return Graph(ROADS.indptr, ROADS.indices, np.asarray(weights, dtype))


def float_rows(graph, sources):
    """Distances by rounded sums from the source on, in the type of the weights."""
    rows = [warpath.sssp(graph, int(source), device="cpu").distances for source in sources]
    if graph.weights.dtype == np.float64 and graph.weights.all():
        np.testing.assert_array_equal(rows, dijkstra(graph.to_scipy(), indices=sources))
    return np.array(rows)


def check_floats(plan, sources):
    graph, device = plan.graph, plan.device
    distances = device.upload(np.full((len(sources), graph.vertices), 77, graph.weights.dtype))
    found = device.upload(np.full(distances.shape, 77, np.int32)) if plan.solver.of_rows else None
    solve_rows(plan, sources, distances, found)
    device.synchronize()
    rows = np.empty(distances.shape, distances.dtype)
    device.download(distances, rows)
    np.testing.assert_array_equal(rows, float_rows(graph, sources))
    if found is None:
        return
    trees = np.empty(found.shape, np.int32)
    device.download(found, trees)
    for source, distances_of_it, tree in zip(sources.tolist(), rows, trees, strict=True):
        assert warpath.certify(graph, source, distances_of_it, tree, device="cpu")
        assert tree[source] == NO_PREDECESSOR


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_rows_are_exact(dtype, name):
    device = opened(name)
    for number, (kind, weights) in enumerate(WEIGHTS.items()):
        with named(kind):
            check_floats(
                planned(Sweep, device, with_weights(weights, dtype), predecessors=number % 2 == 0), SOURCES[:20]
            )


@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_rows_are_exact_whatever_the_guide_and_the_lists(monkeypatch, name):
    device, graph = opened(name), with_weights(WEIGHTS["thirds"], np.float32)
    for longest, factor, list_size in product((1, 2**10, 2**34), (0, 10**6), (1, 3, 50)):
        monkeypatch.setattr(_guided_rows, "LONGEST_IN_UNITS", longest)
        monkeypatch.setattr(_guided_rows, "SLACK_FACTOR", factor)
        with named(f"{longest}, {factor}, {list_size}"):
            check_floats(planned(Sweep, device, graph, predecessors=False, list_size=list_size), SOURCES[:6])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_whole_weights_guide_even_beside_a_small_component_with_more_arcs(dtype):
    leaves = 30
    star = ROADS.vertices + np.zeros(leaves, int), ROADS.vertices + 1 + np.arange(leaves)
    tails, heads = (np.concatenate([of_roads, *star]) for of_roads in (ROADS.tails(), ROADS.indices))
    tails[len(ROADS.tails()) + leaves :] = star[1]
    heads[len(ROADS.tails()) + leaves :] = star[0]
    weights = np.concatenate([ROADS.weights / 3, np.full(2 * leaves, 1e-6)]).astype(dtype)
    graph = from_arcs(ROADS.vertices + leaves + 1, tails, heads, weights)
    whole = _guided_rows.WholeWeights(graph)
    for source in SOURCES:
        exact, rough = (warpath.sssp(of, int(source), device="cpu").distances for of in (graph, whole.graph))
        of_roads = np.isfinite(exact)
        excess = exact[of_roads] / np.float64(whole.unit) - rough[of_roads]
        assert (excess <= whole.slack).mean() > 0.99
    check_floats(planned(Sweep, open_device("simulated"), graph), SOURCES[:4])


@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_rows_are_exact_if_the_guide_is_nonsense(monkeypatch, name):
    device = opened(name)
    for seed in range(15):
        numbers = np.random.default_rng(seed)

        class Nonsense:
            def __init__(self, floats, numbers=numbers):
                weights = numbers.integers(0, 100, floats.arcs).astype(np.int32)
                self.graph = Graph(floats.indptr, floats.indices, weights)
                self.unit, self.slack = np.float32(10 ** numbers.uniform(-3.5, -1)), 0

        monkeypatch.setattr(sweep, "WholeWeights", Nonsense)
        plan = planned(Sweep, device, with_weights(numbers.uniform(0, 1, ROADS.arcs), np.float32), predecessors=False)
        plan.guided.blocks_max = 3  # so that blocks take several rows
        with named(f"seed {seed}"):
            check_floats(plan, SOURCES[:8])


def test_a_vertex_may_have_very_many_arcs():
    leaves = 3000
    hub = [0] * leaves, range(1, leaves + 1)
    graph = from_arcs(
        leaves + 1, [*hub[0], *hub[1]], [*hub[1], *hub[0]], NUMBERS.uniform(0, 1, 2 * leaves).astype(np.float32)
    )
    check_floats(planned(Sweep, open_device("simulated"), graph), np.array([0, 5, leaves], np.int32))


def test_what_is_not_reached_is_at_infinity():
    graph = from_arcs(6, [0, 1, 4, 2], [1, 2, 5, 2], np.array([0.1, 0.2, 0.3, 0.0]))
    check_floats(planned(Sweep, open_device("simulated"), graph), np.arange(6, dtype=np.int32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_library_answers_every_question_by_it(dtype):
    graph = with_weights(WEIGHTS["thirds"], dtype)
    solver, expected = warpath.prepare(graph, "simulated"), float_rows(graph, SOURCES)
    paths = solver.sssp(SOURCES)
    assert paths.certificate
    np.testing.assert_array_equal(paths.distances, expected)
    targets = SOURCES[:4]
    for asked in (True, False):
        np.testing.assert_array_equal(solver.table(SOURCES, targets, certify=asked).distances, expected[:, targets])
        pairs = solver.pairs(SOURCES, SOURCES[::-1].copy(), certify=asked)
        np.testing.assert_array_equal(pairs.distances, expected[np.arange(40), SOURCES[::-1]])
    reached = np.where(np.isinf(expected), 0, expected)
    np.testing.assert_array_equal(solver.statistics(SOURCES).eccentricities, reached.max(axis=1))
    solver.update(graph.weights * 2)
    np.testing.assert_array_equal(solver.sssp(SOURCES).distances, 2 * expected)
