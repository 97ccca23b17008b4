"""Reading and writing graph files of any known format.

The caller names the format, or else the file's suffix or its content decides. A file whose content fits two formats is
refused.
"""

import os
import stat
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import FormatError, UsageError
from ...system.names import check_known
from .. import csr
from ..content import compression_named, open_content
from ..csr import Graph, undirected
from ..named_arcs import SOURCE, TARGET, WEIGHT, check_names
from ..npz_file import is_npy, saved_by_scipy
from ..objects.frames import Columns
from ..weights import as_floats, checked_scale, checked_type, with_ones, with_random_weights
from . import dimacs, edge_list, edge_text, matrix_market, tables
from .graph_file import Format, write_text
from .number_lines import first_row, quoted

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

_MODULES = (dimacs, edge_list, edge_text, matrix_market)
TEXT = {format.name: format for module in _MODULES for format in module.FORMATS}
"""The formats of text by name."""
_WRITTEN = {name: format.meaning for name, format in TEXT.items()} | {"npz": "graph of warpath, or matrix of SciPy"}
FORMATS = _WRITTEN | tables.FORMATS
WEIGHTS = ("given", "drawn")
_SUFFIXES = {format.suffix: format.name for format in TEXT.values()} | {".npz": "npz"}
# Files of many formats have this suffix, so it decides only the format of a file to write.
_ANY_TEXT = ".txt"
# In a format that is not known yet: lines of a comment in other formats may tell it.
_COMMENT = rb"#|%(?!%?MatrixMarket)"


def read(
    path: str | os.PathLike,
    format: str | None = None,
    *,
    weight: str | None = "weight",
    tail: str = "source",
    head: str = "target",
    header: bool | None = None,
    directed: bool = True,
    weights: str | None = None,
    seed: int = 1,
    weight_min: int = 1,
    weight_max: int = 100,
    scale: int | None = None,
    dtype: "DTypeLike | None" = None,
) -> Graph:
    """Read a graph from a file.

    Parameters
    ----------
    path : path
        A text file may be compressed with gzip, bzip2 or xz. A .npz file is a graph that ``write`` or a matrix that
        ``scipy.sparse.save_npz`` has written.
    format : str, optional
        A key of ``FORMATS``. By default the suffix decides, or else the content.
    weight : str, optional
        The column of the weights, if columns have names, as in CSV and Parquet. None means that each arc counts 1. So
        do the arcs of a file without weights.
    tail, head : str, optional
        The columns of the tail and the head of each arc, if columns have names.
    header : bool, optional
        Whether the first line of CSV or of an edge list is no arc: it has the names of the columns of CSV, or counts of
        vertices and arcs. Without names, the first three columns are source, target and weight. By default the content
        decides, and a line that may be an arc or not is an error.
    directed : bool, default True
        If it is false, each arc counts in both directions. So do those of a file that is undirected by its own word.
    weights : {"given", "drawn"}, optional
        Insist on weights in the file, or draw random ones instead.
    seed, weight_min, weight_max : int
        The seed and the range of random weights.
    scale : int, optional
        Multiply the file's weights by this number. Each product must be whole.
    dtype : "float64", optional
        The type of the weights. Among floats of 64 bits, sums of integers are exact up to 2**53. By default, weights
        are float64 if some have fractions, else int32; an integer that does not fit is an error.

    Returns
    -------
    Graph

    Raises
    ------
    FormatError, GraphError
        The file cannot be read. The error names the file and, in text, the line.
    UsageError
        An argument is not valid.

    Examples
    --------
    >>> import os, tempfile, warpath
    >>> path = os.path.join(tempfile.mkdtemp(), "small.gr")
    >>> warpath.write(warpath.from_arcs(2, [0], [1], [5], labels=1), path)
    ()
    >>> warpath.read(path)
    <Graph: 2 vertices, 1 arcs, weights 5 to 5, labels 1 to 2>
    """
    check_names(weight=weight, tail=tail, head=head)
    if weights is not None:
        check_known("weights", [weights], WEIGHTS)
    if format is not None:
        check_known("format", [format], FORMATS)
    if weight is None and weights is not None:
        raise UsageError(f"weights {weights!r} are none if arcs are counted; leave out one of the two")
    if scale is not None and (weights == "drawn" or weight is None):
        raise UsageError("a scale applies to the weights of a file; leave out the scale, or use these weights")
    scale = checked_scale(scale)
    floats = checked_type(dtype, scale)
    if not isinstance(path, str | os.PathLike):
        raise UsageError(f"a graph is read from the path of a file, not from {type(path).__name__}")
    if os.path.exists(path) and stat.S_ISFIFO(os.stat(path).st_mode):
        raise FormatError(f"{path}: is a pipe, which cannot be read twice; write it to a file first")
    form = _detect(path, format)
    name = form if isinstance(form, str) else form.name
    weighted = weight is not None and weights != "drawn"
    if name in tables.FORMATS:
        graph = tables.read(path, name, Columns(tail, head, weight if weighted else None), header, scale, floats)
    else:
        options: dict[str, Any] = {"scale": scale, "floats": floats}
        if isinstance(form, Format) and form.header:
            options["header"] = header
        elif header is not None:
            raise UsageError(f"{path}: the format {name} says what line 1 is; leave out the header")
        graph = form.read(path, weighted, **options) if isinstance(form, Format) else _load(path, **options)
        given = {"tail": (tail, SOURCE), "head": (head, TARGET)}
        wrong = [argument for argument, (value, default) in given.items() if value != default]
        if wrong or weight not in (None, WEIGHT, graph.weight_name):
            raise UsageError(
                f"{path}: the format {name} has no names of columns; leave out the {(*wrong, 'weight')[0]}"
            )
    kind = graph.metadata.get("weights", {}).get("kind")
    if weights == "given" and kind == "unit":
        raise FormatError(f"{path}: the file has no weights; use random weights (drawn), or count arcs")
    if scale is not None and kind == "unit":
        raise FormatError(f"{path}: the file has no weights to scale")
    if not directed:
        graph = undirected(graph)
    if weights == "drawn":
        graph = with_random_weights(graph, seed, weight_min, weight_max)
    elif weight is None:
        graph = with_ones(graph)
    return as_floats(graph) if floats else graph


def _load(path: str | os.PathLike, scale: int | None, floats: bool) -> Graph:
    """The graph, or the matrix of SciPy, in a .npz file."""
    if saved_by_scipy(path):
        from .matrix_npz import load  # imports SciPy

        return load(path, scale, floats)
    graph = csr.load(path)
    if scale not in (None, graph.scale):
        raise UsageError(f"{path}: the graph was saved with scale {graph.scale}; leave out the scale")
    return graph


def write(graph: Graph, path: str | os.PathLike, format: str | None = None) -> tuple[str, ...]:
    """Write a graph to a file, completely or not at all. Equal graphs give equal bytes.

    Parameters
    ----------
    graph : Graph
    path : path
        A further suffix .gz, .bz2 or .xz compresses the file.
    format : str, optional
        "npz", or the name of a text format. By default the suffix decides; .txt is the format "edges".

    Returns
    -------
    tuple of str
        What the format cannot hold, one sentence for each loss.

    Raises
    ------
    UsageError
        The format cannot hold the graph, or the suffix names no format.
    """
    if not isinstance(graph, Graph):
        raise UsageError(f"a Graph is written, not {type(graph).__name__}; make one with warpath.as_graph")
    if format is not None:
        check_known("format", [format], _WRITTEN)
    name = format or format_to_write(path)
    if name != "npz":
        return write_text(graph, path, TEXT[name])
    graph.save(path)
    return ()


def format_to_write(path: str | os.PathLike) -> str:
    """The format for the suffix of an output file. Raises UsageError if there is none."""
    suffix = _suffix(path)
    name = _SUFFIXES.get(suffix)
    if name is None:
        known = ", ".join(known for known in _SUFFIXES if known != _ANY_TEXT)
        raise UsageError(
            f"{path}: unknown suffix {suffix!r}; choose {known} or {_ANY_TEXT}, "
            "followed by .gz, .bz2 or .xz to compress it"
        )
    if name == "npz" and compression_named(path):
        raise UsageError(f"{path}: an .npz file cannot be compressed; leave out {Path(path).suffix}")
    return name


def _suffix(path: str | os.PathLike) -> str:
    """The suffix without that of a compression, in lower case."""
    name = Path(path)
    return (Path(name.stem).suffix if compression_named(name) else name.suffix).lower()


def _detect(path: str | os.PathLike, format: str | None) -> Format | str:
    """The format of ``path``: ``format``, or that of its suffix or its content; for what is no text, its name."""
    suffix = _suffix(path)
    name = format or tables.SUFFIXES.get(suffix) or (_SUFFIXES.get(suffix) if suffix != _ANY_TEXT else None)
    if name is not None:
        return TEXT.get(name, name)
    if zipfile.is_zipfile(path):
        return "npz"
    if tables.is_parquet(path):
        return "parquet"
    if is_npy(path):
        raise FormatError(
            f"{path}: an array of NumPy; give the matrix of a graph to warpath.from_matrix, by numpy.load"
        )
    with open_content(path) as content:
        first = first_row(content, _COMMENT)
        if not first.line:
            if not first.commented:
                raise FormatError(f"{path}: the file is empty")
            return edge_list.UNNAMED
        second = first_row(content, _COMMENT, first.number)
    rows = first.line.split(), second.line.split()
    for candidate in (*TEXT.values(), edge_list.UNNAMED):
        if candidate.begins(*rows, first.line):
            return candidate
    if tables.may_be_csv(first.line):
        return "csv"
    names = "; arcs between names need --format csv (in Python format='csv')" if len(rows[0]) in (2, 3) else ""
    raise FormatError(
        f"{path}, line {first.number}: {quoted(first.line)} does not begin a known format ({', '.join(FORMATS)}){names}"
    )
