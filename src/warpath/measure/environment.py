"""What a time depends on beside the variant: machine, software, the state of the code, and the GPU's clocks.

Everything here is told as far as it can be found out; what cannot is null or left out, and never an error. Nothing
names the user, his machine or his folders.
"""

import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from ..device import host_machine
from ..sources import PACKAGE_ROOT

_PACKAGES = ("numpy", "numba", "scipy", "cupy-cuda12x", "cupy-cuda13x", "cupy")
_PATIENCE_S = 20

_GPU_FIELDS = {
    "driver": "driver_version",
    "sm_clock_mhz": "clocks.current.sm",
    "sm_clock_max_mhz": "clocks.max.sm",
    "memory_clock_mhz": "clocks.current.memory",
    "memory_clock_max_mhz": "clocks.max.memory",
    "temperature_c": "temperature.gpu",
    "power_w": "power.draw",
    "power_limit_w": "power.limit",
    "throttle_reasons": "clocks_throttle_reasons.active",
}
# Bits of NVML's nvmlClocksThrottleReasons (nvml.h).
_THROTTLE_REASONS = {
    0x001: "gpu_idle",
    0x002: "applications_clocks_setting",
    0x004: "sw_power_cap",
    0x008: "hw_slowdown",
    0x010: "sync_boost",
    0x020: "sw_thermal_slowdown",
    0x040: "hw_thermal_slowdown",
    0x080: "hw_power_brake_slowdown",
    0x100: "display_clock_setting",
}
# What a GPU does to itself under load, unlike idling and clocks that someone set.
SLOWDOWNS = {"sw_power_cap", "hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"}


def software_and_machine() -> dict[str, Any]:
    """Versions, processor, operating system, and the commit of the code, as JSON values."""
    return {
        "warpath": importlib.metadata.version("warpath"),
        "git": _git(),
        "python": platform.python_version(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
        "os": platform.platform(),
        "processor": host_machine.processor_name(),
        "cores": os.cpu_count(),
        "cores_usable": host_machine.core_count(),
    }


def gpu_state(describe: dict[str, Any]) -> dict[str, Any] | None:
    """Clocks (MHz), temperature, power and what holds the clocks down, now; ``describe`` is the device's description.

    None for a device that is no GPU, or where nvidia-smi does not tell.
    """
    if describe["kind"] != "cuda":
        return None
    answer = _output(
        "nvidia-smi",
        f"--id={describe['pci_bus_id']}",
        f"--query-gpu={','.join(_GPU_FIELDS.values())}",
        "--format=csv,noheader,nounits",
    )
    if answer is None:
        return None
    values = [value.strip() for value in answer.split(",")]
    if len(values) != len(_GPU_FIELDS):
        return None
    state: dict[str, Any] = dict(zip(_GPU_FIELDS, map(_number, values), strict=True))
    state["driver"] = values[0]
    state["throttle_reasons"] = _reasons(values[-1])
    return state


def _number(text: str) -> float | int | None:
    """nvidia-smi's number, None for its "[N/A]" and the like."""
    try:
        return float(text) if "." in text else int(text)
    except ValueError:
        return None


def _reasons(bits: str) -> list[str] | None:
    try:
        active = int(bits, 16)
    except ValueError:
        return None
    return [name for bit, name in _THROTTLE_REASONS.items() if active & bit]


def _git() -> dict[str, Any] | None:
    """The commit that the package's files belong to, and whether tracked files differ from it; None outside git."""
    git = ("git", "-C", str(PACKAGE_ROOT))
    # An installed copy may lie inside someone else's repository, whose commit says nothing about it.
    if _output(*git, "ls-files", "--error-unmatch", Path(__file__).relative_to(PACKAGE_ROOT).as_posix()) is None:
        return None
    commit = _output(*git, "rev-parse", "HEAD")
    changes = _output(*git, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "dirty": None if changes is None else bool(changes)}


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _output(*command: str) -> str | None:
    """What ``command`` prints, or None where it is not there, fails or hangs."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout.strip()
