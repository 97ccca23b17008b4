"""Edge lists, arcs after counts, and DIMACS files: what is kept of them, and the line named for each mistake."""

import bz2
import gzip
import lzma
from unittest.mock import patch

import numpy as np
import pytest
from graph_files import written
from hypothesis import given
from hypothesis import strategies as st
from tiny_graphs import named

import warpath
from warpath.errors import FormatError, GraphError
from warpath.graphs import content
from warpath.graphs.files import number_lines
from warpath.graphs.files.formats import TEXT, read

pytestmark = pytest.mark.usefixtures("both_ways")

EDGES = "3 4\n0 1 5\n2 2 0\n0 1 -3\n1 0 7\n"
DIMACS = """\
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
SNAP = """\
# Directed graph: small.txt
# Nodes: 4 Edges: 5
# FromNodeId\tToNodeId
7\t3
9223372036854775807\t7
3\t3
7\t3
3 100
"""
SMALL = {"small.gr": DIMACS, "small.txt": EDGES, "small.snap": SNAP}


@pytest.fixture
def file(tmp_path):
    return lambda content, name="some.txt": written(tmp_path / name, content)


def triples(graph):
    return list(zip(graph.tails().tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True))


def test_arcs_keep_their_order_parallel_ones_loops_sinks_and_signs(file):
    graph = read(file(DIMACS, "small.gr"))
    assert triples(graph) == [(0, 1, 5), (0, 1, 3), (0, 3, -9), (1, 1, 7), (2, 0, 0), (2, 3, 2147483646)]
    assert graph.metadata == {"format": "gr", "origin": "small.gr", "weights": {"kind": "given"}}
    graph = read(file(EDGES, "small.txt"))
    assert triples(graph) == [(0, 1, 5), (0, 1, -3), (1, 0, 7), (2, 2, 0)]
    assert graph.metadata == {"format": "edges", "origin": "small.txt", "weights": {"kind": "given"}}
    graph = read(file(SNAP, "small.snap"))
    assert triples(graph) == [(0, 0, 1), (0, 2, 1), (1, 0, 1), (1, 0, 1), (3, 1, 1)]
    assert graph.labels.tolist() == [3, 7, 100, 2**63 - 1]
    assert graph.metadata == {"format": "snap", "origin": "small.snap", "weights": {"kind": "unit"}}
    assert {graph.indptr.dtype, graph.indices.dtype, graph.weights.dtype} == {np.dtype(np.int32)}


@given(st.lists(st.tuples(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1)), min_size=1, max_size=30))
def test_any_ids(tmp_path_factory, edges):
    path = tmp_path_factory.getbasetemp() / "any.snap"
    path.write_text("".join(f"{tail} {head}\n" for tail, head in edges))
    graph = read(path, header=False)
    ids = sorted({end for edge in edges for end in edge})
    found = [(ids[tail], ids[head]) for tail, head, _ in triples(graph)]
    assert found == sorted(edges, key=lambda edge: edge[0])


def test_compression_line_ends_and_comments_change_nothing(file):
    for name, text in SMALL.items():
        expected = read(file(text, name)).sha256
        mark = "c" if name.endswith(".gr") else "#"
        for other in (
            f"\ufeff{text}",
            text.replace("\n", "\r\n"),
            text.rstrip("\n"),
            f"{text}{mark} later\n\n",
            text.replace("\n", f"\n{mark} later\n\n", 5),
            *(compress(text.encode()) for compress in (gzip.compress, lzma.compress, bz2.compress)),
        ):
            with named(f"{name}: {other!r}"):
                assert read(file(other, name)).sha256 == expected


WORDS = [
    *("a", "e", "c", "0", "1", "23", "300", "-4", "-0", "+5", "1.5", "+.5e-1", "3e9", "3000000000", "1e400", "2.0e0"),
    *("9" * 19, "9" * 25, "0.1234567890123456789", "nan", "inf", "0x1", "1_0", "1 2", "1 2 3", "1 2 3 x", "#", "é"),
    *(" ", "\t", "\r", "\v", "\0", '"'),
]
LINES = st.lists(st.sampled_from(WORDS), max_size=6)
FIRST = {".gr": "a 1 2 3", ".wel": "1 2 3", ".el": "1 2", ".snap": "1 2 3 x"}


@given(st.sampled_from([*FIRST]), st.lists(LINES, max_size=4), st.booleans(), st.sampled_from([None, 1, 3, 10]))
def test_any_lines_mean_the_same_to_pandas(tmp_path_factory, suffix, lines, joined, scale):
    """So do they with comments among them."""
    path, graphs = tmp_path_factory.getbasetemp() / f"lines{suffix}", []
    rows = [FIRST[suffix], *((" " if joined else "").join(line) for line in lines)]
    mark = "c" if suffix == ".gr" else "#"
    options = {"scale": scale if suffix != ".el" else None, "header": None if suffix == ".gr" else False}
    for between in ("\n", f"\n{mark}\n"):
        path.write_text((f"p sp 300 {len(rows)}\n" if suffix == ".gr" else "") + between.join([*rows, ""]), newline="")
        said = []
        for plain_bytes_max in (0, 1 << 20):
            with patch.object(number_lines, "PLAIN_BYTES_MAX", plain_bytes_max):
                try:
                    graph = read(path, **options)
                    said.append((graph.sha256, graph.weights.dtype))
                except (FormatError, GraphError) as refused:
                    assert str(path) in str(refused)
                    said.append(str(refused))
        assert said[0] == said[1]
        graphs.append(said[0] if isinstance(said[0], tuple) else None)
    assert graphs[0] == graphs[1]


def test_counts_are_read_from_the_head_alone(file):
    counts = TEXT["gr"].counts
    assert counts(file(DIMACS, "x.gr")) == counts(file("p sp 4 6\nnothing here is read\n", "x.gr")) == (4, 6)
    counts = TEXT["snap"].counts
    assert counts(file(SNAP, "x.snap")) == (4, 5)
    assert counts(file("# Nodes:26475\tEdges: 106762\r\n1 2\n", "x.snap")) == (26475, 106762)
    assert counts(file("# nothing said\n1 2\n", "x.snap")) is counts(file("", "x.snap")) is None
    zeros = file(f"# Nodes: {'0' * 30}2 Edges: 01\n1 2\n", "x.snap")
    assert read(zeros).arcs == 1


def test_columns_after_the_second_are_taken_or_left(file):
    path = file('1 2 -5 "a 2002-08-04\n# x\n2 1 7 - b"\n', "x.snap")
    assert (read(path).weights.tolist(), read(path).metadata["weights"]) == ([-5, 7], {"kind": "given"})
    assert read(path, weight=None).weights.tolist() == [1, 1]
    other = file("1 2 2002-08-04\n2 1 x\n", "other.snap")
    assert read(other, weight=None).arcs == 2
    with pytest.raises(FormatError, match=r"other\.snap, line 1: .*'2002-08-04'"):
        read(other)
    graph = read(file("# streets\n\n3 2\n# arcs\n0 1\n2 2\n", "x.txt"), "edges")
    assert (graph.indices.tolist(), graph.weights.tolist(), graph.labels.tolist()) == ([1, 2], [1, 1], [0, 1, 2])
    assert graph.metadata["weights"] == {"kind": "unit"}


def test_every_line_has_as_many_columns_as_the_first(file):
    for first in ("1 2", "1 2 5", "1 2 5 6"):
        for second in ("2 4", "2 4 5", "2 4 nan", "2 4 p", "2 4 -", "2 5 \0", "2 4 5 6", "2 4 5 6 7"):
            for form in ("snap", "el", "wel"):
                for weight in ("weight", None):
                    path = file(f"{first}\n{second}\n", f"x.{form}")
                    columns = len(first.split())
                    allowed = {"el": 2, "wel": 3, "snap": columns}[form]
                    readable = columns == 2 or "4 5" in second or weight is None
                    if not (columns == len(second.split()) == allowed and readable):
                        with named(f"{first!r}, {second!r}, {form}"), pytest.raises(FormatError, match=r"line [12]: "):
                            read(path, weight=weight, header=False)


def test_chunks_do_not_show(file, monkeypatch):
    """Every chunk size gives the same graph and the same line number in an error."""
    generator = np.random.default_rng(1)
    arcs = np.column_stack([generator.integers(1, 51, (300, 2)), generator.integers(-(10**6), 10**6, 300)])
    text = "c x\np sp 50 300\n" + "".join(f"a {u} {v} {w}\n" for u, v, w in arcs)
    expected = read(file(text, "x.gr")).sha256
    lines = text.splitlines()
    lines[200] = "a 1 51 1"
    for chunk_bytes in (1, 7, 64, 1000):
        monkeypatch.setattr(content, "CHUNK_BYTES", chunk_bytes)
        assert read(file(text, "x.gr")).sha256 == expected
        with pytest.raises(FormatError, match="line 201: head 51"):
            read(file("\n".join(lines), "x.gr"))


BAD = {
    # The third line of a DIMACS file.
    "gr, line 3": [
        *("a 1 2 3.5e", "a 1 2 x", "a 1 2 -", "a +1 2 3", "a 1 2 2147483647", "a 1 2 -2147483647", "a 1 2", "a"),
        *("a 1 2 99999999999999999999", "a 1 5 3", "a 0 1 3", "a -1 1 3", "a 1 2 3 4", "1 2 3", "a1 2 3", "p sp 4 1"),
        *("a 1 2 3\0", "e" * 100),
    ],
    "gr": ["", "c only comments\n", "a 1 2 3\n", "p sp 4\n", "p sp 4 x\n", "p sp -4 2\n", EDGES, b"\x7fELF\x02\xff"],
    "gr, line 1": ["p sp 9999999999 1\n"],
    "gr, empty": ["p sp 0 0\n"],
    "gr, announces": ["p sp 4 2\na 1 2 1\n", "p sp 4 0\na 1 2 1\n", "p tw 4 2\n1 2\n"],
    "gr, line 2": ["c\np max 4 2\na 1 2 1\n", "p tw 4 1\n1 2 3\n", "p tw 4 1\n1 5\n"],
    "snap, line 1": ["1 9223372036854775808\n", "<!DOCTYPE html>\n<html>\n"],
    "snap, line 2": ["1 2\n3\n", "1 2 3\n3 4\n", "1 2\n1,2\n"],
    "snap, line 3": ["# x\n1 2\n-3 4\n"],
    "snap, empty": ["# Nodes: 0 Edges: 0\n"],
    "snap, announces": [
        "# Nodes: 3 Edges: 1\n1 2\n",
        "# Nodes: 2 Edges: 9223372036854775807\n1 2\n",
        f"# Nodes: {'9' * 5000} Edges: 1\n1 2\n",
        "# Nodes: 2 Edges: 2\n1 2\n",
    ],
    "el, line 2": ["1 2\n3 4 5\n"],
    "wel, line 1": ["1 2\n"],
    # A suffix that decides nothing, and arcs after counts by the caller's word.
    "txt, line 1": ["1 2 3 4\n", "hello world\n", "{\n}\n", b"\x89PNG\r\n\x1a\n"],
    "txt, empty": ["# nothing\n"],
    "txt, line 2": ["1 2 3\n3 4\n", "1 2\n3 4 5 6\n"],
    "txt, line 3": ["# x\n1 2\n3\n"],
    "txt": ["a 1 2 3\n", b"\0" * 5000],
    "edges, announces": ["3 4\n0 1 5\n1 2 6\n", "3 2\n0 1 1\n"],
    "edges, line 1": ["", "3\n", "3 4 5\n", "-3 4\n", "9" * 5000 + " 1\n", "3 3000000000\n0 1 2\n"],
    "edges, line 2": ["3 1\n0 3 1\n", "3 1\n0 1 1e999\n", "3 1\n0 1 4000000000\n"],
    "edges, line 3": ["3 2\n0 1 1\n0 1\n", "3 2\n0 1\n0 1 1\n"],
    "edges, line 6": ["# streets\n\n3 2\n# arcs\n0 1\n2 3\n"],
}


def test_a_bad_line_is_named(file):
    for name, texts in BAD.items():
        suffix, _, says = name.partition(", ")
        for text in texts:
            if name == "gr, line 3":
                text = f"p sp 4 2\na 1 2 1\n{text}\n"
            path = file(text, f"x.{suffix}")
            with named(f"{name}: {text[:80]!r}"):
                with pytest.raises((FormatError, GraphError)) as refused:
                    read(path, "edges" if suffix == "edges" else None)
                said = str(refused.value).removeprefix(str(path))
                assert said != str(refused.value) and "\n" not in said and len(said) < 400
                assert said.startswith(f", {says}: ") if says.startswith("line") else says in said


def test_comments_of_konect_and_the_network_repository(file):
    arcs = "1 2 5\n% later\n2 3 7\n# last\n"
    expected = [(0, 1, 5), (1, 2, 7)]
    for name in ("out.x", "x.edges", "x.wel", "x.txt"):
        for comments in ("% asym weighted\n% 2 3 3\n", "%\n#x\n %y\n", "# x\n% sym\n"):
            assert triples(warpath.read(file(comments + arcs, name))) == expected
        both_ways = warpath.read(file(f"% sym weighted\n{arcs}", name))
        assert both_ways.arcs == 4
        assert both_ways == warpath.read(file(arcs, name), directed=False)
        assert both_ways == warpath.read(file(f"# Undirected graph: x\n{arcs}", name))
        with pytest.raises(FormatError, match="bipartite"):
            warpath.read(file(f"% bip weighted\n{arcs}", name))
