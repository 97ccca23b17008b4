"""Views of all pairs in parts: a table of what they come to, the histogram of distances, and the cost of a source."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from warpath.durations import readable_seconds
from warpath.errors import UsageError
from warpath_study.record import ReductionsFacts, read_record
from warpath_study.report import style
from warpath_study.report.cells import Data, cells
from warpath_study.report.labels import listed, plain_number
from warpath_study.report.notes import (
    circumstances,
    code_notes,
    hash_notes,
    is_simulated,
    measured_on,
    simulation_notes,
)
from warpath_study.report.runs import Cell
from warpath_study.report.table import Line, Table, comparison, csv_number, readable_count
from warpath_study.works.claims import claim

# The phases of a row, in the order of the bars.
PHASES = {"solve_s": "solve", "certify_s": "certify", "reduce_s": "reduce"}
_MICROSECONDS = 1e6


def reductions(data: Data) -> Table:
    """A line for each graph."""
    found = data.shown
    if not found:
        raise UsageError(f"{data.target.name}: there is nothing to show; make the parts first")
    return Table(
        title=data.target.fields.title,
        lines=[_csv_line(run) for run in found],
        comparison=comparison(cells(data)),
        shown=[_readable_line(run) for run in found],
        about=[
            *simulation_notes(found),
            *code_notes(found),
            "Distances lead along the arcs, from the sources. Diameter: the greatest of a pair that has a path. "
            "Radius: the least eccentricity of a source that reaches every vertex. Mean: over pairs of two different "
            "vertices that have a path.",
            "A source: mean time to solve, certify and reduce its row. All: the seconds of all jobs together, which "
            "also prepare the graph and write rows.",
            *(_of_line(run) for run in found),
            f"{measured_on(found)} Every row was certified.",
            *circumstances(found),
            *hash_notes(found),
        ],
        left=["Graph"],
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
        "A source": readable_seconds(more["source_s"]),
        **dict(zip(("of it, solve", "certify", "reduce"), phases, strict=True)),
        "All": readable_seconds(run.seconds or 0.0),
    }


def _of_line(run: Cell) -> str:
    """How a row was made."""
    parts = run.more["parts"]
    jobs = "one job" if parts == 1 else f"{parts:,} jobs"
    asked = dict(pair.split("=") for pair in run.asked.split(",") if pair)
    kept = [f"{asked['nearest']} nearest vertices of each source"] if asked.get("nearest", "0") != "0" else []
    kept += ["all rows in a store"] if asked.get("store") == "1" else []
    return f"{run.row}: {jobs}, by {run.more['solved_by']}{'; kept: ' + listed(kept) if kept else ''}."


def histogram(data: Data) -> Figure:
    """A panel for each graph: how many pairs are so far apart, in fractions of those with a path."""
    found = {run.row: _reductions_of(run) for run in data.shown if run.more["rows"] == run.vertices}
    if not found:
        raise UsageError(f"{data.target.name}: no graph has all of its pairs; make their parts first")
    figure = style.new_figure()
    panels = figure.subplots(len(found), 1, squeeze=False)[:, 0]
    for axes, (row, of_row) in zip(panels, found.items(), strict=True):
        _draw_histogram(axes, row, of_row)
    panels[-1].set_xlabel("Distance")
    return _finished(figure, data, ["Dashed: the mean."], [], 1.4 * len(panels))


def _draw_histogram(axes: Axes, row: str, found: ReductionsFacts) -> None:
    edges = np.arange(len(found.histogram) + 1) * found.bin_width
    share = np.array(found.histogram) / max(1, found.pairs)
    axes.stairs(share, edges, fill=True, color="#0072B2")
    axes.set_title(row)
    axes.set_ylabel("Share of pairs")
    axes.set_xlim(0, edges[-1])
    axes.set_ylim(bottom=0)
    axes.locator_params(nbins=4)
    axes.xaxis.set_major_formatter("{x:,.10g}")
    if found.mean_distance is not None:
        axes.axvline(found.mean_distance, color=style.INK, linewidth=0.8, linestyle=(0, (3, 2)))


def cost(data: Data) -> Figure:
    """Time a source over the number of sources: solve, certify and reduce on top of each other."""
    lines = sorted((run.more for run in data.shown), key=lambda more: more["rows"])
    if not lines:
        raise UsageError(f"{data.target.name}: there is no time to draw; make the parts first")
    figure = style.new_figure()
    axes = figure.add_subplot(xlabel="Sources", ylabel="Microseconds a source")
    counts = [line["rows"] for line in lines]
    base = np.zeros(len(lines))
    legend: style.Legend = []
    for look, (phase, label) in zip(style.looks_of(len(PHASES)), PHASES.items(), strict=True):
        of_source = np.array([line[phase] / line["rows"] for line in lines]) * _MICROSECONDS
        places = range(len(lines))
        filled = {"color": look.colour, "hatch": look.hatch, "edgecolor": "white"}
        legend.append((axes.bar(places, of_source, bottom=base, width=0.6, **filled), label))
        base += of_source
    axes.set_xticks(range(len(lines)), [f"{count:,}" for count in counts])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.tick_params(axis="x", length=0)
    about = ["Host simulation, not GPU times."] * is_simulated(data.shown)
    return _finished(figure, data, about, legend, 2.0)


def _finished(figure: Figure, data: Data, about: list[str], legend: style.Legend, axes_inches: float) -> Figure:
    """The figure with ``about`` and where it was measured as its caption."""
    caption = " ".join([*about, measured_on(data.shown)])
    return style.finished(figure, data.target.fields.title, caption, legend, axes_inches)


def _reductions_of(run: Cell) -> ReductionsFacts:
    found = read_record(run.record).reductions
    assert found is not None  # a record of such a run has them
    return found


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
