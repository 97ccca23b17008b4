"""What happens if memory runs out: everything that is kept goes, and calls go on with fewer rows at a time."""

import gc
from collections.abc import Callable, Iterator
from typing import TypeVar

from ..device import Device
from ..device.resident import forget
from ..errors import OutOfMemoryError

OUT_OF_MEMORY = (OutOfMemoryError, MemoryError)  # CuPy raises a MemoryError

_Piece = TypeVar("_Piece", bound=tuple)
_Answer = TypeVar("_Answer")


def forget_all(device: Device) -> bool:
    """Free what is kept about all graphs on ``device``; whether there was anything."""
    device.synchronize()
    had = forget(device)
    gc.collect()
    device.release()
    return had


def again(device: Device, message: str, call: Callable[[], _Answer]) -> _Answer:
    """``call()`` with nothing kept, after memory has run out, as the ``message`` says.

    If that fails, no reference to the memory remains, not even in the traceback, so the caller can use it.
    """
    if forget_all(device):
        try:
            return call()
        except OUT_OF_MEMORY as error:
            message = out_of_memory(error)
        forget_all(device)
    raise OutOfMemoryError(message)


def retried(device: Device, call: Callable[[], _Answer]) -> _Answer:
    """``call()``; if memory runs out, ``again``."""
    try:
        return call()
    except OUT_OF_MEMORY as error:
        message = out_of_memory(error)
    return again(device, message, call)


def in_smaller_pieces(
    device: Device, count: int, rows: int, work: Callable[[int, int], Iterator[_Piece]]
) -> Iterator[_Piece]:
    """Yield the results of ``work(first, rows)``, which are tuples that begin with their sources, for ``count`` rows.

    If memory runs out, continue with nothing kept and a quarter of the rows at a time. Raises OutOfMemoryError if one
    row does not fit.
    """
    first, failed_at = 0, None
    while True:
        try:
            for piece in work(first, rows):
                first += len(piece[0])
                yield piece
                del piece  # frees its memory before the next one is computed
            return
        except OUT_OF_MEMORY as error:
            message = out_of_memory(error)
        # Here the traceback no longer refers to the arrays of the functions that failed.
        forget_all(device)
        if rows <= 1 and failed_at == first:
            raise OutOfMemoryError(message)
        failed_at = first
        rows = max(1, min(rows, count - first) // 4)


def out_of_memory(error: BaseException) -> str:
    """The message of an error that says that memory has run out."""
    return str(error) if isinstance(error, OutOfMemoryError) else f"there is not enough memory: {error}"
