"""The views that all works share, by their names in ``work.yaml``; a work's own views are in its ``views.py``.

A view takes ``Data`` and the target's options. It returns a Table, a matplotlib Figure or text, depending on the
target's kind.
"""

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from warpath.atomic import write_text
from warpath.errors import UsageError
from warpath.names import check_known

from ..works.works import Work
from .cells import Data
from .claims import claims_about
from .labels import listed
from .notes import gpu_names
from .page import figure_page, table_page
from .runs import write_runs
from .table import csv_text, markdown

# Module and function of each shared view. They are imported when they are called: a table does not wait for matplotlib.
VIEWS = {
    "table": ("table", "published_table"),
    "claims": ("claims", "claims_table"),
    "bars": ("charts", "bars"),
    "lines": ("charts", "lines"),
    "speedup": ("charts", "speedup"),
    "over_vertices": ("charts", "over_vertices"),
}


def write_target(data: Data, results: Path, figures: Path) -> list[Path]:
    """Make the target, write all its files and return their paths. If making it fails, nothing is written."""
    kind = data.target.fields.kind
    base = (figures if kind == "figure" else results) / data.work.folder / data.target.stem
    files = {suffix: base.with_name(base.name + suffix) for suffix in data.target.suffixes}
    about = claims_about(data) if kind in ("figure", "table") else []
    if kind == "runs":
        write_runs(files[".csv"], data.shown)
    elif kind == "figure":
        from . import style  # matplotlib takes as long to import as a table to make

        with style.applied():
            figure = make(data)
        for file in list(files.values())[:-1]:
            style.save(figure, file)
        svg = files[".svg"].read_text(encoding="utf-8")
        write_text(files[".html"], figure_page(data, svg, figure.get_figwidth(), about))
    elif kind == "text":
        write_text(files[".txt"], make(data))
    else:
        made = make(data)
        texts = {".csv": csv_text(made.lines), ".md": markdown(made), ".html": table_page(data, made, about)}
        if kind == "table":
            texts["_comparison.csv"] = csv_text(made.comparison)
        for suffix, file in files.items():
            write_text(file, texts[suffix])
    return list(files.values())


def make(data: Data) -> Any:
    """Call the target's view.

    Raises UsageError, naming the place, for an unknown view or option, and for runs on several devices where the target
    asks for one.
    """
    fields, place = data.target.fields, f"{data.work.path / 'work.yaml'}: targets.{data.target.name}"
    view = find_view(data.work, fields.view or fields.kind, place)
    known = [name for name, given in inspect.signature(view).parameters.items() if given.kind is given.KEYWORD_ONLY]
    check_known(f"{place}.options", fields.options, known)
    if data.target.row and not data.shown:
        raise UsageError(f"{data.target.name}: there is no record of the row {data.target.row}; measure it first")
    if fields.one_device:
        _check_one_device(data)
    return view(data, **fields.options)


def _check_one_device(data: Data) -> None:
    names = gpu_names(data.shown)
    if len(names) < 2:
        return
    records = {name: [cell.record for cell in data.shown if cell.device == name] for name in names}
    fewest = min(names, key=lambda name: len(records[name]))
    first, *more = records[fewest]
    raise UsageError(
        f"{data.target.name}: compares times of one device, but its records are of {listed(names)}; measure "
        f"{first}{f' and {len(more)} more' if more else ''} of {fewest} again on the other"
    )


def find_view(work: Work, name: str, place: str) -> Callable[..., Any]:
    """The function ``name`` in the work's views.py, or else the shared view of that name."""
    own = _functions(work.views) if work.views else {}
    check_known(f"{place}.view", [name], {**VIEWS, **own})
    if name in own:
        return own[name]
    module, function = VIEWS[name]
    return getattr(importlib.import_module(f".{module}", __package__), function)


def _functions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    return {
        name: value
        for name, value in inspect.getmembers(module, inspect.isfunction)
        if value.__module__ == module.__name__ and not name.startswith("_")
    }
