"""Rows of distances: what their statistics are by definition, and the same rows as columns."""

import numpy as np

from warpath.distances import UNREACHABLE, Columns
from warpath.statistics.statistics import BINS, shift_for


def assert_rows(rows, distances, sources, nearest):
    """``rows`` are what the definitions say of ``distances``, int32 of shape (s, n), from ``sources``."""
    reached = distances != UNREACHABLE
    near = np.where(reached, distances, -1)
    np.testing.assert_array_equal(rows.eccentricities, near.max(axis=1))
    np.testing.assert_array_equal(rows.farthest, near.argmax(axis=1))
    np.testing.assert_array_equal(rows.reached, reached.sum(axis=1))
    np.testing.assert_array_equal(rows.sums, np.where(reached, distances, 0).sum(axis=1, dtype=np.int64))
    for row, source in enumerate(sources):
        others = [(int(d), v) for v, d in enumerate(distances[row]) if v != source and d != UNREACHABLE]
        wanted = (sorted(others) + [(int(UNREACHABLE), -1)] * nearest)[:nearest]
        found = zip(rows.nearest_distances[row].tolist(), rows.nearest[row].tolist(), strict=True)
        assert list(found) == wanted
    of_pairs = reached.copy()
    of_pairs[np.arange(len(sources)), sources] = False
    lengths = distances[of_pairs]
    wanted = np.bincount(lengths.astype(np.int64) // rows.bin_width, minlength=BINS)
    np.testing.assert_array_equal(rows.histogram, wanted)
    assert rows.bin_width == 1 << shift_for(lengths.max(initial=0))


def columns_of(device, distances: np.ndarray, seed: int) -> Columns:
    """The rows of ``distances`` as columns in a random order of vertices, among columns with something else."""
    rows, vertices = distances.shape
    positions = np.random.default_rng(seed).permutation(vertices).astype(np.int32)
    cells = np.full((rows // 32 + 2, vertices, 32), -5, np.int32)
    for row in range(rows):
        cells[row // 32, positions, row % 32] = distances[row]
    return Columns(device.upload(cells), positions, device.upload(np.argsort(positions).astype(np.int32)), rows)
