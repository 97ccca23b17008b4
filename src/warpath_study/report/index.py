"""The index of a suite: a page with links to all tables, claims and figures that have been made."""

import os
from collections.abc import Collection
from pathlib import Path
from typing import Any
from urllib.parse import quote

from warpath.system.atomic import write_text

from ..works.works import PAPER, Choice, Target, Work
from .page import template

INDEX = "index.html"
_NAMES = {"_comparison.csv": "every cell"}  # of files by suffix; others have the suffix as their name


def write_index(works: Collection[Work], suite: str, results: Path, figures: Path) -> None:
    """Write the index into ``results``.

    Several processes may do so at the same time. The last one to write has seen what the others had made, because each
    writes again until nothing is new.
    """
    file, written = results / INDEX, ""
    while (page := _index_page(works, suite, results, figures)) != written:
        write_text(file, page)
        written = page


def _index_page(works: Collection[Work], suite: str, results: Path, figures: Path) -> str:
    made_by = []
    for work in sorted(works, key=lambda work: work.folder != ""):  # the main work first
        targets = sorted(work.targets(Choice(suite)), key=lambda target: target.fields.kind == "runs")
        every = [_made(work, target, results, figures) for target in targets]
        made = [one for one in every if one["page"]]
        texts, drawn = ([one for one in made if bool(one["picture"]) == pictured] for pictured in (False, True))
        if texts or drawn:
            made_by.append({"fields": work.fields, "texts": texts, "figures": drawn})
    title = "Results" if suite == PAPER else f"Results of the suite {suite}"
    return template(INDEX).render(title=title, works=made_by)


def _made(work: Work, target: Target, results: Path, figures: Path) -> dict[str, Any]:
    """The links to those files of a target that are there."""
    links = {
        suffix: quote(os.path.relpath(file, results))
        for suffix, file in target.files(work, results, figures).items()
        if file.is_file()
    }
    return {
        "heading": target.heading,
        "page": links.get(".html") or next(iter(links.values()), ""),
        "picture": links.get(".png", ""),
        "files": {
            _NAMES.get(suffix, suffix.removeprefix(".")): link for suffix, link in links.items() if suffix != ".html"
        },
    }
