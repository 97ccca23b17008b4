"""How names and numbers are printed in tables and figures."""

import re
from decimal import Decimal

_SPELLED = {
    "bellman_ford": "Bellman-Ford",
    "dijkstra": "Dijkstra",
    "floyd_warshall": "Floyd-Warshall",
    "cpu": "CPU",
    "cpu_blocked": "CPU, Blocked",
    "cpu_tuned": "CPU, Tuned",
    "out_of_core": "Out of Core",
    "ell": "ELL",
    "stride_flag": "Stride with Flag",
    "tiled_shared": "Tiled with Shared Memory",
}


def spelled(name: str) -> str:
    """An algorithm's or a variant's name for readers: ``stride_flag`` is "Stride with Flag", as in the paper.

    What is no name, such as "Locality, k = 4", is for readers already.
    """
    return _SPELLED.get(name, name.replace("_", " ").title() if name.isidentifier() else name)


def heading(target: str) -> str:
    """``table1`` is "Table 1"; a name of another form stays as it is."""
    match = re.fullmatch(r"([a-z]+)(\d+)", target)
    return f"{match[1].capitalize()} {match[2]}" if match else target


def short_count(count: int) -> str:
    """A count as the published axes have it, cut and not rounded: 733,846 is "733K", 8,778,114 "8.7M"."""
    if count < 10_000:
        return str(count)
    if count < 1_000_000:
        return f"{count // 1000}K"
    return f"{count // 100_000 / 10}M"


def plain_number(value: float, digits: int) -> str:
    """So many significant digits at most, thousands separated and never an exponent: "9.19", "1,660"."""
    return f"{Decimal(f'{value:.{digits}g}'):,f}"


def plain_seconds(seconds: float) -> str:
    """Six significant digits and never an exponent, for a CSV file: 0.000012, 1137.63."""
    return f"{Decimal(f'{seconds:.6g}'):f}"


def readable_seconds(seconds: float) -> str:
    """A time with its unit for a person, four significant digits: "12.30 µs", "8.584 s", "2.10 h"."""
    # Each time is judged as it will be rounded, so that none is printed as "1000 µs" or "3,600 s".
    for limit, factor, unit in ((0.001, 1e6, "µs"), (0.1, 1e3, "ms"), (3600, 1.0, "s")):
        if float(f"{seconds:.4g}") < limit:
            return f"{_four_digits(seconds * factor)} {unit}"
    return f"{seconds / 3600:,.2f} h"


def _four_digits(value: float) -> str:
    rounded = Decimal(f"{value:.3e}")
    decimals = max(0, 3 - rounded.adjusted())
    return f"{rounded:,.{min(decimals, 4)}f}"


def date_range(dates: list[str]) -> str:
    """One date, or the first and the last: "2026-03-01 to 2026-03-02"; empty where there is none."""
    known = sorted({date for date in dates if date})
    return " to ".join(known if len(known) < 2 else (known[0], known[-1]))


def listed(names: list[str]) -> str:
    """A list in prose: "a", "a and b", "a, b and c"."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))
