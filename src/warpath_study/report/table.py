"""Tables: the type that a view returns, its file formats, and the shared table of rows and columns.

The CSV file has the published columns, and for each the published time, the ratio, status, number of samples, minimum
and maximum. The comparison has one line for each cell. Markdown and HTML are for reading.
"""

import csv
import io
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from warpath.system.durations import common_unit, readable_seconds

from ..record import WITHOUT_TIME
from .cells import Cell, Data, cells, table_lines
from .labels import plain_seconds, two_digits
from .notes import OTHER_GRAPH, details, notes
from .published import parse_seconds
from .runs import Run, digits_of

COMPARISON = [
    "dataset", "variant", "published_seconds", "seconds", "ratio", "status", "device", "record", "algorithm", "row",
    "nodes", "edges", "comparable", "device_kind", "date", "run", "estimated", "samples", "min_s", "max_s",
    "standard_error_s", "weights", "own_graph",
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
NODES, EDGES = "Number of Nodes", "Number of Edges"
DETAILS = "How it was measured"
_CLAIM_NUMBERS = ("Claimed", "In its own table", "Measured")


@dataclass(frozen=True)
class Table:
    """``lines`` and ``comparison`` become CSV files; ``readable``, for reading, has ``notes`` below it.

    Below the notes are ``details``, which a page unfolds. The columns of ``readable`` named in ``text_columns`` hold
    text, the others numbers. On a narrow page, the columns in ``side_columns`` are below the first one instead, each
    number with the word given there.
    """

    title: str
    lines: Sequence[Line]
    comparison: Sequence[Line]
    readable: Sequence[Line]
    notes: Sequence[str] = ()
    text_columns: Sequence[str] = ()
    details: Sequence[str] = ()
    side_columns: Mapping[str, str] = field(default_factory=dict)


def published_table(
    data: Data,
    *,
    published: str = "",
    rename: Mapping[str, str] | None = None,
    columns: Sequence[str] = (),
) -> Table:
    """The table of all measured and published rows and columns, with a ratio of each two times of the same graph.

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
    """
    original = data.read_published(published, rename)
    lines = table_lines(cells(data, original, columns), original)
    found = [cell for line in lines for cell in line]
    unit = common_unit(seconds for cell in found for seconds in (cell.seconds, parse_seconds(cell.published_seconds)))
    return Table(
        title=data.target.fields.title,
        lines=csv_lines(lines),
        comparison=comparison(found),
        readable=[_readable_line(line, unit) for line in lines],
        notes=notes(data, found, original),
        text_columns=["Dataset"],
        details=details(found),
        side_columns={NODES: "nodes", EDGES: "edges"},
    )


def csv_lines(lines: Sequence[Sequence[Cell]]) -> list[Line]:
    """The time of each column in seconds, then the facts of each time, such as the published one and their ratio.

    Columns with a published time or a standard error in some line have columns for these. The last columns say whether
    the graph is the work's own, and how random weights were drawn.
    """
    found = [cell for line in lines for cell in line]
    published = {cell.column for cell in found if cell.published_seconds}
    with_error = {cell.column for cell in found if cell.standard_error_s is not None}
    return [_csv_line(line, published, with_error) for line in lines]


def _csv_line(cells: Sequence[Cell], published: Collection[str], with_error: Collection[str]) -> Line:
    first = cells[0]
    line = {"dataset": first.dataset, "nodes": csv_number(first.nodes), "edges": csv_number(first.edges)}
    line |= {cell.column: csv_number(cell.seconds) for cell in cells}
    for cell in cells:
        facts: dict[str, str] = {}
        if cell.column in published:
            facts |= {"published": cell.published_seconds, "ratio": csv_number(cell.ratio)}
        facts |= {"status": cell.status, "samples": csv_number(cell.samples)}
        facts |= {"min": csv_number(cell.min_s), "max": csv_number(cell.max_s)}
        if cell.column in with_error:
            facts["standard_error"] = csv_number(cell.standard_error_s)
        line |= {f"{cell.column}_{name}": text for name, text in facts.items()}
    weights = next((cell.weights for cell in cells if cell.weights), "")
    return line | {"own_graph": "yes" if first.own_graph else "no", "weights": weights}


def comparison(found: Sequence[Cell]) -> list[Line]:
    """A line for each cell, with its published and its measured time."""

    def text(cell: Cell, name: str) -> str:
        value = getattr(cell, "column" if name == "variant" else name)
        if name in ("comparable", "estimated", "own_graph"):
            return "yes" if value else "no"
        return value if isinstance(value, str) else csv_number(value)

    return [{name: text(cell, name) for name in COMPARISON} for cell in found]


def _readable_line(line: Sequence[Cell], unit: str | None) -> Line:
    first = line[0]
    counts = {NODES: readable_count(first.nodes), EDGES: readable_count(first.edges)}
    return {"Dataset": first.dataset, **counts, **{cell.label: readable_cell(cell, unit) for cell in line}}


def readable_cell(cell: Cell, unit: str | None = None) -> str:
    """A cell for reading: "5.69 s (8.58 s, 1.5x)" is measured, published, and published over measured.

    "~620 s" and "≈620 s" are estimates. A ratio of times on two graphs has a mark.
    """
    text = readable_time(cell, unit) if cell.seconds is not None else WITHOUT_TIME.get(cell.status, "–")
    if not cell.published_seconds:
        return text
    ratio = "" if cell.ratio is None else f", {two_digits(cell.ratio)}x{OTHER_GRAPH * (not cell.own_graph)}"
    text = "not measured" if cell.status == "not_run" else text
    return f"{text} ({readable_published(cell.published_seconds, unit)}{ratio})"


def readable_published(seconds: str, unit: str | None = None) -> str:
    """A published time or bound for reading: "8.58 s", ">3,600 s"."""
    bound = seconds[0] if seconds[0] in "<>" else ""
    return bound + readable_seconds(float(seconds.removeprefix(bound)), unit=unit)


def readable_time(cell: Run, unit: str | None = None) -> str:
    """A time for reading, with the mark and the standard error of an estimate: "~410 s ± 32 s", "≈4.7 h"."""
    if cell.seconds is None:
        return "–"
    digits = digits_of(cell.estimated)
    error = "" if cell.standard_error_s is None else f" ± {readable_seconds(cell.standard_error_s, digits, unit=unit)}"
    return f"{cell.estimated}{readable_seconds(cell.seconds, digits, unit=unit)}{error}"


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
    notes, details = ([f"- {escaped_note(note)}" for note in some] for some in (table.notes, table.details))
    if details:
        notes += ["", "<details markdown>", f"<summary>{DETAILS}</summary>", "", *details, "", "</details>"]
    return "\n".join([f"# {escaped(table.title)}", "", *lines, "", *notes, ""])


def escaped(text: str) -> str:
    """``text`` on one line, with a backslash before each mark of Markdown."""
    return _MARKS.sub(r"\\\g<0>", re.sub(r"\s*\n\s*", " ", text))


def escaped_note(note: str) -> str:
    """A note with its marks escaped, except for bold words at its start."""
    bold = _BOLD.match(note)
    end = bold.end() if bold else 0
    return note[:end] + escaped(note[end:])
