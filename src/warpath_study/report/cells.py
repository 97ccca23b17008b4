"""The cells of a target: its runs in rows and columns, beside what the work prints.

``cells`` returns one line for each row and column. It has the columns of the table of runs, and these:

    column               short name of the run: ``naive``, or ``locality.k=4`` if the variant has several runs; the
                         algorithm comes first if two algorithms have a variant of this name
    label                the same for a reader: "Naive", "Locality, k = 4"
    nodes, edges         counts of the measured graph; if none was measured and the row has the work's own graph, the
                         counts that the work prints
    published_seconds    the work's text: ``1320``, ``>3600`` or empty; empty for a stand-in
    comparable           whether the work's times are of the measured graph, see ``is_comparable``
    arcs_missing         how many parallel arcs of the work's graph a comparable one lacks
    ratio                published over measured seconds; above 1 means faster here; empty if not comparable
    estimated            ``~`` if ``seconds`` was estimated, ``≈`` if before the distances were final, else empty
    status               ok, estimated, unsettled, simulated, out_of_memory, wrong, missing or not_run
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from ..record import parse_run
from ..works.works import PAPER, Asked, Choice, Target, Work
from .labels import run_label, spelled
from .published import NOTHING, PublishedRow, PublishedTable, read_table, seconds_of
from .runs import REAL_ROADS, WHOLE, lines_of

GRAPHS = Path("data", "graphs")
PARALLEL_PART = 1 / 20
"""Of a road network's arcs, no more than this are taken to be parallel ones."""
FIRM, ROUGH = "~", "≈"
"""The marks of estimates: the second is of one that is neither settled nor has a standard error."""


@dataclass(frozen=True)
class Data:
    """What a view gets: a work, one of its targets, the choice of rows and columns, and the table of runs."""

    work: Work
    target: Target
    choice: Choice
    runs: pd.DataFrame = field(repr=False)

    @cached_property
    def asked(self) -> list[Asked]:
        """The runs that the target asks for; a target of one row asks for the runs of that row."""
        asked = self.work.asked(self.target.fields.runs, self.choice)
        return [run for run in asked if self.target.row in ("", run.row)]

    @property
    def shown(self) -> pd.DataFrame:
        """The table of runs, cut down to the measured runs of the target, in the order of ``asked``."""
        return self.of(self.asked)

    def of(self, asked: Sequence[Asked]) -> pd.DataFrame:
        """The table of runs, cut down to the runs ``asked``."""
        keys = pd.DataFrame([(run.row, run.dataset, run.run) for run in asked], columns=["row", "dataset", "run"])
        return keys.merge(self.runs, on=["row", "dataset", "run"], how="inner")

    def own_datasets(self, groups: Sequence[str]) -> dict[str, str]:
        """The work's own graphs: the dataset of each row of ``groups`` in the suite ``paper``."""
        return {run.row: run.dataset for run in self.work.asked(groups, Choice(PAPER))}

    def read_published(self, file: str = "", columns: dict[str, str] | None = None) -> PublishedTable:
        """The published table in ``file``; an empty table if ``file`` is empty."""
        return read_table(self.work.published_file(file), columns) if file else NOTHING

    def graph_file(self, dataset: str) -> Path:
        """The path of a dataset's graph."""
        return GRAPHS / f"{dataset}.npz"


def cells(data: Data, published: PublishedTable = NOTHING, columns: Sequence[str] = ()) -> pd.DataFrame:
    """The target's cells; ``columns`` selects and orders the runs, by their names without the algorithm.

    All rows and columns of ``published`` are included, unless the choice names its own.
    """
    found = {(run.row, run.column): run for run in data.asked}
    asked_columns = list(dict.fromkeys(column for _, column in found))
    short = _short_names(asked_columns)
    if columns:
        asked_columns = [
            column for name in columns for column in asked_columns if _matches(name, short[column], column)
        ]
    of_work = published.columns if not data.choice.columns and not columns else []
    names = list(dict.fromkeys([*of_work, *(short[column] for column in asked_columns)]))
    by_name = {short[column]: column for column in asked_columns}
    rows = list(dict.fromkeys(row for row, _ in found))
    if not data.choice.rows:
        rows = list(dict.fromkeys([*published.rows, *rows]))
    datasets = {run.row: run.dataset for run in data.asked}
    measured = {(line["row"], line["run"]): line for line in lines_of(data.shown)}
    own = data.own_datasets(data.target.fields.runs)
    algorithm = data.asked[0].algorithm if len({run.algorithm for run in data.asked}) == 1 else ""
    lines = []
    for row in rows:
        original = published.rows.get(row)
        of_row = [line for (name, _), line in measured.items() if name == row]
        comparable = bool(of_row and original and is_comparable(original, of_row[0], own))
        generated = bool(of_row and is_standin(of_row[0], own))
        dataset = datasets.get(row, row)
        for name in names:
            run = found.get((row, by_name.get(name, "")))
            line = measured.get((row, run.run)) if run else None
            text = "" if generated else published.cell(row, name, name.partition(".")[0])
            counts = (of_row[0]["vertices"], of_row[0]["arcs"]) if of_row else (None, None)
            if not of_row and original and dataset == row:
                counts = (original.nodes, original.edges)
            lines.append(
                {
                    **(line or {"row": row, "dataset": dataset, "status": "not_run", "algorithm": algorithm}),
                    "column": name,
                    "label": _label(name, by_name.get(name)),
                    "nodes": counts[0],
                    "edges": counts[1],
                    "published_seconds": text,
                    "comparable": comparable,
                    "arcs_missing": original.arcs_missing(of_row[0]["arcs"]) if original and comparable else 0,
                    "ratio": _ratio(text, line, comparable),
                    "estimated": estimate_mark(line or {}),
                }
            )
    table = pd.DataFrame(lines, columns=[*data.runs.columns, *_MORE])
    # Without this, an empty cell turns the integers of its column into floats.
    return table.astype({name: "Int64" for name in (*WHOLE, "nodes", "edges") if name in table})


_MORE = ["column", "label", "nodes", "edges", "published_seconds", "comparable", "arcs_missing", "ratio", "estimated"]


def present(value: Any) -> bool:
    """Whether a cell has this fact."""
    return not pd.isna(value) and value != ""


def is_standin(line: Mapping[str, Any], own: Mapping[str, str]) -> bool:
    """Whether a graph was generated to stand in for the work's own; ``own`` has the work's dataset of each row."""
    return bool(line["generator"]) and own.get(line["row"]) != line["dataset"]


def is_comparable(original: PublishedRow, line: Mapping[str, Any], own: Mapping[str, str]) -> bool:
    """Whether the work's times are of the graph of a run: of its counts, and no stand-in.

    Real roads may lack a few arcs: files without lengths have no parallel roads.
    """
    fewer = original.arcs_missing(line["arcs"])
    if not line["weights"].startswith(REAL_ROADS) or fewer > PARALLEL_PART * (original.edges or 0):
        fewer = 0
    return not is_standin(line, own) and original.has_size(line["vertices"], line["arcs"] + fewer)


def estimate_mark(line: Mapping[str, Any]) -> str:
    """``~`` for an estimate, ``≈`` for one that is rougher: neither settled nor with a standard error; else empty."""
    if not present(line.get("iterations_timed")):
        return ""
    firm = str(line.get("settled")) == "True" or present(line.get("standard_error_s"))
    return FIRM if firm else ROUGH


def _ratio(text: str, line: Mapping[str, Any] | None, comparable: bool) -> float | None:
    published = seconds_of(text)
    if line and published and comparable and present(line["seconds"]) and line["device_kind"] != "host":
        return published / line["seconds"]
    return None


def _short_names(columns: Sequence[str]) -> dict[str, str]:
    """The shortest unique name of each run: its variant; else variant and parameters; else the full name."""
    variants = {column: parse_run(column)[1] for column in columns}
    runs = {column: column.partition(".")[2] for column in columns}
    found = {}
    for column in columns:
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
