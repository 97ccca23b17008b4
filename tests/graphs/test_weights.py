"""Random weights: in range, equally likely, and fixed by the seed on every machine."""

import numpy as np
import pytest

from warpath.errors import UsageError
from warpath.graphs.csr import WEIGHT_LIMIT, from_arcs
from warpath.graphs.weights import with_random_weights
from warpath_study.datasets.weight_rules import LENGTHS, WeightRule, road_lengths, with_drawn, with_road_lengths


def cycle(vertices, metadata=None):
    tails = np.arange(vertices)
    return from_arcs(vertices, tails, (tails + 1) % vertices, np.full(vertices, 7), metadata)


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
    assert other.metadata == {"title": "cycle", "weights": {"kind": "random", "seed": 5, "min": 1, "max": 100}}
    assert graph.metadata["weights"] == {"kind": "given"}
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


@pytest.mark.parametrize(("low", "high"), [(1.5, 4), (np.int8(-100), np.int8(100))])
def test_bounds_that_are_no_int(low, high):
    with pytest.raises(UsageError):
        with_random_weights(cycle(3), 1, low, high)


def test_lengths_of_a_seed_are_fixed_for_ever():
    assert with_road_lengths(cycle(8), seed=1).weights.tolist() == [3591, 861, 569, 1757, 1048, 410, 1257, 804]


def test_lengths_are_distributed_like_those_of_new_york():
    """Mean, deviation and quantiles of the 733,846 arcs of USA-road-d.NY.gr."""
    lengths = with_road_lengths(cycle(500_000), seed=2).weights
    assert lengths.mean() == pytest.approx(1293.3, rel=0.02)
    assert lengths.std() == pytest.approx(1130.1, rel=0.05)
    quantiles = np.quantile(lengths, [0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999])
    assert quantiles == pytest.approx([418, 687, 951, 1615, 2432, 5462, 11790], rel=0.05)
    assert (lengths.min(), LENGTHS[0], LENGTHS[-1]) == (1, 1, 36_946)


def test_the_shortest_and_the_longest_length():
    assert road_lengths(np.array([0, 2**64 - 1], np.uint64)).tolist() == [1, 36_945]


def test_an_edge_has_one_length_both_ways():
    tails, heads = np.array([0, 1, 1, 2, 0, 2]), np.array([1, 0, 2, 1, 2, 0])
    graph = from_arcs(3, tails, heads, np.ones(6, np.int32), {"undirected": True})
    drawn = with_road_lengths(graph, seed=1)
    length = dict(zip(zip(drawn.tails().tolist(), drawn.indices.tolist(), strict=True), drawn.weights, strict=True))
    assert all(length[tail, head] == length[head, tail] for tail, head in length)
    assert len(set(length.values())) == 3
    assert drawn.metadata["weights"] == {"kind": "random", "seed": 1, "min": 1, "max": 36_946, "like": "road_lengths"}
    assert "weights drawn like road lengths (from 1 to 36,946 by seed 1)" in drawn.describe()


def test_a_rule_of_the_catalog():
    like, between = with_drawn(cycle(9), WeightRule(4, like="road_lengths")), WeightRule(4, 2, 7)
    assert like.sha256 == with_road_lengths(cycle(9), 4).sha256
    assert with_drawn(cycle(9), between).sha256 == with_random_weights(cycle(9), 4, 2, 7).sha256
