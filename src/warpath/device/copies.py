"""Arrays on a device: the shared copy of a graph, several arrays in one allocation, large answers to the host."""

import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any

import numpy as np

from ..graphs.csr import Graph
from ..locks import one_at_a_time
from .contract import Device
from .host_machine import core_count

# Each array of an allocation begins at a multiple of so many words, 256 bytes, as one of its own does.
_WORDS_APART = 64

PIECE_BYTES = 4 << 20
# With fewer pieces, threads cost more than they save.
PIECES_MIN = 8
THREADS_MAX = 16


@dataclass(frozen=True, eq=False)
class GraphCopy:
    """A copy of ``graph`` on ``device``. Nobody writes to it."""

    device: Device
    graph: Graph
    indptr: Any
    indices: Any
    weights: Any

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        """``indptr``, ``indices`` and ``weights``, as kernels take them."""
        return self.indptr, self.indices, self.weights


# A copy keeps its graph and its device, so no other object can have their identities while it is here.
_copies: weakref.WeakValueDictionary[tuple[int, int], GraphCopy] = weakref.WeakValueDictionary()


@one_at_a_time
def copy_on(device: Device, graph: Graph) -> GraphCopy:
    """The copy of ``graph`` on ``device`` that is in use there, or a new one. It lasts as long as somebody keeps it.

    May raise OutOfMemoryError.
    """
    key = id(device), id(graph)
    copy = _copies.get(key)
    if copy is None:
        arrays = (device.upload(array) for array in (graph.indptr, graph.indices, graph.weights))
        copy = _copies[key] = GraphCopy(device, graph, *arrays)
    return copy


def in_one_allocation(device: Device, *counts: int) -> list[Any]:
    """New, uninitialised arrays of so many int32 each: views of one allocation, which lasts as long as any of them.

    A GPU takes longer for an allocation than for a small solve. May raise OutOfMemoryError.
    """
    begins = [0, *accumulate(-(-count // _WORDS_APART) * _WORDS_APART for count in counts)]
    words = device.empty((begins[-1],), np.int32)
    return [words[begin : begin + count] for begin, count in zip(begins, counts, strict=False)]


def download_in_pieces(device: Device, array: Any, out: np.ndarray, piece_bytes: int = PIECE_BYTES) -> None:
    """Copy ``array`` of the device into ``out``, host memory of its shape and dtype, and wait for it.

    One copy to ordinary memory goes through the driver's own page-locked memory, by one thread, which also takes every
    new page of the target from the system. So large arrays go in pieces, by several threads, through page-locked
    memory; small ones, and those whose rows have a stride, are copied as one. May raise OutOfMemoryError.
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
        for first in islice(firsts, first_of_thread, None, threads):
            into = target[first : first + piece]
            device.copy(source[first : first + piece], buffer[: len(into)], stream)
            stream.synchronize()
            np.copyto(into, buffer[: len(into)])

    with ThreadPoolExecutor(threads) as pool:
        # Reading the results raises what a thread raised.
        for _ in pool.map(copy_every, range(threads)):
            pass
