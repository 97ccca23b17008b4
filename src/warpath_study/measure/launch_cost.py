"""What one launch and the wait for it cost on a device, whatever the kernel does.

A variant that waits for every round pays it once a round, and it depends on the host as well: on its processor, its
driver, and what else runs on it. So a record keeps it beside the times.
"""

import statistics
from pathlib import Path

from warpath.device import Device

KERNEL = Path(__file__).with_name("empty.cu")
LAUNCHES = 100
"""Launches that are timed together: a clock of half a microsecond then tells hundredths of one."""
BATCHES = 15


def launch_and_wait_s(device: Device) -> float:
    """The median of BATCHES means over LAUNCHES launches of an empty kernel, in seconds by the device's clock.

    Each launch is waited for before the next, in the loop that variants use. This takes some ten milliseconds on a GPU,
    and before them those for compiling the kernel.
    """
    launch = device.kernel(KERNEL, "empty").bind((1,), (1,), ())
    device.repeat([launch], LAUNCHES)  # the first launch loads the kernel
    device.synchronize()
    seconds = []
    for _ in range(BATCHES):
        start = device.record()
        device.repeat([launch], LAUNCHES)
        seconds.append(device.seconds_between(start, device.record()) / LAUNCHES)
    return statistics.median(seconds)
