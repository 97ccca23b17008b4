"""The load of the host during a measurement: runnable threads, and the cores that other processes keep busy."""

import os
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

PROC = Path("/proc")
# The columns of a line of /proc/stat in which a core does something: user, nice, system, irq, softirq, steal.
_BUSY = (0, 1, 2, 5, 6, 7)


@dataclass(frozen=True)
class HostLoad:
    """A moment: the load average of a minute, the threads that run or could, and seconds since some start.

    ``busy_s`` are those of all cores, ``own_s`` those of this process.
    """

    load_1_min: float
    runnable: int
    busy_s: float
    own_s: float
    at_s: float


def host_load() -> HostLoad | None:
    """The load now; None if the system does not tell."""
    try:
        average, _, _, threads, _ = (PROC / "loadavg").read_text(encoding="ascii").split()
        ticks = [int(text) for text in (PROC / "stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:]]
        busy_s = sum(ticks[column] for column in _BUSY) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return None
    own_s = sum(os.times()[:4])
    return HostLoad(float(average), int(threads.partition("/")[0]), busy_s, own_s, perf_counter())


def load_between(before: HostLoad | None, after: HostLoad | None) -> dict[str, Any] | None:
    """The load at two moments, and the mean number of cores that other processes kept busy between them."""
    if before is None or after is None:
        return None
    states = {
        name: {"load_1_min": state.load_1_min, "runnable": state.runnable}
        for name, state in (("before", before), ("after", after))
    }
    others_s = (after.busy_s - before.busy_s) - (after.own_s - before.own_s)
    return {**states, "cores_of_others": max(0.0, others_s / (after.at_s - before.at_s))}
