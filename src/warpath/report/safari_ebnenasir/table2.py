"""Table 2, measured: what a run of each method takes and does, where the paper's column counts statements."""

from dataclasses import dataclass

from ..csv_text import csv_text
from ..labels import date_range, listed, readable_seconds
from .runs import Run


@dataclass(frozen=True)
class Method:
    """Means a run, over all sources of a graph; the columns in the paper's order, then what they follow from."""

    row: str
    dataset: str
    method: str
    bytes_per_vertex: int
    bytes_per_arc: int
    launches: float
    launches_per_iteration: float
    host_reads: float
    host_reads_per_iteration: float
    atomics: float
    atomics_per_arc: float
    speedup: float | None
    seconds: float


def methods(runs: list[Run]) -> list[Method]:
    """A line for each run."""
    return [
        Method(
            run.row,
            run.dataset,
            run.label,
            run.bytes_per_vertex,
            run.bytes_per_arc,
            run.launches,
            run.launches / run.iterations,
            run.host_reads,
            run.host_reads / run.iterations,
            run.atomics,
            run.atomics / run.edges,
            run.speedup,
            run.seconds,
        )
        for run in runs
    ]


def table2_csv(runs: list[Run]) -> str:
    """The table as a CSV file's text."""
    return csv_text(Method, methods(runs))


def table2_markdown(runs: list[Run]) -> str:
    """The table and what must be known about it."""
    headings = ("Graph", "Method", "Bytes", "Launches", "Host reads", "Atomics", "Speedup over Harish", "Mean time")
    lines = [
        "# Table 2, measured: one run of each method",
        "",
        f"| {' | '.join(headings)} |",
        f"| --- | ---{' | ---:' * (len(headings) - 2)} |",
    ]
    for run, method in zip(runs, methods(runs), strict=True):
        cells = (
            run.dataset,
            run.label,
            f"{run.bytes_per_vertex} V + {run.bytes_per_arc} A",
            f"{run.launches:,.0f} ({method.launches_per_iteration:.2f} an iteration)",
            f"{run.host_reads:,.0f} ({method.host_reads_per_iteration:.2f} an iteration)",
            f"{run.atomics:,.0f} ({method.atomics_per_arc:.2f} an arc)",
            "–" if run.speedup is None else f"{run.speedup:.2f}x",
            readable_seconds(run.seconds),
        )
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join([*lines, "", *(f"- {note}" for note in _notes(runs))]) + "\n"


def _notes(runs: list[Run]) -> list[str]:
    devices = listed(list(dict.fromkeys(run.device for run in runs)))
    counts = listed([str(count) for count in sorted({run.sources for run in runs})])
    notes = [
        f"{devices}, {date_range([run.date for run in runs])}.",
        f"Means over {counts} random sources; every answer was certified to be exact.",
        "A time is that from the allocation on the device until the answer is copied back; the graph is there before.",
        "Bytes: V vertices, A arcs; four bytes a vertex are predecessors, which the paper's programs do not compute.",
        "Launches and host reads include those for the predecessors. Atomics were counted in a run of their own.",
    ]
    if any(run.device_kind == "host" for run in runs):
        notes.insert(0, "**Host simulation, not GPU times**: without a GPU the kernels ran on the CPU.")
    return notes
