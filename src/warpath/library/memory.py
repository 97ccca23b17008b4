"""What is done where memory runs out: what earlier calls left on the device goes, and fewer rows are done at a time."""

from collections.abc import Callable, Iterator
from functools import wraps
from typing import Any, TypeVar

from ..errors import OutOfMemoryError

OUT_OF_MEMORY = (OutOfMemoryError, MemoryError)  # CuPy's own is a MemoryError

_Rows = TypeVar("_Rows", bound=tuple)
_Method = TypeVar("_Method", bound=Callable)


def in_smaller_pieces(
    count: int, rows: int, done: Callable[[int, int], Iterator[_Rows]], forget: Callable[[], None]
) -> Iterator[_Rows]:
    """Yield what ``done(first, rows)`` does of ``count`` rows, from ``first`` on: tuples that begin with their sources.

    Where memory runs out, ``forget`` makes room, and ``done`` goes on with a quarter of the rows at a time. Raises
    OutOfMemoryError where it runs out with one row.
    """
    first = 0
    while True:
        try:
            for piece in done(first, rows):
                first += len(piece[0])
                yield piece
                del piece  # so that it does not stay while the next one is made
            return
        except OUT_OF_MEMORY as error:
            failure = _sentence(error)
        # By now the failure and its traceback are gone, and with them the arrays of the functions that failed.
        forget()
        if rows <= 1:
            raise OutOfMemoryError(failure)
        rows = max(1, min(rows, count - first) // 4)


def in_memory_left(method: _Method) -> _Method:
    """A method of a solver that, where memory runs out, is called anew without what earlier calls left there.

    If that is not enough, nothing stays behind, not even in the traceback, so that the caller's handler has the memory.
    """

    @wraps(method)
    def call(solver: Any, *args: Any, **kwargs: Any) -> Any:
        for _ in range(2 if solver._kept.holds_anything() else 1):
            try:
                return method(solver, *args, **kwargs)
            except OUT_OF_MEMORY as error:
                failure = _sentence(error)
            solver._kept.forget()
        raise OutOfMemoryError(failure)

    wrapped: Any = call
    return wrapped


def _sentence(error: BaseException) -> str:
    return str(error) if isinstance(error, OutOfMemoryError) else f"there is not enough memory: {error}"
