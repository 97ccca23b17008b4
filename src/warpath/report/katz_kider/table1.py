"""Table 1: seconds by number of vertices, measured beside published."""

from collections.abc import Mapping

from ..comparison import Entry
from ..labels import listed, spelled
from .entries import entries_of
from .printed import devices_and_dates, matrices_size, simulation_notes, table_line, time_text, timing_notes
from .published import COLUMNS
from .runs import ALL_PAIRS, CAIDA, Run

VARIANTS = ("blocked", "register_blocked", "several_devices", "out_of_core", "cpu_tuned")


def table1_markdown(runs: list[Run], table1: Mapping[int, Mapping[str, str]]) -> str:
    """For reading: the measured columns, then the published ones in brackets."""
    entries = entries_of(runs, table1, ALL_PAIRS, VARIANTS)
    variants = [variant for variant in VARIANTS if any(entry.variant == variant for entry in entries)]
    lines = [
        "# Table 1: blocked all pairs",
        "",
        table_line(["Nodes", "Memory", *map(spelled, variants), "Han et al."]),
        table_line(["---:"] * (3 + len(variants))),
    ]
    for row in dict.fromkeys(entry.row for entry in entries):
        cells = {entry.variant: entry for entry in entries if entry.row == row}
        nodes = next(iter(cells.values())).nodes
        printed = [_cell(cells[variant]) if variant in cells else "–" for variant in variants]
        han = table1.get(int(row), {}).get("cpu_tuned_han", "")
        lines.append(table_line([f"{nodes:,}", matrices_size(nodes), *printed, f"({han} s)" if han else "–"]))
    devices = devices_and_dates([run for run in runs if run.row != CAIDA])
    notes = [*simulation_notes(entries), f"{devices}."]
    notes.append(f"Memory is that of both matrices. In brackets what the paper prints: {_origins()}.")
    notes += timing_notes(entries)
    asked = list(dict.fromkeys(f"{spelled(run.variant)}: {run.asked}" for run in runs if run.asked))
    if asked:
        notes.append(f"Parameters: {listed(asked)}.")
    return "\n".join([*lines, "", *(f"- {note}" for note in notes)]) + "\n"


def _cell(entry: Entry) -> str:
    published = f" ({entry.published_seconds} s)" if entry.published_seconds and entry.comparable else ""
    return f"{time_text(entry.seconds, entry.status)}{published}"


def _origins() -> str:
    words = {"single_gpu": "a Quadro FX 5600", "dual_gpu": "two GeForce 8800 GT", "cpu_tuned_authors": "a Xeon 2.8 GHz"}
    return "; ".join(f"{spelled(COLUMNS[column])} on {where}" for column, where in words.items())
