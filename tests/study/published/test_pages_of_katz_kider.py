"""Katz and Kider's pages on one card and on several: right for every size, within the memory, shared out evenly."""

from collections import Counter
from functools import partial

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from examples import fewer
from hypothesis import given, strategies
from late_device import LateDevice, Lot
from scipy_reference import reference
from tiny_graphs import NEGATIVE, TINY, grid_of, named, random_graphs

from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.device.simulated.device import SimulatedDevice
from warpath.errors import DeviceError, OutOfMemoryError, UsageError
from warpath.graphs.csr import from_arcs
from warpath.solvers import find
from warpath_study.measure.plans import plan_of
from warpath_study.published.katz_kider.blocked_all_pairs.blocked import LENGTH
from warpath_study.published.katz_kider.blocked_all_pairs.paged import PagedPlan

PAGED = find("blocked_all_pairs", "paged")
# Blocks of 4 x 4 cells, so that small graphs have many pages of several blocks.
SmallBlocks = partial(PagedPlan, tile=4, cell_grid=PAGED.smallest["cell_grid"])
COLUMN_BYTES = 16  # of a vertex: a cell, a length and a predecessor


def certified(graph, solution):
    np.testing.assert_array_equal(solution.distances, reference(graph, None))
    certify(graph, None, solution.distances, solution.predecessors)


def random_of_37(seed):
    numbers = np.random.default_rng(seed)
    return from_arcs(37, *numbers.integers(0, 37, (2, 90)), numbers.integers(1, 9, 90))


def device_with(free_bytes):
    """A simulated GPU that says it has so much free memory, beyond what is left for losses."""
    device = SimulatedDevice()
    device.memory_bytes = lambda: (free_bytes * 16 // 15 + 16, 2**40)
    return device


@fewer
@given(
    graph=random_graphs(vertices_max=40, weights=(0, 5)),
    page_side=strategies.integers(3, 42),
    tile=strategies.integers(2, 6),
    devices=strategies.sampled_from([1, 2, 3]),
)
def test_pages_and_blocks_of_any_size_on_any_number_of_cards(graph, page_side, tile, devices):
    plan = SmallBlocks(opened("shuffle", seed=tile), graph, devices=devices, page_side=page_side, tile=tile)
    certified(graph, plan.solve())


@pytest.mark.parametrize("devices", [1, 2])
def test_sizes_of_pages_that_leave_much_and_little_over(devices):
    graph = random_of_37(1)
    for side in (2, 5, 9, 13, 18, 19, 36, 37, 1000):
        with named(f"page_side={side}"):
            certified(graph, SmallBlocks(open_device("simulated"), graph, devices=devices, page_side=side).solve())


def test_every_tiny_graph_on_two_cards():
    for name, graph in {**TINY, **NEGATIVE}.items():
        with named(name):
            certified(graph, SmallBlocks(opened("reverse", seed=2), graph, devices=2, page_side=5).solve())


@pytest.mark.parametrize("device", EVERY_DEVICE)
@pytest.mark.parametrize("devices", [2, pytest.param(1, marks=pytest.mark.slow)])
def test_blocks_of_the_published_size_and_of_the_default(device, devices):
    numbers = np.random.default_rng(devices)
    graph = from_arcs(150, *numbers.integers(0, 150, (2, 450)), numbers.integers(1, 9, 450))
    for block_side in (18, 32):
        try:
            configured = PAGED.configured({"block_side": block_side, "devices": devices, "page_side": 50})
            plan = plan_of(configured, opened(device), graph, None)
        except DeviceError as error:
            pytest.skip(str(error))
        assert (plan.tile, plan.iterations) == (block_side, 3)
        for _ in range(2):
            certified(graph, plan.solve())


def test_one_page_takes_the_launches_of_blocked_and_gives_its_answer():
    graph = random_of_37(3)
    blocked = find("blocked_all_pairs", "blocked")
    plans = [plan_of(variant, open_device("simulated"), graph, None, tile=4) for variant in (blocked, PAGED)]
    of_blocked, of_paged = [plan.solve() for plan in plans]
    np.testing.assert_array_equal(of_blocked.distances, of_paged.distances)
    np.testing.assert_array_equal(of_blocked.predecessors, of_paged.predecessors)
    assert plans[1].iterations == 1
    assert plans[0].counters["launches"] + 2 == plans[1].counters["launches"]  # 18, 18 and 1 columns are separated


def test_every_card_has_as_many_pages_in_each_pass():
    for devices in (1, 2, 3, 4):
        for limit in (2**30, 3000):
            plan = SmallBlocks(device_with(limit), grid_of(40, 1), devices=devices)
            beside = plan.iterations - 1
            with named(f"{devices} cards, {limit} bytes, {plan.iterations} pages in a row"):
                assert beside % devices == 0
                plan.reset()
                plan.upload()
                returned = Counter()
                for card in plan.cards:
                    card.copy = partial(counted, card, returned, card.copy)
                plan.iterate(0, 1)
                pages = [returned[id(card)] - (card is plan.cards[0]) for card in plan.cards]
                assert pages == [(2 * beside + beside**2) // devices] * devices
                plan.release()


def counted(card, returned, copy, source, target):
    """Copy, and count the copies to the host."""
    returned[id(card)] += target.base is not card.memory
    copy(source, target)


@pytest.mark.parametrize("devices", [1, 2])
@pytest.mark.parametrize("limit_bytes", [3000, 12000])
def test_a_card_holds_no_more_than_its_memory(devices, limit_bytes):
    graph = random_of_37(2)
    device, allocated = device_with(limit_bytes), []
    plan = SmallBlocks(device, graph, devices=devices)

    def empty(shape, dtype):
        allocated.append(int(np.prod(shape)) * np.dtype(dtype).itemsize)
        return SimulatedDevice.empty(device, shape, dtype)

    device.empty = empty  # not before: memory of the host does not count
    certified(graph, plan.solve())
    assert max(allocated) == sum(allocated) == plan.counters["device_bytes"] <= limit_bytes
    assert (plan.iterations > 1) == (devices > 1 or limit_bytes < 37**2 * 8)


def test_a_graph_larger_than_all_cards_together_takes_what_the_passes_need_and_no_more():
    graph = grid_of(600, 1)  # 2.9 MB of cells
    plan = PagedPlan(open_device("simulated"), graph, devices=2, device_memory_limit_mib=1)
    assert (plan.side, plan.iterations) == (200, 3)
    plan = SmallBlocks(open_device("simulated"), grid_of(36, 1), devices=2, page_side=12)
    plan.solve()
    page_bytes = 12 * 12 * 8
    of_a_round = (2 + 1) + 4 * 2 + 4 * 4  # each card takes the primary page, and one gives it back
    assert plan.counters["copied_bytes"] == 3 * of_a_round * page_bytes + 36 * 36 * COLUMN_BYTES


@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 30), marks=pytest.mark.slow)], ids=str)
def test_no_copy_and_no_card_overtakes_what_it_has_to_wait_for(seeds):
    for seed in seeds:
        graph = random_of_37(seed)
        with named(f"seed {seed}"):
            plan = SmallBlocks(LateDevice(Lot(seed)), graph, devices=1 + seed % 3, page_side=9)
            for _ in range(2):
                certified(graph, plan.solve())


def test_cards_that_do_not_wait_for_each_other_are_caught():
    graph, wrong = grid_of(37, 2), 0
    for seed in range(5):
        plan = SmallBlocks(LateDevice(Lot(seed)), graph, devices=3, page_side=9)
        plan._synchronize = lambda: None
        plan.reset()
        plan.upload()
        plan.iterate(0, plan.iterations)
        plan.device.synchronize()
        # Not from `finish`: predecessors of wrong cells may go round in a circle.
        wrong += not np.array_equal(plan.host_cells[:37, :37, LENGTH], reference(graph, None))
    assert wrong > 2


def test_too_little_memory_is_one_sentence_and_settings_out_of_range_are_refused():
    for asked, free_bytes, error, needed in (
        ({"page_side": 512, "device_memory_limit_mib": 1}, 2**30, UsageError, "6,291,456"),
        ({"page_side": 512}, 2**20, UsageError, "6,291,456"),
        ({}, 2**13, OutOfMemoryError, "9,600"),
    ):
        with named(str(asked)), pytest.raises(error, match=needed) as caught:
            PagedPlan(device_with(free_bytes), grid_of(600, 1), **asked)
        assert "\n" not in str(caught.value)
    for name, value in (("devices", 0), ("page_side", -8), ("device_memory_limit_mib", 0), ("block_side", 33)):
        with named(f"{name}={value}"), pytest.raises(UsageError, match=name):
            PAGED.configured({name: value})


@pytest.mark.parametrize("algorithm", ["blocked_all_pairs", "transitive_closure"])
def test_the_side_of_blocks_is_a_parameter(algorithm):
    variant = find(algorithm, "blocked")
    graph = random_of_37(4)
    for block_side, stages in ((0, 2), (18, 3), (5, 8), (1, 37)):
        given_sides = {"block_side": block_side} if block_side else {}
        plan = plan_of(variant.configured(given_sides), open_device("simulated"), graph, None)
        answer = plan.solve()
        found = answer.distances if algorithm == "blocked_all_pairs" else answer.cells
        expected = reference(graph, None)
        expected = expected if algorithm == "blocked_all_pairs" else expected < 2**31 - 1
        assert plan.iterations == stages
        np.testing.assert_array_equal(found, expected)
