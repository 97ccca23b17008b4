"""How many blocks a thread block cluster may have on a GPU: what its compute capability promises, and a trial shows."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import DeviceError

if TYPE_CHECKING:
    from .cuda import CudaDevice

TRIAL = Path(__file__).with_name("cluster_trial.cu")
LARGEST = 16
# Compute capabilities, by their major numbers, whose clusters may have more than eight blocks.
_OF_LARGE_CLUSTERS = (9, 10)
_THREADS = 1024


def largest_cluster(device: "CudaDevice", major: int) -> int:
    """16 where a cluster of 16 full blocks runs on ``device``, of compute capability ``major``; else 1.

    A part of a GPU may have too few multiprocessors side by side, so one is launched and waited for.
    """
    if major not in _OF_LARGE_CLUSTERS:
        return 1
    met = np.zeros(1, np.int32)
    try:
        counted = device.upload(met)
        kernel = device.kernel(TRIAL, "meet")
        kernel.allow_large_clusters()
        kernel((LARGEST,), (_THREADS,), (counted,))
        device.synchronize()
        device.download(counted, met)
    except DeviceError:
        return 1
    return LARGEST if met[0] == LARGEST else 1
