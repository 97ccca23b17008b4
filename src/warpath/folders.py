"""What can be done with a folder: keep files in it, execute them; and whether other machines share it."""

import atexit
import errno
import os
import re
import shutil
import tempfile
from pathlib import Path

# About as much as a compiled kernel: a full file system still takes an empty file.
_TRIAL_BYTES = 1 << 17
_NETWORK_SYSTEMS = (
    *("nfs", "lustre", "gpfs", "beegfs", "ceph", "cifs", "smb", "afs", "panfs", "pvfs2", "orangefs", "9p", "wekafs"),
    *("fuse.ceph", "fuse.glusterfs", "fuse.sshfs", "fuse.beegfs"),
)
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")  # a blank is \040 there


def folder_of_this_process() -> Path:
    """A new folder among the temporary files, which is removed when this process ends. May raise OSError."""
    folder = tempfile.mkdtemp(prefix="warpath-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def nearest(folder: Path) -> Path:
    """``folder``, or what is there of its parents."""
    path = folder.absolute()
    return next(place for place in (path, *path.parents) if os.path.lexists(place))


def why_unwritable(folder: Path) -> str | None:
    """Why no file can be kept in ``folder``, which may have to be made; None if one can. Leaves nothing."""
    try:
        with tempfile.TemporaryFile(dir=nearest(folder), buffering=0) as file:
            if file.write(bytes(_TRIAL_BYTES)) < _TRIAL_BYTES:
                return os.strerror(errno.ENOSPC)
    except OSError as error:
        return error.strerror or str(error)
    return None


def forbids_execution(folder: Path) -> bool:
    """Whether ``folder``, which is there, is on a file system that is mounted noexec."""
    return bool(os.statvfs(folder).f_flag & os.ST_NOEXEC)


def file_system(folder: Path) -> str:
    """The type of the file system that ``folder`` is on, "ext4" or "nfs4"; "unknown" where the system does not tell."""
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "unknown"
    resolved = folder.resolve()
    found, longest = "unknown", -1
    for line in mounts:
        fields, _, described = line.partition(" - ")
        place = _OCTAL.sub(lambda found: chr(int(found[1], 8)), fields.split()[4])
        if resolved.is_relative_to(place) and len(place) >= longest:  # of several mounts at one place, the last one
            found, longest = described.split()[0], len(place)
    return found


def is_on_a_network(file_system: str) -> bool:
    """Whether other machines may share what is on a file system of this type."""
    return file_system.startswith(_NETWORK_SYSTEMS)
