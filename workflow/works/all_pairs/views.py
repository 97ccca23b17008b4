"""Views of all pairs in parts: a table of what they come to, the histogram of distances, and the cost of a source."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from warpath.durations import readable_seconds
from warpath.errors import UsageError
from warpath_study.record import ReductionsFacts, read_record
from warpath_study.report import style
from warpath_study.report.cells import Data, cells, present
from warpath_study.report.circumstances import circumstances, hash_notes
from warpath_study.report.labels import date_range, listed, plain_number
from warpath_study.report.notes import code_notes, simulation_notes
from warpath_study.report.runs import lines_of
from warpath_study.report.table import Table, comparison, csv_count, csv_seconds, readable_count
from warpath_study.works.claims import claim

# The phases of a row, in the order of the bars.
PHASES = {"solve_s": "solve", "certify_s": "certify", "reduce_s": "reduce"}
_MICROSECONDS = 1e6


def reductions(data: Data) -> Table:
    """A line for each graph."""
    written, shown = [], []
    for line in lines_of(data.shown):
        written.append(_csv_line(line))
        shown.append(_readable_line(line))
    if not written:
        raise UsageError(f"{data.target.name}: there is nothing to show; make the parts first")
    found = data.shown.assign(label=data.shown["variant"])
    about = [
        *simulation_notes(found),
        *code_notes(found),
        "Distances lead along the arcs, from the sources. Diameter: the greatest of a pair that has a path. Radius: "
        "the least eccentricity of a source that reaches every vertex. Mean: over pairs of two different vertices that "
        "have a path.",
        "A source: mean time to solve, certify and reduce its row. All: the seconds of all jobs together, which also "
        "prepare the graph and write rows.",
        *(_of_line(line) for line in lines_of(data.shown)),
        f"Measured on {_devices(data.shown)}, {date_range(list(data.shown['date']))}. Every row was certified.",
        *circumstances(found),
        *hash_notes(found),
    ]
    frames = pd.DataFrame(written), comparison(cells(data)), pd.DataFrame(shown)
    return Table(data.target.fields.title, *frames, about, left=["Graph"])


def _csv_line(line: Mapping[str, Any]) -> dict[str, str]:
    numbers = {name: _text(line[name]) for name in ("diameter", "radius", "mean_distance")}
    counts = {name: csv_count(line[name]) for name in ("vertices", "arcs", "rows", "pairs")}
    seconds = {name: csv_seconds(line[name]) for name in ("source_s", *PHASES, "seconds")}
    of_run = {name: str(line[name]) for name in ("run", "solved_by", "status", "parts")}
    return {"row": line["row"], "dataset": line["dataset"], **counts, **numbers, **seconds, **of_run}


def _readable_line(line: Mapping[str, Any]) -> dict[str, str]:
    return {
        "Graph": line["row"],
        "Vertices": readable_count(line["vertices"]),
        "Sources": readable_count(line["rows"]),
        "Pairs with a path": readable_count(line["pairs"]),
        "Diameter": _text(line["diameter"]) or "–",
        "Radius": _text(line["radius"]) or "–",
        "Mean distance": plain_number(line["mean_distance"], 6) if present(line["mean_distance"]) else "–",
        "A source": readable_seconds(line["source_s"]),
        "of it, solve": readable_seconds(line["solve_s"] / line["rows"]),
        "certify": readable_seconds(line["certify_s"] / line["rows"]),
        "reduce": readable_seconds(line["reduce_s"] / line["rows"]),
        "All": readable_seconds(line["seconds"]),
    }


def _of_line(line: Mapping[str, Any]) -> str:
    """How a row was made."""
    parts = int(line["parts"])
    jobs = "one job" if parts == 1 else f"{parts:,} jobs"
    asked = dict(pair.split("=") for pair in line["asked"].split(",") if pair)
    kept = [f"{asked['nearest']} nearest vertices of each source"] if asked.get("nearest", "0") != "0" else []
    kept += ["all rows in a store"] if asked.get("store") == "1" else []
    return f"{line['row']}: {jobs}, by {line['solved_by']}{'; kept: ' + listed(kept) if kept else ''}."


def histogram(data: Data) -> Figure:
    """A panel for each graph: how many pairs are so far apart, in fractions of those with a path."""
    found = {line["row"]: _reductions_of(line) for line in lines_of(data.shown) if not _is_prefix(line)}
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
    lines = sorted(lines_of(data.shown), key=lambda line: line["rows"])
    if not lines:
        raise UsageError(f"{data.target.name}: there is no time to draw; make the parts first")
    figure = style.new_figure()
    axes = figure.add_subplot(xlabel="Sources", ylabel="Microseconds a source")
    counts = [int(line["rows"]) for line in lines]
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
    simulated = (data.shown["device_kind"] == "host").any()
    return _finished(figure, data, ["Host simulation, not GPU times."] if simulated else [], legend, 2.0)


def _finished(figure: Figure, data: Data, about: list[str], legend: style.Legend, axes_inches: float) -> Figure:
    """The figure with ``about`` and where it was measured as its caption."""
    caption = " ".join([*about, f"Measured on {_devices(data.shown)}, {date_range(list(data.shown['date']))}."])
    return style.finished(figure, data.target.fields.title, caption, legend, axes_inches)


def _reductions_of(line: Mapping[str, Any]) -> ReductionsFacts:
    found = read_record(line["record"]).reductions
    assert found is not None  # a record of such a run has them
    return found


def _is_prefix(line: Mapping[str, Any]) -> bool:
    return line["rows"] < line["vertices"]


def _devices(shown: pd.DataFrame) -> str:
    return listed(sorted(set(shown["device"])))


def _text(number: Any) -> str:
    return f"{number:.15g}" if present(number) else ""


@claim(
    "a source of a thousand costs what a source of all costs",
    runs="sources",
    setting="solved, certified and reduced; jobs of one device each",
    about=["cost"],
)
def _(t):
    return t.fact("source_s", "reductions.first=1000+nearest=8") / t.fact("source_s", "reductions.nearest=8")
