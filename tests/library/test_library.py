"""The library as its user meets it: graphs from anywhere in, arrays out, refusals as one sentence."""

from dataclasses import replace
from decimal import Decimal
from functools import partial

import igraph
import networkx
import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
import scipy.sparse
from call_path import passed
from every_device import opened
from hypothesis import given
from hypothesis import strategies as st
from other_weights import give_solvers_other_weights
from scipy.sparse.csgraph import dijkstra
from scipy_reference import reference
from tiny_graphs import NEGATIVE, TINY, graph, named, random_graphs

import warpath
from warpath.errors import CertificateError, GraphError, NegativeCycleError, UsageError
from warpath.graphs.objects.adjacency_matrix import from_matrix
from warpath_study.datasets.generate import generate


def test_distances_and_predecessors_of_one_source():
    road = warpath.from_arcs(4, [0, 1, 0], [1, 2, 2], [4, 5, 20])
    paths = warpath.sssp(road, 0, device="simulated")
    assert paths.distances.tolist() == [0, 4, 9, warpath.UNREACHABLE]
    assert paths.distances.dtype == np.int32
    assert paths.predecessors.tolist() == [-1, 0, 1, -1]
    assert warpath.path_to(paths.predecessors, 0, 2) == paths.path_to(2) == [0, 1, 2]
    of_scipy = dijkstra(road.to_scipy(), indices=0, return_predecessors=True)[1]
    assert [warpath.path_to(of_scipy, 0, vertex) for vertex in (0, 2, 3)] == [[0], [0, 1, 2], []]
    assert paths.sources == 0 and paths.variant and paths.reason


def test_a_vertex_that_is_not_reached_has_no_path_and_no_finite_distance():
    paths = warpath.sssp(TINY["unreachable part"], 0, device="simulated")
    assert paths.reached.tolist() == [True, True, False, False, False]
    assert paths.floats().tolist() == [0, 1, np.inf, np.inf, np.inf]
    assert paths.path_to(3) == warpath.path_to(paths.predecessors, 0, 3) == []
    assert paths.path_to(0) == [0]


def test_rows_of_several_sources_of_all_pairs_and_of_one_source_are_the_same():
    for name in ("ties", "zero weights in a circle", "sinks", "path of 33"):
        with named(name):
            given = TINY[name]
            together = warpath.apsp(given, device="simulated")
            assert together.distances.shape == together.predecessors.shape == (given.vertices, given.vertices)
            backwards = warpath.sssp(given, range(given.vertices - 1, -1, -1), device="simulated")
            np.testing.assert_array_equal(together.distances[::-1], backwards.distances)
            for source in range(given.vertices):
                one = warpath.sssp(given, source, device="simulated")
                np.testing.assert_array_equal(together.distances[source], one.distances)
                path = together.path_to(given.vertices - 1, source=source)
                assert path == [] or (path[0], path[-1]) == (source, given.vertices - 1)
            assert together.certificate.sources == backwards.certificate.sources == given.vertices
            assert together.certificate.reached == backwards.certificate.reached == together.reached.sum()


def test_sources_may_be_none_or_repeated():
    some = warpath.sssp(TINY["ties"], [2, 0, 2], device="simulated")
    assert some.distances[:, 3].tolist() == [1, 2, 1]
    assert warpath.sssp(TINY["ties"], [], device="simulated").distances.shape == (0, 4)


def test_what_is_farther_than_the_cutoff_is_unreachable():
    for name, cutoff in (("path of 33", 10.5), ("zero weights in a circle", 1.5)):
        solver = warpath.prepare(TINY[name], "simulated")
        for solve in (partial(solver.sssp, 0), solver.apsp):
            whole, near = solve(), solve(cutoff=cutoff)
            np.testing.assert_array_equal(near.reached, whole.distances <= cutoff)
            np.testing.assert_array_equal(near.distances[near.reached], whole.distances[near.reached])
            assert (near.predecessors[~near.reached] == -1).all()


def test_with_negative_arcs_the_way_to_a_near_vertex_may_lead_through_a_far_one():
    solver = warpath.prepare(graph(3, (0, 1, 9), (1, 2, -8)), device="simulated")
    for paths in (solver.sssp([0], cutoff=5), solver.apsp(cutoff=5)):
        assert paths.distances[0].tolist() == [0, warpath.UNREACHABLE, 1]
        assert paths.path_to(2, source=0) == [0, 1, 2]
    detour = graph(4, (0, 1, 5), (1, 2, 2), (2, 3, -1), (1, 3, -2))
    for device in ("cpu", "simulated"):
        for paths, source in (
            (warpath.sssp(detour, 0, cutoff=4, device=device), None),
            (warpath.sssp(detour, [2, 0], cutoff=4, device=device), 0),
        ):
            assert [paths.path_to(vertex, source) for vertex in range(4)] == [[0], [], [], [0, 1, 3]]
            assert [len(paths.arcs_to(vertex, source)) for vertex in range(4)] == [0, 0, 0, 2]
        assert warpath.path(detour, 0, 1, cutoff=4, device=device).vertices == []
    paths = warpath.sssp(graph(3, (0, 1, -2), (1, 2, -1)), 0, cutoff=-2.5, device="simulated")
    assert paths.distances.tolist() == [warpath.UNREACHABLE, warpath.UNREACHABLE, -3]


@pytest.mark.filterwarnings("error")
def test_all_weights_may_be_negative():
    of = graph(3, (0, 1, -5), (1, 2, -(2**30)))
    for device in ("cpu", "simulated"):
        for certify in (True, False):
            assert warpath.sssp(of, 0, device=device, certify=certify).distances.tolist() == [0, -5, -(2**30) - 5]
            assert warpath.table(of, [1], [2], device=device, certify=certify).distances.tolist() == [[-(2**30)]]


def test_cutoffs_may_be_infinite():
    floats = warpath.from_arcs(2, [0], [1], np.array([1e300]))
    for cutoff, reached in ((np.inf, 4), (-np.inf, 0), (10**30, 4), (-1, 0), (10**400, 4), (-(10**400), 0)):
        assert warpath.sssp(TINY["ties"], 0, cutoff=cutoff, device="simulated").reached.sum() == reached
        near = warpath.sssp(floats, 0, cutoff=cutoff, device="simulated").reached.sum()
        assert near == (cutoff >= 0) + (cutoff >= 1e300)


@pytest.mark.filterwarnings("error")
def test_cutoffs_are_in_the_unit_of_the_weights():
    cents = warpath.from_arcs(3, [0, 1], [1, 2], [29, 29], {"weights": {"kind": "given", "scale": 100}})
    all_three = np.int8(100), np.int32(2**31 - 1), np.int64(2**62), 1e308
    for cutoff, reached in ((-1e308, 0), (0.29, 2), (0.28, 1), *((cutoff, 3) for cutoff in all_three)):
        assert warpath.sssp(cents, 0, cutoff=cutoff, device="simulated").reached.sum() == reached


def test_what_is_no_sequence_of_vertices():
    solver = warpath.prepare(TINY["no arcs"], "cpu")
    for call in (solver.table, solver.stream, solver.statistics, lambda one: solver.pairs(one, [0])):
        for vertices in (3, "12", b"1", np.array(1), np.array(1.5)):
            with pytest.raises(UsageError):
                call(vertices)


def test_a_solver_gives_each_call_arrays_of_its_own():
    solver = warpath.prepare(TINY["ties"], "simulated")
    first = solver.sssp(0)
    kept = first.distances.copy()
    solver.sssp(3)
    np.testing.assert_array_equal(first.distances, kept)
    left = solver.sssp(1, output="device")
    solver.sssp(0)
    assert left.distances.tolist() == [warpath.UNREACHABLE, 0, warpath.UNREACHABLE, 1]


def test_a_solver_answers_for_sources_in_any_order():
    solver = warpath.prepare(graph(4, (0, 1, 2), (1, 2, 2), (2, 0, 1)), "simulated")
    for algorithm in ("label_correcting", "bellman_ford"):
        for source in (2, 0, 3, 1):
            expected = warpath.sssp(solver.graph, source, device="cpu").distances
            np.testing.assert_array_equal(solver.sssp(source, algorithm=algorithm).distances, expected)


@pytest.mark.parametrize(
    "solve",
    [
        lambda graph, **rest: warpath.sssp(graph, 0, algorithm="label_correcting", **rest),
        lambda graph, **rest: warpath.apsp(graph, algorithm="floyd_warshall", variant="staged", **rest),
    ],
)
def test_a_wrong_answer_does_not_leave_unless_the_caller_declines_the_certificate(solve, monkeypatch):
    give_solvers_other_weights(monkeypatch)
    fresh = graph(4, (0, 3, 10), (0, 1, 1), (1, 2, 1), (2, 3, 1))
    with pytest.raises(CertificateError, match="source 0"):
        solve(fresh, device="simulated")
    assert solve(fresh, device="simulated", certify=False).certificate is None


def test_a_zero_among_infinities_may_be_a_weight_and_is_refused():
    with np.errstate(divide="ignore"):
        matrix = -np.log(np.array([[0, 1, 0.5], [0, 0, 0.25], [0, 0, 0]]))
    with pytest.raises(GraphError, match=r"\(0, 1\)"):
        from_matrix(matrix)
    stored = np.isfinite(matrix)
    sparse = scipy.sparse.coo_array((matrix[stored], np.nonzero(stored)), shape=matrix.shape)
    assert warpath.sssp(sparse, 0, device="simulated").path_to(2) == [0, 2]


def test_sources_that_are_no_vertices():
    others = float("nan"), b"1", {}.get, -0.5, 1 + 0j, -1, 4, 2**32, 2**64
    for source in (1.7, 1.0, "1", True, None, np.float64(0), Decimal(1), *others):
        with named(repr(source)):
            with pytest.raises(UsageError, match="source") as refused:
                warpath.sssp(TINY["ties"], source, device="simulated")
            assert "\n" not in str(refused.value)
            with pytest.raises(UsageError, match="target"):
                warpath.table(TINY["ties"], [0], [source], device="simulated")
            answers = (source, [0, 1, 1, 2]), ([source], [[0, 1, 1, 2]]), ([0, source], [[0, 1, 1, 2]] * 2)
            for sources, distances in answers[source is None :]:
                with pytest.raises(UsageError):
                    warpath.certify(TINY["ties"], sources, distances, device="simulated")


def test_sources_that_are_whole_numbers():
    for source in (0, np.int8(0), np.array(0), np.uint64(0)):
        assert warpath.sssp(TINY["ties"], source, device="simulated").distances.tolist() == [0, 1, 1, 2]
        assert warpath.certify(TINY["ties"], source, [0, 1, 1, 2], device="simulated").sources == 1


def test_negative_arcs_where_the_algorithm_takes_none():
    with pytest.raises(GraphError, match="1 -> 2"):
        warpath.apsp(graph(3, (0, 1, 2), (1, 2, -4)), algorithm="dijkstra", variant="naive", device="simulated")


def test_a_negative_cycle_is_named_if_it_can_be_reached():
    circle = graph(5, (0, 1, 1), (1, 2, 2), (2, 3, -5), (3, 1, 2), (4, 0, 1))
    with pytest.raises(NegativeCycleError, match=r"(1 -> 2 -> 3 -> 1|2 -> 3 -> 1 -> 2|3 -> 1 -> 2 -> 3)"):
        warpath.sssp(circle, 0, device="simulated")
    with pytest.raises(NegativeCycleError):
        warpath.apsp(circle, device="simulated")
    beyond_reach = graph(4, (0, 1, 1), (2, 3, -2), (3, 2, 1))
    assert warpath.sssp(beyond_reach, 0, device="simulated").distances.tolist()[:2] == [0, 1]
    with pytest.raises(NegativeCycleError):
        warpath.apsp(beyond_reach, device="simulated")
    with pytest.raises(NegativeCycleError, match="0 -> 0"):
        warpath.sssp(graph(1, (0, 0, -1)), 0, device="simulated")


def test_names_are_listed_and_unknown_ones_refused():
    assert {"sssp", "apsp", "Graph", "read"} <= set(dir(warpath))
    with pytest.raises(AttributeError, match="shortest"):
        _ = warpath.shortest


def test_arguments_that_are_none():
    solver = partial(warpath.sssp, TINY["ties"], 0)
    for options, says in (
        *(({"cutoff": cutoff}, "number") for cutoff in (float("nan"), "3", True, [3], 1j, np.array([1, 2]))),
        *(({"device": device}, "device") for device in (None, 0, ["cpu"], object())),
        ({"device": "gpu"}, "simulated"),
        ({"algorithm": "bellmanford"}, "did you mean bellman_ford"),
        ({"algorithm": "bellman_ford", "variant": "strided"}, "did you mean stride"),
        ({"algorithm": "floyd_warshall", "variant": "tiled"}, "label_correcting"),
        *(({"algorithm": algorithm}, None) for algorithm in (3, ["dijkstra"])),
        ({"algorithm": "dijkstra", "variant": []}, None),
        *(
            ({"algorithm": "label_correcting", "parameters": parameters}, "parameters")
            for parameters in ({"k": [1]}, {"k": 2.5}, {1: 2, "k": 3}, {"k": True}, {"k": "3"}, [1], "k=3")
        ),
    ):
        with named(str(options)), pytest.raises(UsageError, match=says):
            solver(**{"device": "simulated", **options})
    prepared = warpath.prepare(TINY["ties"], "simulated")
    for _ in range(3):  # what is like an earlier call is not yet right
        prepared.sssp(0, cutoff=1)
        prepared.sssp(0, predecessors=[1])
    for options in ({"cutoff": True}, {"output": ["host"]}, {"output": "Host"}):
        with named(str(options)), pytest.raises(UsageError):
            prepared.sssp(0, **options)
    with pytest.raises(UsageError):
        warpath.closure(TINY["ties"], variant=[1], device="simulated")


TOWNS = [("Oslo", "Voss", 356.5), ("Voss", "Bergen", 107.0), ("Oslo", "Hamar", 130.0)]


def towns(library, folder=None):
    """The roads as a graph of ``library``, or from a file of this suffix."""
    frame = pd.DataFrame(TOWNS, columns=["source", "target", "km"])
    if library == "networkx":
        return networkx.from_pandas_edgelist(frame, edge_attr="km", create_using=networkx.DiGraph)
    if library == "igraph":
        return igraph.Graph.TupleList(TOWNS, directed=True, edge_attrs=["km"])
    if library == "polars":
        return polars.DataFrame(frame.to_dict("list"))
    if library == "pyarrow":
        return pyarrow.Table.from_pandas(frame)
    if library == "csv":
        frame.to_csv(folder / "roads.csv", index=False)
        return warpath.read(folder / "roads.csv", weight="km", scale=2)
    return frame


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow", "networkx", "igraph", "csv"])
def test_a_graph_with_labels_is_asked_and_answered_by_labels(library, tmp_path):
    roads = towns(library, tmp_path)
    solver = warpath.prepare(roads, "simulated", weight="km", scale=2)
    paths, table = solver.sssp("Oslo"), solver.table(["Oslo"], ["Bergen", "Oslo"])
    assert table.distances.tolist() == [[927, 0]] and table.floats().tolist() == [[463.5, 0]]
    assert (table.distance("Oslo", "Bergen"), table.distance("Oslo", "Oslo")) == (463.5, 0)
    pairs = solver.pairs(["Oslo", "Hamar"], ["Bergen", "Oslo"], paths=True)
    assert (pairs.path(0), pairs.path(1)) == (["Oslo", "Voss", "Bergen"], [])
    assert (paths.path_to("Bergen"), paths.weight) == (["Oslo", "Voss", "Bergen"], "km")
    assert solver.sssp(["Voss", "Oslo"]).path_to("Bergen", "Voss") == ["Voss", "Bergen"]
    assert solver.sssp("Hamar").path_to("Oslo") == []  # a search on the host
    assert solver.apsp().path_to("Bergen", "Oslo") == ["Oslo", "Voss", "Bergen"]
    for path in (solver.path("Oslo", "Bergen"), warpath.path(roads, "Oslo", "Bergen", weight="km", device="cpu")):
        assert (path.distance, path.vertices) == (463.5, ["Oslo", "Voss", "Bergen"]) and path.certificate
    back = solver.path("Bergen", "Oslo")
    assert (back.distance, back.vertices) == (np.inf, [])
    bergen = solver.graph.index_of("Bergen")
    chunks = list(solver.stream(["Voss", "Oslo"], targets=["Bergen"], chunk=np.int64(1)))
    sources, distances = (np.concatenate(parts) for parts in zip(*chunks, strict=True))
    assert (solver.graph.labels[sources].tolist(), distances.tolist()) == (["Voss", "Oslo"], [[214], [927]])
    statistics = solver.statistics(["Oslo"])
    assert solver.graph.labels[statistics.sources].tolist() == ["Oslo"] and statistics.diameter_ends == (
        "Oslo",
        "Bergen",
    )
    whole = solver.sssp("Voss")
    assert solver.certify("Voss", whole).reached == 2
    in_km = {"weight": "km", "scale": 2, "device": "simulated"}
    assert warpath.certify(roads, "Voss", whole.floats(), **in_km).reached == 2
    assert warpath.certify(roads, None, solver.apsp().floats(), **in_km).reached == 8
    assert warpath.closure(roads, directed=False, device="simulated").reachable.all()
    back = warpath.sssp(roads, "Bergen", weight="km", directed=False, device="simulated")
    assert back.distances[bergen] == 0 and back.path_to("Hamar") == ["Bergen", "Voss", "Oslo", "Hamar"]
    solver.update({("Oslo", "Voss"): 1.5})
    assert solver.path("Oslo", "Bergen").distance == 108.5
    for ask in (
        lambda: solver.sssp(0),
        lambda: solver.sssp("Olso"),
        lambda: solver.path("Oslo", ["Bergen"]),
        lambda: solver.table(["Oslo"], "Bergen"),
        lambda: table.distance("Bergen", "Oslo"),
        lambda: next(solver.stream(["Oslo", "x"])),
        lambda: solver.certify("x", whole),
        lambda: paths.distance_to("Bergen", source="Voss"),
    ):
        with pytest.raises(UsageError, match=r"Oslo|Bergen"):
            ask()


def test_columns_of_ends_have_any_name_in_every_function():
    roads, ends = towns("pandas").rename(columns={"source": "from", "target": "to"}), {"tail": "from", "head": "to"}
    options = {**ends, "weight": "km", "device": "cpu"}
    assert warpath.path(roads, "Oslo", "Bergen", **options).distance == 463.5
    assert warpath.table(roads, ["Oslo"], ["Bergen"], **options).distance("Oslo", "Bergen") == 463.5
    assert warpath.pairs(roads, ["Oslo"], ["Bergen"], **options).floats().tolist() == [463.5]
    assert warpath.apsp(roads, **options).distance_to("Bergen", source="Oslo") == 463.5
    assert warpath.closure(roads, **ends, device="cpu").reachable.sum() == 8
    paths = warpath.sssp(roads, "Voss", **options)
    assert warpath.certify(roads, "Voss", paths, **options).reached == 2
    with pytest.raises(GraphError, match="as in tail='from', head='to', weight='km'"):
        warpath.sssp(roads, "Oslo", device="cpu")


def test_numbers_in_a_file_are_labels_and_by_index_goes_back_to_indices(tmp_path):
    (tmp_path / "roads.gr").write_text("p sp 3 2\na 1 2 5\na 2 3 7\n")
    (tmp_path / "roads.el").write_text("70 30\n30 10\n")
    for file, names in (("roads.gr", [1, 2, 3]), ("roads.el", [70, 30, 10])):
        graph = warpath.read(tmp_path / file)
        for call in (warpath.prepare(graph, "cpu").sssp, partial(warpath.sssp, graph, device="cpu")):
            assert call(names[0]).path_to(names[2]) == call(np.int8(names[0])).path_to(np.array(names[2])) == names
            assert call([names[1], names[0]]).path_to(names[2], source=names[0]) == names
            with pytest.raises(UsageError, match="source 0"):
                call(0)
        ends = graph.index_of([names[0], names[2]]).tolist()
        paths = warpath.sssp(graph.by_index, ends[0], device="cpu")
        assert [graph.label_of(vertex) for vertex in paths.path_to(ends[1])] == names
        assert graph.by_index is graph.by_index and graph.by_index.labels.tolist() == [0, 1, 2]


def test_distances_by_name_are_infinite_where_there_is_no_path():
    weighed = warpath.from_arcs(3, [0], [1], [5], {"weights": {"kind": "given", "scale": 10}}, labels=["a", "b", "c"])
    paths = warpath.sssp(weighed, "a", device="simulated")
    assert paths.distances.tolist() == [0, 5, warpath.UNREACHABLE]
    assert [paths.distance_to(label) for label in "abc"] == [0, 0.5, np.inf]
    assert paths.to_series().to_dict() == {"a": 0, "b": 0.5, "c": np.inf}
    several = warpath.sssp(weighed, ["c", "a"], device="simulated")
    assert several.to_series("a").equals(paths.to_series()) and several.distance_to("b", "c") == np.inf
    grid = warpath.sssp(networkx.grid_2d_graph(1, 3), (0, 0), device="simulated")
    assert grid.to_series().to_dict() == {(0, 0): 0, (0, 1): 1, (0, 2): 2} and grid.distance_to((0, 2)) == 2
    with pytest.raises(UsageError, match="2 sources"):
        several.to_series()
    with pytest.raises(UsageError, match="'b'"):
        several.distance_to("a", source="b")
    table = warpath.table(weighed, ["a", "c"], device="simulated")
    assert table.distance("a", "c") == np.inf and table.to_frame().loc["a", "c"] == np.inf
    with pytest.raises(UsageError, match="nearest"):
        warpath.table(weighed, ["a"], nearest=1, device="simulated").distance("a", "b")


def test_paths_say_what_was_summed():
    weighed = warpath.from_arcs(2, [0], [1], [5])
    assert warpath.sssp(weighed, 0, device="simulated").weight == "weight"
    counted = warpath.apsp(weighed, weight=None, device="simulated")
    assert (counted.weight, counted.distances[0].tolist()) == (None, [0, 1])
    solver = warpath.prepare(towns("pandas"), "simulated", weight="km")
    solver.update([1.0, 2.0, 3.0])
    assert solver.sssp("Oslo").weight == "km"


# Sources that reach few vertices, which a search on the host may answer.


@given(random_graphs(vertices_max=12, arcs_per_vertex=2), st.booleans(), st.booleans())
def test_random_graphs_of_few_arcs(of, certify, predecessors):
    for source in range(of.vertices):
        paths = warpath.sssp(of, source, device="simulated", certify=certify, predecessors=predecessors)
        assert paths.distances.tolist() == reference(of, source).tolist()
        assert (paths.predecessors is not None) == predecessors
        assert (paths.certificate is not None) == certify
        if certify:
            assert paths.certificate == warpath.certify(
                of, source, paths.distances, paths.predecessors, device="simulated"
            )


# On a GPU arrays stay there or come back, and CuPy's are taken.


GRAPHS = TINY | NEGATIVE


@pytest.fixture(scope="module")
def gpu():
    return opened("cuda")


@pytest.fixture(scope="module")
def roads():
    return generate("road", vertices=3000, arcs=8000, seed=5)


def on_host(array):
    return array.get() if hasattr(array, "get") else array


@pytest.mark.cuda
def test_answers_are_those_of_the_simulated_gpu(gpu):
    for name, of in GRAPHS.items():
        sources = range(of.vertices)
        expected = warpath.sssp(of, sources, device="simulated")
        for output in ("host", "device"):
            with named(f"{name}, {output}"):
                for algorithm in ("label_correcting", "bellman_ford"):
                    paths = warpath.sssp(of, sources, algorithm=algorithm, device=gpu, output=output)
                    np.testing.assert_array_equal(on_host(paths.distances), expected.distances)
                    np.testing.assert_array_equal(on_host(paths.floats()), expected.floats())
                    assert paths.certificate == expected.certificate
                together = warpath.apsp(of, device=gpu, output=output)
                np.testing.assert_array_equal(on_host(together.distances), expected.distances)
                reachable = warpath.closure(of, device=gpu, output=output).reachable
                np.testing.assert_array_equal(on_host(reachable), expected.reached)


@pytest.mark.cuda
def test_arrays_stay_on_the_device_until_asked_for(gpu, roads):
    paths = warpath.sssp(roads, [0, 7], cutoff=10**6, device=gpu, output="device")
    for array in (paths.distances, paths.predecessors, paths.reached, paths.floats()):
        assert isinstance(array, gpu.xp.ndarray)
    table = warpath.table(roads, [0, 7], [5, 9], device=gpu, output="device")
    nearest = warpath.table(roads, [0, 7], nearest=2, device=gpu, output="device")
    for certify in (True, False):
        pairs = warpath.pairs(roads, [0, 7], [5, 9], device=gpu, output="device", certify=certify)
        for answer in (table, nearest, pairs):
            assert isinstance(answer.distances, gpu.xp.ndarray) and isinstance(answer.floats(), gpu.xp.ndarray)
        np.testing.assert_array_equal(on_host(pairs.distances), on_host(table.distances).diagonal())
        assert pairs.to_frame()["distance"].tolist() == on_host(table.floats()).diagonal().tolist()
    assert nearest.to_frame()["source"].tolist() == [0, 0, 7, 7]
    assert paths.path_to(5, source=7) == warpath.sssp(roads, 7, device="simulated").path_to(5)
    assert isinstance(warpath.sssp(roads, 0, device=gpu).distances, np.ndarray)


@pytest.mark.cuda
def test_arrays_of_other_libraries_are_ready_when_they_are_read(gpu, roads):
    class Tensor:
        """An array of which nothing but DLPack is known, made in a stream of its own."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    cupy = gpu.xp
    solver = warpath.prepare(roads, gpu)
    with cupy.cuda.Stream(non_blocking=True):
        slow = cupy.random.random((4000, 4000))
        for _ in range(20):
            slow = slow @ slow / 4000
        weights = cupy.asarray(roads.weights) + 0 * slow[0, 0].astype(np.int32) + 1
        solver.update(Tensor(weights))
        sources = Tensor(cupy.array([3, 5]))
        found = solver.pairs(sources, sources)
    assert solver.graph.weights.tolist() == (roads.weights + 1).tolist()
    assert found.distances.tolist() == [0, 0]
    matrix = np.array([[0, 7], [3, 0]])
    assert warpath.as_graph(Tensor(cupy.asarray(matrix))) == warpath.from_matrix(matrix)


@pytest.mark.cuda
def test_each_call_has_arrays_of_its_own(gpu, roads):
    expected = dijkstra(roads.to_scipy(), indices=range(6))
    kept = [
        warpath.sssp(roads, source, device=gpu, output=output) for source in range(6) for output in ("device", "host")
    ]
    for number, paths in enumerate(kept):
        np.testing.assert_array_equal(on_host(paths.floats()), expected[number // 2])


@pytest.mark.cuda
def test_matrices_of_cupy_are_graphs(gpu, roads):
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    matrix = scipy.sparse.csr_matrix(roads.to_scipy())
    expected = dijkstra(matrix, indices=3)
    for of in (sparse.csr_matrix(matrix), sparse.coo_matrix(matrix.tocoo()), gpu.xp.asarray(matrix.toarray())):
        np.testing.assert_array_equal(warpath.sssp(of, 3, device=gpu).floats(), expected)
    distances = gpu.xp.asarray(warpath.sssp(roads, 3, device=gpu).distances)
    assert warpath.certify(roads, 3, distances, device=gpu).reached == np.isfinite(expected).sum()
    distances[10] += 1
    with pytest.raises(CertificateError, match="vertex 10"):
        warpath.certify(roads, 3, distances, device=gpu)


@pytest.mark.cuda
def test_answers_that_the_host_holds_are_certified_on_the_gpu(gpu):
    network = generate("gnutella", vertices=300, arcs=900, seed=2)
    for algorithm, variant in (("blocked_all_pairs", "register_blocked"), ("floyd_warshall", "tiled_shared")):
        paths = warpath.apsp(network, algorithm=algorithm, variant=variant, device=gpu)
        np.testing.assert_array_equal(paths.floats(), dijkstra(network.to_scipy()))
        assert paths.certificate.sources == 300


def test_a_prepared_call_passes_through_few_functions():
    numbers = np.random.default_rng(1)
    of = warpath.from_arcs(3000, *numbers.integers(0, 3000, (2, 12_000)), numbers.integers(1, 9, 12_000))
    solver = warpath.prepare(of, "simulated")
    for source in range(4):
        solver.sssp(source)
    functions, frames = passed(solver, 4)
    labelled = warpath.prepare(replace(of, labels=1), "simulated")  # as DIMACS files are
    for source in range(1, 5):
        labelled.sssp(source)
    assert passed(labelled, 5) == (functions, frames)
    assert len({file for file, _ in functions}) <= 12 and functions.total() <= 90 and 0 < frames <= 9


def test_a_graph_is_prepared_for_any_number_of_calls():
    arcs = graph(40, *((one, one + 1, one % 7 + 1) for one in range(39)))
    for calls in (1, 2, np.int64(50), 10**9):
        solver = warpath.prepare(arcs, "simulated", calls=calls)
        for source in (0, 5, 0):
            assert solver.sssp(source).distances.tolist() == warpath.sssp(arcs, source, device="cpu").distances.tolist()
        solver.update(arcs.weights + 1)
        assert solver.sssp(38).distances[39] == arcs.weights[38] + 1
    for calls in (0, -1, 2.0, True, "2"):
        with named(f"calls={calls!r}"), pytest.raises(UsageError, match="at least 1"):
            warpath.prepare(arcs, "simulated", calls=calls)
