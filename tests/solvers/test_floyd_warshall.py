"""Floyd-Warshall in tiles of any size, with streams that run late, and with its rows shared among devices."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from examples import fewer
from hypothesis import given, settings, strategies
from late_device import LateDevice, Lot
from scipy_reference import reference
from tiny_graphs import NEGATIVE, TINY, graph, grid_of, named, random_graphs

from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.errors import DeviceError
from warpath.graphs.csr import from_arcs
from warpath.solvers import find
from warpath.solvers.all_pairs.lookahead import LARGE, SMALL, ProductShape, shape_for
from warpath.solvers.all_pairs.narrow import FAR, TOO_FAR
from warpath.solvers.all_pairs.shared_rows import RowShare
from warpath_study.measure.plans import plan_of

# Slices of half a tile and of a whole one; more buffers than slices; warps of 4 x 8 threads.
SHAPES = [
    ProductShape(tile=8, cells=4, depth=4, buffers=2, unrolled=4, blocks=1, band=2),
    ProductShape(tile=8, cells=4, depth=8, buffers=3, unrolled=2, blocks=1, band=16),
    ProductShape(tile=16, cells=8, depth=4, buffers=3, unrolled=4, blocks=1, band=1),
    ProductShape(tile=32, cells=4, depth=16, buffers=3, unrolled=4, blocks=1, band=3),
]
TANGLED = TINY["scattered path of 97"]
both = pytest.mark.parametrize("name", ["lookahead", "narrow"])


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return opened(request.param)


def planned(device, name, graph, **extra):
    return plan_of(find("floyd_warshall", name), device, graph, None, **extra)


def solved(device, name, graph, **extra):
    """A solution that is equal to scipy's, with predecessors that form trees, and the plan's counters."""
    plan = planned(device, name, graph, **{"tree_block": (32,), **extra})
    solution = plan.solve()
    np.testing.assert_array_equal(solution.distances, reference(graph, None))
    certify(graph, None, solution.distances, solution.predecessors)
    return solution, plan.counters


@both
@settings(max_examples=12)
@given(shape=strategies.sampled_from(SHAPES), data=strategies.data())
def test_tiles_of_any_size_are_exact(device, name, shape, data):
    weights = data.draw(strategies.sampled_from([(0, 1), (1, 3), (1, 999), (1, 10**6), (10**7, 2 * 10**7)]))
    solved(device, name, data.draw(random_graphs(vertices_max=53, arcs_per_vertex=8, weights=weights)), shape=shape)


@fewer
@given(graph=random_graphs(vertices_max=40, arcs_per_vertex=6, weights=(0, 9), negative=True))
def test_negative_arcs_and_cycles_of_weight_zero(device, graph):
    solved(device, "lookahead", graph, shape=SHAPES[0])


@both
@pytest.mark.parametrize("vertices", [1, 64, 65])
def test_a_complete_graph_in_tiles_of_the_usual_size(device, name, vertices):
    tails, heads = np.divmod(np.arange(vertices**2), vertices)
    weights = np.random.default_rng(2).integers(1, 1000, vertices**2)
    solved(device, name, from_arcs(vertices, tails, heads, weights))


@pytest.mark.parametrize("cell_bits", [32, 16])
def test_the_shape_fits_the_matrix_and_the_device(monkeypatch, cell_bits):
    of_int = np.dtype(np.int32), cell_bits
    device = opened("forward")
    assert shape_for(device, 1024, *of_int) == SMALL
    assert shape_for(device, 36_682, *of_int) == LARGE
    monkeypatch.setattr(type(device), "shared_memory_bytes", 64 * 1024)  # as on Turing
    assert shape_for(device, 36_682, *of_int) == SMALL
    assert max(SMALL.panel_bytes, SMALL.slices_bytes) <= device.shared_memory_bytes


@both
def test_no_stream_runs_ahead_of_what_it_reads(name):
    # Without predecessors: what NumPy does between their kernels is in no stream.
    for seed in range(12):
        plan = planned(LateDevice(Lot(seed)), name, TANGLED, shape=SHAPES[seed % len(SHAPES)], predecessors=False)
        np.testing.assert_array_equal(plan.solve().distances, reference(TANGLED, None), f"seed {seed}")


def test_without_waiting_for_the_panels_some_order_is_wrong(monkeypatch):
    """A wait that is left out must show."""
    monkeypatch.setattr(LateDevice, "wait", lambda self, event: None)
    expected = reference(TANGLED, None)
    answers = [
        planned(LateDevice(Lot(seed)), "lookahead", TANGLED, shape=SHAPES[0], predecessors=False).solve().distances
        for seed in range(12)
    ]
    assert not all(np.array_equal(expected, answer) for answer in answers)


@both
def test_without_predecessors(device, name):
    solution = planned(device, name, TINY["ties"], predecessors=False).solve()
    assert solution.predecessors is None
    np.testing.assert_array_equal(solution.distances, reference(TINY["ties"], None))


@pytest.mark.parametrize(
    ("arcs", "too_far"),
    [
        # Some cells have no path: the farthest vertex and the heaviest arc add up to one below FAR, and to FAR.
        ([(0, 1, FAR // 2), (1, 2, 0)], False),
        ([(0, 1, FAR // 2), (1, 2, 1)], True),
        # A cycle leaves no cell without a path: the longest length that fits, and the first that does not.
        ([(0, 1, FAR - 2), (1, 2, 1), (2, 0, 0)], False),
        ([(0, 1, FAR - 1), (1, 2, 1), (2, 0, 0)], True),
        ([(0, 1, FAR), (1, 2, 1), (2, 0, 0)], True),
        # An arc that does not fit is no matter where a way around does.
        ([(0, 1, 10**9), (0, 2, 3), (2, 1, 4), (1, 0, 5)], False),
    ],
)
def test_where_16_bits_end(device, arcs, too_far):
    for shape in SHAPES[:2]:
        _, counters = solved(device, "narrow", graph(3, *arcs), shape=shape)
        assert counters[TOO_FAR] == too_far


@fewer
@given(data=strategies.data())
def test_16_bits_are_never_wrong_near_their_end(device, data):
    weights = data.draw(strategies.sampled_from([(FAR // 4, FAR // 2), (FAR // 2 - 2, FAR // 2 + 2), (0, FAR + 1)]))
    solved(
        device, "narrow", data.draw(random_graphs(vertices_max=20, arcs_per_vertex=6, weights=weights)), shape=SHAPES[0]
    )


@fewer
@given(graph=random_graphs(vertices_max=30, arcs_per_vertex=20, weights=(0, 2), negative=True))
def test_trees_of_dense_graphs_with_many_ties(device, graph):
    solved(device, "lookahead", graph, shape=SHAPES[1])


def test_trees_where_a_row_does_not_fit_into_shared_memory(monkeypatch):
    device = opened("shuffle")
    monkeypatch.setattr(type(device), "shared_memory_bytes", 16)
    solved(device, "lookahead", TANGLED, shape=SHAPES[0])


# Rows shared among devices


SHARED_ROWS = find("floyd_warshall", "shared_rows")


@pytest.fixture(scope="module")
def simulated():
    return opened("shuffle")


def solved_by_shares(device, graph, devices, shape=SHAPES[0]):
    """The plan, after two solves that are equal to scipy's, with predecessors that form trees."""
    plan = plan_of(SHARED_ROWS, device, graph, None, devices=devices, shape=shape, tree_block=(32,))
    for _ in range(2):
        solution = plan.solve()
        np.testing.assert_array_equal(solution.distances, reference(graph, None))
        certify(graph, None, solution.distances, solution.predecessors)
    return plan


def test_every_tiny_graph(simulated):
    for name, tiny in {**TINY, **NEGATIVE}.items():
        with named(name):
            solved_by_shares(simulated, tiny, devices=3)


@fewer
@given(devices=strategies.integers(1, 7), data=strategies.data())
def test_any_number_of_devices_and_any_tiles(simulated, devices, data):
    graph = data.draw(random_graphs(vertices_max=75, arcs_per_vertex=8))
    solved_by_shares(simulated, graph, devices, data.draw(strategies.sampled_from(SHAPES)))


@fewer
@given(graph=random_graphs(vertices_max=40, arcs_per_vertex=6, weights=(0, 9), negative=True))
def test_shared_rows_of_negative_arcs(simulated, graph):
    solved_by_shares(simulated, graph, devices=3)


@pytest.mark.parametrize("device", EVERY_DEVICE)
@pytest.mark.parametrize(
    ("devices", "vertices", "shape"),
    [
        (2, 256, SMALL),
        *(pytest.param(many, 700, shape, marks=pytest.mark.nightly) for many in (1, 4) for shape in (SMALL, LARGE)),
    ],
    ids=str,
)
def test_tiles_of_the_usual_size(device, devices, vertices, shape):
    numbers = np.random.default_rng(devices)
    graph = from_arcs(vertices, *numbers.integers(0, vertices, (2, 2100)), numbers.integers(1, 9, 2100))
    try:
        solved_by_shares(opened(device), graph, devices, shape)
    except DeviceError as error:
        if "are needed" not in str(error):
            raise
        pytest.skip(str(error))


def test_no_device_overtakes_what_it_has_to_wait_for():
    for seed in range(10):
        how = {"devices": 2 + seed % 4, "shape": SHAPES[seed % 3], "predecessors": False}
        plan = plan_of(SHARED_ROWS, LateDevice(Lot(seed)), TANGLED, None, **how)
        for _ in range(2):
            np.testing.assert_array_equal(plan.solve().distances, reference(TANGLED, None), f"seed {seed}")


class Deaf:
    """A stream that waits for no event."""

    def __init__(self, stream):
        self._stream = stream
        self.record, self.synchronize = stream.record, stream.synchronize

    @property
    def queue(self):
        return self._stream.queue

    def wait(self, event):
        pass

    def follow(self):
        pass


@pytest.mark.parametrize("name", ["main", "urgent", "fetches"])
def test_a_stream_that_waits_for_nothing_is_caught(monkeypatch, name):
    """Each wait that is left out must show for some seed."""
    made = RowShare.__init__

    def deafened(share, *args):
        made(share, *args)
        setattr(share, name, Deaf(getattr(share, name)))

    monkeypatch.setattr(RowShare, "__init__", deafened)
    expected = reference(TANGLED, None)
    wrong = 0
    for seed in range(10):
        plan = plan_of(
            SHARED_ROWS, LateDevice(Lot(seed)), TANGLED, None, devices=3, shape=SHAPES[0], predecessors=False
        )
        wrong += not np.array_equal(plan.solve().distances, expected)
    assert wrong > 1


@pytest.fixture
def changed(monkeypatch):
    """For each panel that was fetched: whether it was another than its owner had closed."""
    closed, found, launch, fetch = {}, [], RowShare._launch, RowShare.fetch_panel

    def launch_and_keep(share, name, *sizes, **arguments):
        launch(share, name, *sizes, **arguments)
        if name == "close_panel":
            stage = int(arguments["stage"])
            share.urgent.queue.append(lambda: closed.update({stage: share.panel(stage).copy()}))

    def fetch_and_compare(share, stage, owner):
        fetched = fetch(share, stage, owner)
        share.fetches.queue.append(lambda: found.append(not np.array_equal(share.panel(stage), closed[stage])))
        return fetched

    monkeypatch.setattr(RowShare, "_launch", launch_and_keep)
    monkeypatch.setattr(RowShare, "fetch_panel", fetch_and_compare)
    return found


def solve_in_many_orders():
    for seed in range(10):
        plan_of(
            SHARED_ROWS, LateDevice(Lot(seed)), TANGLED, None, devices=2, shape=SHAPES[0], predecessors=False
        ).solve()


def test_rows_that_others_copy_do_not_change(changed):
    solve_in_many_orders()
    assert len(changed) == 10 * 13 and not any(changed)


def test_without_that_wait_they_would(monkeypatch, changed):
    begin = RowShare.begin

    def careless(share, stage):
        share.panel_copies.clear()
        begin(share, stage)

    monkeypatch.setattr(RowShare, "begin", careless)
    solve_in_many_orders()
    assert any(changed)


def test_shares_differ_by_a_tile_at_most():
    plan = plan_of(SHARED_ROWS, open_device("simulated"), grid_of(8 * 11 + 1, 1), None, devices=5, shape=SHAPES[0])
    assert [len(share.tiles) for share in plan.solver.shares] == [2, 2, 3, 2, 3]
    assert [share.first_row for share in plan.solver.shares] == [0, 16, 32, 56, 72]
    assert sum(share.rows_inside for share in plan.solver.shares) == 89


def test_shared_rows_without_predecessors(simulated):
    plan = plan_of(SHARED_ROWS.configured({"devices": 2, "predecessors": 0}), simulated, TINY["ties"], None)
    solution = plan.solve()
    assert solution.predecessors is None
    np.testing.assert_array_equal(solution.distances, reference(TINY["ties"], None))
