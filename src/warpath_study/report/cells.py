"""The cells of a target: its runs in rows and columns, with the published times."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ..record import parse_run
from ..works.works import PAPER, Choice, RunRequest, Target, Work
from .labels import algorithm_label, run_label
from .published import NO_TABLE, PublishedRow, PublishedTable, parse_seconds, read_table
from .runs import REAL_ROADS, Run, group_by

GRAPHS = Path("data", "graphs")
PARALLEL_PART = 1 / 20
"""Largest share of the arcs of a road network that may be missing as parallel arcs."""


@dataclass(frozen=True)
class Data:
    """The argument of a view: a work, one of its targets, the choice of rows and columns, and the measured runs."""

    work: Work
    target: Target
    choice: Choice
    runs: Sequence[Run] = field(repr=False)

    @cached_property
    def requests(self) -> list[RunRequest]:
        """The runs that the target needs; a target of one row needs the runs of that row."""
        requests = self.work.requests(self.target.fields.runs, self.choice)
        return [run for run in requests if self.target.row in ("", run.row)]

    @cached_property
    def measured(self) -> list[Run]:
        """The measured runs of the target, in the order of ``requests``."""
        return self.measured_of(self.requests)

    def measured_of(self, requests: Iterable[RunRequest]) -> list[Run]:
        """The measured runs among ``requests``."""
        measured = {(cell.row, cell.dataset, cell.run): cell for cell in self.runs}
        keys = [(run.row, run.dataset, run.run) for run in requests]
        return [measured[key] for key in keys if key in measured]

    def paper_datasets(self, groups: Iterable[str]) -> dict[str, str]:
        """The dataset of each row of ``groups`` in the suite ``paper``."""
        return {run.row: run.dataset for run in self.work.requests(groups, Choice(PAPER))}

    def read_published(self, file: str = "", columns: Mapping[str, str] | None = None) -> PublishedTable:
        """The published table in ``file``; an empty table if ``file`` is ""."""
        return read_table(self.work.published_file(file), columns) if file else NO_TABLE

    def graph_file(self, dataset: str) -> Path:
        return GRAPHS / f"{dataset}.npz"


@dataclass(frozen=True, kw_only=True)
class Cell(Run):
    """A run of a row in a table, with the published time; or no run.

    ``column`` is the short name of the run; ``nodes`` and ``edges`` are the counts of the row's graph.
    ``published_seconds`` is the published text, such as ``1320`` or ``>3600``. ``comparable`` says whether the
    published time is of a graph of the same size, ``arcs_missing`` how many parallel arcs of the published graph this
    graph lacks, and ``own_graph`` whether it is the work's own graph.
    """

    column: str = ""
    nodes: int | None = None
    edges: int | None = None
    published_seconds: str = ""
    comparable: bool = False
    arcs_missing: int = 0
    own_graph: bool = False

    @property
    def ratio(self) -> float | None:
        """Published over measured seconds; above 1 means faster here."""
        published = parse_seconds(self.published_seconds) if self.comparable else None
        return published / self.seconds if published and self.seconds and self.device_kind != "simulated" else None


def cells(data: Data, published: PublishedTable = NO_TABLE, columns: Sequence[str] = ()) -> list[Cell]:
    """The cells of the target, row by row.

    ``columns`` selects and orders the runs, by their names without the algorithm. Without a choice of rows or columns,
    the rows or columns of ``published`` are included.
    """
    requests = {(run.row, run.column): run for run in data.requests}
    names = _short_names([column for _, column in requests])
    if columns:
        names = {key: short for name in columns for key, short in names.items() if _matches(name, short, key)}
    full = {short: column for column, short in names.items()}
    published_columns = published.columns if not data.choice.columns and not columns else []
    rows = dict.fromkeys([*(() if data.choice.rows else published.rows), *(row for row, _ in requests)])
    datasets = {run.row: run.dataset for run in data.requests}
    own = data.paper_datasets(data.target.fields.runs)
    algorithms = {run.algorithm for run in data.requests}
    algorithm = algorithms.pop() if len(algorithms) == 1 else ""
    measured = {(cell.row, cell.run): cell for cell in data.measured}
    result = []
    for row in rows:
        original, dataset = published.rows.get(row), datasets.get(row, row)
        first = next((cell for cell in data.measured if cell.row == row), None)
        nodes, edges = (first.vertices, first.arcs) if first else (None, None)
        if not first and original and dataset in (row, own.get(row)):
            nodes, edges = original.nodes, original.edges
        comparable = first is not None and original is not None and is_comparable(original, first, own)
        not_run = Run(row=row, dataset=dataset, algorithm=algorithm)
        for name in dict.fromkeys([*published_columns, *full]):
            run, label = requests.get((row, full.get(name, ""))), _label(name, full.get(name))
            result.append(
                Cell(
                    **vars(measured.get((row, run.run), not_run) if run else not_run) | {"label": label},
                    column=name,
                    nodes=nodes,
                    edges=edges,
                    published_seconds=_published(published, row, name) if comparable or not first else "",
                    comparable=comparable,
                    arcs_missing=original.arcs_missing(first.arcs) if original and first and comparable else 0,
                    own_graph=comparable and own.get(row, row) == dataset,
                )
            )
    return result


def table_lines(found: Iterable[Cell], published: PublishedTable) -> list[list[Cell]]:
    """The cells of each line of a table: a line for each row of ``found``.

    If a row has no times of a published graph, its published times have a line of their own before it.
    """
    lines = []
    for row, of_row in group_by(found, "row").items():
        original = published.rows.get(row)
        if original and not of_row[0].comparable:
            of_work = [
                Cell(
                    row=row,
                    dataset=row,
                    algorithm=cell.algorithm,
                    column=cell.column,
                    label=cell.label,
                    nodes=original.nodes,
                    edges=original.edges,
                    published_seconds=_published(published, row, cell.column),
                )
                for cell in of_row
            ]
            if any(cell.published_seconds for cell in of_work):
                lines.append(of_work)
                of_row = of_row if is_measured(of_row) else []
        lines += [of_row] * bool(of_row)
    return lines


def is_measured(cells: Iterable[Run]) -> bool:
    """Whether one of ``cells`` has a record."""
    return any(cell.status != "not_run" for cell in cells)


def _published(published: PublishedTable, row: str, column: str) -> str:
    """The published text for a run, by its short name or by its variant."""
    return published.cell(row, column, column.partition(".")[0])


def is_standin(cell: Run, own: Mapping[str, str]) -> bool:
    """Whether a graph was generated in place of the published one; ``own`` maps rows to the datasets of the work."""
    return bool(cell.generator) and own.get(cell.row) != cell.dataset


def is_comparable(original: PublishedRow, cell: Run, own: Mapping[str, str]) -> bool:
    """Whether published times are of the same graph as a run: the counts agree, and it is no stand-in.

    Real roads may lack a few arcs, because files without lengths have no parallel roads.
    """
    fewer = original.arcs_missing(cell.arcs)
    if not cell.weights.startswith(REAL_ROADS) or fewer > PARALLEL_PART * (original.edges or 0):
        fewer = 0
    return not is_standin(cell, own) and original.has_size(cell.vertices, cell.arcs + fewer)


def _short_names(columns: Iterable[str]) -> dict[str, str]:
    """The shortest unique name of each run: the variant, or variant and parameters, or the full name."""
    variants = {column: parse_run(column)[1] for column in columns}
    runs = {column: column.partition(".")[2] for column in variants}
    short = {}
    for column in variants:
        unique = [names[column] for names in (variants, runs) if list(names.values()).count(names[column]) == 1]
        short[column] = unique[0] if unique else column
    return short


def _label(name: str, column: str | None) -> str:
    """The label of a run; it includes the algorithm if the variant alone is ambiguous."""
    if name != column:
        return run_label(name)
    algorithm, _, run = column.partition(".")
    return f"{algorithm_label(algorithm)}, {run_label(run)}"


def told_apart(cells: Iterable[Run]) -> list[Run]:
    """``cells``, with the algorithm in the label where runs of several algorithms have the same one."""
    cells = list(cells)
    counts = Counter(label for label, _ in {(cell.label, cell.algorithm) for cell in cells})
    return [
        replace(cell, label=f"{cell.label} of {algorithm_label(cell.algorithm)}") if counts[cell.label] > 1 else cell
        for cell in cells
    ]


def _matches(name: str, short: str, column: str) -> bool:
    return name in (short, column, column.partition(".")[2], short.partition(".")[0])
