"""What the work prints: Table 1, and the claims of its text and figures."""

import os
from dataclasses import dataclass

from ..published import read_lines

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

    def graph(cells: list[str]) -> PublishedGraph:
        return PublishedGraph(*cells[:2], *map(int, cells[2:5]), *map(float, cells[5:]))

    return {graph.name: graph for graph in read_lines(path, _TABLE1, graph)}


def read_claims(path: str | os.PathLike) -> list[Claim]:
    """The claims in the file's order."""
    return read_lines(path, _CLAIMS, lambda cells: Claim(cells[0], float(cells[1]), *cells[2:]))
