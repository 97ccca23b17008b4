"""Reading SNAP edge lists: ids become contiguous, announced counts are checked."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import warpath
from warpath.errors import FormatError, GraphError
from warpath.graphs.files import edge_list as lists

SMALL = """\
# Directed graph: small.txt
# Nodes: 4 Edges: 5
# FromNodeId\tToNodeId
7\t3
9223372036854775807\t7
3\t3
7\t3
3 100
"""


@pytest.fixture
def edge_list(tmp_path):
    def write(text, name="small.txt"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def snap(path, **options):
    return lists.read("snap", path, **options)


def triples(graph):
    return list(zip(graph.tails().tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True))


def test_ids_become_contiguous_in_increasing_order(edge_list):
    graph = snap(edge_list(SMALL))
    # 3, 7, 100 and 2^63-1 become 0, 1, 2 and 3.
    assert triples(graph) == [(0, 0, 1), (0, 2, 1), (1, 0, 1), (1, 0, 1), (3, 1, 1)]
    assert graph.metadata == {"format": "snap", "origin": "small.txt", "weights": {"kind": "unit"}}
    assert graph.labels.tolist() == [3, 7, 100, 2**63 - 1]


@given(st.lists(st.tuples(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1)), min_size=1, max_size=30))
def test_any_ids(tmp_path_factory, edges):
    path = tmp_path_factory.getbasetemp() / "any.txt"
    path.write_text("".join(f"{tail} {head}\n" for tail, head in edges))
    graph = snap(path, header=False)
    ids = sorted({end for edge in edges for end in edge})
    found = [(ids[tail], ids[head]) for tail, head, _ in triples(graph)]
    assert found == sorted(edges, key=lambda edge: edge[0])


def test_crlf_compression_and_comments_between_arcs(edge_list):
    expected = snap(edge_list(SMALL)).sha256
    assert snap(edge_list(SMALL.replace("\n", "\r\n"))).sha256 == expected
    assert snap(edge_list(gzip.compress(SMALL.encode()))).sha256 == expected
    assert snap(edge_list(SMALL.replace("3\t3\n", "3\t3\n# later\n\n  #\n"))).sha256 == expected


def test_counts_in_either_notation_or_none(edge_list):
    assert lists.counts(edge_list(SMALL)) == (4, 5)
    assert lists.counts(edge_list("# Nodes:26475\tEdges: 106762\r\n1 2\n")) == (26475, 106762)
    assert lists.counts(edge_list("# nothing said\n1 2\n")) is None
    assert lists.counts(edge_list("")) is None


def test_a_third_column_is_taken_or_left(edge_list):
    path = edge_list("1 2 -5\n2 1 7\n")
    assert snap(path).weights.tolist() == [-5, 7]
    assert snap(path).metadata["weights"] == {"kind": "given"}
    assert snap(path, take_weights=False).weights.tolist() == [1, 1]
    other = edge_list("1 2 2002-08-04\n2 1 x\n", "other.txt")
    assert snap(other, take_weights=False).arcs == 2
    with pytest.raises(FormatError, match=r"other.txt, line 1: weight '2002-08-04' is not a number"):
        snap(other)


def test_columns_after_the_third_are_left(edge_list):
    path = edge_list("1 2 -5 a 2002-08-04\n# x\n2 1 7 - 9\n")
    assert snap(path).weights.tolist() == [-5, 7]
    assert snap(path, take_weights=False).weights.tolist() == [1, 1]


@pytest.mark.parametrize("first", ["1 2", "1 2 5", "1 2 5 6"])
@pytest.mark.parametrize("second", ["2 4", "2 4 5", "2 4 nan", "2 4 p", "2 4 -", "2 5 \0", "2 4 5 6", "2 4 5 6 7"])
@pytest.mark.parametrize("form", ["snap", "el", "wel"])
@pytest.mark.parametrize("take_weights", [True, False])
def test_every_line_has_as_many_columns_as_the_first(edge_list, first, second, form, take_weights):
    path = edge_list(f"{first}\n{second}\n")
    columns = len(first.split())
    allowed = {"el": 2, "wel": 3, "snap": columns}[form]
    readable = columns == 2 or "4 5" in second or not take_weights
    if columns == len(second.split()) == allowed and readable:
        return
    with pytest.raises(FormatError, match=r"line [12]: "):
        lists.read(form, path, take_weights)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("# x\n1 2\n-3 4\n", r"line 3: tail -3 is not a vertex id; ids are 0\.\.2\^63-1"),
        ("1 9223372036854775808\n", "line 1: head 9223372036854775808 is not a vertex id"),
        ("1 2\n3\n", "line 2: '3' where 'TAIL HEAD' was expected"),
        ("1 2 3\n3 4\n", "line 2: '3 4' where 'TAIL HEAD WEIGHT' was expected"),
        ("1 2\n1,2\n", "line 2: tail '1,2' is not an integer"),
        ("# Nodes: 3 Edges: 1\n1 2\n", "announces 3 vertices and 1 arcs, but the file has 2 and 1"),
        ("# Nodes: 2 Edges: 9223372036854775807\n1 2\n", "announces 2 vertices and 9223372036854775807 arcs; no file"),
        (f"# Nodes: {'9' * 5000} Edges: 1\n1 2\n", "9… vertices and 1 arcs; no file has so many"),
        ("# Nodes: 2 Edges: 2\n1 2\n", "announces 2 vertices and 2 arcs, but the file has 2 and 1"),
        ("<!DOCTYPE html>\n<html>\n", "line 1: tail '<!DOCTYPE' is not an integer"),
    ],
)
def test_bad_lists(edge_list, text, complaint):
    path = edge_list(text)
    with pytest.raises(FormatError, match=complaint) as caught:
        snap(path)
    assert str(path) in str(caught.value)


def test_zeros_before_announced_counts_change_nothing(tmp_path):
    (tmp_path / "zeros.txt").write_text(f"# Nodes: {'0' * 30}2 Edges: 01\n1 2\n")
    assert lists.read("snap", tmp_path / "zeros.txt").arcs == 1


@pytest.mark.parametrize("text", ["", "\n\n", "# Nodes: 0 Edges: 0\n"])
def test_a_list_without_arcs_has_no_vertices(edge_list, text):
    with pytest.raises(GraphError, match=r"small\.txt: the graph is empty"):
        snap(edge_list(text))


def test_types(edge_list):
    graph = snap(edge_list(SMALL))
    assert {graph.indptr.dtype, graph.indices.dtype, graph.weights.dtype} == {np.dtype(np.int32)}


def test_comments_of_konect_and_the_network_repository(edge_list):
    arcs = "1 2 5\n% later\n2 3 7\n# last\n"
    expected = [(0, 1, 5), (1, 2, 7)]
    for name in ("out.x", "x.edges", "x.wel", "x.txt"):
        for comments in ("% asym weighted\n% 2 3 3\n", "%\n#x\n %y\n", "# x\n% sym\n"):
            assert triples(warpath.read(edge_list(comments + arcs, name))) == expected
        both_ways = warpath.read(edge_list(f"% sym weighted\n{arcs}", name))
        assert both_ways.arcs == 4
        assert both_ways == warpath.read(edge_list(arcs, name), directed=False)
        with pytest.raises(FormatError, match="bipartite"):
            warpath.read(edge_list(f"% bip weighted\n{arcs}", name))
