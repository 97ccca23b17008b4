"""The table of results for reading."""

from typing import Any

from ..labels import date_range, listed, readable_seconds
from .table import Result, result_of

_HEADINGS = (
    "Size",
    "Smallest entry",
    "at",
    "Second smallest",
    "at",
    "Path weight",
    "Steps",
    "Product",
    "Minima",
    "Path",
)


def table_markdown(records: list[dict[str, Any]], published: dict[int, Result]) -> str:
    """A row for each record, with its times, then the published ones, and what must be known about them."""
    rows = [_row(result_of(record), str(len(record["path"]["moves"])), _times(record)) for record in records]
    rows += [_row(result, "", ["", "", ""], " (published)") for result in published.values()]
    lines = [_line(_HEADINGS), _line(["---:"] * len(_HEADINGS)), *map(_line, rows), ""]
    return "\n".join([*lines, *_notes(records)]) + "\n"


def _row(result: Result, steps: str, times: list[str], mark: str = "") -> list[str]:
    return [
        f"{result.size:,}{mark}",
        f"{result.minimum:,.6f}",
        f"{result.minimum_row}, {result.minimum_col}",
        f"{result.second_minimum:,.6f}",
        f"{result.second_row}, {result.second_col}",
        f"{result.path_weight:,.4f}",
        steps,
        *times,
    ]


def _times(record: dict[str, Any]) -> list[str]:
    middle = sorted(record["samples"], key=lambda sample: sample["total_s"])[len(record["samples"]) // 2]
    return [readable_seconds(middle[f"{part}_s"]) for part in ("product", "minima", "path")]


def _notes(records: list[dict[str, Any]]) -> list[str]:
    devices = listed(list(dict.fromkeys(record["device"]["name"] for record in records)))
    simulated = any(record["device"]["kind"] == "host" for record in records)
    tolerance = max(record["certificate"]["weight_tolerance"] for record in records)
    notes = ["Host simulation, not GPU times."] if simulated else []
    notes.append(f"{devices}, {date_range([record['started'][:10] for record in records])}.")
    notes.append(
        f"Every answer was certified: exact in float32, and no path weighs less than the one found by more than "
        f"{tolerance:.1e} of its weight."
    )
    notes.append("The published matrices are not known; these are others, of entries from 0 to 1.")
    return [f"- {note}" for note in notes]


def _line(cells: Any) -> str:
    return f"| {' | '.join(cells)} |"
