"""A simulated GPU whose arrays have a type of their own: kernels notice arrays of the host, tests those of it.

The type is one of NumPy's, so what asks whether an array is of NumPy takes it for one of the host.
"""

from functools import wraps
from types import SimpleNamespace

import numpy as np

from warpath.device.simulated.device import SimulatedDevice


class DeviceArray(np.ndarray):
    """An array in the memory of the device."""


def _apart(found):
    if isinstance(found, tuple):
        return tuple(map(_apart, found))
    return found.view(DeviceArray) if type(found) is np.ndarray else found


def _on_device(function):
    made = wraps(function)(lambda *args, **options: _apart(function(*args, **options)))
    if isinstance(function, np.ufunc):
        made.at = function.at
    return made


XP = SimpleNamespace(
    **{
        name: _on_device(one) if callable(one) and not isinstance(one, type) else one
        for name, one in vars(np).items()
        if not name.startswith("_") and name != "ndarray"
    },
    ndarray=DeviceArray,
)


def _check(arguments):
    for name, one in arguments.items():
        assert not isinstance(one, np.ndarray) or not one.ndim or isinstance(one, DeviceArray), f"{name} is on the host"


class _Launch:
    def __init__(self, launch):
        self._launch = launch

    def __call__(self, **arguments):
        _check(arguments)
        self._launch(**arguments)

    def __getattr__(self, name):
        return getattr(self._launch, name)


class _Kernel:
    def __init__(self, kernel):
        self.kernel = kernel

    def __call__(self, grid, block, /, **options):
        self.bind(grid, block, **options)()

    def allow_large_clusters(self):
        pass

    def bind(self, grid, block, /, **options):
        _check(options)
        return _Launch(self.kernel.bind(grid, block, **options))


class ApartDevice(SimulatedDevice):
    """Kernels take no array of the host, and copies go from one place to the other."""

    xp = XP

    def empty(self, shape, dtype):
        return super().empty(shape, dtype).view(DeviceArray)

    def upload(self, array):
        return super().upload(np.asarray(array)).view(DeviceArray)

    def download(self, array, out):
        assert isinstance(array, DeviceArray) and not isinstance(out, DeviceArray)
        np.copyto(out, array, casting="no")

    def pinned(self, shape, dtype, pooled=False):
        return np.empty(shape, dtype)

    def pinned_answer(self, shape, dtype, blocks):
        return np.empty(shape, dtype)

    def mapped(self, shape, dtype):
        words = np.zeros(shape, dtype)
        return words, words.view(DeviceArray)

    def kernel(self, file, name, macros=None):
        return _Kernel(super().kernel(file, name, macros))

    def resident_blocks(self, kernel, block, shared_mem=0):
        return super().resident_blocks(kernel.kernel, block, shared_mem)

    def repeat(self, launches, times):
        for _ in range(times):
            self.enqueue(launches)

    def peers(self, count):
        return [self, *(ApartDevice() for _ in range(1, count))]
