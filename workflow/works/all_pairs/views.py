"""Views of all pairs in parts: a table of statistics, a histogram of distances, and the time for each source."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from warpath.errors import UsageError
from warpath.system.durations import readable_seconds
from warpath_study.record import StatisticsFacts, read_record
from warpath_study.report import style
from warpath_study.report.cells import Data, cells
from warpath_study.report.chart_data import device_titles, measured_text
from warpath_study.report.labels import plain_number, prose_list
from warpath_study.report.notes import code_notes, condition_notes, hash_notes, measured_on, simulation_notes
from warpath_study.report.runs import Cell
from warpath_study.report.table import Line, Table, comparison, csv_number, readable_count
from warpath_study.works.claims import claim

# The phases of a source, in the order of the bars.
PHASES = {"solve_s": "solve", "certify_s": "certify", "reduce_s": "reduce"}
_MICROSECONDS = 1e6


def statistics(data: Data) -> Table:
    """A line for each graph."""
    runs = data.measured
    if not runs:
        raise UsageError(f"{data.target.name}: no run has a record; make the parts first")
    return Table(
        title=data.target.fields.title,
        lines=[_csv_line(run) for run in runs],
        comparison=comparison(cells(data)),
        readable=[_readable_line(run) for run in runs],
        notes=[
            *simulation_notes(runs),
            *code_notes(runs),
            "Distances follow the arcs, from the sources. Diameter: the largest distance of a pair with a path. "
            "Radius: the smallest eccentricity of a source that reaches every vertex. Mean distance: over pairs of "
            "two different vertices with a path.",
            "Time a source: mean time to solve, certify and reduce its row. Total: the time of all jobs together, "
            "which also prepare the graph and write rows.",
            *(_job_note(run) for run in runs),
            f"{measured_on(runs)} Every row was certified.",
            *condition_notes(runs),
            *hash_notes(runs),
        ],
        text_columns=["Graph"],
    )


def _csv_line(run: Cell) -> Line:
    more = run.more
    counts = {"vertices": run.vertices, "arcs": run.arcs, "rows": more["rows"], "pairs": more["pairs"]}
    seconds = {"source_s": more["source_s"], **{phase: more[phase] for phase in PHASES}, "seconds": run.seconds}
    return {
        "row": run.row,
        "dataset": run.dataset,
        **{name: csv_number(count) for name, count in counts.items()},
        **{name: _text(more[name]) for name in ("diameter", "radius", "mean_distance")},
        **{name: csv_number(value) for name, value in seconds.items()},
        "run": run.run,
        "solved_by": more["solved_by"],
        "status": run.status,
        "parts": str(more["parts"]),
    }


def _readable_line(run: Cell) -> Line:
    more = run.more
    phases = [readable_seconds(more[phase] / more["rows"]) for phase in PHASES]
    return {
        "Graph": run.row,
        "Vertices": readable_count(run.vertices),
        "Sources": readable_count(more["rows"]),
        "Pairs with a path": readable_count(more["pairs"]),
        "Diameter": _text(more["diameter"]),
        "Radius": _text(more["radius"]) or "–",
        "Mean distance": "–" if more["mean_distance"] is None else plain_number(more["mean_distance"], 6),
        "Time a source": readable_seconds(more["source_s"]),
        **dict(zip(("Solve", "Certify", "Reduce"), phases, strict=True)),
        "Total": readable_seconds(run.seconds or 0.0),
    }


def _job_note(run: Cell) -> str:
    """The jobs, the solver and the stored values of a line."""
    parts = run.more["parts"]
    jobs = "one job" if parts == 1 else f"{parts:,} jobs"
    parameters = dict(pair.split("=") for pair in run.asked.split(",") if pair)
    stored = []
    if parameters.get("nearest", "0") != "0":
        stored.append(f"{parameters['nearest']} nearest vertices of each source")
    if parameters.get("store") == "1":
        stored.append("all rows in a store")
    return f"{run.row}: {jobs}, by {run.more['solved_by']}{'; stored: ' + prose_list(stored) if stored else ''}."


def histogram(data: Data) -> Figure:
    """A panel for each graph: the share of each distance among the pairs with a path."""
    complete = {run.dataset: _read_statistics(run) for run in data.measured if run.more["rows"] == run.vertices}
    if not complete:
        raise UsageError(f"{data.target.name}: no graph has all of its pairs; make their parts first")
    figure = style.new_figure()
    panels = figure.subplots(len(complete), 1, squeeze=False)[:, 0]
    for axes, (dataset, statistics) in zip(panels, complete.items(), strict=True):
        _draw_histogram(axes, dataset, statistics)
    panels[-1].set_xlabel("Distance")
    legend: style.Legend = [(Line2D([], [], **_MEAN), "Mean")]
    return _finish(figure, data, "share of each distance", legend, 1.4 * len(panels))


_MEAN: dict[str, Any] = {"color": style.INK, "linewidth": 0.8, "linestyle": (0, (3, 2))}


def _draw_histogram(axes: Axes, dataset: str, statistics: StatisticsFacts) -> None:
    edges = np.arange(len(statistics.histogram) + 1) * statistics.bin_width
    share = np.array(statistics.histogram) / max(1, statistics.pairs)
    axes.stairs(share, edges, fill=True, color="#0072B2")
    axes.set_title(dataset)
    axes.set_ylabel("Share of pairs")
    axes.set_xlim(0, edges[-1])
    axes.set_ylim(bottom=0)
    axes.locator_params(nbins=4)
    axes.xaxis.set_major_formatter("{x:,.10g}")
    if statistics.mean_distance is not None:
        axes.axvline(statistics.mean_distance, **_MEAN)


def cost(data: Data) -> Figure:
    """Time for each source over the number of sources, as stacked bars of solve, certify and reduce."""
    lines = sorted((run.more for run in data.measured), key=lambda more: more["rows"])
    if not lines:
        raise UsageError(f"{data.target.name}: there is no time to draw; make the parts first")
    figure = style.new_figure()
    axes = figure.add_subplot(xlabel="Sources", ylabel="Microseconds a source")
    counts = [line["rows"] for line in lines]
    base = np.zeros(len(lines))
    legend: style.Legend = []
    for look, (phase, label) in zip(style.looks_of(len(PHASES)), PHASES.items(), strict=True):
        heights = np.array([line[phase] / line["rows"] for line in lines]) * _MICROSECONDS
        fill = {"color": look.colour, "hatch": look.hatch, "edgecolor": "white"}
        legend.append((axes.bar(range(len(lines)), heights, bottom=base, width=0.6, **fill), label))
        base += heights
    axes.set_xticks(range(len(lines)), [f"{count:,}" for count in counts])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.tick_params(axis="x", length=0)
    return _finish(figure, data, "mean time of each phase for a source", legend, 2.0)


def _finish(figure: Figure, data: Data, shown: str, legend: style.Legend, axes_inches: float) -> Figure:
    """The figure with a caption of what is ``shown``, devices and dates."""
    where, caption = device_titles(data.measured), f"{measured_text(shown, data.measured)}."
    return style.finish(figure, data.target.fields.title, where, caption, legend, axes_inches)


def _read_statistics(run: Cell) -> StatisticsFacts:
    statistics = read_record(run.record).reductions
    assert statistics is not None  # every record of such a run has them
    return statistics


def _text(number: float | None) -> str:
    return "" if number is None else f"{number:.15g}"


@claim(
    "a source of a thousand costs what a source of all costs",
    runs="sources",
    setting="solved, certified and reduced; jobs of one device each",
    about=["cost"],
)
def _(t):
    return t.fact("source_s", "reductions.first=1000+nearest=8") / t.fact("source_s", "reductions.nearest=8")
