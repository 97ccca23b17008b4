"""The data of a chart: points in one unit for each row and series, and the caption."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from warpath.errors import UsageError

from ..record import WITHOUT_TIME
from .cells import Data, is_standin
from .labels import date_range, prose_list, unique, with_machine_parameters
from .notes import fewer_arcs_note, is_simulated
from .published import parse_seconds
from .runs import ESTIMATE, ROUGH_ESTIMATE, Cell
from .style import Look, looks_of

MARKS = {"out_of_memory": "⊘", "wrong": "✗", "missing": "–", "not_run": "–"}
"""The mark of a missing point, by its status."""

_ESTIMATES = {ESTIMATE: "estimated from a part of the run", ROUGH_ESTIMATE: "estimated before the distances were final"}
_GENERATED, _OTHER_FILES = "Generated, in place of the work's own", "From other files"
_UNITS = ((1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (0.0, 1e6, "µs"))


@dataclass(frozen=True)
class Point:
    """One run. ``value`` is drawn; ``low`` and ``high`` are the extremes of its samples; ``published`` is published.

    All are in the unit of the chart, and None if missing. ``estimated`` is the mark of an estimate.
    """

    status: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    published: float | None = None
    estimated: str = ""

    @property
    def mark(self) -> str:
        """The mark of a missing point, "" for others."""
        return MARKS.get(self.status, "")

    @property
    def error(self) -> tuple[float, float] | None:
        """How far the samples reach below and above ``value``; None without a spread."""
        if self.value is None or self.low is None or self.high is None or self.low == self.high:
            return None
        return max(0.0, self.value - self.low), max(0.0, self.high - self.value)


@dataclass(frozen=True)
class ChartData:
    """The rows and series of a chart, both in the order of the table.

    ``looks`` maps the label of each series to its look. ``points`` and ``cells`` have an entry for each pair of row and
    label. ``counts`` are the vertices and arcs of each row's graph. ``quantity`` is the label of the values.
    ``simulated`` says whether the times are of the host device. ``not_run`` are the rows without a run.
    ``substitutes`` says for each row with another graph than the work's what the graph is. ``with_published`` says
    whether published times are requested; they were measured on ``hardware``.
    """

    rows: list[str]
    looks: dict[str, Look]
    points: dict[tuple[str, str], Point]
    cells: dict[tuple[str, str], Cell]
    counts: dict[str, tuple[int, int]]
    quantity: str
    simulated: bool
    not_run: list[str]
    substitutes: dict[str, str]
    with_published: bool
    hardware: str

    def values(self) -> list[float]:
        """All measured values, including the ends of error bars."""
        return _numbers(value for point in self.points.values() for value in (point.low, point.value, point.high))

    def published_values(self) -> list[float]:
        return _numbers(point.published for point in self.points.values())

    @property
    def axis_label(self) -> str:
        return f"{self.quantity}, host simulation" if self.simulated else self.quantity

    @property
    def has_estimates(self) -> bool:
        return any(point.estimated for point in self.points.values())


def _numbers(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def chart_data(
    data: Data,
    cells: Sequence[Cell],
    *,
    with_published: bool = False,
    serial: bool = False,
    row_label: Callable[[str], str] = str,
) -> ChartData:
    """The rows in which a GPU variant ran, and the GPU variants; with ``serial``, CPU variants too.

    Raises UsageError if there is no time.
    """
    run = [cell for cell in cells if cell.status != "not_run" and (serial or cell.device_kind != "cpu")]
    if all(cell.seconds is None for cell in run):
        raise UsageError(f"{data.target.name}: there is no time on a GPU or its simulation to draw; measure first")
    labels = {cell.label: with_machine_parameters(cell.label, cell.asked) for cell in run}
    rows = unique(cell.row for cell in run)
    drawn = [cell for cell in cells if cell.row in rows and cell.label in labels]
    labels = {cell.label: labels[cell.label] for cell in drawn}  # in the order of the table
    longest_s = max(_numbers(seconds for cell in drawn for seconds in _seconds(cell, with_published)))
    factor, unit = next((factor, unit) for least_s, factor, unit in _UNITS if longest_s >= least_s)
    quantity = "Mean time" if any(cell.sources is not None for cell in drawn) else "Time"
    own = data.paper_datasets(data.target.fields.runs)
    keyed = {(row_label(cell.row), labels[cell.label]): cell for cell in drawn}
    return ChartData(
        rows=[row_label(row) for row in rows],
        looks=dict(zip(labels.values(), looks_of(len(labels)), strict=True)),
        points={key: _point(cell, factor, with_published) for key, cell in keyed.items()},
        cells=keyed,
        counts={row_label(cell.row): (cell.nodes or 0, cell.edges or 0) for cell in run},
        quantity=f"{quantity} ({unit})",
        simulated=is_simulated(drawn),
        not_run=unique(row_label(cell.row) for cell in cells if cell.row not in rows),
        substitutes={row_label(cell.row): text for cell in run if (text := _substitute(cell, own))},
        with_published=with_published,
        hardware=data.work.fields.hardware,
    )


def _substitute(cell: Cell, own: Mapping[str, str]) -> str:
    """What the graph of a cell is, if it is not the work's graph; ``own`` maps rows to the work's datasets."""
    if is_standin(cell, own):
        return _GENERATED
    return _OTHER_FILES if own.get(cell.row, cell.dataset) != cell.dataset else ""


def _seconds(cell: Cell, with_published: bool) -> tuple[float | None, ...]:
    """The time of a cell, its minimum and maximum, and the published time."""
    published = parse_seconds(cell.published_seconds) if with_published and cell.comparable else None
    return cell.seconds, cell.min_s, cell.max_s, published


def _point(cell: Cell, factor: float, with_published: bool) -> Point:
    value, low, high, published = (
        None if seconds is None else seconds * factor for seconds in _seconds(cell, with_published)
    )
    return Point(cell.status, value, low, high, published, cell.estimated)


def caption(chart: ChartData, lines: bool = False) -> str:
    """Device and date, the marks of bars or lines, the graphs, and what is missing."""
    cells = list(chart.cells.values())
    devices = prose_list(unique(cell.device for cell in cells if cell.device))
    dates = date_range(cell.date for cell in cells)
    sentences = ["Host simulation, not GPU times."] if chart.simulated else []
    sentences.append(f"Measured on {devices}, {dates}.")
    if chart.published_values():
        where = f" ({chart.hardware})" if chart.hardware else ""
        sentences.append(f"{'Crosses' if lines else 'Diamonds'}: published{where}.")
        sentences += fewer_arcs_note({row: cell.arcs_missing for (row, _), cell in chart.cells.items()})
    if any(point.error for point in chart.points.values()):
        sentences.append(f"Error bars: fastest to slowest of {_sample_counts(chart)}.")
        sentences += _single_samples(chart)
    marks = sorted({point.estimated for point in chart.points.values()} - {""})
    if marks and lines:
        sentences.append(f"Hollow marks and dashed lines: {_ESTIMATES[ESTIMATE]}.")
    else:
        sentences += [f"{mark}: {_ESTIMATES[mark]}." for mark in marks]
    return " ".join([*sentences, *_graphs(chart), *_weights(chart), *_missing(chart)])


def _sample_counts(chart: ChartData) -> str:
    """The number of samples behind the error bars: "3 to 5 samples", "100 random sources"."""
    cells = [chart.cells[key] for key, point in chart.points.items() if point.error]
    counts = sorted({cell.samples or 0 for cell in cells})
    extent = " to ".join(unique(map(str, (counts[0], counts[-1]))))
    return f"{extent} {'random sources' if all(cell.sources is not None for cell in cells) else 'samples'}"


def _single_samples(chart: ChartData) -> list[str]:
    """The runs with one sample, which have no error bar."""
    cells = [(row, label) for (row, label), cell in chart.cells.items() if row in chart.rows and cell.samples == 1]
    runs = [
        f"{label} on {prose_list(row for row, other in cells if other == label)}"
        for label in unique(label for _, label in cells)
    ]
    return [f"One sample: {'; '.join(runs)}."] if runs else []


def _graphs(chart: ChartData) -> list[str]:
    """Which graphs are not the work's."""
    sentences = []
    for kind in (_GENERATED, _OTHER_FILES):
        if rows := [row for row, substitute in chart.substitutes.items() if substitute == kind]:
            graphs = "every graph" if len(rows) == len(chart.rows) > 1 else prose_list(rows)
            sentences.append(f"{kind}: {graphs}.")
    return sentences


def _weights(chart: ChartData) -> list[str]:
    """Which graphs have random weights."""
    weights_of = {row: cell.weights for (row, _), cell in chart.cells.items() if cell.weights}
    sentences = []
    for weights in unique(weights_of.values()):
        rows = [row for row in chart.rows if weights_of.get(row) == weights]
        sentences.append(f"{weights}{'' if rows == chart.rows else f': {prose_list(rows)}'}.")
    return sentences


def _missing(chart: ChartData) -> list[str]:
    sentences = []
    for status, text in (*WITHOUT_TIME.items(), ("not_run", "not run")):
        empty = [f"{label} on {row}" for (row, label), point in chart.points.items() if point.status == status]
        if empty:
            sentences.append(f"{MARKS[status]}: {text} ({prose_list(empty)}).")
    if chart.not_run:
        sentences.append(f"Not run: {prose_list(chart.not_run)}.")
    if chart.with_published and not chart.published_values():
        sentences.append("The work prints no times of these graphs.")
    return sentences
