"""Properties of folders: whether they are writable, allow execution, and are on a network."""

import atexit
import errno
import os
import re
import shutil
import tempfile
from pathlib import Path

# The size of a compiled kernel: a full file system still accepts an empty file.
_TRIAL_BYTES = 1 << 17
_NETWORK_SYSTEMS = (
    *("nfs", "lustre", "gpfs", "beegfs", "ceph", "cifs", "smb", "afs", "panfs", "pvfs2", "orangefs", "9p", "wekafs"),
    *("fuse.ceph", "fuse.glusterfs", "fuse.sshfs", "fuse.beegfs"),
)
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")  # _MOUNTS escapes a blank as \040


def folder_of_this_process() -> Path:
    """A new temporary folder, removed when this process ends. May raise OSError."""
    folder = tempfile.mkdtemp(prefix="warpath-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def nearest(folder: Path) -> Path:
    """``folder``, or its nearest parent that exists."""
    path = folder.absolute()
    return next(parent for parent in (path, *path.parents) if os.path.lexists(parent))


def why_unwritable(folder: Path) -> str | None:
    """The reason why ``folder``, which need not exist, cannot be written to; None if it can."""
    try:
        with tempfile.TemporaryFile(dir=nearest(folder), buffering=0) as file:
            if file.write(bytes(_TRIAL_BYTES)) < _TRIAL_BYTES:
                return os.strerror(errno.ENOSPC)
    except OSError as error:
        return error.strerror or str(error)
    return None


def forbids_execution(folder: Path) -> bool:
    """Whether the existing ``folder`` is on a file system mounted with noexec."""
    return bool(os.statvfs(folder).f_flag & os.ST_NOEXEC)


def file_system(folder: Path) -> str:
    """The type of the file system of ``folder``, such as "ext4" or "nfs4"; "unknown" without /proc."""
    try:
        mounts = _MOUNTS.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return "unknown"
    resolved = folder.resolve()
    type_, longest = "unknown", -1
    for line in mounts:
        fields, _, description = line.partition(" - ")
        mounted = _OCTAL.sub(lambda match: chr(int(match[1], 8)), fields.split()[4])
        if (
            resolved.is_relative_to(mounted) and len(mounted) >= longest
        ):  # the last of several mounts at one path counts
            type_, longest = description.split()[0], len(mounted)
    return type_


def is_on_a_network(file_system: str) -> bool:
    """Whether other machines may share a file system of this type."""
    return file_system.startswith(_NETWORK_SYSTEMS)
