"""Arrays on a device: several in one allocation, and large copies from and to the host."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..system.cores import PIECE_BYTES_MAX, THREADED_MIN, Tasks, piece_bytes_of
from ..system.locks import Guard, one_at_a_time
from .contract import Device

# Arrays in one allocation begin at multiples of 256 bytes, as separate ones do.
_ALIGNMENT_WORDS = 64
_SLOTS = 16  # pieces that are on their way at a time

_stagings: "WeakKeyDictionary[Device, _Staging]" = WeakKeyDictionary()


def allocate_together(device: Device, *counts: int) -> list[Any]:
    """Uninitialised int32 arrays with these ``counts`` of elements, views of one allocation.

    They begin at multiples of 256 bytes, so each can be viewed as an array of another type. On a GPU, an allocation
    takes longer than a small solve.
    """
    begins = [0, *accumulate(-(-count // _ALIGNMENT_WORDS) * _ALIGNMENT_WORDS for count in counts)]
    words = device.empty((begins[-1],), np.int32)
    return [words[begin : begin + count] for begin, count in zip(begins, counts, strict=False)]


def downloaded(device: Device, array: Any) -> np.ndarray:
    """A copy of ``array`` on the host. Waits for earlier work of the device."""
    out = np.empty(array.shape, array.dtype)
    if out.size:
        device.download(array, out)
    return out


def uploaded(device: Device, *arrays: np.ndarray) -> tuple[Any, ...]:
    """Copies of C-contiguous host arrays on the device. May raise OutOfMemoryError.

    Several threads copy large arrays.
    """
    if not _are_large(arrays) or all(map(device.is_pinned, arrays)):
        return tuple(map(device.upload, arrays))
    copies = tuple(device.empty(array.shape, array.dtype) for array in arrays)
    _staging_of(device).upload(device, _pieces(arrays, copies))
    return copies


def download_in_pieces(device: Device, array: Any, out: np.ndarray) -> None:
    """Copy a device array into host memory ``out`` of the same shape and dtype, and wait. May raise OutOfMemoryError.

    Several threads copy large contiguous arrays.
    """
    if not _are_large([out]) or not (array.flags.c_contiguous and out.flags.c_contiguous):
        device.download(array, out)
        return
    _staging_of(device).download(device, _pieces([out], [array]))


def _are_large(arrays: Sequence[np.ndarray]) -> bool:
    """Whether there are enough pieces for threads."""
    total_bytes = sum(array.nbytes for array in arrays)
    return total_bytes >= THREADED_MIN * piece_bytes_of(total_bytes)


def _pieces(arrays: Sequence[np.ndarray], copies: Sequence[Any]) -> list[tuple[np.ndarray, Any]]:
    """Pieces of host arrays, each with that of its copy on the device."""
    piece_bytes, pieces = piece_bytes_of(sum(array.nbytes for array in arrays)), []
    for host, there in zip(arrays, copies, strict=True):
        size, host, there = max(1, piece_bytes // host.itemsize), host.reshape(-1), there.reshape(-1)
        pieces += [(host[first : first + size], there[first : first + size]) for first in range(0, host.size, size)]
    return pieces


class _Staging:
    """Page-locked memory by way of which pieces of pageable arrays are copied from and to a device.

    The driver copies pageable memory with one thread, which also faults in each new page. Here threads copy it, and the
    calling one alone talks to the driver: the others would wait for Python's lock after each call. It does not refer to
    the device, which would never be freed.
    """

    def __init__(self, device: Device):
        self._guard = Guard()
        self._slots = [device.pinned((PIECE_BYTES_MAX,), np.uint8, pooled=True) for _ in range(_SLOTS)]

    def upload(self, device: Device, pieces: list[tuple[np.ndarray, Any]]) -> None:
        with self._guard.lock, Tasks() as tasks:

            def send(number: int) -> None:
                tasks.result(number)
                device.copy(self._slot(number, pieces), pieces[number][1])

            for number, (host, _) in enumerate(pieces):
                if number >= _SLOTS:
                    send(number - _SLOTS)
                    device.synchronize(copies=False)
                tasks.begin(np.copyto, self._slot(number, pieces), host)
            for number in range(max(0, len(pieces) - _SLOTS), len(pieces)):
                send(number)
            device.synchronize(copies=False)

    def download(self, device: Device, pieces: list[tuple[np.ndarray, Any]]) -> None:
        with self._guard.lock, Tasks() as tasks:
            for number, (host, there) in enumerate(pieces):
                if number >= _SLOTS:
                    tasks.result(number - _SLOTS)
                slot = self._slot(number, pieces)
                device.copy(there, slot)
                device.synchronize(copies=False)
                tasks.begin(np.copyto, host, slot)

    def _slot(self, number: int, pieces: list[tuple[np.ndarray, Any]]) -> np.ndarray:
        host = pieces[number][0]
        return self._slots[number % _SLOTS][: host.nbytes].view(host.dtype)


@one_at_a_time
def _staging_of(device: Device) -> _Staging:
    staging = _stagings.get(device)
    if staging is None:
        staging = _stagings[device] = _Staging(device)
    return staging
