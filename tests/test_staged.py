"""Floyd-Warshall staged with blocks small enough that tiny graphs have many tiles, ragged edges included."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from hypothesis import given, settings, strategies
from test_variants import reference
from tiny_graphs import random_graphs

from warpath.algorithms.floyd_warshall.staged import KERNEL, StagedPlan
from warpath.check.certificate import certify
from warpath.graphs.csr import from_arcs

# Output tiles as wide as the primary tile, twice as wide, and with two groups of cells each way.
SHAPES = [{"tile": 8, "threads_side": 2, "cells": 4}, {"tile": 8, "threads_side": 2, "cells": 8}]
SHAPES += [{"tile": 16, "threads_side": 4, "cells": 4}, {"tile": 16, "threads_side": 2, "cells": 4}]


@pytest.fixture(scope="module", params=["shuffle", EVERY_DEVICE[-1]])
def device(request):
    return opened(request.param)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "-".join(map(str, shape.values())))
@pytest.mark.parametrize("weights", [(0, 1), (1, 3), (1, 10**6)], ids=str)
@settings(max_examples=12, deadline=None)
@given(data=strategies.data())
def test_small_tiles_are_exact(device, shape, weights, data):
    graph = data.draw(random_graphs(vertices_max=53, arcs_per_vertex=8, weights=weights))
    plan_class = type("SmallTiles", (StagedPlan,), shape)
    solution = plan_class(device, graph, KERNEL).solve()
    np.testing.assert_array_equal(solution.distances, reference(graph, None))
    certify(graph, None, solution.distances, solution.predecessors)


def test_finds_predecessors_of_every_cell_of_a_tile(device):
    # Dense, with few equal lengths: in the first stages nearly every cell falls.
    vertices = 70
    numbers = np.random.default_rng(2)
    tails, heads = np.divmod(np.arange(vertices**2), vertices)
    graph = from_arcs(vertices, tails, heads, numbers.integers(1, 10**6, vertices**2))
    solution = StagedPlan(device, graph, KERNEL).solve()
    np.testing.assert_array_equal(solution.distances, reference(graph, None))
    certify(graph, None, solution.distances, solution.predecessors)


@settings(max_examples=12, deadline=None)
@given(graph=random_graphs(vertices_max=40, arcs_per_vertex=6, weights=(0, 9)), data=strategies.data())
def test_negative_arcs(device, graph, data):
    # Weights shifted by the heights of their ends: cycles keep their length, arcs become negative.
    heights = np.array(data.draw(strategies.lists(strategies.integers(-50, 50), min_size=40, max_size=40)))
    weights = graph.weights + heights[graph.sources()] - heights[graph.indices]
    graph = from_arcs(graph.vertices, graph.sources(), graph.indices, weights)
    plan_class = type("SmallTiles", (StagedPlan,), SHAPES[0])
    solution = plan_class(device, graph, KERNEL).solve()
    np.testing.assert_array_equal(solution.distances, reference(graph, None))
    certify(graph, None, solution.distances, solution.predecessors)
