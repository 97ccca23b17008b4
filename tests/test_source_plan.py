"""One allocation for the solves of a plan, and one copy for the answer of each."""

import gc
import weakref

import numpy as np
import pytest
from tiny_graphs import grid_of

from warpath.device.copies import allocate_together
from warpath.device.host import HostDevice
from warpath.solvers.label_correcting.cluster import ClusterPlan
from warpath.solvers.near_far.whole_grid import WholeGridPlan
from warpath.solvers.partition.borders import BordersPlan

both = pytest.mark.parametrize("plan_of", [ClusterPlan, WholeGridPlan, BordersPlan])
GRAPH = grid_of(97, 1)


class CountingDevice(HostDevice):
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
    plan.reset()
    device.forget()
    for source in (0, 5):
        plan.source = source
        plan.upload()
        assert len(device.made) == 1
        plan.run()
        device.copied.clear()
        solution = plan.download()
        assert device.copied == [rows * 4 * GRAPH.vertices]
        assert (solution.predecessors is None) == (rows == 1)
        np.testing.assert_array_equal(solution.distances, np.abs(np.arange(GRAPH.vertices) - source))
        plan.release()
    plan.start(7)
    assert len(device.made) == 1
    del plan
    gc.collect()
    assert [array() for array in device.made] == [None]  # the plan alone kept it


@both
def test_the_answer_lasts_after_the_release(plan_of):
    solution = plan_of(HostDevice(), GRAPH, 0).solve()
    np.testing.assert_array_equal(solution.distances, np.arange(GRAPH.vertices))
    np.testing.assert_array_equal(solution.predecessors, np.arange(GRAPH.vertices) - 1)
