"""Fixtures for tests of kernels on every device: the host device in each order of threads, and a GPU, if any."""

from pathlib import Path

import numpy as np
import pytest

from warpath.device import open_device
from warpath.errors import DeviceError

KERNELS = Path(__file__).parent / "kernels"
ORDERS = ("forward", "reverse", "shuffle")
IN_ORDER = ("forward", "shuffle")  # what goes wrong in reverse goes wrong in one of these, too
ON_A_GPU = pytest.param("cuda", marks=pytest.mark.cuda)
ONE_ORDER = ("shuffle", ON_A_GPU)  # the order that finds most
EVERY_DEVICE = (*IN_ORDER, ON_A_GPU)
EVERY_ORDER = (*EVERY_DEVICE, pytest.param("reverse", marks=pytest.mark.slow))  # for what all else rests on


def opened(name):
    """The host device with the order ``name``, or the GPU; skips if there is none."""
    if name != "cuda":
        return open_device("host", order=name, seed=7, workers=3)
    try:
        return open_device("cuda")
    except DeviceError as error:
        pytest.skip(str(error))


def launch(device, file, kernel, grid, block, args, shared_mem=0):
    """Run a kernel of ``file`` on copies of the arrays in ``args``, and copy them back."""
    on_device = [device.upload(value) if isinstance(value, np.ndarray) else value for value in args]
    device.kernel(KERNELS / file, kernel)(grid, block, on_device, shared_mem=shared_mem)
    for value, copy in zip(args, on_device, strict=True):
        if isinstance(value, np.ndarray):
            device.download(copy, value)


def numbers(count, low=-100, high=100, seed=0):
    """Random int32 from ``low`` up to, but not including, ``high``."""
    return np.random.default_rng(seed).integers(low, high, count, dtype=np.int32)
