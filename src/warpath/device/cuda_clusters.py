"""How many blocks a thread block cluster may have on a GPU: what its compute capability promises, and a trial shows."""

from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DeviceError

TRIAL = Path(__file__).with_name("cluster_trial.cu")
LARGEST = 16
# Compute capabilities, by their major numbers, whose clusters may have more than eight blocks.
_OF_LARGE_CLUSTERS = (9, 10)
_THREADS = 512
# More than half of what a multiprocessor has, so that each block of the trial needs one of its own, as a solve may.
_SHARED_BYTES = 120 * 1024


def largest_cluster(device: Any, major: int) -> int:
    """16 where a cluster of 16 blocks, each on a multiprocessor of its own, runs on ``device``; else 1.

    ``major`` is of the compute capability. A part of a GPU may have too few multiprocessors side by side, so a cluster
    is launched and waited for. A kernel that does not compile and memory that is short say nothing of clusters, and
    raise.
    """
    if major not in _OF_LARGE_CLUSTERS:
        return 1
    met = np.zeros(1, np.int32)
    counted = device.upload(met)
    kernel = device.kernel(TRIAL, "meet")
    try:
        kernel.allow_large_clusters()
        kernel((LARGEST,), (_THREADS,), (counted,), _SHARED_BYTES)
        device.synchronize()
    except DeviceError:
        return 1
    device.download(counted, met)
    return LARGEST if met[0] == LARGEST else 1
