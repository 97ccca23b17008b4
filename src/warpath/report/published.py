"""The published tables: CSV files under ``data/published/<paper>/`` that define the rows and columns to regenerate.

The first three columns are ``dataset,nodes,edges``, every other is a variant; ``edges`` is empty where the paper does
not say. A cell is a time in seconds, a bound such as ``>3600``, or empty where the paper has no value.
"""

import csv
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from ..errors import FormatError

Line = TypeVar("Line")

_KEY_COLUMNS = ["dataset", "nodes", "edges"]
_CELL = re.compile(r"|[<>]?\d+(\.\d+)?")


@dataclass(frozen=True)
class PublishedRow:
    """One graph of the paper; ``cells`` maps a variant to the text of its cell, "" where the paper has none.

    ``edges`` is None where the paper does not say.
    """

    nodes: int
    edges: int | None
    cells: dict[str, str]

    def has_size(self, nodes: int, edges: int) -> bool:
        """Whether a graph of these counts is one that the paper could have measured."""
        return self.nodes == nodes and self.edges in (edges, None)


@dataclass(frozen=True)
class PublishedTable:
    """``variants`` are the columns and ``rows`` the graphs by name, both in the paper's order."""

    variants: list[str]
    rows: dict[str, PublishedRow]

    def cell(self, row: str, variant: str) -> str:
        """The text of a cell; "" for a row or a column that the paper does not have."""
        return self.rows[row].cells.get(variant, "") if row in self.rows else ""


def seconds_of(cell: str) -> float | None:
    """The number in a cell; None for an empty cell or a bound, which cannot be compared with."""
    return float(cell) if cell[:1].isdigit() else None


def read_published(path: str | os.PathLike) -> PublishedTable:
    """Read a published table. Raises FormatError with file and line where it is not one."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            header, *lines = list(csv.reader(file)) or [[]]
    except FileNotFoundError:
        raise FormatError(
            f"{path}: no such file; give a published table such as data/published/bodra/table1.csv"
        ) from None
    variants = header[3:]
    if header[:3] != _KEY_COLUMNS or not variants or len(set(variants)) < len(variants):
        raise FormatError(f"{path}, line 1: expected the columns dataset,nodes,edges and then each variant once")
    rows: dict[str, PublishedRow] = {}
    for number, line in enumerate(lines, start=2):
        if len(line) != len(header):
            raise FormatError(f"{path}, line {number}: {len(line)} cells where the header has {len(header)}")
        name, nodes, edges, *cells = line
        if not name or name in rows:
            raise FormatError(f"{path}, line {number}: the dataset {name!r} is empty or stands there twice")
        if not (nodes.isdigit() and (edges.isdigit() or not edges)):
            raise FormatError(
                f"{path}, line {number}: nodes and edges must be whole numbers, not {nodes!r} and {edges!r}"
            )
        for cell in cells:
            if not _CELL.fullmatch(cell):
                raise FormatError(
                    f"{path}, line {number}: {cell!r} is neither seconds, nor a bound like >3600, nor empty"
                )
        rows[name] = PublishedRow(int(nodes), int(edges) if edges else None, dict(zip(variants, cells, strict=True)))
    return PublishedTable(variants, rows)


def read_lines(path: str | os.PathLike, columns: list[str], read: Callable[[list[str]], Line]) -> list[Line]:
    """The lines of a published CSV file of other columns, each as ``read`` makes it of its cells.

    Raises FormatError with file and line where they are not as expected; ``read`` may raise ValueError.
    """
    try:
        with open(path, encoding="utf-8", newline="") as file:
            header, *lines = list(csv.reader(file)) or [[]]
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file; the published values are in data/published") from None
    if header != columns:
        raise FormatError(f"{path}, line 1: expected the columns {','.join(columns)}")
    found = []
    for number, cells in enumerate(lines, start=2):
        if len(cells) != len(columns):
            raise FormatError(f"{path}, line {number}: {len(cells)} cells where the header has {len(columns)}")
        try:
            found.append(read(cells))
        except ValueError as error:
            raise FormatError(f"{path}, line {number}: {error}") from None
    return found
