"""Kernels on a GPU: compiled functions, and launches packed for the driver."""

import ctypes
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..errors import DeviceError
from ..locks import Guard
from .contract import Dimensions
from .cuda_streams import Context, CudaStream

STATIC_SHARED_MEMORY_BYTES = 48 * 1024
_LARGE_CLUSTERS_ALLOWED = 14  # CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED
_LOW_64_BITS = 2**64 - 1

# By the driver's function: CuPy loads a module once, whoever asks for it.
_shared_bytes_allowed: dict[int, int] = {}
_allowing = Guard()


class CudaKernel:
    """A compiled ``__global__`` function; see ``warpath.device.contract.Kernel``."""

    def __init__(self, device: Context, name: str, function: Any):
        self._device = device
        self._name = name
        self._function = function

    def __call__(
        self,
        grid: Dimensions,
        block: Dimensions,
        args: Sequence[Any],
        shared_mem: int = 0,
        stream: CudaStream | None = None,
    ) -> None:
        self._check(args)
        queue = self._device.xp.cuda.Stream.null if stream is None else stream.queue
        try:
            with self._device.current(), queue:
                self._allow_shared_memory(shared_mem)
                self._function(grid, block, tuple(args), shared_mem=shared_mem)
        except self._device.xp.cuda.driver.CUDADriverError as error:
            raise DeviceError(f"kernel {self._name} with grid {grid} and block {block}: {error}") from error

    def bind(
        self,
        grid: Dimensions,
        block: Dimensions,
        args: Sequence[Any],
        shared_mem: int = 0,
        stream: CudaStream | None = None,
    ) -> "CudaLaunch":
        self._check(args)
        with self._device.current():  # CuPy keeps a function for each GPU
            self._allow_shared_memory(shared_mem)
            function_pointer = self._function.kernel.ptr
        return CudaLaunch(self, function_pointer, grid, block, args, shared_mem, stream)

    def allow_large_clusters(self) -> None:
        driver = self._device.xp.cuda.driver
        try:
            with self._device.current():
                driver.funcSetAttribute(self._function.kernel.ptr, _LARGE_CLUSTERS_ALLOWED, 1)
        except driver.CUDADriverError as error:  # a driver from before CUDA 11.8
            raise DeviceError(f"kernel {self._name}: large clusters: {error}") from error

    def blocks_of_a_multiprocessor(self, threads: int, shared_mem: int) -> int:
        """How many blocks of so many threads, with ``shared_mem`` bytes each, run on a multiprocessor at a time."""
        self._allow_shared_memory(shared_mem)
        occupancy = self._device.xp.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
        return int(occupancy(self._function.kernel.ptr, threads, shared_mem))

    def _check(self, args: Sequence[Any]) -> None:
        for position, argument in enumerate(args):
            if argument is not None and not isinstance(argument, (np.generic, self._device.xp.ndarray)):
                raise DeviceError(
                    f"kernel {self._name}, argument {position}: {type(argument).__name__} is neither a device array "
                    "nor a NumPy scalar"
                )

    def _allow_shared_memory(self, shared_mem: int) -> None:
        """A function has one limit for all of its launches, so it only rises: others may be bound with more."""
        if shared_mem <= STATIC_SHARED_MEMORY_BYTES:
            return
        function_pointer = self._function.kernel.ptr
        if shared_mem <= _shared_bytes_allowed.get(function_pointer, 0):
            return
        with _allowing.lock:
            if shared_mem > _shared_bytes_allowed.get(function_pointer, 0):
                self._function.max_dynamic_shared_size_bytes = shared_mem
                _shared_bytes_allowed[function_pointer] = shared_mem


class CudaLaunch:
    """A launch with its arguments packed for the driver; keeps the arrays alive."""

    def __init__(
        self,
        kernel: CudaKernel,
        function_pointer: int,
        grid: Dimensions,
        block: Dimensions,
        args: Sequence[Any],
        shared_mem: int,
        stream: CudaStream | None = None,
    ):
        self._kernel, self._grid, self._block = kernel, grid, block
        self._args, self._shared_mem, self._stream = list(args), shared_mem, stream
        values = np.zeros(len(args), np.uint64)  # every parameter fits into eight bytes
        self._values = values
        for position, argument in enumerate(args):
            self._set(position, argument)
        addresses = values.ctypes.data + 8 * np.arange(len(args), dtype=np.uint64)
        self._pointers = (ctypes.c_void_p * len(args))(*addresses.tolist())
        dimensions = [*grid, *[1] * (3 - len(grid)), *block, *[1] * (3 - len(block))]
        queue, no_extra = 0 if stream is None else stream.queue.ptr, 0
        self.packed = (
            function_pointer, *map(int, dimensions), shared_mem, queue, ctypes.addressof(self._pointers), no_extra
        )  # fmt: skip

    def __call__(self) -> None:
        self._kernel(self._grid, self._block, self._args, self._shared_mem, self._stream)

    def replace(self, position: int, *arguments: Any) -> None:
        """Launch with other arguments from now on; the driver copies the values at every launch."""
        for place, argument in enumerate(arguments, position):
            self._args[place] = argument
            self._set(place, argument)

    def _set(self, position: int, argument: Any) -> None:
        if argument is None:
            self._values[position] = 0
        elif not isinstance(argument, np.generic):
            self._values[position] = argument.data.ptr
        elif argument.dtype.kind in "iu":
            self._values[position] = int(argument) & _LOW_64_BITS  # little-endian: the low bytes come first
        else:
            raw = np.frombuffer(argument.tobytes(), np.uint8)
            self._values[position : position + 1].view(np.uint8)[: len(raw)] = raw


def first_error(log: str) -> str:
    """The first line of a compiler log that reports an error, or its first line."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return next((line for line in lines if re.search(r"\berror\b", line)), lines[0] if lines else "no reason given")
