"""What the library chooses for a graph of each shape, and the facts that it goes by."""

import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest
from families import make
from first_calls import copy_of
from tiny_graphs import NEGATIVE, TINY, graph

import warpath
from warpath.device import open_device
from warpath.errors import OutOfMemoryError, UsageError
from warpath.graphs.csr import Graph, from_arcs
from warpath.graphs.weights import with_random_weights
from warpath.library.solver import Solver
from warpath.solvers import find
from warpath.solvers.choice import shape
from warpath.solvers.choice.auto import candidates, choose_apsp, choose_sssp
from warpath.solvers.choice.depth import depth_of
from warpath.solvers.choice.first_call import choose_again, steps_at_first
from warpath.solvers.choice.shape import shape_of
from warpath.solvers.one_source.near_far.queue import QueuePlan
from warpath_study.datasets.generate import generate


def neighbours_of(vertices, *edges):
    """A graph with these edges, each two arcs of weight 1."""
    tails, heads = np.concatenate([*edges, *(pair[::-1] for pair in edges)], axis=1)
    return from_arcs(len(vertices), tails, heads, np.ones(len(tails), np.int32))


ROAD = generate("road", vertices=20_000, arcs=52_000)
LARGE_ROAD = generate("road", vertices=70_000, arcs=180_000)
GNUTELLA = with_random_weights(generate("gnutella", vertices=3000, arcs=9000), 1)
POWER_LAW = with_random_weights(generate("power_law", vertices=60_000, arcs=400_000), 1)
RANDOM = make("random, degree 4", 70_000)
TREE = make("tree", 70_000)
STAR_OF_CHAINS = make("star of chains", 70_000)
SPOKES = np.arange(1, 10_001)
SPOKE_ENDS = np.arange(10_001, 200_001)
HEAVY_STAR = neighbours_of(np.arange(200_001), (0 * SPOKES, SPOKES), (SPOKE_ENDS - 10_000, SPOKE_ENDS))
MANY_ARCS = make("random, degree 4", 1_600_000)
CHAIN = make("chain", 70_000)
EACH = np.arange(70_000)
LADDER = neighbours_of(EACH, (EACH[2:] - 2, EACH[2:]), (EACH[::2], EACH[1::2]))
RING = neighbours_of(EACH, *((EACH, (EACH + step) % len(EACH)) for step in (1, 2, 3)))
FLOAT_LADDER = Graph(LADDER.indptr, LADDER.indices, LADDER.weights / 3)
INNER = np.flatnonzero(np.arange(70_000) % 1000)
CHAINS = from_arcs(70_000, [*(INNER - 1), *INNER], [*INNER, *(INNER - 1)], [1] * (2 * len(INNER)))
DENSE = with_random_weights(generate("complete", vertices=200), 1)
FLOAT_ROAD = Graph(ROAD.indptr, ROAD.indices, ROAD.weights / 3)
NEGATIVE_ROAD = Graph(ROAD.indptr, ROAD.indices, ROAD.weights - np.int32(1 + ROAD.weight_min))


class Fact:
    """Something that can be looked for with a weak reference."""


@pytest.fixture(scope="module")
def simulated():
    return open_device("simulated")


def name(suits):
    assert suits.reason and not suits.reason.endswith(".")
    find(suits.algorithm, suits.variant)  # there is such a variant
    return f"{suits.algorithm}.{suits.variant}"


@pytest.mark.parametrize(
    ("of", "sources", "preparation", "expected"),
    [
        (ROAD, 1, "none", "near_far.queue"),
        (POWER_LAW, 1, "none", "near_far.queue"),
        (DENSE, 1, "none", "near_far.queue"),
        (RING, 1, "some", "partition.borders"),
        (NEGATIVE_ROAD, 1, "none", "label_correcting.four_arcs"),
        (ROAD, 1, "some", "near_far.queue"),
        (ROAD, 1, "all", "partition.borders"),
        (ROAD, 2, "all", "partition.borders"),
        (ROAD, 20, "some", "near_far.queue"),
        (ROAD, 20, "all", "contraction_hierarchy.sweep"),
        (ROAD, 300, "some", "contraction_hierarchy.sweep"),
        (FLOAT_ROAD, 20, "all", "partition.borders"),
        (FLOAT_ROAD, 24, "all", "contraction_hierarchy.sweep"),
        (GNUTELLA, 1, "all", "near_far.queue"),
        (GNUTELLA, 8, "some", "sparse_all_pairs.narrow"),
        (POWER_LAW, 1, "some", "near_far.whole_grid"),
        (POWER_LAW, 8, "all", "near_far.whole_grid"),
        (POWER_LAW, 16, "some", "label_correcting.batch"),
        (POWER_LAW, 300, "all", "label_correcting.batch"),
        (RANDOM, 16, "all", "label_correcting.batch"),
        (RANDOM, 16, "some", "near_far.queue"),
        (RANDOM, 32, "some", "label_correcting.batch"),
        (TREE, 1, "some", "near_far.queue"),
        (TREE, 32, "all", "partition.borders"),
        (STAR_OF_CHAINS, 1, "all", "partition.borders"),
        (HEAVY_STAR, 1, "all", "partition.borders"),
        (MANY_ARCS, 1, "all", "near_far.whole_grid"),
        (MANY_ARCS, 1, "some", "near_far.queue"),
        (TREE, 64, "all", "label_correcting.batch"),
        (ROAD, 64, "some", "partition.borders"),
        (CHAIN, 1, "some", "partition.borders"),
        (CHAINS, 1, "some", "near_far.queue"),
        (DENSE, 8, "all", "sparse_all_pairs.narrow"),
        (NEGATIVE["negative arc"], 1, "all", "label_correcting.four_arcs"),
        (NEGATIVE_ROAD, 1, "all", "label_correcting.four_arcs"),
        (NEGATIVE["negative arc"], 300, "some", "label_correcting.four_arcs"),
    ],
)
def test_paths_from_sources(simulated, of, sources, preparation, expected):
    assert name(choose_sssp(simulated, of, sources, preparation)[0]) == expected


@pytest.mark.parametrize(
    ("family", "vertices", "weights", "expected"),
    [
        ("chain", 500, "1 to 100", "label_correcting.cluster"),
        ("chain", 1_024, "1 to 100", "partition.borders"),
        ("lollipop", 40_000, "1 to 100", "partition.borders"),
        ("grid", 2_048, "1 to 100", "label_correcting.cluster"),
        ("grid", 8_192, "1 to 100", "partition.borders"),
        ("grid 3D", 4_096, "1 to 100", "label_correcting.cluster"),
        ("geometric", 4_096, "1 to 100", "partition.borders"),
        ("geometric, degree 30", 4_096, "1 to 100", "partition.borders"),
        ("geometric, degree 30", 2_048, "constant", "label_correcting.cluster"),
        ("tree", 16_384, "1 to 100", "label_correcting.cluster"),
        ("random, degree 16", 4_096, "1 to 100", "label_correcting.cluster"),
        ("random, degree 16", 10_000, "1 to 100", "near_far.queue"),
        ("random, degree 16", 10_000, "constant", "label_correcting.cluster"),
        ("random, degree 16", 32_768, "1 to 100", "near_far.queue"),
        ("random, degree 16", 131_072, "1 to 100", "near_far.whole_grid"),
        ("power law", 4_096, "1 to 100", "near_far.whole_grid"),
    ],
)
def test_prepared_calls_on_a_gpu_with_clusters(simulated, monkeypatch, family, vertices, weights, expected):
    monkeypatch.setattr(type(simulated), "cluster_blocks", 16)
    assert name(choose_sssp(simulated, make(family, vertices, weights), 1, "all")[0]) == expected


@pytest.mark.parametrize(
    ("family", "vertices", "whole", "floats"),
    [
        ("geometric", 4_096, "partition.borders", "label_correcting.cluster"),
        ("geometric, degree 30", 8_192, "partition.borders", "near_far.queue"),
        ("grid", 100_000, "partition.borders", "partition.borders"),
        ("star of chains", 70_000, "partition.borders", "near_far.queue"),
        ("comb", 70_000, "partition.borders", "partition.borders"),
    ],
)
def test_prepared_calls_with_floats(simulated, monkeypatch, family, vertices, whole, floats):
    monkeypatch.setattr(type(simulated), "cluster_blocks", 16)
    of = make(family, vertices)
    assert name(choose_sssp(simulated, of, 1, "all")[0]) == whole
    assert name(choose_sssp(simulated, Graph(of.indptr, of.indices, of.weights / 3), 1, "all")[0]) == floats


@pytest.mark.parametrize(
    ("of", "preparation", "expected"),
    [
        (ROAD, "all", "contraction_hierarchy.sweep"),
        (ROAD, "some", "near_far.queue"),
        (GNUTELLA, "all", "near_far.queue"),
        (NEGATIVE_ROAD, "all", "label_correcting.four_arcs"),
        (FLOAT_ROAD, "all", "partition.borders"),
    ],
)
def test_paths_to_a_few_targets(simulated, of, preparation, expected):
    assert name(choose_sssp(simulated, of, 1, preparation, table=True)[0]) == expected


@pytest.mark.parametrize(
    ("of", "expected"),
    [
        (GNUTELLA, "sparse_all_pairs.narrow"),
        (ROAD, "sparse_all_pairs.narrow"),
        (LARGE_ROAD, "contraction_hierarchy.sweep"),
        (DENSE, "floyd_warshall.narrow"),
        (with_random_weights(DENSE, 1, 1, 10**6), "floyd_warshall.lookahead"),
        (NEGATIVE["negative arc"], "floyd_warshall.lookahead"),
    ],
)
def test_all_pairs(simulated, of, expected):
    assert name(choose_apsp(simulated, of)[0]) == expected


@pytest.fixture
def first_steps(monkeypatch):
    """Lets the first steps end and reach as on a GPU, where a step is a hop of many more vertices at a time."""
    begin_solve = QueuePlan.begin_solve

    def let(ended, reached):
        def begun(plan, source, steps):
            begin_solve(plan, source, steps)
            return ended, reached

        monkeypatch.setattr(QueuePlan, "begin_solve", begun)

    return let


@pytest.fixture
def cpu_is_ready(monkeypatch):
    """Lets the solver of the CPU be loaded."""
    monkeypatch.setattr("warpath.solvers.choice.first_call._loading_us", lambda _: 0.0)


@pytest.mark.parametrize(
    ("family", "vertices", "reached", "expected"),
    [  # shares that first calls on an H100 reached in about as many steps
        ("road", 65_536, 0.45, None),
        ("grid", 65_536, 0.38, None),
        ("long grid", 65_536, 0.07, None),
        ("comb", 16_384, 0.28, None),
        ("comb", 262_144, 0.13, None),
        ("star of chains", 16_384, 0.4, None),
        ("chain", 4_096, 0.06, "dijkstra.heap"),
        ("chain", 65_536, 0.007, "dijkstra.heap"),
        ("lollipop", 4_096, 0.047, "dijkstra.heap"),
        ("lollipop", 65_536, 0.0075, "dijkstra.heap"),
        ("long grid", 262_144, 0.04, "partition.borders"),
        ("comb", 1_048_576, 0.057, "partition.borders"),
        ("chain", 350_000, 0.005, "partition.borders"),
        ("chain", 350_000, 0.0, "partition.borders"),
    ],
)
def test_a_first_call_changes_the_solver_if_paths_are_long(
    simulated, cpu_is_ready, family, vertices, reached, expected
):
    of = make(family, vertices)
    choice = choose_again(simulated, of, steps_at_first(of), reached)
    assert (choice and choice.name) == expected


def test_a_first_call_is_not_watched_if_no_other_solver_can_take_much_less_time(cpu_is_ready):
    for of in (make("chain", 1_024), make("geometric, degree 30", 4_000), DENSE):
        assert steps_at_first(of) is None


def test_a_first_call_runs_on_the_cpu_only_if_its_solver_is_loaded_for_such_weights():
    script = """
import sys
import numpy as np
import warpath

def chain(vertices, dtype=np.int32):
    return warpath.from_arcs(vertices, np.arange(vertices - 1), np.arange(1, vertices), np.ones(vertices - 1, dtype))

for dtype in (np.int32, np.float32):
    for vertices in (200, 5_000):
        print(warpath.sssp(chain(vertices, dtype), 0, device="simulated", certify=False).variant)
    print("warpath.solvers.cpu.heap" in sys.modules)
    warpath.sssp(chain(100, dtype), 0, device="cpu", certify=False)
    print(warpath.sssp(chain(200, dtype), 0, device="simulated", certify=False).variant)
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    expected = ["near_far.queue", "near_far.queue", "False", "dijkstra.heap"]
    expected += ["near_far.queue", "near_far.queue", "True", "dijkstra.heap"]
    assert ran.stdout.split() == expected, ran.stderr


@pytest.mark.parametrize(
    ("of", "reached", "expected"),
    [
        (ROAD, 0.5, "near_far.queue"),
        (CHAIN, 0.01, "dijkstra.heap"),
        (LADDER, 0.01, "dijkstra.heap"),
        (FLOAT_LADDER, 0.01, "dijkstra.heap"),
    ],
)
def test_a_first_call_on_a_graph_of_long_paths_changes_the_solver(
    simulated, first_steps, cpu_is_ready, of, reached, expected
):
    first_steps(False, reached)
    paths = Solver(copy_of(of), simulated, prepared=False).sssp(1)
    assert paths.variant == expected and paths.certificate is not None


@pytest.mark.parametrize("of", [RING, FLOAT_LADDER])
def test_a_first_call_prepares_if_that_takes_less_time_than_the_cpu(simulated, first_steps, monkeypatch, of):
    first_steps(False, 0.01)
    monkeypatch.setattr("warpath.solvers.choice.first_call._GAIN_MIN", 1)
    paths = Solver(copy_of(of), simulated, prepared=False).sssp(1)
    assert paths.variant == "partition.borders" and paths.certificate is not None


def test_a_second_call_knows_that_paths_are_not_long(simulated, first_steps, monkeypatch):
    first_steps(False, 0.5)
    monkeypatch.setattr("warpath.solvers.choice.first_call._GAIN_MIN", 1)
    solver = Solver(copy_of(ROAD), simulated, prepared=False)
    solver.sssp(1)
    with monkeypatch.context() as without_search:
        without_search.setattr("warpath.solvers.choice.depth.searched", None)
        assert solver.sssp(1).variant == "near_far.queue"
    assert solver.sssp(range(64)).variant == "partition.borders"


def directed_chain(vertices):
    return from_arcs(vertices, range(vertices - 1), range(1, vertices), [1] * (vertices - 1))


def test_a_call_that_reaches_few_vertices_does_not_show_that_paths_are_short(simulated, first_steps):
    first_steps(True, 0.001)
    solver = Solver(directed_chain(20_000), simulated, prepared=False)
    assert [solver.sssp(source).variant for source in (19_980, 10)] == ["near_far.queue", "partition.borders"]


def test_a_graph_that_was_prepared_in_the_first_call_stays_so(simulated, monkeypatch):
    monkeypatch.setattr("warpath.solvers.choice.auto._SORTED_AT_ONCE_ARCS_MIN", 1000)
    monkeypatch.setattr("warpath.solvers.choice.auto._sorts_at_once", lambda request: True)
    solver = Solver(directed_chain(20_000), simulated, prepared=False)
    assert [solver.sssp(10).variant for _ in range(2)] == ["partition.borders"] * 2


def test_a_plan_that_is_not_used_is_dropped(simulated, first_steps, cpu_is_ready):
    first_steps(False, 0.001)
    plans = lambda: sum(isinstance(each, QueuePlan) for each in gc.get_objects())  # noqa: E731
    gc.collect()
    before = plans()
    solver = Solver(directed_chain(20_000), simulated, prepared=False)
    assert solver.sssp(10).variant == "dijkstra.heap"
    gc.collect()
    assert plans() == before


def test_the_time_of_a_first_call_has_that_of_its_first_steps(simulated, monkeypatch):
    begin_solve = QueuePlan.begin_solve

    def slow(plan, source, steps):
        outcome = begin_solve(plan, source, steps)
        plan.begun_s += 1000
        return outcome

    monkeypatch.setattr(QueuePlan, "begin_solve", slow)
    monkeypatch.setattr("warpath.solvers.choice.first_call._GAIN_MIN", 0)
    solver = Solver(copy_of(ROAD), simulated, prepared=False)
    first, second = (solver.sssp(1, certify=False).solve_s for _ in range(2))
    assert 1000 < first < 2000 and second < 1000


@pytest.mark.parametrize("memory", ["enough", "short"])
def test_a_first_call_that_stopped_goes_on_if_preparation_fails(simulated, first_steps, monkeypatch, memory):
    def no_partition(*_, **__):
        raise OutOfMemoryError("no memory") if memory == "short" else UsageError("no partition")

    first_steps(False, 0.01)
    monkeypatch.setattr("warpath.solvers.choice.first_call._GAIN_MIN", 1)
    monkeypatch.setattr("warpath.solvers.one_source.borders.borders.BordersPlan.__init__", no_partition)
    paths = Solver(copy_of(LADDER), simulated, prepared=False).sssp(1)
    assert paths.variant == "near_far.queue" and paths.certificate is not None


def test_a_first_call_sorts_the_arcs_of_a_large_graph_with_a_heavy_vertex(simulated):
    for arcs, expected in ((30_000_000, "near_far.queue"), (101_000_000, "near_far.whole_grid")):
        ends = np.array([0] + [arcs] * 100, np.int32)
        heavy = Graph(ends, np.zeros(arcs, np.int32), np.zeros(arcs, np.int32))
        assert name(choose_sssp(simulated, heavy, 1, "none")[0]) == expected


@pytest.mark.parametrize("prepared", [True, False])
@pytest.mark.parametrize(
    ("of", "sources"), [(ROAD, 0), (LADDER, 0), (GNUTELLA, 0), (POWER_LAW, 0), (POWER_LAW, list(range(16)))]
)
def test_a_choice_and_its_plan_share_a_copy_of_the_graph(simulated, monkeypatch, of, sources, prepared):
    uploaded, upload = [], simulated.upload
    monkeypatch.setattr(simulated, "upload", lambda array: uploaded.append(id(array)) or upload(array))
    of = Graph(of.indptr.copy(), of.indices.copy(), of.weights.copy())
    Solver(of, simulated, prepared).sssp(sources, predecessors=False, certify=False, output="device")
    assert [uploaded.count(id(array)) for array in (of.indptr, of.indices)] == [1, 1]


def test_a_first_call_from_one_source_makes_nothing_for_later_ones(simulated):
    def variants(solver, *calls):
        return [solver.sssp(sources).variant for sources in calls]

    def fresh(prepared):
        return Solver(Graph(POWER_LAW.indptr.copy(), POWER_LAW.indices.copy(), POWER_LAW.weights), simulated, prepared)

    assert variants(fresh(False), 0, 1, 0) == ["near_far.queue", "near_far.whole_grid", "near_far.whole_grid"]
    assert variants(fresh(False), [0, 1]) == ["near_far.whole_grid"]
    assert variants(fresh(True), 0, 1) == ["near_far.whole_grid"] * 2
    updated = fresh(False)
    updated.sssp(0)
    updated.update(POWER_LAW.weights)
    assert variants(updated, 0) == ["near_far.whole_grid"]


@pytest.mark.parametrize("of", [*TINY.values(), *NEGATIVE.values()])
def test_every_tiny_graph_is_solved_by_what_is_chosen(simulated, of):
    paths = warpath.sssp(of, 0, device=simulated)
    assert paths.certificate is not None and paths.reason
    several = warpath.sssp(of, [0] * 4, device=simulated)
    np.testing.assert_array_equal(several.distances[3], paths.distances)
    np.testing.assert_array_equal(warpath.apsp(of, device=simulated).distances[0], paths.distances)


@pytest.mark.parametrize("preparation", ["none", "some", "all"])
@pytest.mark.parametrize(
    "of", [*TINY.values(), ROAD, LARGE_ROAD, GNUTELLA, POWER_LAW, RANDOM, TREE, DENSE, NEGATIVE_ROAD]
)
def test_candidates_for_one_source_are_all_that_may_be_chosen(simulated, of, preparation):
    chosen = {name(each) for each in choose_sssp(simulated, of, 1, preparation)}
    assert chosen <= {".".join(each) for each in candidates("sssp", "cuda", one_source=True)}
    assert not any(find(*each).many_sources for each in candidates("sssp", "cuda", one_source=True))


def test_facts_of_a_shape():
    of = graph(5, (0, 1, 3), (0, 2, -4), (0, 2, 9), (2, 3, 1))
    found = shape_of(of)
    assert (found.vertices, found.arcs, found.density) == (5, 4, 0.2)
    assert (found.weight_min, found.weight_max, found.negative) == (-4, 9, True)


@pytest.mark.parametrize("of", [TINY["no arcs"], TINY["one vertex"]])
def test_a_graph_without_arcs_has_a_shape(of):
    found = shape_of(of)
    assert (found.arcs, found.density) == (0, 0)
    assert not (found.skewed or found.negative)


@pytest.mark.parametrize("weights", ["constant", "1 to 1,000,000"])
@pytest.mark.parametrize(
    ("family", "deep", "skewed"),
    [
        ("road", True, False),
        ("grid", True, False),
        ("grid 3D", True, False),
        ("geometric", True, False),
        ("chain", True, False),
        ("comb", True, False),
        ("tree", False, False),
        ("random, degree 4", False, False),
        ("random, degree 16", False, False),
        ("R-MAT", False, True),
        ("power law", False, True),
        ("dense", False, False),
    ],
)
@pytest.mark.parametrize("vertices", [4_000, 60_000])
def test_shapes_of_families(simulated, family, vertices, weights, deep, skewed):
    if family == "dense":
        vertices //= 60
    for seed in (1, 2, 3):
        of = make(family, vertices, weights, seed)
        assert (depth_of(of, simulated).is_deep, shape_of(of).skewed) == (deep, skewed)


def test_a_fact_is_found_once_and_forgotten_with_its_graph():
    calls = []
    fact_of = shape.cached_by_graph(lambda of: calls.append(of.arcs) or Fact())
    of = Graph(DENSE.indptr.copy(), DENSE.indices.copy(), DENSE.weights.copy())
    assert fact_of(of) is fact_of(of) and len(calls) == 1
    gone = weakref.ref(fact_of(of))
    del of
    gc.collect()
    assert gone() is None
