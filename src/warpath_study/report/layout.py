"""What all figures share: the frame of title, legend, axes and caption, the axis of times, and the marks in it.

Each part of the frame is as high as its text, and the figure is as high as all parts together. Nothing overlaps,
whatever the names and numbers are.
"""

from math import floor, log10
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patheffects import withStroke
from matplotlib.textpath import TextToPath
from matplotlib.ticker import FuncFormatter, LogFormatterMathtext, LogLocator, MaxNLocator, NullFormatter

from . import style
from .figure_caption import Signs, caption
from .labels import short_count
from .shown import Shown

# In points, like all sizes here; 72 points are an inch.
_WIDTHS = (72 * style.WIDTH_INCHES, 72 * style.WIDE_INCHES)
_EDGE, _LEFT, _RIGHT = 4, 44, 5
_BESIDE_Y_TICKS = 21  # width of the y axis without its tick labels: its label, ticks and padding
_AXES_HEIGHT = 144
_LINE = 1.3 * style.FONT_POINTS
_TITLE_LINE = 1.6 * style.TITLE_POINTS
_LEGEND_LINE = 1.45 * style.FONT_POINTS
_LEGEND_HANDLE = 2.5 * style.FONT_POINTS
_GAP = 6
_BETWEEN_NAMES = 3
_FONT = FontProperties(family="DejaVu Sans", size=style.FONT_POINTS)
TITLE_FONT = FontProperties(family="DejaVu Sans", size=style.TITLE_POINTS, weight="bold")
_WRITTEN_OUT = (0.001, 10_000)  # a logarithmic axis that leaves this range has ticks at powers of ten
_TICKS_MAX = 32  # more than an axis has
_MATHEMATICS = r"$\mathdefault{"  # how matplotlib begins a power of ten


def frame(
    title: str,
    legend: list[tuple[object, str]],
    shown: Shown,
    signs: Signs,
    *,
    log: bool,
    tick_labels: list[str] | None = None,
    x_label: str = "",
) -> tuple[Figure, Axes]:
    """A figure with ``title``, ``legend`` (pairs of handle and label), the graphs on the x axis and a caption below.

    The y axis shows ``shown.quantity``; it is logarithmic with ``log`` and otherwise starts at zero. ``tick_labels``
    replace the names and counts of the graphs. The figure is one column wide, or two if the names need the space.
    """
    figure = Figure()
    axes = figure.add_axes((0, 0, 1, 1))
    _value_axis(axes, shown, log)
    low, high = axes.get_ylim()
    shown_ticks = [text.get_text() for text in axes.get_yticklabels() if low <= text.get_position()[1] <= high]
    left = max(_LEFT, max(map(text_points, shown_ticks)) + _BESIDE_Y_TICKS)

    # The last tick label is centred on its tick, so half of it reaches beyond the axis.
    right = max(_RIGHT, text_points(tick_labels[-1]) / 2) if tick_labels else _RIGHT
    for width in _WIDTHS:
        room = (width - left - right) / len(shown.rows) - _BETWEEN_NAMES
        labels = tick_labels or _tick_labels(shown, room)
        if tick_labels or _fit(labels, room):
            break
    room = 0.97 * (width - 2 * _EDGE)  # letters are up to 3 % wider in a PNG, fitted to its pixels
    columns = _legend_columns([label for _, label in legend], room)
    caption_lines = wrapped(caption(shown, signs), room)
    title_lines = wrapped(title, room, TITLE_FONT)

    tick_lines = max(label.count("\n") + 1 for label in labels)
    below = _EDGE + len(caption_lines) * _LINE + 2 * _GAP + (tick_lines + bool(x_label)) * _LINE
    legend_top = _EDGE + len(title_lines) * _TITLE_LINE
    above = legend_top + -(-len(legend) // columns) * _LEGEND_LINE + _GAP
    height = below + _AXES_HEIGHT + above

    figure.set_size_inches(width / 72, height / 72)
    axes.set_position((left / width, below / height, (width - left - right) / width, _AXES_HEIGHT / height))
    # The last lines of all labels stand on one base line.
    axes.set_xticks(range(len(labels)), labels, linespacing=1.2, va="baseline")
    axes.tick_params(axis="x", length=0, pad=tick_lines * _LINE)
    axes.set_xlabel(x_label, labelpad=_GAP / 2)
    figure.suptitle("\n".join(title_lines), y=1 - _EDGE / height, va="top", size=style.TITLE_POINTS, weight="bold")
    figure.legend(
        *zip(*legend, strict=True),
        loc="upper center",
        bbox_to_anchor=(0.5, 1 - legend_top / height),
        ncols=columns,
        borderpad=0,
        labelspacing=0.25,
    )
    figure.text(_EDGE / width, _EDGE / height, "\n".join(caption_lines), va="bottom", linespacing=1.3)
    return figure, axes


def _value_axis(axes: Axes, shown: Shown, log: bool) -> None:
    """The y axis: from zero, or logarithmic from a power of ten below the smallest value."""
    values = shown.values() + shown.published_values()
    axes.set_ylabel(f"{shown.quantity}, host simulation" if shown.simulated else shown.quantity)
    axes.grid(axis="y")
    if log:
        bottom, top = 10.0 ** floor(log10(min(values) * 0.8)), max(values) * 2
        axes.set_yscale("log")
        axes.set_ylim(bottom, top)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if top < 500 * bottom else (1,), numticks=8))
        axes.yaxis.set_minor_formatter(NullFormatter())
        powers = bottom < _WRITTEN_OUT[0] or top > _WRITTEN_OUT[1]
    else:
        ticks = MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]).tick_values(0, max(values) * 1.05)
        axes.set_ylim(0, ticks[-1])
        axes.set_yticks(ticks)
        powers = False
    plain = FuncFormatter(lambda value, _: f"{value:,.10g}")
    axes.yaxis.set_major_formatter(LogFormatterMathtext() if powers else plain)
    for tick in axes.yaxis.get_major_ticks(_TICKS_MAX if powers else 0):
        tick.label1.set_parse_math(True)


def height_points(axes: Axes, value: float | None) -> float:
    """The height of ``value`` above the x axis, in points; 0 for None."""
    bottom, top = axes.transData.transform([(0, axes.get_ylim()[0]), (0, value or axes.get_ylim()[0])])[:, 1]
    return (top - bottom) * 72 / axes.figure.dpi


def put_mark(axes: Axes, x: float, height: float, mark: str, **options: Any) -> None:
    """Write ``mark`` at ``x``, ``height`` points above the x axis, with a halo that hides lines behind it."""
    halo = [withStroke(linewidth=1.5, foreground="white")]
    place = ("data", "axes fraction")
    axes.annotate(mark, (x, 0), (0, height), place, "offset points", path_effects=halo, ha="center", **options)


def _tick_labels(shown: Shown, room: float) -> list[str]:
    """The name of each graph and its counts; names or counts take two lines if one is wider than ``room``."""
    counts = [
        f"({short_count(nodes)},{short_count(edges)})" for nodes, edges in (shown.counts[row] for row in shown.rows)
    ]
    pairs = zip(_broken(shown.rows, " ", room), _broken(counts, ",", room), strict=True)
    return ["\n".join(pair) for pair in pairs]


def _broken(texts: list[str], mark: str, room: float) -> list[str]:
    """``texts``; if one is wider than ``room`` points, each is broken at its first ``mark``, or at all of them."""
    for breaks in (0, 1, -1):
        broken = [text.replace(mark, f"{mark.strip()}\n", breaks) for text in texts]
        if _fit(broken, room):
            break
    return broken


def _fit(texts: list[str], room: float) -> bool:
    """Whether no line of ``texts`` is wider than ``room`` points."""
    return max(text_points(line) for text in texts for line in text.split("\n")) <= room


def _legend_columns(labels: list[str], room: float) -> int:
    """The number of columns that fit beside each other, filled evenly and one after the other."""
    for lines in range(1, len(labels)):
        columns = [labels[first : first + lines] for first in range(0, len(labels), lines)]
        width = sum(max(map(text_points, column)) + _LEGEND_HANDLE for column in columns)
        if width + (len(columns) - 1) * style.FONT_POINTS <= room:
            return len(columns)
    return 1


def wrapped(text: str, room: float, font: FontProperties = _FONT) -> list[str]:
    """``text`` in lines of at most ``room`` points, broken between words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_points(longer, font) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def text_points(text: str, font: FontProperties = _FONT) -> float:
    """The width of a line of ``text`` in points."""
    return TextToPath().get_text_width_height_descent(text, font, ismath=text.startswith(_MATHEMATICS))[0]
