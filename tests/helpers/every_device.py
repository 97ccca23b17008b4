"""Fixtures for tests of kernels on every device: the simulated GPU, and a GPU, if any.

Each case runs its threads in one order, and every third case on a LateDevice; both are drawn by the run's seed
(conftest.py) and the name of the test. With WARPATH_TEST_ORDERS=all there is a case for each order, and dear tests take
all graphs. WARPATH_TEST_LATE=1 makes all devices late, and 0 none.
"""

import os
import random
from pathlib import Path

import numpy as np
import pytest
from late_device import LateDevice, Lot

from warpath.device import open_device
from warpath.errors import DeviceError
from warpath.solvers.registry import CPU_SOLVERS, SOLVERS

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
ORDERS = ("forward", "reverse", "shuffle")
ON_A_GPU = pytest.param("cuda", marks=pytest.mark.cuda)
ALL = os.environ.get("WARPATH_TEST_ORDERS") == "all"
SIMULATED_DEVICES = ORDERS if ALL else ("simulated",)
EVERY_DEVICE = (*SIMULATED_DEVICES, ON_A_GPU)


def _lot(purpose=""):
    """Random numbers of the run's seed and the name of the test, others for each ``purpose``."""
    return random.Random(os.environ["WARPATH_TEST_SEED"] + os.environ["PYTEST_CURRENT_TEST"] + purpose)


def _is_late():
    return _lot("late").random() < float(os.environ.get("WARPATH_TEST_LATE", 1 / 3))


def order_of(name):
    """The order of threads that a device's name stands for."""
    return _lot().choice(ORDERS) if name == "simulated" else name


def drawn(graphs):
    """Half of the graphs, drawn by the run's seed and the name of the test; all with WARPATH_TEST_ORDERS=all."""
    if ALL:
        return graphs
    return {name: graphs[name] for name in _lot().sample(sorted(graphs), (len(graphs) + 1) // 2)}


def each(variants):
    """A case for each variant. Those of the study, whose code seldom changes, are slow."""
    library, cases = {(entry.algorithm, entry.variant) for entry in (*SOLVERS, *CPU_SOLVERS)}, []
    for variant in variants:
        marks = [] if (variant.algorithm, variant.name) in library else [pytest.mark.slow]
        cases.append(pytest.param(variant, id=f"{variant.algorithm}.{variant.name}", marks=marks))
    return pytest.mark.parametrize("variant", cases)


def opened(name, seed=7, **options):
    """The simulated GPU with an order, or with the order that is drawn, or the GPU; skips if there is none."""
    if name != "cuda":
        given = {"order": order_of(name), "seed": seed, "workers": 3, **options}
        return LateDevice(Lot(_lot("streams").random()), **given) if _is_late() else open_device("simulated", **given)
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
