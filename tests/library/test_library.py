"""The library as its user meets it: graphs from anywhere in, arrays out, refusals as one sentence."""

from dataclasses import replace
from decimal import Decimal
from functools import partial

import networkx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import TINY, graph

import warpath
from warpath.errors import CertificateError, GraphError, NegativeCycleError, UsageError
from warpath.graphs.objects.adjacency_matrix import from_matrix
from warpath.solvers.checks.preconditions import negative_cycle
from warpath.solvers.choice.auto import choose
from warpath.solvers.registry import default_algorithm, variant_for
from warpath_study.datasets.road import road as road_network


def test_distances_and_predecessors_of_one_source():
    road = warpath.from_arcs(4, [0, 1, 0], [1, 2, 2], [4, 5, 20])
    paths = warpath.sssp(road, 0, device="simulated")
    assert paths.distances.tolist() == [0, 4, 9, warpath.UNREACHABLE]
    assert paths.distances.dtype == np.int32
    assert paths.predecessors.tolist() == [-1, 0, 1, -1]
    assert warpath.path_to(paths.predecessors, 0, 2) == paths.path_to(2) == [0, 1, 2]
    assert (paths.sources, paths.variant) == (0, "host.search")
    paths = warpath.sssp(TINY["path of 33"], 0, device="simulated")
    assert paths.variant == "near_far.queue" and paths.reason


def test_a_vertex_that_is_not_reached_has_no_path_and_no_finite_distance():
    paths = warpath.sssp(TINY["unreachable part"], 0, device="simulated")
    assert paths.reached.tolist() == [True, True, False, False, False]
    assert paths.floats().tolist() == [0, 1, np.inf, np.inf, np.inf]
    assert paths.path_to(3) == warpath.path_to(paths.predecessors, 0, 3) == []
    assert paths.path_to(0) == [0]


@pytest.mark.parametrize("name", ["ties", "zero weights in a circle", "sinks", "path of 33"])
def test_rows_of_several_sources_of_all_pairs_and_of_one_source_are_the_same(name):
    given = TINY[name]
    together = warpath.apsp(given, device="simulated")
    assert together.distances.shape == together.predecessors.shape == (given.vertices, given.vertices)
    backwards = warpath.sssp(given, range(given.vertices - 1, -1, -1), device="simulated")
    np.testing.assert_array_equal(together.distances[::-1], backwards.distances)
    for source in range(given.vertices):
        one = warpath.sssp(given, source, device="simulated")
        np.testing.assert_array_equal(together.distances[source], one.distances)
        path = together.path_to(given.vertices - 1, source=source)
        assert path == [] or (path[0], path[-1]) == (source, given.vertices - 1)
    assert together.certificate.sources == backwards.certificate.sources == given.vertices
    assert together.certificate.reached == backwards.certificate.reached == together.reached.sum()


def test_sources_may_be_none_or_repeated():
    some = warpath.sssp(TINY["ties"], [2, 0, 2], device="simulated")
    assert some.distances[:, 3].tolist() == [1, 2, 1]
    assert warpath.sssp(TINY["ties"], [], device="simulated").distances.shape == (0, 4)


@pytest.mark.parametrize("cutoff", [None, 20_000])
def test_a_few_targets_alone_have_the_distances_of_whole_rows(cutoff):
    solver = warpath.prepare(road_network(700, 1820, seed=2), "simulated")
    whole = solver.sssp(range(700), cutoff=cutoff)
    for sources, targets in (([5], [9]), ([3, 3, 699], [0, 7, 7, 3]), (range(66), range(40)), ([1, 2], []), ([], [3])):
        expected = whole.distances[np.ix_(sources, targets)]
        for output in ("host", "device"):
            table = solver.table(sources, targets, output=output, cutoff=cutoff, certify=False)
            np.testing.assert_array_equal(table.distances, expected)
            assert table.targets.tolist() == list(targets) and table.certificate is None
        options = {"algorithm": "contraction_hierarchy", "certify": False, "cutoff": cutoff}
        chunks = [rows for _, rows in solver.stream(sources, targets=targets, chunk=2, **options)]
        np.testing.assert_array_equal(np.concatenate([*chunks, np.zeros((0, len(targets)), np.int32)]), expected)
        with_certificate = solver.table(sources, targets, cutoff=cutoff)
        np.testing.assert_array_equal(with_certificate.distances, expected)
        assert (with_certificate.certificate is None) == (len(sources) == 0)
    assert solver.table([5], [9, 1], certify=False).variant == "contraction_hierarchy.sweep"


@pytest.mark.parametrize("solve", [lambda graph, **rest: warpath.sssp(graph, 0, **rest), warpath.apsp])
@pytest.mark.parametrize(("name", "cutoff"), [("path of 33", 10.5), ("zero weights in a circle", 1.5)])
def test_what_is_farther_than_the_cutoff_is_unreachable(solve, name, cutoff):
    whole = solve(TINY[name], device="simulated")
    near = solve(TINY[name], cutoff=cutoff, device="simulated")
    np.testing.assert_array_equal(near.reached, whole.distances <= cutoff)
    np.testing.assert_array_equal(near.distances[near.reached], whole.distances[near.reached])
    assert (near.predecessors[~near.reached] == -1).all()


def test_a_chunk_of_a_stream_may_be_a_number_of_numpy():
    chunks = warpath.prepare(TINY["ties"], "simulated").stream([0, 1, 2], chunk=np.int64(2))
    assert [source for sources, _ in chunks for source in sources] == [0, 1, 2]


@pytest.mark.parametrize("cutoff", [float("nan"), "3", True, [3], 1j])
def test_cutoffs_that_are_no_numbers(cutoff):
    with pytest.raises(UsageError, match="is not a number"):
        warpath.sssp(TINY["ties"], 0, cutoff=cutoff, device="simulated")


def test_with_negative_arcs_the_way_to_a_near_vertex_may_lead_through_a_far_one():
    solver = warpath.prepare(graph(3, (0, 1, 9), (1, 2, -8)), device="simulated")
    for paths in (solver.sssp([0], cutoff=5), solver.apsp(cutoff=5)):
        assert paths.distances[0].tolist() == [0, warpath.UNREACHABLE, 1]
        assert paths.path_to(2, source=0) == [0, 1, 2]


def test_a_negative_cutoff_between_two_whole_numbers():
    paths = warpath.sssp(graph(3, (0, 1, -2), (1, 2, -1)), 0, cutoff=-2.5, device="simulated")
    assert paths.distances.tolist() == [warpath.UNREACHABLE, warpath.UNREACHABLE, -3]


def test_cutoffs_may_be_infinite():
    for cutoff, reached in ((np.inf, 4), (-np.inf, 0), (10**30, 4), (-1, 0), (10**400, 4), (-(10**400), 0)):
        assert warpath.sssp(TINY["ties"], 0, cutoff=cutoff, device="simulated").reached.sum() == reached
        floats = warpath.from_arcs(2, [0], [1], np.array([1e300]))
        assert warpath.sssp(floats, 0, cutoff=cutoff, device="simulated").reached.sum() == (cutoff >= 0) + (
            cutoff >= 1e300
        )


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("cutoff", "reached"),
    [(np.int8(100), 3), (np.int32(2**31 - 1), 3), (np.int64(2**62), 3), (1e308, 3), (-1e308, 0), (0.29, 2), (0.28, 1)],
)
def test_cutoffs_are_in_the_unit_of_the_weights(cutoff, reached):
    cents = warpath.from_arcs(3, [0, 1], [1, 2], [29, 29], {"weights": {"kind": "given", "scale": 100}})
    assert warpath.sssp(cents, 0, cutoff=cutoff, device="simulated").reached.sum() == reached


@pytest.mark.parametrize("targets", [3, 1.5, "12", b"1"])
def test_targets_that_are_no_sequence(targets):
    with pytest.raises(UsageError, match="targets must be a sequence of vertices, not"):
        warpath.table(TINY["ties"], [0], targets, device="simulated")


def test_a_solver_gives_each_call_arrays_of_its_own():
    solver = warpath.prepare(TINY["ties"], "simulated")
    first = solver.sssp(0)
    kept = first.distances.copy()
    solver.sssp(3)
    np.testing.assert_array_equal(first.distances, kept)
    left = solver.sssp(1, output="device")
    solver.sssp(0)
    assert left.distances.tolist() == [warpath.UNREACHABLE, 0, warpath.UNREACHABLE, 1]


def test_plain_calls_reuse_the_solver_of_a_graph(monkeypatch):
    given, chosen = graph(3, (0, 1, 2), (1, 2, 2)), []

    def counted(*args, **kwargs):
        chosen.append(args)
        return choose(*args, **kwargs)

    monkeypatch.setattr("warpath.library.plan_cache.choose", counted)
    for call in (warpath.prepare(given, "simulated").sssp, warpath.prepare(given, "simulated").sssp):
        call([0])
    warpath.sssp(given, [0], device="simulated")
    assert len(chosen) == 1
    for _ in range(4):
        warpath.prepare(graph(1), "simulated")
    warpath.prepare(given, "simulated").sssp([0])
    assert len(chosen) == 2


def test_one_plan_serves_all_sources():
    solver = warpath.prepare(graph(4, (0, 1, 2), (1, 2, 2), (2, 0, 1)), "simulated")
    for algorithm in ("label_correcting", "bellman_ford"):
        expected = [
            warpath.sssp(solver.graph, source, variant="cpu", algorithm="bellman_ford").distances for source in range(4)
        ]
        for source in (2, 0, 3, 1):
            np.testing.assert_array_equal(solver.sssp(source, algorithm=algorithm).distances, expected[source])
    assert len(solver._cache._plans) == 2


@pytest.mark.parametrize(
    "solve",
    [
        lambda graph, **rest: warpath.sssp(graph, 0, algorithm="label_correcting", **rest),
        lambda graph, **rest: warpath.apsp(graph, algorithm="floyd_warshall", variant="staged", **rest),
    ],
)
def test_a_wrong_answer_does_not_leave_unless_the_caller_declines_the_certificate(solve, monkeypatch):
    """A solver whose copy of the graph has other weights answers another question."""
    from warpath.device import copies

    given = TINY["a longer way is lighter"]
    honest = copies.copy_on

    def falsified(device, of_graph):
        copy = honest(device, of_graph)
        copy.weights[:] = 1
        return copy

    for module in (
        "warpath.solvers.one_source.four_arcs",
        "warpath_study.published.bodra.floyd_warshall._matrices",
    ):
        monkeypatch.setattr(f"{module}.copy_on", falsified)
    fresh = graph(4, *zip(given.tails().tolist(), given.indices.tolist(), given.weights.tolist(), strict=True))
    with pytest.raises(CertificateError, match="source 0"):
        solve(fresh, device="simulated")
    assert solve(fresh, device="simulated", certify=False).certificate is None


def test_closure_tells_what_is_reached():
    reachability = warpath.closure(TINY["unreachable part"], device="simulated")
    np.testing.assert_array_equal(
        reachability.reachable, warpath.apsp(TINY["unreachable part"], device="simulated").reached
    )
    assert reachability.reachable.dtype == bool
    assert reachability.certificate.reached == reachability.reachable.sum()


def test_anyone_can_have_his_answer_certified():
    road = warpath.from_arcs(4, [0, 1, 0], [1, 2, 2], [4, 5, 20])
    for source in (0, [0, 2], None):
        distances, predecessors = dijkstra(road.to_scipy(), indices=source, return_predecessors=True)
        for given in (predecessors, None):
            certificate = warpath.certify(road, source, distances, given, device="simulated")
            assert certificate.reached == np.isfinite(distances).sum()
    distances = dijkstra(road.to_scipy(), indices=0)
    distances[2] += 1
    with pytest.raises(CertificateError, match="vertex 2"):
        warpath.certify(road, 0, distances, device="simulated")
    with pytest.raises(CertificateError, match=r"distance 4.5 at 1 is wrong"):
        warpath.certify(road, 0, [0, 4.5, 9, np.inf], device="simulated")


@pytest.mark.parametrize("off", [1 + 1e-15, 4 + 1e-9, np.nextafter(4, 5)])
def test_sums_of_whole_numbers_are_taken_exactly_and_others_as_rounded(off):
    weights = np.array([int(off), 5])
    whole = warpath.from_arcs(3, [0, 1], [1, 2], weights)
    with pytest.raises(CertificateError, match=r"distance .* at 1 is wrong"):
        warpath.certify(whole, 0, [0, off, weights.sum()], device="simulated")
    tenths = from_matrix(np.diag(weights / 10, k=1), scale=10)
    assert warpath.certify(tenths, 0, [0, off / 10, weights.sum() / 10], device="simulated").reached == 3


CHAIN = graph(3, (0, 1, 1), (1, 2, 0), (2, 1, 0))


@pytest.mark.parametrize("none", [-1, -9999])
@pytest.mark.parametrize("kind", ["i2", "i4", "i8"])
def test_predecessors_of_others(none, kind):
    warpath.certify(CHAIN, 0, [0, 1, 1], np.array([none, 0, 1], kind), device="simulated")
    unsigned = np.array([0, 0, 1], kind.replace("i", "u"))
    with pytest.raises(CertificateError):
        warpath.certify(CHAIN, 0, [0, 1, 1], unsigned, device="simulated")


@pytest.mark.parametrize("kind", ["i4", "i8", "u4", "u8"])
@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize(
    "wrapped", [0, -(2**63), -(2**32), 2**31, 2**32 - 1, 2**32, 2**33, 2**40, 2**63, 2**64 - 2**32]
)
def test_a_predecessor_that_is_no_vertex_of_32_bits_is_refused(kind, place, wrapped):
    predecessors = [-1, 0, 1]
    predecessors[place] += wrapped
    limits = np.iinfo(kind)
    if predecessors == [-1, 0, 1] or not all(limits.min <= number <= limits.max for number in predecessors):
        return
    with pytest.raises(CertificateError):
        warpath.certify(CHAIN, 0, [0, 1, 1], np.array(predecessors, kind), device="simulated")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize(
    "wrapped", [-(2**63), -(2**32), -(2**31) - 1, 2**31, 2**32, 2**33, 2**62, 2**63, 2**64 - 2**32]
)
def test_a_distance_beyond_32_bits_is_refused(place, wrapped):
    distances = [0, 1, 1]
    distances[place] += wrapped
    for kind in ("i8", "u8", "f8", "f4"):
        given = np.array([float(number) for number in distances], kind) if kind[0] == "f" else np.array(distances)
        if given.dtype == kind:
            with pytest.raises(CertificateError):
                warpath.certify(CHAIN, 0, given, device="simulated")


@pytest.mark.parametrize("kind", ["i4", "i8", "u4", "u8", "f8"])
def test_no_path_is_the_same_number_in_every_type(kind):
    distances = np.array([2**31 - 1, 0, 0], kind)
    assert warpath.certify(CHAIN, 1, distances, device="simulated").reached == 2


SCALED = from_matrix([[0, 2, 4], [0, 0, 2.5], [0, 0, 0]], scale=10)


@pytest.mark.parametrize("device", ["cpu", "simulated"])
@pytest.mark.parametrize("kind", ["i1", "i4", "i8", "u2", "u8", "f4", "f8", "O"])
def test_a_distance_has_the_unit_of_the_weights_whatever_its_type(kind, device):
    solver = warpath.prepare(SCALED, device)
    as_given = (lambda numbers: list(numbers)) if kind == "O" else (lambda numbers: np.array(numbers, kind))
    for certify in (partial(warpath.certify, SCALED, device=device), solver.certify):
        assert certify(0, as_given([0, 2, 4])).reached == 3
        if kind not in ("i1", "u2", "f4"):
            assert certify([2, 0], as_given([[2**31 - 1, 2**31 - 1, 0], [0, 2, 4]])).reached == 4
        for wrong in ([0, 20, 40], [0, 2, 5], [0, 2, 3], [1, 2, 4]):
            with pytest.raises(CertificateError):
                certify(0, as_given(wrong))


@pytest.mark.parametrize("output", ["host", "device"])
@pytest.mark.parametrize("name", ["cpu", "simulated"])
def test_an_answer_is_certified_as_it_is(name, output):
    options = {"output": output, "certify": False}
    for of in (SCALED, warpath.from_arcs(3, [0, 0, 1], [1, 2, 2], [0.1, 0.4, 0.2]), CHAIN):
        solver = warpath.prepare(of, name)
        answers = [(sources, solver.sssp(sources, **options)) for sources in (0, [1, 0])]
        answers += [(None, solver.apsp(**options)), (0, solver.sssp(0, predecessors=False, **options))]
        for sources, paths in answers:
            certificate = solver.certify(sources, paths)
            assert certificate == warpath.certify(of, sources, paths, device=name)
            assert certificate.reached == np.count_nonzero(paths.reached)
            distances = paths.distances.copy()
            distances[..., -1] += 1
            forged = replace(paths, distances=distances)
            for wrong in (forged, replace(forged, predecessors=None)):
                with pytest.raises(CertificateError):
                    solver.certify(sources, wrong)
        with pytest.raises(CertificateError):
            solver.certify(0, solver.sssp(0, **options), np.array([-1, -1, -1]))


@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_a_solver_certifies_what_the_function_does(device):
    of = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5])
    solver = warpath.prepare(of, device)
    for distances in ([0, 4, 9], np.array([0, 4, 9]), [0, 4, 9.0], np.array([0, 4, 9], "i4")):
        for predecessors in (None, [-9999, 0, 1], np.array([-1, 0, 1])):
            assert solver.certify(0, distances, predecessors).reached == 3
    every = [[0, 4, 9], [np.inf, 0, 5], [np.inf, np.inf, 0]]
    assert solver.certify(None, every).reached == 6
    every[1][2] = 6
    for wrong in ((None, every), (0, [0, 4.5, 9]), (0, [0, 4, 9], [-1, 0, 2**31])):
        with pytest.raises(CertificateError):
            solver.certify(*wrong)
    with pytest.raises(UsageError):
        solver.certify(3, [0, 4, 9])


@pytest.mark.parametrize("off", [-0.3, -1e-5, 1e-5, 0.3])
def test_a_distance_that_is_only_near_a_right_one_is_refused(off):
    for scale in (1, 10):
        weights = {"weights": {"kind": "given", "scale": scale}}
        chain = warpath.from_arcs(3, [0, 1], [1, 2], [8, 7], weights)
        warpath.certify(chain, 0, np.array([0, 8, 15]) / scale, device="simulated")
        with pytest.raises(CertificateError):
            warpath.certify(chain, 0, np.array([0, 8, 15 + off]) / scale, device="simulated")


def test_a_scipy_matrix_gives_what_csgraph_gives():
    matrix = scipy.sparse.random_array((60, 60), density=0.05, rng=3, data_sampler=lambda size: np.ceil(size * [7.0]))
    expected = dijkstra(matrix.tocsr(), indices=5)
    np.testing.assert_array_equal(warpath.sssp(matrix, 5, device="simulated").floats(), expected)


def test_a_dense_array_has_no_arc_where_it_is_zero_or_infinite():
    for none in (0, np.inf, np.nan):
        small = from_matrix(np.array([[0, 2.0, none], [none, 0, 3], [none, none, 0]]))
        assert (small.tails().tolist(), small.indices.tolist(), small.weights.tolist()) == ([0, 1], [1, 2], [2, 3])


def test_a_zero_among_infinities_may_be_a_weight_and_is_refused():
    with np.errstate(divide="ignore"):
        matrix = -np.log(np.array([[0, 1, 0.5], [0, 0, 0.25], [0, 0, 0]]))
    with pytest.raises(GraphError, match=r"entry \(0, 1\) is 0 and others are infinite"):
        from_matrix(matrix)
    stored = np.isfinite(matrix)
    sparse = scipy.sparse.coo_array((matrix[stored], np.nonzero(stored)), shape=matrix.shape)
    assert warpath.sssp(sparse, 0, device="simulated").path_to(2) == [0, 2]


def test_scipy_gets_the_lightest_of_parallel_arcs_and_keeps_zeros():
    sparse = graph(3, (0, 1, 9), (0, 1, 4), (1, 2, 0)).to_scipy()
    assert sparse.nnz == 2
    assert sparse[0, 1] == 4


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        (np.array([[0, 2**40], [0, 0]]), r"entry \(0, 1\) is"),
        (np.ones((2, 3)), "the matrix is 2 x 3; it must be square"),
        (np.ones(3), "the matrix has 1 dimensions; it must have two"),
    ],
)
def test_matrices_that_are_no_graphs(matrix, sentence):
    with pytest.raises(GraphError, match=sentence):
        warpath.apsp(matrix, device="simulated")


@pytest.mark.parametrize("mark", [-np.inf, np.nan])
def test_what_is_no_arc_and_no_weight_is_refused(mark):
    with pytest.raises(GraphError, match=r"entry \(0, 1\) is -inf" if mark < 0 else r"entry \(1, 0\) is 0"):
        from_matrix(np.array([[0, mark, 2.0], [0, 0, 1], [1, 1, 0]]))


@pytest.mark.parametrize("device", [None, 0, ["cpu"], object()])
def test_devices_that_are_none(device):
    for call in (
        lambda: warpath.sssp(TINY["no arcs"], 0, device=device),
        lambda: warpath.apsp(TINY["no arcs"], device=device),
        lambda: warpath.prepare(TINY["no arcs"], device),
    ):
        with pytest.raises(UsageError):
            call()


@pytest.mark.parametrize("vertices", [np.array(1), np.array(1.5)])
def test_an_array_without_dimensions_is_no_sequence_of_vertices(vertices):
    solver = warpath.prepare(TINY["no arcs"], "cpu")
    for call in (solver.table, solver.stream, solver.statistics, lambda one: solver.pairs(one, [0])):
        with pytest.raises(UsageError):
            call(vertices)


@pytest.mark.parametrize("source", [-1, 4])
def test_source_out_of_range(source):
    with pytest.raises(UsageError, match=rf"source {source} is not a vertex; vertices are 0..3"):
        warpath.sssp(TINY["no arcs"], source, device="simulated")


def test_unknown_names_list_the_known_ones():
    with pytest.raises(UsageError, match="unknown algorithm 'bellmanford'; did you mean bellman_ford"):
        warpath.sssp(TINY["ties"], 0, algorithm="bellmanford")
    with pytest.raises(UsageError, match=r"bellman_ford has no variant 'strided'; did you mean stride"):
        warpath.sssp(TINY["ties"], 0, algorithm="bellman_ford", variant="strided")
    with pytest.raises(UsageError, match="unknown device 'gpu'; there are auto, cuda"):
        warpath.sssp(TINY["ties"], 0, device="gpu")
    with pytest.raises(UsageError, match="tiled solves all pairs, not paths from one source; label_correcting does"):
        warpath.sssp(TINY["ties"], 0, algorithm="floyd_warshall", variant="tiled")


def test_a_named_algorithm_brings_its_default_variant():
    assert (
        warpath.sssp(TINY["ties"], 0, algorithm="bellman_ford", device="simulated").variant
        == "bellman_ford.stride_flag"
    )
    assert warpath.apsp(TINY["ties"], algorithm="dijkstra", device="simulated").variant == "dijkstra.naive"


@pytest.mark.parametrize("algorithm", ["dijkstra", "bellman_ford", "label_correcting"])
def test_a_named_algorithm_solves_what_one_of_its_variants_solves(algorithm):
    expected = warpath.apsp(TINY["ties"], device="cpu").distances
    one = warpath.sssp(TINY["ties"], 0, algorithm=algorithm, device="simulated")
    np.testing.assert_array_equal(one.distances, expected[0])
    np.testing.assert_array_equal(
        warpath.apsp(TINY["ties"], algorithm=algorithm, device="simulated").distances, expected
    )
    with pytest.raises(UsageError, match=r"^floyd_warshall solves all pairs, not paths from one source"):
        warpath.sssp(TINY["ties"], 0, algorithm="floyd_warshall", device="simulated")


def test_every_problem_has_a_default_algorithm():
    for problem in ("sssp", "apsp", "closure"):
        assert variant_for(problem, default_algorithm(problem)).problem == problem


@pytest.mark.parametrize("source", [1.7, 1.0, "1", True, None, np.float64(0), Decimal(1), float("nan"), b"1", {}.get])
def test_sources_that_are_no_whole_numbers(source):
    with pytest.raises(UsageError, match=r"is not a vertex; vertices are whole numbers, 0..3"):
        warpath.sssp(TINY["ties"], source, device="simulated")
    with pytest.raises(UsageError, match=r"target .* is not a vertex"):
        warpath.table(TINY["ties"], [0], [source], device="simulated")
    for sources, distances in ((source, [0, 1, 1, 2]), ([source], [[0, 1, 1, 2]]), ([0, source], [[0, 1, 1, 2]] * 2)):
        if sources is not None:
            with pytest.raises(UsageError):
                warpath.certify(TINY["ties"], sources, distances, device="simulated")


@pytest.mark.parametrize("source", [0, np.int8(0), np.array(0), np.uint64(0)])
def test_sources_that_are_whole_numbers(source):
    assert warpath.sssp(TINY["ties"], source, device="simulated").distances.tolist() == [0, 1, 1, 2]
    assert warpath.certify(TINY["ties"], source, [0, 1, 1, 2], device="simulated").sources == 1


def test_negative_arcs_where_the_algorithm_takes_none():
    with pytest.raises(GraphError, match="arc 1 -> 2 has weight -4; dijkstra naive needs weights of at least 0"):
        warpath.apsp(graph(3, (0, 1, 2), (1, 2, -4)), algorithm="dijkstra", variant="naive", device="simulated")


def test_a_negative_cycle_is_named_if_it_can_be_reached():
    circle = graph(5, (0, 1, 1), (1, 2, 2), (2, 3, -5), (3, 1, 2), (4, 0, 1))
    with pytest.raises(NegativeCycleError, match=r"cycle (1 -> 2 -> 3 -> 1|2 -> 3 -> 1 -> 2|3 -> 1 -> 2 -> 3) has neg"):
        warpath.sssp(circle, 0, device="simulated")
    with pytest.raises(NegativeCycleError):
        warpath.apsp(circle, device="simulated")
    beyond_reach = graph(4, (0, 1, 1), (2, 3, -2), (3, 2, 1))
    assert warpath.sssp(beyond_reach, 0, device="simulated").distances.tolist()[:2] == [0, 1]
    assert negative_cycle(beyond_reach, 0) == []
    assert sorted(negative_cycle(beyond_reach, None)) == [2, 3]
    with pytest.raises(NegativeCycleError, match="cycle 0 -> 0 "):
        warpath.sssp(graph(1, (0, 0, -1)), 0, device="simulated")


def test_sums_that_leave_32_bits_are_told_not_wrapped():
    far = graph(3, (0, 1, 2**31 - 3), (1, 2, 2))
    for variant in ("cpu", "naive", "stride", "stride_flag"):
        with pytest.raises(GraphError, match="distance of vertex 2 does not fit 32 bits"):
            warpath.sssp(far, 0, algorithm="bellman_ford", variant=variant, device="simulated")
    for algorithm, variant in [("floyd_warshall", "tiled_shared"), ("floyd_warshall", "cpu"), ("dijkstra", "naive")]:
        with pytest.raises(GraphError, match="distance of vertex 2 does not fit 32 bits"):
            warpath.apsp(far, algorithm=algorithm, variant=variant, device="simulated")
    with pytest.raises(GraphError, match="sums along a path could leave 32 bits"):
        warpath.sssp(graph(3, (0, 1, -(2**31 - 3)), (1, 2, -9)), 0, device="simulated")


def test_names_are_listed_and_unknown_ones_refused():
    assert {"sssp", "apsp", "Graph", "read"} <= set(dir(warpath))
    with pytest.raises(AttributeError, match="no attribute 'shortest'"):
        _ = warpath.shortest


@pytest.mark.parametrize("parameters", [{"k": [1]}, {"k": 2.5}, {1: 2, "k": 3}, {"k": True}, {"k": "3"}, [1], "k=3"])
def test_parameters_that_are_no_whole_numbers_by_name(parameters):
    with pytest.raises(UsageError, match="is not a mapping of names to whole numbers"):
        warpath.sssp(TINY["ties"], 0, algorithm="label_correcting", parameters=parameters, device="simulated")


@pytest.mark.parametrize(
    "named", [{"algorithm": 3}, {"algorithm": ["dijkstra"]}, {"algorithm": "dijkstra", "variant": []}]
)
def test_names_that_are_no_strings(named):
    with pytest.raises(UsageError, match="is not a string"):
        warpath.sssp(TINY["ties"], 0, device="simulated", **named)
    with pytest.raises(UsageError, match="is not a string"):
        warpath.closure(TINY["ties"], variant=[1], device="simulated")


TOWNS = [("Oslo", "Voss", 356.5), ("Voss", "Bergen", 107.0), ("Oslo", "Hamar", 130.0)]


def towns(library):
    if library == "pandas":
        return pd.DataFrame(TOWNS, columns=["source", "target", "km"])
    roads = networkx.DiGraph()
    roads.add_weighted_edges_from(TOWNS, weight="km")
    return roads


@pytest.mark.parametrize("library", ["pandas", "networkx"])
def test_a_solver_takes_and_gives_the_labels_that_sssp_does(library):
    roads = towns(library)
    solver = warpath.prepare(roads, "simulated", weight="km", scale=2)
    paths, table = solver.sssp("Oslo"), solver.table(["Oslo"], ["Bergen", "Oslo"])
    assert table.distances.tolist() == [[927, 0]] and table.floats().tolist() == [[463.5, 0]]
    assert table.to_frame().columns.tolist() == ["Bergen", "Oslo"]
    assert solver.pairs(["Oslo"], ["Bergen"], paths=True).path(0) == ["Oslo", "Voss", "Bergen"]
    assert (paths.path_to("Bergen"), paths.weight) == (["Oslo", "Voss", "Bergen"], "km")
    assert solver.sssp(["Voss", "Oslo"]).path_to("Bergen", "Voss") == ["Voss", "Bergen"]
    assert solver.sssp("Hamar").path_to("Oslo") == []  # a search on the host
    assert solver.apsp().path_to("Bergen", "Oslo") == ["Oslo", "Voss", "Bergen"]
    bergen = solver.graph.index_of("Bergen")
    chunks = list(solver.stream(["Voss", "Oslo"], targets=["Bergen"]))
    sources, distances = (np.concatenate(parts) for parts in zip(*chunks, strict=True))
    assert (solver.graph.labels[sources].tolist(), distances.tolist()) == (["Voss", "Oslo"], [[214], [927]])
    assert solver.statistics(["Oslo"]).sources.tolist() == [solver.graph.index_of("Oslo")]
    whole = solver.sssp("Voss")
    assert solver.certify("Voss", whole).reached == 2
    assert (
        warpath.certify(roads, "Voss", solver.sssp("Voss").floats(), weight="km", scale=2, device="simulated").reached
        == 2
    )
    assert warpath.certify(roads, None, solver.apsp().floats(), weight="km", scale=2, device="simulated").reached == 8
    assert warpath.closure(roads, directed=False, device="simulated").reachable.all()
    back = warpath.sssp(roads, "Bergen", weight="km", directed=False, device="simulated")
    assert back.distances[bergen] == 0 and back.path_to("Hamar") == ["Bergen", "Voss", "Oslo", "Hamar"]
    for ask in (
        lambda: solver.sssp(0),
        lambda: solver.sssp("Olso"),
        lambda: solver.table(["Oslo"], "Bergen"),
        lambda: next(solver.stream(["Oslo", "x"])),
        lambda: solver.certify("x", whole),
    ):
        with pytest.raises(UsageError, match=r"there is no vertex|must be a sequence of vertices, not 'Bergen'"):
            ask()


@pytest.mark.parametrize("label", ["Oslo", 3])
def test_a_label_of_a_graph_is_told_with_its_index(label):
    named = warpath.from_arcs(2, [1], [0], [5], labels=["x", label] if label == "Oslo" else [7, label])
    for ask in (
        lambda: warpath.sssp(named, label, device="simulated"),
        lambda: warpath.sssp(named, [1, label], device="simulated"),
        lambda: warpath.table(named, [0], [label], device="simulated"),
        lambda: warpath.sssp(named, 1, device="simulated").path_to(label),
    ):
        with pytest.raises(
            UsageError, match=rf"{label!r} is a label; give its index, 1, which graph.index_of\({label!r}"
        ):
            ask()


def test_paths_say_what_was_summed():
    weighed = warpath.from_arcs(2, [0], [1], [5])
    assert warpath.sssp(weighed, 0, device="simulated").weight == "weight"
    counted = warpath.apsp(weighed, weight=None, device="simulated")
    assert (counted.weight, counted.distances[0].tolist()) == (None, [0, 1])
    solver = warpath.prepare(towns("pandas"), "simulated", weight="km")
    solver.update([1.0, 2.0, 3.0])
    assert solver.sssp("Oslo").weight == "km"
