"""Damage to the bytes of a file: what bad disks, cut transfers and hasty hands leave behind."""

from random import Random

_WORDS = [b"", b"0", b"-1", b"1e999", b"NaN", b"null", b"true", b'"x"', b"[]", b"{}", b"\xff", b"\0", b"9" * 40, b"\n"]


def damaged(content: bytes, random: Random) -> bytes:
    """``content`` cut, with a bit flipped, a line gone or twice, a piece gone, or a word in place of a piece."""
    at = random.randrange(len(content))
    length = random.randrange(1, 12)
    kind = random.randrange(6)
    if kind == 0:
        return content[:at]
    if kind == 1:
        return content[:at] + bytes([content[at] ^ 1 << random.randrange(8)]) + content[at + 1 :]
    if kind == 2:
        lines = content.splitlines(keepends=True)
        place = random.randrange(len(lines))
        return b"".join(lines[:place] + lines[place : place + 1] * random.choice((0, 2)) + lines[place + 1 :])
    if kind == 3:
        return content[:at] + content[at + length :]
    if kind == 4:
        return content[:at] + random.choice(_WORDS) + content[at:]
    return content[:at] + random.choice(_WORDS) + content[at + length :]
