"""The contract of a device. ``cuda`` and ``host`` both keep it, so that a host loop is written once.

A kernel's arguments are arrays of the device (passed as pointers), None for a null pointer, and NumPy scalars of
exactly the parameter's type (``np.int32(n)`` for an ``int``); a plain Python number is refused, because its size would
be a guess.
"""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import numpy as np

Dimensions = tuple[int, ...]
Own = Any
"""A launch, stream or event that the same device made."""


class Launch(Protocol):
    """A kernel with grid, block and arguments fixed; calling it enqueues the kernel."""

    def __call__(self) -> None: ...

    def replace(self, position: int, *arguments: Any) -> None:
        """Launch with other arguments of the same types from ``position`` on, 0 for the first, from now on."""


class Kernel(Protocol):
    """A ``__global__`` function."""

    def __call__(
        self,
        grid: Dimensions,
        block: Dimensions,
        args: Sequence[Any],
        shared_mem: int = 0,
        stream: Own | None = None,
    ) -> None:
        """Enqueue the kernel, on the device's default stream or on ``stream``; ``shared_mem`` is in bytes."""

    def bind(
        self,
        grid: Dimensions,
        block: Dimensions,
        args: Sequence[Any],
        shared_mem: int = 0,
        stream: Own | None = None,
    ) -> Launch:
        """Check and pack everything now, so that each launch is cheap. Keeps the argument arrays alive."""

    def allow_large_clusters(self) -> None:
        """Let the clusters of this kernel have more than 8 blocks, up to the device's ``cluster_blocks``."""


class Event(Protocol):
    """A point in the device's work; made by ``Device.record`` or ``Stream.record``."""


class Stream(Protocol):
    """A queue of work of one device: in order within the stream, concurrent with other streams and the default one."""

    def record(self) -> Event:
        """Mark this point of the queue with a new event."""

    def wait(self, event: Own) -> None:
        """Delay later work in this stream until ``event``, of any stream of any device of this kind, has passed."""

    def synchronize(self) -> None:
        """Make the host wait until the queue is empty; a failed launch raises DeviceError."""


class AnyDevice(Protocol):
    """What measuring needs of a device; the processor that serial variants run on has no more.

    ``kind`` is "cuda", "host" or "cpu"; ``name`` is the model that tables show ("NVIDIA H200").
    """

    kind: str
    name: str

    def release(self) -> None:
        """Return cached device memory, so that the next allocation really allocates."""

    def synchronize(self) -> None:
        """Wait until all enqueued work is done; a failed launch raises DeviceError here at the latest."""

    def record(self) -> Event:
        """Mark this point of the device's work with a new event."""

    def seconds_between(self, start: Own, stop: Own) -> float:
        """Seconds from ``start`` to ``stop`` on the device's own clock; waits for ``stop``."""

    def describe(self) -> dict[str, Any]:
        """Facts for a record (JSON values): kind, name, memory, versions of driver, CUDA, CuPy or compiler."""


class Device(AnyDevice, Protocol):
    """One place where kernels run, of kind "cuda" or "host".

    ``xp`` is the array namespace (CuPy or NumPy) for arrays on the device.
    """

    xp: ModuleType

    def turn(self) -> AbstractContextManager[Any]:
        """A context for one call, from any thread: its work comes after that of the caller's current stream, whose
        later work comes after it. In it, the default stream is current.

        Raises DeviceError in a process that was forked and cannot use the device.
        """

    def adopt_thread(self) -> None:
        """Let the calling thread, one of our own that ends soon, copy from and to the device."""

    def kernel(self, file: Path, name: str, macros: Mapping[str, int] | None = None) -> Kernel:
        """The ``__global__`` function ``name`` of ``file``, compiled with ``-D`` macros, once per process.

        Raises DeviceError with the compiler's first error if it does not compile.
        """

    def upload(self, array: np.ndarray) -> Any:
        """A new array on the device with a copy of ``array`` (C-contiguous host memory). May raise OutOfMemoryError."""

    def empty(self, shape: Dimensions, dtype: Any) -> Any:
        """A new, uninitialised array on the device. May raise OutOfMemoryError."""

    def download(self, array: Any, out: np.ndarray) -> None:
        """Copy a device array into existing host memory of the same shape and dtype, and wait for it."""

    def pinned(self, shape: Dimensions, dtype: Any, pooled: bool = False) -> np.ndarray:
        """New, uninitialised, page-locked host memory, which the device copies from and to while it computes.

        Locking takes long. With ``pooled`` the memory is not freed with the array, but kept for the next that asks. May
        raise OutOfMemoryError.
        """

    def stream(self, urgent: bool = False) -> Stream:
        """A new stream of this device. Blocks of an ``urgent`` one start before those of others that wait for room."""

    def wait(self, event: Own) -> None:
        """Delay later work in the default stream until ``event``, of any stream of this device, has passed."""

    def copy(self, source: Any, target: Any, stream: Own | None = None) -> None:
        """Enqueue a copy of ``source`` into ``target``: same shape, same dtype, one or two dimensions.

        Each may be on the device, on one of its ``peers`` or in pinned memory, and its rows may have a stride.
        """

    def peers(self, count: int) -> "Sequence[Device]":
        """``count`` devices of this kind that copy from each other, this one first; DeviceError if there are fewer."""

    def repeat(self, launches: Sequence[Own], times: int) -> None:
        """Launch the sequence ``times`` times, waiting for the device after every launch.

        This is the published host loop (launch, check, synchronize). A device may run it outside Python.
        """

    def enqueue(self, launches: Sequence[Own]) -> None:
        """Launch the sequence once, without waiting for the device."""

    def repeat_while(self, rounds: Sequence[Sequence[Own]], word: Any, times: int) -> tuple[int, bool]:
        """Set ``word`` to 0, launch a round and read ``word`` back, until a round leaves it 0; at most ``times`` times.

        ``word`` is a device array of shape (1,), int32. The rounds take turns; after the last comes the first again.
        Returns the number of rounds launched and whether the last of them left ``word`` at 0. This is the published
        loop of frontier algorithms (write the flag, launch, read the flag).
        """

    def resident_blocks(self, kernel: Own, block: Dimensions, shared_mem: int = 0) -> int:
        """How many blocks of ``kernel`` run at the same time, so that one may wait for another; 1 on the host device.

        0 where not even one block fits: ``shared_mem``, in bytes, is more than a block can have.
        """

    @property
    def cluster_blocks(self) -> int:
        """How many blocks a thread block cluster may have: 16, or 1 where there are none as large.

        1 on the host device. On a GPU, the first question launches a trial and waits for it.
        """

    @property
    def shared_memory_bytes(self) -> int:
        """The most shared memory that a kernel can ask for when it is launched, in bytes a block."""

    def memory_bytes(self) -> tuple[int, int]:
        """(free, total) bytes of the device's memory."""
