"""The caches of compiled kernels: warpath's, of the simulated GPU's objects, and CuPy's.

Warpath's cache has files ``KEY.so``; the key is a hash of the source. GPUs and CUDA versions can
share CuPy's cache, but CuPy fails if it cannot write to the folder, some versions even at import.
"""

import ctypes
import importlib.util
import os
import sys
from pathlib import Path

from ..errors import DeviceError, WarpathError
from .atomic import atomic_write
from .folders import folder_of_this_process, why_unwritable
from .locks import once

_CUPY_VARIABLE = "CUPY_CACHE_DIR"
_reported: set[Path] = set()  # folders that could not be used


_cache_without_home = once(folder_of_this_process)


def cache_folder() -> Path:
    """The folder of warpath's compiled code: $WARPATH_CACHE, $XDG_CACHE_HOME/warpath or ~/.cache/warpath.

    It may be missing or not writable. Without a home, it is a folder that is removed when the process ends.
    """
    if os.environ.get("WARPATH_CACHE"):
        return Path(os.environ["WARPATH_CACHE"]).absolute()
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"], "warpath").absolute()
    home = Path(os.path.expanduser("~"))
    return home / ".cache" / "warpath" if home.is_absolute() else _cache_without_home()


def load_cached(key: str, mode: int) -> ctypes.CDLL | None:
    """Load the object of ``key``; None if there is none that runs here."""
    try:
        return ctypes.CDLL(str(cache_folder() / f"{key}.so"), mode)
    except OSError:
        return None


def store_and_load(compiled: Path, key: str, mode: int) -> ctypes.CDLL | None:
    """Copy an object file into the cache and load it from there; None, with a warning, if the cache cannot be used."""
    folder = cache_folder()
    target = folder / f"{key}.so"
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)  # loading an object runs its code, so nobody else may write one
        # Another node may be running the same object, so it is not replaced.
        content = compiled.read_bytes()
        if not (target.is_file() and target.read_bytes() == content):
            with atomic_write(target) as temporary:
                temporary.write_bytes(content)
        return ctypes.CDLL(str(target), mode)
    except (WarpathError, OSError) as error:
        if folder not in _reported:
            _reported.add(folder)
            _warn("kernels of the simulated GPU are compiled", "the cache", folder, error, "WARPATH_CACHE")
        return None


def cupy_cache_folder() -> Path:
    """The folder of CuPy's cache. Without a home it is relative: CuPy would make a folder called ``~``."""
    return Path(os.environ.get(_CUPY_VARIABLE) or os.path.expanduser("~/.cupy/kernel_cache"))


def why_no_cupy_cache(folder: Path) -> str | None:
    """The reason why CuPy cannot use ``folder``; None if it can."""
    if not folder.is_absolute() and not os.environ.get(_CUPY_VARIABLE):
        return "this user has no home"
    return why_unwritable(folder)


@once
def ensure_cupy_cache() -> None:
    """Before CuPy is imported: if its cache cannot be used, warn and set a folder that is removed with the process.

    Raises DeviceError if there is no folder for temporary files either.
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
    _warn("CuPy compiles kernels", "its cache", folder, reason, _CUPY_VARIABLE)


def _warn(what: str, cache: str, folder: Path, reason: object, variable: str) -> None:
    print(
        f"warpath: {what} again in each process, because {cache} {folder} cannot be used: {reason}; set {variable} to "
        "another folder",
        file=sys.stderr,
        flush=True,
    )
