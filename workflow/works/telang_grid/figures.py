"""The figures of Telang: the shortest path over a matrix product, drawn."""

from collections.abc import Callable
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from warpath.errors import FormatError
from warpath_study.matrix_product import product_path
from warpath_study.matrix_product.matrices import random_matrices
from warpath_study.record import Record
from warpath_study.report import style
from warpath_study.report.cells import Data
from warpath_study.report.chart_data import device_titles, measured_text
from warpath_study.report.runs import Run

from .views import _read_answer, _size

# The published colours; orange is BGR (0, 165, 255) there.
ORANGE, RED, WHITE, BLACK = "#ffa500", "#ff0000", "#ffffff", "#000000"
_SIDE_INCHES = 2.3  # of the picture with axes
_SCALED_INCHES = 2.9  # its height with its axis below


def path(data: Data) -> Figure:
    """The picture as published: the path orange on black, its source red, its destination white."""
    return _picture(data, lambda axes, _: axes.set_facecolor(BLACK), scaled=False)


def heat(data: Data) -> Figure:
    """The path over the product, computed again from the seed of the matrices; small entries are dark."""

    def paint(axes: Axes, record: Record) -> AxesImage:
        seed = record.graph.about.get("parameters", {}).get("seed")
        if not isinstance(seed, int):
            raise FormatError(f"{data.target.name}: the record has no seed of the matrices")
        matrices = random_matrices(_size(record), seed)
        return axes.imshow(matrices.left @ matrices.right, cmap="viridis", aspect="auto")

    return _picture(data, paint, scaled=True)


def _picture(data: Data, paint: Callable[[Axes, Record], Any], scaled: bool) -> Figure:
    """A square with one unit for each cell and row 0 on top; ``paint`` draws the background of the path.

    ``scaled`` adds axes of rows and columns, and a colour bar of the result of ``paint``.
    """
    record = _read_answer(data.measured[0])
    size, inches = _size(record), _SCALED_INCHES if scaled else style.WIDTH_INCHES
    figure = style.new_figure()
    axes = figure.add_subplot(box_aspect=1)
    background = paint(axes, record)
    _draw_path(axes, record, size)
    axes.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5), xticks=[], yticks=[])
    if scaled:
        ticks = [size * quarter // 4 for quarter in range(4)]
        axes.set(xticks=ticks, yticks=ticks, xlabel="Column", ylabel="Row")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:,.0f}")
        bar = figure.colorbar(
            background, cax=axes.inset_axes((1.03, 0, 0.04, 1)), label="Entry of the product", format="{x:,.10g}"
        )
        bar.outline.set_visible(False)
    title, where = data.target.fields.title.replace("{row}", f"{size:,}"), device_titles(data.measured[:1])
    return style.finish(figure, title, where, _caption(data.measured[0], record), [], inches)


def _draw_path(axes: Axes, record: Record, size: int) -> None:
    rows, columns = zip(*product_path.path_cells(record.answer["path"]), strict=True)
    # At least one point wide, because cells of a large matrix are narrower.
    cell_points = 72 * _SIDE_INCHES / size
    axes.plot(columns, rows, color=ORANGE, linewidth=max(1.0, cell_points), solid_joinstyle="miter", zorder=2)
    for index, colour in ((0, RED), (-1, WHITE)):
        axes.plot(
            columns[index],
            rows[index],
            marker="s",
            markersize=max(4.0, cell_points),
            color=colour,
            markeredgecolor=BLACK,
            markeredgewidth=0.5,
            zorder=3,
        )


def _caption(run: Run, record: Record) -> str:
    path = record.answer["path"]
    cells = (path["source"], path["destination"])
    source, destination = (f"(row {row:,}, column {column:,})" for row, column in cells)
    path_text = f"a path of weight {path['weight']:,.0f} in {len(path['moves']):,} steps"
    return (
        f"{measured_text(f'{path_text} from the red cell {source} to the white cell {destination}', [run])}. "
        "The published matrices are unknown; these are random."
    )
