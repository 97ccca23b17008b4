"""What the records of this work's runs say, a line for each run: table, figures and claims are made from these."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ...errors import FormatError, UsageError, WarpathError
from ...measure.record import read_record
from ..csv_text import csv_text, read_csv

ALL_PAIRS, CLOSURE = "blocked_all_pairs", "transitive_closure"
MADE_BY = "warpath katz runs"


@dataclass(frozen=True)
class Run:
    """A run. ``row`` is the paper's number of vertices, or name of the graph, in whose place ``dataset`` stands.

    Of a graph that is larger than any of the paper's, ``row`` is its own number of vertices.
    ``asked`` are the parameters by which the run was asked for, as in its file's name. ``seconds`` is None where memory
    did not suffice.
    """

    row: str
    dataset: str
    algorithm: str
    variant: str
    asked: str
    nodes: int
    edges: int
    seconds: float | None
    status: str
    device_kind: str
    device: str
    date: str
    record: str

    @property
    def comparable(self) -> bool:
        """Whether the graph is as large as the paper's."""
        return self.row in (str(self.nodes), CAIDA)


CAIDA = "caida"
"""The row of the links between autonomous systems."""


def run_file(folder: str | os.PathLike, dataset: str, column: str) -> Path:
    """Where the record of a run lies; ``column`` is "blocked_all_pairs.several_devices.devices=2", say."""
    return Path(folder, dataset, f"{column}.json")


def gather(folder: str | os.PathLike, rows: Mapping[str, str], columns: Iterable[str]) -> list[Run]:
    """The runs of all columns on the dataset of each row. Raises UsageError where one was not run."""
    return [
        _run(row, dataset, column, run_file(folder, dataset, column))
        for row, dataset in rows.items()
        for column in columns
    ]


def runs_csv(runs: list[Run]) -> str:
    """A CSV file's text."""
    return csv_text(Run, runs)


def read_runs(path: str | os.PathLike) -> list[Run]:
    """Read what ``runs_csv`` wrote."""
    return read_csv(path, Run, MADE_BY)


def find(runs: Iterable[Run], row: str, algorithm: str, variant: str) -> Run | None:
    """The run of a variant in a row, if it has a time."""
    wanted = (row, algorithm, variant)
    return next((run for run in runs if (run.row, run.algorithm, run.variant) == wanted and run.seconds), None)


def _run(row: str, dataset: str, column: str, file: Path) -> Run:
    if not file.is_file():
        raise UsageError(f"{file}: no such record; measure first, with `warpath run`")
    record = read_record(file)
    algorithm, variant, asked = (*column.split(".", 2), "")[:3]
    identity = (record["dataset"], record["algorithm"], record["variant"])
    if identity != (dataset, algorithm, variant):
        raise FormatError(f"{file}: holds the run {' '.join(identity)}; remove it and measure again")
    if record["status"] == "failed":
        raise WarpathError(f"{file}: the run failed ({record['reason']}); remove its cause and measure again")
    return Run(
        row=row,
        dataset=dataset,
        algorithm=algorithm,
        variant=variant,
        asked=asked,
        nodes=record["graph"]["vertices"],
        edges=record["graph"]["arcs"],
        seconds=record["seconds"],
        status=record["status"],
        device_kind=record["device"]["kind"],
        device=record["device"]["name"],
        date=record["started"][:10],
        record=str(file),
    )
