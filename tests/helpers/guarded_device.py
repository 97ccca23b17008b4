"""A simulated GPU whose arrays have guards on both sides, and nothing in them that could be right by chance."""

import numpy as np

from warpath.device.simulated.device import SimulatedDevice

_GUARD_WORDS = 32
_GUARD, _JUNK = 1, 77


class GuardedDevice(SimulatedDevice):
    """``check`` fails if a kernel has written beside an array since the last call. Whoever reads there gets ones."""

    def __init__(self, **options):
        super().__init__(**options)
        self._guarded = []

    def empty(self, shape, dtype):
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        words = super().empty((2 * _GUARD_WORDS + -(-size // 4),), np.int32)
        words[:] = _GUARD
        array = words[_GUARD_WORDS:].view(np.uint8)[:size]
        array[:] = _JUNK
        self._guarded.append((words, size))
        return array.view(dtype).reshape(shape)

    def check(self):
        guarded, self._guarded = self._guarded, []
        for words, size in guarded:
            beside = np.append(words[:_GUARD_WORDS], words[_GUARD_WORDS + -(-size // 4) :])
            assert (beside == _GUARD).all(), f"a kernel wrote beside an array of {size} bytes"
