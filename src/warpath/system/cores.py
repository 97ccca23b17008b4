"""Work on all cores of this machine, which Ctrl-C can end."""

from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from .host_machine import core_count

_Result = TypeVar("_Result")

UNCOMPILED_STEPS_MAX = 512
"""Up to so many vertices and arcs, Python and NumPy answer: loading Numba takes as long as thousands of such calls."""
# Less work takes about as long as starting threads.
_STEPS_MIN = 2**18


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


def called(work: Callable[[], _Result], steps: int) -> _Result:
    """The result of ``work``, for which Ctrl-C does not wait; ``for_each`` explains the rest."""
    results: list[_Result] = []
    for_each(1, lambda _: results.append(work()), steps)
    return results[0]


def load(function: Any, *arguments: Any) -> None:
    """Compile a function of Numba for arguments of these types, or load its code, which a first call would do."""
    import numba

    function.compile(tuple(map(numba.typeof, arguments)))
