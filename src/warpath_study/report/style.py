"""The style of all figures: look, logarithmic axes, title, legend and caption, and the writing of files.

A figure is as wide as one or both columns of a two-column paper, with letters of at least 8 points. The colours are the
palette of Okabe and Ito for colour-blind readers. Hatches and markers distinguish the series in print without colour.
"""

import contextlib
import io
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import cycle, islice
from math import ceil, log10
from pathlib import Path
from typing import Any

import matplotlib
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.legend_handler import HandlerBase
from matplotlib.text import Text
from matplotlib.textpath import TextToPath
from matplotlib.ticker import LogLocator, NullFormatter

from warpath.system.atomic import atomic_write

WIDTH_INCHES = 3.5
WIDE_INCHES = 7.16
FONT_POINTS = 8.0
TITLE_POINTS = 9.0
INK = "#222222"
ERROR_BAR: dict[str, Any] = {"fmt": "none", "elinewidth": 0.8, "capsize": 2, "capthick": 0.8, "zorder": 3}

_PLAIN = FontProperties(family="DejaVu Sans", size=FONT_POINTS)  # part of matplotlib
_BOLD = FontProperties(family="DejaVu Sans", size=TITLE_POINTS, weight="bold")

_SETTINGS: dict[Any, Any] = {
    "font.family": _PLAIN.get_name(),
    "font.size": FONT_POINTS,
    "axes.titlesize": FONT_POINTS,
    "axes.titlelocation": "left",
    "axes.titlepad": 3,
    "text.color": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.edgecolor": INK,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "grid.color": "#d9d9d9",
    "grid.linewidth": 0.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "ytick.minor.width": 0.4,
    "hatch.linewidth": 0.7,
    "lines.linewidth": 1.3,
    "lines.markersize": 5.0,
    "legend.frameon": False,
    "legend.handlelength": 2.0,
    "legend.handletextpad": 0.5,
    "legend.columnspacing": 1.0,
    "legend.borderaxespad": 0.4,
    "legend.borderpad": 0.1,
    "legend.labelspacing": 0.35,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "text.parse_math": False,  # names of devices and graphs may contain a $
    "svg.hashsalt": "warpath",  # otherwise the identifiers in an SVG change with every run
}

# Metadata for each format. Without a date, the same drawing gives the same bytes.
_METADATA: dict[str, dict[str, None]] = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def pale(colour: str) -> str:
    """A tint of ``colour``."""
    red, green, blue = (1 - 0.2 * (1 - part) for part in to_rgb(colour))
    return to_hex((red, green, blue))


@dataclass(frozen=True)
class Look:
    """How one series of a figure is drawn."""

    colour: str
    hatch: str = ""
    marker: str = "o"

    def bar(self, other_graph: bool = False) -> dict[str, Any]:
        """The look of a bar: pale, with an edge and hatches in the colour, if it is of another graph."""
        if other_graph:
            return {"facecolor": pale(self.colour), "edgecolor": self.colour, "linewidth": 1.0, "hatch": self.hatch}
        return {"facecolor": self.colour, "edgecolor": INK, "linewidth": 0.5, "hatch": self.hatch}

    def mark(self, estimated: bool = False, other_graph: bool = False) -> dict[str, Any]:
        """The look of a measured mark: half filled if the time is estimated, pale if it is of another graph."""
        return {
            "color": self.colour,
            "marker": self.marker,
            "markerfacecolor": pale(self.colour) if other_graph else self.colour,
            "fillstyle": "bottom" if estimated else "full",
            "markerfacecoloralt": "white",
        }

    def published(self) -> dict[str, Any]:
        """The look of published marks and the line through them."""
        return {
            "color": self.colour,
            "marker": self.marker,
            "markerfacecolor": "white",
            "markersize": 4.5,
            "linestyle": ":",
            "linewidth": 0.9,
        }


_COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00", "#56B4E9", "#F0E442")
_HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++")
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")


def looks_of(count: int) -> list[Look]:
    """The first ``count`` looks, always the same ones."""
    looks = zip(cycle(_COLOURS), cycle(_HATCHES), cycle(_MARKERS), strict=False)
    return [Look(*look) for look in islice(looks, count)]


GENERAL = Look(INK)
"""The look of signs that all series share, for the legend."""

Legend = list[tuple[Any, str]]
"""Handles and their labels; a handle may be a text."""


class _TextHandler(HandlerBase):
    """Draws a handle of the legend that is a text."""

    def create_artists(
        self,
        legend: Any,
        orig_handle: Any,
        xdescent: float,
        ydescent: float,
        width: float,
        height: float,
        fontsize: float,
        trans: Any,
    ) -> list[Artist]:
        return [Text(width / 2 - xdescent, -ydescent, orig_handle, ha="center", fontsize=fontsize, transform=trans)]


def log_axis(axes: Axes, name: str, unit: str = "") -> None:
    """Make the axis x or y logarithmic, with a label such as 10⁻¹ at every power of ten; ``unit`` follows it."""
    axes.set(**{f"{name}scale": "log"})
    axis = {"x": axes.xaxis, "y": axes.yaxis}[name]
    axis.set_major_locator(LogLocator(numticks=99))
    axis.set_minor_locator(LogLocator(subs=range(2, 10), numticks=99))
    axis.set_major_formatter(lambda value, _: f"10{str(round(log10(value))).translate(_SUPERSCRIPTS)}{unit}")
    axis.set_minor_formatter(NullFormatter())


def new_figure(width: float = WIDTH_INCHES) -> Figure:
    """A figure of ``width`` inches; ``finish`` sets the height."""
    return Figure(figsize=(width, width), layout="constrained")


def finish(figure: Figure, title: str, where: str, caption: str, legend: Legend, axes_inches: float) -> Figure:
    """Add title and legend above, caption below, and set the height so that the axes have ``axes_inches``.

    ``where``, the device, follows the title, on a line of its own if it does not fit.
    """
    heading = _wrap(f"{title}, {where}", figure, _BOLD)
    if "\n" in heading:
        heading = f"{_wrap(title, figure, _BOLD)}\n{_wrap(where, figure, _BOLD)}"
    # The layout reserves space for a title or a legend, not for both, so the title is part of the legend.
    above = _add_legend(figure, legend, heading) if legend else figure.suptitle(heading, fontproperties=_BOLD)
    below = figure.supxlabel(_wrap(caption, figure, _PLAIN), x=0.01, ha="left", fontproperties=_PLAIN, linespacing=1.3)
    text_inches = sum(part.get_window_extent().height for part in (above, below)) / figure.dpi
    figure.set_figheight(axes_inches + text_inches)
    return figure


def _wrap(text: str, figure: Figure, font: FontProperties) -> str:
    """``text`` with line breaks for the width of the figure; matplotlib's own wrapping parses a $ as mathematics."""
    points = 0.95 * 72 * figure.get_figwidth()  # letters are up to 3 % wider in a PNG
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and TextToPath().get_text_width_height_descent(longer, font, ismath=False)[0] > points:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def _add_legend(figure: Figure, legend: Legend, heading: str) -> Artist:
    """A legend above the axes, in as few lines as fit the width."""
    handles, labels = zip(*legend, strict=True)
    options: Any = {"title": heading, "title_fontproperties": _BOLD, "loc": "outside upper center"}
    options["handler_map"] = {str: _TextHandler()}
    for lines in range(1, len(legend) + 1):
        drawn = figure.legend(handles, labels, ncols=ceil(len(legend) / lines), **options)
        if drawn.get_window_extent().width <= figure.bbox.width or lines == len(legend):
            break
        drawn.remove()
    drawn.get_title().set_multialignment("center")
    return drawn


@contextlib.contextmanager
def style_context() -> Iterator[None]:
    """A context in which matplotlib draws in this style and ignores the user's settings."""
    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_SETTINGS)
        yield


def save(figure: Figure, path: Path) -> None:
    """Write ``figure`` as .png, .svg or .pdf; the same drawing gives the same bytes."""
    form = path.suffix[1:]
    # In memory, because on a full disk matplotlib's error for a PDF does not name the cause.
    drawn = io.BytesIO()
    with style_context():
        figure.savefig(drawn, format=form, metadata=_METADATA[form])
    with atomic_write(path) as temporary:
        temporary.write_bytes(drawn.getvalue())
