"""The graph: built from arcs or a matrix, saved and loaded, and what it refuses."""

import json
import os
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from tiny_graphs import named

import warpath
import warpath.csgraph
from warpath.distances import UNREACHABLE
from warpath.errors import FormatError, GraphError, UsageError
from warpath.graphs.csr import ARCS_MAX, WEIGHT_LIMIT, Graph, from_arcs, load, undirected
from warpath.graphs.objects.adopted import as_graph

INT32 = np.int32


def arcs(*triples):
    return np.array(triples, dtype=np.int64).reshape(-1, 3).T


@st.composite
def arc_lists(draw):
    vertices = draw(st.integers(1, 12))
    count = draw(st.integers(0, 40))
    ends = hnp.arrays(np.int32, count, elements=st.integers(0, vertices - 1))
    weights = hnp.arrays(np.int32, count, elements=st.integers(-5, 5))
    return vertices, draw(ends), draw(ends), draw(weights)


@given(arc_lists())
def test_rows_hold_the_arcs_of_each_tail_in_their_order(arc_list):
    vertices, tails, heads, weights = arc_list
    graph = from_arcs(vertices, tails, heads, weights)
    assert graph.vertices == vertices
    for vertex in range(vertices):
        row = slice(graph.indptr[vertex], graph.indptr[vertex + 1])
        assert graph.indices[row].tolist() == heads[tails == vertex].tolist()
        assert graph.weights[row].tolist() == weights[tails == vertex].tolist()
    assert graph.tails().tolist() == sorted(tails.tolist())


@given(arc_lists())
def test_the_dense_matrix_keeps_the_lightest_parallel_arc(arc_list):
    vertices, tails, heads, weights = arc_list
    matrix = from_arcs(vertices, tails, heads, weights).dense()
    for tail in range(vertices):
        for head in range(vertices):
            parallel = weights[(tails == tail) & (heads == head)]
            assert matrix[tail, head] == (parallel.min() if len(parallel) else UNREACHABLE)


def test_the_longest_path_bound_takes_the_heaviest_arc_into_each_vertex():
    graph = from_arcs(3, *arcs((0, 1, 5), (2, 1, -7), (1, 2, WEIGHT_LIMIT)))
    assert graph.longest_path_bound == 7 + WEIGHT_LIMIT


def test_what_from_arcs_refuses():
    for vertices, triples, says in (
        (0, [], "vertices"),
        (2, [(0, 2, 1)], r"heads\[0\] is 2"),
        (2, [(0, 1, 1), (-1, 0, 1)], r"tails\[1\] is -1"),
        (2, [(0, 1, 1), (0, 1, 2**31 - 1)], r"weights\[1\] is 2147483647"),
        (2, [(0, 1, -(2**31))], r"weights\[0\] is -2147483648"),
        (2**31, [], "32-bit"),
    ):
        with pytest.raises(GraphError, match=says):
            from_arcs(vertices, *arcs(*triples))
    for vertices, ends, says in (
        ("3", [0], "'3'"),
        (3.0, [0], r"3\.0"),
        (True, [0], "True"),
        (3, 0, "tails"),
        (3, [[0]], "tails"),
        (3, [0.0], "tails"),
    ):
        with pytest.raises(GraphError, match=says):
            from_arcs(vertices, ends, ends, ends)
    with pytest.raises(GraphError, match="2 tails, 1 heads and 1 weights"):
        from_arcs(2, np.array([0, 1]), np.array([1]), np.array([1]))
    many = np.broadcast_to(np.int8(0), ARCS_MAX + 1)  # before any memory is taken
    with pytest.raises(GraphError, match="32-bit"):
        from_arcs(1, many, many, many)
    for rows in ([0], [0, -1], [0.0, 1.0], [[0, 1]]):
        with pytest.raises(GraphError, match="rows"):
            from_arcs(2, [0, 1], [1, 0], [1, 1], rows=rows)


def test_save_and_load_give_the_same_graph_and_the_same_bytes(tmp_path):
    graph = from_arcs(3, *arcs((0, 1, 5), (2, 2, 0), (1, 0, -7)), {"title": "Zürich", "weights": {"kind": "given"}})
    graph.save(tmp_path / "deeper" / "one.npz")
    graph.save(tmp_path / "two")
    loaded = load(tmp_path / "deeper" / "one.npz")
    assert loaded.metadata == graph.metadata
    assert loaded.sha256 == graph.sha256
    assert (tmp_path / "two").read_bytes() == (tmp_path / "deeper" / "one.npz").read_bytes()


def test_a_graph_of_a_file_whose_name_is_no_text_is_saved(tmp_path):
    graph = from_arcs(2, *arcs((0, 1, 5)), {"origin": os.fsdecode(b"roads-\xff.gr")})
    graph.save(tmp_path / "one.npz")
    assert load(tmp_path / "one.npz").metadata == {"origin": "roads-?.gr"}


def test_arrays_that_are_no_graph_are_refused_and_do_not_load(tmp_path):
    def array(*values):
        return np.array(values, INT32)

    about = np.frombuffer(b"{}", np.uint8)
    for indptr, indices, weights in (
        (np.zeros(2, np.int64), array(), array()),
        (array(), array(), array()),
        (array(0, 2), array(0, 0), array(0)),
        (array(0, 1), array(0, 0), array(0, 0)),
        (array(0, 3, 2), array(0, 0), array(0, 0)),
        (array(0, 1), array(1), array(0)),
        (array(0, 1), array(0), array(UNREACHABLE)),
        (array(0, 1, 2, 2), array(1, 2), array(4)),
        (array(0, 1, 2, 2), array(1, -1), array(4, 5)),
        (array(0, 2**31 - 1, 2, 2), array(1, 2), array(4, 5)),
        (array(-1, 1, 2, 2), array(1, 2), array(4, 5)),
        (array(0, 1, 2, 3), array(1, 2), array(4, 5)),
    ):
        with named(f"{indptr}, {indices}, {weights}"):
            with pytest.raises(GraphError):
                Graph(indptr, indices, weights)
            np.savez(tmp_path / "bad.npz", indptr=indptr, indices=indices, weights=weights, labels=0, about=about)
            with pytest.raises(FormatError, match=r"bad\.npz"):
                load(tmp_path / "bad.npz")
    with pytest.raises(GraphError, match="indptr"):
        Graph([0, 0], array(), array())
    for labels in (1.5, True, 2**63, -(2**63) - 1, np.array(1)):
        with pytest.raises(GraphError, match="labels"):
            Graph(array(0, 1, 1), array(1), array(4), {}, labels)


def test_what_does_not_load(tmp_path):
    with pytest.raises(FormatError, match=r"none\.npz: no such file"):
        load(tmp_path / "none.npz")
    graph = from_arcs(2, *arcs(*[(0, 1, weight) for weight in range(1000)]))
    graph.save(tmp_path / "whole.npz")
    whole = (tmp_path / "whole.npz").read_bytes()
    np.savez(tmp_path / "other.npz", x=np.arange(3))
    np.save(tmp_path / "matrix.npy", np.eye(3))
    contents = {"empty": b"", "text": b"1 2 3\n", "cut": whole[: len(whole) // 2], "object": b"\x80\x04N."}
    contents |= {name: next(tmp_path.glob(f"{name}.*")).read_bytes() for name in ("other", "matrix")}
    for name, content in contents.items():
        path = tmp_path / f"{name}.npz"
        path.write_bytes(content)
        with pytest.raises(FormatError, match=rf"{name}.npz: not a warpath graph") as refused:
            load(path)
        assert (f"rm {path}" in str(refused.value)) == (name == "cut")  # the others may be of somebody


def test_a_graph_cannot_be_written_through():
    indptr = np.array([0, 1, 1], INT32)
    graph = Graph(indptr, np.ones(1, INT32), np.ones(1, INT32))
    for array in (graph.indptr, graph.indices, graph.weights, graph.labels):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert indptr.flags.writeable


def test_equal_graphs_compare_equal_wherever_they_come_from():
    first = from_arcs(2, *arcs((0, 1, 5)), {"title": "one"})
    second = from_arcs(2, *arcs((0, 1, 5)), {"title": "other"})
    assert first == second and hash(first) == hash(second) and first.sha256 == second.sha256
    others = [
        from_arcs(2, *arcs((0, 1, 6))),
        from_arcs(2, *arcs((1, 1, 5))),
        from_arcs(3, *arcs((0, 1, 5))),
        from_arcs(2, *arcs((0, 1, 5), (1, 1, 5))),
        from_arcs(2, *arcs((0, 1, 5)), labels=1),
        from_arcs(2, *arcs((0, 1, 5)), {"weights": {"kind": "given", "scale": 10}}),
        "a graph",
    ]
    assert first not in others and first.sha256 not in {other.sha256 for other in others[:4]}


def test_a_graph_is_shown_in_one_line():
    assert repr(from_arcs(3, *arcs((0, 1, 5), (1, 2, -2)), labels=1)) == (
        "<Graph: 3 vertices, 2 arcs, weights -2 to 5, labels 1 to 3>"
    )
    scaled = from_arcs(2, *arcs((0, 1, 25)), {"weights": {"kind": "given", "scale": 10}}, ["a", "b"])
    assert repr(scaled) == "<Graph: 2 vertices, 1 arcs, weights 25 to 25, scale 10, labels 'a', 'b'>"
    twice = from_arcs(2, *arcs((0, 1, 1), (0, 1, 1), (1, 1, 1), (1, 0, 1)), {"format": "gr"})
    for part in ("DIMACS", "4 arcs", "1 parallel arc,", "1 loop,", "labels 0 to 1"):
        assert part in twice.describe()


def test_a_name_that_a_file_cannot_hold_is_kept_in_memory_and_refused_by_save(tmp_path):
    for label in ("a\0", "a\ud800", (1, 2)):
        graph = from_arcs(3, *arcs((0, 1, 5), (1, 2, 1)), labels=[label, "a", "b"])
        assert graph.labels.tolist() == [label, "a", "b"] and graph.names.index_of(label) == 0
        with pytest.raises(UsageError, match="label"):
            graph.save(tmp_path / "graph.npz")
        assert not list(tmp_path.iterdir())


BOTH_WAYS = [(0, 1, 5), (1, 0, 5), (0, 1, 5), (1, 0, 5), (1, 2, 7), (2, 1, 7), (1, 1, 3), (2, 2, 0), (2, 2, 4)]
UNDIRECTED, COUNTED = {"undirected": True}, {"weights": {"kind": "unit"}}
CLAIMS = [
    (UNDIRECTED, BOTH_WAYS, None),
    (UNDIRECTED, [], None),
    (UNDIRECTED, [(2, 2, 1)], None),
    (UNDIRECTED, BOTH_WAYS[1:], "1 -> 0 of weight 5"),  # one of two parallel arcs is missing
    (UNDIRECTED, [(1, 2, 5), *BOTH_WAYS], "1 -> 2"),
    (UNDIRECTED, [*BOTH_WAYS, (2, 0, 0)], "2 -> 0"),
    (UNDIRECTED, [*BOTH_WAYS, (2, 0, 1), (0, 2, -1)], "0 -> 2"),
    (UNDIRECTED, [(0, 1, 5), (1, 0, 7), (1, 2, 7), (2, 1, 5)], "0 -> 1"),  # both ways have the same weights
    (UNDIRECTED, [(0, 1, 5), (1, 2, 5), (2, 0, 5)], "0 -> 1"),
    (COUNTED, [(0, 1, 1), (0, 1, 1), (2, 2, 1)], None),
    (COUNTED, [], None),
    (COUNTED, [(0, 1, 7)], "7"),
    (COUNTED, [(0, 1, 1), (1, 2, 0)], "0"),
    ({"weights": {"kind": "unit", "scale": 10}}, [(0, 1, 1)], "10"),
    ({"undirected": "no"}, [(0, 1, 1)], "undirected"),
]


@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_what_metadata_claim_is_compared_with_the_arcs(tmp_path, dtype):
    path = tmp_path / "graph.npz"
    for claim, triples, says in CLAIMS:
        with named(f"{claim}, {triples}"):
            tails, heads, weights = arcs(*triples)
            weights = weights.astype(dtype)
            plain = from_arcs(3, tails, heads, weights)
            plain.save(path)
            with np.load(path) as saved:
                np.savez(path, **{**saved, "about": np.frombuffer(json.dumps(claim).encode(), np.uint8)})
            for error, make in (
                (GraphError, partial(from_arcs, 3, tails, heads, weights, claim)),
                (GraphError, partial(replace, plain, metadata=claim)),
                (FormatError, partial(load, path)),
            ):
                if says is None:
                    assert make().metadata == claim
                else:
                    with pytest.raises(error, match=re.escape(says)) as told:
                        make()
                    assert error is GraphError or str(path) in str(told.value)


def test_a_claim_about_old_weights_is_refused_for_new_ones():
    counted = from_arcs(3, *arcs((0, 1, 1), (1, 0, 1)), {**UNDIRECTED, **COUNTED})
    for weights in ([7, 7], [1, 2]):
        with pytest.raises(GraphError):
            replace(counted, weights=np.array(weights, np.int32))


def test_each_arc_of_many_needs_one_back():
    numbers = np.random.default_rng()
    for vertices, count in ((4, 60), (300, 100_000)):
        ends = numbers.integers(0, vertices, (2, count))
        both = undirected(from_arcs(vertices, *ends, numbers.normal(size=count)))
        assert undirected(both) is both
        weights = both.weights.copy()
        arc = int(numbers.choice(np.flatnonzero(both.tails() != both.indices)))
        weights[arc] = np.nextafter(weights[arc], 9)
        with pytest.raises(GraphError):
            replace(both, weights=weights)


# Matrices of other libraries whose arrays contradict themselves.


MATRIX = np.array([[0, 1, 2], [3, 0, 0], [0, 4, 0]])


def test_a_sparse_matrix_that_contradicts_itself():
    for form, name, values in (
        ("csr", "indptr", [0, 2, 3, 900_000_000]),
        ("csr", "indptr", [0, 900_000_000, 3, 4]),
        ("csr", "indptr", [0, 3, 2, 4]),
        ("csr", "indptr", [-5, 2, 3, 4]),
        ("csr", "indptr", [0, 2, 4]),
        ("csr", "indices", [1, 2, 0, 900_000_000]),
        ("csr", "indices", [1, 2, 0, -1]),
        ("csr", "indices", [1, 2, 0]),
        ("csr", "data", [1, 2, 3]),
        ("csc", "indptr", [0, 1, 3, 900_000_000]),
        ("csc", "indices", [1, 900_000_000, 2, 0]),
        ("bsr", "indptr", [0, 2, 3, 900_000_000]),
        ("bsr", "indices", [1, 900_000_000, 0, 1]),
        ("coo", "coords", (np.array([0, 1]), np.array([1, 900_000_000]))),
        ("coo", "data", [1]),
        ("lil", "rows", scipy.sparse.lil_array(MATRIX).rows[:2]),
        ("lil", "data", np.array([[1] * 5000, [3], [4]], object)),
    ):
        with named(f"{form}, {name} {values}"):
            matrix = scipy.sparse.coo_array(MATRIX).asformat(form)
            setattr(matrix, name, values if name == "coords" or form == "lil" else np.array(values, np.int32))
            with pytest.raises(GraphError):
                as_graph(matrix)


def test_pointers_that_lead_outside_a_matrix_without_entries():
    """scipy writes 100 numbers past the end of an empty array here."""
    for form in ("csr", "csc", "bsr"):
        for pointers in ([0, 100, 0], [0, -1, 0], [5, 5, 0]):
            matrix = scipy.sparse.coo_array((2, 2), dtype=np.int32).asformat(form)
            matrix.indptr = np.array(pointers, np.int32)
            for read in (as_graph, warpath.csgraph.dijkstra, warpath.csgraph.shortest_path):
                with named(f"{form}, {pointers}"), pytest.raises(GraphError):
                    read(matrix)
