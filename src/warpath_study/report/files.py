"""Writes all files of a target: what its view returns, in every format."""

import re
from pathlib import Path

import pandas as pd

from warpath.atomic import write_text

from .cells import Data
from .claims import claims_about
from .labels import printable
from .page import figure_page, table_page
from .runs import write_runs
from .table import Table
from .views import make

# What begins code, emphasis, a formula, a cell, a link, HTML, an entity or crossed-out text. A mark that means nothing
# where it stands, such as the underscore of stride_flag, stays as it is, for those who read the file as plain text.
_MARKS = re.compile(
    r"[\\`*|$] | <(?=[A-Za-z/!?]) | &(?=\#?\w+;) | \](?=[(\[:]) | (?<![^\W_])_ | _(?![^\W_]) | ~(?=~) | (?<=~)~",
    re.VERBOSE,
)
_BOLD = re.compile(r"(?:\*\*[\w ,]+\*\*)?")


def stem(data: Data, results: Path, figures: Path) -> Path:
    """The path of a target's files, without the suffix."""
    base = figures if data.target.fields.kind == "figure" else results
    return base / data.work.folder / data.target.stem


def write_target(data: Data, results: Path, figures: Path) -> list[Path]:
    """Make the target, write all its files and return their paths. If making it fails, nothing is written."""
    base = stem(data, results, figures)
    kind = data.target.fields.kind
    if kind == "runs":
        write_runs(base.with_name(f"{base.name}.csv"), data.shown)
        return [base.with_name(f"{base.name}.csv")]
    about = claims_about(data) if kind in ("figure", "table") else []
    if kind == "figure":
        return _write_figure(data, base, about)
    made = make(data)
    if kind == "text":
        texts = {".txt": made}
    else:
        texts = {".csv": _csv(made.lines), ".md": markdown(made), ".html": table_page(data, made, about)}
        if kind == "table":
            texts["_comparison.csv"] = _csv(made.comparison)
    for suffix, text in texts.items():
        write_text(base.with_name(base.name + suffix), text)
    return [base.with_name(base.name + suffix) for suffix in data.target.suffixes]


def _write_figure(data: Data, base: Path, about: list[pd.DataFrame]) -> list[Path]:
    from . import style  # matplotlib takes as long to import as a table to make

    with style.applied():
        figure = make(data)
    files = [base.with_name(base.name + suffix) for suffix in data.target.suffixes]
    for file in files:
        if file.suffix != ".html":
            style.save(figure, file)
    svg = base.with_name(f"{base.name}.svg").read_text(encoding="utf-8")
    write_text(base.with_name(f"{base.name}.html"), figure_page(data, svg, figure.get_figwidth(), about))
    return files


def markdown(table: Table) -> str:
    """The table and its notes in Markdown."""
    align = ["left" if name in table.left else "right" for name in table.shown.columns]
    shown = table.shown.map(lambda cell: escaped(str(cell)))
    shown.columns = pd.Index([escaped(str(name)) for name in shown.columns])
    body = shown.to_markdown(index=False, tablefmt="pipe", disable_numparse=True, colalign=align)
    notes = "\n".join(f"- {escaped_note(note)}" for note in table.about)
    return f"# {escaped(table.title)}\n\n{body}\n\n{notes}\n"


def escaped(text: str) -> str:
    """``text`` on one line, with a backslash before each letter that would mean something in Markdown."""
    return _MARKS.sub(r"\\\g<0>", re.sub(r"\s*\n\s*", " ", printable(text)))


def escaped_note(note: str) -> str:
    """A note below a table; it may begin with bold words."""
    bold = _BOLD.match(note)
    end = bold.end() if bold else 0
    return note[:end] + escaped(note[end:])


def _csv(lines: pd.DataFrame) -> str:
    return lines.to_csv(index=False, lineterminator="\n")
