"""The caches of compiled kernels: our own, of the host device's objects, and CuPy's.

An object of the host device is a file ``KEY.so`` in a folder of the user's own; the key is a hash of the source. CuPy
keeps what it compiled in ``$CUPY_CACHE_DIR``, else ``~/.cupy/kernel_cache``, under a hash of the source, the options,
the GPU's architecture and the compiler's version, and with a hash of the bytes: GPUs and CUDA versions can share it.
But it ends with an error where the folder cannot be written, some of its versions already at their import.
"""

import ctypes
import importlib.util
import os
import sys
from pathlib import Path

from ..atomic import atomic_write
from ..errors import DeviceError, WarpathError
from ..folders import folder_of_this_process, why_unwritable
from ..locks import once

_CUPY_VARIABLE = "CUPY_CACHE_DIR"
# Folders that took no object in this process, and were complained about.
_refused: set[Path] = set()


@once
def _of_a_homeless_user() -> Path:
    return folder_of_this_process()


def cache_folder() -> Path:
    """The folder of warpath's own compiled code; it may be missing or not writable.

    ``$WARPATH_CACHE``, else ``$XDG_CACHE_HOME/warpath``, else ``~/.cache/warpath``. A user without a home has one that
    ends with the process.
    """
    if os.environ.get("WARPATH_CACHE"):
        return Path(os.environ["WARPATH_CACHE"]).absolute()
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"], "warpath").absolute()
    home = Path(os.path.expanduser("~"))
    return home / ".cache" / "warpath" if home.is_absolute() else _of_a_homeless_user()


def load_cached(key: str, mode: int) -> ctypes.CDLL | None:
    """The object of ``key``, loaded; None if there is none that runs here."""
    try:
        return ctypes.CDLL(str(cache_folder() / f"{key}.so"), mode)
    except OSError:
        return None


def keep(compiled: Path, key: str, mode: int) -> ctypes.CDLL | None:
    """Copy the object file ``compiled`` into the cache and load it from there.

    None if the cache does not take it or its file system forbids execution; the first reason is printed.
    """
    folder = cache_folder()
    target = folder / f"{key}.so"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)  # loading an object runs its code, so nobody else may write one
        # Another node may have kept the same object now and run it: it is not replaced under it.
        content = compiled.read_bytes()
        if not (target.is_file() and target.read_bytes() == content):
            with atomic_write(target) as temporary:
                temporary.write_bytes(content)
        return ctypes.CDLL(str(target), mode)
    except (WarpathError, OSError) as error:
        if folder not in _refused:
            _refused.add(folder)
            _complain("kernels of the host device are compiled", "the cache", folder, error, "WARPATH_CACHE")
        return None


def cupy_cache_folder() -> Path:
    """The folder that CuPy uses; relative for a user without a home, where CuPy would make one called ``~``."""
    return Path(os.environ.get(_CUPY_VARIABLE) or os.path.expanduser("~/.cupy/kernel_cache"))


def why_no_cupy_cache(folder: Path) -> str | None:
    """Why CuPy can keep nothing in ``folder``; None if it can."""
    if not folder.is_absolute() and not os.environ.get(_CUPY_VARIABLE):
        return "this user has no home"
    return why_unwritable(folder)


@once
def ensure_cupy_cache() -> None:
    """Give CuPy a folder that ends with this process if it cannot use its own, and say so.

    Looks once; call it before CuPy is imported. Raises DeviceError if there is no place for temporary files either.
    """
    if importlib.util.find_spec("cupy") is None:
        return
    folder = cupy_cache_folder()
    reason = why_no_cupy_cache(folder)
    if reason is None:
        return
    try:
        os.environ[_CUPY_VARIABLE] = str(folder_of_this_process())
    except OSError as error:
        raise DeviceError(f"no temporary folder for CuPy's kernels: {error.strerror}; set TMPDIR") from error
    _complain("CuPy compiles kernels", "its cache", folder, reason, _CUPY_VARIABLE)


def _complain(what: str, cache: str, folder: Path, reason: object, variable: str) -> None:
    print(
        f"warpath: {what} anew in every process, because {cache} {folder} cannot be used: {reason}; {variable} names "
        "another folder",
        file=sys.stderr,
        flush=True,
    )
