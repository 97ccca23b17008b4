"""What the work prints: Table 1, and the claims of its text and figures."""

import csv
import os
from dataclasses import dataclass

from ...errors import FormatError

_TABLE1 = ["graph", "name", "nodes", "arcs", "max_out_degree", "std_out_degree", "median_out_degree"]
_CLAIMS = ["claim", "value", "unit", "where"]


@dataclass(frozen=True)
class PublishedGraph:
    """A line of Table 1; ``name`` is what the paper calls the graph from there on."""

    graph: str
    name: str
    vertices: int
    arcs: int
    maximum: int
    deviation: float
    median: float


@dataclass(frozen=True)
class Claim:
    """One number that the paper states, and where."""

    claim: str
    value: float
    unit: str
    where: str


def read_table1(path: str | os.PathLike) -> dict[str, PublishedGraph]:
    """The graphs by name, in the paper's order."""
    kinds = (str, str, int, int, int, float, float)
    return {graph.name: graph for graph in _read(path, _TABLE1, PublishedGraph, kinds)}


def read_claims(path: str | os.PathLike) -> list[Claim]:
    """The claims in the file's order."""
    return _read(path, _CLAIMS, Claim, (str, float, str, str))


def _read(path: str | os.PathLike, columns: list[str], kind: type, kinds: tuple[type, ...]) -> list:
    """A file's lines; raises FormatError with file and line where they are not as expected."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            header, *lines = list(csv.reader(file)) or [[]]
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; the published values are in data/published") from None
    if header != columns:
        raise FormatError(f"{path}, line 1: expected the columns {','.join(columns)}")
    found = []
    for number, cells in enumerate(lines, start=2):
        try:
            found.append(kind(*(read(cell) for read, cell in zip(kinds, cells, strict=True))))
        except ValueError as error:
            raise FormatError(f"{path}, line {number}: {error}") from None
    return found
