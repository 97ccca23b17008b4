"""Graphs as text: what is valid is read, and whatever is read means what a plain reader takes it for."""

import gzip
import lzma
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import warpath
from fuzz.case import Case, FindingError
from fuzz.mutations import compressed, damaged
from fuzz.plain_readers import READERS, NotAGraphError, Plain
from warpath.graphs.files import number_lines

_FORMATS = ("gr", "edges", "el", "wel", "snap", "mtx")


def case(case: Case) -> None:
    """One file: valid, or damaged before or after it was compressed."""
    chosen = case.random
    number_lines.PLAIN_BYTES_MAX = chosen.choice((0, 1 << 17))  # by pandas, or line by line
    format = chosen.choice(_FORMATS)
    scale = chosen.choice((None, None, 1, 10, 1000))
    content, weighted = _valid(case, format, scale)
    scale = scale if weighted else None
    kind = chosen.choice(("valid", "damaged", "damaged", "damaged", "damaged", "packed"))
    if kind == "damaged":
        content = damaged(content, chosen)
    if case.chance(0.02):
        content += _valid(case, chosen.choice(_FORMATS), scale)[0]
        kind = "damaged"
    packed, suffix = compressed(content, chosen)
    if kind == "packed":
        packed = damaged(packed, chosen)
    named = case.chance(0.5)
    suffix = (".txt" if named or format == "edges" else f".{format}") + suffix
    path = case.write(f"graph{suffix}", packed)
    asked = format if named or format == "edges" else None
    if kind != "valid" and case.chance(0.2):
        asked = chosen.choice((None, *_FORMATS))
    case.write("options.txt", f"format={asked} scale={scale} made as {format}, {kind}\n")
    header = False if (asked or format) in ("el", "wel", "snap") else None  # a first arc may look like counts
    graph = case.attempt(lambda: warpath.read(path, asked, scale=scale, header=header))
    if graph is None:
        if kind == "valid":
            raise FindingError(f"a valid {format} was refused: {case.note}")
        return
    _compare(graph, path, asked, scale)


def _compare(graph: warpath.Graph, path: Path, asked: str | None, scale: int | None) -> None:
    content = _uncompressed(path)
    if content.startswith(b"PK"):
        return
    called = graph.metadata["format"]
    reader = called if asked is None or called == asked else asked
    if reader == "csv":  # what has names, which other tests compare
        return
    try:
        expected = READERS[reader](content, scale)
    except NotAGraphError as error:
        raise FindingError(f"read as {reader}, which it is not: {error}") from None
    found = _plain(graph)
    if found.labels != expected.labels:
        raise FindingError(f"as {reader}: labels {found.labels[:9]} and not {expected.labels[:9]}")
    if found.arcs != expected.arcs:
        lost, added = expected.arcs - found.arcs, found.arcs - expected.arcs
        raise FindingError(f"as {reader}: lost {list(lost.items())[:3]}, added {list(added.items())[:3]}")


def _plain(graph: warpath.Graph) -> Plain:
    labels = np.asarray(graph.labels)
    tails = labels[np.repeat(np.arange(graph.vertices), np.diff(graph.indptr))]
    arcs = zip(tails.tolist(), labels[graph.indices].tolist(), graph.weights.tolist(), strict=True)
    return Plain(labels.tolist(), Counter(arcs))


def _uncompressed(path: Path) -> bytes:
    content = path.read_bytes()
    try:
        if content.startswith(b"\x1f\x8b"):
            return gzip.decompress(content)
        return lzma.decompress(content) if content.startswith(b"\xfd7zXZ\x00") else content
    except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise FindingError(f"a damaged compressed file was read: {error}") from None


def _valid(case: Case, format: str, scale: int | None) -> tuple[bytes, bool]:
    """A small random graph in ``format``, in any of the ways to write it, and whether it has weights."""
    chosen = case.random
    vertices, lines = chosen.randint(1, 12), chosen.randint(0, 20)
    first = {"gr": 1, "mtx": 1}.get(format, 0)
    ends = range(first, vertices + first)
    if format in ("el", "wel", "snap"):
        lines = max(1, lines)
        ends = [chosen.choice((end, end + 10**12, end * 37)) for end in ends]
    pairs = [(chosen.choice(ends), chosen.choice(ends)) for _ in range(lines)]
    if format == "mtx":
        header, rows = _matrix_market(case, vertices, pairs, scale)
        return _styled(case, header, rows, b"%"), "pattern" not in header[0]
    weighted = {"el": False, "wel": True}.get(format, case.chance(0.7))
    tag = ["a"] if format == "gr" and weighted else []
    header: list[str] = []
    if format == "gr":
        kind = "sp" if weighted or case.chance(0.5) else chosen.choice(("tw", "td", "edge", "col"))
        header = [f"p {kind} {vertices} {lines}"]
        tag = tag or chosen.choice(([], ["a"] if kind == "sp" else ["e"]))
    elif format == "edges":
        header = [f"{vertices} {lines}"]
        weighted = weighted or not lines
    rows = []
    extra = ["x", "9"][: chosen.randrange(3)] if format == "snap" and weighted else []
    for tail, head in pairs:
        words = [*tag, str(tail), str(head), *([_weight(case, scale)] if weighted else [])]
        rows.append(chosen.choice(("\t", " ", "  ")).join([*words, *extra]))
    if format == "snap" and case.chance(0.4):
        found = {end for pair in pairs for end in pair}
        header = [f"# Nodes: {len(found)} Edges: {lines}"]
    return _styled(case, header, rows, b"c" if format == "gr" else b"#"), weighted and bool(rows)


def _weight(case: Case, scale: int | None) -> str:
    """A weight that is whole when multiplied by ``scale``; any float without one."""
    if scale is None and case.chance(0.3):
        return case.random.choice(
            (repr(case.random.random()), f"{case.random.uniform(-9, 9):.18e}", ".1", "3e9", "1e-320")
        )
    whole = case.random.choice((0, 1, 7, 100, 99_999, case.random.randrange(-1000, 1000)))
    if scale in (None, 1):
        return case.random.choice((str(whole), str(whole), f"{whole}.0", f"{whole}e0", f"{whole}.", f"{whole}0e-1"))
    places = len(str(scale)) - 1
    sign = "-" if whole < 0 else ""
    return f"{sign}{abs(whole) // scale}.{abs(whole) % scale:0{places}d}"


def _matrix_market(case: Case, vertices: int, pairs: list, scale: int | None) -> tuple[list[str], list[str]]:
    chosen = case.random
    field = chosen.choice(("real", "integer", "pattern") if scale in (None, 1) else ("real",))
    if case.chance(0.2) and field != "pattern":
        cells = [str(chosen.choice((0, 1, -3, 8))) for _ in range(vertices**2)]
        return [f"%%MatrixMarket matrix array {field} general", f"{vertices} {vertices}"], cells
    symmetry = chosen.choice(("general", "general", "symmetric"))
    if symmetry == "symmetric":
        pairs = [(max(pair), min(pair)) for pair in pairs]

    def weight() -> list[Any]:
        if field == "pattern":
            return []
        return [chosen.randrange(-50, 1000) if field == "integer" else _weight(case, scale)]

    rows = [" ".join(map(str, [*pair, *weight()])) for pair in pairs]
    banner = f"%%MatrixMarket matrix coordinate {field} {symmetry}"
    return [banner, f"{vertices} {vertices} {len(rows)}"], rows


def _styled(case: Case, header: list[str], rows: list[str], comment: bytes) -> bytes:
    """The lines with comments and blank lines between them, any end of lines, and perhaps none at the end.

    MatrixMarket has comments after its first line alone.
    """
    chosen = case.random
    lines = [line.encode() for line in [*header, *rows]]
    if case.chance(0.6):
        for _ in range(chosen.randrange(4)):
            longest = chosen.choice((3, 40, 40, 70_000))
            words = chosen.choice((b" 1 2 3", b" \xc3\xa9\xff ", b" a ", b"x y ")) * (longest // 4)
            if comment == b"%":
                lines.insert(1, b"% " + words)
            else:
                lines.insert(chosen.randint(0, len(lines)), chosen.choice((comment + b" " + words, b"", b"  ")))
    end = chosen.choice((b"\n", b"\n", b"\r\n"))
    return end.join(lines) + chosen.choice((end, end, b"", end + end if comment != b"%" else end))
