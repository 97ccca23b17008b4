"""The shared charts: bars, lines, speedups, lines over vertices, and panels of horizontal bars.

Bars have error bars that span the samples, ``~`` or ``≈`` on estimated times, and hollow diamonds at published times.
In lines, measured times are filled marks and solid lines, estimated times hollow marks and dashed lines, and published
times crosses on dotted lines.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, log2, log10
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, NullLocator

from warpath.durations import readable_seconds
from warpath.errors import UsageError

from . import style
from .cells import Data, cells
from .chart_data import ChartData, Point, caption, chart_data
from .labels import axis_counts, prose_list, short_count
from .runs import mark_of_all
from .style import Legend

_AXES_INCHES = 2.4  # height of the axes with its labels
_LETTER_POINTS = 5.2  # a digit is narrower
_GROUP_WIDTH = 0.8  # of the distance between two groups of bars
_EDGE: dict[str, Any] = {"edgecolor": style.INK, "linewidth": 0.5}
_DIAMOND: dict[str, Any] = {
    "linestyle": "none",
    "marker": "D",
    "markersize": 4.5,
    "markerfacecolor": "white",
    "markeredgewidth": 1.4,
    "path_effects": [withStroke(linewidth=3, foreground="white")],
    "zorder": 4,
}
_DASHED: dict[str, Any] = {"linestyle": (0, (3, 2)), "markerfacecolor": "white"}
_CROSS: dict[str, Any] = {
    "linestyle": ":",
    "linewidth": 0.9,
    "marker": "x",
    "markersize": 5.5,
    "markeredgewidth": 1.3,
    "zorder": 3,
}
_PALE = "#DDDDDD"
_MISSING = float("nan")  # leaves a gap in a line
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def bars(data: Data, *, published: str = "", log: bool = False) -> Figure:
    """Measured times as bars, and published times, from the file ``published``, as diamonds."""
    found = cells(data, data.read_published(published))
    return _grouped_bars(chart_data(data, found, with_published=bool(published)), data.target.fields.title, log)


def speedup(data: Data, *, published: str = "", over: str = "naive") -> Figure:
    """Speedups over the variant ``over``: measured as bars, published as diamonds.

    A measured speedup is a quotient of measured times, and a published one of published times, because times of two
    machines cannot be compared.
    """
    found = cells(data, data.read_published(published))
    chart = chart_data(data, found, with_published=bool(published))
    of_label = {label: cell.column for (_, label), cell in chart.cells.items()}
    base = next((label for label in chart.looks if of_label[label] == over), "")
    if not base:
        known = prose_list(list(of_label.values()))
        raise UsageError(f"{data.target.name}: there is no run of {over}; there are {known}")
    figure = _grouped_bars(_speedups(chart, base), data.target.fields.title)
    figure.axes[0].axhline(1, color=style.INK, linewidth=0.8)
    return figure


def lines(data: Data, *, published: str = "", log: bool = False) -> Figure:
    """Measured times as lines, and published times, from the file ``published``, as crosses."""
    found = cells(data, data.read_published(published))
    chart = chart_data(data, found, with_published=bool(published))
    figure, axes = _figure_of_rows(chart, log)
    _draw_series(axes, chart, range(len(chart.rows)))
    return style.finish(figure, data.target.fields.title, caption(chart, lines=True), _line_legend(chart), _AXES_INCHES)


def over_vertices(
    data: Data, *, published: str = "", rename: Mapping[str, str] | None = None, columns: Sequence[str] = ()
) -> Figure:
    """Time over the number of vertices on logarithmic axes, a line for each of ``columns`` (default: all).

    ``published`` is the file of published times, and ``rename`` maps its columns to variants.
    """
    found = sorted(cells(data, data.read_published(published, rename), columns), key=lambda cell: cell.nodes or 0)
    chart = chart_data(
        data,
        found,
        with_published=bool(published),
        serial=True,
        row_label=lambda row: f"{int(row):,} vertices" if row.isdigit() else row,
    )
    sizes = [chart.counts[row][0] for row in chart.rows]
    figure, axes = _figure(chart, log=True)
    axes.set_xscale("log", base=2)
    axes.set_xlim(min(sizes) / 1.2, max(sizes) * 1.2)
    axes.set_xticks(sizes, _size_labels(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("Vertices")
    _draw_series(axes, chart, sizes)
    return style.finish(figure, data.target.fields.title, caption(chart, lines=True), _line_legend(chart), _AXES_INCHES)


def _figure(chart: ChartData, log: bool, width: float = style.WIDTH_INCHES) -> tuple[Figure, Axes]:
    """A figure whose y axis starts at zero, or on a logarithmic axis at a power of ten below the values."""
    figure = style.new_figure(width)
    axes = figure.add_subplot(ylabel=chart.axis_label)
    axes.grid(axis="y")
    values = chart.values() + chart.published_values()
    top, least = max(values), min(values)
    if log:
        bottom = 10.0 ** floor(log10(least * 0.8))
        axes.set_yscale("log")
        axes.set_ylim(bottom, 2 * top)
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if top < 250 * bottom else (1,), numticks=8))
        axes.yaxis.set_minor_formatter(NullFormatter())
        powers = bottom < 0.001 or top > 5000
    else:
        axes.set_ylim(0, 1.08 * top)
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
        powers = False
    if powers:
        axes.yaxis.set_major_formatter(_power_of_ten)
    else:
        axes.yaxis.set_major_formatter("{x:,.10g}")
    return figure, axes


def _figure_of_rows(chart: ChartData, log: bool) -> tuple[Figure, Axes]:
    """A figure with the rows at 0, 1, ... on the x axis."""
    width, labels = _row_labels(chart)
    figure, axes = _figure(chart, log, width)
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlim(-0.5, len(labels) - 0.5)
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel("Graph (vertices, arcs)")
    return figure, axes


def _power_of_ten(value: float, _: float) -> str:
    return "10" + str(round(log10(value))).translate(_SUPERSCRIPTS)


def _row_labels(chart: ChartData) -> tuple[float, list[str]]:
    """The width of the figure in inches, and labels with the name and the counts of each graph.

    The figure is one column wide, or two columns if the labels do not fit, even in more lines.
    """
    counts = [(row, *map(short_count, chart.counts[row])) for row in chart.rows]
    whole = [f"{row}\n({nodes},{edges})" for row, nodes, edges in counts]
    broken = [label.replace(" ", "\n").replace(",", ",\n") for label in whole]
    for width in (style.WIDTH_INCHES, style.WIDE_INCHES):
        letters = (72 * width - 50) / len(chart.rows) / _LETTER_POINTS
        for labels in (whole, broken):
            if max(len(line) for label in labels for line in label.split("\n")) <= letters:
                return width, labels
    return style.WIDE_INCHES, broken


def _size_labels(sizes: list[int]) -> list[str]:
    """A label for each of ``sizes``, in ascending order; "" if it would touch the label of a larger size."""
    points_of_double = 195 / log2(1.44 * sizes[-1] / sizes[0])
    labels, limit = [], float("inf")
    for size, label in reversed(list(zip(sizes, axis_counts(sizes), strict=True))):
        centre, half = log2(size) * points_of_double, len(label) * _LETTER_POINTS / 2
        if centre + half > limit:
            label = ""
        else:
            limit = centre - half - 2
        labels.append(label)
    return labels[::-1]


def _grouped_bars(chart: ChartData, title: str, log: bool = False) -> Figure:
    """A bar for each measured value, and a diamond over it for the published one."""
    figure, axes = _figure_of_rows(chart, log)
    bar = _GROUP_WIDTH / len(chart.looks)
    for group, row in enumerate(chart.rows):
        for index, (label, look) in enumerate(chart.looks.items()):
            _draw_bar(axes, group + (index - (len(chart.looks) - 1) / 2) * bar, bar, chart.points[row, label], look)
    legend: Legend = [
        (Patch(facecolor=look.colour, hatch=look.hatch, **_EDGE), label) for label, look in chart.looks.items()
    ]
    if chart.published_values():
        legend.append((Line2D([], [], markeredgecolor=style.INK, **_DIAMOND), "Published"))
    return style.finish(figure, title, caption(chart), legend, _AXES_INCHES)


def _draw_bar(axes: Axes, x: float, width: float, point: Point, look: style.Look) -> None:
    if point.value is not None:
        axes.bar(x, point.value, width, color=look.colour, hatch=look.hatch, **_EDGE)
        if point.error:
            axes.errorbar(x, point.value, [[end] for end in point.error], ecolor=style.INK, **style.ERROR_BAR)
    if point.published is not None:
        axes.plot(x, point.published, markeredgecolor=look.colour, **_DIAMOND)
    if mark := point.estimated or point.mark:
        # On top of the bar, or at the foot of a missing bar; above a diamond that covers this position.
        foot = axes.get_ylim()[0]
        height, above = foot if point.value is None else point.value, -1
        if (
            point.published is not None
            and -0.03 < _axes_fraction(axes, point.published) - _axes_fraction(axes, height) < 0.09
        ):
            height, above = point.published, 3
        _put_mark(axes, mark, (x, height), above, "data", va="bottom")


def _axes_fraction(axes: Axes, value: float) -> float:
    """The height of ``value``, from 0 at the bottom of the axes to 1 at their top."""
    return axes.transLimits.transform(axes.transScale.transform((0, value)))[1]


def _put_mark(axes: Axes, mark: str, position: tuple[float, float], above: float, heights: str, **options: Any) -> None:
    """Write ``mark``, ``above`` points above ``position``, with a halo that hides lines behind it."""
    halo = [withStroke(linewidth=1.5, foreground="white")]
    at: dict[str, Any] = {"xycoords": ("data", heights), "textcoords": "offset points", "ha": "center"}
    axes.annotate(mark, position, (0, above), path_effects=halo, **at, **options)


def _speedups(chart: ChartData, base: str) -> ChartData:
    """``chart`` as speedups over the series ``base``, for the rows in which ``base`` has a time."""
    rows = [row for row in chart.rows if chart.points[row, base].value is not None]
    if not rows:
        raise UsageError(f"there is no time of {base}; measure it first")
    looks = {label: look for label, look in chart.looks.items() if label != base}
    points = {
        (row, label): _ratio(chart.points[row, base], chart.points[row, label]) for row in rows for label in looks
    }
    if all(point.value is None and point.published is None for point in points.values()):
        raise UsageError(f"only {base} has a time; measure another variant")
    return replace(chart, rows=rows, looks=looks, points=points, quantity=f"Speedup over {base}")


def _ratio(base: Point, point: Point) -> Point:
    """The speedup of ``point`` over ``base``; an end of the error bar is a slowest over a fastest sample."""
    several = base.error and point.error
    return Point(
        status=point.status,
        value=_quotient(base.value, point.value),
        low=_quotient(base.low, point.high) if several else None,
        high=_quotient(base.high, point.low) if several else None,
        published=_quotient(base.published, point.published),
        estimated=mark_of_all((base.estimated, point.estimated)),
    )


def _quotient(dividend: float | None, divisor: float | None) -> float | None:
    return None if dividend is None or divisor is None else dividend / divisor


def _line_legend(chart: ChartData) -> Legend:
    """Handles of the series, of estimated times and of published times."""
    handles: Legend = [
        (Line2D([], [], color=look.colour, marker=look.marker), label) for label, look in chart.looks.items()
    ]
    if chart.has_estimates:
        handles.append((Line2D([], [], color=style.INK, marker="o", **_DASHED), "Estimated"))
    if chart.published_values():
        handles.append((Line2D([], [], color=style.INK, **_CROSS), "Published"))
    return handles


def _draw_series(axes: Axes, chart: ChartData, positions: Sequence[float]) -> None:
    """Draw all series, with the rows at the x ``positions``, and the marks of missing points."""
    for label, look in chart.looks.items():
        draw_line(axes, [(x, chart.points[row, label]) for x, row in zip(positions, chart.rows, strict=True)], look)
    for x, row in zip(positions, chart.rows, strict=True):
        height = 0.5 * style.FONT_POINTS
        for label, look in chart.looks.items():
            if mark := chart.points[row, label].mark:
                options = {"color": look.colour, "weight": "bold", "va": "center"}
                _put_mark(axes, mark, (x, 0), height, "axes fraction", **options)
                height += 0.9 * style.FONT_POINTS


def draw_line(axes: Axes, points: Sequence[tuple[float, Point]], look: style.Look) -> None:
    """Draw a series: a dashed line through all points, a solid line through measured points, and crosses."""
    positions = [x for x, _ in points]
    values = [_MISSING if point.value is None else point.value for _, point in points]
    measured = [_MISSING if point.estimated else value for (_, point), value in zip(points, values, strict=True)]
    estimated = [(x, point.value) for x, point in points if point.estimated and point.value is not None]
    if estimated:
        axes.plot(positions, values, color=look.colour, linestyle=_DASHED["linestyle"])
    axes.plot(positions, measured, color=look.colour, marker=look.marker)
    if estimated:
        axes.plot(*zip(*estimated, strict=True), look.marker, color=look.colour, markerfacecolor="white")
    for x, point in points:
        if point.value is not None and point.error:
            axes.errorbar(x, point.value, [[end] for end in point.error], ecolor=look.colour, **style.ERROR_BAR)
    published = [(x, point.published) for x, point in points if point.published is not None]
    if published:
        axes.plot(*zip(*published, strict=True), color=look.colour, **_CROSS)


@dataclass(frozen=True)
class Kind:
    """A kind of solver, with the label and the look of its bars."""

    label: str
    colour: str
    hatch: str = ""
    bold: bool = False


@dataclass(frozen=True)
class Bar:
    """One solver on one graph; a bar without ``seconds`` is the text ``placeholder``.

    ``estimated`` is the mark of an estimate. ``first_s`` is the time of the first answer, with preparation.
    """

    label: str
    kind: Kind
    seconds: float | None
    estimated: str = ""
    placeholder: str = "–"
    first_s: float | None = None


def panels(title: str, rows: Mapping[str, Sequence[Bar]], caption: str, quantity: str) -> Figure:
    """A panel for each of ``rows``, with a horizontal bar and its time for each solver, on one logarithmic axis.

    A pale bar is the time of the first answer. All rows have the same solvers in the same order. At least one bar has a
    time. ``quantity`` is the title of the axis.
    """
    bars = [bar for of_row in rows.values() for bar in of_row]
    seconds = [time for bar in bars for time in (bar.seconds, bar.first_s) if time is not None]
    labels = [bar.label for bar in next(iter(rows.values()))]
    across = min(len(rows), min((2, 3), key=lambda count: (-len(rows) % count, -count)))  # with the fewest empty panels
    down = ceil(len(rows) / across)
    low = 10.0 ** floor(log10(min(seconds) * 0.7))
    figure = style.new_figure(style.WIDE_INCHES)
    every = figure.subplots(down, across, sharex=True, sharey=True, squeeze=False).flat
    for axes, (row, of_row) in zip(every, rows.items(), strict=False):
        axes.set_title(row, weight="bold")
        _draw_bars(axes, of_row, low)
    for axes in every[len(rows) :]:
        axes.remove()
    for axes in every[len(rows) - across : len(rows)]:
        axes.tick_params(labelbottom=True)
        axes.set_xlabel(f"{quantity} (ms)")
    first = every[0]
    first.set_xscale("log")
    first.set_xlim(low, low * (max(seconds) / low) ** (1 + 0.12 * across))  # with space for the text of the longest bar
    first.xaxis.set_major_locator(LogLocator(numticks=8))
    first.xaxis.set_minor_locator(NullLocator())
    first.xaxis.set_major_formatter(
        lambda value, _: f"{1000 * value:g}" if value < 0.9 else _power_of_ten(1000 * value, _)
    )
    first.set_ylim(len(labels) - 0.5, -0.5)
    first.set_yticks(range(len(labels)), labels)
    kinds = list(dict.fromkeys(bar.kind for bar in bars))
    legend: Legend = [(Patch(facecolor=kind.colour, hatch=kind.hatch, **_EDGE), kind.label) for kind in kinds]
    if any(bar.first_s is not None for bar in bars):
        legend.append((Patch(facecolor=_PALE, **_EDGE), "until the first answer, with preparation"))
    return style.finish(figure, title, caption, legend, down * (0.16 * len(labels) + 0.3) + 0.2)


def _draw_bars(axes: Axes, bars: Sequence[Bar], low: float) -> None:
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    for position, bar in enumerate(bars):
        text, end = bar.placeholder, low
        if bar.seconds is not None:
            text, end = f"{bar.estimated}{readable_seconds(bar.seconds, 3, ms_below=1)}", bar.seconds
            if bar.first_s is not None:
                end = max(end, bar.first_s)
                axes.barh(position, end - low, 0.4, low, color=_PALE, **_EDGE)
            axes.barh(position, bar.seconds - low, 0.76, low, color=bar.kind.colour, hatch=bar.kind.hatch, **_EDGE)
        weight = "bold" if bar.kind.bold else "normal"
        at: dict[str, Any] = {"textcoords": "offset points", "va": "center_baseline", "weight": weight}
        at |= {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.6}, "zorder": 2}  # hides lines of the grid
        axes.annotate(text, (end, position), (3, 0), **at)
