"""Writes all files of a target: what its view returns, in every format."""

from pathlib import Path

from warpath.atomic import write_text

from .cells import Data
from .claims import claims_about
from .page import figure_page, table_page
from .runs import write_runs
from .table import csv_text, markdown
from .views import make


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
