"""A simulated GPU with little memory: it counts what is allocated and not yet freed."""

import math
import weakref

import numpy as np

from warpath.device.simulated.device import SimulatedDevice
from warpath.errors import OutOfMemoryError


class LimitedDevice(SimulatedDevice):
    """``used`` bytes of ``limit`` are taken, and there were ``most`` at once. Page-locked memory is no part of them."""

    def __init__(self, limit):
        super().__init__()
        self.limit, self.used, self.most = limit, 0, 0

    def empty(self, shape, dtype):
        wanted = math.prod(map(int, shape)) * np.dtype(dtype).itemsize
        if self.used + wanted > self.limit:
            raise OutOfMemoryError(f"the array needs {wanted} bytes, {self.limit - self.used} are free")
        array = super().empty(shape, dtype)
        self.used += wanted
        self.most = max(self.most, self.used)
        weakref.finalize(array, self._free, wanted)
        return array

    def _free(self, size):
        self.used -= size

    def pinned(self, shape, dtype, pooled=False):
        return np.empty(shape, dtype)

    def memory_bytes(self):
        return self.limit - self.used, self.limit
