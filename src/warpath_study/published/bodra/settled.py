"""Whether a solve from one source may stop: no arc lowers a distance any more."""

from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device
from warpath.device.copies import GraphCopy

KERNEL = Path(__file__).with_suffix(".cu")


class Settled:
    """Asks the device, with one launch and one read."""

    def __init__(self, device: Device, copy: GraphCopy, grid: tuple[int, ...], block: tuple[int, ...]):
        self.device, self.copy, self.grid, self.block = device, copy, grid, block
        self.kernel = device.kernel(KERNEL, "find_improvable")
        self.improvable = device.upload(np.zeros(1, np.int32))

    def __call__(self, distances: Any) -> bool:
        """Whether ``distances``, a device array of shape (n,), int32, are final."""
        arguments = (np.int32(self.copy.graph.vertices), *self.copy.arrays, distances, self.improvable)
        launch = self.kernel.bind(self.grid, self.block, arguments)
        _, settled = self.device.repeat_while([[launch]], self.improvable, 1)
        return settled
