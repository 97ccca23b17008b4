"""Reading untrusted .npz and .npy files.

``numpy.load`` allocates whatever size a header announces, and a damaged byte may raise any exception. Here sizes are
checked first, and pickled objects are refused.
"""

import contextlib
import io
import json
import math
import os
import shlex
import zipfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import FormatError
from ..system.progress import Progress
from .content import MemoryLimit, opened

# The formats that numpy.save writes for arrays of numbers and strings.
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def read_npz(path: str | os.PathLike, names: Collection[str]) -> dict[str, np.ndarray]:
    """The arrays of the file with these ``names``, read-only; missing ones are left out.

    Raises FormatError, OutOfMemoryError, or ValueError if the content is damaged.
    """
    with opened(path) as file, Progress(f"reading {Path(path).name}"), _damage_as_value_error():
        if not zipfile.is_zipfile(file):
            raise ValueError("not a whole .npz file")
        archive = zipfile.ZipFile(file)  # closing it would change nothing
        size = os.fstat(file.fileno()).st_size
        limit = MemoryLimit.of(path, size)
        if min((member.header_offset for member in archive.infolist()), default=0):
            raise ValueError("its archive does not begin with the file")
        if len(set(archive.namelist())) < len(archive.namelist()):
            raise ValueError("two of its arrays have the same name")
        if others := [name for name in archive.namelist() if not name.endswith((".npy", "/"))]:
            raise FormatError(
                f"{path}: an archive with {others[0]!r}, which is no array; unpack it, and read what is in it"
            )
        members = {name: archive.getinfo(f"{name}.npy") for name in names if f"{name}.npy" in archive.namelist()}
        limit.check(sum(member.file_size for member in members.values()), "its uncompressed content")
        if any(member.compress_size > size for member in members.values()):
            raise ValueError("its directory announces more bytes than it has")
        return {name: _array(archive.read(member)) for name, member in members.items()}


def saved_by_scipy(path: str | os.PathLike) -> bool:
    """Whether ``scipy.sparse.save_npz`` may have written the file. Raises FormatError if it cannot be opened."""
    with contextlib.suppress(ValueError):
        return "format" in read_npz(path, ("format",))
    return False


def is_npy(path: str | os.PathLike) -> bool:
    """Whether the file begins as ``numpy.save`` begins one."""
    with opened(path) as file:
        return file.read(len(np.lib.format.MAGIC_PREFIX)) == np.lib.format.MAGIC_PREFIX


def to_make_again(path: str | os.PathLike) -> str:
    """The advice about a file without the graph or the matrices that were looked for."""
    with open(path, "rb") as file:
        if file.read(2) != b"PK":  # a file of the user
            return "give a file that 'warpath convert' or 'warpath generate' has made"
    return f"delete it and make it again (rm {shlex.quote(str(path))})"


def read_npy(path: str | os.PathLike) -> np.ndarray:
    """The array of a .npy file, read-only. Raises as ``read_npz`` does."""
    with opened(path) as file, _damage_as_value_error():
        return _array(file.read(os.fstat(file.fileno()).st_size))


def read_metadata(array: np.ndarray) -> dict[str, Any]:
    """The mapping whose JSON text is in the bytes of ``array``. Raises ValueError if there is none."""
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError(f"'about' is {array.ndim}-dimensional {array.dtype}; it must be the bytes of a text")
    with _damage_as_value_error("'about' is not JSON: "):
        metadata = json.loads(bytes(array).decode())
        json.dumps(metadata, ensure_ascii=False).encode()  # refuses half a surrogate pair, which cannot be printed
    if not isinstance(metadata, dict):
        raise ValueError(f"'about' is a JSON {type(metadata).__name__}; it must be a mapping")
    return metadata


def _array(content: bytes) -> np.ndarray:
    """The array in the bytes of a .npy file: a view of them."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError(f"an array in format {version[0]}.{version[1]} of NumPy")
    shape, by_columns, dtype = _HEADERS[version](stream)
    if dtype.hasobject:
        raise ValueError("an array of Python objects")
    count = math.prod(shape)
    if count < 0 or count * dtype.itemsize != len(content) - stream.tell():
        raise ValueError("an array that is not as long as its header says")
    if dtype.itemsize == 0:
        raise ValueError(f"an array of {dtype}, which has no content")
    array = np.frombuffer(content, dtype, count, stream.tell()) if count else np.empty(0, dtype)
    array = array if array.flags.aligned else array.copy()
    return array.reshape(shape, order="F" if by_columns else "C")


@contextlib.contextmanager
def _damage_as_value_error(prefix: str = "") -> Iterator[None]:
    """Turn what zipfile, NumPy and json raise for damaged bytes into ValueError."""
    try:
        yield
    except (FormatError, MemoryError):
        raise
    except Exception as error:
        fault = f"{type(error).__name__}: {error}" if not isinstance(error, ValueError) else str(error)
        raise ValueError(f"{prefix}{' '.join(fault.split())[:200]}") from None
