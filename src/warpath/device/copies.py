"""Arrays on a device: shared copies of graphs, several arrays in one allocation, large downloads."""

import weakref
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import accumulate, islice
from typing import Any

import numpy as np

from ..graphs.csr import Graph
from ..system.host_machine import core_count
from ..system.locks import one_at_a_time
from .contract import Device

# Arrays in one allocation begin at multiples of 256 bytes, as separate ones do.
_ALIGNMENT_WORDS = 64

PIECE_BYTES = 4 << 20
# Fewer pieces are faster without threads.
PIECES_MIN = 8
THREADS_MAX = 16


@dataclass(frozen=True, eq=False)
class ArcsCopy:
    """A read-only copy of arcs on ``device``, which graphs with other weights share.

    ``host`` are ``indptr`` and ``indices`` on the host. ``derived`` has what solvers made from the arcs alone, as long
    as it is in use.
    """

    device: Device
    host: tuple[np.ndarray, np.ndarray]
    indptr: Any
    indices: Any
    derived: weakref.WeakValueDictionary[Hashable, Any] = field(default_factory=weakref.WeakValueDictionary)


@dataclass(frozen=True, eq=False)
class GraphCopy:
    """A read-only copy of ``graph`` on a device: its arcs and weights."""

    graph: Graph
    arcs: ArcsCopy
    weights: Any

    @property
    def device(self) -> Device:
        return self.arcs.device

    @property
    def indptr(self) -> Any:
        return self.arcs.indptr

    @property
    def indices(self) -> Any:
        return self.arcs.indices

    @property
    def arguments(self) -> dict[str, Any]:
        """The arrays by the names that they have in kernels."""
        return {"indptr": self.indptr, "indices": self.indices, "weights": self.weights}


# A copy keeps its device, and its graph or arrays, alive, so their ids are unique while it exists.
_copies: weakref.WeakValueDictionary[tuple[int, int], GraphCopy] = weakref.WeakValueDictionary()
_arcs: weakref.WeakValueDictionary[tuple[int, int, int], ArcsCopy] = weakref.WeakValueDictionary()


@one_at_a_time
def copy_on(device: Device, graph: Graph) -> GraphCopy:
    """The copy of ``graph`` on ``device``, shared while a reference to it exists. May raise OutOfMemoryError."""
    key = id(device), id(graph)
    copy = _copies.get(key)
    if copy is None:
        arcs = _arcs.get(_arcs_key(device, graph))
        if arcs is None:
            host = graph.indptr, graph.indices
            arcs = _arcs[_arcs_key(device, graph)] = ArcsCopy(device, host, *map(device.upload, host))
        copy = _copies[key] = GraphCopy(graph, arcs, device.upload(graph.weights))
    return copy


def _arcs_key(device: Device, graph: Graph) -> tuple[int, int, int]:
    return id(device), id(graph.indptr), id(graph.indices)


def made_from_arcs(device: Device, graph: Graph) -> list[Any]:
    """The copy of the arcs of ``graph`` on ``device`` and what was made from it, if they are in use.

    As long as a reference to the list exists, a graph with the same arcs and other weights finds them again.
    """
    arcs = _arcs.get(_arcs_key(device, graph))
    if arcs is None:
        return []
    # Another thread may add to ``derived`` or drop from it.
    made = (reference() for reference in arcs.derived.valuerefs())
    return [arcs, *(one for one in made if one is not None)]


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
