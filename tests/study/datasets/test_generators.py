"""The generators of large graphs: exact counts, the shape of what they stand for, the same on every machine.

And the random numbers that they are made of.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components, dijkstra
from tiny_graphs import named

from warpath.graphs import random_numbers
from warpath.graphs.random_numbers import below, hashed, hashed_at, integers, permutation
from warpath_study.datasets.generate import generate
from warpath_study.datasets.gnutella import gnutella
from warpath_study.datasets.road import road, road_network


def assert_simple(graph, vertices, arcs):
    """So many vertices and arcs, no loop, no arc twice; sorted."""
    assert (graph.vertices, graph.arcs) == (vertices, arcs)
    tails = graph.tails().astype(np.int64)
    assert (tails != graph.indices).all()
    assert (np.diff(tails * vertices + graph.indices) > 0).all()


# Road networks.


def arcs_of_the_longest_path(graph, source=0):
    """The arcs of the shortest path that has most: so many rounds Bellman-Ford takes."""
    distances, before = dijkstra(graph.to_scipy(), indices=source, return_predecessors=True)
    arcs = np.zeros(graph.vertices, int)
    for vertex in np.argsort(distances)[1:]:  # weights are positive
        arcs[vertex] = arcs[before[vertex]] + 1
    return arcs.max()


def crossings(network):
    """The number of pairs of edges that cross each other if drawn straight."""
    ends = network.positions[:, network.edges].astype(np.int64)

    def turn(a, b, c):
        return np.sign((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))

    tails, heads = ends[:, 0], ends[:, 1]
    found = 0
    for edge in range(tails.shape[1] - 1):
        a, b = tails[:, edge, None], heads[:, edge, None]
        c, d = tails[:, edge + 1 :], heads[:, edge + 1 :]
        found += int(((turn(a, b, c) * turn(a, b, d) < 0) & (turn(c, d, a) * turn(c, d, b) < 0)).sum())
    return found


@st.composite
def possible_counts(draw):
    vertices = draw(st.integers(1, 300))
    loops = draw(st.integers(0, max((vertices - 2) // 2, 0)))
    return vertices, 2 * (vertices - 1 + loops)


@given(possible_counts(), st.integers(-5, 5))
def test_any_possible_counts_are_hit_by_a_simple_connected_two_way_network(counts, seed):
    graph = road(*counts, seed)
    assert_simple(graph, *counts)
    matrix = graph.to_scipy()
    assert (matrix != matrix.T).nnz == 0
    assert connected_components(matrix)[0] == 1
    assert np.diff(graph.indptr).max() <= 8
    assert graph.arcs == 0 or graph.weight_min >= 1


def test_no_two_roads_cross():
    for vertices, arcs in ((50, 98), (50, 146), (300, 598), (300, 602), (1200, 3330), (1200, 2928)):
        assert crossings(road_network(vertices, arcs, seed=vertices)) == 0
    network = road_network(4, 8, 1)
    network.edges = np.array([[0, 1], [3, 2]])  # the diagonals of the square
    assert crossings(network) == 1


def test_a_network_is_as_deep_and_as_branched_as_new_york():
    # New York's 264,346 vertices take 1,200 rounds; depth grows with the square root of the number of vertices.
    vertices = 20_000
    graph = road(vertices, 2 * round(vertices * 733_846 / 264_346 / 2), 2)
    expected = 1200 * np.sqrt(vertices / 264_346)
    assert expected / 2 <= arcs_of_the_longest_path(graph) <= expected * 2
    shares = np.bincount(np.diff(graph.indptr), minlength=6) / vertices
    np.testing.assert_allclose(shares[:6], [0, 0.16, 0.15, 0.47, 0.22, 0.01], atol=0.05)


def test_weights_are_lengths_whose_sums_fit_32_bits_and_near_vertices_have_near_numbers():
    network = road_network(5000, 14_000, 1)
    metres = np.hypot(*np.diff(network.positions[:, network.edges], axis=1)[:, 0]) / 16
    assert abs(network.lengths() - metres).max() <= 1
    graph = road(5000, 14_000, 1)
    assert 50 < graph.weights.mean() < 300
    assert graph.longest_path_bound < 2**31 - 1
    assert np.median(abs(graph.tails() - graph.indices)) < 10


# Networks of peers.


def strong_components(graph):
    """Sizes of the components, largest first, and the component of each vertex, numbered in that order."""
    _, label = connected_components(graph.to_scipy(), connection="strong")
    sizes = np.bincount(label)
    order = np.argsort(-sizes)
    return sizes[order], np.argsort(order)[label]


def check_gnutella(graph, vertices, arcs, sinks, core):
    assert_simple(graph, vertices, arcs)
    out_degrees = np.diff(graph.indptr)
    assert (out_degrees == 0).sum() == sinks
    assert out_degrees.max() <= 100
    sizes, component = strong_components(graph)
    assert sizes[0] == core
    assert (sizes[1:] == 1).all()
    assert component[0] == 0
    nobody_names = np.bincount(graph.indices, minlength=vertices) == 0
    assert (out_degrees[nobody_names] > 0).all()


@pytest.mark.parametrize(
    "counts", [(10_876, 39_994, 5941, 4317), (22_687, 54_705, 16_466, 5153), (36_682, 88_328, 26_960, 8490)]
)
def test_a_network_of_the_size_of_a_snapshot_is_like_it(counts):
    vertices, arcs, sinks, core = counts
    graph = gnutella(vertices, arcs, 1, sinks, core)
    check_gnutella(graph, *counts)
    out_degrees = np.diff(graph.indptr)
    assert 50 <= out_degrees.max() <= 100
    assert 8 <= np.median(out_degrees[out_degrees > 0]) <= 10
    in_degrees = np.bincount(graph.indices)
    assert in_degrees.max() >= 20
    assert 0.25 < (in_degrees == 1).mean() < 0.6


@given(st.integers(20, 200), st.integers(0, 100), st.integers(-3, 3))
def test_without_numbers_the_shares_are_the_usual_ones(vertices, more_arcs, seed):
    sinks = vertices * 73 // 100
    peers = vertices - sinks
    arcs = min(2 * vertices + more_arcs, peers * max(sinks // 2 - 1, 1))
    check_gnutella(gnutella(vertices, arcs, seed), vertices, arcs, sinks, max(peers * 86 // 100, 2))


def test_the_smallest_and_the_densest_network():
    check_gnutella(gnutella(4, 4, 1, sinks=1, core=3), 4, 4, 1, 3)
    check_gnutella(gnutella(4, 4, 1, sinks=2, core=2), 4, 4, 2, 2)
    # Each of the 50 peers names at most half of the others.
    check_gnutella(gnutella(100, 50 * 50, 1, sinks=50, core=50), 100, 2500, 50, 50)


# Power laws.


def check_power_law(graph, vertices, arcs):
    assert_simple(graph, vertices, arcs)
    assert not arcs or graph.indptr[1] > 0


@given(st.integers(2, 60), st.data(), st.integers(-3, 3))
def test_counts_are_exact_up_to_half_of_all_arcs(vertices, data, seed):
    arcs = data.draw(st.integers(0, vertices * (vertices - 1) // 2))
    check_power_law(generate("power_law", vertices=vertices, arcs=arcs, seed=seed), vertices, arcs)


def test_degrees_follow_the_power_law():
    graph = generate("power_law", vertices=40_000, arcs=640_000)
    check_power_law(graph, 40_000, 640_000)
    out_degrees, in_degrees = np.diff(graph.indptr), np.bincount(graph.indices, minlength=graph.vertices)
    for degrees in (out_degrees, in_degrees):
        # Rank i has about arcs / 3 / vertices^(1/3) · i^(-2/3) arcs, less those that were parallel at the top.
        ranked = np.sort(degrees)[::-1]
        for rank in (100, 1000, 10_000):
            expected = 640_000 / 3 / 40_000 ** (1 / 3) * rank ** (-2 / 3)
            assert 0.8 < ranked[rank] / expected < 1.2
    assert np.corrcoef(out_degrees, in_degrees)[0, 1] > 0.9
    assert np.argmax(out_degrees) != 0  # heavy vertices lie anywhere


SAME = [
    ("road", 1, 0, 1, "9a5d10ce3ab8958c803a154d3ea56eeef8dc4e7727f240c0967d263739a8993f"),
    ("road", 100, 270, 2, "67253e5edfca644f56de76fb17dfa91a532a72da7fd3a133adeae8cbd4a433b9"),
    ("road", 5000, 14_000, 1, "066d7f527e6207aac62a00b77bf2232162a2e7193fb9fab9ff43e43d06b8c38a"),
    ("gnutella", 150, 552, 1, "44dcd92e347d080304b686efc44d8af1d97ba7e2a6574809e00b0d222a728e73"),
    ("gnutella", 3000, 7000, 1, "e7b774914c5097bfaca894795bd9143071296ee67921359ed99763dcfaf9ff84"),
    ("power_law", 50, 400, 3, "59626b5f5945c07509908b823598959cbac9acdb7b05667d22f2545a333a588a"),
]


def test_graphs_are_the_same_everywhere():
    for kind, vertices, arcs, seed, sha256 in SAME:
        with named(f"{kind} {vertices} {arcs} {seed}"):
            assert generate(kind, vertices=vertices, arcs=arcs, seed=seed).sha256 == sha256
    assert generate("power_law", vertices=50, arcs=400, seed=4).sha256 != SAME[-1][-1]


# Random numbers.


def test_the_numbers_are_these_and_no_others():
    assert hashed(1, 0, 3).tolist() == [7982734928498899980, 7851527857629710090, 9955129241680291498]
    assert integers(1, 0, 10, 1, 100).tolist() == [44, 43, 54, 82, 17, 15, 77, 38, 86, 98]
    assert permutation(1, 1, 5).tolist() == [4, 2, 0, 3, 1]


def test_the_mixing_is_that_of_splitmix64():
    # The published test vector: SplitMix64 seeded with 1234567 begins with this number.
    state = np.array([(1234567 + random_numbers._INCREMENT) % 2**64], dtype=np.uint64)
    assert random_numbers._mix(state)[0] == 6457827717110365317


@given(st.integers(-(2**70), 2**70), st.integers(-(2**70), 2**70), st.integers(0, 50), st.integers(0, 2**40), st.data())
def test_any_part_of_a_stream_can_be_had_by_itself(seed, stream, count, start, data):
    whole = hashed(seed, stream, count, start)
    begin = data.draw(st.integers(0, count))
    np.testing.assert_array_equal(hashed(seed, stream, count - begin, start + begin), whole[begin:])
    np.testing.assert_array_equal(hashed_at(seed, stream, np.arange(start, start + count)[::-1]), whole[::-1])


def test_seeds_and_streams_differ():
    rows = [hashed(seed, stream, 100) for seed in range(-3, 4) for stream in range(7)]
    assert len(np.unique(np.concatenate(rows))) == 49 * 100


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(1, 2**32)), min_size=1))
def test_below_is_the_upper_half_of_the_exact_product(pairs):
    hashes, bounds = (np.array(column, dtype=np.uint64) for column in zip(*pairs, strict=True))
    assert below(hashes, bounds).tolist() == [value * bound >> 64 for value, bound in pairs]


@given(st.integers(-(2**31), 2**31), st.integers(0, 2**32 - 1))
def test_integers_stay_in_their_range_and_reach_both_ends(low, span):
    drawn = integers(0, 0, 200, low, low + span)
    assert low <= drawn.min() and drawn.max() <= low + span
    if span < 10:
        assert set(drawn.tolist()) == set(range(low, low + span + 1))


def test_every_integer_has_an_equal_chance():
    counts = np.bincount(integers(5, 6, 100_000, 0, 9))
    assert abs(counts - 10_000).max() < 400  # four standard deviations


def test_a_permutation_holds_every_number_once_and_no_range_is_refused():
    assert sorted(permutation(3, 4, 1000).tolist()) == list(range(1000))
    assert permutation(3, 4, 0).tolist() == []
    for low, high in ((1, 0), (0, 2**32)):
        with pytest.raises(ValueError, match="range"):
            integers(0, 0, 1, low, high)
