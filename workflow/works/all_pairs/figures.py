"""The figures of all pairs: how far vertices lie apart, and what the statistics cost."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from warpath.errors import UsageError
from warpath_study.record import StatisticsFacts
from warpath_study.report import style
from warpath_study.report.cells import Data
from warpath_study.report.chart_data import device_titles, measured_text

from .views import _MICROSECONDS, PHASES, _read_statistics


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
        legend.append((axes.bar(range(len(lines)), heights, bottom=base, width=0.6, **look.bar()), label))
        base += heights
    axes.set_xticks(range(len(lines)), [f"{count:,}" for count in counts])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.tick_params(axis="x", length=0)
    return _finish(figure, data, "mean time of each phase for a source", legend, 2.0)


def _finish(figure: Figure, data: Data, shown: str, legend: style.Legend, axes_inches: float) -> Figure:
    """The figure with a caption of what is ``shown``, devices and dates."""
    where, caption = device_titles(data.measured), f"{measured_text(shown, data.measured)}."
    return style.finish(figure, data.target.fields.title, where, caption, legend, axes_inches)
