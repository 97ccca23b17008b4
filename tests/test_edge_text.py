"""Reading the text format 'n m', 'u v w', and detecting formats."""

import gzip

import pytest

from warpath.errors import FormatError, GraphError, UsageError
from warpath.graphs import edge_text, formats

SMALL = "3 4\n0 1 5\n2 2 0\n0 1 -3\n1 0 7\n"
GR = "c x\np sp 3 4\na 1 2 5\na 3 3 0\na 1 2 -3\na 2 1 7\n"


@pytest.fixture
def text(tmp_path):
    def write(content, name="small.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_reads_arcs_in_their_order(text):
    graph = edge_text.read(text(SMALL))
    assert graph.indptr.tolist() == [0, 2, 3, 4]
    assert graph.indices.tolist() == [1, 1, 0, 2]
    assert graph.weights.tolist() == [5, -3, 7, 0]
    assert graph.about == {"origin": "small.txt", "weights": {"kind": "given"}}


@pytest.mark.parametrize(
    ("content", "error", "complaint"),
    [
        ("", FormatError, "line 1: '' where 'VERTICES ARCS' was expected"),
        ("3\n", FormatError, "line 1: '3' where"),
        ("3 4 5\n", FormatError, "line 1: '3 4 5' where"),
        ("-3 4\n", FormatError, "line 1: '-3 4' where"),
        ("9" * 5000 + " 1\n", FormatError, "line 1: '9{40}…' where"),
        ("3 1\n0 3 1\n", FormatError, r"line 2: head 3 is not a vertex; vertices are 0\.\.2"),
        ("3 1\n0 1\n", FormatError, "line 2: '0 1' where 'TAIL HEAD WEIGHT' was expected"),
        ("3 1\n0 1 1e3\n", FormatError, "line 2: weight '1e3' is not an integer"),
        ("3 1\n0 1 4000000000\n", FormatError, "line 2: weight 4000000000 does not fit 32 bits"),
        ("3 2\n0 1 1\n", FormatError, "line 1 announces 2 arcs, but the file has 1"),
        ("0 0\n", GraphError, "line 1: the graph is empty"),
        ("3 3000000000\n", GraphError, "line 1: 3 vertices and 3000000000 arcs are more"),
    ],
)
def test_what_it_refuses(text, content, error, complaint):
    with pytest.raises(error, match=complaint):
        edge_text.read(text(content))


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.txt", SMALL, "edges"),
        ("a.txt", "\n3 4\n0 1 5\n", "edges"),
        ("a.txt", "5 0\n", "edges"),
        ("a.txt", GR, "gr"),
        ("a.txt", "p sp 1 0\n", "gr"),
        ("a.txt", "a 1 2 3\n", "gr"),
        ("a.gr", "anything", "gr"),
        ("a.GR.gz", "anything", "gr"),
        ("a.npz", "anything", "npz"),
        ("a", b"PK\x03\x04\n", "npz"),
        ("a.txt", "# Nodes: 2 Edges: 1\n0 1\n", "snap"),
        ("a.txt", "0\t1\r\n1\t2\r\n", "snap"),
        ("a.txt", "3 5\n", "snap"),
        ("a.txt", "0 1 5\n1 2 -5\n", "snap"),
    ],
)
def test_the_format_shows_in_name_and_content(text, name, content, expected):
    assert formats.detect(text(content, name)) == expected


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n", b"\0" * 5000, "1 2 3 4\n", "hello world\n", "{\n}\n"])
def test_what_is_no_graph(text, content):
    with pytest.raises(
        FormatError, match=r"line 1: .* does not begin a graph format that warpath reads \(gr, snap, edges"
    ):
        formats.detect(text(content))


@pytest.mark.parametrize("content", ["", "\n\n \n", gzip.compress(b"", mtime=0)])
def test_an_empty_file(text, content):
    with pytest.raises(FormatError, match=r"small\.txt: the file is empty"):
        formats.read(text(content))


def test_all_formats_give_the_same_graph(text, tmp_path):
    graph = formats.read(text(SMALL))
    graph.save(tmp_path / "saved.npz")
    assert formats.read(tmp_path / "saved.npz").sha256 == graph.sha256
    assert formats.read(text(GR, "other.txt")).sha256 == graph.sha256
    assert formats.read(text(gzip.compress(GR.encode()), "other.gr.gz")).sha256 == graph.sha256
    assert formats.read(text("0 1 5\n2 2 0\n0 1 -3\n1 0 7\n", "list.txt")).sha256 == graph.sha256


def test_a_named_format_overrules_what_the_file_looks_like(text):
    path = text("3 1\n0 1 2\n")
    assert formats.read(path, "edges").arcs == 1
    with pytest.raises(FormatError, match="line 1: '3 1' where 'p sp VERTICES ARCS'"):
        formats.read(path, "gr")
    assert formats.read(path, "snap", weighted=False).arcs == 2
    with pytest.raises(UsageError, match="unknown graph format 'mtx'; there are gr, snap, edges, npz"):
        formats.read(path, "mtx")


def test_missing_file():
    with pytest.raises(FormatError, match=r"nowhere\.txt: no such file"):
        formats.read("nowhere.txt")
    with pytest.raises(FormatError, match=r"nowhere\.npz: no such file"):
        formats.read("nowhere.npz")
