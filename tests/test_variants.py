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
from warpath.certify.certificate import certify
from warpath.device import open_device
from warpath.distances import UNREACHABLE
from warpath.errors import DeviceError
from warpath.graphs.matrices import to_scipy

ORDERS = ("forward", "reverse", "shuffle")
PATH_VARIANTS = [variant for variant in variants() if variant.problem in ("sssp", "apsp")]
every_variant = pytest.mark.parametrize("variant", PATH_VARIANTS, ids=lambda v: f"{v.algorithm}.{v.name}")


on_a_gpu = pytest.param("cuda", marks=pytest.mark.cuda)


def opened(name: str, **options):
    """The GPU, or the host with an order of threads; skips where there is no GPU."""
    if name != "cuda":
        return open_device("host", order=name, **options)
    try:
        return open_device("cuda")
    except DeviceError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module", params=[*ORDERS, on_a_gpu])
def device(request):
    return opened(request.param, seed=7)


@pytest.fixture(scope="module", params=["shuffle", on_a_gpu])
def one_order(request):
    """For tests of many graphs: the order that finds most, or the GPU."""
    return opened(request.param, seed=11)


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
def test_is_exact_on_random_graphs(variant, one_order, graph):
    solve_and_certify(variant, one_order, graph, source=graph.vertices // 2)


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


def test_rows_past_the_grids_y_axis_go_on_along_z(monkeypatch, one_order):
    monkeypatch.setattr(super_naive_shared, "GRID_Y_MAX", 5)
    solve_and_certify(find("floyd_warshall", "super_naive_shared"), one_order, TINY["path of 33"])


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


@pytest.mark.cuda
@pytest.mark.parametrize("name", ["tiled_shared", "super_naive_shared"])
def test_matrices_past_two_to_the_31_entries(name):
    """A long path whose far end lies beyond what 32-bit indices reach."""
    device = opened("cuda")
    vertices = 46_400
    if min(device.memory_bytes()[0], open_device("host").memory_bytes()[0]) < 3 * vertices**2 * 4:
        pytest.skip("needs 26 GB free on the GPU and on the host")
    ends = np.array([0, vertices - 2, vertices - 1])
    chain = graph(vertices, (0, vertices - 2, 3), (vertices - 2, vertices - 1, 4), (vertices - 1, 0, 5))
    plan = find("floyd_warshall", name).plan(device, chain, None)
    plan.reset()
    plan.upload()
    plan.iterate(0, 1)
    plan.iterate(plan.iterations - 2, plan.iterations)  # no path leads through a vertex between
    plan.finish()
    solution = plan.download()
    plan.release()
    assert solution.distances[np.ix_(ends, ends)].tolist() == [[0, 3, 7], [9, 0, 4], [5, 8, 0]]
    assert solution.predecessors[vertices - 1, vertices - 2] == 0
    assert np.count_nonzero(solution.distances != UNREACHABLE) == vertices + 6


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
