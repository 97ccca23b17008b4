"""Distances up to 2**31 - 2 are answers, one of 2**31 - 1 is refused, whatever solves and whether it is certified."""

from itertools import product

import numpy as np
import pytest
from every_device import EVERY_DEVICE, ON_A_GPU, drawn, each, opened
from hypothesis import given, strategies
from tiny_graphs import graph, named

import warpath
from warpath.certificates.certificate import certify_each
from warpath.distances import UNREACHABLE
from warpath.errors import CertificateError, GraphError
from warpath.graphs.csr import Graph, from_arcs
from warpath.library.solver import Solver
from warpath.solvers import variants
from warpath.solvers.checks.preconditions import Overflow

SOLVERS = [variant for variant in variants() if variant.problem in ("sssp", "apsp")]
FARTHEST = 2**31 - 2
HALF = 2**30


def bellman_ford(graph: Graph, source: int) -> list[int | None]:
    """Distances of any size, None for no path: the reference."""
    distances: list[int | None] = [None] * graph.vertices
    distances[source] = 0
    arcs = list(zip(graph.tails().tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True))
    for _ in range(graph.vertices):
        for tail, head, weight in arcs:
            at_tail, at_head = distances[tail], distances[head]
            if at_tail is not None and (at_head is None or at_tail + weight < at_head):
                distances[head] = at_tail + weight
    return distances


def random_rows_near_the_limit(numbers: np.random.Generator) -> tuple[Graph, list[list[int | None]]]:
    """A small graph with heavy weights, and its distances of any size."""
    vertices, count = int(numbers.integers(1, 40)), int(numbers.integers(0, 120))
    heaviest = int(numbers.choice([2**31 - 2, 2**30, 2**29, 2**28]))
    weights = np.where(numbers.random(count) < 0.2, 0, numbers.integers(0, heaviest + 1, count))
    given = from_arcs(vertices, *numbers.integers(0, vertices, (2, count)), weights)
    return given, [bellman_ford(given, source) for source in range(vertices)]


# What is said is of the paths from vertex 0.
FITTING = {
    "just fits": graph(3, (0, 1, HALF), (1, 2, FARTHEST - HALF)),
    "one arc": graph(2, (0, 1, FARTHEST)),
    "zero weights beyond": graph(4, (0, 1, FARTHEST), (1, 2, 0), (2, 3, 0), (3, 2, 0)),
    "an arc too far, and a nearer way": graph(4, (0, 1, FARTHEST), (1, 2, 9), (0, 3, 1), (3, 2, HALF)),
    "a way too far, and a nearer one": graph(5, (0, 1, HALF), (1, 2, HALF - 2), (2, 3, HALF), (0, 4, HALF), (4, 3, 5)),
    "unreachable, with heavy arcs": graph(5, (0, 1, FARTHEST), (2, 3, FARTHEST), (3, 4, FARTHEST), (4, 1, 0)),
    "a loop and an arc back": graph(3, (0, 1, FARTHEST), (1, 1, FARTHEST), (1, 0, FARTHEST), (2, 1, 5)),
    "all heavy, one arc from anywhere": graph(6, *((u, v, FARTHEST - u) for u in range(6) for v in range(6) if u != v)),
}
LOSING = {
    "one too far, from the nearest vertex that can lose": graph(3, (0, 1, HALF - 1), (1, 2, HALF)),
    "just too far": graph(3, (0, 1, HALF), (1, 2, FARTHEST - HALF + 1)),
    "zero weights before": graph(4, (0, 1, HALF), (1, 2, 0), (2, 3, HALF)),
    "far too far": graph(3, (0, 1, FARTHEST), (1, 2, FARTHEST)),
    "one of many": from_arcs(70, np.arange(69), np.arange(1, 70), np.full(69, FARTHEST // 68)),
    "all its ways too far": graph(4, (0, 1, FARTHEST), (1, 3, 1), (0, 2, HALF), (2, 3, HALF)),
}


def asked(variant):
    return {"algorithm": variant.algorithm, "variant": variant.name}


def solved(solver, variant, certify):
    """All rows of a graph, by a call of the kind that the variant is for."""
    if variant.problem == "apsp":
        return solver.apsp(**asked(variant), certify=certify).distances
    return solver.sssp(range(solver.graph.vertices), **asked(variant), certify=certify).distances


@each(SOLVERS)
@pytest.mark.parametrize("name", ["forward", ON_A_GPU])
def test_every_solver_stores_what_fits_and_tells_what_does_not(name, variant):
    device = opened(name)
    if variant.name == "cluster" and device.cluster_blocks == 1:
        pytest.skip("there are no clusters")
    for number, (what, fitting) in enumerate(FITTING.items()):
        expected = [bellman_ford(fitting, source) for source in range(fitting.vertices)]
        if all(distance is None or distance <= FARTHEST for row in expected for distance in row):
            with named(what):
                found = solved(Solver(fitting, device), variant, certify=number % 2 == 0).tolist()
                assert found == [[UNREACHABLE if d is None else d for d in row] for row in expected]
    for what, losing in LOSING.items():
        for certify in (True, False):
            with named(what), pytest.raises(GraphError, match="32 bits"):
                solved(Solver(losing, device), variant, certify)


def test_what_fits_is_not_refused():
    for name, fitting in FITTING.items():
        solver = warpath.prepare(fitting, "simulated")
        expected = [UNREACHABLE if d is None else d for d in bellman_ford(fitting, 0)]
        with named(name):
            for options in ({"certify": True}, {"certify": False, "predecessors": False, "output": "device"}):
                assert solver.sssp(0, **options).distances.tolist() == expected
                assert solver.sssp([0, 0], **options).distances.tolist() == [expected] * 2
                rows = [row.tolist() for _, rows in solver.stream([0], certify=options["certify"]) for row in rows]
                assert rows == [expected]
            assert solver.statistics([0]).eccentricities[0] == max(d for d in expected if d != UNREACHABLE)


def calls(solver, last, options):
    """Calls whose answer has a row from vertex 0."""
    return [
        lambda: solver.sssp(0, **options),
        lambda: solver.table([0], [last], certify=options["certify"]),
        lambda: solver.table([0], nearest=1, certify=options["certify"]),
        lambda: solver.pairs([last, 0], [last, last], certify=options["certify"]),
        lambda: solver.sssp([last, 0, last], **options),
        lambda: solver.apsp(**options),
        lambda: list(solver.stream([last, 0, last], chunk=1, **options)),
    ]


@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_a_lost_vertex_is_told_by_every_call(device):
    for name, losing in LOSING.items():
        solver, last = warpath.prepare(losing, device), losing.vertices - 1
        for output, certify in product(("host", "device"), (True, False)):
            options = {"certify": certify, "output": output}
            with named(f"{name}, {options}"):
                for ask in calls(solver, last, options):
                    with pytest.raises(GraphError, match=f"vertex {last} "):
                        ask()
                assert solver.sssp(last, **options).distances.tolist() == [UNREACHABLE] * last + [0]
        with pytest.raises(GraphError, match=f"vertex {last} "):
            solver.statistics()


@pytest.mark.parametrize("device", ["cpu", "simulated"])
def test_within_a_cutoff_what_is_lost_beyond_does_not_matter(device):
    for name, losing in drawn(LOSING).items():
        with named(name):
            assert_right_within_cutoffs(losing, device)


def assert_right_within_cutoffs(losing, device):
    solver, last = warpath.prepare(losing, device), losing.vertices - 1
    rows = [bellman_ford(losing, source) for source in range(losing.vertices)]
    for number, cutoff in enumerate((HALF - 1, 0, FARTHEST - 0.5, HALF, FARTHEST)):
        certify = number % 2 == 0
        expected = [[d if d is not None and d <= cutoff else UNREACHABLE for d in row] for row in rows]
        for output in ("host", "device"):
            options = {"certify": certify, "cutoff": cutoff, "output": output}
            whole = solver.apsp(**options)
            paths, few = solver.sssp(0, **options), solver.sssp([last, 0], **options)
            table, pairs = solver.table([0], [last, 0], **options), solver.pairs([last, 0], [last, last], **options)
            chunks = [row.tolist() for _, found in solver.stream([last, 0], chunk=1, **options) for row in found]
            assert whole.distances.tolist() == expected and paths.distances.tolist() == expected[0]
            assert few.distances.tolist() == chunks == [expected[last], expected[0]]
            assert table.distances.tolist() == [[expected[0][last], 0]]
            assert pairs.distances.tolist() == [0, expected[0][last]]
            for answer in (whole, paths, few, table, pairs):
                assert (answer.certificate is not None) == certify
            for vertex, distance in enumerate(expected[0]):
                assert (paths.path_to(vertex) == []) == (distance == UNREACHABLE)
        near = solver.table([0], nearest=last, certify=certify, cutoff=cutoff)
        assert sorted(near.distances[0].tolist()) == sorted(expected[0][1:])
        walked = solver.pairs([0], [last], paths=True, certify=certify, cutoff=cutoff)
        assert (walked.path(0) == []) == (expected[0][last] == UNREACHABLE)
    for cutoff in (FARTHEST + 1, 2**40):
        with pytest.raises(GraphError):
            solver.sssp(0, cutoff=cutoff)


@given(seed=strategies.integers(0, 2**32 - 1))
def test_a_certificate_within_32_bits_finds_every_wrong_distance(seed):
    numbers = np.random.default_rng(seed)
    given, exact = random_rows_near_the_limit(numbers)
    rows = np.array([[UNREACHABLE if d is None or d > FARTHEST else d for d in row] for row in exact], np.int32)
    every = range(given.vertices)
    assert certify_each(given, every, rows, None, far_is_unreachable=True).reached == np.sum(rows != UNREACHABLE)
    row, vertex = numbers.integers(0, given.vertices, 2)
    for wrong in {0, 1, HALF, FARTHEST, int(UNREACHABLE), int(rows[row, vertex]) - 1} - {int(rows[row, vertex])}:
        forged = rows.copy()
        forged[row, vertex] = wrong
        with pytest.raises(CertificateError):
            certify_each(given, every, forged, None, far_is_unreachable=True)


@pytest.mark.parametrize("name", EVERY_DEVICE)
def test_rows_are_looked_at_each(name):
    device = opened(name)
    # Vertex 0 has more arcs than a warp has lanes; the last of them leads to the lost vertex.
    vertices = 600
    arcs = [(0, head, 1 + head % 3) for head in range(1, vertices)] + [(1, 0, HALF), (2, 3, HALF)]
    given = graph(vertices, *arcs)
    overflow = Overflow(device, given)
    rows = np.zeros((70, vertices), np.int32)
    rows[:, 0] = FARTHEST
    for answer in (rows, rows[0], device.upload(rows), device.upload(rows[0])):
        overflow.check(answer)
    rows[69, vertices - 1] = UNREACHABLE
    for answer in (rows, rows[69], device.upload(rows), device.upload(rows[69])):
        with pytest.raises(GraphError, match=f"vertex {vertices - 1} "):
            overflow.check(answer)
    overflow.check(device.upload(rows[:69]))
    rows[:, 0] = FARTHEST - 3  # the sum fits, so the vertex is not lost: it is another fault, if any
    overflow.check(rows)


@pytest.mark.parametrize("name", EVERY_DEVICE)
@given(seed=strategies.integers(0, 2**32 - 1))
def test_random_answers_near_the_limit(name, seed):
    given, exact = random_rows_near_the_limit(np.random.default_rng(seed))
    rows = np.array([[UNREACHABLE if d is None or d > FARTHEST else d for d in row] for row in exact], np.int32)
    overflow = Overflow(opened(name), given)
    for row, distances in zip(exact, rows, strict=True):
        lost = [str(vertex) for vertex, d in enumerate(row) if d is not None and d > FARTHEST]
        if not lost:
            overflow.check(distances)
        else:
            with pytest.raises(GraphError) as error:
                overflow.check(distances)
            assert str(error.value).split("vertex ")[1].split()[0] in lost
    if any(d is not None and d > FARTHEST for row in exact for d in row):
        with pytest.raises(GraphError):
            overflow.check(rows)
    else:
        overflow.check(rows)


@each([variant for variant in SOLVERS if variant.negative_arcs])
@pytest.mark.parametrize("certify", [True, False])
def test_with_negative_arcs_an_answer_is_right_or_refused(variant, certify):
    """Vertex 1 to 2 and back: what all pairs add up along it is twice as long as any path."""
    for heavy in (2**29 - 9, 2**29, HALF - 10, HALF):
        given = graph(4, (0, 1, heavy), (1, 2, heavy - 10), (2, 1, heavy), (0, 3, -1))
        expected = [[UNREACHABLE if d is None else d for d in bellman_ford(given, source)] for source in range(4)]
        try:
            found = solved(warpath.prepare(given, "simulated"), variant, certify)
        except GraphError:
            assert variant.problem == "apsp" and heavy > 2**28
        else:
            assert found.tolist() == expected


def test_light_graphs_take_no_launch(monkeypatch):
    device = opened("simulated")
    monkeypatch.setattr(device, "kernel", lambda *_: pytest.fail("a kernel"))
    Overflow(device, graph(3, (0, 1, HALF - 1), (1, 2, HALF - 1))).check(np.array([0, HALF - 1, FARTHEST], np.int32))


def test_a_target_without_a_distance_is_unreachable_or_lost():
    """Where only a few targets are asked for, none of which may be near the limit."""
    light, options = [(v, v + 1, 1) for v in range(2, 40)], {"certify": False}
    lossy, fitting = (
        warpath.prepare(graph(42, (0, 1, FARTHEST), (1, 2, beyond), *light), "simulated") for beyond in (9, 0)
    )
    with pytest.raises(GraphError, match="32 bits"):
        lossy.table([2, 0], [40], **options)
    with pytest.raises(GraphError, match="32 bits"):
        lossy.pairs([2, 0], [40, 5], **options)
    for solver in (lossy, fitting):
        assert solver.pairs([2, 0], [5, 1], **options).distances.tolist() == [3, FARTHEST]
        assert solver.table([2, 5], [5, 41], **options).distances.tolist() == [[3, UNREACHABLE], [0, UNREACHABLE]]
        assert solver.table([0, 0], [1], **options).distances.tolist() == [[FARTHEST]] * 2
