"""Which sources belong to which part: ranges of 0..count-1 that are whole blocks of rows."""

import re

from ..errors import UsageError


def range_of(number: int, parts: int, count: int, block: int = 1) -> tuple[int, int]:
    """The first source of part ``number``, from 1, of ``parts``, and the one after its last; they may be equal.

    All parts together are 0..count-1. Each begins at a multiple of ``block``, and has as many blocks as any other, or
    one more.
    """
    blocks = -(-count // block)
    return tuple(min(count, blocks * part // parts * block) for part in (number - 1, number))  # type: ignore[return-value]


def parse_part(text: str) -> tuple[int, int]:
    """The number of a part and of all parts, from a text such as "2/8". Raises UsageError for any other."""
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text, re.ASCII)
    number, parts = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= parts:
        raise UsageError(f"--part {text}: a part is such as 2/8, the second of eight")
    return number, parts
