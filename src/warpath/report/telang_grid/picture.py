"""What both pictures share: the path in a square of cells, its ends, and the words below."""

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ...grid.record import cells_of
from .. import style

# The published colours; orange is BGR (0, 165, 255) there.
ORANGE, RED, WHITE, BLACK = "#ffa500", "#ff0000", "#ffffff", "#000000"

_MARGIN_INCHES = 0.06
_TITLE_INCHES = 0.24
_CAPTION_INCHES = 0.62


def picture(record: dict[str, Any], title: str, paint: Callable[[Axes], None]) -> Figure:
    """A square with one unit a cell, row 0 on top; ``paint`` draws what lies under the path."""
    side = style.WIDTH_INCHES - 2 * _MARGIN_INCHES
    height = side + _TITLE_INCHES + _CAPTION_INCHES
    figure = Figure(figsize=(style.WIDTH_INCHES, height))
    axes = figure.add_axes(
        (_MARGIN_INCHES / style.WIDTH_INCHES, _CAPTION_INCHES / height, side / style.WIDTH_INCHES, side / height)
    )
    paint(axes)
    _draw_path(axes, record)
    axes.set_xlim(-0.5, record["size"] - 0.5)
    axes.set_ylim(record["size"] - 0.5, -0.5)
    axes.set_xticks([])
    axes.set_yticks([])
    figure.suptitle(title, y=1 - 0.05 / height, va="top", size=style.TITLE_POINTS, weight="bold")
    figure.text(0.02, 0.05 / height, _caption(record), va="bottom", linespacing=1.3)
    return figure


def _draw_path(axes: Axes, record: dict[str, Any]) -> None:
    rows, columns = zip(*cells_of(record["path"]), strict=True)
    # At least a point wide: a cell of a large matrix is narrower than a printed dot.
    cell_points = 72 * (style.WIDTH_INCHES - 2 * _MARGIN_INCHES) / record["size"]
    axes.plot(columns, rows, color=ORANGE, linewidth=max(1.0, cell_points), solid_joinstyle="miter", zorder=2)
    for place, colour in ((0, RED), (-1, WHITE)):
        axes.plot(
            columns[place],
            rows[place],
            marker="s",
            markersize=max(4.0, cell_points),
            color=colour,
            markeredgecolor=BLACK,
            markeredgewidth=0.5,
            zorder=3,
        )


def _caption(record: dict[str, Any]) -> str:
    path = record["path"]
    ends = " to ".join(f"({cell[0]}, {cell[1]})" for cell in (path["source"], path["destination"]))
    first = "Host simulation. " if record["device"]["kind"] == "host" else ""
    return (
        f"From the red cell to the white one, {ends}:\n"
        f"weight {path['weight']:,.6g} in {len(path['moves']):,} steps.\n"
        f"{first}{record['device']['name']}, {record['started'][:10]}."
    )
