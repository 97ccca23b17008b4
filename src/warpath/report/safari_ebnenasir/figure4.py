"""Figure 4: mean time of locality over k, a line for each number of vertices a thread has, a panel for each graph."""

import os

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from ...algorithms.parameters import parse
from ...errors import UsageError
from .. import style
from ..labels import date_range, listed
from .runs import Run, read_runs

_PANEL_HEIGHT_INCHES = 1.35
_HEAD_INCHES = 0.62
_FOOT_INCHES = 0.95


def read(path: str | os.PathLike) -> list[Run]:
    """The runs that the figure shows."""
    return read_runs(path)


def draw(runs: list[Run]) -> Figure:
    """Times from zero, so that a line's slope is what a step more gains. Raises UsageError where there is no run."""
    points = {_point(run): run for run in runs if run.variant == "locality"}
    if not points:
        raise UsageError("there is no run of locality to draw")
    datasets, steps, widths = (list(dict.fromkeys(values)) for values in zip(*points, strict=True))
    looks = dict(zip(widths, style.series(len(widths)), strict=True))
    height = _HEAD_INCHES + len(datasets) * _PANEL_HEIGHT_INCHES + _FOOT_INCHES
    figure = Figure(figsize=(style.WIDTH_INCHES, height))
    panels = figure.subplots(len(datasets), 1, sharex=True, squeeze=False)[:, 0]
    figure.subplots_adjust(
        left=0.15, right=0.97, bottom=_FOOT_INCHES / height, top=1 - _HEAD_INCHES / height, hspace=0.28
    )
    for axes, dataset in zip(panels, datasets, strict=True):
        for width, look in looks.items():
            line = [(k, points[dataset, k, width].seconds * 1e3) for k in steps if (dataset, k, width) in points]
            axes.plot(*zip(*line, strict=True), color=look.colour, marker=look.marker)
        axes.set_title(dataset, loc="left", pad=2, size=style.FONT_POINTS)
        axes.set_ylim(0, 1.1 * axes.dataLim.ymax)
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.grid(axis="y")
    simulated = any(run.device_kind == "host" for run in points.values())
    panels[len(panels) // 2].set_ylabel("Host simulation time (ms)" if simulated else "Mean time (ms)")
    panels[-1].set_xticks(steps)
    panels[-1].set_xlabel("k, steps that a thread carries a distance on")
    figure.suptitle(
        "Steps and vertices per thread", y=1 - 0.06 / height, va="top", size=style.TITLE_POINTS, weight="bold"
    )
    figure.legend(
        [Line2D([], [], color=look.colour, marker=look.marker) for look in looks.values()],
        [str(width) for width in widths],
        title="vertices per thread",
        title_fontsize=style.FONT_POINTS,
        loc="upper center",
        bbox_to_anchor=(0.5, 1 - 0.22 / height),
        ncols=len(widths),
        borderpad=0,
    )
    figure.text(0.02, 0.05 / height, _caption(list(points.values()), simulated), va="bottom", linespacing=1.3)
    return figure


def _point(run: Run) -> tuple[str, int, int]:
    settings = parse(run.parameters)
    return run.dataset, settings["k"], settings["vertices_per_thread"]


def _caption(runs: list[Run], simulated: bool) -> str:
    devices = listed(list(dict.fromkeys(run.device for run in runs)))
    counts = listed([str(count) for count in sorted({run.sources for run in runs})])
    lines = [f"{devices}, {date_range([run.date for run in runs])}.", f"Means over {counts} random sources."]
    return "\n".join((["Host simulation, not GPU times."] if simulated else []) + lines)
