"""Kernels, launches, streams and copies of the ``cuda`` device. CuPy is imported on first use."""

import ctypes
import itertools
import re
import struct
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import DeviceError
from ..system.locks import Guard
from .contract import Dimensions
from .parameter_names import ParameterNames

STATIC_SHARED_MEMORY_BYTES = 48 * 1024
_LARGE_CLUSTERS_ALLOWED = 14  # CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED

_VALUE_BYTES = 8  # each parameter fits
_FORMATS = {"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I"}
_FORMATS |= {"int64": "q", "uint64": "Q", "float32": "f", "float64": "d"}
_PACKS = {
    kind: struct.Struct(f"<{_FORMATS[name]}").pack_into
    for kind in np.sctypeDict.values()
    if (name := np.dtype(kind).name) in _FORMATS  # two types of C may have one name
}
_PACK_ADDRESS = struct.Struct("<Q").pack_into

# Keyed by the driver's function, which CuPy shares between kernels of one module.
_shared_bytes_allowed: dict[int, int] = {}
_allowing = Guard()
URGENT = -1  # lower numbers come first; the default stream has 0


class CudaStream:
    """A CUDA stream that does not wait for the default one; see ``warpath.device.contract.Stream``."""

    def __init__(self, device: Any, urgent: bool = False):
        self._device = device
        with device.current():
            self.queue = device.xp.cuda.Stream(non_blocking=True, priority=URGENT if urgent else None)
            self._followed = device.xp.cuda.Event(disable_timing=True)

    def record(self) -> Any:
        with self._device.current():
            event = self._device.xp.cuda.Event(disable_timing=True)
            event.record(self.queue)
        return event

    def wait(self, event: Any) -> None:
        with self._device.current():
            self.queue.wait_event(event)

    def follow(self) -> None:
        with self._device.current():
            self._followed.record(self._device.xp.cuda.Stream.null)
            self.queue.wait_event(self._followed)

    def synchronize(self) -> None:
        try:
            with self._device.current():
                self.queue.synchronize()
        except self._device.xp.cuda.runtime.CUDARuntimeError as error:
            raise DeviceError(f"a kernel failed on {self._device.name}: {error}") from error


class CudaKernel:
    """A compiled ``__global__`` function; see ``warpath.device.contract.Kernel``."""

    def __init__(self, device: Any, name: str, parameters: Iterable[str], function: Any):
        self._device = device
        self._name = name
        self._function = function
        self._positions = ParameterNames(name, parameters)
        self._types: set[type] = set()  # of arguments, which have been checked
        self._resident: dict[tuple[int, int], int] = {}  # blocks of a multiprocessor

    def __call__(
        self,
        grid: Dimensions,
        block: Dimensions,
        /,
        *,
        shared_mem: int = 0,
        stream: CudaStream | None = None,
        **arguments: Any,
    ) -> None:
        args = self._in_order(arguments)
        queue = self._device.xp.cuda.Stream.null if stream is None else stream.queue
        try:
            with self._device.current(), queue:
                self._allow_shared_memory(shared_mem)
                self._function(grid, block, args, shared_mem=shared_mem)
        except self._device.xp.cuda.driver.CUDADriverError as error:
            raise DeviceError(f"kernel {self._name} with grid {grid} and block {block}: {error}") from error

    def bind(
        self,
        grid: Dimensions,
        block: Dimensions,
        /,
        *,
        shared_mem: int = 0,
        stream: CudaStream | None = None,
        **arguments: Any,
    ) -> "CudaLaunch":
        self._in_order(arguments)  # checks them
        with self._device.current():  # CuPy keeps a function for each GPU
            self._allow_shared_memory(shared_mem)
            function_pointer = self._function.kernel.ptr
        return CudaLaunch(
            self._device, self._name, self._positions, function_pointer, grid, block, arguments, shared_mem, stream
        )

    def allow_large_clusters(self) -> None:
        driver = self._device.xp.cuda.driver
        try:
            with self._device.current():
                driver.funcSetAttribute(self._function.kernel.ptr, _LARGE_CLUSTERS_ALLOWED, 1)
        except driver.CUDADriverError as error:  # a driver from before CUDA 11.8
            raise DeviceError(f"kernel {self._name}: large clusters: {error}") from error

    def blocks_per_multiprocessor(self, threads: int, shared_mem: int) -> int:
        """The number of blocks that run on a multiprocessor at the same time; ``shared_mem`` is in bytes."""
        self._allow_shared_memory(shared_mem)
        size = threads, shared_mem
        if size not in self._resident:
            occupancy = self._device.xp.cuda.driver.occupancyMaxActiveBlocksPerMultiprocessor
            self._resident[size] = int(occupancy(self._function.kernel.ptr, threads, shared_mem))
        return self._resident[size]

    def _in_order(self, arguments: Mapping[str, Any]) -> tuple[Any, ...]:
        ordered = self._positions.in_order(arguments)
        for argument in ordered:
            if type(argument) not in self._types:
                self._check(arguments)
                break
        return ordered

    def _check(self, arguments: Mapping[str, Any]) -> None:
        for name, argument in arguments.items():
            if not isinstance(argument, (self._device.xp.ndarray, np.generic, type(None))):
                raise DeviceError(
                    f"kernel {self._name}, argument {name}: {type(argument).__name__} is neither a device array nor a "
                    "NumPy scalar"
                )
            self._types.add(type(argument))

    def _allow_shared_memory(self, shared_mem: int) -> None:
        """Raise the function's limit, which holds for all launches: others may be bound with more."""
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
    """A launch with its arguments packed for the driver. Keeps the bound arrays alive."""

    def __init__(
        self,
        device: Any,
        name: str,
        positions: ParameterNames,
        function_pointer: int,
        grid: Dimensions,
        block: Dimensions,
        arguments: Mapping[str, Any],
        shared_mem: int,
        stream: CudaStream | None = None,
    ):
        self._context, self._name, self._positions = device.current(), name, positions
        self._driver = device.xp.cuda.driver
        self._launch = self._driver.launchKernel
        self._bound = dict(arguments)
        self._lent: tuple[str, ...] = ()  # the names of the last launch's own arguments
        self._values = bytearray(_VALUE_BYTES * len(positions) or _VALUE_BYTES)
        self._pack(arguments)
        first = ctypes.addressof(ctypes.c_char.from_buffer(self._values))
        addresses = range(first, first + _VALUE_BYTES * len(positions), _VALUE_BYTES)
        self._pointers = (ctypes.c_void_p * len(positions))(*addresses)
        dimensions = [*grid, *[1] * (3 - len(grid)), *block, *[1] * (3 - len(block))]
        queue, no_extra = 0 if stream is None else stream.queue.ptr, 0
        self._for_driver = (
            function_pointer, *map(int, dimensions), shared_mem, queue, ctypes.addressof(self._pointers), no_extra
        )  # fmt: skip

    def __call__(self, **arguments: Any) -> None:
        names = tuple(arguments)
        if names != self._lent:
            self._lent = names
            self._pack(self._bound)
        self._pack(arguments)  # the driver copies the values at each launch
        try:
            with self._context:
                self._launch(*self._for_driver)
        except self._driver.CUDADriverError as error:
            raise DeviceError(f"kernel {self._name}: {error}") from error

    @property
    def packed(self) -> tuple[Any, ...]:
        """What the driver takes for a launch with the bound arguments."""
        if self._lent:
            self._lent = ()
            self._pack(self._bound)
        return self._for_driver

    def set(self, **arguments: Any) -> None:
        self._pack(arguments)
        self._bound.update(arguments)

    def _pack(self, arguments: Mapping[str, Any]) -> None:
        values, positions = self._values, self._positions
        for name, argument in arguments.items():
            pack = _PACKS.get(type(argument))
            if pack:
                pack(values, _VALUE_BYTES * positions[name], argument)
            else:
                address = 0 if argument is None else argument.data.ptr
                _PACK_ADDRESS(values, _VALUE_BYTES * positions[name], address)


def first_error(log: str) -> str:
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    return next((line for line in lines if re.search(r"\berror\b", line)), lines[0] if lines else "no reason given")


def copy_rows(runtime: Any, source: Any, target: Any, stream: CudaStream | None) -> None:
    """Enqueue a copy between CuPy and NumPy arrays; see ``warpath.device.contract.Device.copy``."""
    if source.shape != target.shape or source.dtype != target.dtype:
        raise DeviceError(
            f"{source.dtype} of shape {source.shape} cannot be copied into {target.dtype} of shape {target.shape}"
        )
    if not source.size:
        return
    queue = 0 if stream is None else stream.queue.ptr
    target_address, source_address = address(target), address(source)
    if source.flags.c_contiguous and target.flags.c_contiguous:
        runtime.memcpyAsync(target_address, source_address, source.nbytes, runtime.memcpyDefault, queue)
        return
    rows, columns = source.shape
    if {source.strides[1], target.strides[1]} != {source.itemsize}:
        raise DeviceError("an array to copy may have a stride between rows, but not between columns")
    runtime.memcpy2DAsync(
        target_address,
        target.strides[0],
        source_address,
        source.strides[0],
        columns * source.itemsize,
        rows,
        runtime.memcpyDefault,
        queue,
    )


def address(array: Any) -> int:
    if not isinstance(array, np.ndarray):
        return int(array.data.ptr)
    if array.flags.c_contiguous and array.flags.writeable:
        return ctypes.addressof(ctypes.c_char.from_buffer(array.data))  # several times as fast
    return int(array.ctypes.data)


_peer_access: set[tuple[int, int]] = set()  # pairs of GPUs; CUDA lets a process enable each pair only once


def enable_peer_access(indices: list[int]) -> None:
    """Enable direct copies between these GPUs, if their connection allows it."""
    import cupy

    runtime = cupy.cuda.runtime
    for source, target in itertools.permutations(indices, 2):
        if (source, target) in _peer_access or not runtime.deviceCanAccessPeer(source, target):
            continue
        with cupy.cuda.Device(source):
            try:
                runtime.deviceEnablePeerAccess(target)
            except runtime.CUDARuntimeError as error:
                if "AlreadyEnabled" not in str(error):  # other code in this process did it
                    raise DeviceError(f"GPU {source} cannot access the memory of GPU {target}: {error}") from error
        _peer_access.add((source, target))
