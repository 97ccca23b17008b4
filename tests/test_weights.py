"""Random weights: in range, equally likely, and fixed by the seed on every machine."""

import numpy as np
import pytest

from warpath.errors import UsageError
from warpath.graphs.csr import from_arcs
from warpath.graphs.csr_arrays import WEIGHT_LIMIT
from warpath.graphs.weights import with_random_weights


def cycle(vertices, about=None):
    tails = np.arange(vertices)
    return from_arcs(vertices, tails, (tails + 1) % vertices, np.full(vertices, 7), about)


def test_the_weights_of_a_seed_are_fixed_for_ever():
    """A change here changes every published result on a graph with random weights."""
    assert with_random_weights(cycle(8), seed=1).weights.tolist() == [97, 43, 18, 79, 55, 10, 64, 38]
    assert with_random_weights(cycle(4), 2**80, -WEIGHT_LIMIT, WEIGHT_LIMIT).weights.tolist() == [
        1234731563,
        31960663,
        200393353,
        1986230522,
    ]


def test_only_weights_and_what_is_said_of_them_change():
    graph = cycle(1000, {"title": "cycle", "weights": {"kind": "given"}})
    other = with_random_weights(graph, seed=5, weight_min=1, weight_max=100)
    assert other.indices is graph.indices
    assert other.weights.dtype == np.int32
    assert other.about == {"title": "cycle", "weights": {"kind": "random", "seed": 5, "min": 1, "max": 100}}
    assert graph.about["weights"] == {"kind": "given"}
    assert graph.weights.tolist() == [7] * 1000


def test_every_value_of_the_range_comes_up_equally_often():
    counts = np.bincount(with_random_weights(cycle(100_000), seed=3).weights, minlength=102)
    assert counts[0] == counts[101] == 0
    # Each count is binomial with mean 1000 and deviation 31.5; the chance of six deviations in any of them is 2e-7.
    assert counts[1:101].min() >= 811 and counts[1:101].max() <= 1189


def test_arcs_keep_their_weights_when_others_are_added_behind_them():
    few, many = (with_random_weights(cycle(n), seed=9).weights for n in (10, 1000))
    assert few.tolist() == many[:10].tolist()


def test_seeds_differ():
    drawn = [with_random_weights(cycle(1000), seed).weights for seed in (0, 1, 2, -1)]
    for first in range(4):
        for second in range(first):
            assert 0 <= (drawn[first] == drawn[second]).sum() <= 30  # about 10 of 1000 agree by chance
            assert (drawn[first][1:] == drawn[second][:-1]).sum() <= 30


def test_a_range_of_one_value_and_a_graph_without_arcs():
    assert with_random_weights(cycle(3), 1, 0, 0).weights.tolist() == [0, 0, 0]
    empty = from_arcs(2, *(np.zeros(0, np.int64),) * 3)
    assert with_random_weights(empty, 1).weights.shape == (0,)


@pytest.mark.parametrize(("low", "high"), [(5, 4), (0, 2**31 - 1), (-(2**31), 0)])
def test_ranges_that_are_none(low, high):
    with pytest.raises(UsageError, match=f"weights cannot be drawn from {low}..{high}"):
        with_random_weights(cycle(3), 1, low, high)
