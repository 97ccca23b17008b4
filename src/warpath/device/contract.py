"""The interface of a device, which ``cuda`` and ``simulated`` implement, and ``cpu`` but for kernels.

The arguments of a kernel are given by the names of its parameters, all of them. They are arrays of the device (passed
as pointers), None (a null pointer), and NumPy scalars of exactly the parameter's type (``np.int32(n)`` for an ``int``).
Python numbers are refused: their size is not known.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np

Dimensions = tuple[int, ...]
Handle = Any
"""A kernel, launch, stream or event of the same device."""


class Launch(Protocol):
    """A kernel with its grid, block and arguments. Calling it enqueues the kernel."""

    def __call__(self, **arguments: Any) -> None:
        """Enqueue the kernel with these arguments instead of those that are bound; arrays are not kept.

        Raises DeviceError for an unknown name.
        """

    def set(self, **arguments: Any) -> None:
        """Bind other arguments of the same types. Raises DeviceError for an unknown name."""


class Kernel(Protocol):
    """A ``__global__`` function."""

    def __call__(
        self,
        grid: Dimensions,
        block: Dimensions,
        /,
        *,
        shared_mem: int = 0,
        stream: Handle | None = None,
        **arguments: Any,
    ) -> None:
        """Enqueue the kernel on ``stream`` (default: the device's default stream). ``shared_mem`` is in bytes.

        Raises DeviceError if an argument is missing or the kernel has no parameter of its name.
        """

    def bind(
        self,
        grid: Dimensions,
        block: Dimensions,
        /,
        *,
        shared_mem: int = 0,
        stream: Handle | None = None,
        **arguments: Any,
    ) -> Launch:
        """Check and pack the arguments now, so that each launch is cheap. The launch keeps the arrays alive."""

    def allow_large_clusters(self) -> None:
        """Allow clusters of more than 8 blocks, up to the device's ``cluster_blocks``."""


class Event(Protocol):
    """A point in the device's work, from ``Device.record`` or ``Stream.record``."""


class Stream(Protocol):
    """A queue of work on a device: in order within the stream, concurrent with other streams and the default one."""

    def record(self) -> Event:
        """Mark this point of the queue with an event."""

    def wait(self, event: Handle) -> None:
        """Delay later work in this stream until ``event``, of any stream of any device of this kind, has passed."""

    def follow(self) -> None:
        """Delay later work in this stream until the present work in the device's default stream is done."""

    def synchronize(self) -> None:
        """Wait on the host until the queue is empty. Raises DeviceError if a launch failed."""


class AnyDevice(Protocol):
    """The part of a device that measuring needs.

    ``kind`` is "cuda", "simulated" or "cpu"; ``name`` is the model, such as "NVIDIA H200".
    """

    kind: str
    name: str

    def release(self) -> None:
        """Free cached device memory."""

    def synchronize(self, copies: bool = True) -> None:
        """Wait until all enqueued work is done, or without ``copies`` that of the default stream.

        Raises DeviceError if a launch failed.
        """

    def record(self) -> Event:
        """Mark this point of the device's work with an event."""

    def seconds_between(self, start: Handle, stop: Handle) -> float:
        """Seconds from ``start`` to ``stop`` on the device's own clock; waits for ``stop``."""

    def describe(self) -> dict[str, Any]:
        """JSON values for a record: kind, name, memory, versions of the driver, CUDA, CuPy or the compiler."""


class Device(AnyDevice, Protocol):
    """A device that runs kernels, of kind "cuda" or "simulated". One of kind "cpu" has nothing that is about kernels.

    ``xp`` is its array namespace, CuPy or NumPy.
    """

    xp: ModuleType

    def call_context(self) -> AbstractContextManager[Any]:
        """A context for one call from any thread, with the default stream as the current stream.

        Its work starts after the work in the caller's current stream, and later work there starts after it. Raises
        DeviceError in a forked process that cannot use the device.
        """

    def use_in_thread(self) -> None:
        """Prepare the calling thread, a new one, for copies from and to the device."""

    def kernel(self, file: Path, name: str, macros: Mapping[str, int] | None = None) -> Kernel:
        """The ``__global__`` function ``name`` of ``file``, compiled with ``-D`` macros once per process.

        Raises DeviceError with the compiler's first error.
        """

    def upload(self, array: np.ndarray) -> Any:
        """A copy of a C-contiguous host array on the device. May raise OutOfMemoryError."""

    def empty(self, shape: Dimensions, dtype: Any) -> Any:
        """An uninitialised array on the device. May raise OutOfMemoryError."""

    def download(self, array: Any, out: np.ndarray) -> None:
        """Copy a device array into host memory of the same shape and dtype, and wait."""

    def pinned(self, shape: Dimensions, dtype: Any, pooled: bool = False) -> np.ndarray:
        """Uninitialised page-locked host memory, for copies while the device computes. May raise OutOfMemoryError.

        Locking is slow; with ``pooled``, the memory is kept for reuse when the array is freed.
        """

    def pinned_answer(self, shape: Dimensions, dtype: Any, blocks: int) -> np.ndarray | None:
        """As ``pinned`` with ``pooled``, for an answer, or None if ordinary memory takes less time.

        It does if the answer is large, the pool has no free memory of its size, and answers have ``blocks`` pieces of
        this size: a caller who keeps these will keep this one too. May raise OutOfMemoryError.
        """

    def is_pinned(self, array: np.ndarray) -> bool:
        """Whether ``array`` is known to be in page-locked memory."""

    def mapped(self, shape: Dimensions, dtype: Any) -> tuple[np.ndarray, Any]:
        """Zeros in page-locked memory, as an array of the host and as one for kernels.

        What kernels write there, the host reads without a copy once it has waited for them. Kernels should seldom read
        it. May raise OutOfMemoryError.
        """

    def stream(self, urgent: bool = False) -> Stream:
        """A new stream. Waiting blocks of an ``urgent`` stream start before blocks of other streams."""

    @property
    def copying(self) -> Stream:
        """The stream in which answers are copied, always the same: making a stream takes as long as a small call."""

    def wait(self, event: Handle) -> None:
        """Delay later work in the default stream until ``event``, of any stream of this device, has passed."""

    def copy(self, source: Any, target: Any, stream: Handle | None = None) -> None:
        """Enqueue a copy between arrays of the same shape and dtype, of one or two dimensions.

        Each is on the device, on one of its ``peers`` or in pinned memory. Rows may have a stride.
        """

    def copier(self, source: Any, target: Any) -> Callable[[], None]:
        """``copy(source, target)`` of contiguous arrays, for many times."""

    def set_bytes(self, array: Any, byte: int) -> None:
        """Enqueue setting each byte of a contiguous device array. CuPy's ``fill`` takes longer than a small kernel."""

    def peers(self, count: int) -> "Sequence[Device]":
        """This and further devices of its kind, which copy from each other. Raises DeviceError if there are too few."""

    def repeat(self, launches: Sequence[Handle], times: int) -> None:
        """Launch the sequence ``times`` times and wait for the device after each launch, as published host loops do."""

    def enqueue(self, launches: Sequence[Handle]) -> None:
        """Launch the sequence once without waiting."""

    def repeat_while(self, rounds: Sequence[Sequence[Handle]], word: Any, times: int) -> tuple[int, bool]:
        """Set ``word`` to 0, launch a round and read ``word``, until it stays 0; at most ``times`` rounds.

        This is the published loop of frontier algorithms. ``word`` is a device array of shape (1,), int32. After the
        last of ``rounds`` comes the first again. Returns the number of rounds launched, and whether ``word`` stayed 0.
        """

    def resident_blocks(self, kernel: Handle, block: Dimensions, shared_mem: int = 0) -> int:
        """The number of blocks that run at the same time: 1 on the simulated GPU, 0 if ``shared_mem`` is too large."""

    @property
    def cluster_blocks(self) -> int:
        """The largest thread block cluster: 16 blocks, or 1. On a GPU, the first call runs a trial kernel."""

    @property
    def shared_memory_bytes(self) -> int:
        """The largest dynamic shared memory of a block, in bytes."""

    def memory_bytes(self) -> tuple[int, int]:
        """(free, total) bytes of the device's memory."""
