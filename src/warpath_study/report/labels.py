"""How names and numbers are printed in tables and figures."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal

from warpath.names import UNPRINTABLE

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

# Parameters that read better as a quantity: their unit in the singular and the plural.
_PARAMETERS = {"devices": ("GPU", "GPUs"), "device_memory_limit_mib": ("MiB", "MiB")}


def spelled(name: str) -> str:
    """An algorithm's or a variant's name for readers: ``stride_flag`` is "Stride with Flag", as in the paper."""
    return _SPELLED.get(name, name.replace("_", " ").title())


def run_label(column: str) -> str:
    """A run's name for readers: ``locality.k=4`` is "Locality, k = 4"."""
    variant, _, asked = column.partition(".")
    return ", ".join([spelled(variant), *(_parameter(part) for part in re.split("[+,]", asked) if part)])


def with_quantities(label: str, asked: str) -> str:
    """``label`` and the parameters in ``asked`` that describe the machine: "Several Devices, 2 GPUs"."""
    given = [part for part in asked.split(",") if part.partition("=")[0] in _PARAMETERS]
    return ", ".join([label, *(text for text in map(_parameter, given) if text not in label)])


def _parameter(part: str) -> str:
    name, _, value = part.partition("=")
    if name in _PARAMETERS:
        one, several = _PARAMETERS[name]
        return f"{value} {one if value == '1' else several}"
    return f"{name.replace('_', ' ')} = {value}"


def short_count(count: int) -> str:
    """A count in the form of the published axes, rounded: 733,846 is "734K", 8,778,114 is "8.8M"."""
    if count < 10_000:
        return str(count)
    if count < 999_500:
        return f"{count / 1000:.0f}K"
    return f"{count / 1_000_000:.1f}M"


def axis_counts(counts: Sequence[int]) -> list[str]:
    """Counts along an axis, in one form: "4K", "16K" if all are multiples of 1,000, else "512", "1024"."""
    if all(count % 1000 == 0 for count in counts):
        return [f"{count // 1000}K" for count in counts]
    return [str(count) for count in counts]


def plain_number(value: float, digits: int) -> str:
    """At most ``digits`` significant digits, with thousands separators and no exponent: "9.19", "1,660"."""
    return f"{Decimal(f'{value:.{digits}g}'):,f}"


def three_digits(value: float) -> str:
    """Three significant digits, with trailing zeros: "2.10", "0.997", "1,300"."""
    return f"{Decimal(f'{value:#.3g}'):,f}"


def plain_seconds(seconds: float) -> str:
    """Six significant digits and no exponent, for a CSV file: 0.000012, 1137.63."""
    return f"{Decimal(f'{seconds:.6g}'):f}"


def date_range(dates: Iterable[str]) -> str:
    """One date, or the first and the last: "2026-03-01 to 2026-03-02"; empty without a date."""
    known = sorted({date for date in dates if date})
    return " to ".join(known if len(known) < 2 else (known[0], known[-1]))


def printable(text: str) -> str:
    """``text`` with a replacement character in place of each character that XML and HTML do not allow."""
    return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def listed(names: Iterable[object]) -> str:
    """A list in prose: "a", "a and b", "a, b and c"."""
    texts = [str(name) for name in names]
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def each(names: Iterable[str]) -> list[str]:
    """Each of the names once, in their order."""
    return list(dict.fromkeys(names))
