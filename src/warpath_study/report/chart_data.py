"""The data of a chart: points in one unit for each row and series, and the caption."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from warpath.errors import UsageError

from .cells import Cell, Data, is_standin
from .labels import date_range, device_title, prose_list, unique, with_machine_parameters
from .notes import gpu_names, is_simulated
from .published import parse_seconds
from .runs import ESTIMATE, REAL_ROADS, ROUGH_ESTIMATE, Run
from .style import Look, looks_of

MARKS = {"out_of_memory": "⊘", "wrong": "✗", "missing": "–", "not_run": "–"}
"""The mark of a missing point, by its status."""
SIGNS = {
    ESTIMATE: "Estimated",
    ROUGH_ESTIMATE: "Rough estimate",
    MARKS["out_of_memory"]: "Out of memory",
    MARKS["wrong"]: "Wrong answer",
    MARKS["not_run"]: "Not run",
}
"""The meaning of each sign that may stand at a bar or a mark."""
OTHER_GRAPH = "Graph or weights not as published"

_UNITS = ((1.0, 1.0, "s"), (1e-3, 1e3, "ms"), (0.0, 1e6, "µs"))


@dataclass(frozen=True)
class Point:
    """One run. ``value`` is drawn; ``low`` and ``high`` are the extremes of its samples; ``published`` is published.

    All are in the unit of the chart, and None if missing. ``estimated`` is the mark of an estimate. ``other_graph``
    says whether the graph is another than the work's.
    """

    status: str
    value: float | None = None
    low: float | None = None
    high: float | None = None
    published: float | None = None
    estimated: str = ""
    other_graph: bool = False

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
    label. ``datasets`` and ``counts`` are the name, and the vertices and arcs, of each row's graph. ``shown`` says what
    the values are, and ``quantity`` is their axis label. ``simulated`` says whether the times are of the simulated GPU.
    ``not_run`` are the datasets without a run. ``differences`` says for each row with another graph than the work's how
    it differs. ``with_published`` says whether published times are requested; they were measured on ``hardware``.
    """

    rows: list[str]
    looks: dict[str, Look]
    points: dict[tuple[str, str], Point]
    cells: dict[tuple[str, str], Cell]
    datasets: dict[str, str]
    counts: dict[str, tuple[int, int]]
    shown: str
    quantity: str
    simulated: bool
    not_run: list[str]
    differences: dict[str, str]
    with_published: bool
    hardware: str

    def values(self) -> list[float]:
        """All measured values, including the ends of error bars."""
        return _numbers(value for point in self.points.values() for value in (point.low, point.value, point.high))

    def published_values(self) -> list[float]:
        return _numbers(point.published for point in self.points.values())

    def is_measured(self, label: str) -> bool:
        """Whether a series has a measured value."""
        return any(self.points[row, label].value is not None for row in self.rows)

    @property
    def axis_label(self) -> str:
        return f"{self.quantity}, simulation" if self.simulated else self.quantity

    @property
    def has_estimates(self) -> bool:
        return any(point.estimated for point in self.points.values())

    @property
    def has_other_graphs(self) -> bool:
        """Whether a value is of another graph than the work's."""
        return any(point.other_graph and point.value is not None for point in self.points.values())


def _numbers(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def chart_data(data: Data, cells: Sequence[Cell], *, with_published: bool = False, serial: bool = False) -> ChartData:
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
    means = any(cell.sources is not None for cell in drawn)
    own = data.paper_datasets(data.target.fields.runs)
    differences = {cell.row: text for cell in run if (text := _difference(cell, own))}
    keyed = {(cell.row, labels[cell.label]): cell for cell in drawn}
    return ChartData(
        rows=rows,
        looks=dict(zip(labels.values(), looks_of(len(labels)), strict=True)),
        points={key: _point(cell, factor, with_published, cell.row in differences) for key, cell in keyed.items()},
        cells=keyed,
        datasets={cell.row: cell.dataset for cell in run},
        counts={cell.row: (cell.nodes or 0, cell.edges or 0) for cell in run},
        shown="mean times over random sources" if means else "median times",
        quantity=f"{'Mean time' if means else 'Time'} ({unit})",
        simulated=is_simulated(drawn),
        not_run=unique(cell.dataset for cell in cells if cell.row not in rows),
        differences=differences,
        with_published=with_published,
        hardware=data.work.fields.hardware,
    )


def _difference(cell: Run, own: Mapping[str, str]) -> str:
    """How the graph of a cell differs from the work's, if it does; ``own`` maps rows to the work's datasets."""
    if own.get(cell.row, cell.dataset) == cell.dataset:
        return ""
    if is_standin(cell, own):
        return "generated"
    return "real roads with random weights" if cell.weights.startswith(REAL_ROADS) else "of other files"


def _seconds(cell: Cell, with_published: bool) -> tuple[float | None, ...]:
    """The time of a cell, its minimum and maximum, and the published time."""
    published = parse_seconds(cell.published_seconds) if with_published and cell.comparable else None
    return cell.seconds, cell.min_s, cell.max_s, published


def _point(cell: Cell, factor: float, with_published: bool, other_graph: bool) -> Point:
    value, low, high, published = (
        None if seconds is None else seconds * factor for seconds in _seconds(cell, with_published)
    )
    return Point(cell.status, value, low, high, published, cell.estimated, other_graph)


def signs(points: Iterable[Point]) -> list[tuple[str, str]]:
    """The signs that stand at ``points``, with their meanings, for the legend."""
    found = {sign for point in points for sign in (point.estimated, point.mark)}
    return [(sign, meaning) for sign, meaning in SIGNS.items() if sign in found]


def device_titles(cells: Iterable[Run]) -> str:
    """The GPUs of ``cells``, for a title; without one, the CPUs."""
    cells = list(cells)
    if is_simulated(cells):
        return "simulation"
    names = gpu_names(cells) or sorted({cell.device for cell in cells})
    return prose_list(unique(map(device_title, names)))


def measured_text(shown: str, cells: Iterable[Run]) -> str:
    """What is shown, the devices and the dates, as the beginning of a caption."""
    cells = list(cells)
    devices = prose_list(unique(cell.device for cell in cells if cell.device))
    simulated = "Simulation, not GPU times: " if is_simulated(cells) else ""
    return _capitalized(f"{simulated}{shown}, measured on {devices}, {date_range(cell.date for cell in cells)}")


def caption(chart: ChartData, finding: str = "") -> str:
    """What is shown, where and when it was measured; and the ``finding`` and other differences from the work."""
    cells = list(chart.cells.values())
    of_errors = "sources" if all(cell.sources is not None for cell in cells) else "samples"
    errors = f"; error bars span all {of_errors}" if any(point.error for point in chart.points.values()) else ""
    parts = [*([finding] if finding else []), *_differences(chart)]
    differences = "; ".join(parts)
    sentences = [f"{measured_text(chart.shown, cells)}{errors}.", *[f"{_capitalized(differences)}."] * bool(parts)]
    return " ".join(sentences)


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


def _differences(chart: ChartData) -> list[str]:
    """Clauses about the hardware of published times, graphs other than the work's, and graphs that are missing."""
    parts = []
    if chart.published_values():
        parts.append(f"the published times are of another machine ({chart.hardware})")
    elif chart.with_published:
        parts.append("no times of these graphs are published")
    for difference in unique(chart.differences.values()):
        names = [chart.datasets[row] for row, text in chart.differences.items() if text == difference]
        every = len(names) == len(chart.rows) > 1
        parts.append(f"every graph is {difference}" if every else f"{_graphs(names, 'is', 'are')} {difference}")
    if chart.not_run:
        parts.append(f"{_graphs(chart.not_run, 'was', 'were')} not run")
    return parts


def _graphs(names: Sequence[str], one: str, several: str) -> str:
    return f"the graph {names[0]} {one}" if len(names) == 1 else f"the graphs {prose_list(names)} {several}"
