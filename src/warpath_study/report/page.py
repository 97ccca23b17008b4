"""A target as one HTML page without external files: a sortable table or a figure, with notes and claims."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, Template
from markupsafe import Markup, escape

from .cells import Data
from .table import DETAILS, Line, Table, claim_text_columns, headings

_LONG, _LONG_NUMBER = 20, 14  # characters; a column with a longer cell wraps
_REM_PER_INCH = 10.3  # makes the 8-point letters of a figure as large as the letters of the page


def table_page(data: Data, table: Table, claims: Sequence[Line]) -> str:
    shown = _table(table.readable, table.text_columns, table.side_columns)
    return _page(data, table.title, claims, table=shown, notes=table.notes, details=table.details, summary=DETAILS)


def figure_page(data: Data, svg: str, inches: float, claims: Sequence[Line]) -> str:
    """The page of a figure; the drawing ``svg`` is ``inches`` wide."""
    drawing = Markup(svg[svg.index("<svg") :])
    title = _fill_placeholders(data, data.target.fields.title)
    return _page(data, title, claims, drawing=drawing, rem=f"{_REM_PER_INCH * inches:.3g}")


def _page(data: Data, title: str, claims: Sequence[Line], **content: Any) -> str:
    tables = [_table(claims, claim_text_columns(claims))] if claims else []
    caption = _fill_placeholders(data, data.target.fields.caption)
    return template("page.html").render(fields=data.work.fields, title=title, caption=caption, claims=tables, **content)


@cache
def template(name: str) -> Template:
    """The template in the file ``name``."""
    loader = FunctionLoader(lambda file: files(__package__).joinpath(file).read_text(encoding="utf-8"))
    environment = Environment(autoescape=True, keep_trailing_newline=True, loader=loader)
    environment.filters["emphasis"] = _markdown_emphasis
    return environment.get_template(name)


def _markdown_emphasis(text: str) -> Markup:
    """``text`` as HTML, with ``**strong**`` and ``*emphasis*`` converted, and numbers beside their units."""
    whole = re.sub(r"(?<=\d) (?=(?:%|µs|ms|s|h)(?!\w))", "\N{NO-BREAK SPACE}", text)
    strong = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", str(escape(whole)))
    return Markup(re.sub(r"\*(.+?)\*", r"<em>\1</em>", strong))


def _table(lines: Sequence[Line], text_columns: Sequence[str], side_columns: Mapping[str, str] = {}) -> dict[str, Any]:
    """The headings, the CSS classes of columns and the rows of a table, for the template.

    ``beside`` has the cells of ``side_columns`` in each row as one text.
    """
    cells = {name: [line[name] for line in lines] for name in headings(lines)}
    kinds, shown = [], []
    for name, column in cells.items():
        words = name in text_columns
        long = max(map(len, column), default=0) > (_LONG if words else _LONG_NUMBER)
        kinds.append(" ".join(["words"] * words + ["long"] * long + ["side"] * (name in side_columns)) or None)
        shown.append(column if words else [_number_parts(cell) for cell in column])
    beside = [
        "\n".join(f"{line[name]} {word}".rstrip() for name, word in side_columns.items()) or None for line in lines
    ]
    return {"names": list(cells), "kinds": kinds, "rows": list(zip(*shown, strict=True)), "beside": beside}


def _number_parts(cell: str) -> Markup:
    """``cell``, which may break before a bracket and after a semicolon alone, with small letters in brackets."""
    text = re.sub(r"(?<!;) (?!\()", "\N{NO-BREAK SPACE}", cell)
    return Markup(re.sub(r"\(.*\)", r"<small>\g<0></small>", str(escape(text))))


def _fill_placeholders(data: Data, text: str) -> str:
    """A title or caption with the target's row and dataset in place of ``{row}`` and ``{dataset}``."""
    dataset = next((run.dataset for run in data.requests if run.row == data.target.row), "")
    return text.replace("{row}", data.target.row).replace("{dataset}", dataset)
