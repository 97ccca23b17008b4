"""The ``cuda`` device: a GPU through CuPy, which is imported when the first device is opened."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from ..errors import DeviceError, OutOfMemoryError
from ..locks import Guard
from .contract import Dimensions
from .cuda_kernel import (
    CudaKernel,
    CudaLaunch,
    CudaStream,
    copy_rows,
    first_error,
    let_each_reach_the_others,
    pinned_array,
)
from .kernel_source import expanded_source

REVISION = 1
"""Raised when an edit changes what is timed; it identifies the code of a run."""

CLUSTER_TRIAL = Path(__file__).with_name("cluster_trial.cu")
CLUSTER_BLOCKS = 16
# Compute capabilities, by their major numbers, whose clusters may have more than eight blocks.
_MAJORS_OF_LARGE_CLUSTERS = (9, 10)
_TRIAL_THREADS = 512
# More than half of what a multiprocessor has, so that each block of the trial needs one of its own, as a solve may.
_TRIAL_SHARED_BYTES = 120 * 1024

# CuPy loads a module once for each thread that asks first.
_compiling = Guard()


class CudaDevice:
    """GPU number ``index`` of this machine. Keeps ``warpath.device.contract.Device``."""

    kind = "cuda"
    _process: ClassVar[int | None] = None  # that first opened one

    def __init__(self, index: int = 0):
        _check_not_forked(CudaDevice._process)
        self.xp = self._cupy = cupy = _import_cupy()
        try:
            count = cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise DeviceError(
                f"no usable GPU: CuPy {cupy.__version__} says {error}; install the NVIDIA driver, ask the batch system "
                "for a GPU, or use --device host"
            ) from error
        if index >= count:
            raise DeviceError(f"there is no GPU {index}: this machine has {count}, numbered from 0")
        self.index = index
        self._device = cupy.cuda.Device(index)
        self._device.use()
        self.name = cupy.cuda.runtime.getDeviceProperties(index)["name"].decode()
        self._kernels: dict[tuple, CudaKernel] = {}
        CudaDevice._process = os.getpid()

    @contextmanager
    def turn(self) -> Iterator[None]:
        _check_not_forked(CudaDevice._process)
        cuda = self._cupy.cuda
        # A CuPy device remembers which one to go back to, but not for which thread: in here, that is always this one.
        with cuda.Device(self.index) as here:
            here.use()  # or functions of the driver find no context in a new thread
            callers, default = cuda.get_current_stream(), cuda.Stream.null
            self._follow(default, callers)
            with default:
                try:
                    yield
                except BaseException:
                    # What is enqueued still uses memory that is free from now on.
                    with suppress(DeviceError):
                        self.synchronize()
                    raise
            self._follow(callers, default)

    def adopt_thread(self) -> None:
        self._cupy.cuda.Device(self.index).use()

    def _follow(self, stream: Any, other: Any) -> None:
        """Delay later work in ``stream`` until what is now in ``other`` is done."""
        if stream.ptr != other.ptr:
            event = self._cupy.cuda.Event(disable_timing=True)
            event.record(other)
            stream.wait_event(event)

    def kernel(self, file: Path, name: str, macros: Mapping[str, int] | None = None) -> CudaKernel:
        options = ("-std=c++17", *(f"-D{macro}={value}" for macro, value in sorted((macros or {}).items())))
        key = (file, name, options)
        if key not in self._kernels:
            with _compiling.lock:
                if key not in self._kernels:
                    self._kernels[key] = self._compiled(file, name, options)
        return self._kernels[key]

    def _compiled(self, file: Path, name: str, options: tuple[str, ...]) -> CudaKernel:
        module = self._cupy.RawModule(code=expanded_source(file), options=options)
        try:
            with self._device:
                function = module.get_function(name)
                function.compile()
        except self._cupy.cuda.compiler.CompileException as error:
            raise DeviceError(f"{file.name} does not compile: {first_error(str(error))}") from error
        except self._cupy.cuda.driver.CUDADriverError as error:
            raise DeviceError(f"{file.name}: kernel {name} cannot be loaded: {error}") from error
        return CudaKernel(self, name, function)

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
                f"{self.name} is out of memory: the array needs {needed:,} bytes, "
                f"{free:,} of {total:,} bytes are free; use a smaller graph or a larger GPU"
            ) from error

    def download(self, array: Any, out: np.ndarray) -> None:
        with self._device:
            array.get(out=out)

    def pinned(self, shape: Dimensions, dtype: Any, pooled: bool = False) -> np.ndarray:
        return pinned_array(shape, dtype, pooled)

    def stream(self, urgent: bool = False) -> CudaStream:
        return CudaStream(self, urgent)

    def wait(self, event: Any) -> None:
        with self._device:
            self._cupy.cuda.Stream.null.wait_event(event)

    def copy(self, source: Any, target: Any, stream: CudaStream | None = None) -> None:
        with self._device:
            copy_rows(source, target, stream)

    def peers(self, count: int) -> "list[CudaDevice]":
        there = self._cupy.cuda.runtime.getDeviceCount()
        if count > there:
            raise DeviceError(f"{count} GPUs are needed, but this machine has {there}")
        others = [CudaDevice((self.index + step) % there) for step in range(1, count)]
        devices = [self, *others]
        let_each_reach_the_others([device.index for device in devices])
        self._device.use()
        return devices

    def current(self) -> Any:
        """A context in which CuPy uses this GPU."""
        return self._device

    def release(self) -> None:
        with self._device:
            self._cupy.get_default_memory_pool().free_all_blocks()

    def synchronize(self) -> None:
        try:
            with self._device:
                self._cupy.cuda.runtime.deviceSynchronize()
        except self._cupy.cuda.runtime.CUDARuntimeError as error:
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
        # Call the driver directly with packed arguments: road networks take millions of launches of a few microseconds
        # each, and CuPy's own launch would take as long as the kernel.
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
            of_one = kernel.blocks_of_a_multiprocessor(int(np.prod(block)), shared_mem)
        return of_one * int(self._properties["multiProcessorCount"])

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


def largest_cluster(device: Any, major: int) -> int:
    """16 where a cluster of 16 blocks, each on a multiprocessor of its own, runs on ``device``; else 1.

    ``major`` is of the compute capability. A part of a GPU may have too few multiprocessors side by side, so a cluster
    is launched and waited for. A kernel that does not compile and memory that is short say nothing of clusters, and
    raise.
    """
    if major not in _MAJORS_OF_LARGE_CLUSTERS:
        return 1
    met = np.zeros(1, np.int32)
    counted = device.upload(met)
    kernel = device.kernel(CLUSTER_TRIAL, "meet")
    try:
        kernel.allow_large_clusters()
        kernel((CLUSTER_BLOCKS,), (_TRIAL_THREADS,), (counted,), _TRIAL_SHARED_BYTES)
        device.synchronize()
    except DeviceError:
        return 1
    device.download(counted, met)
    return CLUSTER_BLOCKS if met[0] == CLUSTER_BLOCKS else 1


def _check_not_forked(process: int | None) -> None:
    """Raise DeviceError in a process that was forked from ``process``, the one that opened a GPU."""
    if process not in (None, os.getpid()):
        raise DeviceError(
            "this process was forked from one that had opened a GPU, and CUDA does not work here; start processes with "
            'multiprocessing.get_context("spawn"), or use the device "host"'
        )


def _import_cupy() -> ModuleType:
    try:
        import cupy
    except ImportError as error:
        raise DeviceError(
            "CuPy is not installed: install cupy-cuda12x or cupy-cuda13x, matching the driver, or use --device host"
        ) from error
    return cupy


def _version(number: int) -> str:
    """CUDA's 13000 as "13.0"."""
    return f"{number // 1000}.{number % 1000 // 10}"
