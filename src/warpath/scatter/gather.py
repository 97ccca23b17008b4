"""Puts parts together: all of one graph, one code and one extent, each source in one of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..errors import FormatError, UsageError
from ..graphs.csr import Graph
from ..reductions.reductions import merged
from .part_file import Part, facts_of, read_part


def gathered(files: Sequence[Path]) -> tuple[Part, list[Part]]:
    """The part of all sources, and its parts in order, from their files in any order, one at least.

    Raises FormatError for a file that is no part; UsageError, naming the file, where parts do not belong together, and
    naming the sources that are missing or there twice.
    """
    parts = sorted(((read_part(file), file) for file in files), key=lambda item: _place(item[0]))
    first, first_file = parts[0]
    for part, file in parts[1:]:
        for what, here, there in (
            ("another graph", part.facts.graph.sha256, first.facts.graph.sha256),
            ("another graph", part.facts.scale, first.facts.scale),
            ("another number of sources in all", part.facts.of, first.facts.of),
            ("another number of nearest vertices", part.facts.nearest, first.facts.nearest),
            ("other code", part.facts.code.identity, first.facts.code.identity),
        ):
            if here != there:
                raise UsageError(f"{file}: is of {what} than {first_file}; make all parts anew, or leave one out")
    end = 0
    for part, file in parts:
        if part.facts.first > end:
            raise UsageError(f"there is no part with sources {end:,} to {part.facts.first - 1:,}; name all parts")
        if part.facts.first < end:
            raise UsageError(
                f"{file}: begins at source {part.facts.first:,}, which another part has already; leave one out"
            )
        end = part.facts.last
    if end < first.facts.of:
        raise UsageError(f"there is no part with sources {end:,} to {first.facts.of - 1:,}; name all parts")
    found = merged([part.reductions for part, _ in parts])
    facts = facts_of(
        found,
        0,
        end,
        of=end,
        graph=first.facts.graph,
        device=_devices([part for part, _ in parts]),
        environment=first.facts.environment,
        code=first.facts.code,
        started=min(part.facts.started for part, _ in parts),
        finished=max(part.facts.finished for part, _ in parts),
    )
    return Part(facts, found), [part for part, _ in parts]


def _place(part: Part) -> tuple[int, int]:
    return part.facts.first, part.facts.last


def _devices(parts: Sequence[Part]) -> dict[str, Any]:
    """The facts of the first device, under the names of all."""
    names = dict.fromkeys(part.facts.device["name"] for part in parts)
    return {**parts[0].facts.device, "name": ", ".join(names)}


def check_graph(part: Part, part_file: Path, graph: Graph, graph_file: Path) -> None:
    """Raise FormatError, naming both files, if ``part`` is not of ``graph``."""
    if (part.facts.graph.sha256, part.facts.scale) != (graph.sha256, graph.scale):
        raise FormatError(f"{part_file}: is of another graph than {graph_file}; name the one it was made of")
