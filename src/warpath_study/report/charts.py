"""The shared charts: bars, lines, speedups, lines over vertices, and panels of horizontal bars.

Bars have error bars that span the samples, ``~`` or ``≈`` on estimated times, and hollow diamonds at published times.
In lines, measured times are filled marks and solid lines, estimated times half-filled marks and dashed lines, and
published times hollow marks and dotted lines. Bars and marks of another graph than the work's are pale.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, floor, log2, log10
from textwrap import wrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from warpath.errors import UsageError
from warpath.system.durations import readable_seconds

from . import style
from .cells import Cell, Data, cells
from .chart_data import OTHER_GRAPH, SIGNS, ChartData, Point, caption, chart_data, device_titles, signs
from .labels import prose_list, short_count, unique
from .published import PublishedTable
from .runs import digits_of, group_by, mark_of_all
from .style import Legend

_AXES_INCHES = 2.4  # height of the axes with its labels
_DECADES_INCHES = 3.4  # the same, for times over many decades
_TICK_PAD = 3.5  # points between a tick and its label
_LETTER_POINTS = 5.2  # a digit is narrower
_GROUP_WIDTH = 0.8  # of the distance between two groups of bars
_DIAMOND: dict[str, Any] = {
    "linestyle": "none",
    "marker": "D",
    "markersize": 4.5,
    "markerfacecolor": "white",
    "markeredgewidth": 1.4,
    "path_effects": [withStroke(linewidth=3, foreground="white")],
    "zorder": 4,
}
_DASHED = (0, (3, 2))
_ELSEWHERE = "*"
_FIRST_ANSWER = style.Look("#DDDDDD")
_MS = 1000  # in a second
_MISSING = float("nan")  # leaves a gap in a line


def bars(data: Data, *, published: str = "", log: bool = False) -> Figure:
    """Measured times as bars, and published times, from the file ``published``, as diamonds."""
    found = cells(data, data.read_published(published))
    return _grouped_bars(data, chart_data(data, found, with_published=bool(published)), log)


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
    figure = _grouped_bars(data, _speedups(chart, base))
    figure.axes[0].axhline(1, color=style.INK, linewidth=0.8)
    return figure


def lines(data: Data, *, published: str = "", log: bool = False) -> Figure:
    """Measured times as lines, and published times, from the file ``published``, as hollow marks."""
    found = cells(data, data.read_published(published))
    chart = chart_data(data, found, with_published=bool(published))
    figure, axes = _figure_of_rows(chart, log)
    _draw_series(axes, chart, range(len(chart.rows)))
    return finish(figure, data, chart, _line_legend(chart), _AXES_INCHES)


def over_vertices(
    data: Data,
    *,
    published: str = "",
    rename: Mapping[str, str] | None = None,
    columns: Sequence[str] = (),
    published_only: Mapping[str, str] | None = None,
) -> Figure:
    """Time over the number of vertices on logarithmic axes, a line for each of ``columns`` (default: all).

    ``published`` is the file of published times, and ``rename`` maps its columns to variants. ``published_only`` maps
    further columns of that file, which no variant here corresponds to, to the labels of their lines.
    """
    table = data.read_published(published, rename)
    found = [*cells(data, table, columns)]
    found = sorted([*found, *_published_only(found, table, published_only or {})], key=lambda cell: cell.nodes or 0)
    chart = chart_data(data, found, with_published=bool(published), serial=True)
    unmeasured = {
        label: replace(look, colour=style.INK) for label, look in chart.looks.items() if not chart.is_measured(label)
    }
    chart = replace(chart, looks=chart.looks | unmeasured)
    sizes = [chart.counts[row][0] for row in chart.rows]
    figure, axes = _figure(chart, log=True, width=style.WIDE_INCHES)
    axes.set_xscale("log", base=2)
    axes.set_xlim(min(sizes) / 1.2, max(sizes) * 1.2)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("Vertices")
    _label_sizes(axes, sizes)
    _draw_series(axes, chart, sizes)
    return finish(figure, data, chart, _line_legend(chart), _DECADES_INCHES)


def _published_only(found: Sequence[Cell], table: PublishedTable, labels: Mapping[str, str]) -> list[Cell]:
    """Cells without a measured time, for the columns of ``table`` in ``labels``."""
    blank: dict[str, Any] = {"status": "published", "asked": "", "device": "", "date": "", "iterations_timed": None}
    blank |= {"seconds": None, "samples": None, "min_s": None, "max_s": None}
    return [
        replace(of_row[0], column=column, label=label, published_seconds=table.cell(row, column), **blank)
        for row, of_row in group_by((cell for cell in found if cell.status != "not_run"), "row").items()
        for column, label in labels.items()
    ]


def finish(
    figure: Figure, data: Data, chart: ChartData, legend: Legend, axes_inches: float, finding: str = ""
) -> Figure:
    """Add title, legend and caption; ``finding`` is a clause that compares a finding with the published one."""
    where = device_titles(chart.cells.values())
    return style.finish(figure, data.target.fields.title, where, caption(chart, finding), legend, axes_inches)


def _figure(chart: ChartData, log: bool, width: float = style.WIDTH_INCHES) -> tuple[Figure, Axes]:
    """A figure whose y axis starts at zero, or on a logarithmic axis at a power of ten below the values."""
    figure = style.new_figure(width)
    axes = figure.add_subplot(ylabel=chart.axis_label)
    axes.grid(axis="y")
    values = chart.values() + chart.published_values()
    top, least = max(values), min(values)
    if log:
        bottom = 10.0 ** floor(log10(least * 0.8))
        style.log_axis(axes, "y")
        axes.set_ylim(bottom, max(2 * top, 10 * bottom))
    else:
        axes.set_ylim(0, 1.08 * top)
        axes.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
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


def _row_labels(chart: ChartData) -> tuple[float, list[str]]:
    """The width of the figure in inches, and labels with the name and the counts of each graph.

    The figure is one column wide, or two columns if the labels do not fit. Names break at hyphens if they must.
    """
    counts = [f"({', '.join(map(short_count, chart.counts[row]))})" for row in chart.rows]
    names = [chart.datasets[row] for row in chart.rows]
    longest = max(map(len, names + counts))
    for width in (style.WIDTH_INCHES, style.WIDE_INCHES):
        letters = int((72 * width - 50) / len(names) / _LETTER_POINTS)
        if longest <= letters:
            break
    broken = ["\n".join(wrap(name, letters, break_long_words=False)) for name in names]
    return width, ["\n".join(lines) for lines in zip(broken, counts, strict=True)]


def _label_sizes(axes: Axes, sizes: Sequence[int]) -> None:
    """Label each of ``sizes``, in ascending order, in a wide figure; a label that would touch another one is lower."""
    low, high = axes.get_xlim()
    points_of_double = (72 * style.WIDE_INCHES - 60) / log2(high / low)
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    ends: list[float] = []  # of the labels so far, line by line
    for size, tick in zip(sizes, axes.xaxis.get_major_ticks(), strict=True):
        centre, half = log2(size) * points_of_double, len(f"{size:,}") * _LETTER_POINTS / 2
        line = next((number for number, end in enumerate(ends) if centre - half > end + 2), len(ends))
        ends[line : line + 1] = [centre + half]
        tick.set_pad(_TICK_PAD + line * 1.25 * style.FONT_POINTS)


def _grouped_bars(data: Data, chart: ChartData, log: bool = False) -> Figure:
    """A bar for each measured value, and a diamond over it for the published one."""
    figure, axes = _figure_of_rows(chart, log)
    bar = _GROUP_WIDTH / len(chart.looks)
    for group, row in enumerate(chart.rows):
        for index, (label, look) in enumerate(chart.looks.items()):
            _draw_bar(axes, group + (index - (len(chart.looks) - 1) / 2) * bar, bar, chart.points[row, label], look)
    legend: Legend = [(Patch(**look.bar()), label) for label, look in chart.looks.items()]
    if chart.has_other_graphs:
        legend.append((Patch(**style.GENERAL.bar(other_graph=True)), OTHER_GRAPH))
    if chart.published_values():
        legend.append((Line2D([], [], markeredgecolor=style.INK, **_DIAMOND), "Published"))
    return finish(figure, data, chart, [*legend, *signs(chart.points.values())], _AXES_INCHES)


def _draw_bar(axes: Axes, x: float, width: float, point: Point, look: style.Look) -> None:
    if point.value is not None:
        axes.bar(x, point.value, width, **look.bar(point.other_graph))
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
    shown = f"speedups over {base} on the same graph"
    return replace(chart, rows=rows, looks=looks, points=points, shown=shown, quantity=f"Speedup over {base}")


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
        other_graph=point.other_graph,
    )


def _quotient(dividend: float | None, divisor: float | None) -> float | None:
    return None if dividend is None or divisor is None else dividend / divisor


def _line_legend(chart: ChartData) -> Legend:
    """Handles of the series, from the highest to the lowest line, and of the signs that all series share."""

    def last_value(label: str) -> float:
        points = [chart.points[row, label] for row in chart.rows]
        return next(filter(None, (point.value or point.published for point in reversed(points))), 0.0)

    legend: Legend = []
    for label in sorted(chart.looks, key=last_value, reverse=True):
        look = chart.looks[label]
        legend.append((Line2D([], [], **(look.mark() if chart.is_measured(label) else look.published())), label))
    return [*legend, *shared_signs(chart)]


def shared_signs(chart: ChartData) -> Legend:
    """Handles of the signs that all series of lines share."""
    legend: Legend = []
    if chart.has_estimates:
        legend.append((Line2D([], [], linestyle=_DASHED, **style.GENERAL.mark(estimated=True)), SIGNS["~"]))
    if chart.has_other_graphs:
        legend.append((Line2D([], [], **style.GENERAL.mark(other_graph=True)), OTHER_GRAPH))
    if chart.published_values():
        legend.append((Line2D([], [], **style.GENERAL.published()), "Published"))
    missing = [point for point in chart.points.values() if point.mark]
    return [*legend, *signs(missing)]


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
    """Draw a series: a dashed line through all points, a solid line through measured points, and the marks."""
    positions = [x for x, _ in points]
    values = [_MISSING if point.value is None else point.value for _, point in points]
    measured = [_MISSING if point.estimated else value for (_, point), value in zip(points, values, strict=True)]
    if any(point.estimated for _, point in points):
        axes.plot(positions, values, color=look.colour, linestyle=_DASHED)
    axes.plot(positions, measured, color=look.colour)
    for estimated, other_graph in product((False, True), repeat=2):
        marks = [
            (x, point.value)
            for x, point in points
            if point.value is not None and (bool(point.estimated), point.other_graph) == (estimated, other_graph)
        ]
        if marks:
            axes.plot(*zip(*marks, strict=True), linestyle="none", **look.mark(estimated, other_graph))
    for x, point in points:
        if point.value is not None and point.error:
            axes.errorbar(x, point.value, [[end] for end in point.error], ecolor=look.colour, **style.ERROR_BAR)
    published = [(x, point.published) for x, point in points if point.published is not None]
    if published:
        axes.plot(*zip(*published, strict=True), zorder=3, **look.published())


@dataclass(frozen=True)
class Kind:
    """A kind of solver, with the label and the look of its bars."""

    label: str
    look: style.Look
    bold: bool = False


@dataclass(frozen=True)
class Bar:
    """One solver on one graph; a bar without ``seconds`` is the text ``placeholder``.

    ``estimated`` is the mark of an estimate. ``first_s`` is the time of the first answer, with preparation. ``few`` is
    the number of sources or samples if there are few; a single one is a text without a bar. ``elsewhere`` says that it
    was measured on another machine or day than most of its panel.
    """

    label: str
    kind: Kind
    seconds: float | None
    estimated: str = ""
    placeholder: str = "–"
    first_s: float | None = None
    few: int | None = None
    elsewhere: bool = False

    @property
    def text(self) -> str:
        """The time with the marks of what it is from, or the placeholder."""
        if self.seconds is None:
            return self.placeholder
        time = readable_seconds(self.seconds, digits_of(self.estimated), ms_below=1)
        return f"{self.estimated}{time}{f' ({self.few})' if self.few else ''}{_ELSEWHERE * self.elsewhere}"


def panels(title: str, where: str, rows: Mapping[str, Sequence[Bar]], caption: str, quantity: str) -> Figure:
    """A panel for each of ``rows``, with a horizontal bar and its time for each solver, on one logarithmic axis.

    A pale bar is the time of the first answer. All rows have the same solvers in the same order. At least one bar has a
    time. ``quantity`` is the title of the axis, and ``where`` the device.
    """
    bars = [bar for of_row in rows.values() for bar in of_row]
    times = [_MS * time for bar in bars for time in (bar.seconds, bar.first_s) if time is not None]
    labels = [bar.label for bar in next(iter(rows.values()))]
    across = min(len(rows), min((2, 3), key=lambda count: (-len(rows) % count, -count)))  # with the fewest empty panels
    down = ceil(len(rows) / across)
    low = 10.0 ** floor(log10(min(times) * 0.7))
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
    style.log_axis(first, "x")
    first.set_xlim(low, low * (max(times) / low) ** (1 + 0.15 * across))  # with space for the text of the longest bar
    first.xaxis.set_minor_locator(NullLocator())
    first.xaxis.set_major_locator(LogLocator(numticks=7))
    first.set_ylim(len(labels) - 0.5, -0.5)
    first.set_yticks(range(len(labels)), labels)
    kinds = list(dict.fromkeys(bar.kind for bar in bars))
    legend: Legend = [(Patch(**kind.look.bar()), kind.label) for kind in kinds]
    if any(bar.first_s is not None for bar in bars):
        legend.append((Patch(**_FIRST_ANSWER.bar()), "until the first answer, with preparation"))
    estimates = unique(bar.estimated for bar in bars if bar.estimated)
    legend += [(sign, SIGNS[sign].lower()) for sign in estimates]
    legend += [("(n)", "from n sources or samples only")] * any(bar.few for bar in bars)
    legend += [(_ELSEWHERE, "on another machine or day")] * any(bar.elsewhere for bar in bars)
    return style.finish(figure, title, where, caption, legend, down * (0.16 * len(labels) + 0.3) + 0.2)


def _draw_bars(axes: Axes, bars: Sequence[Bar], low: float) -> None:
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x")
    for position, bar in enumerate(bars):
        end = low
        if bar.seconds is not None and bar.few != 1:
            end = time = _MS * bar.seconds
            if bar.first_s is not None:
                end = max(end, _MS * bar.first_s)
                axes.barh(position, end - low, 0.4, low, **_FIRST_ANSWER.bar())
            axes.barh(position, time - low, 0.76, low, **bar.kind.look.bar())
        weight = "bold" if bar.kind.bold else "normal"
        at: dict[str, Any] = {"textcoords": "offset points", "va": "center_baseline", "weight": weight}
        at |= {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.6}, "zorder": 2}  # hides lines of the grid
        axes.annotate(bar.text, (end, position), (3, 0), **at)
