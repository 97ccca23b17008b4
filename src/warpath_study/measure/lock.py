"""One measurement at a time on a machine, no matter how many are started, and by whom.

All devices of a machine share its cores, memory and power, and road networks are timed launch by launch. So every timed
run holds the machine, on a GPU or not, by a ``flock``, which the kernel releases when the process ends, even if it was
killed. It is on a file of the running kernel, which anyone may read and so lock, and which jobs share that have a /tmp
of their own. Where there is no such file, it is on one in /tmp.
"""

import contextlib
import fcntl
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from warpath.errors import WarpathError

# In sysfs, which is never on a network: jobs on one node see one file, those on two nodes see two.
KERNEL_FILE = Path("/sys/devices/system/cpu/online")
FILE = Path("/tmp/warpath-measuring.lock")


@contextlib.contextmanager
def machine_held(file: Path | None = None) -> Iterator[None]:
    """Hold the machine, waiting for whoever holds it now; a wait is announced with one line on stderr.

    ``file`` replaces the file that is locked; it is made if it is missing. Raises WarpathError if it cannot be opened.
    """
    path = file or (KERNEL_FILE if KERNEL_FILE.exists() else FILE)
    try:
        lock = os.open(path, os.O_RDONLY | os.O_CLOEXEC | (0 if path == KERNEL_FILE else os.O_CREAT), 0o666)
    except OSError as error:
        raise WarpathError(f"{path}: cannot be opened ({error.strerror}); measuring alone needs it") from None
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("waiting to measure alone on this machine", file=sys.stderr, flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)  # which also releases the lock
