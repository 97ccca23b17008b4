"""Arcs of paths and sums along them, against walks through the rows of the caller's data."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from every_device import EVERY_DEVICE, opened
from examples import fewer
from hypothesis import given, strategies
from tiny_graphs import NEGATIVE, TINY, graph, named, random_graphs

import warpath
from warpath.errors import UsageError
from warpath.graphs.csr import Graph
from warpath.system.arrays import on_host

DEVICES = strategies.sampled_from(["simulated", "cpu"])
KINDS = strategies.sampled_from(["int32", "float32", "float64"])


def rows_along(of, path):
    """The rows that a path takes."""
    rows = []
    for tail, head in pairwise(path):
        arcs = range(of.indptr[tail], of.indptr[tail + 1])
        rows.append(min((of.weights[arc], of.rows[arc]) for arc in arcs if of.indices[arc] == head)[1])
    return [int(row) for row in rows]


def total(values, rows):
    """The sum from the source on."""
    so_far = 0.0
    for row in rows:
        so_far += float(values[row])
    return so_far


def assert_along(paths, of, values):
    """Arcs and sums of ``Paths`` from several sources, for each vertex."""
    sums, arcs = paths.along(values), paths.arcs
    assert (sums.shape, sums.dtype, arcs.shape, arcs.dtype) == (paths.distances.shape, float, sums.shape, np.int32)
    for number, source in enumerate(paths.sources.tolist()):
        for vertex in range(of.vertices):
            path = paths.path_to(vertex, source)
            expected = rows_along(of, path)
            assert of.rows[paths.arcs_to(vertex, source)].tolist() == expected
            assert arcs[number, vertex] == (paths.arcs_to(vertex, source)[-1] if expected else -1)
            assert sums[number, vertex] == (total(values, expected) if path else np.inf)


@fewer
@given(of=random_graphs(vertices_max=25, negative=True), kind=KINDS, device=DEVICES, seed=strategies.integers(0, 99))
def test_arcs_and_sums_of_random_multigraphs(of, kind, device, seed):
    numbers = np.random.default_rng(seed)
    weights = of.weights.astype(kind) / (3 if kind != "int32" else 1)
    of = Graph(of.indptr, of.indices, weights.astype(kind), rows=numbers.permutation(of.arcs))
    values = numbers.normal(size=of.arcs)
    sources = numbers.integers(0, of.vertices, 3)
    assert_along(warpath.sssp(of, sources, device=device), of, values)
    ends = numbers.integers(0, of.vertices, (2, 30))
    pairs = warpath.pairs(of, *ends, paths=True, device=device)
    sums = pairs.along(values)
    for pair in range(len(pairs)):
        path = pairs.path(pair)
        assert of.rows[pairs.arcs(pair)].tolist() == rows_along(of, path)
        assert sums[pair] == (total(values, rows_along(of, path)) if path else np.inf)
    assert pairs.path_arcs.shape == pairs.path_vertices.shape


def test_tiny_graphs_and_negative_weights():
    for name, of in (TINY | NEGATIVE).items():
        for device in ("simulated", "cpu"):
            with named(f"{name}, {device}"):
                values = np.arange(of.arcs) ** 2
                assert_along(warpath.apsp(of, device=device), of, values)


@pytest.mark.parametrize("name", [*EVERY_DEVICE, "cpu"])
@pytest.mark.parametrize("output", ["host", "device"])
def test_sums_of_the_weights_are_the_distances_bit_for_bit(output, name):
    numbers = np.random.default_rng(4)
    frame = pd.DataFrame(numbers.integers(0, 80, (300, 2)), columns=["source", "target"])
    frame = frame.assign(weight=numbers.random(300), other=numbers.random(300))
    solver = warpath.prepare(frame, name if name == "cpu" else opened(name), directed=False)
    one, several = solver.sssp(frame["source"][0], output=output), solver.sssp(range(5, 9), output=output)
    for paths in (one, several, solver.sssp(5, cutoff=0.5, output=output)):
        np.testing.assert_array_equal(paths.along(frame["weight"]), on_host(paths.floats()))
    pairs = solver.pairs([5] * 80, solver.graph.labels, paths=True, output=output)
    np.testing.assert_array_equal(pairs.along(frame["weight"]), on_host(pairs.floats()))
    np.testing.assert_array_equal(pairs.along(frame["other"]), several.along(frame["other"])[0])


def test_edges_of_networkx_and_rows_of_frames():
    network = nx.MultiGraph()
    network.add_edge("c", "b", minutes=4, name="slow")
    network.add_edge("b", "c", minutes=3, name="fast")
    network.add_edge("a", "b", minutes=2, name="first")
    edges = list(network.edges(data="name"))
    paths = warpath.sssp(network, "a", weight="minutes", device="cpu")
    assert [edges[row][2] for row in paths.graph.rows[paths.arcs_to("c")]] == ["first", "fast"]
    frame = nx.to_pandas_edgelist(network).set_index(pd.Index(["x", "y", "z"]))
    solver = warpath.prepare(frame, "cpu", weight="minutes", directed=False)
    pairs = solver.pairs(["c", "a"], ["a", "a"], paths=True)
    assert frame.iloc[pairs.graph.rows[pairs.arcs(0)]]["name"].tolist() == ["fast", "first"]
    assert pairs.along(frame["minutes"]).tolist() == [5, 0]
    assert pairs.along([1, 1, 1]).tolist() == [2, 0]
    solver.update(frame.assign(minutes=[1, 9, 2]), weight="minutes")
    assert frame.iloc[solver.graph.rows[solver.sssp("a").arcs_to("c")]]["name"].tolist() == ["first", "slow"]


def test_a_chain_of_100_000_vertices():
    count = 100_000
    order = np.random.default_rng(1).permutation(count)
    chain = warpath.from_arcs(count, order[:-1], order[1:], np.ones(count - 1, np.int32))
    values = np.arange(count - 1)
    paths = warpath.sssp(chain, int(order[0]), device="cpu")
    np.testing.assert_array_equal(paths.along(values)[order[1:]], np.cumsum(values))
    np.testing.assert_array_equal(chain.rows[paths.arcs_to(int(order[-1]))], values)
    pairs = warpath.pairs(chain, order[:1], order[-1:], paths=True, device="cpu")
    np.testing.assert_array_equal(chain.rows[pairs.arcs(0)], values)
    assert pairs.along(values)[0] == values.sum()


def test_what_has_no_arcs_and_wrong_values():
    of = graph(3, (0, 1, 2), (0, 1, 1), (1, 0, 5))
    none = warpath.pairs(of, [], [], paths=True, device="cpu")
    assert (none.along([1, 2, 3]).shape, none.path_arcs.shape) == ((0,), (0,))
    paths = warpath.sssp(of, 0, device="cpu")
    assert (paths.arcs_to(0).tolist(), paths.arcs_to(2).tolist()) == ([], [])
    for values, message in (
        ([1, 2], r"shape \(2,\); give one number for each of the 3 rows"),
        ([[1, 2, 3]], r"shape \(1, 3\)"),
        (["a", "b", "c"], "give numbers"),
        (pd.Series([1, None, 3], dtype="Int64"), "values.1. is missing"),
    ):
        with pytest.raises(UsageError, match=message):
            paths.along(values)
    bare = warpath.sssp(of, 0, predecessors=False, device="cpu")
    for ask in (lambda: bare.along([1, 2, 3]), lambda: bare.arcs, lambda: bare.arcs_to(1)):
        with pytest.raises(UsageError, match="predecessors=True"):
            ask()
    without = warpath.pairs(of, [0], [1], device="cpu")
    for ask in (lambda: without.along([1, 2, 3]), lambda: without.path_arcs, lambda: without.arcs(0)):
        with pytest.raises(UsageError, match="paths=True"):
            ask()
