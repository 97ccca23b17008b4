"""A target as one self-contained HTML page: a sortable table, or a figure, with its notes and claims."""

import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, Template
from markupsafe import Markup, escape

from .cells import Data
from .labels import printable
from .table import Line, Table, headings

_NUMBER = re.compile(r"[~≈<>]?[-+]?\d[\d,.]*")
_SHORT = 20  # characters, unit included; a longer cell is text, which may wrap
_NOTHING = ("", "–", "nan")
_REM_OF_AN_INCH = 10.3  # makes the 8-point letters of a figure as large as those of the page


def table_page(data: Data, table: Table, claims: Sequence[Line]) -> str:
    """The page of a table."""
    return _page(data, table.title, claims, table=_table(table.shown, table.left), notes=table.about)


def figure_page(data: Data, svg: str, inches: float, claims: Sequence[Line]) -> str:
    """The page of a figure, with its drawing ``svg``, which is ``inches`` wide."""
    drawing = Markup(svg[svg.index("<svg") :])
    title = _filled(data, data.target.fields.title)
    return _page(data, title, claims, drawing=drawing, rem=f"{_REM_OF_AN_INCH * inches:.3g}")


def _page(data: Data, title: str, claims: Sequence[Line], **content: Any) -> str:
    about = [_table(claims, _words(claims))] if claims else []
    caption = _filled(data, data.target.fields.caption)
    page = _template().render(fields=data.work.fields, title=title, caption=caption, claims=about, **content)
    return printable(page)


@cache
def _template() -> Template:
    environment = Environment(autoescape=True, keep_trailing_newline=True)
    environment.filters["emphasis"] = _emphasis
    return environment.from_string(files(__package__).joinpath("page.html").read_text(encoding="utf-8"))


def _emphasis(text: str) -> Markup:
    """Escaped, with the emphasis of Markdown turned into that of HTML."""
    strong = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", str(escape(text)))
    return Markup(re.sub(r"\*(.+?)\*", r"<em>\1</em>", strong))


def _table(lines: Sequence[Line], left: Sequence[str]) -> dict[str, Any]:
    """What the template shows of a table; the columns of words are ``left``, and wrap if some cell is long."""
    cells = {name: [line[name] for line in lines] for name in headings(lines)}
    kinds = [
        None if name not in left else "words long" if any(len(cell) > _SHORT for cell in column) else "words"
        for name, column in cells.items()
    ]
    return {"names": list(cells), "kinds": kinds, "rows": list(zip(*cells.values(), strict=True))}


def _words(lines: Sequence[Line]) -> list[str]:
    """The columns with a cell that is neither empty nor a plain number."""

    def is_number(cell: str) -> bool:
        return cell in _NOTHING or (bool(_NUMBER.match(cell)) and len(cell) <= _SHORT)

    return [name for name in headings(lines) if not all(is_number(line[name]) for line in lines)]


def _filled(data: Data, text: str) -> str:
    """A title or caption with ``{row}`` and ``{dataset}`` replaced by those of the target."""
    dataset = next((run.dataset for run in data.asked if run.row == data.target.row), "")
    return text.replace("{row}", data.target.row).replace("{dataset}", dataset)
