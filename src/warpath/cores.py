"""Work on all cores of this machine."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from .device.host_machine import core_count


def for_each(count: int, work: Callable[[int], object]) -> None:
    """Call ``work(0)`` to ``work(count - 1)``, in any order, on threads for all cores if there are several calls.

    Threads work at the same time where ``work`` releases Python's global lock, as functions of Numba with ``nogil`` do.
    A forked process may call this, unlike a parallel function of Numba.
    """
    threads = min(core_count(), count)
    if threads <= 1:
        for number in range(count):
            work(number)
        return
    numbers = iter(range(count))

    def take() -> None:
        for number in numbers:
            work(number)

    with ThreadPoolExecutor(threads) as pool:
        for future in [pool.submit(take) for _ in range(threads)]:
            future.result()
