"""The cache of compiled objects: a folder that only its user can write, and objects that match their hash.

An object is called ``KEY-HASH.so``: the key says what it was compiled from, the hash is that of its bytes. It is loaded
only if its bytes match. Loading runs its code, so nobody else may be able to put one there.
"""

import contextlib
import ctypes
import errno
import hashlib
import os
import stat
import sys
import tempfile
from pathlib import Path

from ..atomic import written_whole
from ..errors import WarpathError

_HASH_LETTERS = 32
_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH

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
    """``folder``, made with mode 0700 if it is missing.

    Raises UnsafeFolder if it is a link, belongs to another user or is open to their writing; OSError if it is no folder
    or cannot be made.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if stat.S_ISLNK(found.st_mode):
        raise UnsafeFolder("it is a symbolic link")
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError("it is no folder")
    if found.st_uid != os.geteuid():
        raise UnsafeFolder("it belongs to another user")
    if found.st_mode & _WRITABLE_BY_OTHERS:
        raise UnsafeFolder("other users can write in it (chmod go-w closes it)")
    return folder


def load_cached(key: str, mode: int) -> ctypes.CDLL | None:
    """The object of ``key``, loaded; None if there is none that is whole and runs here. Damaged ones are removed."""
    try:
        folder = own_folder(cache_folder())
        names = sorted(entry.name for entry in os.scandir(folder) if entry.name.startswith(f"{key}-"))
    except (UnsafeFolder, OSError):
        return None
    for name in names:
        object_file = folder / name
        whole = _is_whole(object_file)
        if whole is False:
            with contextlib.suppress(OSError):
                object_file.unlink()
        if not whole:
            continue
        with contextlib.suppress(OSError):  # a system without execution, or an object for another machine's libraries
            return ctypes.CDLL(str(object_file), mode)
    return None


def keep(compiled: Path, key: str, mode: int) -> ctypes.CDLL | None:
    """Copy the object file ``compiled`` into the cache and load it from there.

    None if the cache does not take it or its file system forbids execution; the first reason is printed.
    """
    content = compiled.read_bytes()
    target = cache_folder() / f"{key}-{_hash(content)}.so"
    try:
        own_folder(target.parent)
        whole = _is_whole(target)
        if whole is False:
            target.unlink()  # load_cached could not
        if not whole:
            # Another node may keep the same object now. A network file system without state, as NFS 3, takes the pages
            # of a file that is replaced from who has loaded it.
            with written_whole(target, keep=True) as temporary:
                temporary.chmod(0o600)
                temporary.write_bytes(content)
        return ctypes.CDLL(str(target), mode)
    except (WarpathError, OSError) as error:
        _say_once(target.parent, str(error))
        return None


def _is_whole(object_file: Path) -> bool | None:
    """Whether the file is this user's own and its bytes match the hash in its name; None if it cannot be read now."""
    try:
        # A link is not followed, and a FIFO without a writer does not block.
        descriptor = os.open(object_file, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as file:
            found = os.fstat(descriptor)
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & _WRITABLE_BY_OTHERS:
                return False
            return object_file.stem.rpartition("-")[2] == _hash(file.read())
    except OSError as error:
        # A link (ELOOP) or a socket (ENXIO) will never be read; a server that does not answer may do so again.
        return False if error.errno in (errno.ELOOP, errno.ENXIO) else None


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_HASH_LETTERS]


def _say_once(folder: Path, reason: str) -> None:
    if folder not in _refused:
        _refused.add(folder)
        print(
            "warpath: kernels of the host device are compiled anew in every process, because the cache "
            f"{folder} cannot be used: {reason}; WARPATH_CACHE names another folder",
            file=sys.stderr,
            flush=True,
        )
