"""Work on all cores of this machine: long calls, which Ctrl-C can end, and large arrays in pieces."""

import os
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from .host_machine import core_count

if TYPE_CHECKING:
    import numpy as np

_Result = TypeVar("_Result")

UNCOMPILED_STEPS_MAX = 512
"""Up to so many vertices and arcs, Python and NumPy answer: loading Numba takes as long as thousands of such calls."""
# Less work takes about as long as starting threads.
_STEPS_MIN = 2**18
PIECE_BYTES_MIN, PIECE_BYTES_MAX = 2 << 20, 4 << 20
"""Pieces of arrays for threads. NumPy lets others run while it reads or copies one; Python, between them, does not."""
_PIECES = 16  # if these limits allow
THREADED_MIN = 4  # of fewer pieces, one thread has ended the last one before another has started
_THREADS_MAX = 16  # more do not read faster


def for_each(count: int, work: Callable[[int], object], steps: int) -> None:
    """Call ``work(0)`` to ``work(count - 1)``, in any order, on threads for all cores if the calls take long.

    ``steps`` estimates the time of a call: the number of vertices and arcs that it looks at. Threads work at the same
    time where ``work`` releases Python's global lock, as functions of Numba with ``nogil`` do. Only the main thread
    receives Ctrl-C, so it waits; then, and if a call fails, this returns at once. Calls that have begun run on, and
    nobody may use what they write. A forked process may call this, unlike a parallel function of Numba.
    """
    if count * steps < _STEPS_MIN:
        for number in range(count):
            work(number)
        return
    numbers, ended = deque(range(count)), SimpleQueue[BaseException | None]()

    def take() -> None:
        try:
            while True:
                try:
                    number = numbers.popleft()
                except IndexError:
                    break
                work(number)
            ended.put(None)
        except BaseException as error:
            ended.put(error)

    threads = min(core_count(), count)
    try:
        for _ in range(threads):
            Thread(target=take, daemon=True).start()  # the end of the process does not wait for it
        for _ in range(threads):
            if error := ended.get():
                raise error
    finally:
        numbers.clear()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(min(_THREADS_MAX, core_count()), "warpath")


os.register_at_fork(after_in_child=_pool.cache_clear)  # whose process has no threads of its parent


def piece_bytes_of(total_bytes: int) -> int:
    """The size of the pieces for threads of arrays of so many bytes."""
    return min(PIECE_BYTES_MAX, max(PIECE_BYTES_MIN, total_bytes // _PIECES))


class Tasks:
    """A context for calls by other threads, each of a few milliseconds, which end before it does."""

    def __init__(self) -> None:
        self._begun: list[Future[Any]] = []

    def __enter__(self) -> "Tasks":
        return self

    def __exit__(self, *error: object) -> None:
        wait(self._begun)
        if error[0] is None:
            for task in self._begun:
                task.result()

    def begin(self, function: Callable[..., Any], *arguments: Any) -> None:
        """Begin a call, which must not begin others: all threads may wait for one then."""
        self._begun.append(_pool().submit(function, *arguments))

    def result(self, number: int) -> Any:
        """What call ``number`` returned; waits for it. Raises what it raised."""
        return self._begun[number].result()


def in_pieces(work: Callable[..., _Result], *arrays: "np.ndarray") -> list[_Result]:
    """What ``work`` returns for each piece of ``arrays`` of the same length; raises what it raises."""
    array = arrays[0]
    size = max(1, piece_bytes_of(array.nbytes) // max(1, array.itemsize))
    pieces = [[array[first : first + size] for array in arrays] for first in range(0, len(array), size)]
    if len(pieces) < THREADED_MIN:
        return [work(*piece) for piece in pieces]
    with Tasks() as tasks:
        for piece in pieces:
            tasks.begin(work, *piece)
        return [tasks.result(number) for number in range(len(pieces))]


def called(work: Callable[[], _Result], steps: int) -> _Result:
    """The result of ``work``, for which Ctrl-C does not wait; ``for_each`` explains the rest."""
    results: list[_Result] = []
    for_each(1, lambda _: results.append(work()), steps)
    return results[0]


def load(function: Any, *arguments: Any) -> None:
    """Compile a function of Numba for arguments of these types, or load its code, which a first call would do."""
    import numba

    function.compile(tuple(map(numba.typeof, arguments)))
