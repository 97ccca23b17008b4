"""A lock that lets only one measurement run on a machine at a time, for all users.

All devices of a machine share its cores, memory and power, so each timed run takes this lock, on a GPU or not. It is a
``flock``, which the system releases when a process ends. The locked file is one of sysfs, which anyone may lock, and
which jobs with a private /tmp share. Without it, the locked file is one in /tmp.
"""

import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from warpath.errors import WarpathError

KERNEL_FILE = Path("/sys/devices/system/cpu/online")
FILE = Path("/tmp/warpath-measuring.lock")


@contextlib.contextmanager
def machine_held(file: Path | None = None) -> Iterator[None]:
    """Hold the lock, or wait for it and say so on stderr. Raises WarpathError if the file cannot be opened.

    ``file`` replaces the locked file, and is created if it is missing.
    """
    path = file or (KERNEL_FILE if KERNEL_FILE.exists() else FILE)
    try:
        lock = os.open(path, os.O_RDONLY | os.O_CLOEXEC | (0 if path == KERNEL_FILE else os.O_CREAT), 0o666)
    except OSError as error:
        raise WarpathError(f"{path}: cannot be opened ({error.strerror}); measuring locks this file") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("waiting to measure alone on this machine", file=sys.stderr, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)  # also releases the lock
