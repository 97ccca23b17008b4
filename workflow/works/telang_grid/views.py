"""The table of results, the printed text and the two pictures of Telang's path over a matrix product.

The published matrices are unknown, so the values of other matrices differ. Two quantities do not depend on the scale of
the matrices: the second smallest entry over the smallest, and the weight of the path over the weight of a shortest
possible path whose steps all cost the smallest entry.
"""

from dataclasses import astuple, dataclass
from functools import partial

from warpath.errors import UsageError
from warpath.system.durations import readable_seconds
from warpath_study.matrix_product import product_path
from warpath_study.record import Record, read_record
from warpath_study.report.cells import Data
from warpath_study.report.labels import date_range, prose_list, unique
from warpath_study.report.notes import condition_notes, sample_notes, simulation_notes
from warpath_study.report.published import read_lines
from warpath_study.report.runs import Run
from warpath_study.report.table import Line, Table, csv_number
from warpath_study.works.claims import claim


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
        """The smallest number of steps between the two entries."""
        return abs(self.minimum_row - self.second_row) + abs(self.minimum_col - self.second_col)

    @property
    def second_over_minimum(self) -> float:
        return self.second_minimum / self.minimum

    @property
    def step_over_minimum(self) -> float:
        """The path's weight over the weight of a shortest possible path whose steps cost the smallest entry."""
        return self.path_weight / self.cells_apart / self.minimum


_SCALE_FREE = ("second_over_minimum", "step_over_minimum")
_OF_THE_MATRICES = ("minimum", "second_minimum", "cells_apart", "path_weight")


def results(data: Data) -> Table:
    """The published columns, a comparison by quantity, and the time of each part."""
    runs, published = data.measured, _published(data)
    lines, compared, readable = [], [], []
    for run in runs:
        record = _read_answer(run)
        result = _result(record)
        texts = [f"{value:f}" if isinstance(value, float) else str(value) for value in astuple(result)]
        facts = {"seconds": csv_number(run.seconds), "status": run.status, "samples": csv_number(run.samples)}
        facts |= {"min_s": csv_number(run.min_s), "max_s": csv_number(run.max_s)}
        lines.append(dict(zip(Result.__annotations__, texts, strict=True)) | facts)
        compared += _compared(result, published.get(result.size), run)
        times = [readable_seconds(run.more[f"{part}_s"]) for part in ("product", "minima", "path")]
        readable.append(_readable_line(result, str(len(record.answer["path"]["moves"])), times))
    readable += [_readable_line(result, "", ["", "", ""], " (published)") for result in published.values()]
    tolerance = max(_read_answer(run).certificate.tolerances["weight"] for run in runs)
    notes = [
        *simulation_notes(runs),
        f"{prose_list(unique(run.device for run in runs))}, {date_range(run.date for run in runs)}.",
        f"Every answer was certified: exact in float32, and the path's weight is within {tolerance:.1e} of the least "
        "weight.",
        "The published matrices are unknown. These matrices have random entries from 0 to 1.",
        f"Times are of the middle of {prose_list(unique(str(run.samples) for run in runs))} samples.",
        *sample_notes(runs),
        *condition_notes(runs),
    ]
    return Table(data.target.fields.title, lines, compared, readable, notes)


def printed(data: Data) -> str:
    """The result in the form of the published program."""
    records = [_read_answer(run) for run in data.measured]
    return "\n".join(product_path.program_output(_size(record), record.answer) for record in records)


def _read_answer(run: Run) -> Record:
    """The record of a run with an answer."""
    record = read_record(run.record)
    if record.answer is None:
        raise UsageError(f"{run.record}: the record has no answer; its status is {record.status}")
    if record.answer["minimum"]["value"] <= 0:
        raise UsageError(f"{run.record}: the smallest entry is not positive, so no ratio can be computed")
    return record


def _size(record: Record) -> int:
    return round(record.graph.vertices**0.5)


def _result(record: Record) -> Result:
    answer = record.answer
    entries = [answer[which][fact] for which in ("minimum", "second_minimum") for fact in ("value", "row", "column")]
    return Result(_size(record), *entries, answer["path"]["weight"])


def _published(data: Data) -> dict[int, Result]:
    """The published rows by size."""
    rows = [Result(**line) for line in read_lines(data.work.published_file("results.csv"), Result.__annotations__)]
    return {row.size: row for row in rows}


def _compared(measured: Result, original: Result | None, run: Run) -> list[Line]:
    """A line for each quantity, measured and published for the same size."""
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


def _readable_line(result: Result, steps: str, times: list[str], mark: str = "") -> Line:
    return {
        "Size": f"{result.size:,}{mark}",
        "Smallest entry": f"{result.minimum:,.6f}",
        "Row, column": f"{result.minimum_row}, {result.minimum_col}",
        "Second smallest": f"{result.second_minimum:,.6f}",
        "Row, column ": f"{result.second_row}, {result.second_col}",
        "Path weight": f"{result.path_weight:,.4f}",
        "Steps": steps,
        **dict(zip(("Product", "Minima", "Path"), times, strict=True)),
    }


of_matrices = partial(
    claim,
    runs="sizes",
    setting="random matrices, because the published ones are unknown",
    printed="results.csv",
    timing=False,
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


# It does not depend on the scale of the matrices, so random ones can be compared with the published ones.
@of_matrices(
    "weight of a step of the path over the smallest entry at 1024 x 1024",
    setting="random matrices; a path of the fewest possible steps between its two ends",
    printed="",
    about=["results", "path_1024", "heat_1024"],
)
def _(t):
    fact = lambda name: t.fact(name, "frontier").at("1024")  # noqa: E731
    apart = (((fact(f"minimum_{side}") - fact(f"second_minimum_{side}")) ** 2) ** 0.5 for side in ("row", "column"))
    return fact("path_weight") / sum(apart) / fact("minimum_value")
