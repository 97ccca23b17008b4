"""The environment of a measurement: machine, software and commit.

Unknown values are None or left out. No value names a user, host or folder.
"""

import hashlib
import os
import platform
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from warpath import __version__
from warpath.system import host_machine
from warpath.system.software import output_of, package_versions


def software_and_machine() -> dict[str, Any]:
    """Versions, processor, operating system and commit, as JSON values."""
    return {
        "warpath": __version__,
        "git": _git(),
        "python": platform.python_version(),
        "packages": package_versions(),
        "os": platform.platform(),
        "processor": host_machine.processor_name(),
        "cores": os.cpu_count(),
        "cores_usable": host_machine.core_count(),
        "machine": _machine(),
    }


def now() -> str:
    """The moment, as records have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def commit_text(environment: Mapping[str, Any]) -> str:
    """The beginning of the commit of an environment, and whether files differ from it; "" if it is unknown."""
    git = environment.get("git")
    if not isinstance(git, Mapping) or not isinstance(git.get("commit"), str):
        return ""
    return f"{git['commit'][:8]}{' with edits' * bool(git.get('dirty'))}"


def _machine() -> str | None:
    """A hash that identifies the machine since its last boot without naming it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    return hashlib.sha256(boot.encode()).hexdigest()[:16]


def _git() -> dict[str, Any] | None:
    """The commit, and whether tracked files differ from it; None outside git."""
    git = ("git", "-C", str(Path(__file__).parent))
    # An installed copy may be inside another repository.
    if output_of(*git, "ls-files", "--error-unmatch", Path(__file__).name) is None:
        return None
    commit = output_of(*git, "rev-parse", "HEAD")
    changes = output_of(*git, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "dirty": None if changes is None else bool(changes)}
