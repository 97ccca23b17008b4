"""One measurement at a time on a machine, no matter how many are started, and by whom.

All devices of a machine share its cores, memory and power, and road networks are timed launch by launch. So
there is one lock for the machine, and every timed run holds it, on a GPU or not. It is a ``flock`` on a file in a
folder that all users share. The kernel releases it when the process ends, even if it was killed. The file stays and
says who is measuring.
"""

import contextlib
import datetime
import errno
import fcntl
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..errors import WarpathError

NAME = "warpath-measuring.lock"


@contextlib.contextmanager
def machine_held(purpose: str, folder: Path | None = None) -> Iterator[None]:
    """Hold the machine for ``purpose`` ("nyc bellman_ford.stride"), waiting for whoever holds it now.

    A wait is announced with one line on stderr. ``folder`` replaces the shared folder of the lock file. Raises
    WarpathError if no lock file can be opened.
    """
    file = _open_first(_shared_folders() if folder is None else [folder])
    try:
        _wait_for(file)
        started = datetime.datetime.now().strftime("%H:%M:%S")
        _write(file, f"{purpose} (process {os.getpid()}, since {started})")
        try:
            yield
        finally:
            _write(file, "")
    finally:
        os.close(file)  # this also releases the lock


def _shared_folders() -> list[Path]:
    """A folder that all users share, then folders that all processes of this user share."""
    folders = ["/tmp", os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir()]
    return [Path(folder) for folder in folders if folder]


def _open_first(folders: list[Path]) -> int:
    complaints = []
    for folder in folders:
        try:
            return _open(folder / NAME)
        except OSError as error:
            complaints.append(f"{folder / NAME}: {error.strerror}")
    raise WarpathError(
        f"no lock file can be opened, which measuring alone needs ({'; '.join(complaints)}); make one of them writable"
    )


def _open(path: Path) -> int:
    """Open the lock file, or create it if it is missing; read-only if another user's file permits no more.

    O_CREAT is used only if there is no file: in a sticky folder, Linux refuses it on another user's file.
    """
    for flags in (os.O_RDWR, os.O_RDONLY, os.O_RDWR | os.O_CREAT | os.O_EXCL, os.O_RDWR):
        with contextlib.suppress(PermissionError, FileNotFoundError, FileExistsError):
            file = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
            if flags & os.O_CREAT:
                os.fchmod(file, 0o666)  # despite the umask: other users must be able to open it
            return file
    raise OSError(errno.EACCES, "it can be neither opened nor made")


def _wait_for(file: int) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = os.pread(file, 1000, 0).decode(errors="replace").strip() or "another process"
        print(f"waiting to measure alone on this machine: {holder} is at it", file=sys.stderr, flush=True)
        fcntl.flock(file, fcntl.LOCK_EX)


def _write(file: int, text: str) -> None:
    with contextlib.suppress(OSError):  # fails on a read-only file; only the lock matters, the text is a courtesy
        os.truncate(file, 0)
        os.pwrite(file, text.encode(), 0)
