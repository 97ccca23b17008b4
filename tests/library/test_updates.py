"""New weights for a solver: each answer is that of a new solver, and what was there before stays as it was."""

import threading
from concurrent.futures import ThreadPoolExecutor

import igraph
import networkx
import numpy as np
import pandas
import pyarrow
import pytest
import scipy.sparse
from every_device import EVERY_DEVICE, opened
from examples import fewer
from hard_graphs import HARD
from hypothesis import given, settings, strategies
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import TINY, named, random_graphs

import warpath
from warpath.certificates.certificate import certify
from warpath.device.simulated.device import SimulatedDevice
from warpath.distances import UNREACHABLE
from warpath.errors import GraphError, NegativeCycleError, UsageError, WarpathError
from warpath.graphs.csr import Graph, check_weights, from_arcs
from warpath.library.solver import Solver

LARGEST = 2**31 - 2
BY_NAME = [
    ("near_far", "queue"),
    ("near_far", "whole_grid"),
    ("partition", "borders"),
    ("label_correcting", "four_arcs"),
    ("label_correcting", "cluster"),
    ("sparse_all_pairs", "narrow"),
    ("contraction_hierarchy", "sweep"),
]


def roads(side: int, dtype=np.int32) -> Graph:
    """A grid with edges both ways, in parts of several hundred vertices."""
    vertices = np.arange(side * side).reshape(side, side)
    tails = np.append(vertices[1:].ravel(), vertices[:, 1:].ravel())
    heads = np.append(vertices[:-1].ravel(), vertices[:, :-1].ravel())
    weights = drawn(2 * len(tails), 1, dtype)
    return from_arcs(side * side, np.append(tails, heads), np.append(heads, tails), weights)


def drawn(count: int, seed: int, dtype=np.int32) -> np.ndarray:
    numbers = np.random.default_rng(seed)
    return (numbers.integers(0, 50, count) if dtype == np.int32 else numbers.random(count)).astype(dtype)


def with_weights(graph: Graph, weights: np.ndarray) -> Graph:
    """A graph that shares nothing with ``graph``."""
    return Graph(graph.indptr.copy(), graph.indices.copy(), weights.astype(graph.weights.dtype))


def scipys(graph: Graph, source) -> np.ndarray:
    found = dijkstra(graph.to_scipy(), indices=source)
    if graph.weights.dtype == np.float64:
        return found
    return np.where(np.isinf(found), UNREACHABLE, found).astype(np.int32)


def assert_answers_are_those_of(solver: Solver, graph: Graph) -> None:
    """Every method answers for ``graph``."""
    assert solver.graph == graph
    many = list(range(0, graph.vertices, max(1, graph.vertices // 6)))
    for source in many[:2]:
        paths = solver.sssp(source)
        assert paths.graph is solver.graph and paths.certificate is not None
        np.testing.assert_array_equal(paths.distances, scipys(graph, source))
        certify(graph, source, paths.distances, paths.predecessors)
    expected = scipys(graph, many)
    np.testing.assert_array_equal(solver.sssp(many).distances, expected)
    np.testing.assert_array_equal(np.concatenate([rows for _, rows in solver.stream(many, chunk=2)]), expected)
    assert solver.certify(many, expected).sources == len(many)
    new = warpath.prepare(graph, solver.device)
    assert solver.statistics(many).eccentricities.tolist() == new.statistics(many).eccentricities.tolist()
    np.testing.assert_array_equal(solver.apsp().distances, scipys(graph, None))
    np.testing.assert_array_equal(solver.closure().reachable[many], expected != expected.max(initial=UNREACHABLE))


@pytest.mark.parametrize("device", EVERY_DEVICE)
@pytest.mark.parametrize(("prepared", "dtype"), [(True, np.int32), (False, np.float64)])
def test_every_method_answers_for_new_weights(device, prepared, dtype):
    graph, device = roads(13, dtype), opened(device)
    solver, other = Solver(graph, device, prepared), Solver(graph, device, prepared)
    before = {source: other.sssp(source).distances for source in (0, 80)}
    solver.sssp(0)
    weights = graph.weights.copy()
    for seed in range(3):
        if seed == 1:
            arcs = np.random.default_rng(seed).integers(0, graph.arcs, 90)
            new = drawn(len(arcs), seed, dtype)
            weights[arcs] = new
            solver.update(device.upload(new), arcs)
        else:
            weights = drawn(graph.arcs, seed, dtype)
            solver.update(device.upload(weights) if seed else weights)
        assert_answers_are_those_of(solver, with_weights(graph, weights))
    assert other.graph is graph and graph == roads(13, dtype)
    for source, distances in before.items():
        np.testing.assert_array_equal(other.sssp(source).distances, distances)


class OnGpu:
    """An array that, like one of CuPy, NumPy does not convert by itself; another thread may not find its GPU."""

    def __init__(self, array):
        self._array, self.dtype, self.nbytes, self.itemsize = array, array.dtype, array.nbytes, array.itemsize
        self._thread = threading.get_ident()

    def __len__(self):
        return len(self._array)

    def __getitem__(self, key):
        return OnGpu(self._array[key])

    def __array__(self, *_, **__):
        raise TypeError("implicit conversion to an array of NumPy")

    def item(self):
        return self._array.item()

    def min(self):
        assert threading.get_ident() == self._thread
        return OnGpu(self._array.min())

    def max(self):
        assert threading.get_ident() == self._thread
        return OnGpu(self._array.max())


def test_weights_on_a_gpu_are_checked_there():
    for count in (1, 3_000_000):
        assert check_weights(OnGpu(np.arange(3, 3 + count, dtype=np.int32))) == (3, 2 + count)


@pytest.mark.parametrize("name", BY_NAME, ids=".".join)
def test_each_solver_follows_many_updates(name):
    graph, names = roads(7), dict(zip(("algorithm", "variant"), name, strict=True))
    solver = warpath.prepare(graph, opened("simulated"))
    for seed in range(10):
        weights = drawn(graph.arcs, seed)
        solver.update(weights)
        paths = solver.sssp([5, 40], **names)
        assert paths.variant == ".".join(name)
        np.testing.assert_array_equal(paths.distances, scipys(with_weights(graph, weights), [5, 40]))


def check_weights_of_others(name, what):
    """Zeros, ties, parallel arcs of which another becomes the lightest, and sums about the limit."""
    graph, device = TAKEN[what], opened("simulated")
    names = dict(zip(("algorithm", "variant"), name, strict=True))

    def answer(solver):
        try:
            return solver.sssp([0], **names).distances
        except (GraphError, UsageError) as error:
            return str(error)

    new = graph.weights[::-1].copy()
    solver = warpath.prepare(graph, device)
    before = answer(solver)
    solver.update(new)
    np.testing.assert_array_equal(answer(solver), answer(warpath.prepare(with_weights(graph, new), device)))
    np.testing.assert_array_equal(answer(warpath.prepare(graph, device)), before)


TAKEN = {what: graph for what, graph in {**TINY, **HARD}.items() if graph.weight_min >= 0}


@settings(max_examples=40)
@given(name=strategies.sampled_from(BY_NAME), what=strategies.sampled_from([*TAKEN]))
def test_hard_graphs_take_the_weights_of_others(name, what):
    check_weights_of_others(name, what)


@pytest.mark.nightly
@pytest.mark.parametrize("name", BY_NAME, ids=".".join)
def test_all_hard_graphs_take_the_weights_of_others(name):
    for what in TAKEN:
        with named(what):
            check_weights_of_others(name, what)


@fewer
@given(graph=random_graphs(vertices_max=60), seed=strategies.integers(0, 2**32 - 1))
def test_some_weights_of_random_graphs(graph, seed):
    numbers = np.random.default_rng(seed)
    solver = warpath.prepare(graph, opened("forward"))
    weights = graph.weights.copy()
    for _ in range(3):
        arcs = numbers.integers(0, max(1, graph.arcs), numbers.integers(0, 9) if graph.arcs else 0)
        new = numbers.integers(0, 9, len(arcs))
        weights[arcs] = new
        solver.update(new, arcs=arcs.tolist())
        for names in ({}, {"algorithm": "partition"}):
            paths = solver.sssp([0], **names)
            np.testing.assert_array_equal(paths.distances, scipys(with_weights(graph, weights), [0]))


def test_the_lightest_of_parallel_arcs_changes():
    graph = from_arcs(3, [0, 0, 0, 1, 1, 1], [1, 1, 1, 2, 2, 1], [5, 3, 4, 1, 2, 0])
    solver = warpath.prepare(graph, "simulated")
    for algorithm in ("partition", "near_far", "sparse_all_pairs"):
        for weights, farthest in (([5, 9, 4, 7, 6, 1], 10), ([0, 9, 4, 7, 8, 0], 7), (graph.weights, 4)):
            solver.update(weights)
            assert solver.sssp([0], algorithm=algorithm).distances[0, 2] == farthest


def test_sums_that_pass_32_bits_are_an_error_until_weights_are_lighter():
    graph = from_arcs(30, range(29), range(1, 30), np.ones(29, np.int32))
    for certified in (True, False):
        solver = warpath.prepare(graph, "simulated")
        assert solver.sssp([0], certify=certified).distances[0, -1] == 29
        solver.update(np.full(29, LARGEST // 3))
        with pytest.raises(GraphError, match="does not fit 32 bits"):
            solver.sssp([0], certify=certified)
        solver.update(np.full(29, LARGEST // 29))
        assert solver.sssp([0], certify=certified).distances[0, -1] == LARGEST // 29 * 29


def test_weights_become_negative_and_positive_again():
    graph = roads(60)
    solver = warpath.prepare(graph, "simulated")
    heights = np.random.default_rng(1).integers(0, 9, graph.vertices)
    weights = graph.weights + heights[graph.tails()] - heights[graph.indices]
    solver.update(weights)
    assert solver.graph.weight_min < 0
    paths = solver.sssp(0)
    assert paths.certificate is not None
    np.testing.assert_array_equal(paths.distances, scipys(graph, 0) + heights[0] - heights)
    with pytest.raises(GraphError, match="near_far"):
        solver.sssp(0, algorithm="near_far")
    solver.update([-9_999], arcs=[0])
    with pytest.raises(NegativeCycleError):
        solver.sssp(0)
    solver.update(graph.weights)
    np.testing.assert_array_equal(solver.sssp(0).distances, scipys(graph, 0))


def test_an_update_that_fails_changes_nothing():
    graph = from_arcs(3, [0, 1, 0], [1, 2, 2], [4, 5, 20])
    solver = warpath.prepare(graph, "simulated")
    solver.sssp([0])
    for weights, arcs, error, said in (
        ([1, 2], None, GraphError, "3 .* 2"),
        ([1, 2], [0], GraphError, "1 .* 2"),
        ([[1, 2, 3]], None, GraphError, "1 x 3"),
        ([[1]], [0], GraphError, "2"),
        ([1.0, 2.0, 3.0], None, GraphError, "float64.* int32"),
        ([True, False, True], None, GraphError, "bool"),
        (["1", "2", "3"], None, GraphError, "<U1"),
        ([1, 2, 2**31 - 1], None, GraphError, "2147483646"),
        ([2**32 + 5], [0], GraphError, "2147483646"),
        ([1], [3], UsageError, "arc 3 "),
        ([1], [-1], UsageError, "arc -1 "),
        ([1], [0.0], UsageError, "arcs"),
        ([1], 0, UsageError, "sequence"),
        ([[1], [2, 3]], None, GraphError, "weights"),
        ([1, 2], [[0], [1, 2]], UsageError, "arcs"),
    ):
        with named(f"{weights}, {arcs}"):
            with pytest.raises(error, match=said):
                solver.update(weights, arcs)
            assert solver.graph is graph
    assert solver.sssp([0]).distances.tolist() == [[0, 4, 9]]


def test_floats_stay_of_their_type():
    for dtype, wrong in ((np.float32, np.float64), (np.float64, np.longdouble)):
        graph = from_arcs(3, [0, 1, 0], [1, 2, 2], np.array([0.5, 0.25, 2], dtype))
        solver = warpath.prepare(graph, "simulated")
        for bad, message in ((np.nan, "finite"), (np.inf, "finite")):
            with pytest.raises(GraphError, match=message):
                solver.update(np.array([0.5, bad, 1], dtype))
        for bad in (np.array([1, 2, wrong(1) / 3]), [1, 2, 10**18 + 1], [True, False, True], ["1", "2", "3"]):
            with pytest.raises(GraphError, match=f"{np.dtype(dtype)}"):
                solver.update(bad)
            assert solver.graph is graph
        solver.update(np.array([1, 2, 0.5], wrong))
        assert solver.graph.weights.tolist() == [1, 2, 0.5]
        solver.update([2**31, 2**40], arcs=[0, 2])
        assert solver.graph.weights.tolist() == [2**31, 2, 2**40] and type(solver.graph.weight_max) is float
        solver.update(np.array([1, 2, 1], np.int16))
        assert solver.graph.weights.dtype == dtype and solver.sssp([0]).distances.tolist() == [[0, 1, 2]]
        solver.update(np.array([-0.0, 0, 1], dtype))
        assert not np.signbit(solver.graph.weight_min)
        assert not np.signbit(solver.graph.weights).any()
        assert solver.sssp([0]).distances.tolist() == [[0, 0, 0]]


@given(
    rows=strategies.lists(
        strategies.tuples(*[strategies.integers(0, 4)] * 2, *[strategies.integers(0, 30)] * 2), min_size=1
    ),
    directed=strategies.booleans(),
    scale=strategies.sampled_from([None, 10]),
    random=strategies.randoms(),
)
def test_each_row_of_a_frame_keeps_its_weight(rows, directed, scale, random):
    """In whatever order the rows come; parallel rows, loops and both directions of an edge among them."""
    columns = dict(zip(("source", "target", "cost", "rush"), map(np.array, zip(*rows, strict=True)), strict=True))
    frame = pandas.DataFrame(columns, index=random.sample(range(1000), len(rows)))
    if scale:
        frame[["cost", "rush"]] = frame[["cost", "rush"]] / scale
    shuffled = frame.loc[random.sample(list(frame.index), len(frame))]
    for weights in (frame, shuffled, frame["rush"], shuffled["rush"]):
        solver = warpath.prepare(frame, "cpu", weight="cost", directed=directed, scale=scale)
        named = {"weight": "rush"} if isinstance(weights, pandas.DataFrame) else {}
        solver.update(weights, **named)
        assert solver.graph.weights.tolist() == columns["rush"][solver.graph.rows].tolist()
    solver.update(frame)
    assert solver.graph.weights.tolist() == columns["cost"][solver.graph.rows].tolist()


FRAME = pandas.DataFrame(
    {"source": list("badca"), "target": list("cbdac"), "cost": [1, 1, 7, 2, 5], "rush": [30, 10, 8, 20, 0]}
)
FRAME["key"] = [0, 0, 1, 1, 0]
TREE = FRAME.iloc[:4]
MULTI = networkx.from_pandas_edgelist(
    FRAME, edge_attr=["cost", "rush"], edge_key="key", create_using=networkx.MultiGraph
)
MULTI.add_edge("b", "a", 5, cost=3, rush=9)
EDGES = [("abcd".index(tail), "abcd".index(head)) for tail, head in FRAME[["source", "target"]].to_numpy().tolist()]
IGRAPH = igraph.Graph(edges=EDGES, edge_attrs={name: FRAME[name].tolist() for name in ("cost", "rush")})
SPARSE = scipy.sparse.coo_array((FRAME["cost"], tuple(zip(*EDGES, strict=True))), shape=(4, 4))
OTHERS = SPARSE.copy()
OTHERS.data = FRAME["rush"].to_numpy()  # with a zero
THINGS = {
    "shuffled": (FRAME, FRAME.sample(frac=1, random_state=1)),
    "shuffled, with new numbers": (FRAME, FRAME.sample(frac=1, random_state=1).reset_index(drop=True)),
    "floats": (FRAME, FRAME.astype({"rush": float})),
    "nullable": (FRAME, FRAME.astype({"rush": "Int64"})),
    "categories": (FRAME.astype({"source": "category", "target": "category"}), FRAME),
    "index of ends": (FRAME.set_index(["source", "target", "key"]), FRAME.set_index(["target", "source"]).iloc[::-1]),
    "pyarrow": (pyarrow.Table.from_pandas(FRAME), pyarrow.Table.from_pandas(FRAME.iloc[::-1])),
    "networkx": (MULTI, MULTI),
    "frame for networkx": (networkx.from_pandas_edgelist(TREE, edge_attr=True), TREE.iloc[::-1]),
    "networkx for a frame": (FRAME, networkx.from_pandas_edgelist(FRAME, "source", "target", True, networkx.DiGraph)),
    "igraph": (IGRAPH, IGRAPH),
    "other order of edges": (
        igraph.Graph(edges=EDGES[:4], edge_attrs={"cost": TREE["cost"].tolist()}),
        igraph.Graph(edges=EDGES[3::-1], edge_attrs={"rush": TREE["rush"].tolist()[::-1]}),
    ),
    "csc": (SPARSE, OTHERS.tocsc()),
    "dense": (SPARSE, (OTHERS + 1 * (SPARSE > 0)).toarray()),
    "masked": (SPARSE, np.ma.masked_less(np.where(SPARSE.toarray(), OTHERS.toarray() + 1, -1), 0)),
    "lists": (SPARSE.toarray().tolist(), (OTHERS + 1 * (SPARSE > 0)).toarray().tolist()),
    "graph": (warpath.as_graph(SPARSE), warpath.as_graph(OTHERS.T).reverse()),
}


def test_new_weights_come_as_what_a_graph_is_made_of():
    for kind, (old, new) in THINGS.items():
        with named(kind):
            has_names = not isinstance(old, list | Graph | scipy.sparse.coo_array)
            before, after = ({"weight": name} if has_names else {} for name in ("cost", "rush"))
            solver = warpath.prepare(old, "cpu", **before)
            solver.update(new, **after)
            assert solver.graph.weight_name == ("rush" if has_names else "weight")
            fresh = warpath.prepare(new, "cpu", directed=kind != "frame for networkx", **after)
            places = fresh.graph.index_of(solver.graph.labels)
            np.testing.assert_array_equal(solver.apsp().floats(), fresh.apsp().floats()[places][:, places])


def test_a_frame_has_new_weights_for_a_graph_from_a_file(tmp_path):
    TREE.to_csv(tmp_path / "roads.csv")
    solver = warpath.prepare(warpath.read(tmp_path / "roads.csv", weight="cost", directed=False), "cpu")
    solver.update(TREE.iloc[::-1], weight="rush")
    assert solver.graph.weights.tolist() == TREE["rush"].to_numpy()[solver.graph.rows].tolist()
    solver.update(TREE)
    assert solver.graph.weights.tolist() == TREE["cost"].to_numpy()[solver.graph.rows].tolist()
    counted = warpath.prepare(TREE, "cpu", weight=None)
    with pytest.raises(UsageError, match="weight="):
        counted.update(TREE)


def test_pairs_of_vertices_name_arcs():
    solver = warpath.prepare(FRAME, "cpu", weight="cost")
    solver.update({("a", "c"): 3, ("d", "d"): 0.0})
    assert solver.graph.weights.tolist() == [
        {5: 3, 7: 0}.get(w, w) for w in FRAME["cost"].to_numpy()[solver.graph.rows]
    ]
    both = warpath.prepare(networkx.Graph([(1, 2, {"weight": 0.5}), (2, 2, {"weight": 1.5})]), "cpu", scale=10)
    both.update({(2, 1): 0.7, (1, 2): 0.7, (2, 2): 2})
    assert both.graph.weights.tolist() == [7, 20, 7]
    indexed = warpath.prepare(from_arcs(2, [0, 1], [1, 0], [0.5, 2], labels=["x", "y"]), "cpu")
    indexed.update({("y", np.str_("x")): 3})
    indexed.update({})
    assert indexed.graph.weights.tolist() == [0.5, 3]


def test_a_column_belongs_to_the_arcs_that_are_given_with_it():
    solver = warpath.prepare(FRAME, "cpu", weight="cost")
    changes = pandas.DataFrame({"arc": [3, 0], "minutes": [9, 8]}, index=[7, 5])
    solver.update(changes["minutes"], arcs=changes["arc"])
    assert solver.graph.weights[[3, 0]].tolist() == [9, 8]


PARALLEL = networkx.MultiDiGraph(
    [("a", "b", {"cost": 1, "rush": 2}), ("a", "b", {"cost": 3, "rush": 4}), ("b", "a", {"cost": 5, "rush": 6})]
)
OTHER_ORDER = networkx.MultiDiGraph(reversed(list(PARALLEL.edges(data=True))))
REFUSED = {
    "a column of a part": (FRAME, FRAME["rush"].iloc[:3], {}, "rows"),
    "a column with another index": (FRAME, FRAME["rush"].set_axis(range(5, 10)), {}, "rows"),
    "a column with an index that repeats": (FRAME, FRAME["rush"].set_axis([0, 0, 1, 2, 3]), {}, "rows"),
    "a column for a matrix": (SPARSE, FRAME["rush"], {}, "rows"),
    "a column of pyarrow": (FRAME, pyarrow.chunked_array([FRAME["rush"]]), {}, "rows"),
    "a column of fractions": (FRAME, FRAME["rush"] / 4, {}, "'b' to 'c' is 7.5"),
    "a column with a missing cell": (FRAME, FRAME["rush"].astype("Int64").mask(FRAME.index == 1), {}, "'a' to 'b'"),
    "a column of text": (FRAME, FRAME["source"], {}, "'b' to 'c' is 'b'"),
    "rows are gone": (FRAME, FRAME.iloc[:3], {"weight": "rush"}, "'a' to 'c'"),
    "rows are new": (FRAME, pandas.concat([FRAME, FRAME.iloc[:1]]), {"weight": "rush"}, "'b' to 'c'"),
    "a row has a new end": (FRAME, FRAME.assign(target=list("cbdaz")), {"weight": "rush"}, "'z'"),
    "no such column": (FRAME, FRAME, {"weight": "hush"}, "'hush'"),
    "no rows": (FRAME, FRAME.iloc[:0], {"weight": "rush"}, "no vertices"),
    "parallel arcs": (PARALLEL, OTHER_ORDER, {"weight": "rush"}, "'a' to 'b'"),
    "a matrix of another size": (SPARSE, scipy.sparse.eye_array(5), {}, "0 to 0"),
    "arcs for a frame": (FRAME, FRAME, {"arcs": [0]}, "arcs"),
    "a name for an array": (FRAME, [1, 2, 3, 4, 5], {"weight": "rush"}, "'rush'"),
    "a column for an index of levels": (FRAME.set_index(["source", "target", "key"]), FRAME["rush"], {}, "rows"),
    "no number for a pair": (FRAME, {("a", "c"): np.nan}, {}, "'a' to 'c' is missing"),
    "no arc": (FRAME, {("c", "b"): 3}, {}, "'c' to 'b'"),
    "no vertex": (FRAME, {("c", "z"): 3}, {}, "'z'"),
    "no pair": (FRAME, {"ac": 3}, {}, "'ac'"),
    "one of parallel arcs": (PARALLEL, {("a", "b"): 3}, {}, "'a' to 'b'"),
    "two weights of an edge": (networkx.Graph([(1, 2)]), {(1, 2): 3, (2, 1): 4}, {}, "1 to 2|2 to 1"),
    "a fraction for a pair": (FRAME, {("a", "c"): 0.5}, {}, "'a' to 'c' is 0.5"),
    "a graph of another scale": (SPARSE, warpath.as_graph(SPARSE, 10), {}, "scale"),
    "counted arcs": (networkx.Graph([(1, 2)]), networkx.Graph([(1, 2)]), {"weight": "rush"}, "'rush'"),
}


def test_new_weights_that_belong_to_no_arcs_are_refused():
    for what, (old, new, options, said) in REFUSED.items():
        with named(what):
            named_costs = hasattr(old, "columns") or old is PARALLEL
            solver = warpath.prepare(old, "cpu", weight="cost" if named_costs else "weight")
            graph = solver.graph
            with pytest.raises(WarpathError, match=said):
                solver.update(new, **options)
            assert solver.graph is graph


def test_other_solvers_of_the_graph_and_the_functions_keep_its_weights():
    graph = roads(5)
    expected = scipys(graph, [3])
    first, second = (warpath.prepare(graph, "simulated") for _ in range(2))
    first.sssp([3])
    first.update(drawn(graph.arcs, 5))
    for solve in (second.sssp, warpath.prepare(graph, "simulated").sssp):
        np.testing.assert_array_equal(solve([3]).distances, expected)
    np.testing.assert_array_equal(warpath.sssp(graph, [3], device="simulated").distances, expected)
    np.testing.assert_array_equal(
        warpath.sssp(first.graph, [3], device="simulated").distances, scipys(first.graph, [3])
    )
    assert warpath.certify(graph, [3], expected, device="simulated").sources == 1


def test_a_graph_is_undirected_no_longer_when_one_direction_changes():
    solver = warpath.prepare(from_arcs(2, [0], [1], [5]), "simulated", directed=False)
    solver.update([1], arcs=[0])
    assert "undirected" not in solver.graph.describe()
    assert warpath.sssp(solver.graph, 1, directed=False, device="simulated").distances.tolist() == [1, 0]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.float64])
def test_a_weight_that_is_none_is_named_wherever_it_is(dtype, monkeypatch):
    monkeypatch.setattr("warpath.system.cores.piece_bytes_of", lambda _: 28)
    graph = roads(6)
    if dtype == np.float64:
        graph = Graph(graph.indptr, graph.indices, graph.weights.astype(dtype))
    solver = warpath.prepare(graph, "simulated")
    weights = np.arange(graph.arcs).astype(dtype)[::-1]
    solver.update(weights)
    assert solver.graph.weights.tolist() == weights.tolist()
    assert (solver.graph.weight_min, solver.graph.weight_max) == (0, graph.arcs - 1)
    solver.update(weights[:3] + 900, [0, 50, 9])
    assert (solver.graph.weight_min, solver.graph.weight_max) == (0, graph.arcs + 899)
    for bad in (np.nan, np.inf) if dtype == np.float64 else [2**31 - 1] * (dtype != np.int32):
        for position in (0, 40, graph.arcs - 1):
            wrong = weights.copy()
            wrong[position] = bad
            with pytest.raises(GraphError, match=rf"weights\[{position}\] is "):
                solver.update(wrong)


def test_the_caller_may_change_his_array_afterwards():
    graph = from_arcs(3, [0, 1], [1, 2], [4, 5])
    solver = warpath.prepare(graph, "simulated")
    mine = np.array([1, 2], np.int32)
    solver.update(mine)
    mine[:] = 9
    assert solver.sssp([0]).distances.tolist() == [[0, 1, 3]] and graph.weights.tolist() == [4, 5]
    assert not solver.graph.weights.flags.writeable


def test_the_new_graph_has_the_labels_and_the_scale_of_the_old_one():
    graph = warpath.as_graph([[0, 0.5], [0, 0]], scale=10)
    labelled = Graph(graph.indptr, graph.indices, graph.weights, graph.metadata, ["a", "b"])
    solver = warpath.prepare(labelled, "simulated")
    solver.sssp(["a"])
    solver.update([7])
    assert solver.graph.scale == 10 and solver.graph.label_of(1) == "b" and solver.graph.indices is labelled.indices
    assert solver.sssp(["a"]).floats().tolist() == [[0, 0.7]]
    assert hash(solver.graph) != hash(labelled) and solver.graph != labelled


def test_each_of_many_updates_of_a_larger_graph_is_answered():
    """Some of the first answers to new weights come from a faster solver than later ones."""
    solver = warpath.prepare(roads(60), "simulated")
    solver.sssp(0)
    for seed in range(3):
        weights = drawn(solver.graph.arcs, seed)
        solver.update(weights)
        for _ in range(3):
            np.testing.assert_array_equal(solver.sssp(0).distances, scipys(with_weights(solver.graph, weights), 0))


def test_of_equal_positions_the_last_counts():
    solver = warpath.prepare(from_arcs(3, [0, 1], [1, 2], [4, 5]), "cpu")
    solver.update([1, 7, 2, 3], arcs=[0, 1, 0, 0])
    assert solver.graph.weights.tolist() == [3, 7]


def test_a_choice_for_weights_of_one_sign_does_not_outlive_it():
    solver = warpath.prepare(from_arcs(42, range(41), range(1, 42), [3] * 41), "simulated")
    for weight in (3, 3, 3, -30):
        solver.update([weight], arcs=[20])
        assert solver.sssp(0).distances[-1] == 40 * 3 + weight


def test_a_stream_goes_on_with_the_weights_that_it_began_with():
    for taken in (0, 1):
        graph = roads(6)
        solver = warpath.prepare(graph, "simulated")
        stream = solver.stream(chunk=5)
        rows = [next(stream)[1] for _ in range(taken)]
        solver.update(drawn(graph.arcs, 9))
        rows += [distances for _, distances in stream]
        np.testing.assert_array_equal(np.concatenate(rows), scipys(graph, None))
        np.testing.assert_array_equal(solver.sssp([3]).distances, scipys(solver.graph, [3]))


class Counting(SimulatedDevice):
    """Counts the uploads of ``bytes_`` bytes."""

    def __init__(self, bytes_):
        super().__init__()
        self.bytes_, self.uploads = bytes_, 0

    def upload(self, array):
        self.uploads += array.nbytes == self.bytes_
        return super().upload(array)


def test_new_weights_are_copied_to_the_device_once():
    graph = from_arcs(300, *np.random.default_rng(0).integers(0, 300, (2, 3001)), drawn(3001, 1))
    device = Counting(graph.weights.nbytes)
    solver = warpath.prepare(graph, device)
    for seed in (2, 3):
        solver.sssp(range(64))
        device.uploads = 0
        solver.update(drawn(graph.arcs, seed))
        solver.sssp(range(64))
        assert device.uploads == 1


@pytest.mark.parametrize("device", EVERY_DEVICE)
def test_threads_solve_while_another_updates(device):
    graph = roads(9)
    solver = warpath.prepare(graph, opened(device))
    weights = [drawn(graph.arcs, seed) for seed in range(4)]
    solver.update(weights[0])
    expected = {array.tobytes(): scipys(with_weights(graph, array), 7) for array in weights}
    over = threading.Event()

    def solve(number):
        found = set()
        while not over.is_set():
            paths = solver.sssp(7, algorithm=("near_far", "partition")[number % 2])
            assert paths.certificate is not None
            np.testing.assert_array_equal(paths.distances, expected[paths.graph.weights.tobytes()])
            found.add(paths.graph.weights.tobytes())
        return found

    with ThreadPoolExecutor(4) as pool:
        solved = [pool.submit(solve, number) for number in range(4)]
        try:
            for step in range(40):
                solver.update(weights[step % 4])
        finally:
            over.set()
        assert set().union(*(future.result() for future in solved)) <= set(expected)
