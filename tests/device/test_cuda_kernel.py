"""A kernel of a GPU, with CuPy played by a stand-in: what a launch holds is asked for on the kernel's own device."""

from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from warpath.device.cuda_kernel import CudaKernel
from warpath.errors import DeviceError


class FewGpus:
    """Device 0 is current, and a function has another address on each GPU, as CuPy's have."""

    def __init__(self, index):
        self.index, self.at = index, [0]
        self.xp = SimpleNamespace(ndarray=np.ndarray)

    @contextmanager
    def current(self):
        self.at.append(self.index)
        yield
        self.at.pop()

    @property
    def kernel(self):
        return SimpleNamespace(ptr=1000 + self.at[-1])


def test_a_bound_launch_on_a_second_gpu_has_the_function_of_that_gpu():
    gpus = FewGpus(1)
    launch = CudaKernel(gpus, "kernel", ["number"], gpus).bind((1,), (32,), number=np.int32(7))
    assert launch.packed[0] == 1001


def test_a_launch_keeps_its_shared_memory_when_another_one_with_less_is_bound():
    """Two prepared road networks share functions of the driver, and need different amounts."""
    gpu = FewGpus(0)
    for shared_bytes in (60_000, 100_000, 70_000):
        CudaKernel(gpu, "kernel", [], gpu).bind((1,), (32,), shared_mem=shared_bytes)
    assert gpu.max_dynamic_shared_size_bytes == 100_000


def test_large_clusters_are_allowed_by_the_driver_or_refused_in_a_sentence():
    gpu, asked = FewGpus(0), []

    class CUDADriverError(Exception):
        pass

    def set_attribute(function, attribute, value):
        asked.append((function, attribute, value))
        if len(asked) == 2:
            raise CUDADriverError("CUDA_ERROR_INVALID_VALUE")

    driver = SimpleNamespace(funcSetAttribute=set_attribute, CUDADriverError=CUDADriverError)
    gpu.xp.cuda = SimpleNamespace(driver=driver)
    kernel = CudaKernel(gpu, "meet", ["met"], gpu)
    kernel.allow_large_clusters()
    assert asked == [(1000, 14, 1)]
    with pytest.raises(DeviceError, match=r"^kernel meet: large clusters: CUDA_ERROR_INVALID_VALUE$"):
        kernel.allow_large_clusters()
