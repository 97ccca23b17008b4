"""How this work's tables print what is measured: a line, memory, a time, and the notes on how it was measured."""

from collections.abc import Sequence
from decimal import Decimal

from ..comparison import Entry
from ..labels import date_range, listed, readable_seconds
from .runs import Run

CELL_BYTES = 8  # an intermediate vertex and a length


def table_line(cells: list[str]) -> str:
    """A line of a table in Markdown."""
    return f"| {' | '.join(cells)} |"


def matrices_size(nodes: int) -> str:
    """What both matrices of so many vertices take, in decimal units, as the paper has them."""
    size_bytes = CELL_BYTES * nodes**2
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size_bytes >= factor:
            return f"{three_digits(size_bytes / factor)} {unit}"
    return f"{size_bytes} B"


def three_digits(value: float) -> str:
    """Three significant digits, zeros among them: "2.10", "0.997", "1,300"."""
    return f"{Decimal(f'{value:#.3g}'):,f}"


def time_text(seconds: float | None, status: str) -> str:
    """A run's time; ``~`` marks an estimate."""
    if seconds is None:
        return "out of memory"
    return f"{'~' if status == 'estimated' else ''}{readable_seconds(seconds)}"


def devices_and_dates(runs: Sequence[Run]) -> str:
    """On what the runs were made, and when."""
    return f"{listed(list(dict.fromkeys(run.device for run in runs)))}, {date_range([run.date for run in runs])}"


def simulation_notes(runs: Sequence[Run | Entry]) -> list[str]:
    """What would mislead if it were overlooked, to stand before all other notes."""
    return ["**Host simulation, not GPU times**."] if any(run.device_kind == "host" for run in runs) else []


def timing_notes(runs: Sequence[Run | Entry]) -> list[str]:
    """What a time is, and what was proved."""
    notes = ["A time is the median of all runs, copies and predecessors included. Every answer was certified."]
    if any(run.status == "estimated" for run in runs):
        notes.append("~ Estimated from the first iterations; the answer was certified on a part of the graph.")
    return notes
