"""The processor, cores and memory of this machine."""

import os
import platform
from functools import cache
from itertools import takewhile
from pathlib import Path

LARGE_BYTES = 64 << 20
"""Smaller allocations do not check the free memory: the check takes longer than a small solve."""
_CONTROL_GROUPS = Path("/sys/fs/cgroup")
# The keys of /proc/cpuinfo that describe the instruction set, on x86 and on ARM.
_FEATURE_KEYS = {"vendor_id", "flags", "CPU implementer", "CPU part", "Features"}


@cache
def processor_name() -> str:
    """The processor's model name, or its architecture if the name is not known."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "Model") and value.strip():
                return value.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


@cache
def processor_features() -> str:
    """A description that is equal for processors that can run each other's ``-march=native`` code; "" if unknown."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            first_core = [line.partition(":") for line in takewhile(str.strip, file)]
    except OSError:
        return ""
    return "\n".join(f"{key.strip()} {value.strip()}" for key, _, value in first_core if key.strip() in _FEATURE_KEYS)


def core_count() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def memory_bytes() -> tuple[int, int]:
    """(free, total) bytes of memory for this process, within the limits of its control groups."""
    free, total = _machine_memory()
    try:
        memberships = Path("/proc/self/cgroup").read_text(encoding="utf-8")
    except OSError:
        memberships = ""
    for limit_bytes, used_bytes in control_group_limits(memberships, _CONTROL_GROUPS):
        total = min(total, limit_bytes)
        free = min(free, max(0, limit_bytes - used_bytes))
    return free, total


def _machine_memory() -> tuple[int, int]:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        return total, total
    kibibytes = {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}
    return kibibytes["MemAvailable"] * 1024, kibibytes["MemTotal"] * 1024


def control_group_limits(memberships: str, root: Path) -> list[tuple[int, int]]:
    """(limit, used) bytes of each control group that limits the memory of a process, without cached files.

    ``memberships`` is the text of /proc/self/cgroup (version 1 or 2), ``root`` the folder where the groups are mounted.
    In a container, the process's own group may be missing there, but not the groups above it.
    """
    limits = []
    for membership in memberships.splitlines():
        _, controllers, path = membership.split(":", 2)
        if controllers == "":
            mounted, limit, used, cached = root, "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            mounted = root / "memory"
            limit, used, cached = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        group = mounted / path.lstrip("/")
        for folder in (group, *group.parents):
            if not folder.is_relative_to(mounted):
                break
            try:
                limit_bytes = int((folder / limit).read_text(encoding="ascii"))
                used_bytes = int((folder / used).read_text(encoding="ascii"))
                statistics = (folder / "memory.stat").read_text(encoding="ascii").split()
            except (OSError, ValueError):  # missing, or "max": no limit
                continue
            cached_bytes = int(statistics[statistics.index(cached) + 1])
            limits.append((limit_bytes, used_bytes - cached_bytes))
    return limits
