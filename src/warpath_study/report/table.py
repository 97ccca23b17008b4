"""Tables: the type that a view returns, its file formats, and the shared table of rows and columns.

The CSV file has the published columns, and for each its status, number of samples, minimum and maximum. The comparison
has one line for each cell. Markdown and HTML are for reading.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warpath.durations import common_unit, readable_seconds

from ..record import WITHOUT_TIME
from .cells import Data, cells
from .labels import plain_seconds, printable
from .notes import notes
from .runs import Cell, group_by

COMPARISON = [
    "dataset", "variant", "published_seconds", "seconds", "ratio", "status", "device", "record", "algorithm", "row",
    "nodes", "edges", "comparable", "device_kind", "date", "run", "estimated", "samples", "min_s", "max_s",
    "standard_error_s", "weights",
]  # fmt: skip

# Start of code, emphasis, a formula, a cell, a link, HTML, an entity or struck-out text. A mark without meaning at its
# position, such as the underscore of stride_flag, is not escaped, so that the file reads well as plain text.
_MARKS = re.compile(
    r"[\\`*|$] | <(?=[A-Za-z/!?]) | &(?=\#?\w+;) | \](?=[(\[:]) | (?<![^\W_])_ | _(?![^\W_]) | ~(?=~) | (?<=~)~",
    re.VERBOSE,
)
_BOLD = re.compile(r"(?:\*\*[\w ,]+\*\*)?")
Line = dict[str, str]
"""A line of a table: text by heading. All lines of a table have the same headings."""
_CLAIM_NUMBERS = ("Claimed", "In its own table", "Measured")


@dataclass(frozen=True)
class Table:
    """``lines`` and ``comparison`` become CSV files; ``readable``, for reading, has ``notes`` below it.

    The columns of ``readable`` named in ``text_columns`` hold text, the others numbers.
    """

    title: str
    lines: Sequence[Line]
    comparison: Sequence[Line]
    readable: Sequence[Line]
    notes: Sequence[str] = ()
    text_columns: Sequence[str] = ()


def published_table(
    data: Data,
    *,
    published: str = "",
    rename: Mapping[str, str] | None = None,
    columns: Sequence[str] = (),
    with_published: bool = False,
) -> Table:
    """The table of all measured and published rows and columns.

    Parameters
    ----------
    data : Data
        The target and its runs.
    published : str
        Name of the file of the published table.
    rename : mapping of str to str
        Variants by the column names of that file.
    columns : sequence of str
        The runs to show; all by default.
    with_published : bool
        Whether the readable cells include published times.
    """
    original = data.read_published(published, rename)
    found = cells(data, original, columns)
    units = {name: common_unit(cell.seconds for cell in of) for name, of in group_by(found, "column").items()}
    return Table(
        title=data.target.fields.title,
        lines=csv_lines(found),
        comparison=comparison(found),
        readable=[_readable_line(row_cells, units, with_published) for row_cells in group_by(found, "row").values()],
        notes=notes(data, found, original),
        text_columns=["Dataset"],
    )


def csv_lines(found: Sequence[Cell]) -> list[Line]:
    """A line for each row: the time of each column in seconds, then status and samples of each time.

    A column with a standard error in some row gets a column for it. The last column says how random weights were drawn.
    """
    lines = []
    with_error = {cell.column for cell in found if cell.standard_error_s is not None}
    for of_row in group_by(found, "row").values():
        first = of_row[0]
        line = {"dataset": first.dataset, "nodes": csv_number(first.nodes), "edges": csv_number(first.edges)}
        line |= {cell.column: csv_number(cell.seconds) for cell in of_row}
        for cell in of_row:
            facts = {"status": cell.status, "samples": csv_number(cell.samples)}
            facts |= {"min": csv_number(cell.min_s), "max": csv_number(cell.max_s)}
            if cell.column in with_error:
                facts["standard_error"] = csv_number(cell.standard_error_s)
            line |= {f"{cell.column}_{name}": text for name, text in facts.items()}
        lines.append({**line, "weights": next((cell.weights for cell in of_row if cell.weights), "")})
    return lines


def comparison(found: Sequence[Cell]) -> list[Line]:
    """A line for each cell, with its published and its measured time."""

    def text(cell: Cell, name: str) -> str:
        value = getattr(cell, "column" if name == "variant" else name)
        if name in ("comparable", "estimated"):
            return "yes" if value else "no"
        return value if isinstance(value, str) else csv_number(value)

    return [{name: text(cell, name) for name in COMPARISON} for cell in found]


def _readable_line(of_row: Sequence[Cell], units: Mapping[str, str | None], with_published: bool) -> Line:
    first = of_row[0]
    counts = {"Number of Nodes": readable_count(first.nodes), "Number of Edges": readable_count(first.edges)}
    times = {cell.label: readable_cell(cell, with_published, units[cell.column]) for cell in of_row}
    return {"Dataset": first.dataset, **counts, **times}


def readable_cell(cell: Cell, with_published: bool = False, unit: str | None = None) -> str:
    """A cell for reading: "5.403 s (3)" is a median of three samples, "~619.0 s" or "≈619.0 s" an estimate."""
    text = WITHOUT_TIME.get(cell.status, "–")
    if cell.seconds is not None:
        text = readable_time(cell, unit) + ("" if cell.estimated else f" ({cell.samples})")
    published = cell.published_seconds if with_published and cell.comparable else ""
    return f"{text}; published {published} s" if published else text


def readable_time(cell: Cell, unit: str | None = None) -> str:
    """A time for reading, with the mark and the standard error of an estimate: "~410.5 s ± 31.80 s", "≈4.69 h"."""
    error = "" if cell.standard_error_s is None else f" ± {readable_seconds(cell.standard_error_s, unit=unit)}"
    return "–" if cell.seconds is None else f"{cell.estimated}{readable_seconds(cell.seconds, unit=unit)}{error}"


def csv_number(value: float | None) -> str:
    """A number for a CSV file, a float with six digits; "" if missing."""
    return "" if value is None else plain_seconds(value) if isinstance(value, float) else str(value)


def readable_count(value: int | None) -> str:
    """A whole number for reading."""
    return "–" if value is None else f"{value:,}"


def headings(lines: Sequence[Line]) -> list[str]:
    return list(lines[0]) if lines else []


def claim_text_columns(lines: Sequence[Line]) -> list[str]:
    """The columns of text in a table of claims."""
    return [name for name in headings(lines) if name not in _CLAIM_NUMBERS]


def csv_text(lines: Sequence[Line]) -> str:
    """The lines of a table as a CSV file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, headings(lines), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def markdown(table: Table) -> str:
    """The table and its notes in Markdown, with columns of constant width."""
    columns = []
    for name in headings(table.readable):
        left = name in table.text_columns
        head, *texts = escaped(name), *(escaped(line[name]) for line in table.readable)
        wide = max(len(head) + 2, *map(len, texts))
        cells = [f" {text.ljust(wide) if left else text.rjust(wide)} " for text in (head, *texts)]
        columns.append([cells[0], f"{':' * left}{'-' * (wide + 1)}{':' * (not left)}", *cells[1:]])
    lines = [f"|{'|'.join(row)}|" for row in zip(*columns, strict=True)]
    notes = [f"- {escaped_note(note)}" for note in table.notes]
    return "\n".join([f"# {escaped(table.title)}", "", *lines, "", *notes, ""])


def escaped(text: str) -> str:
    """``text`` on one line, with a backslash before each mark of Markdown."""
    return _MARKS.sub(r"\\\g<0>", re.sub(r"\s*\n\s*", " ", printable(text)))


def escaped_note(note: str) -> str:
    """A note with its marks escaped, except for bold words at its start."""
    bold = _BOLD.match(note)
    end = bold.end() if bold else 0
    return note[:end] + escaped(note[end:])
