"""The ``cuda`` device: a GPU through CuPy, imported when the first device is opened."""

import math
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from ..errors import DeviceError, OutOfMemoryError
from ..system.locks import Guard
from .contract import Dimensions
from .cuda_kernel import (
    CudaKernel,
    CudaLaunch,
    CudaStream,
    address,
    copy_rows,
    enable_peer_access,
    first_error,
)
from .kernel_source import expanded_source, parameter_names
from .pinned import pinned_answer, pinned_array

REVISION = 1
"""Increased when an edit changes what is timed; part of the identity of a run's code."""

CLUSTER_TRIAL = Path(__file__).with_name("cluster_trial.cu")
CLUSTER_BLOCKS = 16
# Major compute capabilities whose clusters may have more than eight blocks.
_MAJORS_OF_LARGE_CLUSTERS = (9, 10)
_TRIAL_THREADS = 512
# More than half of a multiprocessor's, so that each block of the trial needs its own multiprocessor.
_TRIAL_SHARED_BYTES = 120 * 1024

# Without it, CuPy would load a module once for each concurrent thread.
_compiling = Guard()


class CudaDevice:
    """GPU number ``index`` of this machine; see ``warpath.device.contract.Device``."""

    kind = "cuda"
    _process: ClassVar[int | None] = None  # that opened a GPU

    def __init__(self, index: int = 0):
        _check_not_forked(CudaDevice._process)
        self.xp = self._cupy = cupy = _import_cupy()
        try:
            count = cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise DeviceError(
                f"no GPU is usable ({error}, CuPy {cupy.__version__}); install the NVIDIA driver, request one from the "
                "batch system, or choose another device"
            ) from error
        if index >= count:
            raise DeviceError(f"there is no GPU {index}; this machine has {count}, numbered from 0")
        self.index = index
        self._device, self._runtime = cupy.cuda.Device(index), cupy.cuda.runtime
        # Makes the context, unless the caller's current GPU is another one, and stays so.
        if cupy.cuda.runtime.getDevice() == index:
            self._device.use()
        self.name = cupy.cuda.runtime.getDeviceProperties(index)["name"].decode()
        self._kernels: dict[tuple, CudaKernel] = {}
        CudaDevice._process = os.getpid()

    def call_context(self) -> "CallContext":
        _check_not_forked(CudaDevice._process)
        return CallContext(self, self._cupy.cuda)

    def use_in_thread(self) -> None:
        self._cupy.cuda.Device(self.index).use()

    def kernel(self, file: Path, name: str, macros: Mapping[str, int] | None = None) -> CudaKernel:
        options = ("-std=c++17", *(f"-D{macro}={value}" for macro, value in sorted((macros or {}).items())))
        key = (file, name, options)
        if key not in self._kernels:
            with _compiling.lock:
                if key not in self._kernels:
                    self._kernels[key] = self._compiled(file, name, options)
        return self._kernels[key]

    def _compiled(self, file: Path, name: str, options: tuple[str, ...]) -> CudaKernel:
        source = expanded_source(file)
        parameters = parameter_names(source)
        if name not in parameters:
            raise DeviceError(f"{file} has no kernel {name!r}; it has {', '.join(parameters) or 'none'}")
        module = self._cupy.RawModule(code=source, options=options)
        try:
            with self._device:
                function = module.get_function(name)
                function.compile()
        except self._cupy.cuda.compiler.CompileException as error:
            raise DeviceError(f"{file.name} does not compile: {first_error(str(error))}") from error
        except self._cupy.cuda.driver.CUDADriverError as error:
            raise DeviceError(f"{file.name}: kernel {name} cannot be loaded: {error}") from error
        return CudaKernel(self, name, parameters[name], function)

    def upload(self, array: np.ndarray) -> Any:
        copy = self.empty(array.shape, array.dtype)
        with self._device:
            copy.set(array)
        return copy

    def empty(self, shape: Dimensions, dtype: Any) -> Any:
        try:
            with self._device:
                return self._cupy.empty(shape, dtype)
        except (self._cupy.cuda.memory.OutOfMemoryError, self._cupy.cuda.runtime.CUDARuntimeError) as error:
            if "memory" not in str(error).lower():
                raise DeviceError(f"{self.name}: {error}") from error
            needed = int(np.prod(shape, dtype=np.int64)) * np.dtype(dtype).itemsize
            free, total = self.memory_bytes()
            raise OutOfMemoryError(
                f"{self.name} is out of memory: an array needs {needed:,} bytes, and {free:,} of {total:,} bytes are "
                "free; use a smaller graph or a larger GPU"
            ) from error

    def download(self, array: Any, out: np.ndarray) -> None:
        with self._device:
            array.get(out=out)

    def pinned(self, shape: Dimensions, dtype: Any, pooled: bool = False) -> np.ndarray:
        return pinned_array(shape, dtype, pooled)

    def pinned_answer(self, shape: Dimensions, dtype: Any, blocks: int) -> np.ndarray | None:
        return pinned_answer(shape, dtype, blocks)

    def is_pinned(self, array: np.ndarray) -> bool:
        return self._runtime.pointerGetAttributes(address(array)).type == self._runtime.memoryTypeHost

    def mapped(self, shape: Dimensions, dtype: Any) -> tuple[np.ndarray, Any]:
        array, cuda = pinned_array(shape, dtype, pooled=True), self._cupy.cuda
        array.fill(0)
        # A GPU finds page-locked memory at the address that the host uses.
        memory = cuda.UnownedMemory(array.ctypes.data, array.nbytes, array, self.index)
        return array, self._cupy.ndarray(shape, dtype, cuda.MemoryPointer(memory, 0))

    def stream(self, urgent: bool = False) -> CudaStream:
        return CudaStream(self, urgent)

    @cached_property
    def copying(self) -> CudaStream:
        return self.__dict__.setdefault("copying", self.stream())  # one for two threads that make it at once

    def wait(self, event: Any) -> None:
        with self._device:
            self._cupy.cuda.Stream.null.wait_event(event)

    def copy(self, source: Any, target: Any, stream: CudaStream | None = None) -> None:
        with self._device:
            copy_rows(self._runtime, source, target, stream)

    def copier(self, source: Any, target: Any) -> Callable[[], None]:
        ends = target, source
        copied = *map(address, ends), source.nbytes, self._runtime.memcpyDefault, 0

        def copy(_kept: Any = ends) -> None:
            with self._device:
                self._runtime.memcpyAsync(*copied)

        return copy

    def set_bytes(self, array: Any, byte: int) -> None:
        with self._device:
            self._runtime.memsetAsync(array.data.ptr, byte, array.nbytes, 0)

    def peers(self, count: int) -> "list[CudaDevice]":
        available = self._cupy.cuda.runtime.getDeviceCount()
        if count > available:
            raise DeviceError(f"{count} GPUs are needed, but this machine has {available}")
        devices = [self, *(CudaDevice((self.index + step) % available) for step in range(1, count))]
        enable_peer_access([device.index for device in devices])
        return devices

    def current(self) -> Any:
        """A context in which CuPy uses this GPU."""
        return self._device

    def release(self) -> None:
        with self._device:
            self._cupy.get_default_memory_pool().free_all_blocks()

    def synchronize(self, copies: bool = True) -> None:
        try:
            with self._device:
                if copies:
                    self._runtime.deviceSynchronize()
                else:
                    self._runtime.streamSynchronize(0)
        except self._runtime.CUDARuntimeError as error:
            raise DeviceError(f"a kernel failed on {self.name}: {error}") from error

    def record(self) -> Any:
        with self._device:
            event = self._cupy.cuda.Event()
            event.record(self._cupy.cuda.Stream.null)
        return event

    def seconds_between(self, start: Any, stop: Any) -> float:
        stop.synchronize()
        return self._cupy.cuda.get_elapsed_time(start, stop) / 1000

    def repeat(self, launches: Sequence[CudaLaunch], times: int) -> None:
        # Call the driver with packed arguments: road networks take millions of launches of a few microseconds each, and
        # CuPy's own launch takes as long as the kernel.
        launch = self._cupy.cuda.driver.launchKernel
        wait = self._cupy.cuda.runtime.deviceSynchronize
        packed = [launch_.packed for launch_ in launches]
        try:
            with self._device:
                for _ in range(times):
                    for arguments in packed:
                        launch(*arguments)
                        wait()
        except (self._cupy.cuda.driver.CUDADriverError, self._cupy.cuda.runtime.CUDARuntimeError) as error:
            raise DeviceError(f"a kernel failed on {self.name}: {error}") from error

    def enqueue(self, launches: Sequence[CudaLaunch]) -> None:
        launch = self._cupy.cuda.driver.launchKernel
        try:
            with self._device:
                for launch_ in launches:
                    launch(*launch_.packed)
        except self._cupy.cuda.driver.CUDADriverError as error:
            raise DeviceError(f"a kernel failed on {self.name}: {error}") from error

    def repeat_while(self, rounds: Sequence[Sequence[CudaLaunch]], word: Any, times: int) -> tuple[int, bool]:
        driver, runtime = self._cupy.cuda.driver, self._cupy.cuda.runtime
        launch, copy = driver.launchKernel, runtime.memcpy
        packed = [[launch_.packed for launch_ in round_] for round_ in rounds]
        zero, read = np.zeros(1, np.int32), np.zeros(1, np.int32)
        write_zero = (word.data.ptr, zero.ctypes.data, zero.nbytes, runtime.memcpyHostToDevice)
        read_back = (read.ctypes.data, word.data.ptr, read.nbytes, runtime.memcpyDeviceToHost)
        try:
            with self._device:
                for done in range(times):
                    copy(*write_zero)
                    for arguments in packed[done % len(packed)]:
                        launch(*arguments)
                    copy(*read_back)  # waits for the kernels before it
                    if not read[0]:
                        return done + 1, True
        except (driver.CUDADriverError, runtime.CUDARuntimeError) as error:
            raise DeviceError(f"a kernel failed on {self.name}: {error}") from error
        return times, False

    def resident_blocks(self, kernel: CudaKernel, block: Dimensions, shared_mem: int = 0) -> int:
        if shared_mem > self.shared_memory_bytes:
            return 0
        with self._device:
            per_multiprocessor = kernel.blocks_per_multiprocessor(math.prod(block), shared_mem)
        return per_multiprocessor * int(self._properties["multiProcessorCount"])

    @property
    def shared_memory_bytes(self) -> int:
        return int(self._properties["sharedMemPerBlockOptin"])

    def memory_bytes(self) -> tuple[int, int]:
        with self._device:
            free, total = self._cupy.cuda.runtime.memGetInfo()
            pool = self._cupy.get_default_memory_pool()
            limit = pool.get_limit()
        return (min(free, limit - pool.used_bytes()), min(total, limit)) if limit else (free, total)

    @cached_property
    def cluster_blocks(self) -> int:
        return largest_cluster(self, int(self._properties["major"]))

    @cached_property
    def _properties(self) -> dict[str, Any]:
        return self._cupy.cuda.runtime.getDeviceProperties(self.index)

    def describe(self) -> dict[str, Any]:
        runtime = self._cupy.cuda.runtime
        return {
            "kind": self.kind,
            "name": self.name,
            "index": self.index,
            "pci_bus_id": self._device.pci_bus_id,
            "memory_bytes": int(self._properties["totalGlobalMem"]),
            "multiprocessors": int(self._properties["multiProcessorCount"]),
            "compute_capability": self._device.compute_capability,
            "cuda_driver": _version(runtime.driverGetVersion()),
            "cuda_runtime": _version(runtime.runtimeGetVersion()),
            "nvrtc": ".".join(map(str, self._cupy.cuda.nvrtc.getVersion())),
            "cupy": self._cupy.__version__,
        }


class CallContext:
    """See ``warpath.device.contract.Device.call_context``; entered once."""

    def __init__(self, device: CudaDevice, cuda: Any):
        # A new CuPy device, because one remembers the device to return to, but not for each thread.
        self._device, self._cuda, self._gpu = device, cuda, cuda.Device(device.index)
        self._default = cuda.Stream.null

    def __enter__(self) -> None:
        self._gpu.__enter__()
        try:
            self._gpu.use()  # otherwise, functions of the driver find no context in a new thread
            self._callers = self._cuda.get_current_stream()
            self._follow(self._default, self._callers)
            self._default.__enter__()
        except BaseException:
            self._gpu.__exit__(*sys.exc_info())
            raise

    def __exit__(self, kind: type[BaseException] | None, *error: Any) -> None:
        try:
            if kind is not None:  # enqueued work still uses memory that is about to be freed
                with suppress(DeviceError):
                    self._device.synchronize()
            self._default.__exit__(kind, *error)
            if kind is None:
                self._follow(self._callers, self._default)
        finally:
            self._gpu.__exit__(kind, *error)

    def _follow(self, stream: Any, other: Any) -> None:
        """Delay later work in ``stream`` until the present work in ``other`` is done."""
        if stream.ptr != other.ptr:
            event = self._cuda.Event(disable_timing=True)
            event.record(other)
            stream.wait_event(event)


def largest_cluster(device: Any, major: int) -> int:
    """16 if a cluster of 16 blocks, each on its own multiprocessor, runs on ``device``; else 1.

    A part of a GPU may have too few adjacent multiprocessors, so a trial decides. ``major`` is that of the compute
    capability. Raises DeviceError if the trial does not compile, OutOfMemoryError if memory is short.
    """
    if major not in _MAJORS_OF_LARGE_CLUSTERS:
        return 1
    met = np.zeros(1, np.int32)
    counted = device.upload(met)
    kernel = device.kernel(CLUSTER_TRIAL, "meet")
    try:
        kernel.allow_large_clusters()
        kernel((CLUSTER_BLOCKS,), (_TRIAL_THREADS,), met=counted, shared_mem=_TRIAL_SHARED_BYTES)
        device.synchronize()
    except DeviceError:
        return 1
    device.download(counted, met)
    return CLUSTER_BLOCKS if met[0] == CLUSTER_BLOCKS else 1


def _check_not_forked(process: int | None) -> None:
    """Raise DeviceError in a process forked from ``process``, which opened a GPU."""
    if process not in (None, os.getpid()):
        raise DeviceError(
            "CUDA does not work in this process, which was forked from one that had opened a GPU; start processes with "
            'multiprocessing.get_context("spawn"), or choose another device'
        )


def _import_cupy() -> ModuleType:
    try:
        import cupy
    except ImportError as error:
        raise DeviceError(
            "CuPy is not installed; in the clone, pip install '.[cuda13]' (driver 580 or newer) or '.[cuda12]' (525 or "
            "newer), or choose another device"
        ) from error
    return cupy


def _version(number: int) -> str:
    """CUDA's 13000 as "13.0"."""
    return f"{number // 1000}.{number % 1000 // 10}"
