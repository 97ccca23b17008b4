"""How much memory reading a file may take: what the file's size justifies, not what the file claims.

A few bytes can announce a billion vertices, or unpack to gigabytes. So what a file makes of itself is estimated before
the memory is taken, and held against a multiple of its size; a small file may always take a fixed amount.
"""

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from ..errors import FormatError, OutOfMemoryError, UsageError

VARIABLE = "WARPATH_READ_LIMIT_GIB"
_DEFAULT_GIB = 1
# Text that is compressed well takes less than a hundredth of the memory of the arrays that are made from it.
_BYTES_PER_FILE_BYTE = 256
_GIB = 1 << 30
READ_LIMIT_HELP = f"reading a small one may take {_DEFAULT_GIB} GiB of memory, or what {VARIABLE} says"


@dataclass(frozen=True)
class MemoryLimit:
    """What reading the file ``path`` of ``file_bytes`` may take, at most ``limit_bytes``."""

    path: str
    file_bytes: int
    limit_bytes: int

    @classmethod
    def of(cls, path: str | os.PathLike, file_bytes: int) -> "MemoryLimit":
        """The limit for a file of this size. Raises UsageError if WARPATH_READ_LIMIT_GIB is no positive number."""
        return cls(os.fspath(path), file_bytes, max(_bytes_of_any_file(), _BYTES_PER_FILE_BYTE * file_bytes))

    def check(self, needed_bytes: int, what: str, place: str = "") -> None:
        """Raise FormatError, beginning with ``place`` (default: the path), if ``what`` needs more than the limit."""
        if needed_bytes > self.limit_bytes:
            raise FormatError(
                f"{place or self.path}: {what} would take {_gib(needed_bytes)} GiB of memory, and a file of "
                f"{self.file_bytes:,} bytes may take {_gib(self.limit_bytes)}; to allow more, set {VARIABLE}"
            )


@contextlib.contextmanager
def memory_errors_explained(path: str | os.PathLike) -> Iterator[None]:
    """Turn the MemoryError of reading ``path`` into an OutOfMemoryError with one sentence."""
    try:
        yield
    except MemoryError as error:
        said = f" ({error})" if str(error) else ""
        raise OutOfMemoryError(f"{path}: this machine's memory does not hold what is in the file{said}") from None


def _bytes_of_any_file() -> int:
    given = os.environ.get(VARIABLE) or str(_DEFAULT_GIB)
    try:
        gib = float(given)
    except ValueError:
        gib = 0.0
    if not 0 < gib < 2**33:
        raise UsageError(f"{VARIABLE} is {given!r}; set it to the number of GiB that reading a file may take")
    return int(gib * _GIB)


def _gib(count: int) -> str:
    return f"{count / _GIB:.1f}" if count < 10**6 * _GIB else f"{count / _GIB:.0e}"
