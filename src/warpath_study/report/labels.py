"""Text forms of names and numbers in tables and figures."""

import re
from collections.abc import Iterable
from decimal import Decimal

_LABELS = {
    "bellman_ford": "Bellman-Ford",
    "dijkstra": "Dijkstra",
    "floyd_warshall": "Floyd-Warshall",
    "cpu": "CPU",
    "cpu_blocked": "CPU, Blocked",
    "cpu_branching": "CPU, Branching",
    "cpu_branchless": "CPU, Branchless",
    "cpu_tuned": "CPU, Tuned",
    "out_of_core": "Out of Core",
    "ell": "ELL",
    "stride_flag": "Stride with Flag",
    "tiled_shared": "Tiled with Shared Memory",
}

# Parameters that describe the machine: their unit in the singular and the plural.
_MACHINE_PARAMETERS = {"devices": ("GPU", "GPUs"), "device_memory_limit_mib": ("MiB", "MiB")}


def algorithm_label(name: str) -> str:
    """The label of an algorithm or a variant: ``stride_flag`` is "Stride with Flag"."""
    return _LABELS.get(name, name.replace("_", " ").title())


def run_label(column: str) -> str:
    """The label of a run: ``locality.k=4`` is "Locality, k = 4"."""
    variant, _, parameters = column.partition(".")
    return with_parameters(algorithm_label(variant), parameters)


def with_parameters(label: str, parameters: str) -> str:
    """``label`` and the parameters that it lacks: "Locality, k = 4"."""
    texts = map(_parameter_text, filter(None, re.split("[+,]", parameters)))
    return ", ".join([label, *(text for text in texts if text not in label)])


def with_machine_parameters(label: str, parameters: str) -> str:
    """``label`` and the parameters that describe the machine: "Several Devices, 2 GPUs"."""
    of_machine = [part for part in parameters.split(",") if part.partition("=")[0] in _MACHINE_PARAMETERS]
    return with_parameters(label, ",".join(of_machine))


def _parameter_text(part: str) -> str:
    name, _, value = part.partition("=")
    if name in _MACHINE_PARAMETERS:
        one, several = _MACHINE_PARAMETERS[name]
        return f"{value} {one if value == '1' else several}"
    return f"{name.replace('_', ' ')} = {value}"


def short_count(count: int) -> str:
    """A rounded count: 733,846 is "734K", 8,778,114 is "8.8M", 9,216 is "9,216"."""
    if count < 10_000:
        return f"{count:,}"
    if count < 999_500:
        return f"{count / 1000:.0f}K"
    return f"{count / 1_000_000:.1f}M"


def device_title(name: str) -> str:
    """A device's name without its memory: "NVIDIA H100 80GB HBM3" is "NVIDIA H100"."""
    return re.sub(r"[- ]\d+ ?GB\b.*", "", name)


def plain_number(value: float, digits: int) -> str:
    """A number with thousands separators and at most ``digits`` significant digits: "9.19", "1,660"."""
    return f"{Decimal(f'{value:.{digits}g}'):,f}"


def three_digits(value: float) -> str:
    return significant(value, 3)


def two_digits(value: float) -> str:
    return significant(value, 2)


def significant(value: float, digits: int) -> str:
    """So many significant digits, with trailing zeros: "2.10", "0.997", "1,300"."""
    return f"{Decimal(f'{value:#.{digits}g}'):,f}"


def plain_seconds(seconds: float) -> str:
    """A time for a CSV file, six significant digits and no exponent: 0.000012, 1137.63."""
    return f"{Decimal(f'{seconds:.6g}'):f}"


def date_range(dates: Iterable[str]) -> str:
    """The first and the last date, "2026-03-01 to 2026-03-02", or the only one; "" without a date."""
    known = sorted({date for date in dates if date})
    return " to ".join(known if len(known) < 2 else (known[0], known[-1]))


def prose_list(names: Iterable[object]) -> str:
    """A list in prose: "a", "a and b", "a, b and c"; with commas in a name, outside brackets, "a; b, c; d"."""
    texts = [str(name) for name in names]
    if len(texts) > 1 and any(", " in re.sub(r"\(.*?\)", "", text) for text in texts):
        return "; ".join(texts)
    return " and ".join(filter(None, (", ".join(texts[:-1]), *texts[-1:])))


def unique(names: Iterable[str]) -> list[str]:
    """The different names, in order of first appearance."""
    return list(dict.fromkeys(names))
