"""Fixtures for tests of kernels on every device: the simulated GPU in each order of threads, and a GPU, if any."""

from pathlib import Path

import numpy as np
import pytest

from warpath.device import open_device
from warpath.errors import DeviceError

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
ORDERS = ("forward", "reverse", "shuffle")
IN_ORDER = ("forward", "shuffle")  # what goes wrong in reverse goes wrong in one of these, too
ON_A_GPU = pytest.param("cuda", marks=pytest.mark.cuda)
ONE_ORDER = ("shuffle", ON_A_GPU)  # the order that finds most
EVERY_DEVICE = (*IN_ORDER, ON_A_GPU)
EVERY_ORDER = (*EVERY_DEVICE, pytest.param("reverse", marks=pytest.mark.slow))  # for what all else rests on


def opened(name):
    """The simulated GPU with the order ``name``, or the GPU; skips if there is none."""
    if name != "cuda":
        return open_device("simulated", order=name, seed=7, workers=3)
    try:
        return open_device("cuda")
    except DeviceError as error:
        pytest.skip(str(error))


def launch(device, file, kernel, grid, block, shared_mem=0, **arguments):
    """Run a kernel of ``file`` on copies of the arrays in ``arguments``, and copy them back."""
    copies = {name: device.upload(value) for name, value in arguments.items() if isinstance(value, np.ndarray)}
    device.kernel(KERNELS / file, kernel)(grid, block, shared_mem=shared_mem, **{**arguments, **copies})
    for name, copy in copies.items():
        device.download(copy, arguments[name])


def numbers(count, low=-100, high=100, seed=0):
    """Random int32 from ``low`` up to, but not including, ``high``."""
    return np.random.default_rng(seed).integers(low, high, count, dtype=np.int32)
