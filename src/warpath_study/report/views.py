"""Find and call the view of a target, and write the target's files.

A view takes ``Data`` and the target's options. It returns a Table, a matplotlib Figure or text, depending on the kind
of the target. Shared views are listed in ``VIEWS``; other views are functions in the ``views.py`` of a work.
"""

import importlib
import inspect
import traceback
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from warpath.errors import UsageError, WarpathError
from warpath.system.atomic import write_text
from warpath.system.names import check_known

from ..works.works import Work
from .cells import Data
from .claims import target_claims
from .labels import prose_list
from .notes import gpu_names
from .page import figure_page, table_page
from .runs import write_runs
from .table import csv_text, markdown

# Module and function of each shared view, imported when called, so that tables do not import matplotlib.
VIEWS = {
    "table": ("table", "published_table"),
    "claims": ("claims", "claims_table"),
    "bars": ("charts", "bars"),
    "lines": ("charts", "lines"),
    "speedup": ("charts", "speedup"),
    "over_vertices": ("charts", "over_vertices"),
}


def write_target(data: Data, results: Path, figures: Path) -> list[Path]:
    """Make the target, write all its files and return their paths; an error in the view leaves no file."""
    kind = data.target.fields.kind
    files = data.target.files(data.work, results, figures)
    claims = target_claims(data) if kind in ("figure", "table") else []
    if kind == "runs":
        write_runs(files[".csv"], data.measured)
    elif kind == "figure":
        from . import style  # imports matplotlib

        with style.style_context():
            figure = make(data)
        for file in list(files.values())[:-1]:
            style.save(figure, file)
        svg = files[".svg"].read_text(encoding="utf-8")
        write_text(files[".html"], figure_page(data, svg, figure.get_figwidth(), claims))
    elif kind == "text":
        write_text(files[".txt"], make(data))
    else:
        table = make(data)
        texts = {".csv": csv_text(table.lines), ".md": markdown(table), ".html": table_page(data, table, claims)}
        texts["_comparison.csv"] = csv_text(table.comparison)
        for suffix, file in files.items():
            write_text(file, texts[suffix])
    return list(files.values())


def make(data: Data) -> Any:
    """Call the target's view.

    Raises UsageError for an unknown view or option, and for runs on several devices if the target requires one.
    """
    fields, position = data.target.fields, f"{data.work.path / 'work.yaml'}: targets.{data.target.name}"
    view = find_view(data.work, fields.view or fields.kind, position)
    options = [name for name, one in inspect.signature(view).parameters.items() if one.kind is one.KEYWORD_ONLY]
    check_known(f"{position}.options", fields.options, options)
    if data.target.row and not data.measured:
        raise UsageError(f"{data.target.name}: the row {data.target.row} has no record; measure it first")
    if fields.one_device:
        _check_one_device(data)
    try:
        return view(data, **fields.options)
    except (WarpathError, MemoryError):
        raise
    except Exception as error:
        file = Path(view.__code__.co_filename)
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if Path(frame.filename) == file]
        if not lines:
            raise
        raise UsageError(f"{file}, line {lines[-1]}: {type(error).__name__}: {error}") from error


def _check_one_device(data: Data) -> None:
    names = gpu_names(data.measured)
    if len(names) < 2:
        return
    records = {name: [cell.record for cell in data.measured if cell.device == name] for name in names}
    fewest = min(names, key=lambda name: len(records[name]))
    first, *more = records[fewest]
    raise UsageError(
        f"{data.target.name}: the target compares times of one device, but its records are of {prose_list(names)}; "
        f"measure {first}{f' and {len(more)} more' if more else ''} of {fewest} again on the other device"
    )


def find_view(work: Work, name: str, position: str) -> Callable[..., Any]:
    """The function ``name`` in the work's views.py or figures.py, else the shared view of that name."""
    own = _functions_of(work.views)
    if name not in own and name not in VIEWS:
        own |= _functions_of(work.figures)
    check_known(f"{position}.view", [name], {**VIEWS, **own})
    if name in own:
        return own[name]
    module, function = VIEWS[name]
    return getattr(importlib.import_module(f".{module}", __package__), function)


def _functions_of(module: ModuleType | None) -> dict[str, Callable[..., Any]]:
    """The public functions that a module defines."""
    return {
        key: value
        for key, value in inspect.getmembers(module, inspect.isfunction)
        if value.__module__ == getattr(module, "__name__", "") and not key.startswith("_")
    }
