# After a kill -9 or a power cut, Snakemake's lock on the folder stays. Here it goes, unless a Snakemake is alive that may hold it:
# each holds a lock of the kernel, which ends with the process. The file says on which machine, because some network file systems
# keep such locks to the machine.

import fcntl
import os
import platform
import shutil
from pathlib import Path


def without_stale_lock():
    """Remove Snakemake's lock if it is stale; return the open file that holds this process's own lock, None if there is none."""
    folder = Path(".snakemake")
    try:
        folder.mkdir(exist_ok=True)
        file = os.fdopen(
            os.open(folder / "alive.lock", os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666), "r+", errors="replace"
        )
    except OSError:
        return None  # a folder that one may only read, say for a dry run
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        here = platform.node()
        if file.read() == here:
            shutil.rmtree(folder / "locks", ignore_errors=True)
        if not list(folder.glob("locks/*")):
            file.seek(0)
            file.truncate()
            file.write(here)
            file.flush()
    except OSError:
        pass  # another Snakemake is alive, or the file system has no such locks
    try:
        fcntl.flock(file, fcntl.LOCK_SH)
    except OSError:
        pass
    return file


if workflow.is_main_process:
    ALIVE = without_stale_lock()
