"""One measurement at a time on a machine, no matter how many are started, and by whom.

All devices of a machine share its cores, memory and power, and road networks are timed launch by launch. So every timed
run holds the machine, on a GPU or not, by two locks, taken one after the other. Both are a ``flock``, which the kernel
releases when the process ends, even if it was killed.

The first is on a file in a folder that all users share. The file stays and says who is measuring. Where something else
has the file's name, a folder of this user's own has it instead. Some batch systems give every job a /tmp of its own;
hence the second, on a file of the running kernel, which no job has for itself, and which anyone may read and so lock.
"""

import contextlib
import datetime
import errno
import fcntl
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from warpath.device.object_cache import UnsafeFolder, cache_folder, own_folder
from warpath.errors import WarpathError

NAME = "warpath-measuring.lock"
# In sysfs, which is never on a network: jobs on one node see one file, those on two nodes see two.
KERNEL_FILE = Path("/sys/devices/system/cpu/online")
_HOLDER_BYTES_MAX = 300
_REMOVALS_MAX = 100


@contextlib.contextmanager
def machine_held(purpose: str, folder: Path | None = None) -> Iterator[None]:
    """Hold the machine for ``purpose`` ("nyc bellman_ford.stride"), waiting for whoever holds it now.

    A wait is announced with one line on stderr, and so is a lock that other users do not share. ``folder`` replaces
    both places. Raises WarpathError if no lock file can be opened.
    """
    with contextlib.ExitStack() as held:
        kernel = _open_kernel_file() if folder is None else None
        if kernel is not None:
            held.callback(os.close, kernel)  # closing also releases a lock
        folders = _shared_folders() if folder is None else [folder]
        file = _hold_first(folders, alone=kernel is None)
        held.callback(os.close, file)
        if kernel is not None:
            _wait_for(kernel, lambda: "a job with a /tmp of its own")
        started = datetime.datetime.now().strftime("%H:%M:%S")
        _write(file, f"{purpose} (process {os.getpid()}, since {started})")
        held.callback(_write, file, "")
        yield


def _open_kernel_file() -> int | None:
    with contextlib.suppress(OSError):  # no sysfs, or another system than Linux
        return os.open(KERNEL_FILE, os.O_RDONLY | os.O_CLOEXEC)
    return None


def lock_path() -> Path:
    """The lock file that a measurement would hold now, unless something else has its name."""
    return next(_shared_folders()) / NAME


def _shared_folders() -> Iterator[Path]:
    """A folder that all users share, then folders that all processes of this user share."""
    yield Path("/tmp")
    if os.environ.get("XDG_RUNTIME_DIR"):
        yield Path(os.environ["XDG_RUNTIME_DIR"])
    with contextlib.suppress(OSError):
        yield Path(tempfile.gettempdir())
    with contextlib.suppress(OSError, UnsafeFolder):
        yield own_folder(cache_folder())


def _hold_first(folders: Iterable[Path], alone: bool) -> int:
    """The locked file in the first folder that can have one; ``alone``: no other lock keeps other users away."""
    complaints: dict[Path, str] = {}
    for path in (folder / NAME for folder in folders):
        if path in complaints:
            continue
        try:
            return _hold(path, "; ".join(complaints.values()) if alone else "")
        except OSError as error:
            complaints[path] = f"{path}: {error.strerror}"
    raise WarpathError(
        "no lock file can be opened, which measuring alone needs "
        f"({'; '.join(complaints.values())}); make one of them writable"
    )


def _hold(path: Path, complaint: str) -> int:
    """Open and lock the file at ``path``, waiting for it; ``complaint`` says why it is not the one all users share."""
    for _ in range(_REMOVALS_MAX):
        file = _open(path)
        try:
            if complaint:
                print(
                    f"warpath: other users may measure at the same time: the lock is {path} ({complaint})",
                    file=sys.stderr,
                    flush=True,
                )
                complaint = ""
            _wait_for(file, partial(_holder, file))
            if _is_at(path, file):
                return file
        except BaseException:
            os.close(file)
            raise
        os.close(file)  # removed meanwhile, as cleaners of /tmp do: whoever came later locks another file
    raise OSError(errno.ESTALE, "it is removed again and again")


def _open(path: Path) -> int:
    """Open the lock file, or create it if it is missing; read-only if another user's file permits no more.

    O_CREAT is used only if there is no file: in a sticky folder, Linux refuses it on another user's file. No link is
    followed, and a FIFO does not block.
    """
    for flags in (os.O_RDWR, os.O_RDONLY, os.O_RDWR | os.O_CREAT | os.O_EXCL, os.O_RDWR):
        with contextlib.suppress(PermissionError, FileNotFoundError, FileExistsError):
            file = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o666)
            if flags & os.O_CREAT:
                os.fchmod(file, 0o666)  # despite the umask: other users must be able to open it
            found = os.fstat(file)
            if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
                os.close(file)
                raise OSError(errno.EINVAL, "it is no regular file with one name")
            return file
    raise OSError(errno.EACCES, "it can be neither opened nor made")


def _is_at(path: Path, file: int) -> bool:
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(file), path.lstat())
    return False


def _wait_for(file: int, holder: Callable[[], str]) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print(f"waiting to measure alone on this machine: {holder()} is at it", file=sys.stderr, flush=True)
        fcntl.flock(file, fcntl.LOCK_EX)


def _holder(file: int) -> str:
    """What the file says of its holder, as one line without control characters: any user can write in it."""
    text = os.pread(file, _HOLDER_BYTES_MAX, 0).decode(errors="replace").strip()
    return "".join(letter if letter.isprintable() else "?" for letter in text) or "another process"


def _write(file: int, text: str) -> None:
    with contextlib.suppress(OSError):  # fails on a read-only file; only the lock matters, the text is a courtesy
        os.truncate(file, 0)
        os.pwrite(file, text.encode(), 0)
