"""Distances of pairs and tables, nearest targets, and answers as data frames, against SciPy."""

import subprocess
import sys
from itertools import pairwise

import narwhals as nw
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from every_device import SIMULATED_DEVICES, opened
from examples import fewer
from hypothesis import given, strategies
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import NEGATIVE, TINY, graph, named, random_graphs

import warpath
from warpath.device import open_device
from warpath.errors import GraphError, UsageError
from warpath.graphs.csr import Graph
from warpath.solvers.choice.choose import MANY
from warpath.solvers.trees.path_vertices import path_vertices
from warpath_study.datasets.road import road

WAYS = [{"certify": certify, "paths": paths} for certify in (True, False) for paths in (True, False)]


def drawn_pairs(of, count, seed=0):
    """Pairs, some with equal ends, some twice."""
    ends = np.random.default_rng(seed).integers(0, of.vertices, (2, count))
    ends[1, : count // 4] = ends[0, : count // 4]
    return np.concatenate([ends, ends[:, : count // 3]], axis=1)


def assert_pairs(found, of, sources, targets, cutoff=np.inf):
    expected = dijkstra(of.to_scipy())[sources, targets] / of.scale
    expected[expected > cutoff] = np.inf
    np.testing.assert_array_equal(found.floats(), expected)
    np.testing.assert_array_equal(found.reached, np.isfinite(expected))
    np.testing.assert_array_equal(found.sources, sources)
    np.testing.assert_array_equal(found.targets, targets)
    assert found.distances.dtype == of.weights.dtype
    if found.path_starts is not None:
        matrix = of.to_scipy()
        for pair, (source, target) in enumerate(zip(sources, targets, strict=True)):
            path = found.path(pair)
            assert bool(path) == found.reached[pair]
            if path:
                assert (path[0], path[-1]) == (source, target)
                lengths = [matrix[tail, head] for tail, head in pairwise(path)]
                assert sum(lengths) / of.scale == expected[pair]


@pytest.mark.parametrize("order", [*SIMULATED_DEVICES, None])
def test_pairs_of_tiny_graphs(order):
    device = open_device("cpu") if order is None else opened(order, seed=1)
    for name, of in TINY.items():
        for way in WAYS:
            with named(f"{name}, {way}"):
                sources, targets = drawn_pairs(of, 13)
                found = warpath.pairs(of, sources, targets, device=device, **way)
                assert_pairs(found, of, sources, targets)
                assert (found.path_starts is not None) == way["paths"]
                assert (found.certificate is not None) == way["certify"]
                if way["certify"]:
                    assert found.certificate.sources == len(set(sources.tolist()))


@fewer
@given(
    of=random_graphs(vertices_max=60),
    count=strategies.integers(0, 90),
    cutoff=strategies.sampled_from([None, 0, 40, 10**9]),
    way=strategies.sampled_from(WAYS),
    kind=strategies.sampled_from(["int32", "float64"]),
    prepared=strategies.sampled_from([0, 3, MANY]),
    device=strategies.sampled_from(["simulated", "cpu"]),
    rows=strategies.sampled_from([1, 7, 1000]),
)
def test_pairs_of_random_graphs(of, count, cutoff, way, kind, prepared, device, rows):
    of = Graph(of.indptr, of.indices, of.weights.astype(kind))
    sources, targets = drawn_pairs(of, count)
    solver = warpath.prepare(of, device)
    solver.prepared = prepared
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CHUNK_BYTES", "COLUMNS_BYTES"):
            patch.setattr(f"warpath.library.pairs.{name}", 8 * rows * of.vertices)
        found = solver.pairs(sources, targets, cutoff=cutoff, **way)
    assert_pairs(found, of, sources, targets, np.inf if cutoff is None else cutoff)


@pytest.mark.parametrize("zeros", [False, True])
@pytest.mark.parametrize("output", ["host", "device"])
def test_pairs_of_a_road_network(output, zeros):
    roads = road(250, 650, seed=2)
    if zeros:
        weights = roads.weights.copy()
        weights[np.random.default_rng(1).random(roads.arcs) < 0.3] = 0
        roads = Graph(roads.indptr, roads.indices, weights)
    solver = warpath.prepare(roads, "simulated")
    for way in WAYS:
        for count in (3, 300):
            with named(f"{count} pairs, {way}"):
                sources, targets = drawn_pairs(roads, count)
                assert_pairs(solver.pairs(sources, targets, output=output, **way), roads, sources, targets)
        one = warpath.pairs(roads, [3], [200], device="simulated", **way)
        assert_pairs(one, roads, np.array([3]), np.array([200]))


def test_negative_weights_and_scaled_ones():
    cents = warpath.from_matrix([[0, 2.5], [0, 0]], scale=10)
    for way in WAYS:
        for name, of in NEGATIVE.items():
            with named(f"{name}, {way}"):
                sources, targets = (ends.ravel() for ends in np.indices((of.vertices, of.vertices)))
                expected = warpath.apsp(of, device="simulated").distances.ravel().tolist()
                found = warpath.pairs(of, sources, targets, device="simulated", **way)
                assert found.distances.tolist() == expected
        for cutoff, there in ((2.5, 2.5), (2.4, np.inf)):
            found = warpath.pairs(cents, [0, 1], [1, 0], cutoff=cutoff, device="simulated", **way)
            assert found.floats().tolist() == [there, np.inf]


def test_with_negative_arcs_a_near_pair_may_have_a_path_through_far_vertices():
    found = warpath.pairs(graph(3, (0, 1, 9), (1, 2, -8)), [0, 0], [2, 1], cutoff=5, paths=True, device="simulated")
    assert (found.path(0), found.path(1)) == ([0, 1, 2], [])


@pytest.mark.parametrize("order", [*SIMULATED_DEVICES, None])
def test_paths_are_walked_with_and_without_kernels(order):
    device = open_device("cpu") if order is None else opened(order, seed=3)
    trees = np.array([[-1, 0, 1, -1], [1, -1, 1, 2]], np.int32)
    rows, targets, has_path = np.array([0, 1, 0, 1, 0]), np.array([2, 3, 0, 0, 3]), np.array([1, 1, 1, 1, 0], bool)
    counts, vertices = path_vertices(device, trees, rows, targets, has_path)
    assert (counts.tolist(), vertices.tolist()) == ([3, 3, 1, 2, 0], [0, 1, 2, 1, 2, 3, 0, 1, 0])
    counts, vertices = path_vertices(device, trees, rows[-1:], targets[-1:], has_path[-1:])
    assert (counts.tolist(), vertices.tolist()) == ([0], [])


def test_no_pairs():
    for way in WAYS:
        found = warpath.pairs(TINY["ties"], [], [], device="simulated", **way)
        assert (len(found), found.distances.shape, found.certificate) == (0, (0,), None)
        assert found.to_frame().columns.tolist() == ["source", "target", "distance", *["path"] * way["paths"]]


def test_a_distance_that_does_not_fit_32_bits_is_an_error_in_any_way():
    heavy = 2**30
    line = graph(4, (0, 1, heavy), (1, 2, heavy), (2, 3, 1))
    for way in WAYS:
        solver = warpath.prepare(line, "simulated")
        with pytest.raises(warpath.WarpathError, match="32"):
            solver.pairs([1, 0], [2, 2], **way)


def test_new_weights_have_new_distances():
    roads = road(200, 520, seed=1)
    solver = warpath.prepare(roads, "simulated")
    sources, targets = drawn_pairs(roads, 300)
    for _ in range(2):
        assert_pairs(solver.pairs(sources, targets, certify=False), solver.graph, sources, targets)
        solver.update(solver.graph.weights[::-1])


def test_a_data_frame_in_is_a_data_frame_out():
    towns = nx.DiGraph()
    towns.add_weighted_edges_from([("Oslo", "Voss", 356), ("Voss", "Bergen", 107)])
    trips = pd.DataFrame(
        {"who": ["Ada", "Bo"], "target": ["Bergen", "Oslo"], "source": ["Oslo", "Voss"]}, index=["x", "y"]
    )
    found = warpath.pairs(towns, trips, paths=True, device="simulated")
    expected = trips.assign(distance=[463, np.inf], path=[["Oslo", "Voss", "Bergen"], []])
    pd.testing.assert_frame_equal(found.to_frame(), expected)
    assert "distance" not in trips
    listed = warpath.pairs(towns, ["Voss"], ["Bergen"], device="simulated").to_frame()
    assert listed.to_dict("list") == {"source": ["Voss"], "target": ["Bergen"], "distance": [107.0]}
    indexed = warpath.pairs(TINY["ties"], pd.DataFrame({"source": [0, 3], "target": [3, 0]}), device="simulated")
    assert indexed.to_frame()["distance"].tolist() == [2, np.inf]


ROADS = {"source": ["a", "b", "c"], "target": ["b", "c", "a"], "weight": [2, 3, 4], "oneway": ["x", "y", "z"]}
TRIPS = {"source": ["a", "c"], "target": ["c", "b"], "who": ["Ada", "Bo"]}


def listed(frame):
    return nw.from_native(frame, eager_only=True).to_dict(as_series=False)


@pytest.mark.parametrize("labels", [["a", "b", "c"], [7, 8, 2**40]], ids=["names", "numbers"])
@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow"])
def test_the_kind_of_frame_that_comes_in_comes_out(kind, labels):
    def frame(columns):
        named = {"a": labels[0], "b": labels[1], "c": labels[2]}
        return nw.from_dict(
            {n: [named.get(cell, cell) for cell in c] for n, c in columns.items()}, backend=kind
        ).to_native()

    a, b, c = labels
    roads, trips = frame(ROADS), frame(TRIPS)
    solver = warpath.prepare(roads, "cpu")
    found = {
        "paths": solver.sssp(a, cutoff=2).to_frame(),
        "table": solver.table([a, c], [b, a], cutoff=5).to_frame(),
        "nearest": solver.table(trips["source"], nearest=1).to_frame(),
        "listed": solver.pairs([a], [c]).to_frame(),
        "trips": solver.pairs(trips, paths=True).to_frame(),
        "statistics": solver.statistics([b]).to_frame(),
    }
    assert all(type(answer) is type(roads) for answer in found.values())
    if kind == "pandas":
        expected = pd.DataFrame(
            [[2, 0], [np.inf, 4.0]], pd.Index([a, c], name="source"), pd.Index([b, a], name="target")
        )
        pd.testing.assert_frame_equal(found.pop("table"), expected)
        found["paths"] = found["paths"].astype({"predecessor": object}).where(found["paths"].notna(), None)
    else:
        assert listed(found.pop("table")) == {"source": [a, c], str(b): [2, np.inf], str(a): [0, 4]}
        with pytest.raises(UsageError, match="equal"):
            solver.table([a], [b, b]).to_frame()
    assert {name: listed(answer) for name, answer in found.items()} == {
        "paths": {"source": [a, a], "vertex": [a, b], "distance": [0, 2], "predecessor": [None, a]},
        "nearest": {"source": [a, c], "target": [b, a], "distance": [2, 4]},
        "listed": {"source": [a], "target": [c], "distance": [5]},
        "trips": {**listed(trips), "distance": [5, 6], "path": [[a, b, c], [c, a, b]]},
        "statistics": {"vertex": [b], "reached": [3], "eccentricity": [7], "farthest": [a], "closeness": [0.2]},
    }
    alone = nw.from_native(solver.sssp(b, cutoff=0).to_frame())  # joins those of other sources
    assert alone["predecessor"].is_null().all() and (kind == "pandas" or len({*alone.schema.values()}) == 2)
    mixed = warpath.pairs(towns_of(labels), trips, device="cpu").to_frame()
    assert type(mixed) is type(trips) and listed(mixed)["distance"] == [5, np.inf]


def towns_of(labels):
    return nx.DiGraph([(labels[0], labels[1], {"weight": 2}), (labels[1], labels[2], {"weight": 3})])


def test_a_frame_of_polars_needs_no_pandas():
    program = """
import sys
sys.modules["pandas"] = None  # an import fails
import polars, warpath
roads = polars.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "km": [2.5, 3]})
solver = warpath.prepare(roads, "cpu", weight="km")
trips = polars.DataFrame({"source": ["a"], "target": ["c"]})
solver.update(roads.with_columns(km=polars.col("km") * 2))
print(solver.pairs(trips, paths=True).to_frame()["distance"].to_list(), solver.sssp("a").to_frame()["distance"].sum())
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert ran.stdout == "[11.0] 16.0\n", ran.stderr


def test_a_column_of_the_frame_is_never_overwritten():
    trips = pd.DataFrame({"source": [0], "target": [3], "distance": [1.25], "path": ["seen"]})
    solver = warpath.prepare(TINY["ties"], "simulated")
    found = solver.pairs(trips, paths=True)
    for names, taken in (
        ({}, "distance"),
        ({"distance": "km"}, "path"),
        ({"distance": "km", "path": "km"}, "km"),
        ({"distance": "source"}, "source"),
    ):
        with pytest.raises(UsageError, match=f"'{taken}'.*to_frame"):
            found.to_frame(**names)
    frame = found.to_frame(distance="shortest", path="way")
    pd.testing.assert_frame_equal(frame[trips.columns], trips)
    assert (frame["shortest"].tolist(), frame["way"].tolist()) == ([2], [found.path(0)])
    del trips["distance"]
    assert solver.pairs(trips).to_frame()[["distance", "path"]].values.tolist() == [[2, "seen"]]
    listed = solver.pairs([0], [3]).to_frame(distance="km")
    assert listed.columns.tolist() == ["source", "target", "km"]


def test_a_frame_that_changes_after_the_call_changes_no_answer():
    graph = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [2, 3]})
    trips = pd.DataFrame({"source": ["a", "b", "a"], "target": ["b", "a", "c"]})
    pairs = warpath.pairs(graph, trips, device="cpu")
    before = pairs.to_frame()
    trips.loc[0, "source"] = "c"
    del trips["target"]
    pd.testing.assert_frame_equal(pairs.to_frame(), before)
    assert before["distance"].tolist() == [2, np.inf, 5]


# Tables and nearest targets.


TOWNS = pd.DataFrame({"source": ["Oslo", "Voss"], "target": ["Voss", "Bergen"], "weight": [356, 107]})


def assert_nearest(found, of, sources, targets, wanted, cutoff=np.inf):
    """``targets`` are candidates, or None for all vertices but the source."""
    every = dijkstra(of.to_scipy(), indices=sources).reshape(len(sources), of.vertices)
    floats = found.floats()
    assert floats.shape == found.targets.shape == (len(sources), wanted)
    for row, source in enumerate(sources):
        candidates = set(targets) if targets is not None else set(range(of.vertices)) - {source}
        near = sorted((every[row, vertex], vertex) for vertex in candidates if every[row, vertex] <= cutoff)
        near = [pair for pair in near if pair[0] < np.inf][:wanted]
        assert list(zip(floats[row], found.targets[row], strict=True)) == near + [(np.inf, -1)] * (wanted - len(near))


@fewer
@given(
    of=random_graphs(vertices_max=60),
    wanted=strategies.sampled_from([0, 1, 3, 70]),
    cutoff=strategies.sampled_from([None, 0, 40]),
    certify=strategies.booleans(),
    kind=strategies.sampled_from(["int32", "float64"]),
    device=strategies.sampled_from(["simulated", "cpu"]),
    data=strategies.data(),
)
def test_nearest_targets_of_random_graphs(of, wanted, cutoff, certify, kind, device, data):
    of = Graph(of.indptr, of.indices, of.weights.astype(kind))
    vertices = strategies.lists(strategies.integers(0, of.vertices - 1), max_size=9)
    sources, targets = data.draw(vertices), data.draw(vertices | strategies.none())
    found = warpath.prepare(of, device).table(sources, targets, nearest=wanted, cutoff=cutoff, certify=certify)
    assert_nearest(found, of, sources, targets, wanted, np.inf if cutoff is None else cutoff)
    assert (found.certificate is not None) == (certify and len(sources) > 0)


def test_nearest_targets_of_tiny_graphs():
    for name, of in TINY.items():
        with named(name):
            solver = warpath.prepare(of, "simulated")
            everything = list(range(of.vertices))
            assert_nearest(solver.table(everything, nearest=2), of, everything, None, 2)
            assert_nearest(solver.table(everything, everything, nearest=2), of, everything, everything, 2)


@pytest.mark.parametrize("output", ["host", "device"])
def test_nearest_of_a_few_targets_on_roads(output):
    roads = road(400, 1040, seed=2)
    sources, targets = list(range(0, 400, 9)), [350, 4, 4, 99, 3]
    found = warpath.prepare(roads, "simulated").table(sources, targets, nearest=2, certify=False, output=output)
    assert_nearest(found, roads, sources, targets, 2)


@pytest.mark.parametrize("cutoff", [None, 20_000])
def test_a_table_has_the_distances_of_its_targets(cutoff):
    roads = road(250, 650, seed=2)
    solver, whole = warpath.prepare(roads, "simulated"), dijkstra(roads.to_scipy())
    whole[whole > (cutoff or np.inf)] = np.inf
    for sources, targets in (([5], [9]), ([3, 3, 249], [0, 7, 7, 3]), (range(66), range(40)), ([1, 2], []), ([], [3])):
        expected = whole[np.ix_(sources, targets)]
        for options in ({}, {"output": "device"}, {"certify": False}, {"certify": False, "output": "device"}):
            table = solver.table(sources, targets, cutoff=cutoff, **options)
            np.testing.assert_array_equal(table.floats(), expected)
            assert table.targets.tolist() == list(targets)
            assert (table.certificate is None) == (len(sources) == 0 or "certify" in options)
        options = {"algorithm": "contraction_hierarchy", "certify": False, "cutoff": cutoff}
        chunks = [rows for _, rows in solver.stream(sources, targets=targets, chunk=2, **options)]
        rows = np.concatenate([*chunks, np.zeros((0, len(targets)), np.int32)])
        np.testing.assert_array_equal(rows, np.where(np.isinf(expected), warpath.UNREACHABLE, expected))
    near = solver.table([5, 200], cutoff=cutoff)
    np.testing.assert_array_equal(near.floats(), whole[[5, 200]])
    np.testing.assert_array_equal(near.reached, np.isfinite(whole[[5, 200]]))
    assert solver.table([5], [], nearest=2).targets.tolist() == [[-1, -1]]
    assert solver.table([5], [], nearest=2).floats().tolist() == [[np.inf, np.inf]]


def test_the_unit_of_a_table_is_that_of_the_weights():
    solver = warpath.prepare(warpath.from_matrix([[0, 2.5], [0, 0]], scale=10), "simulated")
    assert solver.table([0], [1]).floats().tolist() == [[2.5]]
    assert solver.table([0], nearest=1, cutoff=2.5).floats().tolist() == [[2.5]]
    assert solver.table([0], nearest=1, cutoff=2.4).targets.tolist() == [[-1]]


def test_nearest_targets_need_weights_that_are_not_negative():
    solver = warpath.prepare(NEGATIVE["negative arc"], "simulated")
    with pytest.raises(GraphError, match="-3"):
        solver.table([0], nearest=1)
    assert solver.table([0], [1]).distances.tolist() == [[1]]


def test_what_are_no_pairs_and_no_table():
    solver = warpath.prepare(TINY["ties"], "simulated")
    ends = pd.DataFrame({"source": [0], "target": [1]})
    for call, arguments, options, said in (
        (solver.pairs, ([0, 1], [2]), {}, "2 .* 1"),
        (solver.pairs, ([0],), {}, "data frame"),
        (solver.pairs, (ends, [1]), {}, "data frame"),
        (solver.pairs, (ends.set_axis(["a", "b"], axis=1),), {}, "'a', 'b'"),
        (solver.pairs, ([0], [4]), {}, "target 4"),
        (solver.table, (0, [1]), {}, "sources"),
        (solver.table, ([0], 3), {}, "targets"),
        (solver.table, ([0], [1]), {"nearest": 2.5}, "2.5"),
        (solver.table, ([0], [1]), {"nearest": -1}, "-1"),
    ):
        with pytest.raises(UsageError, match=said):
            call(*arguments, **options)
    with pytest.raises(UsageError, match="paths=True"):
        solver.pairs([0], [1]).path(0)


def test_a_table_as_a_data_frame():
    solver = warpath.prepare(TINY["ties"], "simulated")
    frame = solver.table([0, 2], [3, 1]).to_frame()
    expected = pd.DataFrame([[2, 1], [1, np.inf]], pd.Index([0, 2], name="source"), pd.Index([3, 1], name="target"))
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)
    nearest = solver.table([0, 2], nearest=2).to_frame()
    expected = pd.DataFrame({"source": [0, 0, 2], "target": [1, 2, 3], "distance": [1.0, 1.0, 1.0]})
    pd.testing.assert_frame_equal(nearest, expected)


def test_paths_as_a_data_frame():
    frame = warpath.sssp(TOWNS, "Voss", device="simulated").to_frame()
    assert frame.columns.tolist() == ["source", "vertex", "distance", "predecessor"]
    assert frame.iloc[:, :3].values.tolist() == [["Voss", "Voss", 0], ["Voss", "Bergen", 107]]
    assert frame["predecessor"].isna().tolist() == [True, False] and frame["predecessor"][1] == "Voss"
    paths = warpath.sssp(TINY["ties"], [2, 0], device="simulated")
    frame = paths.to_frame()
    assert frame["source"].tolist() == [2, 2, 0, 0, 0, 0]
    assert frame["vertex"].tolist() == [2, 3, 0, 1, 2, 3]
    assert frame["predecessor"].tolist()[:4] == [pd.NA, 2, pd.NA, 0]
    bare = warpath.sssp(TINY["ties"], 2, predecessors=False, device="simulated").to_frame()
    assert bare.values.tolist() == [[2, 2, 0], [2, 3, 1]]
