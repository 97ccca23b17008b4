"""The ``cpu`` device: arrays of NumPy, for solvers that run on the CPU by themselves. It runs no kernels."""

import math
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from time import perf_counter
from types import ModuleType
from typing import Any

import numpy as np

from ..errors import DeviceError, OutOfMemoryError
from ..system import host_machine
from .contract import Dimensions

REVISION = 1
"""Increased when an edit changes what is timed; part of the identity of a run's code."""


class CpuDevice:
    """The CPU; see ``warpath.device.contract.Device``, of which it has the part without kernels."""

    kind = "cpu"
    xp: ModuleType = np

    def __init__(self) -> None:
        self.name = host_machine.processor_name()

    def call_context(self) -> AbstractContextManager[Any]:
        """Do nothing: there is one stream."""
        return nullcontext()

    def use_in_thread(self) -> None:
        """Do nothing: each thread can copy."""

    def upload(self, array: np.ndarray) -> np.ndarray:
        copy = self.empty(array.shape, array.dtype)
        np.copyto(copy, array)
        return copy

    def empty(self, shape: Dimensions, dtype: Any) -> np.ndarray:
        dtype = np.dtype(dtype)
        wanted_bytes = math.prod(map(int, shape)) * dtype.itemsize
        if wanted_bytes >= host_machine.LARGE_BYTES:
            # The system may grant more memory than it has, and kill the process when it is written to.
            free_bytes, _ = self.memory_bytes()
            if wanted_bytes > free_bytes:
                raise OutOfMemoryError(
                    f"the host is out of memory: the array needs {wanted_bytes:,} bytes, {free_bytes:,} bytes are free"
                )
        try:
            return np.empty(shape, dtype)
        except (MemoryError, ValueError) as error:
            raise OutOfMemoryError(f"the host is out of memory: the array needs {wanted_bytes:,} bytes") from error

    def download(self, array: np.ndarray, out: np.ndarray) -> None:
        np.copyto(out, array, casting="no")

    def pinned(self, shape: Dimensions, dtype: Any, pooled: bool = False) -> np.ndarray:
        """Return ordinary memory: this device copies from all of it."""
        return self.empty(shape, dtype)

    def pinned_answer(self, shape: Dimensions, dtype: Any, blocks: int) -> np.ndarray | None:
        return self.pinned(shape, dtype, pooled=True)

    def is_pinned(self, array: np.ndarray) -> bool:
        return False

    def mapped(self, shape: Dimensions, dtype: Any) -> tuple[np.ndarray, np.ndarray]:
        array = self.empty(shape, dtype)
        array.fill(0)
        return array, array

    def stream(self, urgent: bool = False) -> "CpuStream":
        return CpuStream()

    @property
    def copying(self) -> "CpuStream":
        return self.stream()

    def wait(self, event: float) -> None:
        """Do nothing: each event has passed."""

    def follow(self) -> None:
        """Do nothing: all work is done."""

    def copy(self, source: np.ndarray, target: np.ndarray, stream: "CpuStream | None" = None) -> None:
        if source.shape != target.shape or source.dtype != target.dtype:
            raise DeviceError(
                f"{source.dtype} of shape {source.shape} cannot be copied into {target.dtype} of shape {target.shape}"
            )
        np.copyto(target, source)

    def copier(self, source: np.ndarray, target: np.ndarray) -> Callable[[], None]:
        return partial(self.copy, source, target)

    def set_bytes(self, array: np.ndarray, byte: int) -> None:
        array.view(np.uint8).fill(byte)

    def release(self) -> None:
        """Do nothing: NumPy frees large arrays at once."""

    def synchronize(self, copies: bool = True) -> None:
        """Do nothing: work is done when it is enqueued."""

    def record(self) -> float:
        """The time, in seconds."""
        return perf_counter()

    def seconds_between(self, start: float, stop: float) -> float:
        return stop - start

    def memory_bytes(self) -> tuple[int, int]:
        return host_machine.memory_bytes()

    def describe(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name, "memory_bytes": self.memory_bytes()[1]}


class CpuStream:
    """A stream of the CPU, where work is done when it is enqueued."""

    def record(self) -> float:
        return perf_counter()

    def wait(self, event: float) -> None:
        """Do nothing: each event has passed."""

    def follow(self) -> None:
        """Do nothing: all work is done."""

    def synchronize(self) -> None:
        """Do nothing: the queue is empty."""
