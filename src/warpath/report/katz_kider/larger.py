"""Runs on graphs larger than the paper's: seconds, and how they compare with the first run on the same graph."""

from ..labels import spelled
from . import printed
from .printed import table_line, three_digits, time_text
from .runs import Run


def larger_markdown(runs: list[Run]) -> str:
    """For reading: a line for each run, graph by graph."""
    lines = [
        "# Larger graphs: blocked all pairs",
        "",
        table_line(["Nodes", "Memory", "Variant", "Parameters", "Time", "Against the first"]),
        table_line(["---:", "---:", "---", "---", "---:", "---:"]),
    ]
    for dataset in dict.fromkeys(run.dataset for run in runs):
        first, *others = [run for run in runs if run.dataset == dataset]
        lines += [_printed(first, "–"), *(_printed(run, _against(first, run)) for run in others)]
    notes = [*printed.simulation_notes(runs), f"{printed.devices_and_dates(runs)}."]
    notes.append("Memory is that of both matrices. Against the first: the seconds of a graph's first run over these.")
    notes += printed.timing_notes(runs)
    return "\n".join([*lines, "", *(f"- {note}" for note in notes)]) + "\n"


def _printed(run: Run, against: str) -> str:
    time = time_text(run.seconds, run.status)
    graph = [f"{run.nodes:,}", printed.matrices_size(run.nodes)]
    return table_line([*graph, spelled(run.variant), run.asked or "–", time, against])


def _against(first: Run, run: Run) -> str:
    """``2.61×``, estimated if one of the two is; none without both times, or where they are of different devices."""
    comparable = first.device == run.device or "cpu" in (first.device_kind, run.device_kind)
    if not (first.seconds and run.seconds and comparable):
        return "–"
    estimated = "~" if "estimated" in (first.status, run.status) else ""
    return f"{estimated}{three_digits(first.seconds / run.seconds)}×"
