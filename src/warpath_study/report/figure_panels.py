"""Panels: one for each graph, in it a horizontal bar for each solver; all share one logarithmic axis of time.

Every bar has its time written beside it, so that the figure can be read without a table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import NullLocator

from warpath.durations import readable_seconds

from . import layout, style

# In points.
_WIDTH = 72 * style.WIDE_INCHES
_EDGE, _BETWEEN, _BAR, _PANEL_TITLE, _TICKS = 5, 9, 11.5, 16, 21
_LINE = 1.35 * style.FONT_POINTS
_TEXT_ROOM = 46  # beside the longest bar
_ACROSS = (2, 3)  # panels side by side: as few places empty as possible
_DECADES_NAMED = 3  # more of them have no room for a name each
_EDGE_LINE: dict[str, Any] = {"edgecolor": style.INK, "linewidth": 0.5}


@dataclass(frozen=True)
class Kind:
    """What kind of solver a bar belongs to, for the legend: a colour, a hatch, and words."""

    words: str
    colour: str
    hatch: str = ""
    bold: bool = False


@dataclass(frozen=True)
class Bar:
    """One solver on one graph. Without ``seconds``, ``instead`` stands in the bar's place.

    ``estimated`` is the mark of an estimate.
    """

    label: str
    kind: Kind
    seconds: float | None
    estimated: str = ""
    instead: str = "–"


def panels(title: str, rows: Mapping[str, Sequence[Bar]], caption: str) -> Figure:
    """A panel for each of ``rows``; all have the same solvers in the same order, and one has a time at least."""
    bars = [bar for of_row in rows.values() for bar in of_row]
    seconds = [bar.seconds for bar in bars if bar.seconds is not None]
    labels = [bar.label for bar in next(iter(rows.values()))]
    across = min(len(rows), min(_ACROSS, key=lambda count: (-len(rows) % count, -count)))
    down = ceil(len(rows) / across)
    lines = layout.wrapped(caption, 0.97 * (_WIDTH - 2 * _EDGE))
    left = max(map(layout.text_points, labels)) + 2 * _EDGE
    wide = (_WIDTH - left - _EDGE - (across - 1) * _BETWEEN) / across
    high = len(labels) * _BAR
    head = _EDGE + 1.5 * style.TITLE_POINTS + _LINE
    height = head + down * (_PANEL_TITLE + high + _EDGE) + _TICKS + len(lines) * _LINE + _EDGE
    low = 10.0 ** floor(log10(min(seconds) * 0.7))
    top = low * (max(seconds) / low) ** (wide / (wide - _TEXT_ROOM))
    figure = Figure(figsize=(style.WIDE_INCHES, height / 72))
    for number, (row, of_row) in enumerate(rows.items()):
        x = left + number % across * (wide + _BETWEEN)
        y = height - head - (number // across + 1) * (_PANEL_TITLE + high + _EDGE) + _EDGE
        axes = figure.add_axes((x / _WIDTH, y / height, wide / _WIDTH, high / height))
        _draw(axes, of_row, low, top)
        _decades(axes, low, max(seconds), named=number + across >= len(rows))
        axes.set_title(row, loc="left", pad=3, size=style.FONT_POINTS, weight="bold")
        axes.set_yticks(range(len(labels)), labels if number % across == 0 else [""] * len(labels))
    figure.suptitle(title, y=1 - _EDGE / height, va="top", size=style.TITLE_POINTS, weight="bold")
    kinds = list(dict.fromkeys(bar.kind for bar in bars))
    figure.legend(
        [Patch(facecolor=kind.colour, hatch=kind.hatch, **_EDGE_LINE) for kind in kinds],
        [kind.words for kind in kinds],
        loc="upper center",
        bbox_to_anchor=(0.5, 1 - (_EDGE + 1.5 * style.TITLE_POINTS) / height),
        ncols=len(kinds),
        borderpad=0,
    )
    figure.text(_EDGE / _WIDTH, _EDGE / height, "\n".join(lines), va="bottom", linespacing=1.3)
    return figure


def _draw(axes: Axes, bars: Sequence[Bar], low: float, top: float) -> None:
    axes.set_xscale("log")
    axes.set_xlim(low, top)
    axes.set_ylim(len(bars) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    for place, bar in enumerate(bars):
        end = low
        if bar.seconds is not None:
            end = bar.seconds
            axes.barh(place, end - low, 0.76, low, color=bar.kind.colour, hatch=bar.kind.hatch, **_EDGE_LINE)
        text = bar.instead if bar.seconds is None else f"{bar.estimated}{readable_seconds(bar.seconds, 3, ms_below=1)}"
        weight = "bold" if bar.kind.bold else "normal"
        at: dict[str, Any] = {"textcoords": "offset points", "va": "center_baseline", "weight": weight}
        axes.annotate(text, (end, place), (3, 0), **at)


def _decades(axes: Axes, low: float, longest: float, named: bool) -> None:
    """Ticks at powers of ten as far as there are bars; if ``named``, with names such as "1 ms" where there is room."""
    first = round(log10(low))
    exponents = range(first, max(first + 1, floor(log10(longest))) + 1)  # one beyond the bars would have no room
    every = 1 if len(exponents) - 1 <= _DECADES_NAMED else 3
    names = [
        "" if exponent % every or not named else readable_seconds(10.0**exponent, 1, ms_below=1)
        for exponent in exponents
    ]
    axes.grid(axis="x")
    axes.set_xticks([10.0**exponent for exponent in exponents], names)
    axes.xaxis.set_minor_locator(NullLocator())
