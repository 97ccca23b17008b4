"""Damage to bytes (bits, lines, numbers, ends cut off, parts twice) and to the trees that JSON and YAML hold."""

import copy
import gzip
import lzma
import random
import re
from typing import Any

_NUMBERS = [
    *(b"0", b"-1", b"1", b"+5", b"00007", b"1e3", b"1e999999999", b"1e-400", b"0.5", b".5", b"5.", b".", b"-", b"-0"),
    *(b"2147483646", b"2147483647", b"2147483648", b"4294967297", b"9223372036854775807", b"9223372036854775808"),
    *(b"18446744073709551617", b"500000000", b"nan", b"inf", b"0x10", b"1_000", b"12a", b"\xc2\xb2", b"1,5"),
    *(b"9" * 400, b"9" * 5000, b"0" * 5000 + b"7", b"0." + b"0" * 5000 + b"1", b"1" + b"0" * 20 + b"e-20"),
]
_PIECES = [
    *(b"\0", b"\n", b"\r\n", b"\r", b"\t", b"\x0b", b"\x0c", b"\x1a", b"\x85", b"\xa0", b"\xef\xbb\xbf", b"\xff\xfe"),
    *(b"#", b"%", b"c", b"p", b"a", b"e", b" ", b"  ", b"\xe2\x80\xa8", b"%%MatrixMarket", b"PK\x03\x04", b"\x1f\x8b"),
]
_NUMBER = re.compile(rb"-?[0-9]+")


def damaged(content: bytes, chosen: random.Random) -> bytes:
    """``content`` after one to four kinds of damage."""
    for _ in range(chosen.choice((1, 1, 1, 2, 2, 4))):
        content = chosen.choice(_DAMAGES)(content, chosen)
    return content


def damaged_bytes(content: bytes, chosen: random.Random) -> bytes:
    """The same for files that are not text."""
    for _ in range(chosen.choice((1, 1, 2, 4))):
        content = chosen.choice((_flip, _flip, _flip, _byte, _cut, _remove, _twice, _zeros))(content, chosen)
    return content


def compressed(content: bytes, chosen: random.Random) -> tuple[bytes, str]:
    """``content`` compressed or not, and the suffix of it."""
    kind = chosen.choice(("", "", "", ".gz", ".xz"))
    if kind == ".gz":
        return gzip.compress(content, 1), kind
    return (lzma.compress(content, preset=0), kind) if kind else (content, kind)


def _place(content: bytes, chosen: random.Random) -> int:
    return chosen.randrange(len(content) + 1)


def _flip(content: bytes, chosen: random.Random) -> bytes:
    if not content:
        return content
    place = chosen.randrange(len(content))
    return content[:place] + bytes([content[place] ^ 1 << chosen.randrange(8)]) + content[place + 1 :]


def _byte(content: bytes, chosen: random.Random) -> bytes:
    place = _place(content, chosen)
    return content[:place] + bytes([chosen.randrange(256)]) + content[place + chosen.randrange(2) :]


def _piece(content: bytes, chosen: random.Random) -> bytes:
    place = _place(content, chosen)
    return content[:place] + chosen.choice(_PIECES) + content[place + chosen.randrange(2) :]


def _cut(content: bytes, chosen: random.Random) -> bytes:
    return content[: _place(content, chosen)]


def _remove(content: bytes, chosen: random.Random) -> bytes:
    first, last = sorted((_place(content, chosen), _place(content, chosen)))
    return content[:first] + content[min(last, first + chosen.choice((1, 4, 100))) :]


def _twice(content: bytes, chosen: random.Random) -> bytes:
    first, last = sorted((_place(content, chosen), _place(content, chosen)))
    place = chosen.choice((last, len(content), 0))
    return content[:place] + content[first:last] + content[place:]


def _zeros(content: bytes, chosen: random.Random) -> bytes:
    place, count = _place(content, chosen), chosen.choice((1, 8, 512))
    return content[:place] + bytes(min(count, len(content) - place)) + content[place + count :]


def _number(content: bytes, chosen: random.Random) -> bytes:
    found = list(_NUMBER.finditer(content))
    if not found:
        return content
    match = chosen.choice(found[:3] if chosen.random() < 0.3 else found)
    return content[: match.start()] + chosen.choice(_NUMBERS) + content[match.end() :]


def _next_number(content: bytes, chosen: random.Random) -> bytes:
    found = [match for match in _NUMBER.finditer(content) if len(match[0]) < 19]
    if not found:
        return content
    match = chosen.choice(found)
    near = int(match[0]) + chosen.choice((-1, 1, 10))
    return content[: match.start()] + str(near).encode() + content[match.end() :]


def _line(content: bytes, chosen: random.Random) -> bytes:
    lines = content.split(b"\n")
    place = chosen.randrange(len(lines))
    line = lines[place]
    lines[place : place + 1] = chosen.choice(
        ([], [line, line], [b"# " + line], [line + b" 7"], [b"", line], [line.rpartition(b" ")[0]], [b" " + line])
    )
    if chosen.random() < 0.3:
        chosen.shuffle(lines)
    return b"\n".join(lines)


def _ends(content: bytes, chosen: random.Random) -> bytes:
    return content.replace(b"\n", chosen.choice((b"\r", b"\r\n", b"\n\r")), chosen.choice((-1, 1, 2, 5)))


_DAMAGES = (
    *(_flip, _flip, _byte, _byte, _piece, _piece, _cut, _remove, _twice, _number, _number, _next_number),
    *(_line, _line, _zeros, _ends),
)


# What JSON and YAML hold: keys dropped or doubled, values of other types, huge numbers, odd texts.

_TEXTS = (
    *("", " ", "x", "a b", "a\nb", "\0", "$(touch P)", "`touch P`", "'", '"', "$a$b$", "../../x", "/", ".", "é"),
    *("\ud800", "<b>&amp;</b>", "|", "nan", "1e999", "{row}", "{", "%s", "A" * 300, "cuda:²", "\u2028", "\x1b[31m"),
    *("-", "--debug"),
)
_ODD_NUMBERS = (
    *(0, 1, -1, 2, 0.5, -0.5, 1e-300, 1e300, 10**30, -(10**30), 2**31, 2**53 + 1, 2**63, 2**64),
    *(float("inf"), float("-inf"), float("nan")),
)


def damaged_tree(tree: Any, chosen: random.Random) -> Any:
    """A copy of ``tree`` in which one to three places are something else."""
    tree = copy.deepcopy(tree)
    for _ in range(chosen.choice((1, 1, 1, 2, 3))):
        places = list(_places(tree))
        if not places:
            return odd(chosen)
        within, key = chosen.choice(places)
        change = chosen.randrange(8)
        if change == 0:
            del within[key]
        elif change == 1 and isinstance(within, dict):
            within[chosen.choice((*_TEXTS[:8], "extra"))] = odd(chosen)
        elif change == 1:
            within.insert(key, copy.deepcopy(within[key]))
        elif change == 2 and isinstance(within[key], int | float):
            within[key] = chosen.choice((within[key] * 100, within[key] / 100, -within[key], within[key] + 1))
        elif change == 3:
            other, name = chosen.choice(places)
            within[key] = copy.deepcopy(other[name]) if name in other or isinstance(other, list) else None
        elif change == 4 and isinstance(within, dict):
            within[odd_key(key, chosen)] = within.pop(key)
        else:
            within[key] = odd(chosen)
    return odd(chosen) if chosen.random() < 0.02 else tree


def odd(chosen: random.Random) -> Any:
    """A value that is probably not the one expected."""
    values = (None, True, [], {}, [None], {"x": 1}, [[1]])
    return chosen.choice((*values, *(chosen.choice(pool) for pool in (_TEXTS, _TEXTS, _ODD_NUMBERS, _ODD_NUMBERS))))


def odd_key(key: Any, chosen: random.Random) -> Any:
    """A key beside ``key``, or another kind of thing."""
    return chosen.choice((f"{key} ", str(key).upper(), chosen.choice(_TEXTS), ""))


def _places(tree: Any):
    """Every (container, key) in ``tree``."""
    if isinstance(tree, dict | list):
        for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
            yield tree, key
            yield from _places(tree[key])
