"""Floyd-Warshall staged, with many tiles even of tiny graphs, and the format of Bellman-Ford ell."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from hypothesis import given, settings, strategies
from scipy_reference import reference
from tiny_graphs import graph as small_graph
from tiny_graphs import random_graphs

from warpath.certificates.certificate import certify
from warpath.graphs.csr import from_arcs
from warpath_study.experiments.bellman_ford import ell
from warpath_study.experiments.floyd_warshall.staged import StagedPlan
from warpath_study.experiments.tiles import TileShape

# Output tiles as wide as the primary tile, twice as wide, and with two groups of cells each way.
SHAPES = [TileShape(8, 2, 4), TileShape(8, 2, 8), TileShape(16, 4, 4), TileShape(16, 2, 4)]


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return opened(request.param)


@given(
    data=strategies.data(),
    shape=strategies.sampled_from(SHAPES),
    weights=strategies.sampled_from([(0, 1), (1, 3), (1, 10**6), (10**7, 2 * 10**7)]),
)
def test_small_tiles_are_exact(device, shape, weights, data):
    graph = data.draw(random_graphs(vertices_max=53, arcs_per_vertex=8, weights=weights))
    solution = StagedPlan(device, graph, shape=shape).solve()
    np.testing.assert_array_equal(solution.distances, reference(graph, None))
    certify(graph, None, solution.distances, solution.predecessors)


def test_finds_predecessors_of_every_cell_of_a_tile(device):
    # Dense, with few equal lengths: in the first stages nearly every cell falls.
    vertices = 70
    numbers = np.random.default_rng(2)
    tails, heads = np.divmod(np.arange(vertices**2), vertices)
    graph = from_arcs(vertices, tails, heads, numbers.integers(1, 10**6, vertices**2))
    solution = StagedPlan(device, graph).solve()
    np.testing.assert_array_equal(solution.distances, reference(graph, None))
    certify(graph, None, solution.distances, solution.predecessors)


FAR_OF_EIGHT = 2**28 - 1  # the first length that a key has no room for, beside a vertex of a tile of 8


@pytest.mark.parametrize(("longest", "bits"), [(FAR_OF_EIGHT - 15, 3), (FAR_OF_EIGHT, 0)])
@pytest.mark.parametrize("shape", SHAPES[:2], ids=str)
def test_the_longest_paths_that_keys_have_room_for(device, shape, longest, bits):
    vertices = np.arange(16)
    numbers = np.random.default_rng(1)
    order = numbers.permutation(16)
    graph = from_arcs(16, order[:-1], order[1:], np.full(15, longest // 15))  # a path, unreachable backwards
    plan = StagedPlan(device, graph, shape=shape)
    assert plan.vertex_bits == bits
    solution = plan.solve()
    assert solution.distances[order[0], order[-1]] == longest
    assert (solution.distances[order[-1], vertices] < 2**31 - 1).sum() == 1
    certify(graph, None, solution.distances, solution.predecessors)


def test_keys_have_room_for_lengths_below_what_stands_for_unreachable():
    weights = {FAR_OF_EIGHT - 1: 3, FAR_OF_EIGHT: 0}
    assert {weight: TileShape(8).vertex_bits(from_arcs(2, [0], [1], [weight])) for weight in weights} == weights
    assert TileShape(8).vertex_bits(from_arcs(3, [0], [1], [-1])) == 0
    assert TileShape(64).vertex_bits(from_arcs(1, [], [], [])) == 6


@settings(max_examples=12)
@given(graph=random_graphs(vertices_max=40, arcs_per_vertex=6, weights=(0, 9), negative=True))
def test_negative_arcs(device, graph):
    solution = StagedPlan(device, graph, shape=SHAPES[0]).solve()
    np.testing.assert_array_equal(solution.distances, reference(graph, None))
    certify(graph, None, solution.distances, solution.predecessors)


def test_rows_of_ell_are_filled_from_the_front_and_stored_slot_by_slot():
    heads, weights = ell.padded_rows(small_graph(4, (0, 1, 5), (0, 2, 6), (0, 1, 7), (2, 3, 8), (3, 3, 9)))
    np.testing.assert_array_equal(heads, [[1, -1, 3, 3], [2, -1, -1, -1], [1, -1, -1, -1]])
    np.testing.assert_array_equal(weights, [[5, 0, 8, 9], [6, 0, 0, 0], [7, 0, 0, 0]])
    assert heads.dtype == weights.dtype == np.int32 and heads.flags.c_contiguous
    heads, weights = ell.padded_rows(small_graph(3))
    assert heads.shape == weights.shape == (0, 3)
