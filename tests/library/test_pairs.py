"""Distances and paths of pairs, against SciPy: with and without certificates, from sequences and from data frames."""

from itertools import pairwise

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
from warpath.errors import UsageError
from warpath.graphs.csr import Graph
from warpath.solvers.trees.path_vertices import path_vertices
from warpath_study.datasets.road import road

WAYS = [{"certify": certify, "paths": paths} for certify in (True, False) for paths in (True, False)]


def drawn(of, count, seed=0):
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


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("order", [*SIMULATED_DEVICES, None])
def test_pairs_of_tiny_graphs(way, order):
    device = open_device("cpu") if order is None else opened(order, seed=1)
    for name, of in TINY.items():
        with named(name):
            sources, targets = drawn(of, 13)
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
    prepared=strategies.booleans(),
    device=strategies.sampled_from(["simulated", "cpu"]),
    rows=strategies.sampled_from([1, 7, 1000]),
)
def test_pairs_of_random_graphs(of, count, cutoff, way, kind, prepared, device, rows):
    of = Graph(of.indptr, of.indices, of.weights.astype(kind))
    sources, targets = drawn(of, count)
    solver = warpath.prepare(of, device)
    solver.prepared = prepared
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CHUNK_BYTES", "COLUMNS_BYTES"):
            patch.setattr(f"warpath.library.pairs.{name}", 8 * rows * of.vertices)
        found = solver.pairs(sources, targets, cutoff=cutoff, **way)
    assert_pairs(found, of, sources, targets, np.inf if cutoff is None else cutoff)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("output", ["host", "device"])
def test_pairs_of_a_road_network(way, output):
    roads = road(700, 1820, seed=2)
    sources, targets = drawn(roads, 900)
    found = warpath.prepare(roads, "simulated").pairs(sources, targets, output=output, **way)
    assert_pairs(found, roads, sources, targets)
    assert found.variant == "contraction_hierarchy.sweep"
    one = warpath.pairs(roads, [3], [500], device="simulated", **way)
    assert_pairs(one, roads, np.array([3]), np.array([500]))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("count", [3, 900])
def test_pairs_of_a_road_network_with_weights_of_0(way, count):
    roads = road(300, 780, seed=2)
    weights = roads.weights.copy()
    weights[np.random.default_rng(1).random(roads.arcs) < 0.3] = 0
    roads = Graph(roads.indptr, roads.indices, weights)
    sources, targets = drawn(roads, count)
    found = warpath.prepare(roads, "simulated").pairs(sources, targets, **way)
    assert_pairs(found, roads, sources, targets)
    assert (found.certificate is not None) == way["certify"]


@pytest.mark.parametrize("way", WAYS)
def test_negative_weights_and_scaled_ones(way):
    for of in NEGATIVE.values():
        sources, targets = (ends.ravel() for ends in np.indices((of.vertices, of.vertices)))
        expected = warpath.apsp(of, device="simulated").distances.ravel()
        assert warpath.pairs(of, sources, targets, device="simulated", **way).distances.tolist() == expected.tolist()
    cents = warpath.from_matrix([[0, 2.5], [0, 0]], scale=10)
    assert warpath.pairs(cents, [0, 1], [1, 0], cutoff=2.5, device="simulated", **way).floats().tolist() == [
        2.5,
        np.inf,
    ]
    assert warpath.pairs(cents, [0], [1], cutoff=2.4, device="simulated", **way).floats().tolist() == [np.inf]


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


@pytest.mark.parametrize("way", WAYS)
def test_no_pairs(way):
    found = warpath.pairs(TINY["ties"], [], [], device="simulated", **way)
    assert (len(found), found.distances.shape, found.certificate, found.variant) == (0, (0,), None, "")
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
    sources, targets = drawn(roads, 300)
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

    class Polars:
        columns = trips.columns.tolist()

        def to_pandas(self):
            return trips

    assert warpath.pairs(towns, Polars(), device="simulated").to_frame()["distance"].tolist() == [463, np.inf]


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


def test_a_frame_of_indices():
    solver = warpath.prepare(TINY["ties"], "simulated")
    found = solver.pairs(pd.DataFrame({"source": [0, 3], "target": [3, 0]}))
    assert found.to_frame()["distance"].tolist() == [2, np.inf]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([0, 1], [2]), "2 sources and 1 targets"),
        (([0],), "sources and targets, or a data frame"),
        ((pd.DataFrame({"source": [0], "target": [1]}), [1]), "sources and targets, or a data frame"),
        ((pd.DataFrame({"a": [0], "b": [1]}),), r"'a', 'b'.*pairs\(graph, frame\['a'\], frame\['b'\]\)"),
        ((pd.DataFrame(),), "columns none"),
        (([0], [4]), "target 4 is not a vertex"),
        (([0], 3), "targets must be a sequence"),
    ],
)
def test_what_are_no_pairs(arguments, said):
    with pytest.raises(UsageError, match=said):
        warpath.pairs(TINY["ties"], *arguments, device="simulated")
    with pytest.raises(UsageError, match="solve with paths=True"):
        warpath.pairs(TINY["ties"], [0], [1], device="simulated").path(0)


def test_a_frame_that_changes_after_the_call_changes_no_answer():
    graph = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [2, 3]})
    trips = pd.DataFrame({"source": ["a", "b", "a"], "target": ["b", "a", "c"]})
    pairs = warpath.pairs(graph, trips, device="cpu")
    before = pairs.to_frame()
    trips.loc[0, "source"] = "c"
    del trips["target"]
    pd.testing.assert_frame_equal(pairs.to_frame(), before)
    assert before["distance"].tolist() == [2, np.inf, 5]
