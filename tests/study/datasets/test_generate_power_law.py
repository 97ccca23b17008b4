"""Power-law digraphs: exact counts, no loops, no parallel arcs, heavy degrees, the same on every machine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warpath.errors import UsageError
from warpath_study.datasets.generate import generate


def check(graph, vertices, arcs):
    assert (graph.vertices, graph.arcs) == (vertices, arcs)
    tails = graph.tails().astype(np.int64)
    assert (tails != graph.indices).all()
    assert (np.diff(tails * vertices + graph.indices) > 0).all()  # sorted, no arc twice
    assert not arcs or graph.indptr[1] > 0


@given(st.integers(2, 60), st.data(), st.integers(-3, 3))
def test_counts_are_exact_up_to_half_of_all_arcs(vertices, data, seed):
    arcs = data.draw(st.integers(0, vertices * (vertices - 1) // 2))
    check(generate("power_law", vertices=vertices, arcs=arcs, seed=seed), vertices, arcs)


def test_degrees_follow_the_power_law():
    graph = generate("power_law", vertices=40_000, arcs=640_000)
    check(graph, 40_000, 640_000)
    out_degrees, in_degrees = np.diff(graph.indptr), np.bincount(graph.indices, minlength=graph.vertices)
    for degrees in (out_degrees, in_degrees):
        # Rank i has about arcs / 3 / vertices^(1/3) · i^(-2/3) arcs, less those that were parallel at the top.
        ranked = np.sort(degrees)[::-1]
        for rank in (100, 1000, 10_000):
            expected = 640_000 / 3 / 40_000 ** (1 / 3) * rank ** (-2 / 3)
            assert 0.8 < ranked[rank] / expected < 1.2
    assert np.corrcoef(out_degrees, in_degrees)[0, 1] > 0.9
    assert np.argmax(out_degrees) != 0  # heavy vertices lie anywhere


def test_it_is_the_same_on_every_machine():
    graph = generate("power_law", vertices=50, arcs=400, seed=3)
    assert graph.sha256 == "59626b5f5945c07509908b823598959cbac9acdb7b05667d22f2545a333a588a"
    assert generate("power_law", vertices=50, arcs=400, seed=4).sha256 != graph.sha256


@pytest.mark.parametrize("counts", [(0, 0), (3, 4), (5, -1)])
def test_refuses_counts_that_it_cannot_make(counts):
    with pytest.raises(UsageError, match=f"{counts[0]} vertices and {counts[1]} arcs cannot be made"):
        generate("power_law", vertices=counts[0], arcs=counts[1])
