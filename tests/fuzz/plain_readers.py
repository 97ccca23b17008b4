"""Readers of graph formats that are slow and short: what an accepted file must mean.

Each takes the bytes of a file and returns a Plain, or raises NotAGraphError. Weights times the scale are exact.
Without a scale, weights may be floats.
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

_LIMIT = 2**31 - 2
_WHOLE = re.compile(rb"-?[0-9]+")
_DECIMAL = re.compile(rb"[+-]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?")
_ANNOUNCED = re.compile(rb"Nodes:\s*(\d+)\s+Edges:\s*(\d+)\b")


class NotAGraphError(Exception):
    """The bytes are no graph in this format."""


@dataclass(frozen=True)
class Plain:
    """``arcs`` counts each (tail, head, weight) by labels; ``labels`` are those of all vertices, in order."""

    labels: list[int]
    arcs: Counter


def dimacs(content: bytes, scale: int | None) -> Plain:
    rows = _rows(content, b"c")
    header = next(rows, [])
    kinds = {b"sp": False, **dict.fromkeys((b"tw", b"td", b"edge", b"edges", b"col"), True)}
    _hold(len(header) == 4 and header[0] == b"p" and header[1] in kinds, f"the header {header}")
    undirected = kinds[header[1]]
    vertices, announced = _count(header[2]), _count(header[3])
    tag, length, arcs, lines = None, 0, Counter(), 0
    for row in rows:
        lines += 1
        word = row[0] if row[0] in (b"a", b"e") else b""
        if tag is None:
            tag, length = word, len(row)
            _hold(tag in ((b"", b"e") if undirected else (b"", b"a")), f"the tag {tag!r}")
            shapes = (2 + len(tag),) if undirected else (2,) if not tag else (3, 4)
            _hold(length in shapes, f"{length} words")
        _hold(word == tag and len(row) == length, f"the row {row}")
        ends = row[len(tag) : len(tag) + 2]
        tail, head = (_vertex(end, 1, vertices) for end in ends)
        weight = _weight(row[3], scale) if length == 4 else 1
        arcs[tail, head, weight] += 1
        if undirected and tail != head:
            arcs[head, tail, weight] += 1
    _hold(lines == announced, f"{lines} rows, announced {announced}")
    return Plain(list(range(1, vertices + 1)), arcs)


def edges(content: bytes, scale: int | None) -> Plain:
    rows = _rows(content, b"#")
    header = next(rows, [])
    _hold(len(header) == 2, f"the header {header}")
    vertices, announced = map(_count, header)
    arcs: Counter = Counter()
    length = None
    for row in rows:
        length = length or len(row)
        _hold(len(row) == length and length in (2, 3), f"the row {row}")
        tail, head = (_vertex(end, 0, vertices - 1) for end in row[:2])
        arcs[tail, head, _weight(row[2], scale) if length == 3 else 1] += 1
    _hold(arcs.total() == announced, f"{arcs.total()} rows, announced {announced}")
    return Plain(list(range(vertices)), arcs)


def edge_list(content: bytes, scale: int | None, columns: int | None = None, most: int = 3) -> Plain:
    arcs: Counter = Counter()
    length = columns
    for row in _rows(content, (b"#", b"%")):
        length = length or len(row)
        _hold(len(row) == length and 2 <= length <= most, f"the row {row}")
        tail, head = (_vertex(end, 0, 2**63 - 1) for end in row[:2])
        arcs[tail, head, _weight(row[2], scale) if length > 2 else 1] += 1
    _hold(bool(arcs), "no arc")
    labels = sorted({end for tail, head, _ in arcs for end in (tail, head)})
    matches = [match for line in _leading_comments(content) if (match := _ANNOUNCED.search(line))]
    if matches:
        announced = [count.lstrip(b"0") or b"0" for count in matches[-1].groups()]
        _hold(announced == [b"%d" % len(labels), b"%d" % arcs.total()], "other counts than announced")
    return Plain(labels, arcs)


def matrix_market(content: bytes, scale: int | None) -> Plain:
    lines = content.split(b"\n")
    banner = lines[0].removeprefix(codecs.BOM_UTF8).lower().split()
    beginnings = ([b"%matrixmarket", b"matrix"], [b"%%matrixmarket", b"matrix"])  # some programs write one %
    _hold(len(banner) == 5 and banner[:2] in beginnings, f"the banner {banner}")
    layout, field, symmetry = banner[2:]
    _hold(layout in (b"coordinate", b"array") and field in (b"real", b"double", b"integer", b"pattern"), "the banner")
    _hold(symmetry in (b"general", b"symmetric", b"skew-symmetric"), f"the symmetry {symmetry!r}")
    scale = scale or (1 if field == b"integer" else None)
    rows = iter([line.split() for line in lines[1:] if line.strip() and not line.lstrip().startswith(b"%")])
    size = next(rows, [])
    _hold(len(size) == (3 if layout == b"coordinate" else 2), f"the sizes {size}")
    vertices = _count(size[0])
    _hold(_count(size[1]) == vertices, "not square")
    arcs: Counter = Counter()

    def add(tail: int, head: int, weight: float) -> None:
        arcs[tail, head, weight] += 1
        if symmetry != b"general" and tail != head:
            arcs[head, tail, -weight if symmetry == b"skew-symmetric" else weight] += 1

    if layout == b"array":
        _hold(field != b"pattern", "a dense pattern")
        numbers = []
        for row in rows:
            _hold(len(row) == 1, f"the entry {row}")
            numbers.append(_weight(row[0], scale))
        first = {b"general": lambda column: 1, b"symmetric": lambda column: column}.get(symmetry, lambda c: c + 1)
        places = [(row, column) for column in range(1, vertices + 1) for row in range(first(column), vertices + 1)]
        _hold(len(numbers) == len(places), f"{len(numbers)} entries for {len(places)} places")
        for (row, column), weight in zip(places, numbers, strict=True):
            if weight:
                add(row, column, weight)
    else:
        entries = 0
        for row in rows:
            entries += 1
            _hold(len(row) == (2 if field == b"pattern" else 3), f"the entry {row}")
            tail, head = (_vertex(end, 1, vertices) for end in row[:2])
            add(tail, head, 1 if field == b"pattern" else _weight(row[2], scale))
        _hold(entries == _count(size[2]), f"{entries} entries, announced {size[2]!r}")
    return Plain(list(range(1, vertices + 1)), arcs)


READERS: dict[str, Callable[[bytes, int | None], Plain]] = {
    "gr": dimacs,
    "edges": edges,
    "el": lambda content, scale: edge_list(content, scale, 2),
    "wel": lambda content, scale: edge_list(content, scale, 3),
    "snap": lambda content, scale: edge_list(content, scale, most=len(content)),
    "list": edge_list,
    "mtx": matrix_market,
}


def _rows(content: bytes, comment: bytes | tuple[bytes, ...]):
    """The words of every line that is neither empty nor a comment."""
    content = content.removeprefix(codecs.BOM_UTF8)
    for line in content.split(b"\n"):
        _hold(b"\r" not in line.rstrip(b"\r"), "a carriage return within a line")
        words = line.split()
        if words and not words[0].startswith(comment):
            yield words


def _leading_comments(content: bytes) -> list[bytes]:
    found = []
    for line in content.split(b"\n"):
        if line.strip() and not line.lstrip().startswith((b"#", b"%")):
            break
        found.append(line)
    return found


def _hold(condition: bool, otherwise: str) -> None:
    if not condition:
        raise NotAGraphError(otherwise[:300])


def _count(word: bytes) -> int:
    digits = word.lstrip(b"0") or b"0"
    _hold(word.isdigit() and len(digits) < 12 and int(digits) < 2**31, f"the count {word[:40]!r}")
    return int(digits)


def _vertex(word: bytes, first: int, last: int) -> int:
    digits = word.removeprefix(b"-").lstrip(b"0") or b"0"
    _hold(_WHOLE.fullmatch(word) is not None and len(digits) < 40, f"the vertex {word[:40]!r}")
    vertex = -int(digits) if word.startswith(b"-") else int(digits)
    _hold(first <= vertex <= last, f"the vertex {vertex}")
    return vertex


def _weight(word: bytes, scale: int | None) -> float:
    _hold(_DECIMAL.fullmatch(word) is not None, f"the weight {word[:40]!r}")
    if scale is None:
        _hold(isfinite(float(word)), f"the weight {word[:40]!r}")
        return float(word)
    mantissa, _, exponent = word.lower().partition(b"e")
    whole, _, fraction = mantissa.lstrip(b"+-").partition(b".")
    digits = (whole + fraction).lstrip(b"0").rstrip(b"0")
    _hold(len(digits) < 4000, "a weight of many digits")
    if not digits:
        return 0
    power = len(whole + fraction) - len((whole + fraction).rstrip(b"0")) - len(fraction)
    size = exponent.lstrip(b"+-").lstrip(b"0") or b"0"  # Python converts no more than 4,300 digits, zeros included
    _hold(len(size) < 10, f"the exponent of {word[:40]!r}")
    power += -int(size) if exponent.startswith(b"-") else int(size)
    _hold(abs(power) < 10_000, f"the exponent of {word[:40]!r}")
    exact = Fraction(int(digits)) * Fraction(10) ** power * scale
    _hold(exact.denominator == 1 and abs(exact) <= _LIMIT, f"the weight {word[:40]!r} times {scale}")
    return -int(exact) if word.startswith(b"-") else int(exact)
