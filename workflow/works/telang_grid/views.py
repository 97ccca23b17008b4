"""The table of results, the printed text and the two pictures of Telang's path over a matrix product.

The published matrices are not known, so the values of other matrices cannot agree with the published ones. Two further
quantities do not depend on the scale of the matrices: the second smallest entry over the smallest, and the weight of
the path over that of a path as short as its ends allow, on which each step costs the smallest entry.
"""

from collections.abc import Callable
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage

from warpath.durations import readable_seconds
from warpath.errors import FormatError, UsageError
from warpath_study.matrix_product import product_path
from warpath_study.matrix_product.matrices import random_matrices
from warpath_study.record import Record, read_record
from warpath_study.report import style
from warpath_study.report.cells import Data
from warpath_study.report.labels import date_range, each, listed
from warpath_study.report.notes import circumstances, sample_notes, simulation_notes
from warpath_study.report.published import read_lines
from warpath_study.report.runs import Cell
from warpath_study.report.table import Line, Table, csv_number
from warpath_study.works.claims import claim

# The published colours; orange is BGR (0, 165, 255) there.
ORANGE, RED, WHITE, BLACK = "#ffa500", "#ff0000", "#ffffff", "#000000"
_SIDE_INCHES = 2.3  # of the picture with axes
_SCALED_INCHES = 2.9  # its height with its axis below


@dataclass(frozen=True)
class Result:
    """A row of the published table; indices count from 0."""

    size: int
    minimum: float
    minimum_row: int
    minimum_col: int
    second_minimum: float
    second_row: int
    second_col: int
    path_weight: float

    @property
    def cells_apart(self) -> int:
        """The least number of steps between the two entries."""
        return abs(self.minimum_row - self.second_row) + abs(self.minimum_col - self.second_col)

    @property
    def second_over_minimum(self) -> float:
        """The second smallest entry over the smallest."""
        return self.second_minimum / self.minimum

    @property
    def step_over_minimum(self) -> float:
        """The path's weight over that of a shortest possible path on which each step costs the smallest entry."""
        return self.path_weight / self.cells_apart / self.minimum


_SCALE_FREE = ("second_over_minimum", "step_over_minimum")
_OF_THE_MATRICES = ("minimum", "second_minimum", "cells_apart", "path_weight")
_HEADINGS = (
    "Size",
    "Smallest entry",
    "at",
    "Second smallest",
    "at ",
    "Path weight",
    "Steps",
    "Product",
    "Minima",
    "Path",
)


def results(data: Data) -> Table:
    """The work's columns, a comparison by quantity, and the time of each part."""
    runs, published = data.shown, _published(data)
    lines, compared, shown = [], [], []
    for run in runs:
        record = _solved(run)
        result = _result(record)
        texts = [f"{value:f}" if isinstance(value, float) else str(value) for value in astuple(result)]
        facts = {"seconds": csv_number(run.seconds), "status": run.status, "samples": csv_number(run.samples)}
        facts |= {"min_s": csv_number(run.min_s), "max_s": csv_number(run.max_s)}
        lines.append(dict(zip(Result.__annotations__, texts, strict=True)) | facts)
        compared += _compared(result, published.get(result.size), run)
        times = [readable_seconds(run.more[f"{part}_s"]) for part in ("product", "minima", "path")]
        shown.append(_row(result, str(len(record.answer["path"]["moves"])), times))
    shown += [_row(result, "", ["", "", ""], " (published)") for result in published.values()]
    tolerance = max(_solved(run).certificate.tolerances["weight"] for run in runs)
    about = [
        *simulation_notes(runs),
        f"{listed(each(run.device for run in runs))}, {date_range(run.date for run in runs)}.",
        "Every answer was certified: exact in float32, and no path weighs less than the one found by more than "
        f"{tolerance:.1e} of its weight.",
        "The published matrices are not known; these have other entries, from 0 to 1.",
        f"Times are those of the middle sample of {listed(run.samples for run in runs)}.",
        *sample_notes(runs),
        *circumstances(runs),
    ]
    return Table(data.target.fields.title, lines, compared, shown, about)


def printed(data: Data) -> str:
    """The result as the work's program prints it."""
    records = [_solved(run) for run in data.shown]
    return "\n".join(product_path.printed(_size(record), record.answer) for record in records)


def path(data: Data) -> Figure:
    """The picture as published: the path orange on black, its source red, its destination white."""
    return _picture(data, lambda axes, _: axes.set_facecolor(BLACK), scaled=False)


def heat(data: Data) -> Figure:
    """The path over the product, computed again from the seed of the matrices; dark cells are small entries."""

    def paint(axes: Axes, record: Record) -> AxesImage:
        seed = record.graph.about.get("parameters", {}).get("seed")
        if not isinstance(seed, int):
            raise FormatError(f"{data.target.name}: the record's graph.about has no seed to make the matrices from")
        matrices = random_matrices(_size(record), seed)
        return axes.imshow(matrices.left @ matrices.right, cmap="viridis", aspect="auto")

    return _picture(data, paint, scaled=True)


def _solved(run: Cell) -> Record:
    """The record of a run that has an answer to show."""
    record = read_record(run.record)
    if record.answer is None:
        raise UsageError(f"{run['record']}: has no answer to show; its status is {record.status}")
    if record.answer["minimum"]["value"] <= 0:
        raise UsageError(f"{run['record']}: its smallest entry is not positive, so nothing can be divided by it")
    return record


def _size(record: Record) -> int:
    return round(record.graph.vertices**0.5)


def _result(record: Record) -> Result:
    minimum, second = record.answer["minimum"], record.answer["second_minimum"]
    return Result(
        _size(record),
        minimum["value"],
        minimum["row"],
        minimum["column"],
        second["value"],
        second["row"],
        second["column"],
        record.answer["path"]["weight"],
    )


def _published(data: Data) -> dict[int, Result]:
    """The published rows by size."""
    rows = [Result(**line) for line in read_lines(data.work.published_file("results.csv"), Result.__annotations__)]
    return {row.size: row for row in rows}


def _compared(measured: Result, original: Result | None, run: Cell) -> list[Line]:
    """A line for each quantity, beside the published quantity for the same size."""
    return [
        {
            "size": str(measured.size),
            "quantity": quantity,
            "published": csv_number(original and getattr(original, quantity)),
            "measured": csv_number(getattr(measured, quantity)),
            "comparable": "yes" if original and quantity in _SCALE_FREE else "no",
            "device": run.device,
            "date": run.date,
        }
        for quantity in _OF_THE_MATRICES + _SCALE_FREE
    ]


def _row(result: Result, steps: str, times: list[str], mark: str = "") -> Line:
    texts = (
        f"{result.size:,}{mark}",
        f"{result.minimum:,.6f}",
        f"{result.minimum_row}, {result.minimum_col}",
        f"{result.second_minimum:,.6f}",
        f"{result.second_row}, {result.second_col}",
        f"{result.path_weight:,.4f}",
        steps,
        *times,
    )
    return dict(zip(_HEADINGS, texts, strict=True))


def _picture(data: Data, paint: Callable[[Axes, Record], Any], scaled: bool) -> Figure:
    """A square with one unit a cell, row 0 on top; ``paint`` draws what lies under the path.

    ``scaled`` adds the axes of rows and columns, and the colour bar of what ``paint`` returns.
    """
    record = _solved(data.shown[0])
    size = _size(record)
    figure = style.new_figure()
    axes = figure.add_subplot(box_aspect=1)
    painted = paint(axes, record)
    _draw_path(axes, record, size)
    axes.set(xlim=(-0.5, size - 0.5), ylim=(size - 0.5, -0.5), xticks=[], yticks=[])
    if scaled:
        ticks = [size * quarter // 4 for quarter in range(4)]
        axes.set(xticks=ticks, yticks=ticks, xlabel="Column", ylabel="Row")
        bar = figure.colorbar(painted, cax=axes.inset_axes((1.03, 0, 0.04, 1)), label="Entry of the product")
        bar.outline.set_visible(False)
    title = data.target.fields.title.replace("{row}", str(size))
    return style.finished(figure, title, _caption(record), [], _SCALED_INCHES if scaled else style.WIDTH_INCHES)


def _draw_path(axes: Axes, record: Record, size: int) -> None:
    rows, columns = zip(*product_path.cells_of(record.answer["path"]), strict=True)
    # At least a point wide: a cell of a large matrix is narrower than a printed dot.
    cell_points = 72 * _SIDE_INCHES / size
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


def _caption(record: Record) -> str:
    found = record.answer["path"]
    source, destination = (f"({cell[0]}, {cell[1]})" for cell in (found["source"], found["destination"]))
    first = "Host simulation. " if record.device["kind"] == "host" else ""
    return (
        f"From the red cell {source} to the white one {destination}: "
        f"weight {found['weight']:,.6g} in {len(found['moves']):,} steps. "
        f"{first}{record.device['name']}, {record.started[:10]}."
    )


of_matrices = partial(
    claim, runs="sizes", setting="matrices that the work does not give", printed="results.csv", timing=False
)


@of_matrices("smallest entry of the product of 1024 x 1024", about=["results"])
def _(t):
    return t.fact("minimum_value", "frontier").at("1024")


@of_matrices("second smallest entry of the product of 1024 x 1024", about=["results"])
def _(t):
    return t.fact("second_minimum_value", "frontier").at("1024")


@of_matrices("weight of the path between them at 1024 x 1024", about=["results", "path_1024", "heat_1024"])
def _(t):
    return t.fact("path_weight", "frontier").at("1024")
