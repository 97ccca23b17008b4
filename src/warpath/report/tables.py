"""Putting records into the rows and columns of a published table.

A table always has the paper's rows and columns, in the paper's order; rows and variants beyond the paper's come after
them. A record is refused, with one sentence that names its file, if it is not of the cell it is to fill, if its run
failed, or if the records of one row did not solve the same problem. A time without a certificate does not get past
``read_record``.
"""

import csv
import io
import os
from dataclasses import dataclass
from pathlib import Path

from ..errors import FormatError, UsageError, WarpathError
from ..measure.record import read_record
from .comparison import Entry, ratio_to_published
from .labels import plain_seconds
from .published import PublishedTable


@dataclass(frozen=True)
class Cell:
    """One variant on one graph; ``record`` is None where it was not run."""

    variant: str
    file: str
    record: dict | None

    @property
    def status(self) -> str:
        """ok, estimated, out_of_memory or not_run."""
        return self.record["status"] if self.record else "not_run"

    @property
    def seconds(self) -> float | None:
        """The time that the table shows, None where there is none."""
        return self.record["seconds"] if self.record else None

    @property
    def device_kind(self) -> str:
        return self.record["device"]["kind"] if self.record else ""

    @property
    def device_name(self) -> str:
        return self.record["device"]["name"] if self.record else ""

    @property
    def date(self) -> str:
        """The day on which the run began, ISO."""
        return self.record["started"][:10] if self.record else ""


@dataclass(frozen=True)
class Row:
    """The row ``name`` of the paper, in which ``dataset`` stands, with one cell for each variant of the table.

    ``nodes`` and ``edges`` are those of the graph measured. Where nothing was measured they are the paper's if the
    dataset is the paper's own, else None. ``comparable`` says that what was measured has the paper's counts.
    """

    name: str
    dataset: str
    nodes: int | None
    edges: int | None
    comparable: bool
    cells: list[Cell]


@dataclass(frozen=True)
class Table:
    name: str
    algorithm: str
    variants: list[str]
    published: PublishedTable
    rows: list[Row]

    def cells(self) -> list[tuple[Row, Cell]]:
        """All cells with their rows, row by row."""
        return [(row, cell) for row in self.rows for cell in row.cells]


def gather(
    name: str,
    algorithm: str,
    published: PublishedTable,
    datasets: dict[str, str],
    variants: list[str],
    records: str | os.PathLike,
) -> Table:
    """Read the records ``<records>/<dataset>/<algorithm>.<variant>.json`` of the cells asked for.

    ``datasets`` says which dataset stands in which row and ``variants`` which columns to fill; the paper's other rows
    and columns are there and empty. A record that does not exist is a cell that was not run. Raises WarpathError for a
    record that may not enter the table, and UsageError where there is not one record.
    """
    columns = list(dict.fromkeys([*published.variants, *variants]))
    rows = []
    for row_name in dict.fromkeys([*published.rows, *datasets]):
        dataset = datasets.get(row_name, row_name)
        cells = []
        for variant in columns:
            file = Path(records, dataset, f"{algorithm}.{variant}.json")
            asked_for = row_name in datasets and variant in variants and file.is_file()
            record = _checked(file, dataset, algorithm, variant) if asked_for else None
            cells.append(Cell(variant, str(file), record))
        rows.append(_row(row_name, dataset, published, cells))
    if not any(cell.record for row in rows for cell in row.cells):
        raise UsageError(f"{records}: no records of {algorithm} for this table; measure first, with `warpath run`")
    return Table(name, algorithm, columns, published, rows)


def _checked(file: Path, dataset: str, algorithm: str, variant: str) -> dict:
    """The record in ``file``, fit to stand in a table."""
    record = read_record(file)
    found = (record["dataset"], record["algorithm"], record["variant"])
    if found != (dataset, algorithm, variant):
        raise FormatError(
            f"{file}: holds the run {' '.join(found)} where {dataset} {algorithm} {variant} belongs; "
            "remove it and measure again"
        )
    if record["status"] == "failed":
        raise WarpathError(f"{file}: the run failed ({record['reason']}); remove its cause and measure again")
    if record["seconds"] == 0:
        raise FormatError(f"{file}: its time is 0 s, which no clock can have measured; measure again")
    return record


def _row(name: str, dataset: str, published: PublishedTable, cells: list[Cell]) -> Row:
    original = published.rows.get(name)
    measured = [cell for cell in cells if cell.record]
    if not measured:
        counts = (original.nodes, original.edges) if original and dataset == name else (None, None)
        return Row(name, dataset, *counts, comparable=False, cells=cells)
    first = measured[0]
    for cell in measured[1:]:
        for fact, same in (
            ("graph", cell.record["graph"]["sha256"] == first.record["graph"]["sha256"]),
            ("source vertex", cell.record["source"] == first.record["source"]),
        ):
            if not same:
                raise WarpathError(f"{cell.file}: solved another {fact} than {first.file}; measure the older one again")
    nodes, edges = first.record["graph"]["vertices"], first.record["graph"]["arcs"]
    comparable = original is not None and original.has_size(nodes, edges)
    return Row(name, dataset, nodes, edges, comparable, cells)


def table_csv(table: Table) -> str:
    """The table in the paper's own form: seconds, numbers only, empty where there is no number."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["dataset", "nodes", "edges", *table.variants])
    for row in table.rows:
        seconds = [cell.seconds for cell in row.cells]
        writer.writerow(
            [row.dataset, row.nodes, row.edges, *("" if value is None else plain_seconds(value) for value in seconds)]
        )
    return buffer.getvalue()


def compare(table: Table) -> list[Entry]:
    """The table in long form beside the published one, an entry for each cell."""
    entries = []
    for row, cell in table.cells():
        published = table.published.cell(row.name, cell.variant)
        entries.append(
            Entry(
                dataset=row.dataset,
                variant=cell.variant,
                published_seconds=published,
                seconds=cell.seconds,
                ratio=ratio_to_published(published, cell.seconds, row.comparable, cell.device_kind),
                status=cell.status,
                device=cell.device_name,
                record=cell.file if cell.record else "",
                algorithm=table.algorithm,
                row=row.name,
                nodes=row.nodes,
                edges=row.edges,
                comparable=row.comparable,
                device_kind=cell.device_kind,
                date=cell.date,
            )
        )
    return entries
