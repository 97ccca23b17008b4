"""Graphs of other libraries: matrices, NetworkX, igraph, pandas; and what is refused."""

import pickle
from fractions import Fraction

import graph_files
import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from tiny_graphs import named

from warpath.errors import GraphError, UsageError
from warpath.graphs.csr import from_arcs
from warpath.graphs.files.formats import read
from warpath.graphs.objects.adopted import as_graph
from warpath.graphs.weights import with_random_weights


def arcs(thing):
    """The arcs of the adopted graph as sorted (label, label, weight)."""
    return sorted(graph_files.arcs(as_graph(thing)), key=repr)


class FakeCuPy:
    """What lies on a GPU: it gives a copy, and cannot be looked into otherwise."""

    __module__ = "cupyx.scipy.sparse._csr"

    def __init__(self, matrix):
        self.matrix = matrix

    def get(self):
        return self.matrix


MATRIX = np.array([[0, 7, 0], [0, 0, 2], [1, 0, 0]])


def test_matrices():
    for thing in (
        *(MATRIX, MATRIX.astype(float), MATRIX.astype(np.uint8), MATRIX.tolist(), np.matrix(MATRIX)),
        *(np.ma.masked_equal(MATRIX, 0), np.where(MATRIX, MATRIX, np.inf), np.where(MATRIX, MATRIX, np.nan)),
        *(scipy.sparse.csr_array(MATRIX), scipy.sparse.lil_matrix(MATRIX), scipy.sparse.dia_array(MATRIX)),
        *(FakeCuPy(scipy.sparse.csr_matrix(MATRIX)), FakeCuPy(MATRIX)),
    ):
        with named(repr(thing)):
            assert arcs(thing) == [(0, 1, 7), (1, 2, 2), (2, 0, 1)]
            assert as_graph(thing).labels.tolist() == [0, 1, 2]


def test_a_graph_stays_itself():
    graph = from_arcs(2, [0], [1], [3])
    assert as_graph(graph) is graph
    with pytest.raises(UsageError, match="scale 1"):
        as_graph(graph, 10)


def test_stored_entries_are_arcs_zeros_and_parallel_ones_too():
    twice = scipy.sparse.coo_array(([5, 3, 0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert arcs(twice) == [(0, 1, 3), (0, 1, 5), (1, 0, 0)]
    rows = scipy.sparse.csr_array((np.array([5, 3, 0]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert arcs(rows) == [(0, 1, 3), (0, 1, 5), (1, 0, 0)]
    assert arcs(np.ma.masked_array([[0, 5], [6, 0]], [[0, 1], [0, 0]])) == [(1, 0, 6)]
    assert arcs(MATRIX > 0) == [(0, 1, 1), (1, 2, 1), (2, 0, 1)]
    assert arcs(scipy.sparse.csr_array(MATRIX > 0)) == [(0, 1, 1), (1, 2, 1), (2, 0, 1)]
    given_false = scipy.sparse.coo_array((np.array([True, False]), ([0, 1], [1, 0])), shape=(2, 2))
    assert arcs(given_false) == [(0, 1, 1), (1, 0, 0)]
    assert arcs(np.zeros((1, 1))) == []


def test_fractions_are_floats_or_made_whole_by_a_scale():
    matrix = np.array([[0, 0.1], [2.25, 0]])
    assert as_graph(matrix).weights.tolist() == [0.1, 2.25]
    assert as_graph(matrix.astype(np.float32)).weights.dtype == np.float32
    with pytest.raises(GraphError, match=r"\(0, 1\) is 0\.1, .*--scale 100 "):
        as_graph(matrix, 1)
    with pytest.raises(GraphError, match=r"\(1, 0\) is 2\.25, "):
        as_graph(matrix, 10)
    graph = as_graph(matrix, 100)
    assert (graph.weights.tolist(), graph.scale, graph.metadata["weights"]["scale"]) == ([10, 225], 100, 100)
    assert as_graph(matrix.astype(np.float32), 100).weights.tolist() == [10, 225]
    assert as_graph(np.array([[0, 1 / 3], [0, 0]]), 3).weights.tolist() == [1]
    with pytest.raises(GraphError, match="power of ten"):
        as_graph(np.array([[0, 1 / 3], [0, 0]]), 10)


def test_matrices_that_are_no_graphs():
    odd = scipy.sparse.csr_array(([2.5, np.inf], ([0, 1], [1, 0])), shape=(2, 2))
    missing = scipy.sparse.csr_array(([np.nan], ([0], [1])), shape=(2, 2))
    no_weights = [(MATRIX > 0).astype(object), MATRIX.astype(str), scipy.sparse.csr_array(MATRIX * 1j)]
    no_weights += [MATRIX.astype(kind) for kind in ("M8[s]", "m8[s]", complex)]
    for thing, scale, says in (
        ([[1, 2], [3]], None, "rows"),
        (np.ones((2, 3)), None, "2 x 3"),
        (np.ones(3), None, "dimensions"),
        (np.zeros((0, 0)), None, "vertices"),
        (np.array([[0, 2.0**40], [0, 0]]), 1, r"\(0, 1\) is 1099511627776"),
        (np.array([[0, 1.5], [0, 0]], np.longdouble), None, "64 bits"),
        (odd, None, r"\(1, 0\) is inf"),
        (np.array([[0, 2**30], [0, 0]]), 10, "1073741824 times the scale 10"),
        (missing, None, "nan"),
        *((matrix, None, None) for matrix in no_weights),
        (np.array([[0, -np.inf, 2.0], [0, 0, 1], [1, 1, 0]]), None, r"\(0, 1\)"),  # among which 0 may be a weight
        (np.array([[0, np.nan, 2.0], [0, 0, 1], [1, 1, 0]]), None, r"\(1, 0\)"),
        *((np.array([[0, 2**31 - 1], [0, 0]], f"{kind}"), None, "2147483647") for kind in ("i4", "i8", "u4", "u8")),
    ):
        with named(repr(thing)), pytest.raises(GraphError, match=says):
            as_graph(thing, scale)
    for kind in ("i4", "i8", "u4", "u8"):
        assert as_graph(np.array([[0, 2**31 - 2], [0, 0]], kind)).weights.tolist() == [2**31 - 2]


def test_what_is_not_a_graph():
    for thing, says in (("roads.gr", r"warpath\.read"), (None, "None"), (5, "int"), ({"a": 1}, "dict")):
        with pytest.raises(UsageError, match=says):
            as_graph(thing)
    for option in ("weight", "tail", "head"):  # a list is no name
        with pytest.raises(UsageError):
            as_graph(pd.DataFrame({"source": ["a"], "target": ["b"], "weight": [1]}), **{option: [option]})
    for scale in (0, -1, 0.5, True, "10", 2 * 10**9):
        with pytest.raises(UsageError, match="1000000000"):
            as_graph(MATRIX, scale)


def test_a_networkx_graph_keeps_its_nodes():
    roads = nx.DiGraph()
    roads.add_edge("Bern", "Basel", weight=95)
    roads.add_edge("Basel", (3, 4), weight=1)
    roads.add_node(7)
    assert as_graph(roads).labels.tolist() == ["Bern", "Basel", (3, 4), 7]
    assert arcs(roads) == [("Basel", (3, 4), 1), ("Bern", "Basel", 95)]
    assert as_graph(roads).index_of((3, 4)) == 2


def test_undirected_edges_are_two_arcs_and_a_loop_is_one():
    ring = nx.Graph([(1, 2, {"weight": 5}), (2, 2, {"weight": 3})])
    assert arcs(ring) == [(1, 2, 5), (2, 1, 5), (2, 2, 3)]
    multi = nx.MultiGraph([(1, 2, {"weight": 5}), (1, 2, {"weight": 6})])
    assert arcs(multi) == [(1, 2, 5), (1, 2, 6), (2, 1, 5), (2, 1, 6)]
    assert arcs(nx.MultiDiGraph([(1, 2, {"weight": 5}), (1, 2, {"weight": 1})])) == [(1, 2, 1), (1, 2, 5)]
    assert as_graph(ring).metadata["undirected"] is True


def test_networkx_weights_that_do_not_suit():
    for weight in ("5", None, 1j, [1], Fraction(1, 2)):
        with pytest.raises(GraphError, match="from 2 to 3"):
            as_graph(nx.Graph([(1, 2, {"weight": 1}), (2, 3, {"weight": weight})]))
    with pytest.raises(GraphError):
        as_graph(nx.Graph())


def test_an_igraph_graph():
    graph = igraph.Graph(n=4, edges=[(0, 1), (1, 1), (2, 0)], directed=True)
    assert arcs(graph) == [(0, 1, 1), (1, 1, 1), (2, 0, 1)]
    graph.es["weight"] = [4, 5, 1]
    graph.vs["name"] = ["a", "b", "c", "d"]
    assert arcs(graph) == [("a", "b", 4), ("b", "b", 5), ("c", "a", 1)]
    graph.vs["name"] = ["a", "a", "c", "d"]
    assert as_graph(graph).labels.tolist() == [0, 1, 2, 3]
    assert arcs(igraph.Graph(n=3, edges=[(0, 1), (2, 2)])) == [(0, 1, 1), (1, 0, 1), (2, 2, 1)]
    assert as_graph(igraph.Graph(n=1)).arcs == 0


def test_a_pandas_edge_list():
    frame = pd.DataFrame({"source": [30, 10, 30], "target": [10, 77, 10], "weight": [5, 1, 2], "note": ["", "", ""]})
    assert as_graph(frame).labels.tolist() == [10, 30, 77]
    assert arcs(frame) == [(10, 77, 1), (30, 10, 2), (30, 10, 5)]
    assert arcs(frame[["source", "target"]]) == [(10, 77, 1), (30, 10, 1), (30, 10, 1)]
    names = pd.DataFrame({"source": ["b", "a"], "target": ["a", "c"], "weight": pd.array([2, 3], "Int64")})
    assert arcs(names) == [("a", "c", 3), ("b", "a", 2)]


def test_vertices_of_pandas_that_no_float_tells_apart():
    large = 2**53
    for source, target in (("uint64", "int64"), ("UInt64", "int64"), ("int64", "float64")):
        columns = {"source": pd.Series([large + 1, large], dtype=source), "target": pd.Series([2, 1], dtype=target)}
        assert arcs(pd.DataFrame(columns)) == [(large, 1, 1), (large + 1, 2, 1)]


def test_pandas_edge_lists_that_are_no_graphs():
    for columns, says in (
        ({"from": [1], "to": [2]}, "tail='from', head='to'"),
        ({"source": [1.0, np.nan], "target": [1.0, 2.0]}, "row 1 .*tail"),
        ({"source": ["a"], "target": [None]}, "row 0 .*head"),
        ({"source": [1, 2], "target": [2, 3], "weight": [1.5, np.nan]}, "from 2 to 3"),
        ({"source": [2], "target": [3], "weight": pd.array([None], "Int64")}, "from 2 to 3"),
        ({"source": [2], "target": [3], "weight": ["x"]}, "from 2 to 3 is 'x'"),
        (pd.DataFrame([[1, 2, 3]], columns=["source", "target", "target"]), "'target'"),
        ({"source": [], "target": []}, "vertices"),
    ):
        with named(str(columns)), pytest.raises(GraphError, match=says):
            as_graph(pd.DataFrame(columns))


KM = [("a", "b", {"km": 3.5, "id": [7], "n": 1}), ("b", "c", {"km": 2, "id": 8, "n": 2})]
COLUMNS = {"source": ["a", "b"], "target": ["b", "c"], "n": [1, 2], "km": [3.5, 2]}
WEIGHTED = {
    "networkx": nx.MultiDiGraph(KM),
    "igraph": igraph.Graph([(0, 1), (1, 2)], True, edge_attrs={"km": [3.5, 2], "id": [[7], 8], "n": [1, 2]}),
    "pandas": pd.DataFrame({**COLUMNS, "id": ["x", 8]}),
    "pyarrow": pyarrow.table(COLUMNS),
}


def test_weights_have_the_name_that_the_caller_gives():
    for library, thing in WEIGHTED.items():
        with named(library):
            graph = as_graph(thing, weight="km")
            assert (graph.weights.tolist(), graph.weight_name) == ([3.5, 2], "km")
            counted = as_graph(thing, weight=None)
            assert (counted.weights.tolist(), counted.weight_name) == ([1, 1], None)
            for missing in ("weight", "miles"):
                with pytest.raises(GraphError, match=f"'{missing}'.* weight='km'"):
                    as_graph(thing, weight=missing)
            assert sorted(as_graph(thing, weight="km", directed=False).weights.tolist()) == [2, 2, 3.5, 3.5]
            assert as_graph(thing, 2, weight="km").weights.tolist() == [7, 4]
            with pytest.raises(UsageError):
                as_graph(thing, 2, weight=None)


def test_arcs_without_any_numbers_are_counted_unless_a_name_is_given():
    for thing in (
        nx.DiGraph([("a", "b"), ("b", "c")]),
        igraph.Graph([(0, 1), (1, 2)], True),
        pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "name": ["x", "y"], "oneway": [True, False]}),
    ):
        graph = as_graph(thing)
        assert (graph.weights.tolist(), graph.weight_name) == ([1, 1], None)
        with pytest.raises(GraphError, match=r"'km'.* weight=None"):
            as_graph(thing, weight="km")
        with pytest.raises(GraphError, match="scale"):
            as_graph(thing, 10)


def test_a_column_of_floats_keeps_its_type(tmp_path):
    for kind in (np.float16, np.float32, np.float64, "float[pyarrow]", "Float32"):
        frame = pd.DataFrame({"source": [0, 1], "target": [1, 2], "weight": pd.array([0.1, 2.5], dtype=kind)})
        held = np.float64 if kind is np.float64 else np.float32
        assert as_graph(frame).weights.dtype == held
        frame.to_parquet(tmp_path / "roads.parquet")
        assert read(tmp_path / "roads.parquet").weights.dtype == held


def test_an_edge_without_the_weight_that_others_have():
    for thing in (
        nx.Graph([("a", "b", {"weight": 5}), ("b", "c", {"name": "x"})]),
        igraph.Graph([(0, 1), (1, 2)], edge_attrs={"weight": [5, None]}, vertex_attrs={"name": list("abc")}),
    ):
        with pytest.raises(GraphError, match=r"from 'b' to 'c' .*'weight'"):
            as_graph(thing)
        assert as_graph(thing, weight=None).arcs == 4


def test_columns_of_ends_may_have_any_name_and_be_levels_of_the_index():
    frame = pd.DataFrame({"u": [1, 1], "v": [2, 2], "key": [0, 1], "length": [4.5, 3.0]})
    keys = pd.DataFrame({0: [1, 1], ("to", 1): [2, 2], 2: [4.5, 3.0]})
    made = [
        as_graph(frame, tail="u", head="v", weight="length"),
        as_graph(frame.set_index(["u", "v", "key"]), tail="u", head="v", weight="length"),
        as_graph(frame.set_index("v"), tail="u", head="v", weight="length"),
        as_graph(keys, tail=0, head=("to", 1), weight=2),
    ]
    assert arcs(made[0]) == [(1, 2, 3.0), (1, 2, 4.5)]
    assert all(graph == made[0] for graph in made)
    with pytest.raises(GraphError, match=r"'v'.* 'to'"):
        as_graph(frame.rename(columns={"v": "to"}), tail="u", head="v")


TRIPLES = [(2, 0, 5), (0, 1, 7), (2, 2, 3), (0, 1, 4), (1, 0, 8)]
TAILS, HEADS, WEIGHTS = (list(column) for column in zip(*TRIPLES, strict=True))
ENDS = list(zip(TAILS, HEADS, strict=True))
FILES = {
    "roads.csv": "source,target,weight\nc,a,5\na,b,7\n\nc,c,3\na,b,4\nb,a,8\n",
    "roads.wel": "# roads\n2 0 5\n0 1 7\n2 2 3\n0 1 4\n1 0 8\n",
    "roads.gr": "p sp 3 5\na 3 1 5\na 1 2 7\nc note\na 3 3 3\na 1 2 4\na 2 1 8\n",
    "pairs.mtx": "%%MatrixMarket matrix coordinate integer symmetric\n3 3 5\n3 1 5\n1 2 7\n3 3 3\n1 2 4\n2 1 8\n",
    "dense.mtx": "%%MatrixMarket matrix array integer general\n2 2\n0\n5\n7\n3\n",
    "half.mtx": "%%MatrixMarket matrix array integer symmetric\n2 2\n5\n7\n3\n",
}
OF_ROWS = {
    "pandas": (pd.DataFrame({"source": TAILS, "target": HEADS, "weight": WEIGHTS}, index=list("vwxyz")), WEIGHTS),
    "igraph": (igraph.Graph(edges=ENDS, edge_attrs={"weight": WEIGHTS}), WEIGHTS),
    "dense": (MATRIX, MATRIX[MATRIX != 0]),
    "arcs": (from_arcs(3, TAILS, HEADS, WEIGHTS), WEIGHTS),
    "rows": (from_arcs(3, TAILS, HEADS, WEIGHTS, rows=[4, 3, 2, 1, 0]), WEIGHTS[::-1]),
    **dict.fromkeys(FILES, (None, WEIGHTS)),
    "dense.mtx": (None, [5, 7, 3]),
    "half.mtx": (None, [5, 7, 3]),
}


@pytest.mark.parametrize("kind", OF_ROWS)
def test_rows_tell_where_each_arc_comes_from(kind, tmp_path):
    thing, values = OF_ROWS[kind]
    for directed in (True, False):
        if kind in FILES:
            (tmp_path / kind).write_text(FILES[kind])
            graph = read(tmp_path / kind, directed=directed)
        else:
            graph = as_graph(thing, directed=directed)
        turned = graph.reverse()
        for of in (graph, turned, pickle.loads(pickle.dumps(graph))):
            assert np.array(values)[of.rows].tolist() == of.weights.tolist()
        assert with_random_weights(turned, 1).rows.tolist() == turned.rows.tolist()
        graph.save(tmp_path / "saved.npz")
        assert read(tmp_path / "saved.npz").rows.tolist() == list(range(graph.arcs))


def test_directions_of_graphs_and_matrices():
    there = from_arcs(3, [0, 1, 2], [1, 1, 0], [4, 5, 6])
    both = as_graph(there, directed=False)
    assert arcs(both) == [(0, 1, 4), (0, 2, 6), (1, 0, 4), (1, 1, 5), (2, 0, 6)]
    assert as_graph(both, directed=False) is both
    assert as_graph(MATRIX, directed=False).arcs == 6
    assert as_graph(nx.Graph([(0, 1)]), directed=False).arcs == 2


def test_a_graph_and_a_matrix_have_one_weight_without_a_name():
    graph = from_arcs(2, [0], [1], [7])
    for thing in (graph, [[0, 7], [0, 0]]):
        assert as_graph(thing, weight=None).weights.tolist() == [1]
        with pytest.raises(UsageError, match="'km'"):
            as_graph(thing, weight="km")


@st.composite
def graphs(draw):
    """A graph with parallel arcs, loops and zero weights, whose labels are numbers or names."""
    vertices = draw(st.integers(1, 8))
    ends = st.integers(0, vertices - 1)
    weights = draw(st.sampled_from([st.integers(-3, 3), st.sampled_from([0.0, 0.1, 2.5, 1e300])]))
    lines = draw(st.lists(st.tuples(ends, ends, weights), max_size=20))
    tails, heads, values = zip(*lines, strict=True) if lines else ((), (), ())
    labels = draw(st.sampled_from([None, 7, [f"town {vertex}" for vertex in range(vertices)]]))
    return from_arcs(vertices, tails, heads, values, labels=labels)


@given(graph=graphs())
def test_graphs_for_other_libraries_and_back(graph):
    network = graph.to_networkx()
    assert arcs(network) == arcs(graph)
    assert list(network) == graph.labels.tolist()
    assert network.is_multigraph() == (len(set(zip(graph.tails(), graph.indices, strict=True))) < graph.arcs)
    lightest = {}
    for tail, head, weight in zip(graph.tails().tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True):
        lightest[tail, head] = min(weight, lightest.get((tail, head), weight))
    stored = graph.to_scipy().tocoo()
    assert dict(zip(zip(stored.row.tolist(), stored.col.tolist(), strict=True), stored.data, strict=True)) == lightest
    turned = graph.reverse()
    assert arcs(turned) == sorted(((head, tail, weight) for tail, head, weight in arcs(graph)), key=repr)
    assert turned.labels.tolist() == graph.labels.tolist() and turned.metadata == graph.metadata


@pytest.mark.parametrize("library", [polars.DataFrame, pyarrow.table])
def test_ends_in_typed_columns(library):
    names = {"source": ["b", "a"], "target": ["a", "c"], "weight": [2, None]}
    assert arcs(library({**names, "weight": [2, 3]})) == [("a", "c", 3), ("b", "a", 2)]
    for columns, says in (
        ({**names}, "from 'a' to 'c'"),
        ({**names, "source": [1, 2]}, "Int64 and heads String"),
        ({**names, "source": [["b"], ["a"]], "target": [["a"], ["c"]]}, "List"),
        ({**names, "source": ["b", None]}, "row 1 has no tail"),
        ({**names, "source": [1.0, 2.0], "target": [2.0, np.nan]}, "row 1 has no head"),
        ({**names, "weight": ["x", "y"]}, "from 'b' to 'a' is 'x'"),
    ):
        with named(str(columns)), pytest.raises(GraphError, match=says):
            as_graph(library(columns))
    large = 2**53
    assert arcs(library({"source": [large + 1, large], "target": [2, 1]})) == [(large, 1, 1), (large + 1, 2, 1)]


def test_categories_of_two_columns_are_the_same_names():
    frame = polars.DataFrame({"source": ["b", "a"], "target": ["a", "c"], "weight": [2, 3]})
    kinds = polars.Categorical, polars.Enum(["a", "b", "c"])
    for source, target in ((kinds[0], kinds[0]), (kinds[1], polars.String), (kinds[0], kinds[1])):
        cast = frame.with_columns(polars.col("source").cast(source), polars.col("target").cast(target))
        assert arcs(cast) == [("a", "c", 3), ("b", "a", 2)]
