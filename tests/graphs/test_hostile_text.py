"""Text files of graphs that claim, unpack to or spell out far more than they hold."""

import gzip
import json
import lzma
import os
import re
import subprocess
import sys
import time

import numpy as np
import pytest
from graph_files import written
from tiny_graphs import named

from warpath.cli import _answers
from warpath.errors import FormatError, GraphError, OutOfMemoryError, UsageError
from warpath.graphs import content
from warpath.graphs.content import LINE_BYTES_MAX
from warpath.graphs.files import formats

pytestmark = pytest.mark.usefixtures("both_ways")

SMALL = {
    "gr": ("c ", "p sp 3 2\n", "a 1 2 5\n", "a 2 3 6\n"),
    "edges": ("# ", "3 2\n", "0 1 5\n", "1 2 6\n"),
    "wel": ("# ", "", "0 1 5\n", "1 2 6\n"),
    "snap": ("# ", "", "0 1 5\n", "1 2 6\n"),
    "mtx": ("%", "%%MatrixMarket matrix coordinate integer general\n", "3 3 2\n1 2 5\n", "2 3 6\n"),
}
SUFFIX = {"edges": ".txt"}
LONG = [(1 << 12) + 1, (1 << 16) - 1, 1 << 16, 200_000]
# Runs `warpath convert` on each file and tells what it said, and the peak of memory.
CONVERT = """
import contextlib, io, json, resource, sys
from warpath.__main__ import main
from warpath.graphs.files import formats
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
said = io.StringIO()
with contextlib.redirect_stderr(said):
    status = main(["convert", "--from", sys.argv[1], "--output", sys.argv[1] + ".npz"])
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([status, said.getvalue(), grown / 1024]))
"""


@pytest.fixture
def file(tmp_path):
    return lambda content, name="some.txt": written(tmp_path / name, content)


@pytest.mark.parametrize("form", SMALL)
@pytest.mark.parametrize("chunk_bytes", [1 << 12, 1 << 16, 1 << 24])
def test_a_long_comment_is_skipped_and_lines_are_numbered_rightly(file, monkeypatch, form, chunk_bytes):
    monkeypatch.setattr(content, "CHUNK_BYTES", chunk_bytes)
    mark, header, first, second = SMALL[form]
    name = f"some{SUFFIX.get(form, '.' + form)}"
    for length in LONG:
        # The end of the comment looks like a row.
        comment = mark + "x" * (length - len(mark) - 6) + " 1 2 3\n"
        orders = [comment, header, first, second], [header, comment, first, second], [header, first, comment, second]
        for lines in orders if form != "mtx" else orders[1:2]:  # there comments come after the first line alone
            graph = formats.read(file("".join(lines), name))
            assert (graph.vertices, graph.indices.tolist(), graph.weights.tolist()) == (3, [1, 2], [5, 6])
            if form != "mtx":
                assert formats.read(file("".join(lines), "unnamed")) == graph
                number = "".join(lines).count("\n") + 1
                with pytest.raises(FormatError, match=f"line {number}: (tail|'x)"):
                    formats.read(file("".join([*lines, "x 1 2\n"]), name))
                hiding = "".join(lines).replace(" 1 2 3\n", "\r1 2 3\n", 1)  # no line ends there
                with pytest.raises(FormatError, match=f"line {hiding[: hiding.index(chr(13))].count(chr(10)) + 1}: "):
                    formats.read(file(hiding, name))


@pytest.mark.parametrize("form", SMALL)
def test_a_line_without_end_is_refused(file, form):
    mark, header, first, second = SMALL[form]
    name = f"some{SUFFIX.get(form, '.' + form)}"
    for fill in (" ", mark + "x", "1"):
        path = file(header + fill * LINE_BYTES_MAX + "\n" + first + second, name)
        with pytest.raises(FormatError):
            formats.read(path)


@pytest.mark.parametrize("form", [*SMALL, "list"])
def test_a_carriage_return_within_a_line_hides_nothing(file, form):
    """Wherever one is put in or takes the place of a line feed, the file means the same or is refused."""
    mark, *rows = SMALL["wel" if form == "list" else form]
    rows.insert(form == "mtx", f"{mark} words\n")
    name = f"some{SUFFIX.get(form, '.' + form)}".removesuffix(".list")
    text = "".join(rows)
    expected = formats.read(file(text, name))
    refused = 0
    for place in range(len(text) + 1):
        for after in {place, place + (text[place : place + 1] == "\n")}:
            try:
                assert formats.read(file(text[:place] + "\r" + text[after:], name)) == expected
            except (FormatError, GraphError) as error:
                refused += 1
                assert form == "mtx" or re.search(r", line \d+: ", str(error)), error
    assert refused >= len(text) - 8
    for end in ("\r\n", "\r\r\n"):
        assert formats.read(file(text.replace("\n", end), name)) == expected
    with pytest.raises((FormatError, GraphError)):
        formats.read(file(text.replace("\n", "\r"), name))


@pytest.mark.parametrize("number", ["9" * 20, "-" + "9" * 19, "9" * 4301, "-" + "9" * 60_000], ids=len)
def test_numbers_of_thousands_of_digits(file, number):
    matrix = "%%MatrixMarket matrix coordinate integer general\n"
    for name, text in [
        ("x.gr", f"p sp 3 1\na {number} 2 5\n"),
        ("x.gr", f"p sp 3 1\na 1 2 {number}\n"),
        ("x.gr", f"p sp {number} 1\na 1 2 3\n"),
        ("x.wel", f"{number} 2 5\n"),
        ("x.wel", f"1 2 {number}\n"),
        ("x.wel", f"1 2 1e{number.lstrip('-')}\n"),
        ("x.snap", f"1 {number}\n"),
        ("x.txt", f"3 1\n0 {number} 2\n"),
        ("x.txt", f"3 {number}\n0 1 2\n"),
        ("x.mtx", f"{matrix}3 3 1\n1 2 {number}\n"),
        ("x.mtx", f"{matrix}3 3 1\n{number} 2 1\n"),
        ("x.mtx", f"{matrix}{number} {number} 1\n1 2 1\n"),
    ]:
        path = file(text, name)
        for weight in ("weight", None):
            with named(f"{name}: {text[:80]!r}"):
                try:
                    graph = formats.read(path, weight=weight)
                except (FormatError, GraphError) as refused:
                    said = str(refused).removeprefix(str(path))
                    assert said != str(refused) and len(said) < 400 and "\n" not in said
                else:
                    assert weight is None and (graph.vertices, graph.arcs) in {(3, 1), (2, 1)}


def test_zeros_in_front_do_not_make_a_number_large(file):
    zeros = "0" * 5000
    graph = formats.read(file(f"p sp 3 1\na {zeros}1 {zeros}2 {zeros}5\n", "x.gr"))
    assert (graph.indices.tolist(), graph.weights.tolist()) == ([1], [5])
    with pytest.raises(FormatError, match=r"line 2: tail 0+… "):
        formats.read(file(f"p sp 3 1\na {zeros} 2 5\n", "x.gr"))


def test_counts_without_lines_to_bear_them_out(file):
    matrix = "%%MatrixMarket matrix"
    for name, text, says in (
        ("x.gr", "p sp 500000000 0\n", "line 1: .* 500000000 vertices .* 6.5 GiB"),
        ("x.txt", "500000000 1\n0 1 5\n", "line 1: .* 500000000 vertices"),
        ("x.mtx", f"{matrix} coordinate integer general\n500000000 500000000 0\n", "500000000 vertices"),
        ("x.mtx", f"{matrix} coordinate integer general\n5 5 500000000\n1 1 1\n", "500000000 entr"),
        ("x.mtx", f"{matrix} array integer general\n40000 40000\n1\n", "1600000000 entr"),
        ("x.gr", "p sp 3 2000000000\na 1 2 3\n", "announces 2000000000 arcs"),
    ):
        for compress in (bytes, gzip.compress):
            path = file(compress(text.encode()), name)
            with named(repr(text)):
                with pytest.raises(FormatError, match=says) as refused:
                    formats.read(path)
                assert str(refused.value).startswith(str(path))
                assert content.LIMIT_VARIABLE in str(refused.value) or "announces" in says or "entr" in says


def test_a_line_of_a_matrix_is_whole(file):
    for text, line in (
        ("coordinate real general\n2 2 2\n1 2 5\n2 1 \n", 4),
        ("coordinate real general\n2 2 1\n1 2 1e\n", 3),
        ("coordinate real general\n% a remark\n\n2 2 1\n1 2 1.5e+\n", 5),
        ("coordinate pattern general\n2 2 1\n1 2 1\n", 3),
        ("array real general\n2 2\n1\n2\n-\n4\n", 5),
        ("array real general\n2 2\n1\n2\n3\n.\n", 6),
        ("array real general\n2 2\n1 2\n3 4\n", 3),
    ):
        with named(repr(text)), pytest.raises(FormatError, match=rf"x\.mtx, line {line}: "):
            formats.read(file(f"%%MatrixMarket matrix {text}", "x.mtx"))
    for number in ("9" * 400, "1e400", "-1e999", "inf", "nan"):  # infinity in an array would be no arc
        for text in (
            f"array real general\n2 2\n{number}\n1\n2\n3\n",
            f"coordinate real general\n2 2 1\n1 2 {number}\n",
        ):
            with named(repr(text)), pytest.raises(FormatError, match="line 3: weight"):
                formats.read(file(f"%%MatrixMarket matrix {text}", "x.mtx"))


def test_the_limit_is_a_setting(file, monkeypatch):
    path = file("p sp 1000000 0\n")
    assert formats.read(path).vertices == 10**6
    monkeypatch.setenv(content.LIMIT_VARIABLE, "0.001")
    with pytest.raises(FormatError, match="15 bytes"):
        formats.read(path)
    for wrong in ("x", "nan", "-1", "inf", "0", "1" * 5000):
        monkeypatch.setenv(content.LIMIT_VARIABLE, wrong)
        with pytest.raises(UsageError, match=content.LIMIT_VARIABLE):
            formats.read(path)


def test_a_file_that_is_large_may_take_more(file, monkeypatch):
    monkeypatch.setenv(content.LIMIT_VARIABLE, "0.000001")
    row = "a 1 2 3\n" * 10_000
    assert formats.read(file(f"p sp 2 10000\n{row}")).arcs == 10_000
    with pytest.raises(FormatError, match=content.LIMIT_VARIABLE):
        formats.read(file(gzip.compress(f"p sp 2 10000\n{row}".encode()), "x.gr.gz"))


# Parts in a row unpack to as many copies of what each holds: here 192 MiB from a fifth of one.
BLANKS = gzip.compress(b" " * (1 << 20)) * 192
BLANKS_XZ = lzma.compress(b" " * (1 << 20)) * 192


@pytest.mark.slow  # measures memory
@pytest.mark.parametrize(
    ("name", "data", "complaint"),
    [
        ("line.gr.gz", gzip.compress(b"c") + BLANKS, "has a line of more than"),
        ("line.gr.xz", lzma.compress(b"c") + BLANKS_XZ, "has a line of more than"),
        ("list.gz", BLANKS, "has a line of more than"),
        ("rows.el.gz", gzip.compress(b"0 1\n" * (1 << 18)) * 48, "a graph of [0-9]+ arcs or more would take"),
        ("empty.el.gz", gzip.compress(b"\n" * (1 << 20)) * 16, "line 1000000: there are no numbers up to here"),
        (
            "line.mtx.gz",
            gzip.compress(b"%%MatrixMarket matrix array real general\n%") + BLANKS,
            "has a line of more than",
        ),
        ("vertices.gr", b"p sp 500000000 0\n", "a graph of 500000000 vertices would take"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_memory_follows_the_size_of_the_file(file, name, data, complaint):
    path = file(data, name)
    limited = {**os.environ, content.LIMIT_VARIABLE: "0.25"}
    ended = subprocess.run(
        [sys.executable, "-c", CONVERT, path], capture_output=True, text=True, check=True, env=limited
    )
    status, said, grown_mib = json.loads(ended.stdout)
    assert status == 1
    assert said.startswith(f"warpath: error: {path}"), said
    assert said.count("\n") == 1
    assert re.search(complaint, said), said
    assert grown_mib < 350


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress], ids=["gzip", "xz"])
def test_compressed_files_in_several_parts_and_damaged_ones(file, compress):
    whole = "p sp 50 300\n" + "".join(f"a {1 + k % 50} {1 + k * 7 % 50} {k}\n" for k in range(300))
    expected = formats.read(file(whole, "plain.gr"))
    parts = compress(whole[:1000].encode()) + bytes(8) + compress(whole[1000:].encode()) + bytes(4)
    assert formats.read(file(parts, "parts.gr")) == expected
    packed = compress(whole.encode())
    for length in (3, 20, len(packed) // 2, len(packed) - 1):
        with pytest.raises(FormatError, match=r"damaged\.gr"):
            formats.read(file(packed[:length], "damaged.gr"))
    for place in np.random.default_rng(1).integers(6, len(packed), 200).tolist():
        flipped = packed[:place] + bytes([packed[place] ^ 1 << place % 8]) + packed[place + 1 :]
        for damaged in (packed[:place], flipped):
            path = file(damaged, "damaged.gr")
            try:
                assert formats.read(path) == expected
            except FormatError as refused:
                assert str(refused).startswith(str(path))


def test_the_memory_of_decompression_is_limited(file, monkeypatch):
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 26}]
    path = file(lzma.compress(b"0 1\n", filters=filters), "x.el.xz")
    assert formats.read(path).arcs == 1
    monkeypatch.setenv(content.LIMIT_VARIABLE, "0.03")
    with pytest.raises(FormatError, match="limit"):
        formats.read(path)


def test_a_memory_error_becomes_a_sentence(file, monkeypatch):
    path = file("0 1 5\n", "x.wel")

    def exhausted(*_, **__):
        raise MemoryError("Unable to allocate 9 GiB")

    monkeypatch.setattr(np, "concatenate", exhausted)
    with pytest.raises(OutOfMemoryError, match=r"x\.wel: .*9 GiB"):
        formats.read(path)


def test_a_folder_and_what_cannot_be_read(tmp_path):
    (tmp_path / "x.mtx").mkdir()
    for path in (tmp_path, tmp_path / "x.mtx"):
        with pytest.raises(FormatError, match="directory"):
            formats.read(path)
    with pytest.raises(FormatError, match=r"/proc/self/mem: .*Input"):
        formats.read("/proc/self/mem")


def test_a_long_number_that_ends_in_a_letter_is_refused_at_once(file):
    """Two ways to read a digit, tried for each of 65,000, take half a minute."""
    word = "1" * 65_000 + "x"
    texts = {"x.gr": f"p sp 2 1\na 1 2 {word}\n", "x.txt": f"2 1\n0 1 {word}\n", "x.wel": f"0 1 {word}\n"}
    began = time.perf_counter()
    for name, text in texts.items():
        with named(name), pytest.raises(FormatError):
            formats.read(file(text, name))
    answer = file(f"source,vertex,distance,predecessor\n0,0,{word},\n", "x.csv")
    with pytest.raises(UsageError):
        _answers.distances(answer, _answers.read_csv(answer)["distance"])
    assert time.perf_counter() - began < 15
