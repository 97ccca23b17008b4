"""The cells of a target as a figure shows them: points in one unit, under the row names of the work."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from warpath.errors import UsageError

from .cells import Data, is_standin
from .labels import with_quantities
from .published import seconds_of
from .runs import Cell
from .style import Look, looks_of

MARKS = {"out_of_memory": "⊘", "wrong": "✗", "missing": "–", "not_run": "–"}
"""The sign in the place of a missing point, by its status."""

_UNITS = ((1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (0.0, 1e6, "µs"))


@dataclass(frozen=True)
class Point:
    """One run. ``value`` is drawn; ``low`` and ``high`` are the least and the most of its samples.

    ``published`` is the value that the work prints for this graph. All are in the unit of the figure; None means
    missing. ``estimated`` is the mark of an estimate.
    """

    status: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    published: float | None = None
    estimated: str = ""

    @property
    def mark(self) -> str:
        """The sign of a missing point, "" for others; the caption explains it."""
        return MARKS.get(self.status, "")

    @property
    def error(self) -> tuple[float, float] | None:
        """How far the samples reach below and above ``value``; None without a spread."""
        if self.value is None or self.low is None or self.high is None or self.low == self.high:
            return None
        return max(0.0, self.value - self.low), max(0.0, self.high - self.value)


@dataclass(frozen=True)
class Shown:
    """The rows and series of a figure, both in the order of the table.

    ``looks`` maps the label of each series to its look. ``points`` has a point for each pair of row and label, and
    ``cells`` the cell that it was made from. ``counts`` are the nodes and edges of each row's graph. ``not_run`` are
    the rows without a run; ``standins`` are the rows in which a generated graph stands in for the work's own, and
    ``from_others`` those with a graph from another file. ``quantity``
    labels the y axis. ``with_published`` says whether published values are shown; they were measured on ``hardware``.
    """

    rows: list[str]
    looks: dict[str, Look]
    points: dict[tuple[str, str], Point]
    cells: dict[tuple[str, str], Cell]
    counts: dict[str, tuple[int, int]]
    quantity: str
    not_run: list[str]
    standins: list[str]
    from_others: list[str]
    with_published: bool
    hardware: str

    @property
    def labels(self) -> list[str]:
        return list(self.looks)

    def series(self, label: str) -> list[Point]:
        """The points of one series, row by row."""
        return [self.points[row, label] for row in self.rows]

    def values(self) -> list[float]:
        """All measured values that are drawn, with the ends of error bars."""
        return _numbers(value for point in self.points.values() for value in (point.low, point.value, point.high))

    def published_values(self) -> list[float]:
        """All published values that are drawn."""
        return _numbers(point.published for point in self.points.values())

    @property
    def has_estimates(self) -> bool:
        return any(point.estimated for point in self.points.values())

    @property
    def estimate_marks(self) -> list[str]:
        """The marks of its estimates, each once."""
        return sorted({point.estimated for point in self.points.values()} - {""})

    @property
    def simulated(self) -> bool:
        """Whether the times are those of the host device."""
        return any(cell.device_kind == "host" for cell in self.cells.values())


def _numbers(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def select(
    data: Data,
    cells: Sequence[Cell],
    *,
    with_published: bool = False,
    serial: bool = False,
    name: Callable[[str], str] = str,
) -> Shown:
    """The part of ``cells`` that a figure shows: GPU variants, on the rows in which one of them ran.

    ``serial`` adds the variants that run on the CPU. ``name`` maps a row to its name for readers. Raises UsageError if
    there is no time.
    """
    run = [cell for cell in cells if cell.status != "not_run" and (serial or cell.device_kind != "cpu")]
    if all(cell.seconds is None for cell in run):
        raise UsageError(f"{data.target.name}: there is no time on a GPU or its simulation to draw; measure first")
    kept = {cell.label for cell in run}
    rows = list(dict.fromkeys(cell.row for cell in run))
    drawn = [cell for cell in cells if cell.row in rows and cell.label in kept]
    longest_s = max(_numbers(seconds for cell in drawn for seconds in _seconds(cell, with_published)))
    factor, unit = next((factor, unit) for least_s, factor, unit in _UNITS if longest_s >= least_s)
    what = "Mean time" if any(cell.sources is not None for cell in drawn) else "Time"
    labels = {cell.label: cell.label for cell in drawn}
    for cell in run:
        labels[cell.label] = with_quantities(cell.label, cell.asked)
    own = data.own_datasets(data.target.fields.runs)
    return Shown(
        rows=[name(row) for row in rows],
        looks=dict(zip(labels.values(), looks_of(len(labels)), strict=True)),
        points={(name(cell.row), labels[cell.label]): _point(cell, factor, with_published) for cell in drawn},
        cells={(name(cell.row), labels[cell.label]): cell for cell in drawn},
        counts={name(cell.row): (cell.nodes or 0, cell.edges or 0) for cell in run},
        quantity=f"{what} ({unit})",
        not_run=list(dict.fromkeys(name(cell.row) for cell in cells if cell.row not in rows)),
        standins=list(dict.fromkeys(name(cell.row) for cell in run if is_standin(cell, own))),
        from_others=list(
            dict.fromkeys(
                name(cell.row)
                for cell in run
                if own.get(cell.row, cell.dataset) != cell.dataset and not is_standin(cell, own)
            )
        ),
        with_published=with_published,
        hardware=data.work.fields.hardware,
    )


def _seconds(cell: Cell, with_published: bool) -> tuple[float | None, ...]:
    """The seconds of a cell that are drawn: the time, its least and most, and the published time."""
    published = seconds_of(cell.published_seconds) if with_published and cell.comparable else None
    return cell.seconds, cell.min_s, cell.max_s, published


def _point(cell: Cell, factor: float, with_published: bool) -> Point:
    value, low, high, published = (
        None if seconds is None else seconds * factor for seconds in _seconds(cell, with_published)
    )
    return Point(cell.status, value, low, high, published, cell.estimated)
