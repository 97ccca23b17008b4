"""The cells of a target: its runs in rows and columns, beside what the work prints."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from ..record import parse_run
from ..works.works import PAPER, Choice, RunRequest, Target, Work
from .labels import run_label, spelled
from .published import NOTHING, PublishedRow, PublishedTable, read_table
from .runs import REAL_ROADS, Cell

GRAPHS = Path("data", "graphs")
PARALLEL_PART = 1 / 20
"""Of a road network's arcs, no more than this are taken to be parallel ones."""


@dataclass(frozen=True)
class Data:
    """What a view gets: a work, one of its targets, the choice of rows and columns, and the measured runs."""

    work: Work
    target: Target
    choice: Choice
    runs: Sequence[Cell] = field(repr=False)

    @cached_property
    def asked(self) -> list[RunRequest]:
        """The runs that the target asks for; a target of one row asks for the runs of that row."""
        asked = self.work.requests(self.target.fields.runs, self.choice)
        return [run for run in asked if self.target.row in ("", run.row)]

    @cached_property
    def shown(self) -> list[Cell]:
        """The measured runs of the target, in the order of ``asked``."""
        return self.of(self.asked)

    def of(self, asked: Iterable[RunRequest]) -> list[Cell]:
        """Those of the runs ``asked`` that were measured."""
        measured = {(cell.row, cell.dataset, cell.run): cell for cell in self.runs}
        keys = [(run.row, run.dataset, run.run) for run in asked]
        return [measured[key] for key in keys if key in measured]

    def own_datasets(self, groups: Iterable[str]) -> dict[str, str]:
        """The work's own graphs: the dataset of each row of ``groups`` in the suite ``paper``."""
        return {run.row: run.dataset for run in self.work.requests(groups, Choice(PAPER))}

    def read_published(self, file: str = "", columns: Mapping[str, str] | None = None) -> PublishedTable:
        """The published table in ``file``; an empty table if ``file`` is empty."""
        return read_table(self.work.published_file(file), columns) if file else NOTHING

    def graph_file(self, dataset: str) -> Path:
        """The path of a dataset's graph."""
        return GRAPHS / f"{dataset}.npz"


def cells(data: Data, published: PublishedTable = NOTHING, columns: Sequence[str] = ()) -> list[Cell]:
    """The target's cells, row by row; ``columns`` selects and orders the runs, by their names without the algorithm.

    All rows and columns of ``published`` are included, unless the choice names its own.
    """
    asked = {(run.row, run.column): run for run in data.asked}
    names = _short_names([column for _, column in asked])
    if columns:
        names = {key: short for name in columns for key, short in names.items() if _matches(name, short, key)}
    full = {short: column for column, short in names.items()}
    of_work = published.columns if not data.choice.columns and not columns else []
    rows = dict.fromkeys([*(() if data.choice.rows else published.rows), *(row for row, _ in asked)])
    datasets = {run.row: run.dataset for run in data.asked}
    own = data.own_datasets(data.target.fields.runs)
    algorithms = {run.algorithm for run in data.asked}
    algorithm = algorithms.pop() if len(algorithms) == 1 else ""
    measured = {(cell.row, cell.run): cell for cell in data.shown}
    found = []
    for row in rows:
        original, dataset = published.rows.get(row), datasets.get(row, row)
        first = next((cell for cell in data.shown if cell.row == row), None)
        nodes, edges = (first.vertices, first.arcs) if first else (None, None)
        if not first and original and dataset == row:
            nodes, edges = original.nodes, original.edges
        comparable = first is not None and original is not None and is_comparable(original, first, own)
        standin = first is not None and is_standin(first, own)
        not_run = Cell(row=row, dataset=dataset, algorithm=algorithm)
        for name in dict.fromkeys([*of_work, *full]):
            run = asked.get((row, full.get(name, "")))
            found.append(
                replace(
                    measured.get((row, run.run), not_run) if run else not_run,
                    column=name,
                    label=_label(name, full.get(name)),
                    nodes=nodes,
                    edges=edges,
                    published_seconds="" if standin else published.cell(row, name, name.partition(".")[0]),
                    comparable=comparable,
                    arcs_missing=original.arcs_missing(first.arcs) if original and first and comparable else 0,
                )
            )
    return found


def is_standin(cell: Cell, own: Mapping[str, str]) -> bool:
    """Whether a graph was generated to stand in for the work's own; ``own`` has the work's dataset of each row."""
    return bool(cell.generator) and own.get(cell.row) != cell.dataset


def is_comparable(original: PublishedRow, cell: Cell, own: Mapping[str, str]) -> bool:
    """Whether the work's times are of the graph of a run: of its counts, and no stand-in.

    Real roads may lack a few arcs: files without lengths have no parallel roads.
    """
    fewer = original.arcs_missing(cell.arcs)
    if not cell.weights.startswith(REAL_ROADS) or fewer > PARALLEL_PART * (original.edges or 0):
        fewer = 0
    return not is_standin(cell, own) and original.has_size(cell.vertices, cell.arcs + fewer)


def _short_names(columns: Iterable[str]) -> dict[str, str]:
    """The shortest unique name of each run: its variant; else variant and parameters; else the full name."""
    variants = {column: parse_run(column)[1] for column in columns}
    runs = {column: column.partition(".")[2] for column in variants}
    found = {}
    for column in variants:
        own = [names[column] for names in (variants, runs) if list(names.values()).count(names[column]) == 1]
        found[column] = own[0] if own else column
    return found


def _label(name: str, column: str | None) -> str:
    """The name for readers; it includes the algorithm if the variant alone is ambiguous."""
    if name != column:
        return run_label(name)
    algorithm, _, run = column.partition(".")
    return f"{spelled(algorithm)}, {run_label(run)}"


def _matches(name: str, short: str, column: str) -> bool:
    return name in (short, column, column.partition(".")[2], short.partition(".")[0])
