"""Streams, pinned host memory and copies of the ``cuda`` device. CuPy is imported on first use."""

import itertools
from contextlib import AbstractContextManager
from typing import Any, Protocol

import numpy as np

from ..errors import DeviceError, OutOfMemoryError
from . import host_machine
from .contract import Dimensions

URGENT = -1  # the default stream has priority 0, and lower numbers go first


class Context(Protocol):
    """A GPU, as its streams and kernels see it: CuPy, and the device made current."""

    @property
    def xp(self) -> Any: ...

    name: str

    def current(self) -> AbstractContextManager[Any]: ...


class CudaStream:
    """A CUDA stream that does not wait for the default one."""

    def __init__(self, device: "Context", urgent: bool = False):
        self._device = device
        with device.current():
            self.queue = device.xp.cuda.Stream(non_blocking=True, priority=URGENT if urgent else None)

    def record(self) -> Any:
        """See ``warpath.device.contract.Stream``, here and below."""
        with self._device.current():
            event = self._device.xp.cuda.Event(disable_timing=True)
            event.record(self.queue)
        return event

    def wait(self, event: Any) -> None:
        with self._device.current():
            self.queue.wait_event(event)

    def synchronize(self) -> None:
        try:
            with self._device.current():
                self.queue.synchronize()
        except self._device.xp.cuda.runtime.CUDARuntimeError as error:
            raise DeviceError(f"a kernel failed on {self._device.name}: {error}") from error


def pinned_array(shape: Dimensions, dtype: Any, pooled: bool = False) -> np.ndarray:
    """Page-locked host memory, freed with the array, or given back to CuPy's pool. May raise OutOfMemoryError."""
    import cupy

    dtype = np.dtype(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    wanted_bytes = count * dtype.itemsize
    room = f"this machine has no room for {wanted_bytes:,} bytes of page-locked memory"
    if wanted_bytes >= host_machine.LARGE_BYTES:
        free_bytes, _ = host_machine.memory_bytes()
        if wanted_bytes > free_bytes:
            raise OutOfMemoryError(f"{room}: {free_bytes:,} bytes are free")
    try:
        # CuPy's pool never returns memory to the system.
        pointer = (
            cupy.cuda.alloc_pinned_memory(max(wanted_bytes, 1))
            if pooled
            else cupy.cuda.PinnedMemoryPointer(cupy.cuda.pinned_memory.PinnedMemory(max(wanted_bytes, 1)), 0)
        )
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise OutOfMemoryError(f"{room} ({error})") from error
    return np.frombuffer(pointer, dtype, count).reshape(shape)


def copy_rows(source: Any, target: Any, stream: CudaStream | None) -> None:
    """Enqueue a copy between CuPy and NumPy arrays; see ``warpath.device.contract.Device.copy``."""
    import cupy

    if source.shape != target.shape or source.dtype != target.dtype:
        raise DeviceError(
            f"{source.dtype} of shape {source.shape} cannot be copied into {target.dtype} of shape {target.shape}"
        )
    if not source.size:
        return
    runtime = cupy.cuda.runtime
    queue = 0 if stream is None else stream.queue.ptr
    where = _address(target), _address(source)
    if source.flags.c_contiguous and target.flags.c_contiguous:
        runtime.memcpyAsync(*where, source.nbytes, runtime.memcpyDefault, queue)
        return
    rows, columns = source.shape
    if {source.strides[1], target.strides[1]} != {source.itemsize}:
        raise DeviceError("an array to copy may have a stride between rows, but not between columns")
    runtime.memcpy2DAsync(
        where[0],
        target.strides[0],
        where[1],
        source.strides[0],
        columns * source.itemsize,
        rows,
        runtime.memcpyDefault,
        queue,
    )


def _address(array: Any) -> int:
    return array.ctypes.data if isinstance(array, np.ndarray) else array.data.ptr


_REACHED: set[tuple[int, int]] = set()
"""Pairs of GPUs with peer access from the first to the second; CUDA lets a process enable each pair only once."""


def let_each_reach_the_others(indices: list[int]) -> None:
    """Enable direct copies between these GPUs, where their connection allows it."""
    import cupy

    runtime = cupy.cuda.runtime
    for here, there in itertools.permutations(indices, 2):
        if (here, there) in _REACHED or not runtime.deviceCanAccessPeer(here, there):
            continue
        with cupy.cuda.Device(here):
            try:
                runtime.deviceEnablePeerAccess(there)
            except runtime.CUDARuntimeError as error:
                if "AlreadyEnabled" not in str(error):  # other code in this process did it
                    raise DeviceError(f"GPU {here} cannot access the memory of GPU {there}: {error}") from error
        _REACHED.add((here, there))
