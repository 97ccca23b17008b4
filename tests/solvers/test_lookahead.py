"""Floyd-Warshall lookahead and narrow, with tiles so small that tiny graphs have many, and streams that run late."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from examples import fewer
from hypothesis import given, settings, strategies
from reordering_device import LateDevice, Lot
from scipy_reference import reference
from tiny_graphs import TINY, graph, random_graphs

from warpath.certificates.certificate import certify
from warpath.graphs.csr import from_arcs
from warpath.solvers import find
from warpath.solvers.all_pairs.lookahead import LARGE, SMALL, ProductShape, Stages, shape_for
from warpath.solvers.all_pairs.narrow import FAR, TOO_FAR

# Slices of half a tile and of a whole one; more buffers than slices; warps of 4 x 8 threads.
SHAPES = [
    ProductShape(tile=8, cells=4, depth=4, buffers=2, unrolled=4, blocks=1, band=2),
    ProductShape(tile=8, cells=4, depth=8, buffers=3, unrolled=2, blocks=1, band=16),
    ProductShape(tile=16, cells=8, depth=4, buffers=3, unrolled=4, blocks=1, band=1),
    ProductShape(tile=32, cells=4, depth=16, buffers=3, unrolled=4, blocks=1, band=3),
]
VARIANTS = ["lookahead", "narrow"]
both = pytest.mark.parametrize("name", VARIANTS)


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return opened(request.param)


def planned(device, name, graph, **extra):
    return find("floyd_warshall", name).plan(device, graph, None, **extra)


def solved(device, name, graph, **extra):
    """A solution that is equal to scipy's, with predecessors that form trees, and the plan's counters."""
    plan = planned(device, name, graph, **{"tree_block": (32,), **extra})
    solution = plan.solve()
    np.testing.assert_array_equal(solution.distances, reference(graph, None))
    certify(graph, None, solution.distances, solution.predecessors)
    return solution, plan.counters


@both
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@settings(max_examples=8)
@given(data=strategies.data())
def test_tiles_of_any_size_are_exact(device, name, shape, data):
    weights = data.draw(strategies.sampled_from([(0, 1), (1, 3), (1, 999), (1, 10**6), (10**7, 2 * 10**7)]))
    solved(device, name, data.draw(random_graphs(vertices_max=53, arcs_per_vertex=8, weights=weights)), shape=shape)


@fewer
@given(graph=random_graphs(vertices_max=40, arcs_per_vertex=6, weights=(0, 9), negative=True))
def test_negative_arcs_and_cycles_of_weight_zero(device, graph):
    solved(device, "lookahead", graph, shape=SHAPES[0])


@both
@pytest.mark.parametrize("vertices", [1, 63, 64, 65, 129])
def test_a_complete_graph_in_tiles_of_the_usual_size(device, name, vertices):
    tails, heads = np.divmod(np.arange(vertices**2), vertices)
    weights = np.random.default_rng(2).integers(1, 1000, vertices**2)
    solved(device, name, from_arcs(vertices, tails, heads, weights))


@pytest.mark.parametrize("cell_bits", [32, 16])
def test_the_shape_fits_the_matrix_and_the_device(monkeypatch, cell_bits):
    of_int = np.dtype(np.int32), cell_bits
    device = opened("forward")
    assert shape_for(device, 1024, *of_int) == SMALL
    assert shape_for(device, 36_682, *of_int) == LARGE
    monkeypatch.setattr(type(device), "shared_memory_bytes", 64 * 1024)  # as on Turing
    assert shape_for(device, 36_682, *of_int) == SMALL
    assert max(SMALL.panel_bytes, SMALL.slices_bytes) <= device.shared_memory_bytes


@both
@pytest.mark.parametrize("seed", range(12))
def test_no_stream_runs_ahead_of_what_it_reads(name, seed):
    # Without predecessors: what NumPy does between their kernels is in no stream.
    tangled = TINY["scattered path of 97"]
    plan = planned(LateDevice(Lot(seed)), name, tangled, shape=SHAPES[seed % len(SHAPES)], predecessors=False)
    np.testing.assert_array_equal(plan.solve().distances, reference(tangled, None))


@pytest.mark.parametrize("seed", range(6))
def test_stages_in_pieces_and_streams_that_run_late(seed):
    tangled = TINY["scattered path of 97"]
    plan = planned(LateDevice(Lot(seed)), "lookahead", tangled, shape=SHAPES[0], predecessors=False)
    plan.start(None)
    for first, last in ((0, 1), (1, 4), (4, plan.iterations)):
        plan.iterate(first, last)
    plan.finish()
    np.testing.assert_array_equal(plan.download().distances, reference(tangled, None))


def test_without_waiting_for_the_panels_some_order_is_wrong(monkeypatch):
    """A wait that is left out must show."""
    tangled = TINY["scattered path of 97"]
    monkeypatch.setattr(LateDevice, "wait", lambda self, event: None)
    expected = reference(tangled, None)
    answers = [
        planned(LateDevice(Lot(seed)), "lookahead", tangled, shape=SHAPES[0], predecessors=False).solve().distances
        for seed in range(12)
    ]
    assert not all(np.array_equal(expected, answer) for answer in answers)


@both
def test_without_predecessors(device, name):
    plan = planned(device, name, TINY["ties"], predecessors=False)
    solution = plan.solve()
    assert solution.predecessors is None and plan.on_device().predecessors is None
    np.testing.assert_array_equal(solution.distances, reference(TINY["ties"], None))


@both
def test_starting_values_made_on_the_device(device, name):
    plan = planned(device, name, TINY["parallel arcs, lightest last"], shape=SHAPES[0])
    plan.start(None)
    plan.run()
    np.testing.assert_array_equal(plan.download().distances, reference(TINY["parallel arcs, lightest last"], None))


@pytest.mark.parametrize(
    ("arcs", "too_far"),
    [
        # Some cells have no path: the farthest vertex and the heaviest arc add up to one below FAR, and to FAR.
        ([(0, 1, FAR // 2), (1, 2, 0)], False),
        ([(0, 1, FAR // 2), (1, 2, 1)], True),
        # A cycle leaves no cell without a path: the longest length that fits, and the first that does not.
        ([(0, 1, FAR - 2), (1, 2, 1), (2, 0, 0)], False),
        ([(0, 1, FAR - 1), (1, 2, 1), (2, 0, 0)], True),
        ([(0, 1, FAR), (1, 2, 1), (2, 0, 0)], True),
        # An arc that does not fit is no matter where a way around does.
        ([(0, 1, 10**9), (0, 2, 3), (2, 1, 4), (1, 0, 5)], False),
    ],
)
@pytest.mark.parametrize("shape", SHAPES[:2], ids=str)
def test_where_16_bits_end(device, arcs, too_far, shape):
    _, counters = solved(device, "narrow", graph(3, *arcs), shape=shape)
    assert counters[TOO_FAR] == too_far


@given(data=strategies.data())
def test_16_bits_are_never_wrong_near_their_end(device, data):
    weights = data.draw(strategies.sampled_from([(FAR // 4, FAR // 2), (FAR // 2 - 2, FAR // 2 + 2), (0, FAR + 1)]))
    solved(
        device, "narrow", data.draw(random_graphs(vertices_max=20, arcs_per_vertex=6, weights=weights)), shape=SHAPES[0]
    )


def test_padding_takes_no_stage(device):
    assert Stages(device, 9, SHAPES[0], cell_bits=16).stages == 2
    assert Stages(device, 9, SHAPES[0], cell_bits=16).side == 16
    assert Stages(device, 17, SHAPES[0], cell_bits=16).side == 32


@fewer
@given(graph=random_graphs(vertices_max=30, arcs_per_vertex=20, weights=(0, 2), negative=True))
def test_trees_of_dense_graphs_with_many_ties(device, graph):
    solved(device, "lookahead", graph, shape=SHAPES[1])


def test_trees_where_a_row_does_not_fit_into_shared_memory(monkeypatch):
    device = opened("shuffle")
    monkeypatch.setattr(type(device), "shared_memory_bytes", 16)
    solved(device, "lookahead", TINY["scattered path of 97"], shape=SHAPES[0])
