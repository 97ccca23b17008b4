"""A target as one HTML page without external files: a sortable table or a figure, with notes and claims."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, Template
from markupsafe import Markup, escape

from .cells import Data
from .labels import printable
from .table import Line, Table, claim_text_columns, headings

_LONG, _LONG_NUMBER = 20, 14  # characters; a column with a longer cell wraps
_REM_PER_INCH = 10.3  # makes the 8-point letters of a figure as large as the letters of the page


def table_page(data: Data, table: Table, claims: Sequence[Line]) -> str:
    return _page(data, table.title, claims, table=_table(table.readable, table.text_columns), notes=table.notes)


def figure_page(data: Data, svg: str, inches: float, claims: Sequence[Line]) -> str:
    """The page of a figure; the drawing ``svg`` is ``inches`` wide."""
    drawing = Markup(svg[svg.index("<svg") :])
    title = _fill_placeholders(data, data.target.fields.title)
    return _page(data, title, claims, drawing=drawing, rem=f"{_REM_PER_INCH * inches:.3g}")


def _page(data: Data, title: str, claims: Sequence[Line], **content: Any) -> str:
    tables = [_table(claims, claim_text_columns(claims))] if claims else []
    caption = _fill_placeholders(data, data.target.fields.caption)
    page = _template().render(fields=data.work.fields, title=title, caption=caption, claims=tables, **content)
    return printable(page)


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, keep_trailing_newline=True)
    environment.filters["emphasis"] = _markdown_emphasis
    return environment.from_string(files(__package__).joinpath("page.html").read_text(encoding="utf-8"))


def _markdown_emphasis(text: str) -> Markup:
    """``text`` as HTML, with ``**strong**`` and ``*emphasis*`` converted."""
    strong = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", str(escape(text)))
    return Markup(re.sub(r"\*(.+?)\*", r"<em>\1</em>", strong))


def _table(lines: Sequence[Line], text_columns: Sequence[str]) -> dict[str, Any]:
    """The headings, the CSS classes of columns and the rows of a table, for the template."""
    cells = {name: [line[name] for line in lines] for name in headings(lines)}
    kinds, shown = [], []
    for name, column in cells.items():
        words = name in text_columns
        long = max(map(len, column), default=0) > (_LONG if words else _LONG_NUMBER)
        kinds.append(" ".join(["words"] * words + ["long"] * long) or None)
        shown.append(column if words else [_number_parts(cell) for cell in column])
    return {"names": list(cells), "kinds": kinds, "rows": list(zip(*shown, strict=True))}


def _number_parts(cell: str) -> str:
    """``cell``, which may break before a bracket and after a semicolon alone."""
    return re.sub(r"(?<!;) (?!\()", "\N{NO-BREAK SPACE}", cell)


def _fill_placeholders(data: Data, text: str) -> str:
    """A title or caption with the target's row and dataset in place of ``{row}`` and ``{dataset}``."""
    dataset = next((run.dataset for run in data.requests if run.row == data.target.row), "")
    return text.replace("{row}", data.target.row).replace("{dataset}", dataset)
