"""Floyd-Warshall with its rows shared among several devices: right for any number, whatever overtakes what."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from examples import fewer
from hypothesis import given, settings, strategies
from reordering_device import LateDevice, Lot
from scipy_reference import reference
from test_lookahead import SHAPES
from tiny_graphs import NEGATIVE, TINY, grid_of, named, random_graphs

from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.errors import DeviceError, UsageError
from warpath.graphs.csr import from_arcs
from warpath.solvers import find
from warpath.solvers.all_pairs import lookahead
from warpath.solvers.all_pairs.shared_rows import RowShare

VARIANT = find("floyd_warshall", "shared_rows")
SMALL = SHAPES[0]
USUAL = (lookahead.SMALL, lookahead.LARGE)
TANGLED = TINY["scattered path of 97"]


@pytest.fixture(scope="module")
def simulated():
    return opened("shuffle")


def solved(device, graph, devices, shape=SMALL):
    """The plan, after two solves that are equal to scipy's, with predecessors that form trees."""
    plan = VARIANT.plan(device, graph, None, devices=devices, shape=shape, tree_block=(32,))
    for _ in range(2):
        solution = plan.solve()
        np.testing.assert_array_equal(solution.distances, reference(graph, None))
        certify(graph, None, solution.distances, solution.predecessors)
    return plan


def test_every_tiny_graph(simulated):
    for name, tiny in {**TINY, **NEGATIVE}.items():
        with named(name):
            solved(simulated, tiny, devices=3)


@pytest.mark.parametrize("devices", [1, 2, 3, 4, 7])
@settings(max_examples=8)
@given(data=strategies.data())
def test_any_number_of_devices_and_any_tiles(simulated, devices, data):
    graph = data.draw(random_graphs(vertices_max=75, arcs_per_vertex=8))
    solved(simulated, graph, devices, data.draw(strategies.sampled_from(SHAPES)))


@fewer
@given(graph=random_graphs(vertices_max=40, arcs_per_vertex=6, weights=(0, 9), negative=True))
def test_negative_arcs_and_cycles_of_weight_zero(simulated, graph):
    solved(simulated, graph, devices=3)


@pytest.mark.parametrize("devices", [1, 2, 4])
@pytest.mark.parametrize("device", EVERY_DEVICE)
@pytest.mark.parametrize(("vertices", "shape"), [(256, USUAL[0]), (700, USUAL[0]), (700, USUAL[1])], ids=str)
def test_tiles_of_the_usual_size(device, devices, vertices, shape):
    numbers = np.random.default_rng(devices)
    graph = from_arcs(vertices, *numbers.integers(0, vertices, (2, 2100)), numbers.integers(1, 9, 2100))
    try:
        solved(opened(device), graph, devices, shape)
    except DeviceError as error:
        if "are needed" not in str(error):
            raise
        pytest.skip(str(error))


@pytest.mark.parametrize("seed", range(16))
def test_no_device_overtakes_what_it_has_to_wait_for(seed):
    device = LateDevice(Lot(seed))
    devices, shape = 2 + seed % 4, SHAPES[seed % 3]
    plan = VARIANT.plan(device, TANGLED, None, devices=devices, shape=shape, predecessors=False)
    for _ in range(2):
        np.testing.assert_array_equal(plan.solve().distances, reference(TANGLED, None))


@pytest.mark.parametrize("seed", range(6))
def test_stages_in_pieces(seed):
    plan = VARIANT.plan(LateDevice(Lot(seed)), TANGLED, None, devices=3, shape=SMALL, predecessors=False)
    plan.start(None)
    for first, last in ((0, 1), (1, 4), (4, plan.iterations)):
        plan.iterate(first, last)
    plan.finish()
    np.testing.assert_array_equal(plan.download().distances, reference(TANGLED, None))


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
    for seed in range(20):
        plan = VARIANT.plan(LateDevice(Lot(seed)), TANGLED, None, devices=3, shape=SMALL, predecessors=False)
        wrong += not np.array_equal(plan.solve().distances, expected)
    assert wrong > 3


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
    for seed in range(20):
        VARIANT.plan(LateDevice(Lot(seed)), TANGLED, None, devices=2, shape=SMALL, predecessors=False).solve()


def test_rows_that_others_copy_do_not_change(changed):
    solve_in_many_orders()
    assert len(changed) == 20 * 13 and not any(changed)


def test_without_that_wait_they_would(monkeypatch, changed):
    begin = RowShare.begin

    def careless(share, stage):
        share.panel_copies.clear()
        begin(share, stage)

    monkeypatch.setattr(RowShare, "begin", careless)
    solve_in_many_orders()
    assert any(changed)


def test_shares_differ_by_a_tile_at_most():
    plan = VARIANT.plan(open_device("simulated"), grid_of(8 * 11 + 1, 1), None, devices=5, shape=SMALL)
    assert [len(share.tiles) for share in plan.shares] == [2, 2, 3, 2, 3]
    assert [share.first_row for share in plan.shares] == [0, 16, 32, 56, 72]
    assert sum(share.rows_inside for share in plan.shares) == 89


def test_a_device_without_rows_is_left_out(simulated):
    assert solved(simulated, grid_of(20, 1), devices=7).counters["devices"] == 3
    assert solved(simulated, grid_of(1, 1), devices=2).counters["peer_bytes"] == 0


def test_each_panel_is_fetched_once_by_each_other_device(simulated):
    plan = VARIANT.plan(simulated, grid_of(40, 1), None, devices=3, shape=SMALL)
    plan.solve()
    assert plan.counters["peer_bytes"] == 5 * 2 * (8 * 40 * 4)


def test_without_predecessors(simulated):
    plan = VARIANT.configured({"devices": 2, "predecessors": 0}).plan(simulated, TINY["ties"], None)
    solution = plan.solve()
    assert solution.predecessors is None
    np.testing.assert_array_equal(solution.distances, reference(TINY["ties"], None))


@pytest.mark.parametrize("devices", [0, 65])
def test_numbers_of_devices_out_of_range_are_refused(devices):
    with pytest.raises(UsageError, match="must be a whole number from 1"):
        VARIANT.configured({"devices": devices})
