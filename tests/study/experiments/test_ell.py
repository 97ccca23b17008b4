"""Bellman-Ford ell: its format, and what it says of graphs that padding makes too large."""

import numpy as np
import pytest
from tiny_graphs import graph

from warpath.device import open_device
from warpath.errors import OutOfMemoryError
from warpath_study.experiments.bellman_ford import ell


def test_rows_are_filled_from_the_front_and_stored_slot_by_slot():
    heads, weights = ell.padded_rows(graph(4, (0, 1, 5), (0, 2, 6), (0, 1, 7), (2, 3, 8), (3, 3, 9)))
    np.testing.assert_array_equal(heads, [[1, -1, 3, 3], [2, -1, -1, -1], [1, -1, -1, -1]])
    np.testing.assert_array_equal(weights, [[5, 0, 8, 9], [6, 0, 0, 0], [7, 0, 0, 0]])
    assert heads.dtype == weights.dtype == np.int32 and heads.flags.c_contiguous


def test_a_graph_without_arcs_has_no_slots():
    heads, weights = ell.padded_rows(graph(3))
    assert heads.shape == weights.shape == (0, 3)


def test_says_which_row_is_too_long_before_making_anything(monkeypatch):
    star = graph(1000, *[(0, head, 1) for head in range(1000)])
    device = open_device("simulated")
    monkeypatch.setattr(device, "memory_bytes", lambda: (7_999_999, 8_000_000))
    monkeypatch.setattr(ell, "padded_rows", lambda _: pytest.fail("was made"))
    with pytest.raises(OutOfMemoryError, match=r"padded to 1,000 arcs.* 8,000,000 bytes.* 7,999,999 free; use"):
        ell.EllPlan(device, star, 0)
