"""Lines over graphs: a line for each GPU variant.

Every line figure draws measured times with filled marks and solid lines, times estimated from the first iterations with
hollow marks and dashed lines, and published times with crosses joined by dots.
"""

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from . import layout, style
from .cells import Data, cells
from .figure_caption import LINES
from .shown import Shown, select

_ESTIMATED: dict[str, Any] = {"linestyle": (0, (3, 2)), "markerfacecolor": "white"}
_PUBLISHED: dict[str, Any] = {
    "linestyle": ":",
    "linewidth": 0.9,
    "marker": "x",
    "markersize": 5.5,
    "markeredgewidth": 1.3,
    "zorder": 3,
}
_MISSING = float("nan")  # leaves a gap in a line


def lines(data: Data, *, published: str = "", log: bool = False) -> Figure:
    """Measured times as lines, on a linear or logarithmic axis; the times in the file ``published`` as crosses."""
    found = cells(data, data.read_published(published))
    shown = select(data, found, with_published=bool(published))
    figure, axes = layout.frame(data.target.fields.title, legend(shown), shown, LINES, log=log)
    axes.set_xlim(-0.5, len(shown.rows) - 0.5)
    draw_series(axes, shown, range(len(shown.rows)))
    return figure


def legend(shown: Shown) -> list[tuple[object, str]]:
    """A handle for each series, then one for estimated times and one for published times."""
    handles: list[tuple[object, str]] = [
        (Line2D([], [], color=look.colour, marker=look.marker), label) for label, look in shown.looks.items()
    ]
    if shown.has_estimates:
        handles.append((Line2D([], [], color=style.INK, marker="o", **_ESTIMATED), "Estimated"))
    if shown.published_values():
        handles.append((Line2D([], [], color=style.INK, **_PUBLISHED), "Published"))
    return handles


def draw_series(axes: Axes, shown: Shown, places: Sequence[float]) -> None:
    """Draw all series, with the rows at the x positions ``places``, and the marks of missing points."""
    for label, look in shown.looks.items():
        _draw(axes, shown, label, look, places)
    for x, row in zip(places, shown.rows, strict=True):
        height = 0.5 * style.FONT_POINTS
        for label, look in shown.looks.items():
            if mark := shown.points[row, label].mark:
                layout.put_mark(axes, x, height, mark, color=look.colour, weight="bold", va="center")
                height += 0.9 * style.FONT_POINTS


def _draw(axes: Axes, shown: Shown, label: str, look: style.Look, places: Sequence[float]) -> None:
    """Draw one series: a dashed line through all points, a solid one through the measured ones, and crosses."""
    points = list(zip(places, shown.series(label), strict=True))
    timed = [(x, point.value, point) for x, point in points if point.value is not None]
    estimated = [(x, value) for x, value, point in timed if point.estimated]
    gaps = [(x, _MISSING if point.value is None else point.value) for x, point in points]
    solid = [(x, _MISSING if point.estimated else value) for (x, value), (_, point) in zip(gaps, points, strict=True)]
    if estimated:
        axes.plot(*_columns(gaps), color=look.colour, linestyle=_ESTIMATED["linestyle"])
    axes.plot(*_columns(solid), color=look.colour, marker=look.marker)
    if estimated:
        hollow: dict[str, Any] = {"linestyle": "none", "markerfacecolor": _ESTIMATED["markerfacecolor"]}
        axes.plot(*_columns(estimated), color=look.colour, marker=look.marker, **hollow)
    for x, value, point in timed:
        if point.error:
            axes.errorbar(x, value, [[end] for end in point.error], ecolor=look.colour, **style.ERROR_BAR)
    published = [(x, point.published) for x, point in points if point.published is not None]
    if published:
        axes.plot(*_columns(published), color=look.colour, **_PUBLISHED)


def _columns(pairs: Sequence[tuple[float, float]]) -> tuple[list[float], list[float]]:
    return [x for x, _ in pairs], [y for _, y in pairs]
