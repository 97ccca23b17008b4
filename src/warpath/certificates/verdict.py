"""The words in which a certificate's kernels tell the host what they found."""

from typing import Any

import numpy as np

from ..device import Device

WORDS = 3  # FAULT, CIRCLES_POSSIBLE and REACHED of arc_rules.cuh
_CALLS_MAX = 2**31  # leaves an unsigned int room for the parts of a last answer


class Verdict:
    """The words on one device, and the number of the current call.

    Faults and marks on the device hold the number of the call that set them, so that nothing is cleared between calls.
    """

    def __init__(self, device: Device):
        self._device = device
        self.call = 0
        self._reached_before = 0
        self.words = device.upload(np.zeros(WORDS, np.uint64))
        self._read = device.pinned((WORDS,), np.uint64)

    @property
    def spent(self) -> bool:
        """Whether the numbers of calls are used up."""
        return self.call >= _CALLS_MAX

    def begin(self) -> np.uint32:
        """The number of a new call."""
        self.call += 1
        return np.uint32(self.call)

    def read(self) -> tuple[bool, bool, int]:
        """Whether this call found a fault, whether predecessors may run in circles, and how many pairs are reached.

        Waits for the kernels.
        """
        self._device.download(self.words, self._read)
        fault, circles, total = self._read.tolist()
        reached, self._reached_before = total - self._reached_before, total
        return fault == self.call, circles == self.call, reached


def cleared(device: Device, count: int, dtype: Any = np.uint32) -> Any:
    """A new device array of ``count`` zeros."""
    array = device.empty((count,), dtype)
    array.fill(0)
    return array
