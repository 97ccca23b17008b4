"""The tutorial's figure: Floyd-Warshall's time over the number of vertices, on the GPU and on one CPU thread.

Times run on a logarithmic axis, base 10, as published. Filled marks and solid lines are measured, hollow marks and
dashed lines estimated from the first iterations; crosses are the two times that the tutorial's text gives.
"""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from . import layout, style
from .comparison import Entry
from .labels import short_count, spelled
from .selection import Shown, select

ALGORITHM = "floyd_warshall"
TITLE = "Floyd-Warshall: CPU and GPU"

_BETWEEN_LABELS = 2  # points

_ESTIMATED = {"linestyle": (0, (3, 2)), "markerfacecolor": "white"}
_PUBLISHED = {"linestyle": "none", "marker": "x", "markersize": 6, "markeredgewidth": 1.3, "zorder": 3}


def draw(entries: list[Entry]) -> Figure:
    """The tutorial's own figure."""
    return over_vertices(entries, ALGORITHM, TITLE)


def over_vertices(entries: list[Entry], algorithm: str, title: str) -> Figure:
    """A line for each variant of the comparison, the serial ones included."""
    shown = select(sorted(entries, key=lambda entry: entry.nodes or 0), algorithm, with_published=True, serial=True)
    looks = dict(zip(shown.variants, style.series(len(shown.variants)), strict=True))
    legend: list[tuple[object, str]] = [
        (Line2D([], [], color=look.colour, marker=look.marker), spelled(variant)) for variant, look in looks.items()
    ]
    if any(entry.status == "estimated" for entry in shown.entries.values()):
        legend.append((Line2D([], [], color=style.INK, marker="o", **_ESTIMATED), "Estimated"))
    if shown.published_values():
        legend.append((Line2D([], [], color=style.INK, **_PUBLISHED), "Published"))
    sizes = [_vertices(shown, dataset) for dataset in shown.datasets]
    # The empty second line makes room for the axis's own label.
    labels = [f"{short_count(size)}\n" for size in sizes]
    figure, axes = layout.frame(title, legend, shown, log=True, tick_labels=labels, powers=True)
    axes.set_xscale("log", base=2)
    axes.set_xlim(min(sizes) / 1.2, max(sizes) * 1.2)
    axes.set_xticks(sizes, _labels(axes, sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("Vertices")
    for variant, look in looks.items():
        _line(axes, shown, variant, look)
    return figure


def _labels(axes: Axes, sizes: list[int]) -> list[str]:
    """A label for each of ``sizes``, which ascend; an empty one where it would touch that of a larger size."""
    labels, free_to = [], float("inf")
    for size in reversed(sizes):
        label = short_count(size)
        x = axes.transData.transform((size, axes.get_ylim()[0]))[0] * 72 / axes.figure.dpi
        half = layout.text_points(label) / 2
        if x + half > free_to:
            label = ""
        else:
            free_to = x - half - _BETWEEN_LABELS
        labels.append(label)
    return labels[::-1]


def _vertices(shown: Shown, dataset: str) -> int:
    return next(entry.nodes for (name, _), entry in shown.entries.items() if name == dataset and entry.nodes)


def _line(axes: Axes, shown: Shown, variant: str, look: style.Series) -> None:
    """The times of one variant: a dashed line through all, a solid one through the measured; and the published ones."""
    timed = [dataset for dataset in shown.datasets if shown.value(dataset, variant) is not None]
    measured = [dataset for dataset in timed if shown.entries[dataset, variant].status == "ok"]
    estimated = [dataset for dataset in timed if dataset not in measured]
    for datasets, options in (
        (timed, {"linestyle": _ESTIMATED["linestyle"]}),
        (measured, {"marker": look.marker}),
        (estimated, {"marker": look.marker, "markerfacecolor": "white", "linestyle": "none"}),
    ):
        sizes = [_vertices(shown, dataset) for dataset in datasets]
        axes.plot(sizes, [shown.value(dataset, variant) for dataset in datasets], color=look.colour, **options)
    for dataset in timed:
        published = shown.published(dataset, variant)
        if published is not None:
            axes.plot(_vertices(shown, dataset), published, color=look.colour, **_PUBLISHED)
