"""What a time depends on besides the variant: machine, software, the commit of the code, and the GPU's clocks.

Facts that cannot be determined are null or left out; that is not an error. No fact names a user, host or folder.
"""

import hashlib
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path
from typing import Any

from . import __version__
from .device import host_machine

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
# The reasons that a GPU imposes under load. The others are idling, and clocks that someone set.
SLOWDOWNS = {"sw_power_cap", "hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"}


def software_and_machine() -> dict[str, Any]:
    """Versions, processor, operating system, and the commit of the code, as JSON values."""
    return {
        "warpath": __version__,
        "git": _git(),
        "python": platform.python_version(),
        "packages": {name: version for name in _PACKAGES if (version := _version(name))},
        "os": platform.platform(),
        "processor": host_machine.processor_name(),
        "cores": os.cpu_count(),
        "cores_usable": host_machine.core_count(),
        "machine": _machine(),
    }


def gpu_state(describe: dict[str, Any]) -> dict[str, Any] | None:
    """The current clocks (MHz), temperature, power and reasons for throttling; ``describe`` describes the device.

    None for a device that is no GPU, or if nvidia-smi gives no answer.
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


def _machine() -> str | None:
    """The running kernel, whose cores and memory runs share, as a hash that names no host."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    return hashlib.sha256(boot.encode()).hexdigest()[:16]


def _number(text: str) -> float | int | None:
    """A number of nvidia-smi's answer, None for "[N/A]" and the like."""
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
    """The commit of the package's files, and whether tracked files differ from it; None outside git."""
    git = ("git", "-C", str(Path(__file__).parent))
    # An installed copy may lie inside another repository, whose commit says nothing about it.
    if _output(*git, "ls-files", "--error-unmatch", Path(__file__).name) is None:
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
    """The output of ``command``, or None if the command is missing, fails or hangs."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE_S, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout.strip()
