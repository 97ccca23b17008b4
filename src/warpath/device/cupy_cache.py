"""CuPy's cache of compiled kernels, where its folder can be written; else a folder that ends with this process.

CuPy keeps what it compiled in ``$CUPY_CACHE_DIR``, else ``~/.cupy/kernel_cache``, under a hash of the source, the
options, the GPU's architecture and the compiler's version, and with a hash of the bytes: GPUs and CUDA versions can
share it. But it ends with an error where the folder cannot be written, some of its versions already at their import.
"""

import atexit
import importlib.util
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

from ..errors import DeviceError

_VARIABLE = "CUPY_CACHE_DIR"
# About as much as a compiled kernel: a file system that is full takes an empty file.
_TRIAL_BYTES = 1 << 17


def cupy_cache_folder() -> Path:
    """The folder that CuPy uses; relative for a user without a home, where CuPy would make one called ``~``."""
    return Path(os.environ.get(_VARIABLE) or os.path.expanduser("~/.cupy/kernel_cache"))


def why_unusable(folder: Path) -> str | None:
    """Why no file can be kept in ``folder``, which is made if it is missing; None if one can."""
    if not folder.is_absolute() and _VARIABLE not in os.environ:
        return "this user has no home"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(_TRIAL_BYTES))
    except OSError as error:
        return error.strerror or str(error)
    return None


@cache
def ensure_cupy_cache() -> None:
    """Give CuPy another folder if it cannot use its own, and say so. Looks once; call it before CuPy is imported.

    Raises DeviceError if there is no place for temporary files either.
    """
    if importlib.util.find_spec("cupy") is None:
        return
    folder = cupy_cache_folder()
    reason = why_unusable(folder)
    if reason is None:
        return
    try:
        own = tempfile.mkdtemp(prefix="warpath-")
    except OSError as error:
        raise DeviceError(f"no temporary folder for CuPy's kernels: {error.strerror}; set TMPDIR") from error
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    os.environ[_VARIABLE] = own
    print(
        f"warpath: CuPy compiles kernels anew in every process, because its cache {folder} cannot be used: {reason}; "
        f"{_VARIABLE} names another folder",
        file=sys.stderr,
        flush=True,
    )
