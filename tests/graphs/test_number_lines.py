"""Lines of numbers are read the same with Numba and without."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from warpath.graphs.files.number_lines import RowFormat, parse_regular, parse_regular_floats
from warpath.graphs.files.parse_lines import parse

LIMIT = 2**31 - 2
FORMATS = [
    RowFormat(1, 300, True, "a", "c"),
    RowFormat(1, 300, False, "e", "c"),
    RowFormat(0, 2**63 - 1, False, "", "#"),
    RowFormat(0, 2**63 - 1, True, "", "#%"),
    RowFormat(1, 300, True, "", "%", ends=False),
    RowFormat(1, 300, False, "a", "c", ignored=1),
    RowFormat(1, 300, True, "a", "c", scale=10),
]
WORDS = [
    b"a",
    b"e",
    b"c",
    b"0",
    b"1",
    b"23",
    b"300",
    b"301",
    b"-4",
    b"1.5",
    b"+.5e-1",
    b"9" * 19,
    b"9" * 25,
    b"1 2",
    b"a 1 2 3",
]
PIECES = [*WORDS, b" ", b"  ", b"\t", b"\r"]


def both(text, form):
    """The columns as both parsers find them, None if there is a fault or the text is not regular."""
    bounds = [(-LIMIT, LIMIT) if name == "weight" else (form.first, form.last) for name in form.columns]
    lows, highs = np.array(bounds).T.copy()
    lines = text.count(b"\n")
    values = np.empty((len(bounds), lines), np.int64)
    tag, comment, decimal = ord(form.tag or "\0"), form.comment.encode(), len(bounds) - 1 if form.weighted else -1
    array = np.frombuffer(text, np.uint8)
    grammar = tag, np.frombuffer(comment, np.uint8), form.ignored, decimal, form.scale or 1, lows, highs
    rows, bad = parse(array, *grammar, values, np.empty(0, np.uint8), np.empty(0, np.int64))
    regular = parse_regular(text, form, lines, lows, highs)
    return (None if bad >= 0 else values[:, :rows].tolist()), (None if regular is None else regular.tolist())


def both_as_floats(text, form):
    """As ``both``, with weights as floats."""
    bounds = [(-LIMIT, LIMIT) if name == "weight" else (form.first, form.last) for name in form.columns]
    lows, highs = np.array(bounds).T.copy()
    values = np.empty((len(bounds), text.count(b"\n")), np.int64)
    words, begins = np.full(len(text), 32, np.uint8), np.empty(values.shape[1], np.int64)
    comment = np.frombuffer(form.comment.encode(), np.uint8)
    grammar = ord(form.tag or "\0"), comment, form.ignored, len(bounds) - 1, 1, lows, highs
    rows, bad = parse(np.frombuffer(text, np.uint8), *grammar, values, words, begins)
    floats = [float(word) for word in words.tobytes().split()]
    regular = parse_regular_floats(text, form, lows, highs)
    return (
        None if bad >= 0 else [*values[:-1, :rows].tolist(), floats],
        None if regular is None else [column.tolist() for column in regular],
    )


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


@given(
    st.sampled_from([form for form in FORMATS if form.may_have_floats]),
    st.lists(st.lists(st.sampled_from(PIECES), max_size=7), min_size=1, max_size=4),
    st.booleans(),
)
@example(FORMATS[0], [[b"a", b"1", b"2", b"-1.25e0"], [b"a", b"1", b"2", b"3"]], True)
@example(FORMATS[3], [[b"9007199254740993", b"2", b".5"]], True)
@example(FORMATS[4], [[b"2"], [b"1.5", b"\r"]], False)
def test_floats_that_are_read_without_numba_are_what_numba_reads(form, lines, joined):
    text = b"".join((b" " if joined else b"").join(line) + b"\n" for line in lines)
    compiled, regular = both_as_floats(text, form)
    assert regular is None or regular == compiled


def test_regular_floats_are_read_without_numba():
    assert both_as_floats(b"a 7 8 0.1\n  a\t9 9 -1e-3 \r\n", FORMATS[0])[1] == [[7, 9], [8, 9], [0.1, -1e-3]]
