"""Calls on graphs that are too small for a GPU, and run on the CPU if its solver is loaded."""

import numpy as np
import pytest
from families import make
from first_calls import copy_of
from hypothesis import given, strategies
from tiny_graphs import NEGATIVE, TINY, random_graphs

import warpath
from warpath.device import open_device
from warpath.errors import GraphError
from warpath.graphs.csr import from_arcs
from warpath.library.solver import Solver
from warpath.system.arrays import on_host

CPU = "dijkstra.heap"
CHAIN = make("chain", 1_000)


@pytest.fixture(scope="module", autouse=True)
def _cpu_is_ready():
    with pytest.MonkeyPatch.context() as here:
        here.setattr("warpath.solvers.choice.first_call._loading_us", lambda _: 0.0)
        yield


@pytest.fixture(scope="module")
def simulated():
    return open_device("simulated")


def check(of, source, device, expected=CPU, **how):
    """Two calls are certified, and their distances are those of the CPU."""
    solver = Solver(copy_of(of), device, prepared=False)
    distances = warpath.sssp(of, source, device="cpu", cutoff=how.get("cutoff")).distances
    for _ in range(2):
        paths = solver.sssp(source, **how)
        assert paths.certificate is not None and paths.variant in (expected, "host.search")
        np.testing.assert_array_equal(on_host(paths.distances), distances)


@pytest.mark.parametrize("of", TINY.values(), ids=TINY)
def test_tiny_graphs(simulated, of):
    for source in range(min(3, of.vertices)):
        check(of, source, simulated)


@given(of=random_graphs(), data=strategies.data())
def test_random_graphs(simulated, of, data):
    check(of, data.draw(strategies.integers(0, of.vertices - 1)), simulated)


@pytest.mark.parametrize(
    ("family", "vertices", "on_cpu"),
    [("grid", 1_024, True), ("random, degree 16", 1_024, True), ("grid", 1_400, False), ("dense", 600, False)],
)
def test_which_graphs_are_small(simulated, family, vertices, on_cpu):
    solver = Solver(make(family, vertices), simulated, prepared=False)
    assert [solver.sssp(source).variant == CPU for source in (0, 5)] == [on_cpu] * 2


@pytest.mark.parametrize(
    ("family", "on_cpu"), [("chain", True), ("lollipop", True), ("grid", False), ("comb", False), ("tree", False)]
)
def test_prepared_calls_stay_on_the_gpu_unless_paths_are_long(simulated, family, on_cpu):
    assert (warpath.prepare(make(family, 1_024), simulated).sssp(3).variant == CPU) is on_cpu


@pytest.mark.parametrize("how", [{"predecessors": False}, {"cutoff": 70}, {"output": "device"}])
def test_the_answer_is_delivered_as_asked(simulated, how):
    check(CHAIN, 17, simulated, **how)


def test_several_sources_and_named_solvers_run_on_the_gpu(simulated):
    solver = Solver(copy_of(CHAIN), simulated, prepared=False)
    assert solver.sssp([3, 4]).variant != CPU
    assert solver.sssp(3, algorithm="near_far", variant="queue").variant == "near_far.queue"


def test_negative_arcs_and_long_distances(simulated):
    check(NEGATIVE["negative arc"], 0, simulated, "label_correcting.four_arcs")
    too_long = from_arcs(20, range(19), range(1, 20), [2**30] * 19)
    with pytest.raises(GraphError):
        warpath.sssp(too_long, 0, device=simulated)


def test_an_update_is_followed(simulated):
    solver = Solver(copy_of(CHAIN), simulated, prepared=False)
    first = solver.sssp(0).distances
    solver.update(CHAIN.weights * 2)
    np.testing.assert_array_equal(solver.sssp(0).distances, 2 * first)


@pytest.mark.cuda
@pytest.mark.parametrize("output", ["host", "device"])
def test_on_a_gpu(output):
    for of in (CHAIN, make("grid", 1_024)):
        check(of, 77, open_device("cuda"), output=output)
