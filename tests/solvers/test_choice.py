"""The choice of the solver: what is chosen solves what was asked, in a first call as in later ones; and its facts."""

from pathlib import Path
from time import sleep

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from families import make
from first_calls import copy_of
from guarded_device import GuardedDevice
from hypothesis import given, strategies
from recorded_times import losses, read_records
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from test_near_far import star
from tiny_graphs import NEGATIVE, TINY, graph, grid_of, named, random_graphs

import warpath
from warpath.device import open_device
from warpath.device.resident import resident
from warpath.device.simulated.device import SimulatedDevice
from warpath.errors import GraphError, OutOfMemoryError, UsageError
from warpath.graphs.csr import Graph, from_arcs
from warpath.library.solver import Solver
from warpath.solvers import find
from warpath.solvers.choice.choose import FEW, MANY, ONE, choices, ranked
from warpath.solvers.choice.depth import Search, levels_of, searched
from warpath.solvers.choice.facts import facts_of, shape_of
from warpath.solvers.costs import Wanted
from warpath.solvers.cpu.heap import Heap
from warpath.solvers.one_source.near_far.queue import Queue
from warpath.system.arrays import on_host
from warpath_study.datasets.generate import generate


class SmallDevice(SimulatedDevice):
    """A GPU whose blocks have little shared memory, and that has no clusters."""

    shared_memory_bytes = 4096

    def resident_blocks(self, kernel, block, shared_mem=0):
        return int(shared_mem <= self.shared_memory_bytes)


class Clusters(SimulatedDevice):
    """A GPU with large clusters."""

    cluster_blocks = 16


ROOT = Path(__file__).parents[2]
SIMULATED, SMALL, CPU = open_device("simulated"), SmallDevice(), open_device("cpu")
DEVICES = [SIMULATED, SMALL, Clusters(), CPU]
_WATCHED_S = 1.0  # longer than a solve
CHAIN = make("chain", 1_000)


def thirds(of):
    return Graph(of.indptr, of.indices, of.weights / 3)


def assert_chosen_suits(device, of, wanted, expected):
    chosen, again = (list(choices(resident(device, each), wanted, expected)) for each in (of, copy_of(of)))
    assert [one.key for one in chosen] == [one.key for one in again]
    assert chosen
    for one in chosen:
        variant = find(one.variant.algorithm, one.variant.name)
        assert variant.takes(of) and one.reason and not one.reason.endswith(".")
        assert variant.on_cpu if device.kind == "cpu" else wanted.alone or not variant.on_cpu
        assert variant.problem == "sssp" or variant.many_sources or wanted.all_pairs
        assert variant.name != "cluster" or device.cluster_blocks > 1


def all_wanted(of):
    alone = [Wanted(1, trees=trees, alone=True) for trees in (False, True)]
    several = [Wanted(sources, targets) for sources in (1, 4, 32, 512) for targets in (None, 1, 32)]
    return [*alone, *several, Wanted(of.vertices, all_pairs=True)]


@given(of=random_graphs(vertices_max=60, negative=True), floats=strategies.booleans(), data=strategies.data())
def test_what_is_chosen_takes_the_graph_and_runs_on_the_device(of, floats, data):
    of = thirds(of) if floats else of
    wanted = data.draw(strategies.sampled_from(all_wanted(of)))
    for device in DEVICES:
        assert_chosen_suits(device, of, wanted, data.draw(strategies.sampled_from([ONE, FEW, MANY])))


@pytest.mark.parametrize("family", ["road", "grid", "chain", "tree", "R-MAT", "power law", "random, degree 16"])
def test_what_is_chosen_for_families_of_many_vertices(family):
    of = make(family, 20_000)
    for each in (of, thirds(of)):
        for device in DEVICES:
            for wanted in (Wanted(1, alone=True), Wanted(1, 1), Wanted(32)):
                for expected in (ONE, FEW, MANY):
                    assert_chosen_suits(device, each, wanted, expected)


@pytest.fixture(scope="module")
def recorded_losses():
    """What the choice loses on recorded graphs of a size that users notice; raises if a time is missing."""
    graphs = read_records(ROOT / "results/reference/nvidia-h200/solver_times")
    return [loss for of in graphs if of.facts.vertices > 16_000 for loss in losses(of)]


@pytest.mark.parametrize(("kept_aside", "share"), [(False, 0.95), (True, 0.85)])
def test_the_choice_is_about_as_fast_as_the_best_solver(recorded_losses, kept_aside, share):
    ratios = np.array([loss.ratio for loss in recorded_losses if loss.graph.kept_aside == kept_aside])
    assert len(ratios) > 500 and np.mean(ratios <= 1.3) >= share
    assert np.mean(ratios <= 2.5) >= 0.99


def test_costs_grow_with_what_is_wanted():
    facts = facts_of(resident(SIMULATED, make("grid", 10_000)))
    for kind in ("cpu", "cuda"):
        for sources, more in ((1, 2), (64, 128)):
            few, many = (dict(ranked(facts, Wanted(count), kind, 1)) for count in (sources, more))
            assert few.keys() == many.keys()
            assert all(0 < few[name].call <= many[name].call for name in few)


def test_every_tiny_graph_is_solved_by_what_is_chosen():
    for name, of in {**TINY, **NEGATIVE}.items():
        with named(name):
            paths = warpath.sssp(of, 0, device=SIMULATED)
            assert paths.certificate is not None and paths.reason
            several = warpath.sssp(of, [0] * 4, device=SIMULATED)
            np.testing.assert_array_equal(several.distances[3], paths.distances)
            np.testing.assert_array_equal(warpath.apsp(of, device=SIMULATED).distances[0], paths.distances)


@pytest.mark.parametrize("family", ["road", "comb", "R-MAT", "dense"])
def test_little_shared_memory_is_no_obstacle(family):
    of = make(family, 300)
    solver, expected = Solver(copy_of(of), SMALL), warpath.prepare(of, "cpu")
    for sources in (5, range(30)):
        np.testing.assert_array_equal(solver.sssp(sources).distances, expected.sssp(sources).distances)


# First calls


@pytest.fixture
def first_steps(monkeypatch):
    """Lets the first steps end and reach as on a GPU, where a step is a hop of many more vertices at a time."""
    begin = Queue.begin

    def let(ended, reached):
        def begun(solver, source, into, steps):
            begin(solver, source, into, steps)
            sleep(_WATCHED_S)
            return ended, reached

        monkeypatch.setattr(Queue, "begin", begun)

    return let


def first_call_on_a_chain(of, **how):
    """A certified first call, whose distances are those of the CPU, and its solver."""
    solver = Solver(copy_of(of), SIMULATED, prepared=0)
    paths = solver.sssp(1, **how)
    np.testing.assert_array_equal(paths.distances, warpath.sssp(of, 1, device="cpu").distances)
    assert paths.certificate is not None
    return paths, solver


LONG = from_arcs(3_000, range(2_999), range(1, 3_000), [1] * 2_999)


@pytest.mark.parametrize("floats", [False, True])
def test_a_first_call_changes_the_solver_where_paths_turn_out_long(first_steps, floats):
    of = thirds(LONG) if floats else LONG
    first_steps(False, 0.5)
    short, _ = first_call_on_a_chain(of)
    assert short.solve_s > _WATCHED_S  # the time of the first steps counts
    first_steps(False, 0.001)
    changed, solver = first_call_on_a_chain(of)
    assert changed.variant != short.variant
    np.testing.assert_array_equal(solver.sssp(1).distances, changed.distances)


@pytest.mark.parametrize("error", [OutOfMemoryError, UsageError])
def test_a_first_call_that_stopped_goes_on_if_the_other_solver_fails(first_steps, monkeypatch, error):
    def fail(*_, **__):
        raise error("no plan")

    first_steps(False, 0.001)
    changed, _ = first_call_on_a_chain(LONG)
    monkeypatch.setattr(Heap, "__init__", fail)
    goes_on, _ = first_call_on_a_chain(LONG)
    assert changed.variant != goes_on.variant


def assert_both_calls_are_right(of, source, device=SIMULATED, **how):
    solver = Solver(copy_of(of), device, prepared=0)
    distances = warpath.sssp(of, source, device="cpu", cutoff=how.get("cutoff")).distances
    for _ in range(2):
        paths = solver.sssp(source, **how)
        assert paths.certificate is not None
        np.testing.assert_array_equal(on_host(paths.distances), distances)
    return paths


@given(of=random_graphs(negative=True), data=strategies.data())
def test_small_graphs(of, data):
    assert_both_calls_are_right(of, data.draw(strategies.integers(0, of.vertices - 1)))


def test_a_solver_of_the_cpu_delivers_as_asked_and_gives_way_to_a_named_one():
    for how in ({"predecessors": False}, {"cutoff": 70}, {"output": "device"}):
        variant = assert_both_calls_are_right(CHAIN, 17, **how).variant
    assert_both_calls_are_right(NEGATIVE["negative arc"], 0)  # for which Dijkstra's algorithm is not right
    solver = Solver(copy_of(CHAIN), SIMULATED, prepared=0)
    assert solver.sssp(3, algorithm="near_far", variant="queue").variant == "near_far.queue" != variant
    assert solver.sssp([3, 4]).variant != variant
    first = solver.sssp(0).distances
    solver.update(CHAIN.weights * 2)
    np.testing.assert_array_equal(solver.sssp(0).distances, 2 * first)
    with pytest.raises(GraphError):
        warpath.sssp(from_arcs(20, range(19), range(1, 20), [2**30] * 19), 0, device=SIMULATED)


@pytest.mark.cuda
@pytest.mark.parametrize("output", ["host", "device"])
def test_small_graphs_on_a_gpu(output):
    for of in (CHAIN, make("grid", 1_024)):
        assert_both_calls_are_right(of, 77, open_device("cuda"), output=output)


# Facts of a graph


def test_facts_of_a_shape():
    found = shape_of(resident(SIMULATED, graph(5, (0, 1, 3), (0, 2, -4), (0, 2, 9), (2, 3, 1))))
    assert (found.vertices, found.arcs, found.degree) == (5, 4, 0.8)
    assert (found.weight_min, found.weight_max, found.is_negative) == (-4, 9, True)
    for name in ("no arcs", "one vertex"):
        found = facts_of(resident(SIMULATED, TINY[name]))
        assert (found.arcs, found.degree, found.is_skewed, found.is_negative) == (0, 0, False, False)


HUB = star(3000, (1, 9), ends=6000)
SEARCHED = {
    "road": generate("road", vertices=900, arcs=2300),
    "mostly sinks": generate("gnutella", vertices=3000, arcs=9000),
    "thin": grid_of(40, 1),
    "hub": HUB,
    "to the hub": HUB.reverse(),
    "multigraph": from_arcs(5, [0, 0, 0, 1, 1, 2, 3], [0, 1, 1, 2, 2, 3, 0], [1] * 7),
    **{name: TINY[name] for name in TINY if TINY[name].arcs},
}
UNREACHED = -1


def levels_from(of, start):
    """The level of each vertex in a breadth-first search."""
    matrix = csr_array((np.ones(of.arcs), of.indices, of.indptr), shape=(of.vertices, of.vertices))
    levels = shortest_path(matrix, indices=start, unweighted=True)
    return np.where(np.isinf(levels), UNREACHED, levels).astype(int)


def expected_search(of, start, arcs_max, levels_max):
    levels, degrees = levels_from(of, start), np.diff(of.indptr)
    up_to = [(levels >= 0) & (levels <= level) for level in range(min(levels.max(), levels_max) + 1)]
    vertices, arcs = [int(each.sum()) for each in up_to], [int(degrees[each].sum()) for each in up_to]
    seen = next((level + 1 for level, count in enumerate(arcs) if count > arcs_max), len(arcs))
    ends = seen <= levels_max or arcs[-1] == arcs[-2]  # else it does not see that the last vertices lead nowhere
    return vertices[:seen], arcs[:seen], seen == levels.max() + 1 and arcs[seen - 1] <= arcs_max and ends


@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_a_search_counts_what_scipys_finds_in_each_level(name):
    device = opened(name)
    for graph_name, of in SEARCHED.items():
        found, starts = resident(device, of), np.flatnonzero(np.diff(of.indptr))
        chosen = starts[:: max(1, len(starts) // 2)]
        for arcs_max, levels_max in ((0, 5), (1, 1024), (20, 1), (1000, 5), (of.arcs, 5), (of.arcs, 1024)):
            searches = searched(chosen, found, arcs_max, levels_max)
            for start, search in zip(chosen.tolist(), searches, strict=True):
                with named(f"{graph_name} from {start}, {arcs_max} arcs and {levels_max} levels"):
                    vertices, arcs, is_whole = expected_search(of, start, arcs_max, levels_max)
                    assert (search.vertices, search.arcs[:-1]) == (vertices, arcs[:-1])
                    assert search.arcs[-1] == arcs[-1] or search.arcs[-1] > min(arcs_max, of.arcs) < arcs[-1]
                    assert search.is_whole == is_whole


def test_a_search_writes_to_its_own_arrays():
    device = GuardedDevice(order="shuffle", seed=3)
    for name, of in SEARCHED.items():
        for arcs_max in (0, 3, 64, 5000):
            with named(name):
                searched(np.flatnonzero(np.diff(of.indptr))[-3:], resident(device, of), arcs_max, 3)
                device.check()


def test_the_first_part_of_a_search():
    search = Search([1, 5, 13, 14], [4, 20, 50, 51], is_whole=True)
    assert search.first(60) == (3, 14, 0)
    assert search.first(50) == (4, 14, 13)
    assert search.first(30) == (3, 13 + 10 * 8 / 16, 5)
    assert search.first(3) == (1, 4, 1)
    assert Search([1, 5, 13], [4, 20, 50], is_whole=False).first(50) == (2, 13, 5)


@pytest.mark.parametrize(
    ("family", "vertices", "levels"),
    [
        ("grid", 40_000, 300),
        ("grid 3D", 27_000, 68),
        ("chain", 20_000, 15_000),
        ("comb", 500_000, 12_000),
        ("star of chains", 40_000, 200),
        ("tree", 40_000, 40),
        ("R-MAT", 2**15, 7),
    ],
)
def test_levels_are_about_those_of_the_whole_graph(family, vertices, levels):
    assert levels / 3 < levels_of(resident(SIMULATED, make(family, vertices, "1 to 100"))) < 2 * levels


def test_a_first_call_on_a_large_graph_without_arcs():
    assert warpath.sssp(from_arcs(100_000, [], [], []), 7, device="simulated").reached.sum() == 1
