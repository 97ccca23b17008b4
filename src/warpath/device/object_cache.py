"""The cache of compiled objects: files ``KEY.so`` in a folder of the user's own; the key is a hash of the source."""

import ctypes
import os
import stat
import sys
import tempfile
from pathlib import Path

from ..atomic import written_whole
from ..errors import WarpathError

# Folders that took no object in this process, and were complained about.
_refused: set[Path] = set()


class UnsafeFolder(WarpathError):
    """Somebody else could write in a folder of this user's own."""


def cache_folder() -> Path:
    """The folder of compiled objects; it may be missing or not writable.

    ``$WARPATH_CACHE``, else ``$XDG_CACHE_HOME/warpath``, else ``~/.cache/warpath``. A user without a home has one
    among the temporary files.
    """
    if os.environ.get("WARPATH_CACHE"):
        return Path(os.environ["WARPATH_CACHE"]).absolute()
    if os.environ.get("XDG_CACHE_HOME"):
        return Path(os.environ["XDG_CACHE_HOME"], "warpath").absolute()
    home = Path(os.path.expanduser("~"))
    if not home.is_absolute():
        return Path(tempfile.gettempdir(), f"warpath-{os.geteuid()}").absolute()
    return home / ".cache" / "warpath"


def own_folder(folder: Path) -> Path:
    """``folder``, made with mode 0700 if it is missing: loading an object runs its code, so nobody else may write one.

    Raises UnsafeFolder if it is another user's or others can write in it; OSError if it is no folder or cannot be made.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise UnsafeFolder("it belongs to another user")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise UnsafeFolder("other users can write in it (chmod go-w closes it)")
    return folder


def load_cached(key: str, mode: int) -> ctypes.CDLL | None:
    """The object of ``key``, loaded; None if there is none that runs here."""
    try:
        return ctypes.CDLL(str(own_folder(cache_folder()) / f"{key}.so"), mode)
    except (UnsafeFolder, OSError):
        return None


def keep(compiled: Path, key: str, mode: int) -> ctypes.CDLL | None:
    """Copy the object file ``compiled`` into the cache and load it from there.

    None if the cache does not take it or its file system forbids execution; the first reason is printed.
    """
    folder = cache_folder()
    target = folder / f"{key}.so"
    try:
        own_folder(folder)
        # Another node may have kept the same object now and run it: it is not replaced under it.
        content = compiled.read_bytes()
        if not (target.is_file() and target.read_bytes() == content):
            with written_whole(target) as temporary:
                temporary.write_bytes(content)
        return ctypes.CDLL(str(target), mode)
    except (WarpathError, OSError) as error:
        if folder not in _refused:
            _refused.add(folder)
            print(
                "warpath: kernels of the host device are compiled anew in every process, because the cache "
                f"{folder} cannot be used: {error}; WARPATH_CACHE names another folder",
                file=sys.stderr,
                flush=True,
            )
        return None
