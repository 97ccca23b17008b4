"""The cells of a target as a figure shows them: points in one unit, under the row names of the work, and a caption."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from warpath.errors import UsageError

from ..record import WITHOUT_TIME
from .cells import Data, is_standin
from .labels import date_range, each, listed, with_quantities
from .notes import fewer_arcs_note, is_simulated
from .published import seconds_of
from .runs import FIRM, ROUGH, Cell
from .style import Look, looks_of

MARKS = {"out_of_memory": "⊘", "wrong": "✗", "missing": "–", "not_run": "–"}
"""The sign in the place of a missing point, by its status."""

_MADE_OF = {FIRM: "estimated from a part of the run", ROUGH: "estimated before the distances were final"}
_GENERATED, _FROM_OTHERS = "Generated, in place of the work's own", "From other files"
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
    ``cells`` the cell that it was made from. ``counts`` are the nodes and edges of each row's graph. ``quantity`` is
    what the values are, and ``simulated`` says whether they are times of the host device. ``not_run`` are the rows
    without a run, ``replaced`` those whose graph is not the work's own, with what it is instead. ``with_published``
    says whether published values are shown; they were measured on ``hardware``.
    """

    rows: list[str]
    looks: dict[str, Look]
    points: dict[tuple[str, str], Point]
    cells: dict[tuple[str, str], Cell]
    counts: dict[str, tuple[int, int]]
    quantity: str
    simulated: bool
    not_run: list[str]
    replaced: dict[str, str]
    with_published: bool
    hardware: str

    def values(self) -> list[float]:
        """All measured values that are drawn, with the ends of error bars."""
        return _numbers(value for point in self.points.values() for value in (point.low, point.value, point.high))

    def published_values(self) -> list[float]:
        """All published values that are drawn."""
        return _numbers(point.published for point in self.points.values())

    @property
    def axis_label(self) -> str:
        return f"{self.quantity}, host simulation" if self.simulated else self.quantity

    @property
    def has_estimates(self) -> bool:
        return any(point.estimated for point in self.points.values())


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
        simulated=is_simulated(drawn),
        not_run=each(name(cell.row) for cell in cells if cell.row not in rows),
        replaced={name(cell.row): text for cell in run if (text := _replaced(cell, own))},
        with_published=with_published,
        hardware=data.work.fields.hardware,
    )


def _replaced(cell: Cell, own: Mapping[str, str]) -> str:
    """What the graph of a cell is, if not the work's own, whose names are in ``own``."""
    if is_standin(cell, own):
        return _GENERATED
    return _FROM_OTHERS if own.get(cell.row, cell.dataset) != cell.dataset else ""


def _seconds(cell: Cell, with_published: bool) -> tuple[float | None, ...]:
    """The seconds of a cell that are drawn: the time, its least and most, and the published time."""
    published = seconds_of(cell.published_seconds) if with_published and cell.comparable else None
    return cell.seconds, cell.min_s, cell.max_s, published


def _point(cell: Cell, factor: float, with_published: bool) -> Point:
    value, low, high, published = (
        None if seconds is None else seconds * factor for seconds in _seconds(cell, with_published)
    )
    return Point(cell.status, value, low, high, published, cell.estimated)


def caption(shown: Shown, lines: bool = False) -> str:
    """Device and date, then the signs of the figure, which are those of bars or of lines, then what is missing."""
    cells = list(shown.cells.values())
    devices = listed(each(cell.device for cell in cells if cell.device))
    dates = date_range(cell.date for cell in cells)
    sentences = ["Host simulation, not GPU times."] if shown.simulated else []
    sentences.append(f"Measured on {devices}, {dates}.")
    if shown.published_values():
        where = f" ({shown.hardware})" if shown.hardware else ""
        sentences.append(f"{'Crosses' if lines else 'Diamonds'}: published{where}.")
        sentences += fewer_arcs_note({row: cell.arcs_missing for (row, _), cell in shown.cells.items()})
    if any(point.error for point in shown.points.values()):
        sentences.append(f"Error bars: fastest to slowest of {_samples(shown)}.")
        sentences += _single(shown)
    marks = sorted({point.estimated for point in shown.points.values()} - {""})
    if marks and lines:
        sentences.append(f"Hollow marks and dashed lines: {_MADE_OF[FIRM]}.")
    else:
        sentences += [f"{mark}: {_MADE_OF[mark]}." for mark in marks]
    return " ".join([*sentences, *_graphs(shown), *_weights(shown), *_missing(shown)])


def _samples(shown: Shown) -> str:
    """The number of samples behind the error bars: "3 to 5 samples", "100 random sources"."""
    cells = [shown.cells[place] for place, point in shown.points.items() if point.error]
    counts = sorted({cell.samples or 0 for cell in cells})
    extent = " to ".join(str(count) for count in (counts[0], counts[-1])[: len(counts)])
    return f"{extent} {'random sources' if all(cell.sources is not None for cell in cells) else 'samples'}"


def _single(shown: Shown) -> list[str]:
    """Which runs have one sample, so that they, and what is compared with them, have no error bar."""
    of_label: dict[str, list[str]] = {}
    for (row, label), cell in shown.cells.items():
        if row in shown.rows and cell.samples == 1:
            of_label.setdefault(label, []).append(row)
    which = [f"{label} on {listed(rows)}" for label, rows in of_label.items()]
    return [f"One sample: {'; '.join(which)}."] if which else []


def _graphs(shown: Shown) -> list[str]:
    """Which graphs are not the work's own."""
    sentences = []
    for what in (_GENERATED, _FROM_OTHERS):
        if rows := [row for row in shown.replaced if shown.replaced[row] == what]:
            which = "every graph" if len(rows) == len(shown.rows) > 1 else listed(rows)
            sentences.append(f"{what}: {which}.")
    return sentences


def _weights(shown: Shown) -> list[str]:
    """Which graphs have drawn weights."""
    drawn = {row: cell.weights for (row, _), cell in shown.cells.items() if cell.weights}
    sentences = []
    for weights in dict.fromkeys(drawn.values()):
        rows = [row for row in shown.rows if drawn.get(row) == weights]
        sentences.append(f"{weights}{'' if rows == shown.rows else f': {listed(rows)}'}.")
    return sentences


def _missing(shown: Shown) -> list[str]:
    sentences = []
    for status, words in (*WITHOUT_TIME.items(), ("not_run", "not run")):
        empty = [f"{label} on {row}" for (row, label), point in shown.points.items() if point.status == status]
        if empty:
            sentences.append(f"{MARKS[status]}: {words} ({listed(empty)}).")
    if shown.not_run:
        sentences.append(f"Not run: {listed(shown.not_run)}.")
    if shown.with_published and not shown.published_values():
        sentences.append("The work prints no times of these graphs.")
    return sentences
