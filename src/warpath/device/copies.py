"""Arrays on a device: several in one allocation, and large downloads."""

from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, islice
from typing import Any

import numpy as np

from ..system.host_machine import core_count
from .contract import Device

# Arrays in one allocation begin at multiples of 256 bytes, as separate ones do.
_ALIGNMENT_WORDS = 64

PIECE_BYTES = 4 << 20
# Fewer pieces are faster without threads.
PIECES_MIN = 8
THREADS_MAX = 16


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


def download_in_pieces(device: Device, array: Any, out: np.ndarray, piece_bytes: int = PIECE_BYTES) -> None:
    """Copy a device array into host memory ``out`` of the same shape and dtype, and wait. May raise OutOfMemoryError.

    The driver copies to pageable memory with one thread, which also faults in each new page. So several threads copy
    large contiguous arrays in pieces through page-locked memory.
    """
    if out.nbytes < PIECES_MIN * piece_bytes or not (array.flags.c_contiguous and out.flags.c_contiguous):
        device.download(array, out)
        return
    source, target = array.reshape(-1), out.reshape(-1)
    piece = max(1, piece_bytes // out.itemsize)
    firsts = range(0, target.size, piece)
    threads = min(THREADS_MAX, core_count(), len(firsts) // 2)
    ready = device.record()
    # Allocated here, not in the threads, because memory may be short.
    buffers = [(device.pinned((piece,), out.dtype, pooled=True), device.stream()) for _ in range(threads)]

    def copy_every(first_of_thread: int) -> None:
        buffer, stream = buffers[first_of_thread]
        device.use_in_thread()
        stream.wait(ready)
        for first in islice(firsts, first_of_thread, None, threads):
            into = target[first : first + piece]
            device.copy(source[first : first + piece], buffer[: len(into)], stream)
            stream.synchronize()
            np.copyto(into, buffer[: len(into)])

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(copy_every, range(threads)))  # raises what a thread raised
