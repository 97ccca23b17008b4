"""The environment of a measurement: machine, software, commit, and the state of the GPU.

Unknown values are None or left out. No value names a user, host or folder.
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

PACKAGES = ("numpy", "numba", "scipy", "cupy-cuda12x", "cupy-cuda13x", "cupy")
_TIMEOUT_S = 20

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
# The reasons under load; the others are an idle GPU and clocks set by a user.
SLOWDOWNS = {"sw_power_cap", "hw_slowdown", "sw_thermal_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown"}


def software_and_machine() -> dict[str, Any]:
    """Versions, processor, operating system and commit, as JSON values."""
    return {
        "warpath": __version__,
        "git": _git(),
        "python": platform.python_version(),
        "packages": {name: version for name in PACKAGES if (version := version_of(name))},
        "os": platform.platform(),
        "processor": host_machine.processor_name(),
        "cores": os.cpu_count(),
        "cores_usable": host_machine.core_count(),
        "machine": _machine(),
    }


def gpu_state(describe: dict[str, Any]) -> dict[str, Any] | None:
    """Current clocks (MHz), temperature, power and reasons for throttling; None without a GPU or nvidia-smi.

    ``describe`` is the result of ``Device.describe``.
    """
    if describe["kind"] != "cuda":
        return None
    output = output_of(
        "nvidia-smi",
        f"--id={describe['pci_bus_id']}",
        f"--query-gpu={','.join(_GPU_FIELDS.values())}",
        "--format=csv,noheader,nounits",
    )
    values = [value.strip() for value in (output or "").split(",")]
    if len(values) != len(_GPU_FIELDS):
        return None
    state: dict[str, Any] = dict(zip(_GPU_FIELDS, map(_number, values), strict=True))
    state["driver"] = values[0]
    state["throttle_reasons"] = _reasons(values[-1])
    return state


def _machine() -> str | None:
    """A hash that identifies the machine since its last boot without naming it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    return hashlib.sha256(boot.encode()).hexdigest()[:16]


def _number(text: str) -> float | int | None:
    """A number from nvidia-smi; None for "[N/A]"."""
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
    """The commit, and whether tracked files differ from it; None outside git."""
    git = ("git", "-C", str(Path(__file__).parent))
    # An installed copy may be inside another repository.
    if output_of(*git, "ls-files", "--error-unmatch", Path(__file__).name) is None:
        return None
    commit = output_of(*git, "rev-parse", "HEAD")
    changes = output_of(*git, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "dirty": None if changes is None else bool(changes)}


def version_of(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def output_of(*command: str) -> str | None:
    """The output of ``command``; None if it is missing, fails or hangs."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return done.stdout.strip()
