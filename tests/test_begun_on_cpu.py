"""Calls that begin on the CPU, and go on there while few vertices wait at a time."""

import numpy as np
import pytest
from families import make
from hypothesis import given, strategies
from tiny_graphs import NEGATIVE, TINY, random_graphs

import warpath
from warpath.arrays import on_host
from warpath.device import open_device
from warpath.errors import GraphError
from warpath.graphs.csr import Graph, from_arcs
from warpath.library.solver import Solver
from warpath.solvers.dijkstra.heap import HeapPlan


@pytest.fixture(scope="module", autouse=True)
def _cpu_is_ready():
    with pytest.MonkeyPatch.context() as here:
        here.setattr("warpath.solvers.first_call._loading_us", lambda _: 0.0)
        yield


@pytest.fixture(scope="module")
def host():
    return open_device("host")


def fresh(of):
    """The same graph, of which nothing is known."""
    return Graph(of.indptr.copy(), of.indices.copy(), of.weights)


def answered(of, source, device, **how):
    """The distances of a first call; it and a second one are certified, and equal to those of the CPU."""
    solver = Solver(fresh(of), device, prepared=False)
    expected = warpath.sssp(of, source, device="cpu", **how)
    for _ in range(2):
        paths = solver.sssp(source, **how)
        assert paths.certificate is not None
        np.testing.assert_array_equal(paths.distances, expected.distances)
    return solver.sssp(source, **how)


CHAIN = make("chain", 6_000)


@pytest.mark.parametrize("of", TINY.values(), ids=TINY)
def test_small_graphs(host, of):
    for source in range(min(3, of.vertices)):
        answered(of, source, host)


@given(of=random_graphs(), data=strategies.data())
def test_random_graphs(host, of, data):
    if of.vertices:
        answered(of, data.draw(strategies.integers(0, of.vertices - 1)), host)


@pytest.mark.parametrize(
    ("family", "vertices", "calls"),
    [
        ("grid", 1_024, ["dijkstra.heap"] * 3),
        ("random, degree 16", 1_024, ["dijkstra.heap"] * 3),
        ("chain", 6_000, ["dijkstra.heap"] * 3),
        ("lollipop", 4_096, ["dijkstra.heap"] * 3),
        ("grid", 4_096, ["near_far.queue"] * 3),
        ("random, degree 4", 4_096, ["near_far.queue"] * 3),
    ],
)
def test_which_calls_stay_there(host, monkeypatch, family, vertices, calls):
    monkeypatch.setattr("warpath.library.plan_cache.steps_at_first", lambda _: None)
    solver = Solver(make(family, vertices), host, prepared=False)
    assert [solver.sssp(source, certify=False).variant for source in (0, 5, 0)] == calls


def test_a_chain_that_leads_to_a_wide_graph_is_left_where_it_ends(host, monkeypatch):
    monkeypatch.setattr("warpath.library.plan_cache.steps_at_first", lambda _: None)
    grid = make("grid", 10_000)
    before = np.arange(2_000)  # leads to vertex 2,000, which is vertex 0 of the grid
    tails, heads = np.append(before, grid.tails() + 2_000), np.append(before + 1, grid.indices + 2_000)
    of = from_arcs(12_000, tails, heads, np.append(before * 0 + 3, grid.weights))
    assert answered(of, 0, host).variant == "near_far.queue"


def test_prepared_calls_stay_on_the_gpu_unless_paths_are_long(host):
    for family, expected in (("chain", True), ("lollipop", True), ("grid", False), ("comb", False), ("tree", False)):
        solver = warpath.prepare(make(family, 1_024), host)
        assert (solver.sssp(3).variant == "dijkstra.heap") is expected, family
    assert warpath.prepare(CHAIN, host).sssp(3).variant != "dijkstra.heap"


@pytest.mark.parametrize("how", [{"predecessors": False}, {"cutoff": 70}, {"output": "device"}])
def test_the_answer_is_delivered_as_asked(host, how):
    paths = Solver(fresh(CHAIN), host, prepared=False).sssp(17, **how)
    expected = Solver(fresh(CHAIN), host).sssp(17, algorithm="near_far", **how)
    assert paths.variant == "dijkstra.heap" and paths.certificate is not None
    np.testing.assert_array_equal(paths.distances, expected.distances)
    assert (paths.predecessors is None) == (expected.predecessors is None)


def test_the_time_of_what_was_begun_counts(host, monkeypatch):
    begin_solve = HeapPlan.begin_solve

    def slow(plan, source, steps):
        outcome = begin_solve(plan, source, steps)
        plan.begun_s += 1000
        return outcome

    monkeypatch.setattr(HeapPlan, "begin_solve", slow)
    solver = Solver(fresh(CHAIN), host, prepared=False)
    assert 1000 < solver.sssp(1).solve_s < 2000
    assert solver.sssp(1, algorithm="dijkstra", variant="heap").solve_s < 1000


def test_an_answer_is_for_its_own_source(host):
    plan = HeapPlan(host, CHAIN, 0)
    rows = np.empty((1, CHAIN.vertices), np.int32), np.empty((1, CHAIN.vertices), np.int32)
    for begun, solved in ((5, 9), (9, 9), (9, 5)):
        assert plan.begin_solve(begun, 100)[0]
        plan.solve_rows(np.array([solved], np.int32), *rows)
        np.testing.assert_array_equal(rows[0][0], warpath.sssp(CHAIN, solved, device="cpu").distances)


def test_negative_arcs_and_long_distances_are_left_to_others(host):
    of = NEGATIVE["negative arc"]
    assert warpath.sssp(fresh(of), 0, device=host).variant == "label_correcting.four_arcs"
    too_long = from_arcs(3, [0, 1], [1, 2], [2**30, 2**30])
    with pytest.raises(GraphError):
        warpath.sssp(too_long, 0, device=host)


@pytest.mark.cuda
@pytest.mark.parametrize("output", ["host", "device"])
def test_on_a_gpu(output):
    cuda = open_device("cuda")
    for of in (CHAIN, make("grid", 1_024), make("grid", 5_000)):
        solver = Solver(fresh(of), cuda, prepared=False)
        for source in (3, 3, 77):
            paths = solver.sssp(source, output=output)
            expected = warpath.sssp(of, source, device="cpu")
            assert isinstance(paths.distances, np.ndarray) is (output == "host")
            np.testing.assert_array_equal(on_host(paths.distances), expected.distances)
            assert (paths.variant == "dijkstra.heap") is (of.vertices != 4_970) and paths.certificate is not None


def test_an_update_is_followed(host):
    solver = Solver(fresh(CHAIN), host, prepared=False)
    first = solver.sssp(0).distances
    solver.update(CHAIN.weights * 2)
    np.testing.assert_array_equal(solver.sssp(0).distances, 2 * first)
