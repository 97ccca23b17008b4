"""The nearest of several sources for each vertex."""

from itertools import pairwise

import numpy as np
import pandas
import pytest
from every_device import EVERY_DEVICE, opened
from hypothesis import given
from hypothesis.strategies import data, integers
from tiny_graphs import TINY, random_graphs

import warpath
from warpath.errors import UsageError
from warpath.graphs.csr import Graph


@pytest.fixture(params=[*EVERY_DEVICE, "cpu"])
def device(request):
    return warpath.open_device("cpu") if request.param == "cpu" else opened(request.param)


def assert_nearest(graph, sources, found):
    """Distances are the least of those from each source; trees, sources and paths fit them."""
    table = warpath.sssp(graph, sources, device="cpu", predecessors=False).floats()
    np.testing.assert_array_equal(found.floats(), table.min(axis=0))
    rows = {source: row for row, source in enumerate(sources)}
    for vertex in range(graph.vertices):
        nearest, path = found.nearest[vertex], found.path_to(graph.label_of(vertex))
        if nearest < 0:
            assert path == [] and found.distance_to(graph.label_of(vertex)) == np.inf
            continue
        assert table[rows[nearest], vertex] == found.floats()[vertex]
        assert path[0] == found.source_of(graph.label_of(vertex)) == graph.label_of(int(nearest))
        assert path[-1] == graph.label_of(vertex)
        lengths = [warpath.sssp(graph, one, device="cpu").distance_to(other) for one, other in pairwise(path)]
        assert sum(lengths) == pytest.approx(found.distance_to(graph.label_of(vertex)))
    assert all(found.nearest[source] == source for source in sources if found.distances[source] == 0)


@pytest.mark.parametrize("name", TINY)
def test_each_vertex_has_its_nearest_source(device, name):
    graph = TINY[name]
    sources = np.unique(np.random.default_rng(len(name)).integers(0, graph.vertices, 3)).tolist()
    found = warpath.nearest(graph, [graph.label_of(source) for source in reversed(sources)], device=device)
    assert found.certificate and found.sources.tolist() == sources
    assert_nearest(graph, sources, found)


@given(random_graphs(vertices_max=20), data())
def test_in_any_graph(graph, drawn):
    sources = sorted({drawn.draw(integers(0, graph.vertices - 1)) for _ in range(drawn.draw(integers(1, 4)))})
    assert_nearest(graph, sources, warpath.nearest(graph, sources, device="cpu"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_of_floats(device, dtype):
    graph = TINY["ties"]
    floats = Graph(graph.indptr, graph.indices, (graph.weights / 3).astype(dtype))
    found = warpath.nearest(floats, [0, 1], device=device)
    table = warpath.sssp(floats, [0, 1], device="cpu", predecessors=False).floats()
    np.testing.assert_array_equal(found.floats(), table.min(axis=0))


def test_sources_that_are_at_distance_zero_of_each_other_are_their_own(device):
    graph = warpath.from_arcs(4, [0, 1, 2, 1], [1, 2, 0, 3], [0, 0, 0, 5])
    found = warpath.nearest(graph, [2, 0, 1], device=device)
    assert found.nearest.tolist() == [0, 1, 2, 1] and found.predecessors.tolist() == [-1, -1, -1, 1]
    below_zero = warpath.from_arcs(5, [0, 1, 1, 0], [1, 2, 3, 4], [-3, 3, 4, 0])
    found = warpath.nearest(below_zero, [0, 1, 2, 3], device=device)
    assert found.distances.tolist() == [0, -3, 0, 0, 0]
    assert found.nearest.tolist() == [0, 0, 2, 3, 0] and found.predecessors.tolist() == [-1, 0, -1, -1, 0]


def test_a_solver_answers_for_other_sources_and_for_new_weights():
    solver = warpath.prepare(warpath.from_arcs(4, [0, 1, 2], [1, 2, 3], [4, 5, 6]), "cpu")
    for sources, distances in (([0, 3], [0, 4, 9, 0]), ([0, 3], [0, 4, 9, 0]), ([0, 2], [0, 4, 0, 6])):
        assert solver.nearest(sources).distances.tolist() == distances
    solver.update([1, 2, 3])
    assert solver.nearest([0, 2]).distances.tolist() == [0, 1, 0, 3]
    assert solver.nearest([0, 2], cutoff=2).nearest.tolist() == [0, 0, 2, -1]


def test_by_name_in_the_unit_of_the_weights_as_a_frame():
    roads = pandas.DataFrame({"source": ["Voss", "Dale", "Bergen"], "target": ["Dale", "Bergen", "Os"]})
    roads["km"] = [1.5, 2.5, 0.5]
    found = warpath.nearest(roads, ["Dale", "Voss"], weight="km", scale=2, device="cpu", cutoff=2.6)
    assert found.source_of("Bergen") == "Dale" and found.distance_to("Bergen") == 2.5
    assert found.source_of("Os") is None and found.path_to("Os") == []
    frame = found.to_frame().set_index("vertex")
    assert frame.loc["Bergen", "source"] == frame.loc["Bergen", "predecessor"] == "Dale"
    assert frame["distance"].to_dict() == {"Voss": 0, "Dale": 0, "Bergen": 2.5}


def test_a_long_path():
    chain = np.arange(50_000)
    graph = warpath.from_arcs(50_001, chain, chain + 1, np.ones(50_000, int))
    found = warpath.nearest(graph, [0, 30_000], device="cpu")
    assert found.nearest[29_999] == 0 and found.nearest[50_000] == 30_000
    assert found.distances.max() == 29_999


def test_no_sources_and_unknown_ones_are_refused():
    graph = warpath.from_arcs(2, [0], [1], [1])
    for sources in ([], [5], 1):
        with pytest.raises(UsageError):
            warpath.nearest(graph, sources, device="cpu")
