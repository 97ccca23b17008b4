"""Page-locked host memory of the ``cuda`` device. CuPy is imported on first use."""

import math
import mmap
import os
from collections import defaultdict
from typing import Any

import numpy as np

from ..errors import OutOfMemoryError
from ..system import host_machine
from ..system.cores import in_pieces
from .contract import Dimensions

_LARGE_BYTES = 16 << 20  # from so many on, locking takes longer than the rest of a call
_PORTABLE = 1  # for all GPUs

_free: defaultdict[int, list[np.ndarray]] = defaultdict(list)  # large pooled memory, by size
_answers: defaultdict[int, set[int]] = defaultdict(set)  # ids of what is lent to answers, by size
_forks = 0


def _count_fork() -> None:
    global _forks
    _forks += 1


os.register_at_fork(before=_count_fork)


def pinned_answer(shape: Dimensions, dtype: Any, blocks: int) -> np.ndarray | None:
    """See ``warpath.device.contract.Device.pinned_answer``."""
    needed_bytes = math.prod(map(int, shape)) * np.dtype(dtype).itemsize
    if needed_bytes >= _LARGE_BYTES:
        size = _size_of_block(needed_bytes)
        if not _free[size] and len(_answers[size]) >= blocks:
            return None
    return pinned_array(shape, dtype, pooled=True, is_answer=True)


def pinned_array(shape: Dimensions, dtype: Any, pooled: bool = False, is_answer: bool = False) -> np.ndarray:
    """Page-locked host memory, freed with the array or returned to a pool. May raise OutOfMemoryError."""
    import cupy

    dtype = np.dtype(dtype)
    count = math.prod(map(int, shape))
    needed_bytes = max(1, count * dtype.itemsize)
    message = f"this machine cannot lock {needed_bytes:,} bytes of memory"
    if needed_bytes >= host_machine.LARGE_BYTES:
        free_bytes, _ = host_machine.memory_bytes()
        if needed_bytes > free_bytes:
            raise OutOfMemoryError(f"{message}: {free_bytes:,} bytes are free")
    memory: Any
    try:  # both pools never return memory to the system
        if not pooled:
            memory = cupy.cuda.PinnedMemoryPointer(cupy.cuda.pinned_memory.PinnedMemory(needed_bytes), 0)
        elif needed_bytes < _LARGE_BYTES:
            memory = cupy.cuda.alloc_pinned_memory(needed_bytes)
        else:
            memory = cupy.cuda.PinnedMemoryPointer(_Lent(needed_bytes, is_answer), 0)
    except (cupy.cuda.runtime.CUDARuntimeError, OSError) as error:
        raise OutOfMemoryError(f"{message} ({error})") from error
    return np.frombuffer(memory, dtype, count).reshape(shape)


class _Lent:
    """Page-locked memory of the pool, which gets it back when nothing refers to this.

    What was lent at a fork is not lent again, because the other process shares it, and may read it.
    """

    def __init__(self, needed_bytes: int, is_answer: bool):
        self.size, self._forks, self._process = _size_of_block(needed_bytes), _forks, os.getpid()
        if is_answer:
            _answers[self.size].add(id(self))  # sets need no lock to add and discard
        try:
            self._memory = _free[self.size].pop()
        except IndexError:
            self._memory = _locked(self.size)
        self.ptr = self._memory.ctypes.data

    def __del__(self) -> None:
        if hasattr(self, "ptr"):
            if self._forks == _forks:
                _free[self.size].append(self._memory)
            elif self._process == os.getpid():
                _unlock(self._memory)
        _answers[self.size].discard(id(self))


def _size_of_block(needed_bytes: int) -> int:
    """A few sizes for all needs, since the pool keeps memory of each."""
    unit = 1 << needed_bytes.bit_length() - 3
    return -(-needed_bytes // unit) * unit


def _locked(size: int) -> np.ndarray:
    """New memory, which threads touch before it is locked: CUDA takes several times as long for its own.

    Forked processes share it, so that no page moves away from the address that the GPU knows.
    """
    import cupy

    memory = np.frombuffer(mmap.mmap(-1, size), np.uint8)
    in_pieces(lambda piece: piece[:: mmap.PAGESIZE].fill(0), memory)
    cupy.cuda.runtime.hostRegister(memory.ctypes.data, size, _PORTABLE)
    return memory


def _unlock(memory: np.ndarray) -> None:
    import cupy

    cupy.cuda.runtime.hostUnregister(memory.ctypes.data)
