"""Parts of small graphs, and the command that makes them."""

from pathlib import Path
from typing import Any

from warpath.__main__ import main
from warpath.device import open_device
from warpath.graphs.csr import Graph
from warpath_study.parts.job import Job
from warpath_study.parts.parts import Part, range_of, write_part
from warpath_study.provenance.code import sources_of_statistics

# Vertices are called 1 to 6.
ROADS = """\
p sp 6 7
a 1 2 7
a 1 3 3
a 3 2 2
a 2 4 1
a 3 4 8
a 5 4 1
a 4 1 0
"""


def job(graph: Graph, number: int = 1, parts: int = 1, nearest: int = 0, of: int | None = None, block: int = 1) -> Job:
    """The job of one part."""
    count = of or graph.vertices
    first, last = range_of(number, parts, count, block)
    return Job(graph, open_device("simulated"), first, last, count, nearest, sources_of_statistics("simulated").code)


def part_of(graph: Graph, number: int = 1, parts: int = 1, nearest: int = 0, of: int | None = None) -> Part:
    """One part, made without a store."""
    return job(graph, number, parts, nearest, of).reduce()


def parts_of(folder: Path, graph: Graph, parts: int, nearest: int = 0, of: int | None = None) -> list[Path]:
    """The files of all parts."""
    files = [folder / f"{number}.npz" for number in range(parts)]
    for number, file in enumerate(files, 1):
        write_part(file, part_of(graph, number, parts, nearest, of))
    return files


def roads(folder: Path) -> Path:
    """A DIMACS file."""
    (folder / "roads.gr").write_text(ROADS)
    return folder / "roads.gr"


def statistics(capsys: Any, graph: Path, *arguments: Any) -> tuple[int, dict[str, str]]:
    """``warpath statistics``: its status, and what it says by name; ``errors`` are what it says of those."""
    status = main(["statistics", str(graph), "--device", "simulated", *map(str, arguments)])
    said = capsys.readouterr()
    lines = [line.split("  ", 1) for line in said.out.splitlines()]
    return status, {name.strip(): text.strip() for name, text in lines} | {"errors": said.err}
