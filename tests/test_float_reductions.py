"""Reductions of distances that are floats, against the rows themselves."""

import numpy as np
import pytest
from every_device import opened
from hypothesis import given, strategies

import warpath
from warpath.reductions.reductions import ArrayReducer, joined

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
    reducer = ArrayReducer(device, np.dtype(dtype), len(sources), nearest)
    reducer.take(0, sources[:cut], distances[:cut])
    reducer.take(cut, sources[cut:], distances[cut:])
    rows = reducer.result()
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
    narrow, wide = (ArrayReducer(opened("forward"), np.dtype(float), 1, 0) for _ in range(2))
    narrow.take(0, np.array([0]), np.array([[0, 0.25, 0.5]]))
    wide.take(0, np.array([0]), np.array([[0, 300.0, 5000.0]]))
    both = joined([narrow.result(), wide.result()])
    assert both.bin_width == wide.result().bin_width
    assert both.histogram.sum() == 4
    assert both.histogram[0] == 2


@pytest.mark.parametrize("dtype", FLOATS)
def test_of_a_graph(dtype):
    graph = warpath.from_arcs(4, [0, 1, 2], [1, 2, 0], np.array([0.5, 0.25, 1.5], dtype))
    found = warpath.prepare(graph, "host").reductions(nearest=1)
    assert found.certificate.verdict == "exact"
    assert (found.diameter, found.radius, found.pairs) == (2.0, None, 6)
    assert found.mean_distance == pytest.approx((0.5 + 0.75 + 0.25 + 1.75 + 1.5 + 2) / 6)
    assert found.rows.nearest[:, 0].tolist() == [1, 2, 0, -1]
