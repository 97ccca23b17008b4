"""The contract that every registered variant keeps, on the host device, in every order of threads."""

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.sparse.csgraph import bellman_ford, dijkstra
from tiny_graphs import NEGATIVE, TINY, graph, random_graphs

from warpath import sources
from warpath.algorithms import families, find, variants
from warpath.algorithms.floyd_warshall import super_naive_shared
from warpath.algorithms.floyd_warshall.matrices import TilePlan
from warpath.check.certificate import certify
from warpath.device import open_device
from warpath.distances import UNREACHABLE
from warpath.graphs.matrices import to_scipy

ORDERS = ("forward", "reverse", "shuffle")
PATH_VARIANTS = [variant for variant in variants() if variant.problem in ("sssp", "apsp")]
every_variant = pytest.mark.parametrize("variant", PATH_VARIANTS, ids=lambda v: f"{v.algorithm}.{v.name}")


@pytest.fixture(scope="module", params=ORDERS)
def device(request):
    return open_device("host", order=request.param, seed=7)


@pytest.fixture(scope="module")
def shuffled():
    return open_device("host", order="shuffle", seed=11)


def reference(graph, source):
    """scipy's distances as int32, shape (n,) or (n, n)."""
    solver = bellman_ford if graph.weight_min < 0 else dijkstra
    distances = solver(to_scipy(graph), indices=source)
    return np.where(np.isinf(distances), UNREACHABLE, distances).astype(np.int32)


def solve_and_certify(variant, device, graph, source=0):
    source = source if variant.problem == "sssp" else None
    solution = variant.plan(device, graph, source).solve()
    assert solution.distances.dtype == solution.predecessors.dtype == np.int32
    np.testing.assert_array_equal(solution.distances, reference(graph, source))
    certify(graph, source, solution.distances, solution.predecessors)
    return solution


@every_variant
@pytest.mark.parametrize("name", TINY)
def test_is_exact_on_every_tiny_graph(variant, device, name):
    solve_and_certify(variant, device, TINY[name])


@every_variant
@pytest.mark.parametrize("name", NEGATIVE)
def test_is_exact_with_negative_arcs_where_it_allows_them(variant, device, name):
    if not variant.negative_arcs:
        pytest.skip("takes no negative arcs")
    solve_and_certify(variant, device, NEGATIVE[name])


@every_variant
@settings(max_examples=25, deadline=None)
@given(graph=random_graphs(vertices_max=70))
def test_is_exact_on_random_graphs(variant, shuffled, graph):
    solve_and_certify(variant, shuffled, graph, source=graph.vertices // 2)


@pytest.mark.parametrize("name", ["tiled", "tiled_shared"])
@pytest.mark.parametrize("tile", [2, 4, 8])
@settings(max_examples=40, deadline=None)
@given(graph=random_graphs(vertices_max=21, weights=(0, 1)))
def test_tiles_of_any_size_keep_predecessors_a_tree(name, tile, graph):
    # Small tiles meet every case of the three phases in small graphs; weights of 0 and 1 make ties and zero circles.
    variant = find("floyd_warshall", name)
    plan_class = type("SmallTiles", (TilePlan,), {"tile": tile})
    solution = plan_class(open_device("host", order="shuffle", seed=tile), graph, variant.kernel).solve()
    np.testing.assert_array_equal(solution.distances, reference(graph, None))
    certify(graph, None, solution.distances, solution.predecessors)


def test_rows_past_the_grids_y_axis_go_on_along_z(monkeypatch, shuffled):
    monkeypatch.setattr(super_naive_shared, "GRID_Y_MAX", 5)
    solve_and_certify(find("floyd_warshall", "super_naive_shared"), shuffled, TINY["path of 33"])


@every_variant
def test_a_plan_can_be_solved_twice(variant, device):
    graph = TINY["zero weights in a circle"]
    plan = variant.plan(device, graph, 0 if variant.problem == "sssp" else None)
    first = plan.solve().distances.copy()
    np.testing.assert_array_equal(plan.solve().distances, first)


@every_variant
def test_iterations_in_pieces_give_the_same_as_at_once(variant, device):
    graph = TINY["path of 33"]
    source = 0 if variant.problem == "sssp" else None
    plan = variant.plan(device, graph, source)
    plan.reset()
    plan.upload()
    for step in range(plan.iterations):
        plan.iterate(step, step + 1)
    plan.finish()
    np.testing.assert_array_equal(plan.download().distances, reference(graph, source))
    plan.release()


def test_without_a_barrier_tiled_is_wrong_in_some_order(tmp_path):
    """The published code has these barriers commented out; taking them out must not go unnoticed."""
    variant = find("floyd_warshall", "tiled")
    mutant = tmp_path / "tiled.cu"
    text = sources.expanded_source(variant.kernel)
    assert text.count("__syncthreads();") == 1
    mutant.write_text(text.replace("__syncthreads();", ""))
    numbers = np.random.default_rng(5)
    dense = graph(32, *[(u, v, int(numbers.integers(1, 100))) for u in range(32) for v in range(32) if u != v])
    expected = reference(dense, None)
    right = [
        np.array_equal(TilePlan(open_device("host", order=order), dense, mutant).solve().distances, expected)
        for order in ORDERS
    ]
    assert not all(right)


@every_variant
def test_says_what_it_is(variant):
    assert variant.summary and variant.paper
    assert variant.on_cpu == (variant.kernel is None)
    for file in variant.files:
        assert file.is_file()
    if variant.kernel:
        assert variant.kernel in variant.files
        assert sources.kernel_names(variant.kernel)


def test_families_are_found_by_their_files():
    assert set(families()["bellman_ford"]) >= {"cpu", "naive", "stride", "stride_flag"}
    assert set(families()["dijkstra"]) >= {"cpu", "naive"}
    assert set(families()["floyd_warshall"]) >= {
        "cpu",
        "naive",
        "super_naive",
        "super_naive_shared",
        "tiled",
        "tiled_shared",
    }
