"""A target as one self-contained HTML page: a sortable table, or a figure, with its notes and claims."""

import html
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from .cells import Data
from .labels import printable
from .table import Line, Table, headings

_NUMBER = re.compile(r"[~≈<>]?[-+]?\d[\d,.]*")
_SHORT = 20  # characters, unit included; a longer cell is text, which may wrap
_NOTHING = ("", "–", "nan")
_ONE_COLUMN_REM = 36  # width of a one-column figure; makes its 8-point letters as large as those of the page


def table_page(data: Data, table: Table, claims: Sequence[Line]) -> str:
    """The page of a table."""
    return _page(data, table.title, _table(table.shown, table.left), table.about, claims)


def figure_page(data: Data, svg: str, claims: Sequence[Line]) -> str:
    """The page of a figure, with its drawing ``svg``."""
    title = _filled(data, data.target.fields.title)
    return _page(data, title, _figure(svg, title), [], claims)


def _page(data: Data, title: str, content: str, notes: Sequence[str], claims: Sequence[Line]) -> str:
    fields = data.work.fields
    parts = [
        f'<p class="work">{_text(fields.title)}</p>',
        f"<h1>{_text(title)}</h1>",
        f"<p>{_text(_filled(data, data.target.fields.caption))}</p>",
        content,
    ]
    if notes:
        parts.append("<ul>" + "".join(f"<li>{_text(note)}</li>" for note in notes) + "</ul>")
    if about := _filled_columns(claims):
        parts += ["<h2>What the work claims</h2>", _table(about, _words(about))]
    hardware = f"<br>Published times are from: {_text(fields.hardware)}." if fields.hardware else ""
    parts.append(f"<footer>{_text(fields.citation)}{hardware}</footer>")
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_plain(title)}</title>\n<style>\n{_part('page.css')}</style>"
    )
    script = f"<script>\n{_part('page.js')}</script>"
    body = "\n".join(["<body><main>", *parts, "</main>", script, "</body>"])
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n{body}</html>\n'


def _figure(svg: str, title: str) -> str:
    """The drawing, scaled so that its letters match the page, and no wider than the page."""
    drawing = svg[svg.index("<svg") :]
    found = re.search(r'viewBox="0 0 ([\d.]+) ', drawing)
    from . import style  # matplotlib, which the page of a table does without

    points = float(found[1]) if found else 72 * style.WIDTH_INCHES
    rem = _ONE_COLUMN_REM * points / (72 * style.WIDTH_INCHES)
    named = drawing.replace("<svg", f'<svg role="img" aria-label="{_plain(title)}"', 1)
    return f'<figure style="max-width: {rem:.3g}rem">{named}</figure>'


def _table(lines: Sequence[Line], left: Sequence[str]) -> str:
    names = headings(lines)
    kinds = [_class([line[name] for line in lines]) if name in left else "" for name in names]
    head = "".join(
        f'<th scope="col"{kind}><button type="button">{_literal(name)}</button></th>'
        for kind, name in zip(kinds, names, strict=True)
    )
    rows = "\n".join(
        "<tr>"
        + "".join(f"<td{kind}>{_literal(cell)}</td>" for kind, cell in zip(kinds, line.values(), strict=True))
        + "</tr>"
        for line in lines
    )
    return (
        '<div class="wide" tabindex="0" role="region" aria-label="Table">'
        f"<table><thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>"
    )


def _class(column: Sequence[str]) -> str:
    """The class of a column of words: left-aligned, on one line unless some cell is long."""
    many = any(len(cell) > _SHORT for cell in column)
    return ' class="words long"' if many else ' class="words"'


def _words(lines: Sequence[Line]) -> list[str]:
    """The columns with a cell that is neither empty nor a plain number."""

    def is_number(cell: str) -> bool:
        return cell in _NOTHING or (bool(_NUMBER.match(cell)) and len(cell) <= _SHORT)

    return [name for name in headings(lines) if not all(is_number(line[name]) for line in lines)]


def _filled_columns(lines: Sequence[Line]) -> list[Line]:
    """The lines without columns that are empty."""
    names = [name for name in headings(lines) if any(line[name] not in _NOTHING for line in lines)]
    return [{name: line[name] for name in names} for line in lines]


def _filled(data: Data, text: str) -> str:
    """A title or caption with ``{row}`` and ``{dataset}`` replaced by those of the target."""
    dataset = next((run.dataset for run in data.asked if run.row == data.target.row), "")
    return text.replace("{row}", data.target.row).replace("{dataset}", dataset)


@cache
def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _plain(text: str) -> str:
    """Escaped, without the emphasis of Markdown."""
    return _literal(text.replace("*", ""))


def _literal(text: str) -> str:
    """Escaped: every letter shows as it is."""
    return html.escape(printable(text))


def _text(text: str) -> str:
    """Escaped, with the emphasis of Markdown turned into that of HTML."""
    escaped = _literal(text)
    return re.sub(r"\*(.+?)\*", r"<em>\1</em>", re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escaped))
