"""The arrays of a plan last for all its solves, unless it gives an answer away; and an answer is one copy."""

import gc
import weakref

import numpy as np
import pytest
from tiny_graphs import grid_of

from warpath.device.copies import allocate_together
from warpath.device.simulated.device import SimulatedDevice
from warpath.distances import UNREACHABLE
from warpath.graphs.csr import Graph
from warpath.library.solver import Solver
from warpath.solvers.one_source.borders.borders import BordersPlan
from warpath.solvers.one_source.cluster import ClusterPlan
from warpath.solvers.one_source.near_far.queue import QueuePlan
from warpath.solvers.one_source.near_far.whole_grid import WholeGridPlan

both = pytest.mark.parametrize("plan_of", [ClusterPlan, WholeGridPlan, BordersPlan])
GRAPH = grid_of(97, 1)


class CountingDevice(SimulatedDevice):
    """Notes the arrays that it makes, and the bytes of each copy to the host."""

    def __init__(self):
        super().__init__()
        self.forget()

    def forget(self):
        self.made, self.copied = [], []

    def empty(self, shape, dtype):
        array = super().empty(shape, dtype)
        self.made.append(weakref.ref(array))
        return array

    def download(self, array, out):
        self.copied.append(array.nbytes)
        super().download(array, out)


def test_arrays_of_one_allocation_lie_apart_and_aligned():
    device = CountingDevice()
    arrays = allocate_together(device, 1, 64, 65, 7)
    assert len(device.made) == 1
    assert [(array.shape, array.dtype.name) for array in arrays] == [((n,), "int32") for n in (1, 64, 65, 7)]
    places = [array.ctypes.data - arrays[0].ctypes.data for array in arrays]
    assert places == [0, 256, 512, 1024]


@both
@pytest.mark.parametrize("rows", [1, 2])
def test_a_plan_allocates_once_for_all_its_solves_and_an_answer_is_one_copy(plan_of, rows):
    device = CountingDevice()
    plan = plan_of(device, GRAPH, 0, predecessors=rows == 2)
    arrays = 2 if plan_of is WholeGridPlan else 1  # those of the answer, and all others
    plan.reset()
    device.forget()
    for source in (0, 5):
        plan.source = source
        plan.upload()
        assert len(device.made) == arrays
        plan.run()
        device.copied.clear()
        solution = plan.download()
        assert device.copied == [rows * 4 * GRAPH.vertices]
        assert (solution.predecessors is None) == (rows == 1)
        np.testing.assert_array_equal(solution.distances, np.abs(np.arange(GRAPH.vertices) - source))
        plan.release()
    plan.start(7)
    assert len(device.made) == arrays
    del plan
    gc.collect()
    assert [array() for array in device.made] == [None] * arrays  # the plan alone kept them


@pytest.mark.parametrize("weights", [np.int32, np.float32])
@pytest.mark.parametrize("plan_of", [ClusterPlan, WholeGridPlan, QueuePlan, BordersPlan])
def test_an_answer_that_is_given_away_is_not_overwritten(plan_of, weights):
    device = CountingDevice()
    plan = plan_of(device, Graph(GRAPH.indptr, GRAPH.indices, GRAPH.weights.astype(weights)), 0)
    answers = []
    for source in (3, 96, 3):
        device.forget()
        plan.start(source)
        assert len(answers) < 2 or not device.made  # the solve before allocated it while kernels ran
        plan.run()
        answers.append(plan.on_device())
        assert plan.give_away()
    for source, answer in zip((3, 96, 3), answers, strict=True):
        np.testing.assert_array_equal(answer.distances, np.abs(np.arange(GRAPH.vertices) - source))
        assert answer.predecessors[source] == -1 and (answer.predecessors >= 0).sum() == GRAPH.vertices - 1


@both
def test_the_answer_lasts_after_the_release(plan_of):
    solution = plan_of(SimulatedDevice(), GRAPH, 0).solve()
    np.testing.assert_array_equal(solution.distances, np.arange(GRAPH.vertices))
    np.testing.assert_array_equal(solution.predecessors, np.arange(GRAPH.vertices) - 1)


class LateDevice(SimulatedDevice):
    """Copies in a stream begin when somebody waits for the device."""

    def __init__(self):
        super().__init__()
        self.late = []

    def copy(self, source, target, stream=None):
        if stream is None:
            super().copy(source, target)
        else:
            self.late.append((source, target))

    def synchronize(self):
        super().synchronize()
        while self.late:
            super().copy(*self.late.pop())


@pytest.mark.parametrize("certify", [True, False])
@pytest.mark.parametrize("cutoff", [None, 50])
def test_an_answer_in_host_memory_is_complete_and_lasts(certify, cutoff):
    solver = Solver(GRAPH, LateDevice())
    answers = {source: solver.sssp(source, certify=certify, cutoff=cutoff) for source in (3, 96)}
    for source, answer in answers.items():
        distances = np.abs(np.arange(GRAPH.vertices) - source)
        near = distances <= (cutoff or GRAPH.vertices)
        np.testing.assert_array_equal(answer.distances, np.where(near, distances, UNREACHABLE))
        np.testing.assert_array_equal(answer.predecessors >= 0, near & (distances > 0))
