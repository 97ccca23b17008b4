"""Pages shared out among several devices: right for any number of them, whatever overtakes what."""

from functools import partial

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from examples import fewer
from hypothesis import given
from reordering_device import Lot, ReorderingDevice
from tiny_graphs import NEGATIVE, TINY, grid_of, named, random_graphs

from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.errors import DeviceError, UsageError
from warpath.graphs.csr import from_arcs
from warpath.solvers import find
from warpath_study.experiments.blocked_all_pairs.several_devices import SeveralDevicesPlan

VARIANT = find("blocked_all_pairs", "several_devices")


# Output tiles of 8 x 8 cells, so that small graphs have many pages.
SmallPages = partial(SeveralDevicesPlan, shape=VARIANT.smallest["shape"], cell_grid=VARIANT.smallest["cell_grid"])


@fewer
@given(graph=random_graphs(vertices_max=60, weights=(1, 5)))
@pytest.mark.parametrize("devices", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("page_side", [8, 16])
def test_any_number_of_devices_gives_shortest_paths(devices, page_side, graph):
    solution = SmallPages(open_device("simulated"), graph, devices=devices, page_side=page_side).solve()
    certify(graph, None, solution.distances, solution.predecessors)


@pytest.mark.parametrize("devices", [1, 2, 3, 4])
@pytest.mark.parametrize("device", EVERY_DEVICE)
def test_the_same_on_the_real_tiles(device, devices):
    numbers = np.random.default_rng(devices)
    graph = from_arcs(700, *numbers.integers(0, 700, (2, 2100)), numbers.integers(1, 9, 2100))
    try:
        plan = VARIANT.plan(opened(device), graph, None, devices=devices, page_side=128)
    except DeviceError as error:
        pytest.skip(str(error))
    for _ in range(2):
        solution = plan.solve()
        certify(graph, None, solution.distances, solution.predecessors)


def test_every_tiny_graph_on_two_devices():
    for name, graph in {**TINY, **NEGATIVE}.items():
        with named(name):
            solution = SmallPages(opened("shuffle", seed=2), graph, devices=2, page_side=8).solve()
            certify(graph, None, solution.distances, solution.predecessors)


@pytest.mark.parametrize("seed", range(30))
def test_no_device_overtakes_what_it_has_to_wait_for(seed):
    numbers = np.random.default_rng(seed)
    graph = from_arcs(37, *numbers.integers(0, 37, (2, 90)), numbers.integers(1, 9, 90))
    plan = SmallPages(ReorderingDevice(Lot(seed)), graph, devices=2 + seed % 3, page_side=8)
    solution = plan.solve()
    certify(graph, None, solution.distances, solution.predecessors)
    first = solution.distances.copy()
    np.testing.assert_array_equal(plan.solve().distances, first)


def test_devices_that_wait_for_nothing_are_caught():
    graph, wrong = grid_of(37, 2), 0
    for seed in range(20):
        plan = SmallPages(ReorderingDevice(Lot(seed)), graph, devices=3, page_side=8)
        for share in plan.shares:
            share.wait = lambda events: None
        plan.reset()
        plan.upload()
        plan.iterate(0, plan.iterations)
        distances = plan.download().distances
        wrong += not np.array_equal(distances, 2 * abs(np.subtract.outer(np.arange(37), np.arange(37))))
    assert wrong > 10


@pytest.mark.parametrize("seed", range(20))
def test_predecessors_wait_for_every_upload(seed):
    """A warm-up runs no iteration where there are few pages."""
    graph = grid_of(37, 2)
    plan = SmallPages(ReorderingDevice(Lot(seed)), graph, devices=2, page_side=8)
    plan.reset()
    before = plan.host_intermediates.copy()
    plan.upload()
    plan.finish()
    np.testing.assert_array_equal(plan.download().predecessors, before)


@pytest.mark.parametrize("devices", [2, 3, 4])
def test_every_pass_finds_as_much_work_on_each_device(devices):
    plan = SmallPages(open_device("simulated"), grid_of(8 * 12, 1), devices=devices, page_side=8)
    plan.reset()
    plan.upload()
    assert plan.grid.pages == 12
    for primary in range(12):
        beside = [sum((primary in page) and page != (primary, primary) for page in share.own) for share in plan.shares]
        others = [sum(primary not in page for page in share.own) for share in plan.shares]
        assert sum(beside) == 22 and max(beside) - min(beside) <= 2
        assert sum(others) == 121 and max(others) - min(others) <= 2
    plan.release()


def test_what_is_already_there_is_not_fetched():
    page_bytes = 8 * 8 * 4
    alone = SmallPages(open_device("simulated"), grid_of(40, 1), devices=1, page_side=8)
    alone.solve()
    assert alone.counters["peer_bytes"] == 0
    two = SmallPages(open_device("simulated"), grid_of(40, 1), devices=2, page_side=8)
    two.solve()
    of_a_round = 1 + 8  # the primary page, and each other page of its row and column from one device to the other
    columns = 5 * 2  # intermediate vertices, in the end: of five pages in a column two lie on the other device
    assert two.counters["peer_bytes"] == (5 * of_a_round + columns) * page_bytes


def test_one_device_has_one_page_and_several_have_several():
    assert VARIANT.plan(open_device("simulated"), grid_of(300, 1), None).grid.pages == 1
    assert VARIANT.plan(open_device("simulated"), grid_of(2200, 1), None, devices=2).grid.pages == 2


@pytest.mark.parametrize("asked", [{"devices": 0}, {"page_side": 0}, {"devices": 65}])
def test_settings_out_of_range_are_refused(asked):
    with pytest.raises(UsageError, match="must be a whole number from 1"):
        VARIANT.configured(asked)
