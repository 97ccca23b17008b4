"""Names of temporary files beside a target: no two writers share one, and what killed writers left can be told.

``.STEM.MACHINE-PROCESS-TOKEN.part.SUFFIX``: the token differs by process, thread and container. The suffix stays at
the end, because numpy and matplotlib choose the format by it.
"""

import contextlib
import functools
import hashlib
import os
import platform
import re
import secrets
import time
from pathlib import Path

_ABANDONED_S = 24 * 3600.0
_STEM_BYTES_MAX = 120
_MADE = re.compile(r"(?P<machine>[0-9a-f]{12})-(?P<process>\d{1,10})-[0-9a-f]{16}\.part")


def temporary_name(target: Path) -> str:
    """A new name for a temporary file beside ``target``."""
    return f"{_beginning(target)}{_machine()}-{os.getpid()}-{secrets.token_hex(8)}.part{target.suffix}"


def sweep(target: Path) -> None:
    """Remove the temporary files of ``target`` whose process was killed.

    Processes of this machine can be looked up. A file of another machine or container goes a day after its last change.
    """
    beginning, suffix = _beginning(target), target.suffix
    with contextlib.suppress(OSError), os.scandir(target.parent) as entries:
        for entry in entries:
            if not (entry.name.startswith(beginning) and entry.name.endswith(suffix)):
                continue
            made = _MADE.fullmatch(entry.name[len(beginning) : len(entry.name) - len(suffix)])
            with contextlib.suppress(OSError):
                if made and _is_left_over(made["machine"], int(made["process"]), entry.stat(follow_symlinks=False)):
                    os.unlink(entry.path)


def _beginning(target: Path) -> str:
    stem = target.stem
    if len(os.fsencode(stem)) > _STEM_BYTES_MAX:  # a name that just fits has to fit with the rest, too
        stem = hashlib.sha256(os.fsencode(stem)).hexdigest()[:32]
    return f".{stem}."


def _is_left_over(machine: str, process: int, found: os.stat_result) -> bool:
    if machine == _machine():
        return not _is_alive(process)
    return time.time() - found.st_mtime > _ABANDONED_S


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass
    return True


@functools.cache
def _machine() -> str:
    """A hash of what processes that see each other share: the host's name, this start of it, its process numbers."""
    facts = [platform.node()]
    with contextlib.suppress(OSError):
        facts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
    with contextlib.suppress(OSError):
        facts.append(os.readlink("/proc/self/ns/pid"))
    return hashlib.sha256("\0".join(facts).encode("utf-8", "surrogateescape")).hexdigest()[:12]
