"""Lines of numbers are read the same with Numba and without."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpath.graphs.number_lines import RowFormat, parse_regular
from warpath.graphs.parse_lines import parse

LIMIT = 2**31 - 2
FORMATS = [
    RowFormat(1, 300, True, "a", "c"),
    RowFormat(1, 300, False, "e", "c"),
    RowFormat(0, 2**63 - 1, False, "", "#"),
    RowFormat(0, 2**63 - 1, True, "", "#"),
    RowFormat(1, 300, True, "", "%", ends=False),
    RowFormat(1, 300, False, "a", "c", ignored=1),
    RowFormat(1, 300, True, "a", "c", scale=10),
]
WORDS = [b"a", b"e", b"c", b"0", b"1", b"23", b"300", b"301", b"-4", b"1.5", b"9" * 19, b"9" * 25, b"1 2", b"a 1 2 3"]
PIECES = [*WORDS, b" ", b"  ", b"\t", b"\r"]


def both(text, form):
    """The columns as both parsers find them, None if there is a fault or the text is not regular."""
    bounds = [(-LIMIT, LIMIT) if name == "weight" else (form.first, form.last) for name in form.columns]
    lows, highs = np.array(bounds).T.copy()
    lines = text.count(b"\n")
    values = np.empty((len(bounds), lines), np.int64)
    tag, comment, decimal = ord(form.tag or "\0"), ord(form.comment), len(bounds) - 1 if form.weighted else -1
    array = np.frombuffer(text, np.uint8)
    rows, bad = parse(array, tag, comment, form.ignored, decimal, form.scale, lows, highs, values)
    regular = parse_regular(text, form, lines, lows, highs)
    return (None if bad >= 0 else values[:, :rows].tolist()), (None if regular is None else regular.tolist())


@pytest.mark.parametrize("form", FORMATS[:5])
@pytest.mark.parametrize("blank", [" ", "\t"])
def test_regular_lines_are_read(form, blank):
    line = blank.join([*([form.tag] if form.tag else []), *(str(7 + i) for i in range(len(form.columns)))])
    compiled, regular = both(f"{line}\n{line}\n".encode(), form)
    assert compiled == regular == [[7 + i] * 2 for i in range(len(form.columns))]


@given(
    st.sampled_from(FORMATS),
    st.lists(st.lists(st.sampled_from(PIECES), max_size=7), min_size=1, max_size=4),
    st.booleans(),
)
def test_what_is_read_without_numba_is_what_numba_reads(form, lines, joined):
    text = b"".join((b" " if joined else b"").join(line) + b"\n" for line in lines)
    compiled, regular = both(text, form)
    assert regular is None or regular == compiled
