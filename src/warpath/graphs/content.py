"""The uncompressed bytes of a graph file. The first bytes, not the name, tell whether it is gzip, xz or plain."""

import contextlib
import gzip
import hashlib
import lzma
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from ..errors import FormatError

CHUNK_BYTES = 16 << 20
_GZIP_MAGIC = b"\x1f\x8b"
_XZ_MAGIC = b"\xfd7zXZ\x00"
# As the command gzip has it: the best level takes five times as long for a hundredth of the size.
_GZIP_LEVEL = 6


@contextlib.contextmanager
def open_content(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """Open ``path`` for reading its uncompressed bytes; the file has ``read`` and ``readline``.

    Raises FormatError if the file cannot be opened and, while it is read, if it is cut short or damaged.
    """
    try:
        file = open(path, "rb")  # noqa: SIM115 (the with statement below closes it)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror})") from None
    with file:
        compression = _compression(file.peek(len(_XZ_MAGIC)))
        try:
            if compression == "gzip":
                yield cast(BinaryIO, gzip.GzipFile(fileobj=file))
            elif compression == "xz":
                yield cast(BinaryIO, lzma.LZMAFile(file))  # noqa: SIM115 (``file`` is closed by its own with)
            else:
                yield file
        except EOFError:
            raise FormatError(f"{path}: the compressed file is cut short; copy or download it again") from None
        except (gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
            raise FormatError(f"{path}: the compressed file is damaged ({error}); copy or download it again") from None


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


def chunks_of_lines(file: BinaryIO, start: bytes = b"") -> Iterator[bytes]:
    """``start`` and the rest of ``file`` in pieces of about CHUNK_BYTES.

    Each piece is whole lines and ends with a line feed, even if the file does not.
    """
    while text := start + file.read(CHUNK_BYTES):
        start = b""
        if not text.endswith(b"\n"):
            text += file.readline()
        yield text if text.endswith(b"\n") else text + b"\n"


def content_sha256(path: str | os.PathLike) -> str:
    """Hash of the uncompressed bytes of ``path``; raises FormatError as ``open_content`` does."""
    digest = hashlib.sha256()
    with open_content(path) as file:
        while piece := file.read(CHUNK_BYTES):
            digest.update(piece)
    return digest.hexdigest()
