"""The pool of page-locked memory without a GPU: a fake of what it needs of CuPy, which counts what it locks."""

import sys
from bisect import insort
from collections import defaultdict
from types import SimpleNamespace

import numpy as np
from late_device import Places

from warpath.device import pinned


class FakeLocking(Places):
    """The large memory that the pool has locked; ``is_failing`` refuses more."""

    def __init__(self):
        super().__init__()
        self.is_failing = False
        runtime = SimpleNamespace(
            CUDARuntimeError=RuntimeError, hostRegister=self._register, hostUnregister=self._unregister
        )
        pinned_memory = SimpleNamespace(PinnedMemory=_Small)
        self.cuda = SimpleNamespace(
            runtime=runtime, pinned_memory=pinned_memory, PinnedMemoryPointer=_buffer, alloc_pinned_memory=bytearray
        )

    def _register(self, begin, size, flags):
        if self.is_failing:
            raise RuntimeError("out of memory")
        insort(self.places, (begin, size))

    def _unregister(self, begin):
        self.places = [place for place in self.places if place[0] != begin]


class _Small:
    """Memory outside the pool."""

    def __init__(self, size):
        self._memory = np.empty(size, np.uint8)
        self.size, self.ptr = size, self._memory.ctypes.data


class _Buffer:
    """CuPy's pointer keeps its memory alive, and NumPy can read it."""

    def __init__(self, memory):
        self.memory = memory
        place = {"data": (memory.ptr, False), "shape": (memory.size,)}
        self.__array_interface__ = {"typestr": "|u1", "version": 3, **place}


def _buffer(memory, offset):
    return np.asarray(_Buffer(memory))


def fake_locking(monkeypatch):
    """A FakeLocking, with a pool that is empty."""
    fake = FakeLocking()
    monkeypatch.setitem(sys.modules, "cupy", fake)
    monkeypatch.setattr(pinned, "_free", defaultdict(list))
    monkeypatch.setattr(pinned, "_answers", defaultdict(set))
    return fake
