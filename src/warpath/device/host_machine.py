"""Facts about the machine that the host device runs on: processor, cores, memory."""

import os
import platform
from pathlib import Path

_CGROUP = Path("/sys/fs/cgroup")


def processor_name() -> str:
    """The processor's model name, as its maker spells it; the architecture where the system does not say."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() in ("model name", "Model") and value.strip():
                return value.strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def core_count() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def memory_bytes() -> tuple[int, int]:
    """(free, total) bytes of memory for this process: the machine's, or its control group's where that has less."""
    free, total = _machine_memory()
    for limit_bytes, used_bytes in _cgroup_limits():
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


def _cgroup_limits() -> list[tuple[int, int]]:
    """(limit, used) bytes of each control group around this process that limits memory; page cache is not used."""
    try:
        memberships = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
    found = []
    for membership in memberships:
        _, controllers, path = membership.split(":", 2)
        if controllers == "":
            root, limit, used, cache = _CGROUP, "memory.max", "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            root = _CGROUP / "memory"
            limit, used, cache = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        group = root / path.lstrip("/")
        for folder in (group, *group.parents):
            if not folder.is_relative_to(root):
                break
            try:
                limit_text = (folder / limit).read_text(encoding="ascii").strip()
                used_bytes = int((folder / used).read_text(encoding="ascii"))
                statistics = dict(
                    line.split() for line in (folder / "memory.stat").read_text(encoding="ascii").splitlines()
                )
            except (OSError, ValueError):
                continue
            if limit_text != "max":
                found.append((int(limit_text), used_bytes - int(statistics.get(cache, 0))))
    return found
