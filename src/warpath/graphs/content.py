"""The uncompressed bytes of a graph file. The first bytes, not the name, tell whether it is gzip, xz or plain."""

import contextlib
import gzip
import hashlib
import io
import lzma
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..errors import FormatError
from .memory_limit import MemoryLimit, memory_errors_explained

CHUNK_BYTES = 16 << 20
# No line of a graph is longer, but comments are.
LINE_BYTES_MAX = 1 << 16
_GZIP_MAGIC = b"\x1f\x8b"
_XZ_MAGIC = b"\xfd7zXZ\x00"
# As the command gzip has it: the best level takes five times as long for a hundredth of the size.
_GZIP_LEVEL = 6


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

    def readline(self, size: int) -> bytes:
        """Up to ``size`` bytes, to the end of the line at most."""
        with self._errors_explained():
            return self._counted(self._stream.readline(size))

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
    """Open ``path`` for reading its uncompressed bytes.

    Raises FormatError if the file cannot be opened, and while it is read as ``Content`` does; OutOfMemoryError if
    memory does not suffice for what is done with it meanwhile.
    """
    try:
        file = open(path, "rb")  # noqa: SIM115 (the with statement below closes it)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from None
    with file, memory_errors_explained(path):
        yield Content(path, file)


def compression_of(path: str | os.PathLike) -> str | None:
    """How a file is compressed, by its first bytes: "gzip", "xz" or None."""
    with open(path, "rb") as file:
        return _compression(file.read(len(_XZ_MAGIC)))


def compression_named(path: str | os.PathLike) -> str | None:
    """How a file is compressed, by its name: "gzip", "xz" or None."""
    return {".gz": "gzip", ".xz": "xz"}.get(Path(path).suffix.lower())


def _compression(start: bytes) -> str | None:
    if start.startswith(_GZIP_MAGIC):
        return "gzip"
    if start.startswith(_XZ_MAGIC):
        return "xz"
    return None


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


def chunks_of_lines(content: Content, start: bytes = b"") -> Iterator[bytes]:
    """``start``, which is whole lines, and the rest of ``content`` in pieces of about CHUNK_BYTES.

    Each piece is whole lines and ends with a line feed, even if the file does not. Of a line that is longer than
    LINE_BYTES_MAX and goes on beyond its piece, the end is left out: it can only be a comment, or refused. A loose
    carriage return of it is kept.
    """
    while text := start + content.read(CHUNK_BYTES):
        start = b""
        if not text.endswith(b"\n"):
            begun = len(text) - text.rfind(b"\n") - 1
            text += content.readline(max(1, LINE_BYTES_MAX + 2 - begun))
            if not text.endswith(b"\n") and skip_line(content, text[-1:]):
                text += b"\r "
        yield text if text.endswith(b"\n") else text + b"\n"


def skip_line(content: Content, begun: bytes) -> bool:
    """Read on to the end of the line of which ``begun`` is read, however far that is; tell if it has a loose return."""
    loose = has_loose_return(begun)
    while not begun.endswith(b"\n") and (piece := content.readline(CHUNK_BYTES)):
        loose |= has_loose_return(begun[-1:] + piece)
        begun = piece
    return loose


def has_loose_return(line: bytes) -> bool:
    """Whether a carriage return stands elsewhere than at the end of the line."""
    return b"\r" in line.rstrip(b"\r\n")


def content_sha256(path: str | os.PathLike) -> str:
    """Hash of the uncompressed bytes of ``path``; raises FormatError as ``open_content`` does."""
    digest = hashlib.sha256()
    with open_content(path) as file:
        while piece := file.read(CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()
