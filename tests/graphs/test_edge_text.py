"""Reading the text format 'n m', 'u v w'."""

import pytest

from warpath.errors import FormatError, GraphError
from warpath.graphs.files import edge_text

SMALL = "3 4\n0 1 5\n2 2 0\n0 1 -3\n1 0 7\n"


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
    assert graph.metadata == {"format": "edges", "origin": "small.txt", "weights": {"kind": "given"}}


@pytest.mark.parametrize(
    ("content", "error", "complaint"),
    [
        ("", FormatError, "line 1: '' where 'VERTICES ARCS' was expected"),
        ("3\n", FormatError, "line 1: '3' where"),
        ("3 4 5\n", FormatError, "line 1: '3 4 5' where"),
        ("-3 4\n", FormatError, "line 1: '-3 4' where"),
        ("9" * 5000 + " 1\n", FormatError, "line 1: '9{40}…' where"),
        ("3 1\n0 3 1\n", FormatError, r"line 2: head 3 is not a vertex; vertices are 0\.\.2"),
        ("3 2\n0 1 1\n0 1\n", FormatError, "line 3: '0 1' where 'TAIL HEAD WEIGHT' was expected"),
        ("3 2\n0 1\n0 1 1\n", FormatError, "line 3: '0 1 1' where 'TAIL HEAD' was expected"),
        ("3 1\n0 1 1e999\n", FormatError, "line 2: weight 1e999 does not fit a float"),
        ("3 1\n0 1 4000000000\n", FormatError, "line 2: weight 4000000000 does not fit 32 bits"),
        ("3 2\n0 1 1\n", FormatError, "line 1 announces 2 arcs, but the file has 1"),
        ("0 0\n", GraphError, "line 1: the graph is empty"),
        ("3 3000000000\n", GraphError, "line 1: 3 vertices and 3000000000 arcs are more"),
    ],
)
def test_what_it_refuses(text, content, error, complaint):
    with pytest.raises(error, match=complaint):
        edge_text.read(text(content))


def test_weights_may_be_missing_and_comments_stand_anywhere(text):
    graph = edge_text.read(text("# streets\n\n3 2\n# arcs\n0 1\n2 2\n"))
    assert (graph.indices.tolist(), graph.weights.tolist(), graph.labels.tolist()) == ([1, 2], [1, 1], [0, 1, 2])
    assert graph.metadata["weights"] == {"kind": "unit"}
    with pytest.raises(FormatError, match="line 6: head 3 is not a vertex"):
        edge_text.read(text("# streets\n\n3 2\n# arcs\n0 1\n2 3\n"))
