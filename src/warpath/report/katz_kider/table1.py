"""Table 1: seconds by number of vertices, measured beside published."""

from collections.abc import Mapping

from ..labels import date_range, listed, readable_seconds, spelled
from .entries import entries_of
from .published import COLUMNS
from .runs import ALL_PAIRS, CAIDA, Run

VARIANTS = ("blocked", "register_blocked", "several_devices", "out_of_core", "cpu_tuned")
CELL_BYTES = 8  # an intermediate vertex and a length


def table1_markdown(runs: list[Run], table1: Mapping[int, Mapping[str, str]]) -> str:
    """For reading: the measured columns, then the published ones in brackets."""
    entries = entries_of(runs, table1, ALL_PAIRS, VARIANTS)
    variants = [variant for variant in VARIANTS if any(entry.variant == variant for entry in entries)]
    lines = [
        "# Table 1: blocked all pairs",
        "",
        _line(["Nodes", "Memory", *map(spelled, variants), "Han et al."]),
        _line(["---:"] * (3 + len(variants))),
    ]
    for row in dict.fromkeys(entry.row for entry in entries):
        cells = {entry.variant: entry for entry in entries if entry.row == row}
        nodes = next(iter(cells.values())).nodes
        printed = [_cell(cells[variant]) if variant in cells else "–" for variant in variants]
        han = table1.get(int(row), {}).get("cpu_tuned_han", "")
        lines.append(_line([f"{nodes:,}", _size(CELL_BYTES * nodes**2), *printed, f"({han} s)" if han else "–"]))
    notes = [f"{_devices(runs)}. In brackets what the paper prints: {_origins()}."]
    notes.append("A time is the median of all runs, copies and predecessors included. Every answer was certified.")
    if any(entry.status == "estimated" for entry in entries):
        notes.append("~ Estimated from the first iterations; the answer was certified on a part of the graph.")
    if any(entry.device_kind == "host" for entry in entries):
        notes.insert(0, "**Host simulation, not GPU times**.")
    asked = list(dict.fromkeys(f"{spelled(run.variant)}: {run.asked}" for run in runs if run.asked))
    if asked:
        notes.append(f"Parameters: {listed(asked)}.")
    return "\n".join([*lines, "", *(f"- {note}" for note in notes)]) + "\n"


def _cell(entry) -> str:
    published = f" ({entry.published_seconds} s)" if entry.published_seconds and entry.comparable else ""
    if entry.seconds is None:
        return f"out of memory{published}"
    return f"{'~' if entry.status == 'estimated' else ''}{readable_seconds(entry.seconds)}{published}"


def _origins() -> str:
    words = {"single_gpu": "a Quadro FX 5600", "dual_gpu": "two GeForce 8800 GT", "cpu_tuned_authors": "a Xeon 2.8 GHz"}
    return listed([f"{spelled(COLUMNS[column])} {where}" for column, where in words.items()])


def _devices(runs: list[Run]) -> str:
    names = listed(list(dict.fromkeys(run.device for run in runs if run.row != CAIDA)))
    return f"{names}, {date_range([run.date for run in runs])}"


def _size(size_bytes: int) -> str:
    """Decimal units, as the paper has them."""
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size_bytes >= factor:
            return f"{size_bytes / factor:.3g} {unit}"
    return f"{size_bytes} B"


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
