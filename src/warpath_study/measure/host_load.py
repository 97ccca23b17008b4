"""The load of the host: what runs, and how long cores were busy, in this process and in all."""

import os
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter

PROC = Path("/proc")
# The columns of a line of /proc/stat in which a core does something: user, nice, system, irq, softirq, steal.
_BUSY = (0, 1, 2, 5, 6, 7)


def host_load() -> dict[str, float] | None:
    """Load average, threads that run or could, and seconds since some start; None if the system does not tell.

    ``busy_s`` are the seconds of all cores, ``own_s`` those of this process.
    """
    try:
        average, _, _, threads, _ = (PROC / "loadavg").read_text(encoding="ascii").split()
        ticks = [int(text) for text in (PROC / "stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]]
        busy_s = sum(ticks[column] for column in _BUSY) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None
    return {
        "load_1_min": float(average),
        "runnable": int(threads.partition("/")[0]),
        "busy_s": busy_s,
        "own_s": sum(os.times()[:4]),
        "at_s": perf_counter(),
    }


def load_of_others(before: Mapping[str, float], after: Mapping[str, float], cores: int) -> float:
    """The part of the cores that other processes kept busy between two results of ``host_load``."""
    passed = {name: after[name] - before[name] for name in ("busy_s", "own_s", "at_s")}
    return max(0.0, (passed["busy_s"] - passed["own_s"]) / (passed["at_s"] * cores))
