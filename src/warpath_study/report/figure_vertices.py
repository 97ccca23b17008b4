"""Time over the number of vertices: a line for each variant, CPU variants too. Both axes are logarithmic."""

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from . import layout
from .cells import Data, cells
from .figure_caption import LINES
from .figure_lines import draw_series, legend
from .labels import axis_counts
from .shown import select

_BETWEEN_LABELS = 2  # points


def over_vertices(
    data: Data, *, published: str = "", rename: Mapping[str, str] | None = None, columns: Sequence[str] = ()
) -> Figure:
    """A line for each of ``columns`` (default: all); ``published`` is the file of published times."""
    found = cells(data, data.read_published(published, rename), columns)
    found.sort(key=lambda cell: cell.nodes or 0)
    shown = select(data, found, with_published=bool(published), serial=True, name=_row_name)
    sizes = [shown.counts[row][0] for row in shown.rows]
    figure, axes = layout.frame(
        data.target.fields.title,
        legend(shown),
        shown,
        LINES,
        log=True,
        tick_labels=axis_counts(sizes),
        x_label="Vertices",
    )
    axes.set_xscale("log", base=2)
    axes.set_xlim(min(sizes) / 1.2, max(sizes) * 1.2)
    axes.set_xticks(sizes, _labels(axes, sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    draw_series(axes, shown, sizes)
    return figure


def _row_name(row: str) -> str:
    """The row's name; a row named by its number of vertices is "1,024 vertices"."""
    return f"{int(row):,} vertices" if row.isdigit() else row


def _labels(axes: Axes, sizes: list[int]) -> list[str]:
    """A label for each of ``sizes``, in ascending order; empty if it would touch the label of a larger size."""
    labels, free_to = [], float("inf")
    for size, label in reversed(list(zip(sizes, axis_counts(sizes), strict=True))):
        x = axes.transData.transform((size, axes.get_ylim()[0]))[0] * 72 / axes.figure.dpi
        half = layout.text_points(label) / 2
        if x + half > free_to:
            label = ""
        else:
            free_to = x - half - _BETWEEN_LABELS
        labels.append(label)
    return labels[::-1]
