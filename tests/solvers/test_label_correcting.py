"""Label correcting beyond the contract: from one source with all parameters, from many in groups of 32."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, SIMULATED_DEVICES, opened
from examples import fewer
from families import make
from float_sums import FLOAT_KINDS, least_sums, with_floats
from hard_graphs import LARGEST, hub
from hypothesis import given, settings, strategies
from planned import planned, solve_rows
from scipy.sparse.csgraph import dijkstra
from test_many_sources import reference, solved_rows, sources_of
from tiny_graphs import graph, grid_of, named, random_graphs, scattered_path

from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.distances import UNREACHABLE
from warpath.errors import OutOfMemoryError
from warpath.graphs.csr import from_arcs
from warpath.solvers.many_sources.batch import Batch
from warpath.solvers.one_source.four_arcs import FourArcs
from warpath_study.measure.runs import code_of, find
from warpath_study.published.safari_ebnenasir.label_correcting.harish import HarishPlan
from warpath_study.published.safari_ebnenasir.label_correcting.locality import VARIANT, LocalityPlan, tune


@pytest.fixture(scope="module")
def device():
    return opened("shuffle", seed=3)


def four_arcs(device, graph, source, k=4, vertices_per_thread=2, unread_launches=32):
    sizes = {"k": k, "vertices_per_thread": vertices_per_thread, "unread_launches": unread_launches}
    return planned(FourArcs, device, graph, source, **sizes)


both = pytest.mark.parametrize("plan_of", [LocalityPlan, four_arcs])


@both
@pytest.mark.parametrize(("k", "vertices_per_thread"), [(1, 1), (1, 32), (3, 2), (16, 1), (16, 32)])
@settings(max_examples=5)
@given(graph=random_graphs(vertices_max=60, arcs_per_vertex=6, weights=(0, 9)), unread=strategies.integers(0, 6))
def test_all_parameters_give_shortest_paths(plan_of, k, vertices_per_thread, graph, unread):
    device = opened("shuffle", seed=k)
    solution = plan_of(device, graph, 0, k, vertices_per_thread, unread).solve()
    reference = dijkstra(graph.to_scipy(), indices=0)
    np.testing.assert_array_equal(
        solution.distances, np.where(np.isinf(reference), UNREACHABLE, reference).astype(np.int32)
    )
    certify(graph, 0, solution.distances, solution.predecessors)


@both
def test_a_vertex_with_many_arcs(plan_of, device):
    star = graph(40, *[(0, v, 40 - v) for v in range(1, 40)], *[(v, v - 1, 1) for v in range(2, 40)])
    solution = plan_of(device, star, 0, k=3).solve()
    certify(star, 0, solution.distances, solution.predecessors)


def test_harish_takes_an_iteration_an_arc_and_one_that_finds_nothing(device):
    plan = HarishPlan(device, grid_of(33, 2), 0)
    plan.solve()
    assert plan.counters["iterations"] == plan.counters["host_reads"] == 33
    assert plan.counters["launches"] == 2 * 33 + 1  # and one for the predecessors
    assert (plan.counters["bytes_per_vertex"], plan.counters["bytes_per_arc"]) == (4 + 4 + 4 + 4 + 1, 8)


@both
def test_a_launch_goes_k_arcs(plan_of, device):
    path = grid_of(33, 2)
    looped = graph(33, *[(v, v + 1, 2) for v in range(32)], *[(v, v, 0) for v in range(33)])
    for k, launches in ((1, 33), (2, 17), (3, 11), (4, 9), (16, 3)):
        for of in (path, looped):  # arcs that lower nothing are not followed
            plan = plan_of(device, of, 0, k=k, unread_launches=0)
            plan.solve()
            assert plan.counters["iterations"] == launches
            if of is path:  # without weights of 0, which take more for predecessors
                assert plan.counters["host_reads"] == launches == plan.counters["launches"] - 1


def test_the_host_reads_only_after_the_unread_launches(device):
    for unread in (0, 1, 7, 8, 20, 50):
        plan = LocalityPlan(device, grid_of(33, 2), 0, k=4, unread_launches=unread)
        for _ in range(2):
            plan.counters.clear()
            assert plan.solve().distances.tolist() == [2 * v for v in range(33)]
            assert plan.counters["host_reads"] == max(1, 9 - unread)
            assert plan.counters["iterations"] == unread + plan.counters["host_reads"]


def test_atomics_are_counted_in_a_compile_of_its_own(device):
    path = grid_of(33, 2)
    silent, counting = HarishPlan(device, path, 0), HarishPlan(device, path, 0, counting=True)
    silent.solve()
    counting.solve()
    assert "atomics" not in silent.counters
    assert counting.counters["atomics"] == path.arcs  # each vertex is relaxed once
    looped = graph(33, *[(v, v + 1, 2) for v in range(32)], *[(v, v, 0) for v in range(33)])
    locality = LocalityPlan(device, looped, 0, k=4, counting=True)
    for _ in range(2):
        locality.solve()
        assert locality.counters["bytes_per_vertex"] == 4 + 4 + 4 + 1 + 1
        assert locality.counters["atomics"] == 32  # only arcs that lower a distance; not added up over solves


def test_tuning_divides_the_fewest_iterations_of_harish_by_k(device):
    path = grid_of(33, 2)  # 33 iterations from an end, 17 from the middle
    assert tune(device, path, [0, 16, 32], {**VARIANT.configured().settings, "k": 4}) == {"unread_launches": 17 // 4}
    assert tune(device, path, [0], {**VARIANT.configured().settings, "k": 1}) == {"unread_launches": 33}


def test_a_run_depends_on_the_kernel_that_tunes_it():
    assert "harish.cu" in code_of(find("label_correcting", "locality"), "cuda").kernels


# From many sources


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def a_device(request):
    return opened(request.param)


def assert_solves(plan, sources):
    """Distances as in SciPy, and predecessors that certify them."""
    distances, predecessors = solved_rows(plan.device, plan, sources)
    distances, predecessors = (
        plan.device.xp.asnumpy(array) if plan.device.kind == "cuda" else array for array in (distances, predecessors)
    )
    np.testing.assert_array_equal(distances, reference(plan.graph, sources))
    for row in {0, len(sources) // 2, len(sources) - 1}:
        certify(plan.graph, sources[row], distances[row], predecessors[row])


def test_any_number_of_sources(a_device):
    for weights in ("1 to 100", "1 to 1,000,000"):
        of = make("power law", 200, weights)
        for count in (1, 31, 64, 65, 200):
            with named(f"{count} sources, weights {weights}"):
                assert_solves(planned(Batch, a_device, of, groups_max=2), sources_of(of, count))


@settings(max_examples=5)
@given(
    family=strategies.sampled_from(["R-MAT", "random, degree 4", "tree", "star of chains"]),
    weights=strategies.sampled_from(["1 to 100", "with zeros", "constant", "1 to 1,000,000"]),
)
def test_families(a_device, family, weights):
    of = make(family, 150, weights)
    assert_solves(planned(Batch, a_device, of), [*sources_of(of, 40), 3, 3, 3])  # duplicates


def assert_solves_floats(plan, sources):
    """Distances with every bit, and predecessors that certify them."""
    rows = solved_rows(plan.device, plan, sources)
    distances, predecessors = (plan.device.xp.asnumpy(rows_) if plan.device.kind == "cuda" else rows_ for rows_ in rows)
    for source, found, tree in zip(sources, distances, predecessors, strict=True):
        np.testing.assert_array_equal(found, least_sums(plan.graph, source))
        certify(plan.graph, source, found, tree)


@settings(max_examples=5)
@given(
    family=strategies.sampled_from(["R-MAT", "random, degree 4", "star of chains"]),
    kind=strategies.sampled_from(FLOAT_KINDS),
    dtype=strategies.sampled_from([np.float32, np.float64]),
)
def test_floats_have_every_bit(a_device, family, kind, dtype):
    of = with_floats(make(family, 150, "1 to 100"), kind, dtype)
    assert_solves_floats(planned(Batch, a_device, of, piece=5), sources_of(of, 33))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sum_that_is_rounded_down_is_not_passed_over(a_device, dtype):
    """1 + u over one arc, and u / 2 + 1 over two, which is 1."""
    unit = np.finfo(dtype).eps
    of = from_arcs(4, [0, 0, 1, 3], [2, 1, 2, 0], np.array([1 + unit, unit / 2, 1, 1], dtype))
    assert least_sums(of, 0)[2] == 1
    assert_solves_floats(planned(Batch, a_device, of), [0])
    assert_solves_floats(planned(Batch, a_device, of), [0, 3, 2, 1])


@fewer
@given(
    graph=random_graphs(vertices_max=60, arcs_per_vertex=6),
    kind=strategies.sampled_from(FLOAT_KINDS),
    dtype=strategies.sampled_from([np.float32, np.float64]),
    few_share=strategies.sampled_from([0, 0.2, 2]),
)
def test_random_graphs_with_floats(graph, kind, dtype, few_share):
    of = with_floats(graph, kind, dtype)
    a_device = opened("shuffle", seed=graph.arcs)
    assert_solves_floats(
        planned(Batch, a_device, of, piece=3, few_share=few_share), sources_of(of, 33, seed=graph.arcs)
    )


@pytest.mark.parametrize("few_share", [0, 0.3, 2])
def test_heavy_degrees(a_device, few_share):
    of = hub(333, 40, 5)
    for piece in (1, 7, 64, 1000):
        plan = planned(Batch, a_device, of, piece=piece, few_share=few_share, block=(64,))
        with named(f"pieces of {piece}"):
            assert_solves(plan, [0, 1, 2, 332, 1, 100])


@pytest.mark.parametrize("blocks", [2, 5])
@pytest.mark.parametrize("order", SIMULATED_DEVICES)
def test_several_blocks(monkeypatch, blocks, order):
    monkeypatch.setattr("warpath.device.simulated.device.SimulatedDevice.resident_blocks", lambda *_: blocks)
    of = make("power law", 300, "with zeros")
    plan = planned(Batch, opened(order, seed=1), of, piece=5, block=(64,))
    assert_solves(plan, sources_of(of, 70))


@fewer
@given(graph=random_graphs(vertices_max=90), count=strategies.sampled_from([1, 40, 65, 129]))
def test_random_graphs(graph, count):
    plan = planned(Batch, opened("shuffle", seed=count), graph, piece=2, few_share=0.2, groups_max=1)
    assert_solves(plan, sources_of(graph, count, seed=count))


def test_distances_around_the_end_of_16_bits():
    """A vertex at each such distance, and one behind it."""
    heavy = 2**14
    for last in range(65_520, 65_550):
        of = graph(7, (0, 1, heavy), (1, 2, heavy), (2, 3, heavy), (3, 4, last - 3 * heavy), (4, 5, 3), (6, 0, 1))
        plan = planned(Batch, open_device("simulated"), of)
        with named(f"a distance of {last}"):
            assert_solves(plan, [0, 6, 3, 1])
            assert_solves(plan, [6, 0])  # with whatever width it now has


def test_short_distances_after_long_ones():
    of = graph(9, *[(vertex, vertex + 1, 16_000) for vertex in range(8)])
    plan = planned(Batch, open_device("simulated"), of, groups_max=1)
    assert_solves(plan, [8] * 64 + [0] * 3 + [7] * 70)


def test_weights_near_the_end_of_32_bits_do_not_wrap():
    half = 2**30 - 1
    of = graph(6, (0, 1, half), (1, 2, half), (2, 3, 1), (3, 4, half), (0, 4, LARGEST), (5, 0, LARGEST))
    distances, _ = solved_rows(open_device("simulated"), planned(Batch, open_device("simulated"), of), [0, 5])
    assert distances.tolist() == [
        [0, half, 2 * half, 2 * half + 1 if 2 * half + 1 < UNREACHABLE else UNREACHABLE, LARGEST, UNREACHABLE],
        [LARGEST, *[UNREACHABLE] * 4, 0],
    ]


def test_a_path_takes_as_many_rounds_as_it_has_vertices():
    of = scattered_path(131)
    assert_solves(planned(Batch, open_device("simulated"), of), list(range(0, 131, 2)))


def test_fewer_groups_at_a_time_if_memory_is_short(monkeypatch):
    a_device = open_device("simulated")
    of = make("random, degree 4", 300)
    plan = planned(Batch, a_device, of)
    empty, refused = a_device.empty, []

    def short(shape, dtype):
        if np.prod(shape) > 3 * 45 * 300:
            refused.append(shape)
            raise OutOfMemoryError("short")
        return empty(shape, dtype)

    sources = sources_of(of, 500)
    distances = np.empty((500, 300), np.int32)
    monkeypatch.setattr(a_device, "empty", short)
    solve_rows(plan, np.array(sources, np.int32), distances, None)
    assert refused
    np.testing.assert_array_equal(distances, reference(of, sources))


def test_no_memory_for_one_group(monkeypatch):
    a_device = open_device("simulated")
    of = make("random, degree 4", 300)

    def short(*_):
        raise OutOfMemoryError("short")

    monkeypatch.setattr("warpath.solvers.many_sources.batch.allocate_together", short)
    with pytest.raises(OutOfMemoryError):
        planned(Batch, a_device, of)
