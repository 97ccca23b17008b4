"""The uncompressed bytes of a graph file, and how much memory reading one may take.

The first bytes of a file, not its name, tell whether it is gzip, xz or plain. A few bytes can announce a billion
vertices, or unpack to gigabytes. So what a file makes of itself is estimated before the memory is taken, and held
against a multiple of its size; a small file may always take a fixed amount.
"""

import contextlib
import gzip
import hashlib
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import FormatError, OutOfMemoryError, UsageError

CHUNK_BYTES = 16 << 20
LINE_BYTES_MAX = 1 << 20
VARIABLE = "WARPATH_READ_LIMIT_GIB"
_DEFAULT_GIB = 1
# Text that is compressed well takes less than a hundredth of the memory of the arrays that are made from it.
_BYTES_PER_FILE_BYTE = 256
_GIB = 1 << 30
READ_LIMIT_HELP = f"reading a small one may take {_DEFAULT_GIB} GiB of memory, or what {VARIABLE} says"
_GZIP_MAGIC = b"\x1f\x8b"
_XZ_MAGIC = b"\xfd7zXZ\x00"
# As the command gzip has it: the best level takes five times as long for a hundredth of the size.
_GZIP_LEVEL = 6


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


@contextlib.contextmanager
def opened(path: str | os.PathLike) -> Iterator[io.BufferedReader]:
    """Open ``path`` for reading. Raises FormatError if that fails, OutOfMemoryError if memory does not suffice for what
    is done with the file.
    """
    try:
        file = open(path, "rb")  # noqa: SIM115 (the with statement below closes it)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from None
    with file:
        try:
            yield file
        except MemoryError as error:
            said = f" ({error})" if str(error) else ""
            raise OutOfMemoryError(f"{path}: this machine's memory does not hold what is in the file{said}") from None


class Content:
    """The uncompressed bytes of a file that is open; ``limit`` is what reading it may take.

    ``read`` and ``readline`` raise FormatError where the file is cut short, damaged, unreadable or beyond the limit.
    """

    def __init__(self, path: str | os.PathLike, file: io.BufferedReader):
        self.path = path
        self.limit = MemoryLimit.of(path, os.fstat(file.fileno()).st_size)
        self._bytes_read = 0
        with self._errors_explained():
            self._compression = _compression(file.peek(len(_XZ_MAGIC)))
        if self._compression == "gzip":
            self._stream = cast(BinaryIO, gzip.GzipFile(fileobj=file))
        elif self._compression == "xz":
            self._stream = cast(BinaryIO, io.BufferedReader(_XzStream(file, self.limit.limit_bytes)))
        else:
            self._stream = file

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes, fewer only at the end; all that are left if it is negative."""
        with self._errors_explained():
            return self._counted(self._stream.read(size))

    def readline(self) -> bytes:
        """What is left of a line, with its end. Raises FormatError, too, if it is longer than LINE_BYTES_MAX."""
        with self._errors_explained():
            line = self._counted(self._stream.readline(LINE_BYTES_MAX + 1))
        if len(line) > LINE_BYTES_MAX:
            raise FormatError(f"{self.path}: has a line of more than {LINE_BYTES_MAX} bytes; is this a graph?")
        return line

    def chunks_of_lines(self, start: bytes = b"") -> Iterator[bytes]:
        """``start``, which is whole lines, and the rest in pieces of about CHUNK_BYTES.

        Each piece is whole lines and ends with a line feed, even if the file does not.
        """
        while text := start + self.read(CHUNK_BYTES):
            start = b""
            if not text.endswith(b"\n"):
                text += self.readline()
            yield text if text.endswith(b"\n") else text + b"\n"

    def _counted(self, read: bytes) -> bytes:
        self._bytes_read += len(read)
        if self._compression:
            self.limit.check(self._bytes_read, "its uncompressed content")
        return read

    @contextlib.contextmanager
    def _errors_explained(self) -> Iterator[None]:
        try:
            yield
        except EOFError:
            raise FormatError(f"{self.path}: the compressed file is cut short; copy or download it again") from None
        except (gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
            raise FormatError(
                f"{self.path}: the compressed file is damaged ({error}); copy or download it again"
            ) from None
        except OSError as error:
            raise FormatError(f"{self.path}: cannot be read ({error.strerror or error})") from None


class _XzStream(io.RawIOBase):
    """What an xz file holds. The memory of decompression, which the file chooses, is limited, unlike in LZMAFile."""

    def __init__(self, file: BinaryIO, limit_bytes: int):
        self._file = file
        self._limit_bytes = limit_bytes
        self._decompressor = self._new_decompressor()
        self._waiting = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if self._decompressor.eof:
                # Zeros may follow a stream, and another stream.
                self._waiting = (self._decompressor.unused_data or self._waiting).lstrip(b"\0")
                while not self._waiting:
                    self._waiting = self._file.read(io.DEFAULT_BUFFER_SIZE)
                    if not self._waiting:
                        return 0
                    self._waiting = self._waiting.lstrip(b"\0")
                self._decompressor = self._new_decompressor()
            elif self._decompressor.needs_input and not self._waiting:
                self._waiting = self._file.read(io.DEFAULT_BUFFER_SIZE)
                if not self._waiting:
                    raise EOFError
            found = self._decompressor.decompress(self._waiting, len(buffer))
            self._waiting = b""
            if found:
                buffer[: len(found)] = found
                return len(found)

    def _new_decompressor(self) -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, self._limit_bytes)


@contextlib.contextmanager
def open_content(path: str | os.PathLike) -> Iterator[Content]:
    """Open ``path`` for reading its uncompressed bytes; raises as ``opened`` and ``Content`` do."""
    with opened(path) as file:
        yield Content(path, file)


def compression_of(path: str | os.PathLike) -> str | None:
    """How a file is compressed, by its first bytes: "gzip", "xz" or None."""
    with open(path, "rb") as file:
        return _compression(file.read(len(_XZ_MAGIC)))


def compression_named(path: str | os.PathLike) -> str | None:
    """How a file is compressed, by its name: "gzip", "xz" or None."""
    return {".gz": "gzip", ".xz": "xz"}.get(Path(path).suffix.lower())


def _compression(start: bytes) -> str | None:
    return "gzip" if start.startswith(_GZIP_MAGIC) else "xz" if start.startswith(_XZ_MAGIC) else None


@contextlib.contextmanager
def compressing(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Open ``path`` for writing; its name says how to compress. Equal content gives equal bytes."""
    compression = compression_named(path)
    with open(path, "wb") as file:
        if compression == "gzip":
            with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as compressed:
                yield cast(BinaryIO, compressed)
        elif compression == "xz":
            with lzma.LZMAFile(file, "wb") as compressed:
                yield cast(BinaryIO, compressed)
        else:
            yield file


def content_sha256(path: str | os.PathLike, bytes_max: int | None = None) -> str | None:
    """Hash of the uncompressed bytes of ``path``; None if they are more than ``bytes_max``.

    Raises FormatError as ``open_content`` does.
    """
    digest, size = hashlib.sha256(), 0
    with open_content(path) as file:
        while piece := file.read(CHUNK_BYTES):
            size += len(piece)
            if bytes_max is not None and size > bytes_max:
                return None
            digest.update(piece)
    return digest.hexdigest()
