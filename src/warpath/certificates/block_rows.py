"""Certifies many rows of distances, a block of threads each; see block_rows.cu."""

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..device import Device, Kernel
from ..device.host_runtime import DYNAMIC_SHARED_BYTES_MAX
from .arc_list import ArcList
from .verdict import Verdict

KERNELS = Path(__file__).with_name("block_rows.cu")
WARP = 32
THREADS, THREADS_ALONE = 512, 1024  # of a block, and of one that a multiprocessor has no room for another beside
ROWS_MAX = 2**20


class BlockRows:
    """The kernel. ``shared_bytes_max`` is the shared memory that a block may use, by default the device's."""

    rows_max = ROWS_MAX

    def __init__(self, device: Device, arcs: ArcList, shared_bytes_max: int | None = None):
        self._device = device
        self._arcs = arcs
        limit = shared_memory_bytes(device) if shared_bytes_max is None else shared_bytes_max
        vertices = int(arcs.vertices)
        self._shared_bytes = 4 * (vertices + -(-vertices // 32) + 1)
        self.fits = self._shared_bytes <= limit
        useful = -(-max(vertices, int(arcs.count)) // WARP) * WARP
        self._threads = min(useful, THREADS if 2 * self._shared_bytes <= limit else THREADS_ALONE)

    def forget(self) -> None:
        """Nothing is kept from one call to the next."""

    @cached_property
    def _judge_rows(self) -> Kernel:
        return self._device.kernel(KERNELS, "judge_rows")

    def certify(
        self, verdict: Verdict, faulty_rows: Any, sources: Any, rows: int, distances: Any, predecessors: Any | None
    ) -> tuple[bool, int]:
        """Whether a row is faulty, and how many pairs are reached; ``faulty_rows`` then holds the call's number."""
        arcs, call = self._arcs, verdict.begin()
        given = np.int32(predecessors is not None)
        answer = distances, given, distances if predecessors is None else predecessors
        arguments = (*arcs.arguments, arcs.lightest, sources, *answer, call, faulty_rows, verdict.words)
        self._judge_rows((rows,), (self._threads,), arguments, shared_mem=self._shared_bytes)
        fault, _, reached = verdict.read()
        return fault, reached


def shared_memory_bytes(device: Device) -> int:
    """How much shared memory a block may use on ``device``."""
    if device.kind == "host":
        return DYNAMIC_SHARED_BYTES_MAX
    return int(device.xp.cuda.runtime.getDeviceProperties(device.describe()["index"])["sharedMemPerBlockOptin"])
