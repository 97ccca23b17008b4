"""One fetch of a file at a time: a lock file beside it, and files that are opened only if they are plain files."""

import contextlib
import errno
import fcntl
import os
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from warpath.atomic import write_errors_explained
from warpath.errors import DownloadError, WarpathError

_FIRST_POLL_S = 0.01
_LONGEST_POLL_S = 0.5
# Some network file systems have no locks. There, fetching one file twice at once is the user's to avoid.
_NO_LOCKS = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})


@contextlib.contextmanager
def fetching_alone(output: Path, patience_s: float) -> Iterator[None]:
    """Hold the lock ``<output>.lock``, made if missing and removed afterwards.

    A wait is announced with one line on stderr. Raises DownloadError after ``patience_s`` seconds of waiting,
    WarpathError if the lock file cannot be opened.
    """
    path = output.with_name(output.name + ".lock")
    with write_errors_explained(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        file = _locked(path, output, patience_s)
    try:
        yield
    finally:
        # Removed while it is held: who waits for it finds another file, or none, at the path and opens that.
        with contextlib.suppress(OSError):
            path.unlink()
        os.close(file)


def open_plain(path: Path, flags: int) -> int:
    """Open ``path`` without following a link; a descriptor of a plain file.

    Raises WarpathError if there is a link, a folder, a named pipe or a device, OSError if it cannot be opened.
    """
    try:
        # Without O_NONBLOCK, opening a named pipe would wait for its other end.
        file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EISDIR, errno.ENXIO):
            raise _not_plain(path) from None
        raise
    if stat.S_ISREG(os.fstat(file).st_mode):
        return file
    os.close(file)
    raise _not_plain(path)


def plain_size(path: Path) -> int:
    """Bytes in the plain file ``path``, 0 if there is none; WarpathError as ``open_plain`` raises."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return 0
    if not stat.S_ISREG(status.st_mode):
        raise _not_plain(path)
    return status.st_size


def _not_plain(path: Path) -> WarpathError:
    return WarpathError(f"{path}: is a link, a folder or a device where a plain file is needed; remove it")


def _locked(path: Path, output: Path, patience_s: float) -> int:
    give_up = time.monotonic() + patience_s
    poll_s, announced = _FIRST_POLL_S, False
    while True:
        file = open_plain(path, os.O_RDWR | os.O_CREAT)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(file, path):
                return file
            os.close(file)
            continue
        except BlockingIOError:
            os.close(file)
        except OSError as error:
            if error.errno in _NO_LOCKS:
                return file
            os.close(file)
            raise
        if time.monotonic() >= give_up:
            raise DownloadError(
                f"{output}: another process has been fetching it for more than {patience_s:g} s; wait for it, or end it"
            )
        if not announced:
            print(f"{output}: another process is fetching it; waiting", file=sys.stderr, flush=True)
            announced = True
        time.sleep(poll_s)
        poll_s = min(2 * poll_s, _LONGEST_POLL_S)


def _is_at(file: int, path: Path) -> bool:
    """Whether ``path`` is still the open ``file``, which its last holder may have removed."""
    try:
        return os.path.samestat(os.fstat(file), path.lstat())
    except FileNotFoundError:
        return False
