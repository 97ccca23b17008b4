"""What all figures share: what is shown, the frame of title, legend, axes and caption, and the time axis.

Each part of the frame gets the height that its text needs and the figure is as high as their sum, so that nothing
overlaps, whatever the names and numbers are.
"""

from dataclasses import dataclass
from math import floor, log10

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patheffects import withStroke
from matplotlib.textpath import TextToPath
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from ..errors import UsageError
from . import style
from .comparison import Entry
from .labels import date_range, listed, short_count, spelled

# Points, as all sizes here; 72 are an inch.
_WIDTH = 72 * style.WIDTH_INCHES
_EDGE, _LEFT, _RIGHT = 4, 44, 5
_AXES_HEIGHT = 144
_LINE = 1.3 * style.FONT_POINTS
_TITLE_LINE = 1.6 * style.TITLE_POINTS
_LEGEND_LINE = 1.45 * style.FONT_POINTS
_LEGEND_HANDLE = 2.5 * style.FONT_POINTS
_GAP = 6


_MARKS = {"estimated": "~", "out_of_memory": "×", "not_run": "–"}


@dataclass(frozen=True)
class Shown:
    """What a figure shows: GPU variants by graph. ``cell(dataset, variant)`` is always there, perhaps without a time.

    ``factor`` turns seconds into ``unit``.
    """

    datasets: list[str]
    variants: list[str]
    entries: dict[tuple[str, str], Entry]
    left_out: list[str]
    factor: float
    unit: str

    def cell(self, dataset: str, variant: str) -> Entry:
        return self.entries[dataset, variant]

    def value(self, dataset: str, variant: str) -> float | None:
        """The measured time in ``unit``."""
        seconds = self.cell(dataset, variant).seconds
        return None if seconds is None else seconds * self.factor

    def published(self, dataset: str, variant: str) -> float | None:
        """The paper's time in ``unit``, where it is a number and of a graph of the same size."""
        cell = self.cell(dataset, variant)
        is_number = cell.comparable and cell.published_seconds[:1].isdigit()
        return float(cell.published_seconds) * self.factor if is_number else None

    def mark(self, dataset: str, variant: str) -> str:
        """The sign that says what is special about a cell, "" where nothing is; the caption explains it."""
        return _MARKS.get(self.cell(dataset, variant).status, "")

    def values(self) -> list[float]:
        """All measured times in ``unit``."""
        found = (self.value(dataset, variant) for dataset in self.datasets for variant in self.variants)
        return [value for value in found if value is not None]

    def published_values(self) -> list[float]:
        """All published times in ``unit`` that may be shown beside the measured ones."""
        found = (self.published(dataset, variant) for dataset in self.datasets for variant in self.variants)
        return [value for value in found if value is not None]


def select(entries: list[Entry], algorithm: str) -> Shown:
    """The cells of ``entries`` that the paper's figures show: all but the CPU's, of the graphs that were run.

    Raises UsageError where the entries are of another algorithm or hold no time at all.
    """
    others = {entry.algorithm for entry in entries} - {algorithm}
    if others:
        raise UsageError(
            f"this figure shows {algorithm} but the comparison holds {', '.join(sorted(others))}; give its table"
        )
    on_gpu = [entry for entry in entries if entry.variant != "cpu" and entry.device_kind != "cpu"]
    run = [entry for entry in on_gpu if entry.status != "not_run"]
    times = [entry.seconds for entry in run if entry.seconds is not None]
    if not times:
        raise UsageError(f"the comparison has no measured time of {algorithm} on a GPU; there is nothing to draw")
    datasets = list(dict.fromkeys(entry.dataset for entry in run))
    variants = list(dict.fromkeys(entry.variant for entry in on_gpu if entry.variant in {cell.variant for cell in run}))
    left_out = list(dict.fromkeys(entry.dataset for entry in on_gpu if entry.dataset not in datasets))
    factor, unit = next((pair for pair in ((1.0, "s"), (1e3, "ms")) if max(times) * pair[0] >= 1), (1e6, "µs"))
    shown = {(entry.dataset, entry.variant): entry for entry in on_gpu}
    return Shown(datasets, variants, shown, left_out, factor, unit)


def caption(shown: Shown, with_published: bool) -> str:
    """What must be known to read the figure: device and date first, then marks and gaps, then the published times."""
    cells = [shown.cell(dataset, variant) for dataset in shown.datasets for variant in shown.variants]
    devices = listed(list(dict.fromkeys(cell.device for cell in cells if cell.device)))
    parts = [f"{devices}, {date_range([cell.date for cell in cells])}."]
    if any(cell.device_kind == "host" for cell in cells):
        parts.insert(0, "Host simulation, not GPU times.")
    if any(cell.status == "estimated" for cell in cells):
        parts.append(f"{_MARKS['estimated']} estimated from the first iterations.")
    for status, words in (("out_of_memory", "out of memory"), ("not_run", "not run")):
        without = [f"{spelled(cell.variant)} on {cell.dataset}" for cell in cells if cell.status == status]
        if without:
            parts.append(f"{_MARKS[status]} {words}: {listed(without)}.")
    if shown.left_out:
        parts.append(f"Not run: {listed(shown.left_out)}.")
    if with_published and not shown.published_values():
        parts.append("Published times are left out, as these graphs are not of the paper's sizes.")
    elif with_published and any(cell.dataset != cell.row for cell in cells):
        parts.append("Published times are those of the paper's graphs of the same sizes.")
    return " ".join(parts)


def frame(title: str, legend: list[tuple[object, str]], shown: Shown, caption_text: str) -> tuple[Figure, Axes]:
    """A figure with ``title``, ``legend`` (pairs of handle and label), an x axis of the graphs and the caption."""
    columns = _legend_columns([label for _, label in legend])
    tick_labels = _tick_labels(shown)
    caption_lines = _wrapped(caption_text, _WIDTH - 2 * _EDGE)

    tick_lines = max(label.count("\n") + 1 for label in tick_labels)
    below = _EDGE + len(caption_lines) * _LINE + _GAP + tick_lines * _LINE + _GAP
    legend_top = _EDGE + _TITLE_LINE
    above = legend_top + -(-len(legend) // columns) * _LEGEND_LINE + _GAP
    height = below + _AXES_HEIGHT + above

    figure = Figure(figsize=(_WIDTH / 72, height / 72))
    box = (_LEFT / _WIDTH, below / height, (_WIDTH - _LEFT - _RIGHT) / _WIDTH, _AXES_HEIGHT / height)
    axes = figure.add_axes(box)
    axes.set_xticks(range(len(tick_labels)), tick_labels, linespacing=1.2)
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
    figure.text(_EDGE / _WIDTH, _EDGE / height, "\n".join(caption_lines), va="bottom", linespacing=1.3)
    return figure, axes


def time_axis(axes: Axes, shown: Shown, log: bool, with_published: bool) -> None:
    """The y axis: from zero, or logarithmic from a power of ten below the smallest value."""
    values = shown.values() + (shown.published_values() if with_published else [])
    host = any(entry.device_kind == "host" for entry in shown.entries.values())
    axes.set_ylabel(f"Host simulation time ({shown.unit})" if host else f"Time ({shown.unit})")
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
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))


def height_points(axes: Axes, value: float | None) -> float:
    """How high above the x axis ``value`` lies; None is on it."""
    bottom, top = axes.transData.transform([(0, axes.get_ylim()[0]), (0, value or axes.get_ylim()[0])])[:, 1]
    return (top - bottom) * 72 / axes.figure.dpi


def put_mark(axes: Axes, x: float, height: float, mark: str, **options) -> None:
    """Write ``mark`` at ``x``, ``height`` points above the x axis, readable where it crosses a line."""
    halo = [withStroke(linewidth=1.5, foreground="white")]
    axes.annotate(mark, (x, 0), (0, height), ("data", "axes fraction"), "offset points", path_effects=halo, **options)


def _tick_labels(shown: Shown) -> list[str]:
    """The name of each graph and, as published, its counts; both on two lines where one is too long for any graph."""
    names, counts = [], []
    for dataset in shown.datasets:
        cells = (shown.cell(dataset, variant) for variant in shown.variants)
        measured = next(cell for cell in cells if cell.status != "not_run")
        names.append(dataset)
        counts.append(f"({short_count(measured.nodes)},{short_count(measured.edges)})")
    room = (_WIDTH - _LEFT - _RIGHT) / len(names) - 3
    pairs = zip(_fitted(names, "-", room), _fitted(counts, ",", room), strict=True)
    return ["\n".join(pair) for pair in pairs]


def _fitted(texts: list[str], mark: str, room: float) -> list[str]:
    """``texts``, each broken after its first ``mark`` if one of them is wider than ``room`` points."""
    if max(map(_points, texts)) <= room:
        return texts
    return [text.replace(mark, f"{mark}\n", 1) for text in texts]


def _legend_columns(labels: list[str]) -> int:
    """As many columns as fit beside each other, filled evenly and one after the other."""
    for lines in range(1, len(labels)):
        columns = [labels[first : first + lines] for first in range(0, len(labels), lines)]
        width = sum(max(map(_points, column)) + _LEGEND_HANDLE for column in columns)
        if width + (len(columns) - 1) * style.FONT_POINTS <= _WIDTH - 2 * _EDGE:
            return len(columns)
    return 1


def _wrapped(text: str, room: float) -> list[str]:
    """``text`` in lines of at most ``room`` points, broken between words."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _points(longer) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _points(text: str) -> float:
    """The width of a line of ``text`` in points."""
    font = FontProperties(family="DejaVu Sans", size=style.FONT_POINTS)
    return TextToPath().get_text_width_height_descent(text, font, ismath=False)[0]
