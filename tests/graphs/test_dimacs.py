"""Reading DIMACS .gr files: what is kept, and the message for each mistake in a file."""

import gzip
import lzma

import numpy as np
import pytest

from warpath.errors import FormatError, GraphError
from warpath.graphs import content
from warpath.graphs.files import dimacs

SMALL = """\
c a comment
c
p sp 4 6
c more

a 1 2 5
a 3 1 0
a 1 2 3
a 2 2 7
a 3 4 2147483646
  a\t1  4\t-9\t\r
"""


@pytest.fixture
def gr(tmp_path):
    def write(text, name="small.gr"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def test_keeps_order_parallel_arcs_loops_sinks_and_signs(gr):
    graph = dimacs.read(gr(SMALL))
    assert graph.indptr.tolist() == [0, 3, 4, 6, 6]
    assert graph.indices.tolist() == [1, 1, 3, 1, 0, 3]
    assert graph.weights.tolist() == [5, 3, -9, 7, 0, 2147483646]
    assert graph.metadata == {"format": "gr", "origin": "small.gr", "weights": {"kind": "given"}}
    assert {graph.indptr.dtype, graph.indices.dtype, graph.weights.dtype} == {np.dtype(np.int32)}


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress], ids=["gzip", "xz"])
@pytest.mark.parametrize("name", ["small.gr.gz", "small.gr", "anything"])
def test_compression_is_known_by_content(gr, compress, name):
    assert dimacs.read(gr(compress(SMALL.encode()), name)).sha256 == dimacs.read(gr(SMALL, "plain")).sha256


def test_crlf_and_a_missing_last_line_end_change_nothing(gr):
    expected = dimacs.read(gr(SMALL)).sha256
    assert dimacs.read(gr(SMALL.replace("\n", "\r\n"))).sha256 == expected
    assert dimacs.read(gr(SMALL.rstrip("\n"))).sha256 == expected


def test_a_graph_without_arcs(gr):
    graph = dimacs.read(gr("p sp 3 0\n"))
    assert (graph.vertices, graph.arcs) == (3, 0)


def test_counts_reads_only_the_head(gr):
    assert dimacs.counts(gr(SMALL)) == (4, 6)
    assert dimacs.counts(gr("p sp 4 6\nnothing here is read\n")) == (4, 6)


def test_chunks_do_not_show(gr, monkeypatch):
    """Every chunk size gives the same graph and the same line number in an error."""
    generator = np.random.default_rng(1)
    arcs = np.column_stack([generator.integers(1, 51, (300, 2)), generator.integers(-(10**6), 10**6, 300)])
    text = "c x\np sp 50 300\n" + "".join(f"a {u} {v} {w}\n" for u, v, w in arcs)
    expected = dimacs.read(gr(text)).sha256
    lines = text.splitlines()
    lines[200] = "a 1 51 1"
    for chunk_bytes in (1, 7, 64, 1000):
        monkeypatch.setattr(content, "CHUNK_BYTES", chunk_bytes)
        assert dimacs.read(gr(text)).sha256 == expected
        with pytest.raises(FormatError, match="line 201: head 51 is not a vertex"):
            dimacs.read(gr("\n".join(lines)))


@pytest.mark.parametrize(
    ("arc", "complaint"),
    [
        ("a 1 2 3.5e", r"line 3: weight '3\.5e' is not a number"),
        ("a 1 2 x", "line 3: weight 'x' is not a number"),
        ("a 1 2 -", "line 3: weight '-' is not a number"),
        ("a +1 2 3", r"line 3: tail '\+1' is not an integer"),
        ("a 1 2 2147483647", r"line 3: weight 2147483647 does not fit 32 bits \(at most 2147483646"),
        ("a 1 2 -2147483647", "line 3: weight -2147483647 does not fit 32 bits"),
        ("a 1 2 99999999999999999999", "line 3: weight 99999999999999999999 does not fit 32 bits"),
        ("a 1 5 3", r"line 3: head 5 is not a vertex; vertices are 1\.\.4"),
        ("a 0 1 3", r"line 3: tail 0 is not a vertex; vertices are 1\.\.4"),
        ("a -1 1 3", "line 3: tail -1 is not a vertex"),
        ("a 1 2", "line 3: 'a 1 2' where 'a TAIL HEAD WEIGHT' was expected"),
        ("a", "line 3: 'a' where 'a TAIL HEAD WEIGHT' was expected"),
        ("a 1 2 3 4", "line 3: 'a 1 2 3 4' where 'a TAIL HEAD WEIGHT' was expected"),
        ("1 2 3", "line 3: '1 2 3' where 'a TAIL HEAD WEIGHT' was expected"),
        ("a1 2 3", "line 3: 'a1 2 3' where"),
        ("p sp 4 1", "line 3: 'p sp 4 1' where"),
        ("a 1 2 3\0", r"line 3: weight '3\\x00' is not a number"),
        ("e" * 100, r"line 3: 'e{40}…' where"),
    ],
)
def test_a_bad_arc_is_named_with_its_line(gr, arc, complaint):
    path = gr(f"p sp 4 2\na 1 2 1\n{arc}\n")
    with pytest.raises(FormatError, match=complaint) as caught:
        dimacs.read(path)
    assert str(caught.value).startswith(f"{path}, ")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "no line 'p sp VERTICES ARCS' or 'p tw VERTICES EDGES'"),
        ("c only comments\n", "no line 'p sp VERTICES ARCS' or 'p tw VERTICES EDGES'"),
        ("a 1 2 3\n", "line 1: 'a 1 2 3' where 'p sp VERTICES ARCS' or 'p tw VERTICES EDGES' was expected"),
        ("c\np max 4 2\na 1 2 1\n", "line 2: 'p max 4 2' where 'p sp VERTICES ARCS' or"),
        ("p sp 4\n", "line 1: 'p sp 4' where"),
        ("p sp 4 x\n", "line 1: 'p sp 4 x' where"),
        ("p sp -4 2\n", "line 1: 'p sp -4 2' where"),
        ("p sp 4 2\na 1 2 1\n", "line 1 announces 2 arcs, but the file has 1"),
        ("p sp 4 0\na 1 2 1\n", "line 1 announces 0 arcs, but the file has 1"),
        (b"\x7fELF\x02\x01\x01\x00\xff\xfe", r"line 1: '\\x7fELF"),
    ],
)
def test_not_this_format(gr, text, complaint):
    with pytest.raises(FormatError, match=complaint):
        dimacs.read(gr(text))


def test_empty_and_unthinkable_graphs(gr):
    with pytest.raises(GraphError, match="line 1: the graph is empty"):
        dimacs.read(gr("p sp 0 0\n"))
    with pytest.raises(GraphError, match="line 1: 9999999999 vertices and 1 arcs are more than 32-bit"):
        dimacs.read(gr("p sp 9999999999 1\n"))


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(FormatError, match=r"none\.gr: no such file"):
        dimacs.read(tmp_path / "none.gr")
    with pytest.raises(FormatError, match="cannot be read"):
        dimacs.read(tmp_path)


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress], ids=["gzip", "xz"])
def test_cut_and_damaged_compressed_files(gr, compress):
    whole = compress(b"p sp 9 2000\n" + b"".join(b"a 1 %d %d\n" % (i % 9 + 1, i * i) for i in range(2000)))
    assert dimacs.read(gr(whole)).arcs == 2000
    for length in (3, 20, len(whole) // 2, len(whole) - 1):
        with pytest.raises(FormatError, match=r"cut short|damaged|no line 'p sp"):
            dimacs.read(gr(whole[:length]))
    with pytest.raises(FormatError, match="cut short"):
        dimacs.read(gr(whole[: len(whole) // 2]))
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 0xFF
    with pytest.raises(FormatError, match=r"damaged|line"):
        dimacs.read(gr(bytes(flipped)))
