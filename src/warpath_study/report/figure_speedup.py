"""Speed-up over one variant: grouped bars that show how many times faster each other variant is on the same graph.

Measured times are divided by measured times, and published times by published times. Times of two machines cannot be
compared; speed-ups can.
"""

from dataclasses import replace

from matplotlib.figure import Figure

from warpath.errors import UsageError

from . import style
from .cells import Data, cells
from .figure_bars import grouped_bars
from .labels import listed
from .runs import ROUGH
from .shown import Point, Shown, select


def speedup(data: Data, *, published: str = "", over: str = "naive") -> Figure:
    """The time of ``over`` divided by that of each other variant: measured as bars, published as diamonds."""
    found = cells(data, data.read_published(published))
    shown = select(data, found, with_published=bool(published))
    of_label = {label: cell.column for (_, label), cell in shown.cells.items()}
    base = next((label for label in shown.labels if of_label[label] == over), "")
    if not base:
        known = listed(list(of_label.values()))
        raise UsageError(f"{data.target.name}: there is no run of {over} to compare with; there are {known}")
    figure = grouped_bars(speedups(shown, base), data.target.fields.title)
    figure.axes[0].axhline(1, color=style.INK, linewidth=0.8)
    return figure


def speedups(shown: Shown, base: str) -> Shown:
    """``shown`` as speed-ups over the series ``base``, for the rows in which ``base`` has a time."""
    rows = [row for row in shown.rows if shown.points[row, base].value is not None]
    if not rows:
        raise UsageError(f"there is no time of {base} to compare with; measure it first")
    looks = {label: look for label, look in shown.looks.items() if label != base}
    points = {
        (row, label): _ratio(shown.points[row, base], shown.points[row, label]) for row in rows for label in looks
    }
    if all(point.value is None and point.published is None for point in points.values()):
        raise UsageError(f"there is no time beside that of {base} to compare; measure another variant")
    return replace(shown, rows=rows, looks=looks, points=points, quantity=f"Speed-up over {base}")


def _ratio(base: Point, point: Point) -> Point:
    """The speed-up of ``point`` over ``base``. Each end of the error bar pairs a slowest with a fastest sample."""
    several = base.error and point.error
    return Point(
        status=point.status,
        value=_by(base.value, point.value),
        low=_by(base.low, point.high) if several else None,
        high=_by(base.high, point.low) if several else None,
        published=_by(base.published, point.published),
        estimated=ROUGH if ROUGH in (base.estimated, point.estimated) else base.estimated or point.estimated,
    )


def _by(dividend: float | None, divisor: float | None) -> float | None:
    return None if dividend is None or divisor is None else dividend / divisor
