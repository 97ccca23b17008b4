"""Pages of a matrix in host memory: right for every size, whatever overtakes what, within the memory allowed."""

from functools import partial

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from hypothesis import given, strategies
from reordering_device import Lot, ReorderingDevice
from tiny_graphs import NEGATIVE, TINY, grid_of, random_graphs

from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.device.simulated.device import SimulatedDevice
from warpath.errors import DeviceError, OutOfMemoryError, UsageError
from warpath.graphs.csr import from_arcs
from warpath.solvers import find
from warpath_study.experiments.blocked_all_pairs.out_of_core import OutOfCorePlan

VARIANT = find("blocked_all_pairs", "out_of_core")


# Output tiles of 8 x 8 cells, so that small graphs have many pages.
SmallPages = partial(OutOfCorePlan, shape=VARIANT.smallest["shape"], cell_grid=VARIANT.smallest["cell_grid"])


def device_with(free_bytes):
    """A simulated GPU that says it has so much free memory, beyond what is left for losses."""
    device = SimulatedDevice()
    device.memory_bytes = lambda: (free_bytes * 16 // 15 + 16, 2**40)
    return device


@given(data=strategies.data())
@pytest.mark.parametrize("weights", [(1, 5), (10**7, 2 * 10**7)], ids=str)  # the second are too long for keys
@pytest.mark.parametrize("page_side", [8, 16, 24])
def test_pages_of_any_size_give_shortest_paths(page_side, weights, data):
    graph = data.draw(random_graphs(vertices_max=60, weights=weights))
    solution = SmallPages(open_device("simulated"), graph, page_side=page_side).solve()
    certify(graph, None, solution.distances, solution.predecessors)


@pytest.mark.parametrize("name", [*TINY, *NEGATIVE])
def test_every_tiny_graph_in_pages(name):
    graph = {**TINY, **NEGATIVE}[name]
    solution = SmallPages(opened("shuffle", seed=2), graph, page_side=8).solve()
    certify(graph, None, solution.distances, solution.predecessors)


@pytest.mark.parametrize("seed", range(40))
def test_no_copy_overtakes_what_it_has_to_wait_for(seed):
    numbers = np.random.default_rng(seed)
    graph = from_arcs(37, *numbers.integers(0, 37, (2, 90)), numbers.integers(1, 9, 90))
    plan = SmallPages(ReorderingDevice(Lot(seed)), graph, page_side=8)
    solution = plan.solve()
    certify(graph, None, solution.distances, solution.predecessors)
    first = solution.distances.copy()
    np.testing.assert_array_equal(plan.solve().distances, first)


@pytest.mark.parametrize("broken", ["coming", "computing", "going"])
def test_a_stream_that_waits_for_nothing_is_caught(broken):
    graph = grid_of(37, 2)
    wrong = 0
    for seed in range(20):
        plan = SmallPages(ReorderingDevice(Lot(seed)), graph, page_side=8)
        getattr(plan, broken).wait = lambda event: None
        plan.reset()
        plan.upload()
        try:
            plan.iterate(0, plan.iterations)
        except DeviceError:  # what kernels do with numbers that are no lengths
            wrong += 1
            continue
        wrong += not np.array_equal(plan.host_lengths, 2 * abs(np.subtract.outer(np.arange(37), np.arange(37))))
    assert wrong > 10


def test_pages_fill_the_memory_that_there_is_and_no_more():
    device = device_with(11 * 16 * 16 * 4)
    plan = SmallPages(device, TINY["path of 64"])
    assert (plan.grid.side, plan.grid.pages) == (16, 4)
    allocated = []

    def empty(shape, dtype):
        allocated.append(int(np.prod(shape)) * np.dtype(dtype).itemsize)
        return SimulatedDevice.empty(device, shape, dtype)

    device.empty = empty
    plan.solve()
    assert sum(allocated) == plan.counters["device_bytes"] == 11 * 16 * 16 * 4


def test_a_matrix_that_fits_is_one_page():
    assert SmallPages(device_with(2 * 64 * 64 * 4), TINY["path of 64"]).grid.pages == 1


def test_pages_get_as_equal_as_they_can():
    plan = SmallPages(device_with(11 * 40 * 40 * 4), grid_of(90, 1))
    assert plan.grid.side == 32  # 32, 32 and 26 vertices, and not 40, 40 and 10


def test_a_limit_makes_the_device_smaller():
    assert OutOfCorePlan(open_device("simulated"), grid_of(600, 1), device_memory_limit_mib=3).grid.side == 256
    assert OutOfCorePlan(open_device("simulated"), grid_of(600, 1), device_memory_limit_mib=4).grid.pages == 1


@pytest.mark.parametrize("device", EVERY_DEVICE)
def test_the_same_in_pages_on_the_real_tiles(device):
    graph = grid_of(300, 3)
    plan = VARIANT.plan(opened(device), graph, None, page_side=128)
    assert plan.grid.pages == 3
    for _ in range(2):
        solution = plan.solve()
        certify(graph, None, solution.distances, solution.predecessors)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"page_side": 0}, "page_side of blocked_all_pairs out_of_core must be a whole number from 1"),
        ({"page_side": -8}, "page_side"),
        ({"device_memory_limit_mib": 0}, "device_memory_limit_mib .* must be a whole number from 1"),
        ({"pages": 3}, "no parameter 'pages'"),
    ],
)
def test_settings_out_of_range_are_refused(asked, sentence):
    with pytest.raises(UsageError, match=sentence):
        VARIANT.configured(asked)


@pytest.mark.parametrize(
    ("asked", "free_bytes", "error", "sentence"),
    [
        (
            {"page_side": 512, "device_memory_limit_mib": 1},
            2**30,
            UsageError,
            "page_side 512 with device_memory_limit_mib 1: pages of 512 x 512 cells need 11,534,336 bytes of device "
            "memory, and 1,048,576 may be used; make pages smaller or allow more",
        ),
        ({"page_side": 512}, 2**20, UsageError, "page_side 512: pages of 512 x 512 cells need 11,534,336 bytes"),
        ({}, 2**16, OutOfMemoryError, "pages of 128 x 128 cells need 720,896 bytes of device memory"),
    ],
)
def test_too_little_memory_for_the_pages_of_a_pass_is_one_sentence(asked, free_bytes, error, sentence):
    with pytest.raises(error) as caught:
        OutOfCorePlan(device_with(free_bytes), grid_of(600, 1), **asked)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_matrix_that_the_host_does_not_hold_is_one_sentence():
    device = device_with(2**20)
    with pytest.raises(OutOfMemoryError, match=r"^the host is out of memory: the array needs 100,000,000 bytes"):
        OutOfCorePlan(device, grid_of(5000, 1), page_side=128)


def test_columns_that_fit_into_no_slot_are_refused():
    with pytest.raises(UsageError, match="a column of 400 vertices does not fit into three pages"):
        SmallPages(open_device("simulated"), grid_of(400, 1), page_side=8)
