"""Reading a graph from a file of any known format, and writing one.

The format is the one that the caller names, else that of the file's suffix, else the one reading that the content
admits. Where it admits two that differ, the file is refused.
"""

import os
from pathlib import Path

from ..errors import FormatError, UsageError
from ..names import check_known
from . import csr, dimacs, edge_list, edge_text
from .content import Content, compression_named, open_content
from .csr import Graph
from .decimals import checked_scale
from .number_lines import first_row, is_row, parse_counts, quoted
from .weights import with_ones, with_random_weights

FORMATS = {
    "gr": "DIMACS 'p sp' with 'a u v w', or a topology ('p tw', PACE) with 'u v'",
    "snap": "SNAP edge list, '# comments' and 'u v', 'u v w' or more columns",
    "el": "edge list 'u v'",
    "wel": "edge list 'u v w'",
    "edges": "'n m', then 'u v w' for every arc, vertices from 0",
    "mtx": "MatrixMarket",
    "npz": "graph saved by warpath",
}
WEIGHTS = ("given", "drawn", "ones")
# What a suffix says; .txt is what many formats are published as, so it says something only of a file to write.
SUFFIXES = {f".{name}": name for name in ("gr", "snap", "el", "wel", "mtx", "npz")}
_ZIP_MAGIC = b"PK\x03\x04"
_MATRIX_MARKET = b"%%MatrixMarket"


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
    """Read a graph in ``format``, a key of ``FORMATS``; None decides by the file's name and content, see the module.

    Text may be plain or compressed with gzip or xz. ``weights`` is "given", those of the file; "drawn", random ones of
    weight_min..weight_max from ``seed``; "ones"; or None, the file's own, and ones where it has none. Given weights
    are multiplied by ``scale`` and must then be whole; ``graph.scale`` keeps it.

    Raises FormatError or GraphError that names the file and the line, if any, and UsageError for faulty options.
    """
    if weights is not None:
        check_known("weights", [weights], WEIGHTS)
    if format is not None:
        check_known("format", [format], FORMATS)
    if scale is not None and weights in ("drawn", "ones"):
        raise UsageError(f"a scale is for the weights of the file; with weights {weights} there is nothing to scale")
    graph = _read(path, format or _by_suffix(path) or _by_content(path), weights in (None, "given"), scale)
    kind = graph.about.get("weights", {}).get("kind")
    if weights == "given" and kind == "unit":
        raise FormatError(f"{path}: has no weights; have them drawn, or count arcs with ones")
    if scale is not None and kind == "unit":
        raise FormatError(f"{path}: has no weights to scale")
    if weights == "drawn":
        return with_random_weights(graph, seed, weight_min, weight_max)
    return with_ones(graph) if weights == "ones" and kind != "unit" else graph


def write(graph: Graph, path: str | os.PathLike, format: str | None = None) -> tuple[str, ...]:
    """Write ``graph`` to ``path`` in ``format``, by default that of the suffix, whole or not at all.

    .txt is the format "edges"; .gz and .xz behind the suffix compress. Equal graphs give equal bytes. Returns what the
    format leaves out, a sentence each. Raises UsageError where it cannot hold the graph, or the suffix names none.
    """
    from . import text_writing

    if format is not None:
        check_known("format", [format], FORMATS)
    name = format or format_to_write(path)
    if name != "npz":
        return text_writing.write(graph, path, name)
    graph.save(path)
    return ()


def format_to_write(path: str | os.PathLike) -> str:
    """The format that the suffix of a file to write names; UsageError if it names none."""
    suffix = _suffix(path)
    name = "edges" if suffix == ".txt" else SUFFIXES.get(suffix)
    if name is None:
        raise UsageError(
            f"{path}: no format has the suffix {suffix!r}; choose {', '.join(SUFFIXES)} or .txt, and .gz or .xz "
            "behind it to compress"
        )
    if name == "npz" and compression_named(path):
        raise UsageError(f"{path}: an .npz file is not compressed again; leave out {Path(path).suffix}")
    return name


def _read(path: str | os.PathLike, format: str, take_weights: bool, scale: int | None) -> Graph:
    factor = checked_scale(scale)
    if format == "npz":
        graph = csr.load(path)
        if scale not in (None, graph.scale):
            raise UsageError(f"{path}: saved with scale {graph.scale}; its weights are whole already")
        return graph
    if format == "gr":
        return dimacs.read(path, take_weights, factor)
    if format == "edges":
        return edge_text.read(path, take_weights, factor)
    if format == "mtx":
        from . import matrix_market  # scipy.io takes long to import

        return matrix_market.read(path, take_weights, factor)
    return edge_list.read(path, None if format == "list" else format, take_weights, factor)


def _suffix(path: str | os.PathLike) -> str:
    """The suffix in front of that of a compression, in lower case."""
    name = Path(path)
    return (Path(name.stem).suffix if compression_named(name) else name.suffix).lower()


def _by_suffix(path: str | os.PathLike) -> str | None:
    return SUFFIXES.get(_suffix(path))


def _by_content(path: str | os.PathLike) -> str:
    """A key of ``FORMATS``, or "list" for an edge list that does not say of which kind; FormatError if it is neither.

    An edge list has as many columns in every line. So two numbers before a line of three are a header.
    """
    with open_content(path) as content:
        number, lines = _first_lines(content)
    if not number:
        raise FormatError(f"{path}: the file is empty")
    first, second = ([line.split() for line in lines] + [[], []])[:2]
    if not first:
        return "list"  # nothing but comments
    if lines[0].startswith(_ZIP_MAGIC):
        return "npz"
    if lines[0].startswith(_MATRIX_MARKET):
        return "mtx"
    if first[0] in (b"c", b"p", b"a"):
        return "gr"
    if parse_counts(first) and len(second) == 3:
        return "edges"
    if is_row(first):
        return "list"
    raise FormatError(
        f"{path}, line {number}: {quoted(lines[0])} does not begin a graph format that warpath reads "
        f"({', '.join(FORMATS)})"
    )


def _first_lines(content: Content) -> tuple[int, list[bytes]]:
    """The number of the first line with numbers in it, and it and the next; 0 and nothing in an empty file.

    If there are only comments, the number is that of the last.
    """
    first = first_row(content, b"#", of_any_length=True)  # it may be a comment of another format
    if not first.line:
        return first.lines_before if first.commented else 0, []
    second = first_row(content, b"#", first.number, of_any_length=True)
    return first.number, [first.line, *([second.line] if second.line else [])]
