"""What all figures share: the frame of title, legend, axes and caption, the axis of times, and the marks in it.

Each part of the frame gets the height that its text needs and the figure is as high as their sum, so that nothing
overlaps, whatever the names and numbers are.
"""

from math import floor, log10

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patheffects import withStroke
from matplotlib.textpath import TextToPath
from matplotlib.ticker import FuncFormatter, LogFormatterMathtext, LogLocator, MaxNLocator, NullFormatter

from . import style
from .labels import short_count
from .selection import Shown, caption

# Points, as all sizes here; 72 are an inch.
_WIDTHS = (72 * style.WIDTH_INCHES, 72 * style.WIDE_INCHES)
_EDGE, _LEFT, _RIGHT = 4, 44, 5
_BESIDE_Y_TICKS = 21  # what the y axis takes beside its tick labels: its own label, ticks and padding
_AXES_HEIGHT = 144
_LINE = 1.3 * style.FONT_POINTS
_TITLE_LINE = 1.6 * style.TITLE_POINTS
_LEGEND_LINE = 1.45 * style.FONT_POINTS
_LEGEND_HANDLE = 2.5 * style.FONT_POINTS
_GAP = 6
_BETWEEN_NAMES = 3
_WRITTEN_OUT = (0.001, 10_000)  # where logarithmic times go beyond, ``powers`` turns their ticks to powers of ten


def frame(
    title: str,
    legend: list[tuple[object, str]],
    shown: Shown,
    log: bool,
    tick_labels: list[str] | None = None,
    powers: bool = False,
) -> tuple[Figure, Axes]:
    """A figure with ``title``, ``legend`` (pairs of handle and label), the graphs on the x axis and a caption below.

    The y axis is that of times, ``log`` or from zero. ``tick_labels`` replace the names and counts of the graphs. The
    figure is one column wide, or two where the graphs' names would not fit beside each other.
    """
    figure = Figure()
    axes = figure.add_axes((0, 0, 1, 1))
    _time_axis(axes, shown, log, powers)
    low, high = axes.get_ylim()
    shown_ticks = [text.get_text() for text in axes.get_yticklabels() if low <= text.get_position()[1] <= high]
    left = max(_LEFT, max(map(text_points, shown_ticks)) + _BESIDE_Y_TICKS)

    for width in _WIDTHS:
        room = (width - left - _RIGHT) / len(shown.datasets) - _BETWEEN_NAMES
        labels = tick_labels or _tick_labels(shown, room)
        if tick_labels or _fit(labels, room):
            break
    room = 0.97 * (width - 2 * _EDGE)  # letters fitted to the dots of a PNG are up to 3 % wider
    columns = _legend_columns([label for _, label in legend], room)
    caption_lines = _wrapped(caption(shown), room)

    tick_lines = max(label.count("\n") + 1 for label in labels)
    below = _EDGE + len(caption_lines) * _LINE + _GAP + tick_lines * _LINE + _GAP
    legend_top = _EDGE + _TITLE_LINE
    above = legend_top + -(-len(legend) // columns) * _LEGEND_LINE + _GAP
    height = below + _AXES_HEIGHT + above

    figure.set_size_inches(width / 72, height / 72)
    axes.set_position((left / width, below / height, (width - left - _RIGHT) / width, _AXES_HEIGHT / height))
    axes.set_xticks(range(len(labels)), labels, linespacing=1.2)
    axes.tick_params(axis="x", length=0)
    figure.suptitle(title, y=1 - _EDGE / height, va="top", size=style.TITLE_POINTS, weight="bold")
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


def _time_axis(axes: Axes, shown: Shown, log: bool, powers: bool) -> None:
    """The y axis: from zero, or logarithmic from a power of ten below the smallest value."""
    values = shown.values() + shown.published_values()
    axes.set_ylabel(f"Host simulation time ({shown.unit})" if shown.simulated else f"Time ({shown.unit})")
    axes.grid(axis="y")
    if log:
        bottom, top = 10.0 ** floor(log10(min(values) * 0.8)), max(values) * 2
        axes.set_yscale("log")
        axes.set_ylim(bottom, top)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if top < 500 * bottom else (1,), numticks=8))
        axes.yaxis.set_minor_formatter(NullFormatter())
    else:
        ticks = MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]).tick_values(0, max(values) * 1.05)
        axes.set_ylim(0, ticks[-1])
        axes.set_yticks(ticks)
    if powers and log and (bottom < _WRITTEN_OUT[0] or top > _WRITTEN_OUT[1]):
        axes.yaxis.set_major_formatter(LogFormatterMathtext())
    else:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def height_points(axes: Axes, value: float | None) -> float:
    """How high above the x axis ``value`` lies; None is on it."""
    bottom, top = axes.transData.transform([(0, axes.get_ylim()[0]), (0, value or axes.get_ylim()[0])])[:, 1]
    return (top - bottom) * 72 / axes.figure.dpi


def put_mark(axes: Axes, x: float, height: float, mark: str, **options) -> None:
    """Write ``mark`` at ``x``, ``height`` points above the x axis, readable where it crosses a line."""
    halo = [withStroke(linewidth=1.5, foreground="white")]
    axes.annotate(mark, (x, 0), (0, height), ("data", "axes fraction"), "offset points", path_effects=halo, **options)


def _tick_labels(shown: Shown, room: float) -> list[str]:
    """The name of each graph and, as published, its counts; both on two lines where one is wider than ``room``."""
    names, counts = shown.datasets, []
    for dataset in names:
        measured = next(entry for (name, _), entry in shown.entries.items() if name == dataset and entry.nodes)
        counts.append(f"({short_count(measured.nodes)},{short_count(measured.edges)})")
    pairs = zip(_broken(names, "-", room), _broken(counts, ",", room), strict=True)
    return ["\n".join(pair) for pair in pairs]


def _broken(texts: list[str], mark: str, room: float) -> list[str]:
    """``texts``, each broken after its first ``mark``, or all of them, if one is wider than ``room`` points."""
    for breaks in (0, 1, -1):
        broken = [text.replace(mark, f"{mark}\n", breaks) for text in texts]
        if _fit(broken, room):
            break
    return broken


def _fit(texts: list[str], room: float) -> bool:
    """Whether no line of ``texts`` is wider than ``room`` points."""
    return max(text_points(line) for text in texts for line in text.split("\n")) <= room


def _legend_columns(labels: list[str], room: float) -> int:
    """As many columns as fit beside each other, filled evenly and one after the other."""
    for lines in range(1, len(labels)):
        columns = [labels[first : first + lines] for first in range(0, len(labels), lines)]
        width = sum(max(map(text_points, column)) + _LEGEND_HANDLE for column in columns)
        if width + (len(columns) - 1) * style.FONT_POINTS <= room:
            return len(columns)
    return 1


def _wrapped(text: str, room: float) -> list[str]:
    """``text`` in lines of at most ``room`` points, broken between words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_points(longer) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def text_points(text: str) -> float:
    """The width of a line of ``text`` in points."""
    font = FontProperties(family="DejaVu Sans", size=style.FONT_POINTS)
    return TextToPath().get_text_width_height_descent(text, font, ismath="$" in text)[0]
