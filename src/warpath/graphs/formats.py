"""Reading a graph from a file of any known format, and writing one.

The format is the one that the caller names, else that of the file's suffix, else the one reading that the content
admits. Where it admits two that differ, the file is refused.
"""

import os
import zipfile
from pathlib import Path

from ..errors import FormatError, UsageError
from ..names import check_known
from . import csr, dimacs, edge_list, edge_text, matrix_market
from .content import compression_named, open_content
from .csr import Graph
from .graph_file import Format, write_text
from .number_lines import first_row, quoted
from .weights import checked_scale, with_ones, with_random_weights

_MODULES = (dimacs, edge_list, edge_text, matrix_market)
TEXT = {format.name: format for module in _MODULES for format in module.FORMATS}
"""The formats of text by name."""
FORMATS = {name: format.meaning for name, format in TEXT.items()} | {"npz": "graph saved by warpath"}
WEIGHTS = ("given", "drawn", "ones")
_SUFFIXES = {format.suffix: format.name for format in TEXT.values()} | {".npz": "npz"}
# What many formats are published as, so it says something only of a file to write.
_ANY_TEXT = ".txt"


def read(
    path: str | os.PathLike,
    format: str | None = None,
    *,
    weights: str | None = None,
    seed: int = 1,
    weight_min: int = 1,
    weight_max: int = 100,
    scale: int | None = None,
) -> Graph:
    """Read a graph from a file.

    Parameters
    ----------
    path : path
        Text may be compressed with gzip or xz.
    format : str, optional
        A key of ``FORMATS``. By default the suffix decides, or else the content.
    weights : {"given", "drawn", "ones"}, optional
        Use the weights of the file; draw random ones; or count arcs. By default, the weights of the file, or ones if it
        has none.
    seed, weight_min, weight_max : int
        Random weights are drawn from ``weight_min`` to ``weight_max`` with this seed.
    scale : int, optional
        Multiply the weights of the file by this number. Each product must be whole.

    Returns
    -------
    Graph

    Raises
    ------
    FormatError, GraphError
        The file cannot be read. The error names the file and the line.
    UsageError
        An argument is wrong.
    """
    if weights is not None:
        check_known("weights", [weights], WEIGHTS)
    if format is not None:
        check_known("format", [format], FORMATS)
    if scale is not None and weights in ("drawn", "ones"):
        raise UsageError(f"a scale is for the weights of the file; with weights {weights} there is nothing to scale")
    factor = checked_scale(scale)
    found = _found(path, format)
    if found is None:
        graph = csr.load(path)
        if scale not in (None, graph.scale):
            raise UsageError(f"{path}: saved with scale {graph.scale}; its weights are whole already")
    else:
        graph = found.read(path, weights in (None, "given"), factor)
    kind = graph.about.get("weights", {}).get("kind")
    if weights == "given" and kind == "unit":
        raise FormatError(f"{path}: has no weights; have them drawn, or count arcs with ones")
    if scale is not None and kind == "unit":
        raise FormatError(f"{path}: has no weights to scale")
    if weights == "drawn":
        return with_random_weights(graph, seed, weight_min, weight_max)
    return with_ones(graph) if weights == "ones" and kind != "unit" else graph


def write(graph: Graph, path: str | os.PathLike, format: str | None = None) -> tuple[str, ...]:
    """Write a graph to a file, whole or not at all. Equal graphs give equal bytes.

    Parameters
    ----------
    graph : Graph
    path : path
        A further suffix .gz or .xz compresses the file.
    format : str, optional
        A key of ``FORMATS``. By default the suffix decides; .txt is the format "edges".

    Returns
    -------
    tuple of str
        What the format cannot hold, one sentence each.

    Raises
    ------
    UsageError
        The format cannot hold the graph, or the suffix names no format.
    """
    if format is not None:
        check_known("format", [format], FORMATS)
    name = format or format_to_write(path)
    if name != "npz":
        return write_text(graph, path, TEXT[name])
    graph.save(path)
    return ()


def format_to_write(path: str | os.PathLike) -> str:
    """The format that the suffix of a file to write names; UsageError if it names none."""
    suffix = _suffix(path)
    name = _SUFFIXES.get(suffix)
    if name is None:
        known = ", ".join(known for known in _SUFFIXES if known != _ANY_TEXT)
        raise UsageError(
            f"{path}: no format has the suffix {suffix!r}; choose {known} or {_ANY_TEXT}, and .gz or .xz behind it to "
            "compress"
        )
    if name == "npz" and compression_named(path):
        raise UsageError(f"{path}: an .npz file is not compressed again; leave out {Path(path).suffix}")
    return name


def _suffix(path: str | os.PathLike) -> str:
    """The suffix in front of that of a compression, in lower case."""
    name = Path(path)
    return (Path(name.stem).suffix if compression_named(name) else name.suffix).lower()


def _found(path: str | os.PathLike, format: str | None) -> Format | None:
    """The format of ``path``, by its suffix or content unless named; None for a saved graph."""
    suffix = _suffix(path)
    name = format or (_SUFFIXES.get(suffix) if suffix != _ANY_TEXT else None)
    if name is not None:
        return TEXT.get(name)
    if zipfile.is_zipfile(path):
        return None
    with open_content(path) as content:
        first = first_row(content, b"#")  # it may be a comment of another format
        if not first.line:
            if not first.commented:
                raise FormatError(f"{path}: the file is empty")
            return edge_list.UNNAMED
        second = first_row(content, b"#", first.number)
    rows = first.line.split(), second.line.split()
    for found in (*TEXT.values(), edge_list.UNNAMED):
        if found.begins(*rows, first.line):
            return found
    raise FormatError(
        f"{path}, line {first.number}: {quoted(first.line)} does not begin a graph format that warpath reads "
        f"({', '.join(FORMATS)})"
    )
