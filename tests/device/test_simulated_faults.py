"""Mistakes that the simulated GPU exposes: missing barriers, deadlocks, faults; and the orders in which threads run."""

import numpy as np
import pytest
from every_device import KERNELS, ORDERS, numbers

from warpath.device.simulated.device import SimulatedDevice
from warpath.errors import DeviceError


@pytest.fixture(params=ORDERS)
def device(request):
    return SimulatedDevice(order=request.param, seed=7, workers=3)


def test_orders_are_what_they_say_and_shuffles_repeat():
    def owners(order, seed=0):
        owner = np.zeros(40 * 64, np.int32)
        device = SimulatedDevice(order=order, seed=seed, workers=1)
        device.kernel(KERNELS / "atomics.cu", "tickets")((40,), (64,), next=np.zeros(1, np.uint32), owner=owner)
        return owner.tolist()

    everyone = list(range(40 * 64))
    assert owners("forward") == everyone
    assert owners("reverse") == everyone[::-1]
    shuffled = owners("shuffle", seed=1)
    assert sorted(shuffled) == everyone
    assert shuffled == owners("shuffle", seed=1) != owners("shuffle", seed=2)
    blocks = [thread // 64 for thread in shuffled[::64]]
    assert blocks != sorted(blocks)
    assert [thread % 64 for thread in shuffled[:64]] != [thread % 64 for thread in shuffled[64:128]]


@pytest.mark.parametrize(("kernel", "without"), [("block_sums", 1), ("rotate", 2)])
def test_a_barrier_left_out_is_noticed_in_some_order(kernel, without):
    values = numbers(256)

    def right_orders(macros):
        return [order for order in ORDERS if right(SimulatedDevice(order=order, workers=1), macros)]

    def right(device, macros):
        launch = device.kernel(KERNELS / "barriers.cu", kernel, macros)
        output = values.copy()
        if kernel == "rotate":
            launch((1,), (256,), numbers=output, times=np.int32(3), shared_mem=1024)
            return np.array_equal(output, np.roll(values, -3))
        launch((1,), (256,), input=values, sums=output)
        return output[0] == values.sum()

    assert right_orders({}) == list(ORDERS)
    assert right_orders({"WITHOUT_BARRIER": without}) != list(ORDERS)


def test_shared_memory_is_filled_anew_for_each_block(device):
    output = np.zeros((64, 2), np.uint8)
    kernel = device.kernel(KERNELS / "barriers.cu", "uninitialised")
    for _ in range(2):
        kernel((4,), (64,), output=output, shared_mem=64)
        assert set(output.ravel().tolist()) == {0xA5}


def test_a_barrier_that_is_never_complete_is_reported_and_the_device_goes_on(device):
    output = np.zeros(64, np.int32)
    with pytest.raises(DeviceError, match=r"kernel divergent, block \(2, 0, 0\): .* 32 at __syncthreads and 32 at a"):
        device.kernel(KERNELS / "barriers.cu", "divergent")((5,), (64,), output=output)
    device.kernel(KERNELS / "barriers.cu", "many_barriers")((5,), (64,), output=output, times=np.int32(9))
    assert output.tolist() == [9] * 64


def test_a_mask_without_the_calling_lane_is_reported(device):
    with pytest.raises(DeviceError, match=r"kernel wrong_mask, .*mask that leaves out its own lane"):
        device.kernel(KERNELS / "warps.cu", "wrong_mask")((1,), (32,), output=np.zeros(32, np.int32))


@pytest.mark.parametrize(
    ("how", "what"),
    [
        (0, "reads or writes address 0x0, where it has no memory"),
        (1, "divides by zero"),
        (2, "__trap() was called"),
        (3, "assert(threadIdx.x < 3) is false at"),
        (4, "reads or writes address 0x"),
    ],
)
def test_a_fault_in_a_kernel_fails_the_launch_alone(device, how, what):
    go_wrong = device.kernel(KERNELS / "plain.cu", "go_wrong")
    output, zero = np.zeros(8, np.int32), np.int32(0)
    with pytest.raises(DeviceError) as caught:
        go_wrong((1,), (8,), output=output, null=None, how=np.int32(how), zero=zero)
    assert str(caught.value).startswith("kernel go_wrong, block (0, 0, 0), thread (")
    assert what in str(caught.value)
    go_wrong((1,), (8,), output=output, null=None, how=np.int32(-1), zero=zero)
    assert output.tolist() == [7] * 8


def test_running_past_the_end_of_dynamic_shared_memory_is_reported(device):
    overrun = device.kernel(KERNELS / "barriers.cu", "overrun")
    output = np.zeros(1, np.int32)
    overrun((1,), (1,), output=output, index=np.int32(7), shared_mem=32)
    with pytest.raises(DeviceError, match="where it has no memory"):
        overrun((1,), (1,), output=output, index=np.int32(8), shared_mem=32)
