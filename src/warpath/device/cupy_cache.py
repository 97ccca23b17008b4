"""CuPy's cache of compiled kernels, where its folder can be written; else a folder that ends with this process.

CuPy keeps what it compiled in ``$CUPY_CACHE_DIR``, else ``~/.cupy/kernel_cache``, under a hash of the source, the
options, the GPU's architecture and the compiler's version, and with a hash of the bytes: GPUs and CUDA versions can
share it. But it ends with an error where the folder cannot be written, some of its versions already at their import.
"""

import importlib.util
import os
import sys
from pathlib import Path

from ..errors import DeviceError
from ..folders import folder_of_this_process, why_unwritable
from ..locks import once

_VARIABLE = "CUPY_CACHE_DIR"


def cupy_cache_folder() -> Path:
    """The folder that CuPy uses; relative for a user without a home, where CuPy would make one called ``~``."""
    return Path(os.environ.get(_VARIABLE) or os.path.expanduser("~/.cupy/kernel_cache"))


def why_unusable(folder: Path) -> str | None:
    """Why CuPy can keep nothing in ``folder``; None if it can."""
    if not folder.is_absolute() and not os.environ.get(_VARIABLE):
        return "this user has no home"
    return why_unwritable(folder)


@once
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
        own = folder_of_this_process()
    except OSError as error:
        raise DeviceError(f"no temporary folder for CuPy's kernels: {error.strerror}; set TMPDIR") from error
    os.environ[_VARIABLE] = str(own)
    print(
        f"warpath: CuPy compiles kernels anew in every process, because its cache {folder} cannot be used: {reason}; "
        f"{_VARIABLE} names another folder",
        file=sys.stderr,
        flush=True,
    )
