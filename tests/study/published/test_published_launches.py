"""Grids, blocks and timed regions are those of the works where nothing else is asked for; needs no kernel to run."""

import weakref
from functools import partial

import pytest
from tiny_graphs import scattered_path

from warpath.device.simulated.device import SimulatedDevice
from warpath.solvers import find
from warpath_study.measure.sampling import measure
from warpath_study.record import Settings

SPARSE = scattered_path(5500)  # six blocks of 1024, the last one partly empty
DENSE = scattered_path(2100)  # three of them; 66 tiles of 32


class Launch:
    def __init__(self, run):
        self.run = run

    def __call__(self):
        self.run()

    def set(self, **arguments):
        """No kernel runs, so no argument matters."""


class LaunchLog(SimulatedDevice):
    """Notes every launch as (kernel, grid, block) and runs none."""

    def __init__(self):
        super().__init__()
        self.launches = set()

    def kernel(self, file, name, macros=None):
        log = self

        class Kernel:
            def __call__(self, grid, block, /, **arguments):
                log.launches.add((name, grid, block))

            def bind(self, grid, block, /, **arguments):
                return Launch(partial(self, grid, block))

        return Kernel()

    def enqueue(self, launches):
        for launch in launches:
            launch()

    def repeat(self, launches, times):
        self.enqueue(launches)

    def repeat_while(self, rounds, word, times):
        self.enqueue(rounds[0])
        return 1, True


def tiles(block, name, second, third):
    return {(f"{name}1", (1,), block), (f"{name}2", second, block), (f"{name}3", third, block)}


LAUNCHES = {
    "bellman_ford.naive": {("relax", (6,), (1024,)), ("update", (6,), (1024,)), ("claim", (6,), (1024,))},
    "bellman_ford.stride": {("relax", (3,), (1024,)), ("update", (3,), (1024,)), ("claim", (3,), (1024,))},
    "bellman_ford.stride_flag": {("relax", (3,), (1024,)), ("update", (3,), (1024,)), ("claim", (3,), (1024,))},
    "bellman_ford.ell": {("relax", (3,), (1024,)), ("update", (3,), (1024,)), ("claim", (3,), (1024,))},
    "label_correcting.harish": {("relax", (22,), (256,)), ("update", (22,), (256,)), ("claim", (22,), (256,))},
    "label_correcting.locality": {
        ("relax", (11,), (256,)),
        ("relax_and_tell", (11,), (256,)),
        ("claim", (22,), (256,)),
    },
    "dijkstra.naive": {("search", (3,), (1024,))},
    "floyd_warshall.naive": {("relax", (3,), (1024,))},
    "floyd_warshall.super_naive": {("relax", (66, 66), (32, 32))},
    "floyd_warshall.super_naive_shared": {("relax", (3, 2100, 1), (1024,))},
    "floyd_warshall.tiled": tiles((32, 32), "phase", (66, 2), (66, 66)),
    "floyd_warshall.tiled_shared": tiles((32, 32), "phase", (66, 2), (66, 66)),
    "blocked_all_pairs.standard": {("relax", (66, 263), (32, 8)), ("resolve", (66, 263), (32, 8))},
    "blocked_all_pairs.blocked": {*tiles((32, 32), "pass", (65, 2), (65, 65)), ("separate", (66, 263), (32, 8))},
    "transitive_closure.naive": {("join", (66, 263), (32, 8))},
    "transitive_closure.blocked": tiles((32, 32), "pass", (65, 2), (65, 65)),
}


@pytest.mark.parametrize("name", LAUNCHES)
def test_the_grids_and_blocks_are_the_published_ones(name):
    variant = find(*name.split("."))
    sparse = variant.problem == "sssp"
    device = LaunchLog()
    plan = variant.configured().plan(device, SPARSE if sparse else DENSE, 0 if sparse else None)
    plan.reset()
    plan.upload()
    plan.iterate(0, 1)
    if plan.iterations > 40:
        plan.iterate(40, 41)  # past locality's launches that the host does not read
    plan.finish()
    plan.release()
    assert device.launches == LAUNCHES[name]


def test_a_solve_of_dijkstra_is_timed_in_its_one_launch_however_small_the_budget():
    variant = find("dijkstra", "naive")
    device = LaunchLog()
    device.kind = "cuda"
    plan = variant.configured().plan(device, DENSE, None)
    measured = measure(plan, device, variant.same_cost, Settings(budget_s=1e-9))
    assert len(measured.outcome.samples) == 1
    assert measured.outcome.counters["launches"] == 1


@pytest.mark.parametrize("name", ["naive", "stride", "stride_flag"])
def test_the_timed_region_of_bellman_ford_ends_once_its_own_arrays_are_free(name):
    frees = []

    class Freeing(LaunchLog):
        def release(self):
            frees.append([reference() is None for reference in uploaded])

        def upload(self, array):
            copy = super().upload(array)
            uploaded.append(weakref.ref(copy))
            return copy

    uploaded = []
    plan = find("bellman_ford", name).configured().plan(Freeing(), SPARSE, 0)
    plan.reset()
    uploaded.clear()
    plan.upload()
    plan.iterate(0, 1)
    plan.finish()
    plan.download()
    # Previous distances, distances, predecessors, and flags if there are.
    assert frees == [[True, False, False, *([True] if name == "stride_flag" else [])]]
