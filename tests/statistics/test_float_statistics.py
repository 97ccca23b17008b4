"""Statistics of distances that are floats, against the rows themselves."""

from pathlib import Path

import numpy as np
import pytest
from every_device import opened
from hypothesis import given, strategies

import warpath
from warpath.__main__ import main
from warpath.statistics.statistics import ArrayCollector, joined

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
