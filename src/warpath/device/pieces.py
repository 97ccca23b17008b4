"""Copying large answers to the host: in pieces, by several threads, through page-locked memory.

One copy to ordinary memory goes through the driver's own page-locked memory, by one thread, which also takes every new
page of the target from the system. Threads that share this are limited by the connection or by the host's memory.
"""

import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from .contract import Device
from .host_machine import core_count

PIECE_BYTES = 4 << 20
# With fewer pieces, threads cost more than they save.
PIECES_MIN = 8
THREADS_MAX = 16


def download_in_pieces(device: Device, array: Any, out: np.ndarray, piece_bytes: int = PIECE_BYTES) -> None:
    """Copy ``array`` of the device into ``out``, host memory of its shape and dtype, and wait for it.

    Small arrays, and those whose rows have a stride, are copied as one. May raise OutOfMemoryError.
    """
    if out.nbytes < PIECES_MIN * piece_bytes or not (array.flags.c_contiguous and out.flags.c_contiguous):
        device.download(array, out)
        return
    source, target = array.reshape(-1), out.reshape(-1)
    piece = max(1, piece_bytes // out.itemsize)
    firsts = range(0, target.size, piece)
    threads = min(THREADS_MAX, core_count(), len(firsts) // 2)
    ready = device.record()
    # Taken here, not in the threads, because memory may be short.
    own = [(device.pinned((piece,), out.dtype, pooled=True), device.stream()) for _ in range(threads)]

    def copy_every(first_of_thread: int) -> None:
        buffer, stream = own[first_of_thread]
        device.adopt_thread()
        stream.wait(ready)
        for first in itertools.islice(firsts, first_of_thread, None, threads):
            into = target[first : first + piece]
            device.copy(source[first : first + piece], buffer[: len(into)], stream)
            stream.synchronize()
            np.copyto(into, buffer[: len(into)])

    with ThreadPoolExecutor(threads) as pool:
        # Reading the results raises what a thread raised.
        for _ in pool.map(copy_every, range(threads)):
            pass
