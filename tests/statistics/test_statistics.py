"""Statistics of rows: against definitions written out, scipy and NetworkX, in every order of threads and any pieces."""

from dataclasses import replace
from itertools import pairwise

import networkx
import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from examples import fewer
from hypothesis import given, strategies
from row_samples import assert_rows, columns_of
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import NEGATIVE, TINY, graph, random_graphs

import warpath
from warpath.errors import CertificateError, GraphError, UsageError
from warpath.solvers.many_sources.sweep.sweep import SweepPlan
from warpath.statistics.statistics import BINS, NEAREST_MAX, RowCollector, shift_for, widened
from warpath_study.datasets.road import road
from warpath_study.parts.parts import merged


def distances_of(of):
    return warpath.prepare(of, "simulated").apsp(predecessors=False).distances


@pytest.mark.parametrize("name", EVERY_DEVICE)
@pytest.mark.parametrize("of", TINY.values(), ids=list(TINY))
def test_small_graphs_in_every_order_of_threads(name, of):
    device = opened(name)
    distances = distances_of(of)
    sources = np.arange(of.vertices)
    for threads, nearest in ((32, 3), (64, 40)):
        collector = RowCollector(device, of.vertices, of.vertices, nearest, threads)
        collector.take(0, sources, distances)
        assert_rows(collector.result(), distances, sources, nearest)


@given(
    of=random_graphs(vertices_max=90),
    nearest=strategies.integers(0, 9),
    piece=strategies.integers(1, 50),
    data=strategies.data(),
)
def test_any_rows_in_any_pieces(of, nearest, piece, data):
    every = distances_of(of)
    sources = np.array(data.draw(strategies.lists(strategies.integers(0, of.vertices - 1), min_size=1, max_size=60)))
    collector = RowCollector(opened("forward"), of.vertices, len(sources), nearest)
    for first in range(0, len(sources), piece):
        part = sources[first : first + piece]
        collector.take(first, part, every[part])
    assert_rows(collector.result(), every[sources], sources, nearest)


@fewer
@given(of=random_graphs(vertices_max=40), parts=strategies.integers(1, 5))
def test_parts_come_to_the_same_as_all_at_once(of, parts):
    solver = warpath.prepare(of, "simulated")
    whole = solver.statistics(nearest=2)
    cuts = np.linspace(0, of.vertices, parts + 1).astype(int)
    together = merged([solver.statistics(range(*ends), nearest=2) for ends in pairwise(cuts)])
    for name in ("eccentricities", "farthest", "reached", "sums", "nearest", "nearest_distances", "histogram"):
        np.testing.assert_array_equal(getattr(together.rows, name), getattr(whole.rows, name))
    assert together.rows.bin_width == whole.rows.bin_width
    assert together.certificate == whole.certificate
    assert (together.diameter, together.radius, together.mean_distance) == (
        whole.diameter,
        whole.radius,
        whole.mean_distance,
    )


@fewer
@given(of=random_graphs(vertices_max=25))
def test_scipy_and_networkx_agree(of):
    found = warpath.prepare(of, "simulated").statistics()
    floats = dijkstra(of.to_scipy())
    reached = np.isfinite(floats)
    np.testing.assert_array_equal(found.eccentricities, np.where(reached, floats, 0).max(axis=1))
    np.testing.assert_array_equal(found.rows.reached, reached.sum(axis=1))
    # NetworkX takes the ways in: those out of a vertex are the ways in of the graph turned around.
    turned = networkx.DiGraph()
    turned.add_nodes_from(range(of.vertices))
    for tail, head, weight in zip(of.tails().tolist(), of.indices.tolist(), of.weights.tolist(), strict=True):
        if not turned.has_edge(head, tail) or turned[head][tail]["weight"] > weight:
            turned.add_edge(head, tail, weight=weight)
    closeness = networkx.closeness_centrality(turned, distance="weight")
    np.testing.assert_allclose(found.closeness, [closeness[v] for v in range(of.vertices)], rtol=1e-12)
    if networkx.is_strongly_connected(turned) and of.vertices > 1:
        out = networkx.eccentricity(turned.reverse(), weight="weight")
        assert (found.diameter, found.radius) == (max(out.values()), min(out.values()))
        mean = networkx.average_shortest_path_length(turned, weight="weight")
        assert found.mean_distance == pytest.approx(mean, rel=1e-12)


def test_a_graph_by_hand():
    of = warpath.from_arcs(4, [0, 0, 1], [1, 2, 2], [3, 9, 2], {"weights": {"scale": 2}})
    found = warpath.prepare(of, "simulated").statistics(nearest=2)
    assert found.eccentricities.tolist() == [2.5, 1, 0, 0]
    assert (found.diameter, found.diameter_ends, found.radius) == (2.5, (0, 2), None)
    assert (found.pairs, found.mean_distance) == (3, (1.5 + 2.5 + 1) / 3)
    assert found.closeness.tolist() == [2 / 4 * 2 / 3, 1 / 1 * 1 / 3, 0, 0]
    assert found.rows.nearest.tolist() == [[1, 2], [2, -1], [-1, -1], [-1, -1]]
    counts, edges = found.histogram
    assert len(edges) == len(counts) + 1 and edges[0] == 0
    assert dict(zip(edges.tolist(), counts.tolist(), strict=False)) == {0: 0, 0.5: 0, 1: 1, 1.5: 1, 2: 0, 2.5: 1}


def test_no_sources_come_to_nothing():
    found = warpath.prepare(TINY["ties"], "simulated").statistics([], nearest=2)
    assert (len(found.rows), found.pairs, found.diameter, found.diameter_ends) == (0, 0, 0, None)
    assert (found.radius, found.mean_distance, found.certificate, found.variant) == (None, None, None, "")
    assert found.histogram[0].tolist() == [0]


def test_bins_widen_exactly():
    numbers = np.random.default_rng(5).integers(0, 2**31 - 1, 5000)
    histogram, shift = np.zeros(BINS, np.int64), 0
    for piece in (numbers % 700, numbers % 70_000, numbers):
        needed = max(shift, shift_for(piece.max()))
        histogram = widened(histogram, shift, needed) + np.bincount(piece >> needed, minlength=BINS)
        shift = needed
    every = np.concatenate([numbers % 700, numbers % 70_000, numbers])
    np.testing.assert_array_equal(histogram, np.bincount(every >> shift, minlength=BINS))
    assert widened(histogram, shift, 40)[0] == histogram.sum()
    assert [shift_for(greatest) for greatest in (0, 1023, 1024, 2**31 - 2)] == [0, 0, 1, 21]


def test_sums_beyond_64_bits_have_a_mean():
    found = warpath.prepare(TINY["ties"], "simulated").statistics()
    large = replace(found, rows=replace(found.rows, sums=np.full(4, 2**62, np.int64)))
    assert large.mean_distance == pytest.approx(4 * 2**62 / found.pairs)


@pytest.mark.parametrize("nearest", [-1, NEAREST_MAX + 1, 1.5, True, "3"])
def test_numbers_of_nearest_vertices_that_are_none(nearest):
    with pytest.raises(UsageError, match="it must be from 0 to 1,024"):
        warpath.prepare(TINY["ties"], "simulated").statistics(nearest=nearest)


def test_negative_weights_are_refused():
    with pytest.raises(GraphError, match="the smallest weight is -3"):
        warpath.prepare(NEGATIVE["negative arc"], "simulated").statistics()


def test_statistics_that_do_not_belong_together_are_not_merged():
    one = warpath.prepare(TINY["ties"], "simulated")
    with pytest.raises(UsageError, match="of two graphs"):
        merged([one.statistics([0]), warpath.prepare(graph(2, (0, 1, 7)), "simulated").statistics([0])])
    with pytest.raises(UsageError, match="different numbers of nearest"):
        merged([one.statistics([0]), one.statistics([1], nearest=1)])


@pytest.mark.parametrize("name", EVERY_DEVICE)
@pytest.mark.parametrize("of", TINY.values(), ids=list(TINY))
def test_columns_in_every_order_of_threads(name, of):
    device, distances = opened(name), distances_of(of)
    sources = np.arange(of.vertices)
    columns = columns_of(device, distances, 1)
    collector = RowCollector(device, of.vertices, 2 * of.vertices, 0)
    for first in (0, of.vertices):
        collector.take(first, sources, columns)
    rows = collector.result()
    assert_rows(rows, np.tile(distances, (2, 1)), np.tile(sources, 2), 0)


@pytest.mark.parametrize("nearest", [0, 3])
def test_statistics_of_roads_with_weights_of_0(nearest):
    roads = road(300, 780, seed=1)
    weights = np.where(np.random.default_rng(1).random(roads.arcs) < 0.3, 0, roads.weights).astype(np.int32)
    roads = warpath.from_arcs(300, roads.tails(), roads.indices, weights)
    found = warpath.prepare(roads, "simulated").statistics(range(20), nearest=nearest)
    assert_rows(found.rows, distances_of(roads)[:20], range(20), nearest)


def test_a_wrong_column_is_reported_as_its_row_is(monkeypatch):
    roads = road(300, 780, seed=1)
    solver = warpath.prepare(roads, "simulated")
    right = solver.statistics(range(20))
    assert right.variant == "contraction_hierarchy.sweep"
    solve_columns = SweepPlan.solve_columns

    def solve_wrongly(plan, sources):
        columns = solve_columns(plan, sources)
        columns.cells[0, columns.positions[7], 5] += 1
        return columns

    with monkeypatch.context() as patched:
        patched.setattr(SweepPlan, "solve_columns", solve_wrongly)
        with pytest.raises(CertificateError, match="7"):
            solver.statistics(range(20))
    assert_rows(solver.statistics(range(20)).rows, distances_of(roads)[:20], range(20), 0)


def test_a_distance_that_does_not_fit_32_bits_is_refused():
    heavy = [(v, v + 1, 2**31 // 50) for v in range(60)]
    with pytest.raises(GraphError, match="does not fit 32 bits"):
        warpath.prepare(graph(61, *heavy), "simulated").statistics()
