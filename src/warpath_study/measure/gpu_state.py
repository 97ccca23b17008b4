"""The state of a GPU during a measurement: clocks, temperature, power, and reasons for throttling."""

from typing import Any

from warpath.system.software import output_of

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
