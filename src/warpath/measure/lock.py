"""One measurement at a time on a machine, whoever starts them and however many.

All devices of a machine share its cores, memory and power, and the road networks are timed launch by launch; so the
lock is one for the machine, and every timed run holds it, on a GPU or not. It is a ``flock`` on a file in a place that
all users share: the kernel lets go of it when its process ends, killed or not. The file stays; it says who measures.
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
    """Hold the machine for ``purpose`` ("nyc bellman_ford stride"), waiting for whoever holds it now.

    A wait is announced with one line on stderr. ``folder`` replaces the machine-wide place of the file. Raises
    WarpathError where no lock file can be opened.
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
        os.close(file)  # this lets go of the lock, too


def _shared_folders() -> list[Path]:
    """Where all users of the machine meet, then where at least all processes of this one do."""
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
        f"no lock file can be opened to measure alone ({'; '.join(complaints)}); make one of them writable"
    )


def _open(path: Path) -> int:
    """A descriptor of the lock file, made if it is not there, for reading alone where another user's mode is strict.

    Never O_CREAT on a file that exists: in a sticky folder Linux refuses that on another user's file.
    """
    for flags in (os.O_RDWR, os.O_RDONLY, os.O_RDWR | os.O_CREAT | os.O_EXCL, os.O_RDWR):
        with contextlib.suppress(PermissionError, FileNotFoundError, FileExistsError):
            file = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
            if flags & os.O_CREAT:
                os.fchmod(file, 0o666)  # whatever the umask says: the next user must get in
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
    with contextlib.suppress(OSError):  # opened for reading alone: the lock counts, the text is a courtesy
        os.truncate(file, 0)
        os.pwrite(file, text.encode(), 0)
