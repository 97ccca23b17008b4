"""Grouped bars: a group for each graph and a bar for each GPU variant.

The height of a bar is the time of a run; its error bar spans the samples. ``~`` or ``≈`` marks an estimated time.
Hollow diamonds in the colour of the bar are published times.
"""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke

from . import layout, style
from .cells import Data, cells
from .figure_caption import BARS
from .shown import Point, Shown, select

_GROUP_WIDTH = 0.8  # of the distance between two groups
_EDGE: dict[str, Any] = {"edgecolor": style.INK, "linewidth": 0.5}
_PUBLISHED: dict[str, Any] = {
    "linestyle": "none",
    "marker": "D",
    "markersize": 4.5,
    "markerfacecolor": "white",
    "markeredgewidth": 1.4,
    "path_effects": [withStroke(linewidth=3, foreground="white")],
    "zorder": 4,
}
_DIAMOND = 4  # points between its centre and the nearest mark


def bars(data: Data, *, published: str = "", log: bool = False) -> Figure:
    """Measured times as bars, on a linear or logarithmic axis; the times in the file ``published`` as diamonds."""
    found = cells(data, data.read_published(published))
    return grouped_bars(select(data, found, with_published=bool(published)), data.target.fields.title, log)


def grouped_bars(shown: Shown, title: str, log: bool = False) -> Figure:
    """A bar for each measured value, and a diamond over it for the published one."""
    legend: list[tuple[object, str]] = [
        (Patch(facecolor=look.colour, hatch=look.hatch, **_EDGE), label) for label, look in shown.looks.items()
    ]
    if shown.published_values():
        legend.append((Line2D([], [], markeredgecolor=style.INK, **_PUBLISHED), "Published"))
    figure, axes = layout.frame(title, legend, shown, BARS, log=log)
    axes.set_xlim(-0.5, len(shown.rows) - 0.5)
    width = _GROUP_WIDTH / len(shown.looks)
    for group, row in enumerate(shown.rows):
        for place, (label, look) in enumerate(shown.looks.items()):
            x = group + (place - (len(shown.looks) - 1) / 2) * width
            _draw(axes, x, width, shown.points[row, label], look)
    return figure


def _draw(axes: Axes, x: float, width: float, point: Point, look: style.Look) -> None:
    if point.value is not None:
        axes.bar(x, point.value, width, color=look.colour, hatch=look.hatch, **_EDGE)
        if point.error:
            axes.errorbar(x, point.value, [[end] for end in point.error], ecolor=style.INK, **style.ERROR_BAR)
    if point.published is not None:
        axes.plot(x, point.published, markeredgecolor=look.colour, **_PUBLISHED)
    if mark := point.estimated or point.mark:
        _mark(axes, x, point, mark)


def _mark(axes: Axes, x: float, point: Point, mark: str) -> None:
    """Put ``mark`` on top of the bar, or at the foot of a missing bar, clear of the diamond."""
    height = layout.height_points(axes, point.value)
    if point.published is not None:
        diamond = layout.height_points(axes, point.published)
        if -_DIAMOND < diamond - height < 12:
            height = diamond + _DIAMOND
    layout.put_mark(axes, x, height - 1, mark, va="bottom")
