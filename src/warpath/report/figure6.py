"""Figure 6 of the paper: Floyd-Warshall, a line for each GPU variant over the Gnutella networks."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from . import layout, style
from .comparison import Entry
from .labels import spelled
from .selection import Shown, select

ALGORITHM = "floyd_warshall"
TITLE = "Results: Floyd-Warshall"

_HOLLOW = {"linestyle": (0, (3, 2)), "linewidth": 0.9, "markerfacecolor": "white"}


def draw(entries: list[Entry]) -> Figure:
    """The figure as published: a linear axis and the measured times."""
    return lines(select(entries, ALGORITHM), TITLE)


def lines(shown: Shown, title: str, log: bool = False) -> Figure:
    """Lines of the measured times and dashed ones with hollow marks of the published times."""
    looks = dict(zip(shown.variants, style.series(len(shown.variants)), strict=True))
    legend: list[tuple[object, str]] = [
        (Line2D([], [], color=look.colour, marker=look.marker), spelled(variant)) for variant, look in looks.items()
    ]
    if shown.published_values():
        legend.append((Line2D([], [], color=style.INK, marker="o", **_HOLLOW), "Published"))
    figure, axes = layout.frame(title, legend, shown, log)
    axes.set_xlim(-0.5, len(shown.datasets) - 0.5)

    missing = float("nan")  # leaves a gap in the line
    for variant, look in looks.items():
        values = [shown.value(dataset, variant) for dataset in shown.datasets]
        axes.plot([missing if value is None else value for value in values], color=look.colour, marker=look.marker)
        if shown.published_values():
            published = [shown.published(dataset, variant) for dataset in shown.datasets]
            hollow = [missing if value is None else value for value in published]
            axes.plot(hollow, color=look.colour, marker=look.marker, **_HOLLOW)
    for x, dataset in enumerate(shown.datasets):
        _put_marks(axes, x, dataset, shown, looks)
    return figure


def _put_marks(axes: Axes, x: int, dataset: str, shown: Shown, looks: dict[str, style.Series]) -> None:
    """The marks of one graph, each right of its point in the line's colour, pushed up where two would overlap."""
    free_from = 0.5 * style.FONT_POINTS
    heights = {variant: layout.height_points(axes, shown.value(dataset, variant)) for variant in looks}
    for variant in sorted(looks, key=heights.get):
        if mark := shown.mark(dataset, variant):
            height = max(heights[variant], free_from)
            free_from = height + 0.75 * style.FONT_POINTS
            layout.put_mark(axes, x + 0.06, height, mark, color=looks[variant].colour, weight="bold", va="center")
