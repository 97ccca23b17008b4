"""Tables: the type that a view returns, its written forms, and the table of a work's rows and columns.

Every form says what kind of number a number is. The CSV file keeps the work's columns and adds for each one its status,
number of samples, least and most. The comparison has one line for each cell. Markdown and HTML are for reading.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from warpath.durations import readable_seconds

from ..record import WITHOUT_TIME
from .cells import Data, cells, estimate_mark, present
from .labels import plain_seconds
from .notes import notes
from .runs import lines_of

COMPARISON = [
    "dataset", "variant", "published_seconds", "seconds", "ratio", "status", "device", "record", "algorithm", "row",
    "nodes", "edges", "comparable", "device_kind", "date", "run", "estimated", "samples", "min_s", "max_s",
    "standard_error_s", "weights",
]  # fmt: skip


@dataclass(frozen=True)
class Table:
    """``lines`` is the CSV file and ``comparison`` the one with a line for each cell; ``shown`` is for reading.

    Both CSV files hold text. Columns of ``shown`` named in ``left`` hold words, the others numbers. ``about`` are the
    notes below the table.
    """

    title: str
    lines: pd.DataFrame
    comparison: pd.DataFrame | None
    shown: pd.DataFrame
    about: Sequence[str] = ()
    left: Sequence[str] = ()


def published_table(
    data: Data,
    *,
    published: str = "",
    rename: Mapping[str, str] | None = None,
    columns: Sequence[str] = (),
    beside: bool = False,
) -> Table:
    """The table with the rows and columns of the published one, and any others that were asked for.

    ``published`` is the file of the published table, ``rename`` maps its columns to variants, ``columns`` selects runs,
    ``beside`` adds the published times to the cells.
    """
    of_work = data.read_published(published, dict(rename or {}))
    found = cells(data, of_work, columns)
    return Table(
        title=data.target.fields.title,
        lines=csv_lines(found),
        comparison=comparison(found),
        shown=readable_table(found, beside),
        about=notes(data, found, of_work),
        left=["Dataset"],
    )


def csv_lines(found: pd.DataFrame) -> pd.DataFrame:
    """A line for each row: the work's columns in seconds, empty without a time; then the facts of each time.

    A column in which some time has a standard error has a further one for it.

    The last column says how the graph's weights were drawn, empty if they are its own.
    """
    lines = []
    with_error = set(found[found["standard_error_s"].notna()]["column"])
    for _, of_row in found.groupby("row", sort=False):
        first = of_row.iloc[0]
        line = {"dataset": first["dataset"], "nodes": csv_count(first["nodes"]), "edges": csv_count(first["edges"])}
        of_column = {cell["column"]: cell for cell in lines_of(of_row)}
        for name, cell in of_column.items():
            line[name] = csv_seconds(cell["seconds"])
        for name, cell in of_column.items():
            line[f"{name}_status"] = cell["status"]
            line[f"{name}_samples"] = csv_count(cell["samples"])
            line[f"{name}_min"], line[f"{name}_max"] = csv_seconds(cell["min_s"]), csv_seconds(cell["max_s"])
            if name in with_error:
                line[f"{name}_standard_error"] = csv_seconds(cell["standard_error_s"])
        line["weights"] = next(filter(present, of_row["weights"]), "")
        lines.append(line)
    return pd.DataFrame(lines)


def comparison(found: pd.DataFrame) -> pd.DataFrame:
    """A line for each cell, published and measured."""
    text = found.assign(variant=found["column"])[COMPARISON].astype(object)
    for name in ("seconds", "ratio", "min_s", "max_s", "standard_error_s"):
        text[name] = text[name].map(csv_seconds)
    for name in ("nodes", "edges", "samples"):
        text[name] = text[name].map(csv_count)
    for name in ("comparable", "estimated"):
        text[name] = ["yes" if fact else "no" for fact in text[name]]
    return text.fillna("")


def readable_table(found: pd.DataFrame, beside: bool = False) -> pd.DataFrame:
    """The table for reading: times with units and number of samples, marks of estimates, ``–`` for not run."""
    lines = []
    for _, of_row in found.groupby("row", sort=False):
        first = of_row.iloc[0]
        line = {
            "Dataset": first["dataset"],
            "Number of Nodes": readable_count(first["nodes"]),
            "Number of Edges": readable_count(first["edges"]),
        }
        for cell in lines_of(of_row):
            line[cell["label"]] = readable_cell(cell, beside)
        lines.append(line)
    return pd.DataFrame(lines)


def readable_cell(cell: Mapping[str, Any], beside: bool = False) -> str:
    """A cell for reading: "5.403 s (3)" is the median of three samples, "~619.0 s" or "≈619.0 s" an estimate."""
    if cell["status"] == "not_run":
        text = "–"
    elif cell["status"] in WITHOUT_TIME:
        text = WITHOUT_TIME[cell["status"]]
    else:
        text = readable_time(cell) + ("" if cell["estimated"] else f" ({csv_count(cell['samples'])})")
    published = cell["published_seconds"] if beside and cell["comparable"] else ""
    return f"{text}; published {published} s" if published else text


def readable_time(line: Mapping[str, Any]) -> str:
    """A time for reading, with the mark and the standard error of an estimate: "~410.5 s ± 31.80 s", "≈4.69 h"."""
    error: Any = line.get("standard_error_s")
    beside = f" ± {readable_seconds(error)}" if present(error) else ""
    return f"{estimate_mark(line)}{readable_seconds(line['seconds'])}{beside}"


def csv_seconds(value: Any) -> str:
    """Seconds for a CSV file; "" if missing."""
    return plain_seconds(value) if present(value) else ""


def csv_count(value: Any) -> str:
    """A whole number for a CSV file; "" if missing."""
    return str(int(value)) if present(value) else ""


def readable_count(value: Any) -> str:
    """A whole number for reading."""
    return f"{int(value):,}" if present(value) else "–"
