"""Times with their unit, for readers."""

from decimal import Decimal


def readable_seconds(seconds: float, digits: int = 4, ms_below: float = 0.1) -> str:
    """A time with its unit and ``digits`` significant digits: "12.30 µs", "8.584 s", "2.10 h"."""
    # The rounded time decides the unit, so that "1000 µs" and "3,600 s" do not occur.
    rounded = float(f"{seconds:.{digits}g}")
    for limit, factor, unit in ((0.001, 1e6, "µs"), (ms_below, 1e3, "ms"), (3600, 1.0, "s")):
        if rounded < limit:
            value = Decimal(f"{seconds * factor:.{digits - 1}e}")
            decimals = max(0, digits - 1 - value.adjusted())
            return f"{value:,.{min(decimals, digits)}f} {unit}"
    return f"{seconds / 3600:,.2f} h"
