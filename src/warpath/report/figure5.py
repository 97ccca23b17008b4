"""Figure 5 of the paper: Bellman-Ford, grouped bars, a group for each road network and a bar for each GPU variant."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from . import layout, style
from .comparison import Entry
from .labels import spelled
from .selection import Shown, select

ALGORITHM = "bellman_ford"
TITLE = "Results: Bellman-Ford"

_GROUP_WIDTH = 0.8  # of the distance between two groups
_PUBLISHED = {
    "linestyle": "none",
    "marker": "D",
    "markersize": 4,
    "markerfacecolor": "white",
    "markeredgecolor": style.INK,
    "markeredgewidth": 0.9,
}


def draw(entries: list[Entry]) -> Figure:
    """The figure as published: a linear axis and the measured times."""
    return grouped_bars(select(entries, ALGORITHM), TITLE)


def grouped_bars(shown: Shown, title: str, log: bool = False) -> Figure:
    """Bars of the measured times and hollow diamonds of the published ones, each at its bar's place."""
    looks = dict(zip(shown.variants, style.series(len(shown.variants)), strict=True))
    legend: list[tuple[object, str]] = [
        (Patch(facecolor=look.colour, hatch=look.hatch, edgecolor=style.INK, linewidth=0.5), spelled(variant))
        for variant, look in looks.items()
    ]
    if shown.published_values():
        legend.append((Line2D([], [], **_PUBLISHED), "Published"))
    figure, axes = layout.frame(title, legend, shown, log)
    axes.set_xlim(-0.5, len(shown.datasets) - 0.5)

    width = _GROUP_WIDTH / len(shown.variants)
    for group, dataset in enumerate(shown.datasets):
        for place, (variant, look) in enumerate(looks.items()):
            x = group + (place - (len(looks) - 1) / 2) * width
            value = shown.value(dataset, variant)
            published = shown.published(dataset, variant)
            if value is not None:
                axes.bar(x, value, width, color=look.colour, hatch=look.hatch, edgecolor=style.INK, linewidth=0.5)
            if published is not None:
                axes.plot(x, published, **_PUBLISHED)
            if mark := shown.mark(dataset, variant):
                _mark(axes, x, value, published, mark)
    return figure


def _mark(axes: Axes, x: float, value: float | None, published: float | None, mark: str) -> None:
    """Put ``mark`` on top of the bar, or where the bar would stand, and clear of the diamond."""
    height = layout.height_points(axes, value)
    if published is not None:
        diamond = layout.height_points(axes, published)
        if -4 < diamond - height < 12:
            height = diamond + 4
    layout.put_mark(axes, x, height - 1, mark, ha="center", va="bottom")
