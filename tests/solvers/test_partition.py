"""Graphs in parts: the layout is the graph, and from border to border every distance is found."""

from itertools import product

import numpy as np
import pytest
from every_device import EVERY_DEVICE, ORDERS, SIMULATED_DEVICES, drawn, opened
from examples import fewer
from float_sums import FLOAT_KINDS, least_sums, with_floats
from hard_graphs import complete, hub
from hypothesis import given, strategies
from planned import planned
from scipy_reference import reference
from tiny_graphs import TINY, graph, grid_of, named, random_graphs, scattered_path

import warpath
from warpath.certificates.certificate import certify
from warpath.certificates.on_device import DeviceCertifier
from warpath.device import open_device
from warpath.device.copies import downloaded
from warpath.device.resident import resident
from warpath.errors import DeviceError, UsageError
from warpath.graphs.csr import Graph, both_ways, from_arcs
from warpath.graphs.weights import with_random_weights
from warpath.solvers.choice.facts import facts_of
from warpath.solvers.one_source.borders import _cut, _inboxes, _layout, _parts
from warpath.solvers.one_source.borders._cut import dealt
from warpath.solvers.one_source.borders._parts import NO_ARC, SLOTS, Parts, parts_of
from warpath.solvers.one_source.borders._regions import regions_of
from warpath.solvers.one_source.borders.borders import Borders, fits
from warpath.solvers.one_source.near_far.queue import Lowering
from warpath.solvers.solver import Rows

SIMULATED = open_device("simulated")


def square(side: int) -> Graph:
    """A grid of ``side`` times ``side`` vertices, edges both ways."""
    numbers = np.arange(side * side).reshape(side, side)
    tails = np.append(numbers[1:].ravel(), numbers[:, 1:].ravel())
    heads = np.append(numbers[:-1].ravel(), numbers[:, :-1].ravel())
    return from_arcs(side * side, *both_ways(tails, heads, np.ones(len(tails), int))[:3])


def star_of_paths(paths: int, length: int) -> Graph:
    """Paths from vertex 0, edges both ways."""
    heads = np.arange(1, 1 + paths * length)
    tails = np.where(heads % length == 1, 0, heads - 1)
    return from_arcs(1 + paths * length, *both_ways(tails, heads, np.ones(len(tails), int))[:3])


def arcs_of(parts: Parts, of: Graph) -> dict[tuple[int, int], int]:
    """The arcs of all parts, between vertices of the graph."""
    found = {}
    weights, overflow_weights = parts.placed_weights(resident(parts.device, of))

    def add(part: int, tail: int, entry: int, weight: int) -> None:
        first, end = parts.first[part], parts.first[part + 1]
        assert 0 <= tail < end - first
        own = entry < end - first
        outside = parts.inboxes.outside[parts.inboxes.outside_first[part] :]
        head = first + entry if own else parts.entered[outside[entry - (end - first)]]
        ends = int(parts.order[tail + first]), int(parts.order[head])
        assert ends not in found
        found[ends] = int(weight)

    for part in range(parts.count):
        for tail in range(parts.first[part], parts.first[part + 1]):
            heads = parts.heads[:, tail]
            filled = np.count_nonzero(heads != NO_ARC)
            assert np.all(heads[:filled] != NO_ARC)  # empty slots are the last ones
            for slot in range(filled):
                add(part, tail - parts.first[part], int(heads[slot]), weights[slot, tail])
        beyond = slice(parts.overflow_first[part], parts.overflow_first[part + 1])
        assert np.all(np.diff(parts.overflow_tails[beyond].astype(int)) >= 0)
        for tail, entry, weight in zip(
            parts.overflow_tails[beyond], parts.overflow_heads[beyond], overflow_weights[beyond], strict=True
        ):
            assert parts.heads[SLOTS - 1, parts.first[part] + tail] != NO_ARC
            add(part, int(tail), int(entry), weight)
    return found


def lightest(of: Graph) -> dict[tuple[int, int], int]:
    found: dict[tuple[int, int], int] = {}
    for tail, head, weight in zip(of.tails().tolist(), of.indices.tolist(), of.weights.tolist(), strict=True):
        if tail != head:
            found[tail, head] = min(weight, found.get((tail, head), weight))
    return found


def assert_parts_are_the_graph(device, of: Graph, vertices_max: int) -> None:
    parts = parts_of(resident(device, of), vertices_max)
    inboxes = parts.inboxes
    assert parts.first[0] == 0 and parts.first[-1] == of.vertices and parts.vertices_max <= vertices_max
    np.testing.assert_array_equal(np.sort(parts.order), np.arange(of.vertices))
    np.testing.assert_array_equal(parts.host_position[parts.order], np.arange(of.vertices))
    for on_host, array in zip(
        (parts.host_first, inboxes.host_first, inboxes.host_outside_first),
        (parts.first, inboxes.first, inboxes.outside_first),
        strict=True,
    ):
        np.testing.assert_array_equal(on_host, array)
    assert arcs_of(parts, of) == lightest(of)
    part_of = np.empty(of.vertices, int)
    for part in range(parts.count):
        part_of[parts.order[parts.first[part] : parts.first[part + 1]]] = part
        outside = inboxes.outside[inboxes.outside_first[part] : inboxes.outside_first[part + 1]]
        assert np.all(np.diff(outside) > 0)
    between = [(tail, head) for tail, head in lightest(of) if part_of[tail] != part_of[head]]
    assert parts.cut_arcs == len(between)
    entered = {head for _, head in between}
    for part in range(parts.count):
        here = parts.entered[inboxes.first[part] : inboxes.first[part + 1]]
        np.testing.assert_array_equal(here, parts.first[part] + np.arange(len(here)))  # the first of the part
    assert set(parts.order[parts.entered].tolist()) == entered and len(parts.entered) == len(entered)


def test_parts_of_tiny_graphs():
    for number, (vertices_max, (name, tiny)) in enumerate(product((1, 2, 3, 40), drawn(TINY).items())):
        with named(f"{name}, {vertices_max}"):
            assert_parts_are_the_graph(opened(ORDERS[number % 3], seed=vertices_max), tiny, vertices_max)


@given(graph=random_graphs(vertices_max=100, arcs_per_vertex=8), vertices_max=strategies.integers(1, 110))
def test_parts_of_random_graphs(graph, vertices_max):
    assert_parts_are_the_graph(SIMULATED, graph, vertices_max)


def test_parts_have_the_lightest_of_new_weights():
    ends = [0, 0, 1, 2, 2], [1, 1, 2, 0, 2]
    of = from_arcs(3, *ends, [9, 4, 1, 2, 3])
    parts = parts_of(resident(SIMULATED, of), 2)
    np.testing.assert_array_equal(parts.places[:2], parts.places[1])
    assert parts.places[4] == -1  # a loop
    assert sorted(arcs_of(parts, of).values()) == [1, 2, 4]


@pytest.mark.parametrize(
    ("of", "cut_max"),
    [
        (grid_of(1000, 1), 2 * 13),
        (scattered_path(1000), 13),  # one way
        (square(40), 700),
        (star_of_paths(20, 50), 80),
        (from_arcs(1000, range(0, 1000, 2), range(1, 1000, 2), [1] * 500), 0),
    ],
    ids=["path", "one-way path in random order", "square", "star of paths", "pairs"],
)
def test_a_cut_is_small_and_the_same_in_every_order(of, cut_max):
    cuts = []
    for order in ORDERS:
        parts = parts_of(resident(opened(order, seed=3), of), 100)
        assert parts.vertices_max <= 100 and parts.count <= 1.3 * of.vertices / 100
        assert parts.cut_arcs <= cut_max
        cuts.append(parts.order)
    np.testing.assert_array_equal(cuts, [cuts[0]] * len(ORDERS))


def test_parts_are_kept_for_a_graph_and_for_others_with_its_arcs():
    numbers = np.random.default_rng(1)
    one = from_arcs(1000, *numbers.integers(0, 1000, (2, 3000)), numbers.integers(1, 9, 3000))
    kept = resident(SIMULATED, one)
    parts = parts_of(kept, 100)
    assert parts_of(kept, 100) is parts and parts_of(kept, 70) is not parts
    other = resident(SIMULATED, Graph(one.indptr, one.indices, one.weights + 1))
    assert parts_of(other, 100) is parts


def test_graphs_that_are_hard_to_cut_have_no_part_that_is_too_large():
    star = graph(700, *[(0, vertex, 1) for vertex in range(1, 700)])
    for of in (star, complete(150, 1, 9, 1), hub(300, 1, 1), graph(500)):
        assert_parts_are_the_graph(SIMULATED, of, 37)


def test_a_part_with_more_entries_than_16_bits_number_is_refused():
    star = graph(3, (0, 1, 1))
    assert parts_of(resident(SIMULATED, star), 3).count == 1
    wide = from_arcs(70_000, np.zeros(69_999, int), np.arange(1, 70_000), np.ones(69_999, int))
    with pytest.raises(UsageError, match="65,535"):
        parts_of(resident(SIMULATED, wide), 70_000)


def in_regions(monkeypatch, parts_a_region: int) -> None:
    """Graphs in any number of parts have regions, unless ``parts_a_region`` is 0."""
    if parts_a_region:
        monkeypatch.setattr(_cut, "PARTS_WITHOUT_REGIONS", 0)
        monkeypatch.setattr(_cut, "PARTS_A_REGION", parts_a_region)


@pytest.mark.parametrize(
    ("of", "share_max"), [(square(60), 0.5), (grid_of(3600, 1), 0.15), (star_of_paths(20, 180), 0.5)]
)
@pytest.mark.parametrize("full", [_cut.FULL, 0.999])
def test_parts_of_a_region_lie_together(of, share_max, full, monkeypatch):
    """Of the borders of parts, few are those of regions, even where parts have no room and are split."""
    in_regions(monkeypatch, 9)
    monkeypatch.setattr(_cut, "FULL", full)
    cuts = []
    for order in ORDERS:
        parts = parts_of(resident(opened(order, seed=3), of), 40)
        regions = regions_of(parts)
        assert parts.vertices_max <= 40 and parts.count <= 1.5 * of.vertices / 40
        assert 0 < len(regions.entered) <= share_max * len(parts.entered)
        cuts.append(parts.order)
    np.testing.assert_array_equal(cuts, [cuts[0]] * len(ORDERS))


@pytest.mark.parametrize("parts_a_region", [1, 2, 5])
def test_regions_lead_where_their_parts_do(parts_a_region, monkeypatch):
    monkeypatch.setattr(_parts, "parts_of_vertices", in_random_parts)
    in_regions(monkeypatch, parts_a_region)
    for of in (square(17), from_arcs(90, *np.random.default_rng(2).integers(0, 90, (2, 200)), [1] * 200), graph(70)):
        parts = parts_of(resident(SIMULATED, of), 11)
        regions, inboxes = regions_of(parts), parts.inboxes
        assert regions.inboxes.count == -(-parts.count // parts_a_region)
        begin = inboxes.host_first[parts.region_first]
        entered = set()
        for part in range(parts.count):
            region = part // parts_a_region
            first, end = inboxes.outside_first[part], inboxes.outside_first[part + 1]
            outside = regions.inboxes.outside[regions.inboxes.outside_first[region] :]
            for inbox, head in zip(inboxes.outside[first:end], regions.heads[first:end].astype(int), strict=True):
                own = begin[region + 1] - begin[region]
                assert inbox == (begin[region] + head if head < own else regions.entered[outside[head - own]])
                if head >= own:
                    entered.add(int(inbox))
        np.testing.assert_array_equal(regions.entered, sorted(entered))
        np.testing.assert_array_equal(regions.inboxes.host_first, np.searchsorted(regions.entered, begin))


def test_neighbouring_parts_are_dealt_to_different_blocks():
    for count in (1, 2, 3, 10, 264, 3588):
        numbers = dealt(count)
        np.testing.assert_array_equal(np.sort(numbers), np.arange(count))
        assert count <= 100 or np.abs(np.diff(numbers)).min() > count / 3


# The variant borders.


def plan_of(device, of: Graph, count: int, **how) -> Borders:
    return planned(Borders, device, of, 0, vertices_a_part=-(-of.vertices // count), **how)


def solved(plan: Borders, source: int):
    plan.start(source)
    plan.run_until_settled()
    return plan.on_device()


def in_random_parts(copy, vertices_max: int):
    """The worst cut: neighbours are seldom in one part, and some parts may be empty."""
    vertices = copy.graph.vertices
    count = -(-vertices // vertices_max)
    part = np.random.default_rng(copy.graph.arcs).integers(0, count, vertices).astype(np.int32)
    parts_a_region = count if _cut.PARTS_WITHOUT_REGIONS else _cut.PARTS_A_REGION
    return copy.device.upload(part), np.append(np.arange(0, count, parts_a_region), count)


@pytest.mark.parametrize("order", SIMULATED_DEVICES)
@pytest.mark.parametrize(("count", "parts_a_region"), [(1, 0), (2, 0), (40, 0), (1, 4), (2, 1), (40, 3), (40, 40)])
def test_tiny_graphs_in_any_number_of_parts(order, count, parts_a_region, monkeypatch):
    in_regions(monkeypatch, parts_a_region)
    monkeypatch.setattr(_parts, "parts_of_vertices", in_random_parts)
    device = opened(order, seed=count)
    for of in TINY.values():
        plan = plan_of(device, of, count)
        for source in {of.vertices - 1}:
            found = solved(plan, source)
            np.testing.assert_array_equal(found.distances, reference(of, source))
            certify(of, source, found.distances, found.predecessors)


@fewer
@given(of=random_graphs(vertices_max=120, arcs_per_vertex=6), count=strategies.integers(1, 30), data=strategies.data())
def test_random_graphs_from_several_sources_with_one_plan(of, count, data):
    device = opened("shuffle", seed=data.draw(strategies.integers(0, 9)))
    plan = plan_of(device, of, count, predecessors=False)
    for source in data.draw(strategies.lists(strategies.integers(0, of.vertices - 1), min_size=1, max_size=4)):
        found = solved(plan, source)
        assert found.predecessors is None
        np.testing.assert_array_equal(found.distances, reference(of, source))


@pytest.mark.parametrize("parts_a_region", [0, 2])
def test_many_solves_with_blocks_in_any_order(parts_a_region, monkeypatch):
    """Each time the blocks, and their threads, run in another order, two blocks at a time."""
    in_regions(monkeypatch, parts_a_region)
    monkeypatch.setattr(_parts, "parts_of_vertices", in_random_parts)
    numbers = np.random.default_rng(3)
    ends = numbers.integers(0, 48, (2, 120))
    of = from_arcs(48, *ends, numbers.integers(1, 30, 120))
    expected = [reference(of, source) for source in range(of.vertices)]
    for seed in range(6):
        plan = plan_of(opened("shuffle", seed=seed, workers=2), of, 6)
        for source in range(seed % 3, of.vertices, 3):
            found = solved(plan, source)
            np.testing.assert_array_equal(found.distances, expected[source])
            certify(of, source, found.distances, found.predecessors)


@pytest.mark.cuda
@pytest.mark.parametrize("parts_a_region", [0, 4])
def test_a_thousand_certified_solves_on_a_gpu(parts_a_region, monkeypatch):
    """Ten cuts at random, so that nearly every arc is a message between blocks that run side by side."""
    in_regions(monkeypatch, parts_a_region)
    monkeypatch.setattr(_parts, "parts_of_vertices", in_random_parts)
    monkeypatch.setattr(_inboxes, "_CELLS_SMALL", 2**24)  # a table of such a cut is large
    device = opened("cuda")
    of = from_arcs(6000, *np.random.default_rng(4).integers(0, 6000, (2, 24_000)), 1 + np.arange(24_000) % 97)
    judge = DeviceCertifier(device, of)
    for cut in range(10):
        plan = plan_of(device, of, 60 + cut)  # another number of parts, so another cut
        for source in range(100 * cut, 100 * (cut + 1)):
            found = solved(plan, source)
            judge.certify(np.array([source]), found.distances[None], found.predecessors[None])


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
@pytest.mark.parametrize(("parts_a_region", "columns"), [(0, 32), (4, 32), (4, 128)])
def test_slices_of_a_table_that_is_not_in_shared_memory(parts_a_region, columns, dtype, monkeypatch):
    """They are dealt to blocks, and rows far from the front of the search wait."""
    in_regions(monkeypatch, parts_a_region)
    monkeypatch.setattr(_parts, "parts_of_vertices", in_random_parts)
    monkeypatch.setattr(type(SIMULATED), "shared_memory_bytes", 20_000)
    monkeypatch.setattr(_layout, "_SLICES", ((1, columns), (0, columns)))
    device, numbers = opened("shuffle", seed=2, workers=2), np.random.default_rng(4)
    of = from_arcs(600, *numbers.integers(0, 600, (2, 1500)), numbers.choice([1, 5, 1000], 1500).astype(dtype))
    plan = plan_of(device, of, 8)
    layout = plan.table.layout
    assert layout.inboxes.cells * of.weights.itemsize > 20_000 * layout.inboxes.count
    for source in (0, 300, 599):
        found = solved(plan, source)
        expected = least_sums(of, source) if of.has_floats else reference(of, source)
        np.testing.assert_array_equal(downloaded(device, found.distances), expected)
        certify(of, source, found.distances, found.predecessors)


@pytest.mark.parametrize("parts_a_region", [0, 3])
def test_vertices_of_the_border_at_the_same_distance(parts_a_region, monkeypatch):
    """Most weights are 0, so that many rows of a table say the same, and one of them has to stay."""
    in_regions(monkeypatch, parts_a_region)
    monkeypatch.setattr(_parts, "parts_of_vertices", in_random_parts)
    grid, numbers = square(15), np.random.default_rng(9)
    for zeros in (0.6, 0.9, 1):
        of = Graph(grid.indptr, grid.indices, np.where(numbers.random(grid.arcs) < zeros, 0, 3).astype(np.int32))
        plan = plan_of(opened("shuffle", seed=1), of, 4)
        for source in (0, 112):
            found = solved(plan, source)
            certify(of, source, found.distances, found.predecessors)


def test_more_arcs_than_slots():
    numbers = np.random.default_rng(8)
    star = [(0, v, int(numbers.integers(1, 9))) for v in range(1, 60)]
    of = graph(60, *star, *[(v, (7 * v) % 60, 3) for v in range(1, 60)], (5, 0, 1))
    for count in (1, 4):
        plan = plan_of(opened("shuffle"), of, count)
        np.testing.assert_array_equal(solved(plan, 5).distances, reference(of, 5))


def test_a_part_of_more_vertices_than_a_block_has_threads():
    path = grid_of(2500, 2)
    plan = plan_of(open_device("simulated"), path, 1)
    assert plan.table.layout.of_parts.macros["VERTICES_PER_THREAD"] == 3
    np.testing.assert_array_equal(solved(plan, 1200).distances, reference(path, 1200))


BIG = [square(13), star_of_paths(8, 15), complete(37, 1, 9, 1), hub(163, 3, 5)]


@pytest.mark.parametrize("device", EVERY_DEVICE)
@pytest.mark.parametrize("parts_a_region", [1, 2, 9])
def test_regions_of_wide_borders(device, parts_a_region, monkeypatch):
    """More rows and columns than a warp has lanes, of each type of weights, and new weights for the same arcs."""
    in_regions(monkeypatch, parts_a_region)
    monkeypatch.setattr(_parts, "parts_of_vertices", in_random_parts)
    device, numbers = opened(device), np.random.default_rng(6)
    for of, dtype in product((hub(163, 3, 5), complete(150, 1, 9, 1)), (np.int32, np.float32, np.float64)):
        plans = []
        for _ in range(2):
            of = Graph(of.indptr, of.indices, numbers.integers(1, 99, of.arcs).astype(dtype))
            plans.append(plan_of(device, of, 3, predecessors=False))
            for source in (0, 80):
                found = downloaded(device, solved(plans[-1], source).distances)
                np.testing.assert_array_equal(found, reference(of, source))
        assert plans[0].table.layout is plans[1].table.layout


@fewer
@pytest.mark.parametrize("device", EVERY_DEVICE)
@given(
    of=strategies.sampled_from([*BIG, *TINY.values()]),
    kind=strategies.sampled_from(FLOAT_KINDS),
    dtype=strategies.sampled_from([np.float32, np.float64]),
)
def test_float_distances_have_every_bit(device, of, kind, dtype):
    device, of = opened(device), with_floats(of, kind, dtype)
    plan = plan_of(device, of, 7)
    for source in (0, of.vertices // 2):
        found = solved(plan, source)
        distances, predecessors = (downloaded(device, array) for array in (found.distances, found.predecessors))
        np.testing.assert_array_equal(distances, least_sums(of, source))
        certify(of, source, distances, predecessors)


@pytest.mark.parametrize("device", EVERY_DEVICE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_from_the_source_may_exceed_the_largest_float_where_those_of_the_table_do_not(device, dtype):
    device, path = opened(device), from_arcs(1300, range(1299), range(1, 1300), [1] * 1299)
    parts = plan_of(device, path, 13).table.parts
    part = np.searchsorted(parts.host_first, parts.host_position, side="right")
    tails, heads, largest = path.tails(), path.indices, np.finfo(dtype).max
    unit = largest - np.nextafter(largest, dtype(0))
    for units in range(700, 1400, 200):
        weights = np.where(part[tails] == part[heads], unit * dtype(0.75), unit * dtype(30))
        weights[0] = largest - unit * dtype(units)
        of = Graph(path.indptr, path.indices, weights)
        found = downloaded(device, solved(plan_of(device, of, 13), 0).distances)
        np.testing.assert_array_equal(found, least_sums(of, 0))


@fewer
@given(
    of=random_graphs(vertices_max=120, arcs_per_vertex=6),
    kind=strategies.sampled_from(FLOAT_KINDS),
    dtype=strategies.sampled_from([np.float32, np.float64]),
    count=strategies.integers(1, 30),
)
def test_random_graphs_with_floats(of, kind, dtype, count):
    of = with_floats(of, kind, dtype)
    np.testing.assert_array_equal(
        solved(plan_of(SIMULATED, of, count, predecessors=False), 0).distances, least_sums(of, 0)
    )


@pytest.mark.parametrize("device", EVERY_DEVICE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_given_lengths_of_paths_are_lowered(device, dtype):
    device = opened(device)
    for of, rounds in product((square(17), hub(163, 3, 5), complete(37, 1, 9, 1)), (0, 1, 5, 400)):
        of = with_floats(of, "random", dtype)
        plan = planned(Lowering, device, of)
        for source in (5, 0):
            plan.reset()
            plan.start(source)
            plan.rows.distances[0] = device.upload(least_sums(of, source, rounds))
            plan.run()
            found = plan.download()
            np.testing.assert_array_equal(found.distances, least_sums(of, source))
            certify(of, source, found.distances, found.predecessors)


@fewer
@given(of=random_graphs(vertices_max=200, arcs_per_vertex=3), count=strategies.integers(2, 30), data=strategies.data())
def test_sums_along_paths_need_no_lowering(of, count, data):
    """Where all weights differ much, each sum of a stretch is a distance already."""
    weights = np.random.default_rng(data.draw(strategies.integers(0, 9))).random(of.arcs) + 0.1
    of = Graph(of.indptr, of.indices, weights)
    plan = plan_of(SIMULATED, of, count, predecessors=False)
    plan.lowering.solve_one = lambda *_: None
    source = data.draw(strategies.integers(0, of.vertices - 1))
    np.testing.assert_array_equal(solved(plan, source).distances, least_sums(of, source))


def test_a_solve_that_does_not_end_is_given_up():
    path = grid_of(60, 1)
    plan = plan_of(open_device("simulated"), path, 6, questions_max=0)
    plan.start(0)
    with pytest.raises(DeviceError, match="gave up"):
        plan.run_until_settled()
    with pytest.raises(DeviceError, match="gave up"):
        plan.solve()


@pytest.mark.parametrize("parts_a_region", [0, 2])
def test_a_round_that_leaves_something_is_followed_by_others(parts_a_region, monkeypatch):
    """On a GPU one round is enough, as a rule, and the host does not wait for it."""
    in_regions(monkeypatch, parts_a_region)
    path = with_random_weights(grid_of(60, 1), seed=2)
    for order in ORDERS:
        solver = warpath.prepare(path, opened(order, seed=1))
        borders_of_it = Borders(solver.resident, vertices_a_part=10)
        borders_of_it.ends_in_a_round = True
        for source in (0, 59, 31):
            rows = Rows(np.empty((1, 60), np.int32), np.empty((1, 60), np.int32))
            borders_of_it.solve(np.array([source], np.int32), rows)
            for is_complete in (False, True):
                solver.resident.device.synchronize()
                assert borders_of_it.check() == is_complete
            np.testing.assert_array_equal(rows.distances[0], reference(path, source))
            certify(path, source, rows.distances[0], rows.predecessors[0])


def test_a_call_goes_on_where_a_round_left_something(monkeypatch):
    made = Borders.__init__

    def hasty(solver, *given, **settings):
        made(solver, *given, **{**settings, "vertices_a_part": 10})
        solver.ends_in_a_round = True

    monkeypatch.setattr(Borders, "__init__", hasty)
    path = grid_of(60, 1)
    for output in ("host", "device"):
        paths = warpath.sssp(path, 3, device="simulated", algorithm="partition", variant="borders", output=output)
        np.testing.assert_array_equal(paths.distances, reference(path, 3))
        assert paths.certificate.reached == 60 and (paths.predecessors >= 0).sum() == 59


def test_what_is_no_road_network_is_refused(monkeypatch):
    wide = from_arcs(3000, np.zeros(2999, int), np.arange(1, 3000), np.ones(2999, int))
    device = open_device("simulated")
    is_road = lambda of: fits(found := resident(device, of), facts_of(found))  # noqa: E731
    assert not is_road(wide) and is_road(grid_of(50, 1))
    with pytest.raises(UsageError, match="5,000"):
        plan_of(device, grid_of(5000, 1), 1)
    monkeypatch.setattr(_inboxes, "_CELLS_MAX", 3)
    with pytest.raises(UsageError, match="table"):
        plan_of(device, grid_of(50, 1), 5)


def test_what_exceeds_shared_memory_is_refused(monkeypatch):
    wide = from_arcs(60_000, np.zeros(59_999, int), np.arange(1, 60_000), np.ones(59_999, int))
    with pytest.raises(UsageError, match="shared memory"):
        planned(Borders, SIMULATED, wide, 0)
    path = grid_of(4000, 1)
    monkeypatch.setattr(type(SIMULATED), "shared_memory_bytes", 1100)
    with pytest.raises(UsageError, match="shared memory"):
        planned(Borders, SIMULATED, path, 0, vertices_a_part=12)
    in_regions(monkeypatch, 400)
    with pytest.raises(UsageError, match="shared memory"):
        planned(Borders, SIMULATED, grid_of(4000, 1), 0, vertices_a_part=12)


def test_preparation_is_timed_and_shared():
    path = grid_of(300, 1)
    device = open_device("simulated")
    plan, other = (plan_of(device, path, 4) for _ in range(2))
    assert plan.table is other.table and plan.preparation_s > plan.table.parts.preparation_s > 0


@pytest.mark.parametrize("device", EVERY_DEVICE)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sums_along_paths_need_no_lowering_where_weights_are_lost_in_them(device, dtype):
    device, numbers = opened(device), np.random.default_rng(1)
    heads = np.arange(1, 1200)
    for tails in (heads - 1, np.maximum(0, heads - numbers.integers(1, 9, len(heads)))):
        weights = numbers.choice([0, np.finfo(dtype).eps, 0.7, 1.9], len(heads), p=[0.1, 0.1, 0.4, 0.4])
        tree = from_arcs(1200, *both_ways(tails, heads, weights.astype(dtype))[:3])
        for source in (0, 1100):
            plan = plan_of(device, tree, 40, predecessors=False)
            plan.lowering.solve_one = lambda *_: None
            found = downloaded(device, solved(plan, source).distances)
            np.testing.assert_array_equal(found, least_sums(tree, source))
