"""The host device: the meaning of CUDA's words, thread orders, checks on arguments, and the compiler's cache."""

from pathlib import Path

import numpy as np
import pytest

from warpath.device.host import HostDevice

KERNELS = Path(__file__).parent / "kernels"
ORDERS = ("forward", "reverse", "shuffle")


@pytest.mark.parametrize("order", ORDERS)
def test_threads_see_their_place_and_shared_memory_is_the_blocks(order):
    device = HostDevice(order=order)
    numbers = np.arange(5000, dtype=np.int32)
    output = np.zeros_like(numbers)
    device.kernel(KERNELS / "basics.cu", "add_one")((5,), (1024,), (numbers, output, np.int32(5000)))
    np.testing.assert_array_equal(output, numbers + 1)
    sums = np.zeros(5, np.int32)
    device.kernel(KERNELS / "basics.cu", "block_sums")((5,), (512,), (numbers, sums))
    np.testing.assert_array_equal(sums, numbers[: 5 * 512].reshape(5, 512).sum(axis=1))
