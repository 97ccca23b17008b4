"""Road-like networks: exact counts, connected, two-way, planar, as deep as real ones, the same on every machine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from warpath.errors import UsageError
from warpath_study.datasets.road import road, road_network


def matrix(graph):
    return csr_array((graph.weights, graph.indices, graph.indptr), shape=(graph.vertices, graph.vertices))


def rounds_until_settled(graph, source=0):
    """Rounds of Bellman-Ford over a frontier, the last of which changes nothing."""
    distances = np.full(graph.vertices, 2**40)
    distances[source] = 0
    frontier = np.array([source])
    rounds = 0
    while len(frontier):
        rounds += 1
        degrees = graph.indptr[frontier + 1] - graph.indptr[frontier]
        first = np.repeat(graph.indptr[frontier] - np.cumsum(degrees) + degrees, degrees)
        arcs = first + np.arange(degrees.sum())
        heads = graph.indices[arcs]
        before = distances[heads]
        np.minimum.at(distances, heads, np.repeat(distances[frontier], degrees) + graph.weights[arcs])
        frontier = np.unique(heads[distances[heads] < before])
    return rounds


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
    assert (graph.vertices, graph.arcs) == counts
    dense = matrix(graph)
    assert (dense != dense.T).nnz == 0
    assert connected_components(dense)[0] == 1
    tails = graph.tails().astype(np.int64)
    assert (tails != graph.indices).all()
    assert (np.diff(tails * graph.vertices + graph.indices) > 0).all()  # sorted, no arc twice
    assert np.diff(graph.indptr).max() <= 8
    assert graph.arcs == 0 or graph.weight_min >= 1


@pytest.mark.parametrize("vertices, arcs", [(50, 98), (50, 146), (300, 598), (300, 602), (1200, 3330), (1200, 2928)])
@pytest.mark.parametrize("seed", [1, 2])
def test_no_two_roads_cross(vertices, arcs, seed):
    assert crossings(road_network(vertices, arcs, seed)) == 0


def test_crossings_are_found_where_there_are_some():
    network = road_network(4, 8, 1)
    network.edges = np.array([[0, 1], [3, 2]])  # the diagonals of the square
    assert crossings(network) == 1


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_network_is_as_deep_and_as_branched_as_new_york(seed):
    # New York's 264,346 vertices take 1,200 rounds; depth grows with the square root of the number of vertices.
    vertices = 20_000
    graph = road(vertices, 2 * round(vertices * 733_846 / 264_346 / 2), seed)
    expected = 1200 * np.sqrt(vertices / 264_346)
    assert expected / 2 <= rounds_until_settled(graph) <= expected * 2
    shares = np.bincount(np.diff(graph.indptr), minlength=6) / vertices
    np.testing.assert_allclose(shares[:6], [0, 0.16, 0.15, 0.47, 0.22, 0.01], atol=0.05)


def test_weights_are_lengths_and_sums_fit_32_bits():
    network = road_network(5000, 14_000, 1)
    metres = np.hypot(*np.diff(network.positions[:, network.edges], axis=1)[:, 0]) / 16
    assert abs(network.lengths() - metres).max() <= 1
    graph = road(5000, 14_000, 1)
    assert 50 < graph.weights.mean() < 300
    assert graph.longest_path_bound < 2**31 - 1


def test_near_vertices_have_near_numbers():
    graph = road(20_000, 55_000, 1)
    assert np.median(abs(graph.tails() - graph.indices)) < 10


@pytest.mark.parametrize(
    "vertices, arcs, seed, sha256",
    [
        (1, 0, 1, "9a5d10ce3ab8958c803a154d3ea56eeef8dc4e7727f240c0967d263739a8993f"),
        (2, 2, 1, "4ead27ea4bd0debc9750cccb7f61b0610e896ae7d37ff3d70e3809bf68490d38"),
        (100, 198, 1, "63b53303907f1f3f8cc915949a406dae357e07d59d7b0f2e5c5abd61ca508efd"),
        (100, 270, 1, "0dbec290be59cb2a0eec6cb7966e6c9b64247198ef0c86a609d69beba02d9426"),
        (100, 270, 2, "67253e5edfca644f56de76fb17dfa91a532a72da7fd3a133adeae8cbd4a433b9"),
        (5000, 14_000, 1, "066d7f527e6207aac62a00b77bf2232162a2e7193fb9fab9ff43e43d06b8c38a"),
    ],
)
def test_the_network_is_the_same_everywhere(vertices, arcs, seed, sha256):
    assert road(vertices, arcs, seed).sha256 == sha256


@pytest.mark.parametrize(
    "vertices, arcs, sentence",
    [
        (0, 0, "from 1 to 67108864"),
        (-4, 8, "from 1 to 67108864"),
        (5, 9, "must be even"),
        (5, 6, "from 8, to connect the vertices, to 10"),
        (3, 6, "from 4, .* to 4"),
        (10, 60, "from 18, .* to 26"),
        (2**27, 2**28, "from 1 to 67108864"),
    ],
)
def test_impossible_counts_are_refused(vertices, arcs, sentence):
    with pytest.raises(UsageError, match=sentence):
        road(vertices, arcs)
