"""Statistics of rows: against definitions written out, SciPy and NetworkX, in every order of threads and any pieces."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import networkx
import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from examples import fewer
from hypothesis import given, strategies
from row_samples import assert_rows, columns_of
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import NEGATIVE, TINY, graph, named, random_graphs

import warpath
from warpath.__main__ import main
from warpath.errors import CertificateError, GraphError, UsageError
from warpath.solvers.choice.fitted import CONSTANTS
from warpath.solvers.many_sources.sweep.sweep import Sweep
from warpath.statistics.statistics import BINS, NEAREST_MAX, ArrayCollector, RowCollector, joined, shift_for, widened
from warpath_study.datasets.road import road
from warpath_study.parts.parts import merged


def distances_of(of):
    return warpath.prepare(of, "simulated").apsp(predecessors=False).distances


@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_small_graphs(name):
    """By rows and by columns."""
    device = opened(name)
    for graph_name, of in TINY.items():
        distances, sources = distances_of(of), np.arange(of.vertices)
        with named(graph_name):
            for threads, nearest in ((32, 3), (64, 40)):
                collector = RowCollector(device, of.vertices, of.vertices, nearest, threads)
                collector.take(0, sources, distances)
                assert_rows(collector.result(), distances, sources, nearest)
            columns = columns_of(device, distances, 1)
            collector = RowCollector(device, of.vertices, 2 * of.vertices, 0)
            for first in (0, of.vertices):
                collector.take(first, sources, columns)
            assert_rows(collector.result(), np.tile(distances, (2, 1)), np.tile(sources, 2), 0)


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


def test_what_cannot_be_is_refused():
    one = warpath.prepare(TINY["ties"], "simulated")
    for nearest in (-1, NEAREST_MAX + 1, 1.5, True, "3"):
        with named(repr(nearest)), pytest.raises(UsageError, match="1,024"):
            one.statistics(nearest=nearest)
    with pytest.raises(GraphError, match="-3"):
        warpath.prepare(NEGATIVE["negative arc"], "simulated").statistics()
    with pytest.raises(UsageError, match="graphs"):
        merged([one.statistics([0]), warpath.prepare(graph(2, (0, 1, 7)), "simulated").statistics([0])])
    with pytest.raises(UsageError, match="nearest"):
        merged([one.statistics([0]), one.statistics([1], nearest=1)])


@pytest.mark.parametrize("nearest", [0, 3])
def test_statistics_of_roads_with_weights_of_0(nearest):
    roads = road(300, 780, seed=1)
    weights = np.where(np.random.default_rng(1).random(roads.arcs) < 0.3, 0, roads.weights).astype(np.int32)
    roads = warpath.from_arcs(300, roads.tails(), roads.indices, weights)
    found = warpath.prepare(roads, "simulated").statistics(range(20), nearest=nearest)
    assert_rows(found.rows, distances_of(roads)[:20], range(20), nearest)


def test_a_wrong_column_is_reported_as_its_row_is(monkeypatch):
    monkeypatch.setitem(CONSTANTS, "contraction_hierarchy.sweep", (defaultdict(float),) * 2)  # it is chosen
    roads = road(300, 780, seed=1)
    solver = warpath.prepare(roads, "simulated")
    solver.statistics(range(20))
    solve_columns = Sweep.solve_columns

    def solve_wrongly(plan, sources):
        columns = solve_columns(plan, sources)
        columns.cells[0, columns.positions[7], 5] += 1
        return columns

    with monkeypatch.context() as patched:
        patched.setattr(Sweep, "solve_columns", solve_wrongly)
        with pytest.raises(CertificateError, match="7"):
            solver.statistics(range(20))
    assert_rows(solver.statistics(range(20)).rows, distances_of(roads)[:20], range(20), 0)


def test_a_distance_that_does_not_fit_32_bits_is_refused():
    heavy = [(v, v + 1, 2**31 // 50) for v in range(60)]
    with pytest.raises(GraphError, match="32 bits"):
        warpath.prepare(graph(61, *heavy), "simulated").statistics()


# Floats


FLOATS = np.float32, np.float64


def drawn(seed, dtype):
    """Rows of distances with ties, gaps and 12 orders of magnitude."""
    random = np.random.default_rng(seed)
    rows, vertices = random.integers(1, 9), random.integers(1, 50)
    distances = np.rint(random.random((rows, vertices)) * 20) * 10.0 ** random.integers(-6, 6)
    distances[random.random((rows, vertices)) < 0.2] = np.inf
    sources = random.integers(0, vertices, rows)
    distances[np.arange(rows), sources] = 0
    return distances.astype(dtype), sources


@pytest.mark.parametrize("dtype", FLOATS)
@given(seed=strategies.integers(0, 2**32), nearest=strategies.integers(0, 60))
def test_statistics_are_those_of_the_rows(dtype, seed, nearest):
    distances, sources = drawn(seed, dtype)
    device, cut = opened("forward"), len(sources) // 2
    collector = ArrayCollector(device, np.dtype(dtype), len(sources), nearest)
    collector.take(0, sources[:cut], distances[:cut])
    collector.take(cut, sources[cut:], distances[cut:])
    rows = collector.result()
    reached = np.isfinite(distances)
    known = np.where(reached, distances, 0)
    np.testing.assert_array_equal(rows.eccentricities, known.max(axis=1))
    np.testing.assert_array_equal(known[np.arange(len(sources)), rows.farthest], known.max(axis=1))
    np.testing.assert_array_equal(rows.reached, reached.sum(axis=1))
    np.testing.assert_allclose(rows.sums, known.sum(axis=1, dtype=np.float64))
    others = reached.copy()
    others[np.arange(len(sources)), sources] = False
    for row in range(len(sources)):
        wanted = sorted((distances[row, vertex], vertex) for vertex in np.flatnonzero(others[row]))[:nearest]
        found = list(zip(rows.nearest_distances[row], rows.nearest[row], strict=True))
        assert found == wanted + [(np.inf, -1)] * (nearest - len(wanted))
    lengths = distances[others].astype(np.float64)
    np.testing.assert_array_equal(
        rows.histogram, np.bincount((lengths // rows.bin_width).astype(np.int64), minlength=len(rows.histogram))
    )
    assert np.log2(rows.bin_width) % 1 == 0


def test_histograms_of_different_widths_are_added():
    narrow, wide = (ArrayCollector(opened("forward"), np.dtype(float), 1, 0) for _ in range(2))
    narrow.take(0, np.array([0]), np.array([[0, 0.25, 0.5]]))
    wide.take(0, np.array([0]), np.array([[0, 300.0, 5000.0]]))
    both = joined([narrow.result(), wide.result()])
    assert both.bin_width == wide.result().bin_width
    assert both.histogram.sum() == 4
    assert both.histogram[0] == 2


ROWS = np.array([[0, np.inf, np.inf], [np.inf, 0, 0.25], [np.inf, 0.375, 0], [0, 0, np.inf]])
SOURCES = np.array([0, 1, 2, 0])


def reduced(pieces, unit):
    """The statistics of ROWS in some unit, a piece at a time, in one collector and in one for each piece."""
    rows = ROWS * unit
    whole = ArrayCollector(opened("forward"), np.dtype(float), len(rows), 0)
    parts, first = [], 0
    for piece in pieces:
        part = ArrayCollector(opened("forward"), np.dtype(float), len(piece), 0)
        for collector, at in ((whole, first), (part, 0)):
            collector.take(at, SOURCES[piece], rows[piece])
        parts.append(part.result())
        first += len(piece)
    return whole.result(), joined(parts)


@pytest.mark.parametrize("unit", [1.0, 5e-324 * 8, 2.0**-1066])
def test_the_histogram_depends_on_no_order_and_no_division(unit):
    histograms = []
    for pieces in ([[0, 1, 2, 3]], [[0], [1], [2], [3]], [[2, 1], [], [3, 0]], [[0, 3], [1, 2]], [[], [3], [1, 0, 2]]):
        histograms += [(rows.bin_width, rows.histogram.tolist()) for rows in reduced(pieces, unit)]
    assert all(histogram == histograms[0] for histogram in histograms)
    width, counts = histograms[0]
    assert width > 0 and counts[0] == 1 and counts[int(0.25 * unit / width)] == 1


def test_parts_of_the_smallest_floats_are_gathered(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    warpath.write(warpath.from_arcs(3, [0, 1], [1, 2], [5e-324, 5e-324]), "graph.npz")
    for part in (1, 2, 3):
        assert (
            main(["statistics", "graph.npz", "--device", "cpu", "--part", f"{part}/3", "--output", f"{part}.npz"]) == 0
        )
    assert main(["gather", "graph.npz", "1.npz", "2.npz", "3.npz", "--histogram", "histogram.csv"]) == 0
    assert len(Path("histogram.csv").read_text().splitlines()) == 1 + 3  # 0, 1 and 2 smallest floats


def test_sums_beyond_the_greatest_float_are_infinite_without_a_word(recwarn):
    graph = warpath.from_arcs(4, [0, 0, 0], [1, 2, 3], [1e308] * 3)
    solver = warpath.prepare(graph, "cpu")
    assert solver.table([0], nearest=1).distances.tolist() == [[1e308]]
    found = solver.statistics()
    assert found.mean_distance == np.inf and found.closeness.tolist() == [0, 0, 0, 0]
    tiny = warpath.prepare(warpath.from_arcs(2, [0], [1], [5e-324]), "cpu").statistics()
    assert tiny.closeness[0] == np.inf
    assert len(recwarn) == 0


@pytest.mark.parametrize("dtype", FLOATS)
def test_of_a_graph(dtype):
    graph = warpath.from_arcs(4, [0, 1, 2], [1, 2, 0], np.array([0.5, 0.25, 1.5], dtype))
    found = warpath.prepare(graph, "simulated").statistics(nearest=1)
    assert found.certificate.verdict == "exact"
    assert (found.diameter, found.radius, found.pairs) == (2.0, None, 6)
    assert found.mean_distance == pytest.approx((0.5 + 0.75 + 0.25 + 1.75 + 1.5 + 2) / 6)
    assert found.rows.nearest[:, 0].tolist() == [1, 2, 0, -1]
