"""Reading a graph from a file of any known format."""

import os
from pathlib import Path

from ..errors import FormatError, UsageError
from . import csr, dimacs, edge_text, snap
from .content import compression_named, open_content
from .csr import Graph
from .integer_lines import LINE_BYTES_MAX, parse_counts, quoted

FORMATS = {
    "gr": "DIMACS shortest-path graph",
    "snap": "SNAP edge list",
    "edges": "text: 'n m', then 'u v w' for every arc, vertices from 0",
    "npz": "graph saved by warpath",
}
_SUFFIXES = {".gr": "gr", ".npz": "npz"}
_ZIP_MAGIC = b"PK\x03\x04"


def read(path: str | os.PathLike, format: str | None = None, weighted: bool | None = None) -> Graph:
    """Read a graph in ``format``, a key of ``FORMATS``; None detects it from the file's name and content.

    Text may be plain or compressed with gzip or xz. ``weighted`` is for edge lists, see ``snap.read``; in an edge list
    without weights every arc has weight 1. Raises FormatError or GraphError that names the file and the line, if any.
    """
    format = format or detect(path)
    if format == "gr":
        return dimacs.read(path)
    if format == "snap":
        return snap.read(path, weighted)
    if format == "edges":
        return edge_text.read(path)
    if format == "npz":
        return csr.load(path)
    raise UsageError(f"unknown graph format {format!r}; there are {', '.join(FORMATS)}")


def detect(path: str | os.PathLike) -> str:
    """The format of a file; raises FormatError if it is none of ``FORMATS``."""
    name = Path(path)
    suffix = Path(name.stem).suffix if compression_named(name) else name.suffix
    if suffix.lower() in _SUFFIXES:
        return _SUFFIXES[suffix.lower()]
    with open_content(path) as file:
        lines = _first_lines(file)
    if not lines:
        raise FormatError(f"{path}: the file is empty")
    first = lines[0].split()
    if lines[0].startswith(_ZIP_MAGIC):
        return "npz"
    if first[0] in (b"c", b"p", b"a"):
        return "gr"
    if first[0].startswith(b"#"):
        return "snap"
    numbers = _integers(first)
    below = _integers(lines[1].split()) if len(lines) > 1 else None
    # Two numbers before a line of three are counts before an arc; two numbers alone are counts if they say 0 arcs.
    if parse_counts(first) and (below == 3 if below else numbers == 2 and first[1] == b"0"):
        return "edges"
    if numbers in (2, 3):
        return "snap"
    raise FormatError(
        f"{path}, line 1: {quoted(lines[0])} does not begin a graph format that warpath reads ({', '.join(FORMATS)})"
    )


def _first_lines(file) -> list[bytes]:
    """The first two non-empty lines, or fewer."""
    lines = []
    while len(lines) < 2 and (line := file.readline(LINE_BYTES_MAX)):
        if line.strip():
            lines.append(line)
    return lines


def _integers(words: list[bytes]) -> int:
    """The number of words if all of them are integers, else 0."""
    return len(words) if all(word.removeprefix(b"-").isdigit() for word in words) else 0
