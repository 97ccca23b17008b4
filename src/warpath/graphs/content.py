"""The uncompressed bytes of a graph file, and a limit for the memory that reading it takes.

The first bytes of a file, not its name, decide whether it is gzip, bzip2, xz or plain. A few bytes can announce a
billion vertices, or unpack to gigabytes. So the memory is estimated before it is allocated, and must not exceed a
multiple of the file's size; a small file may always take a fixed amount.
"""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import FormatError, OutOfMemoryError, UsageError
from ..system.progress import Progress

CHUNK_BYTES = 16 << 20
LINE_BYTES_MAX = 1 << 20
LIMIT_VARIABLE = "WARPATH_READ_LIMIT_GIB"
_DEFAULT_GIB = 1
# The arrays made from well-compressed text take a little more than a hundred times its size.
_BYTES_PER_FILE_BYTE = 256
_GIB = 1 << 30
READ_LIMIT_HELP = f"a small file may take up to {_DEFAULT_GIB} GiB of memory; {LIMIT_VARIABLE} sets another limit"
COMPRESSIONS = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}
"""The suffix and the name of each compression."""
_MAGIC = {b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_MAGIC_BYTES_MAX = max(map(len, _MAGIC))
_GZIP_LEVEL = 6  # level 9 takes five times as long and saves a hundredth


@dataclass(frozen=True)
class MemoryLimit:
    """The most memory that reading the file ``path`` of ``file_bytes`` may take."""

    path: str
    file_bytes: int
    limit_bytes: int

    @classmethod
    def of(cls, path: str | os.PathLike, file_bytes: int) -> "MemoryLimit":
        """The limit for a file of this size. Raises UsageError if WARPATH_READ_LIMIT_GIB is not a positive number."""
        text = os.environ.get(LIMIT_VARIABLE) or str(_DEFAULT_GIB)
        try:
            gib = float(text)
        except ValueError:
            gib = 0.0
        if not 0 < gib < 2**33:
            raise UsageError(f"{LIMIT_VARIABLE} is {text!r}; set it to a number of GiB")
        return cls(os.fspath(path), file_bytes, max(int(gib * _GIB), _BYTES_PER_FILE_BYTE * file_bytes))

    def check(self, needed_bytes: int, what: str, place: str = "") -> None:
        """Raise FormatError if ``what`` needs more; ``place`` (default: the path) begins the message."""
        if needed_bytes > self.limit_bytes:
            raise FormatError(
                f"{place or self.path}: {what} would take {_gib(needed_bytes)} GiB of memory, and a file of "
                f"{self.file_bytes:,} bytes may take {_gib(self.limit_bytes)}; to allow more, set {LIMIT_VARIABLE}"
            )


def _gib(count: int) -> str:
    return f"{count / _GIB:.1f}" if count < 10**6 * _GIB else f"{count / _GIB:.0e}"


@contextlib.contextmanager
def opened(path: str | os.PathLike) -> Iterator[io.BufferedReader]:
    """Open ``path`` for reading. Raises FormatError, or OutOfMemoryError if the ``with`` block runs out of memory."""
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
            detail = f" ({error})" if str(error) else ""
            raise OutOfMemoryError(f"{path}: the content does not fit into this machine's memory{detail}") from None


class Content:
    """The uncompressed bytes of an open file.

    ``read`` and ``readline`` raise FormatError if the file is truncated, damaged, unreadable or beyond ``limit``.
    """

    def __init__(self, path: str | os.PathLike, file: io.BufferedReader, progress: Progress):
        self.path, self._file, self._progress = path, file, progress
        self.limit = MemoryLimit.of(path, os.fstat(file.fileno()).st_size)
        self._bytes_read = 0
        with self._errors_explained():
            self._compression = _compression(file.peek(_MAGIC_BYTES_MAX))
        if self._compression == "gzip":
            self._stream = cast(BinaryIO, gzip.GzipFile(fileobj=file))
        elif self._compression == "xz":
            self._stream = cast(BinaryIO, io.BufferedReader(_XzStream(file, self.limit.limit_bytes)))
        elif self._compression == "bzip2":
            self._stream = cast(BinaryIO, bz2.BZ2File(file))
        elif self._compression:
            raise FormatError(f"{path}: is compressed with zstd, which is not read; unpack it first, with zstd -d")
        else:
            self._stream = file

    def read(self, size: int = -1) -> bytes:
        """Up to ``size`` bytes, fewer only at the end; all if it is negative."""
        with self._errors_explained():
            return self._counted(self._stream.read(size))

    def readline(self) -> bytes:
        """The rest of a line, with its end. Raises FormatError if it is longer than LINE_BYTES_MAX."""
        with self._errors_explained():
            line = self._counted(self._stream.readline(LINE_BYTES_MAX + 1))
        if len(line) > LINE_BYTES_MAX:
            raise FormatError(f"{self.path}: has a line of more than {LINE_BYTES_MAX} bytes; is this a graph?")
        return line

    def chunks_of_lines(self, start: bytes = b"") -> Iterator[bytes]:
        """The whole lines ``start``, then the rest in chunks of whole lines. Each chunk ends with a line feed."""
        while text := start + self.read(CHUNK_BYTES):
            start = b""
            if not text.endswith(b"\n"):
                text += self.readline()
            yield text if text.endswith(b"\n") else text + b"\n"

    def _counted(self, read: bytes) -> bytes:
        self._bytes_read += len(read)
        if self._file.seekable():
            self._progress(self._file.tell(), self.limit.file_bytes)
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
    """The content of an xz file. Unlike LZMAFile, it limits the memory of decompression, which the file chooses."""

    def __init__(self, file: BinaryIO, limit_bytes: int):
        self._file = file
        self._limit_bytes = limit_bytes
        self._decompressor = self._new_decompressor()
        self._pending = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while True:
            if self._decompressor.eof:
                # Zeros may follow a stream, and another stream.
                self._pending = (self._decompressor.unused_data or self._pending).lstrip(b"\0")
                while not self._pending:
                    self._pending = self._file.read(io.DEFAULT_BUFFER_SIZE)
                    if not self._pending:
                        return 0
                    self._pending = self._pending.lstrip(b"\0")
                self._decompressor = self._new_decompressor()
            elif self._decompressor.needs_input and not self._pending:
                self._pending = self._file.read(io.DEFAULT_BUFFER_SIZE)
                if not self._pending:
                    raise EOFError
            content = self._decompressor.decompress(self._pending, len(buffer))
            self._pending = b""
            if content:
                buffer[: len(content)] = content
                return len(content)

    def _new_decompressor(self) -> lzma.LZMADecompressor:
        return lzma.LZMADecompressor(lzma.FORMAT_XZ, self._limit_bytes)


@contextlib.contextmanager
def open_content(path: str | os.PathLike) -> Iterator[Content]:
    """Open ``path`` to read its uncompressed bytes. Raises as ``opened`` and ``Content`` do."""
    with opened(path) as file, Progress(f"reading {Path(path).name}", "B") as progress:
        yield Content(path, file, progress)


def compression_of(path: str | os.PathLike) -> str | None:
    """The compression of a file by its first bytes: one of COMPRESSIONS, "zstd" or None."""
    with open(path, "rb") as file:
        return _compression(file.read(_MAGIC_BYTES_MAX))


def compression_named(path: str | os.PathLike) -> str | None:
    """The compression of a file by its name: one of COMPRESSIONS, or None."""
    return COMPRESSIONS.get(Path(path).suffix.lower())


def _compression(start: bytes) -> str | None:
    return next((name for magic, name in _MAGIC.items() if start.startswith(magic)), None)


@contextlib.contextmanager
def compressing(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Open ``path`` for writing, compressed as its name says. Equal content gives equal bytes."""
    compression = compression_named(path)
    with open(path, "wb") as file:
        if compression == "gzip":
            with gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) as compressed:
                yield cast(BinaryIO, compressed)
        elif compression == "bzip2":
            with bz2.BZ2File(file, "wb") as compressed:
                yield cast(BinaryIO, compressed)
        elif compression == "xz":
            with lzma.LZMAFile(file, "wb") as compressed:
                yield cast(BinaryIO, compressed)
        else:
            yield file
