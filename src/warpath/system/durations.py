"""Times with their unit, for readers."""

from collections.abc import Iterable
from decimal import Decimal

_IN_A_SECOND = {"µs": 1e6, "ms": 1e3, "s": 1.0, "h": 1 / 3600}


def readable_seconds(seconds: float, digits: int = 3, ms_below: float = 0.1, unit: str | None = None) -> str:
    """A time with its unit and ``digits`` significant digits: "12.3 µs", "8.58 s", "2.10 h".

    By default, the unit suits the time.
    """
    unit = unit or _unit_of(seconds, digits, ms_below)
    if unit == "h":
        return f"{seconds / 3600:,.{digits - 1}f} h"
    value = Decimal(f"{seconds * _IN_A_SECOND[unit]:.{digits - 1}e}")
    decimals = max(0, digits - 1 - value.adjusted()) if value else 0
    return f"{value:,.{decimals}f} {unit}"


def common_unit(all_seconds: Iterable[float | None]) -> str | None:
    """The unit of a table of times; None without a time.

    It is that of the middle time, or a larger one if numbers had six digits before the point. It is hours only if all
    times are.
    """
    ordered = sorted(seconds for seconds in all_seconds if seconds is not None)
    if not ordered:
        return None
    units = [_unit_of(seconds, 3, 0.1) for seconds in ordered]
    if units[0] == "h":
        return "h"
    larger = list(_IN_A_SECOND)[list(_IN_A_SECOND).index(units[len(units) // 2]) :]
    return next((unit for unit in larger[:-1] if ordered[-1] * _IN_A_SECOND[unit] < 100_000), "s")


def _unit_of(seconds: float, digits: int, ms_below: float) -> str:
    # The rounded time decides, so that "1000 µs" and "3,600 s" do not occur.
    rounded = float(f"{seconds:.{digits}g}")
    limits = ("µs", 0.001), ("ms", ms_below), ("s", 3600)
    return next((unit for unit, limit in limits if rounded < limit), "h")
