"""Solvers beyond one solve: rows of their callers, answers a few sources at a time, and parameters."""

import dataclasses

import numpy as np
import pytest
from every_device import each
from examples import fewer
from hypothesis import given, strategies
from late_device import LateDevice, Lot
from tiny_graphs import TINY, grid_of, named, random_graphs

import warpath
from warpath import sssp
from warpath.__main__ import main
from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.device.copies import allocate_together
from warpath.device.resident import resident
from warpath.device.simulated.device import SimulatedDevice
from warpath.distances import UNREACHABLE
from warpath.errors import CertificateError, UsageError
from warpath.graphs.csr import Graph
from warpath.library.solver import Solver
from warpath.solvers import find, variants
from warpath.solvers.many_sources.sweep import sweep
from warpath.solvers.one_source.borders.borders import Borders
from warpath.solvers.one_source.cluster import Cluster
from warpath.solvers.one_source.near_far.queue import Queue
from warpath.solvers.one_source.near_far.whole_grid import WholeGrid
from warpath.solvers.solver import Rows
from warpath.solvers.variant import parse
from warpath_study.measure.plans import plan_of

GRAPH = grid_of(97, 1)


def test_arrays_of_one_allocation_lie_apart_and_aligned():
    arrays = allocate_together(SimulatedDevice(), 1, 64, 65, 7)
    assert [(array.shape, array.dtype.name) for array in arrays] == [((n,), "int32") for n in (1, 64, 65, 7)]
    assert [array.ctypes.data - arrays[0].ctypes.data for array in arrays] == [0, 256, 512, 1024]


@pytest.mark.parametrize("made", [Cluster, WholeGrid, Queue, Borders])
def test_rows_are_the_callers_and_no_later_solve_overwrites_them(made):
    for weights in (np.int32, np.float32):
        device, of = SimulatedDevice(), Graph(GRAPH.indptr, GRAPH.indices, GRAPH.weights.astype(weights))
        solver, answers = made(resident(device, of)), {}
        for source in (3, 96, 3, 0):
            rows = Rows(np.full((1, of.vertices), -7, weights), np.full((1, of.vertices), -7, np.int32))
            solver.solve(np.array([source], np.int32), rows)
            device.synchronize()
            solver.check()
            answers[source] = rows
        for source, rows in answers.items():
            np.testing.assert_array_equal(rows.distances[0], np.abs(np.arange(GRAPH.vertices) - source))
            certify(of, source, rows.distances[0], rows.predecessors[0])


class LateCopies(SimulatedDevice):
    """Copies in a stream begin when somebody waits for the device."""

    def __init__(self):
        super().__init__()
        self.late = []

    def copy(self, source, target, stream=None):
        if stream is None:
            super().copy(source, target)
        else:
            self.late.append((source, target))

    def synchronize(self, copies=True):
        super().synchronize(copies)
        while copies and self.late:
            super().copy(*self.late.pop())


@pytest.mark.parametrize("certify", [True, False])
@pytest.mark.parametrize("cutoff", [None, 50])
def test_an_answer_in_host_memory_is_complete_and_lasts(certify, cutoff):
    solver = Solver(GRAPH, LateCopies())
    answers = {source: solver.sssp(source, certify=certify, cutoff=cutoff) for source in (3, 96)}
    for source, answer in answers.items():
        distances = np.abs(np.arange(GRAPH.vertices) - source)
        near = distances <= (cutoff or GRAPH.vertices)
        np.testing.assert_array_equal(answer.distances, np.where(near, distances, UNREACHABLE))
        np.testing.assert_array_equal(answer.predecessors >= 0, near & (distances > 0))


# A few sources at a time


STREAMED = TINY["zero weights in a circle"]
BY_ROWS = [variant for variant in variants() if variant.problem == "sssp" or variant.many_sources]


@each(BY_ROWS)
def test_chunks_are_the_rows_of_the_whole_answer(variant):
    solver = warpath.prepare(STREAMED, "simulated")
    asked = {"algorithm": variant.algorithm, "variant": variant.name}
    sources = [3, 0, 3, 1, 2]
    whole = solver.sssp(sources, **asked)
    for output in ("host", "device"):
        pieces = list(solver.stream(sources, chunk=2, predecessors=True, output=output, **asked))
        assert {len(piece[0]) for piece in pieces} <= {1, 2}
        for part, expected in enumerate((sources, whole.distances, whole.predecessors)):
            np.testing.assert_array_equal(np.concatenate([piece[part] for piece in pieces]), expected)


@fewer
@given(graph=random_graphs(vertices_max=30), chunk=strategies.integers(1, 40))
def test_without_sources_every_vertex_has_its_turn(graph, chunk):
    solver = warpath.prepare(graph, "simulated")
    rows = [row for _, distances in solver.stream(chunk=chunk) for row in distances]
    expected = solver.apsp(predecessors=False)
    np.testing.assert_array_equal(np.array(rows).reshape(expected.distances.shape), expected.distances)


@pytest.mark.parametrize("algorithm", ["near_far", "sparse_all_pairs", "contraction_hierarchy"])
def test_a_late_copy_is_not_overtaken_by_later_sources(algorithm):
    numbers = np.random.default_rng(1)
    for seed in range(8):
        vertices = int(numbers.integers(20, 70))
        tails, heads = numbers.integers(0, vertices, (2, 4 * vertices))
        graph = warpath.from_arcs(vertices, tails, heads, numbers.integers(1, 50, 4 * vertices))
        sources = numbers.integers(0, vertices, 13)
        solver = warpath.prepare(graph, LateDevice(Lot(seed)))
        rows = np.concatenate([rows for _, rows in solver.stream(sources, chunk=2, algorithm=algorithm)])
        np.testing.assert_array_equal(rows, warpath.sssp(graph, sources, device="cpu").distances)


def test_targets_and_a_cutoff_hold_for_each_chunk_and_a_caller_may_stop_early():
    solver = warpath.prepare(STREAMED, "simulated")
    whole = solver.table([0, 1, 2], [2, 0], cutoff=1)
    rows = [row for _, distances in solver.stream([0, 1, 2], targets=[2, 0], cutoff=1, chunk=2) for row in distances]
    np.testing.assert_array_equal(rows, whole.distances)
    assert list(solver.stream([])) == []
    for _, _ in solver.stream(chunk=1):
        break
    assert solver.sssp(0).distances[0] == 0
    for chunk in (0, -1, 1.5, True, "2"):
        with named(f"chunk={chunk!r}"), pytest.raises(UsageError, match="sources"):
            solver.stream(chunk=chunk)


def test_a_wrong_chunk_is_not_given_out(monkeypatch):
    honest = Queue.solve_one

    def falsified(solver, source, distances, predecessors):
        honest(solver, source, distances, predecessors)
        distances[0, 2] += source == 2

    monkeypatch.setattr(Queue, "solve_one", falsified)
    stream = warpath.prepare(STREAMED, "simulated").stream([0, 1, 2, 3], chunk=1, algorithm="near_far", variant="queue")
    assert next(stream)[0].tolist() == [0]
    with pytest.raises(CertificateError, match="source 2"):
        list(stream)


def test_what_a_graph_turns_out_not_to_suit_is_replaced(monkeypatch):
    def refuse(*_):
        tried.append(1)
        raise UsageError("too many separators")

    tried: list[int] = []
    monkeypatch.setattr(sweep.Elimination, "of", refuse)
    solver = warpath.prepare(warpath.from_arcs(400, range(399), range(1, 400), [1] * 399), "simulated")
    for _ in range(2):
        assert solver.sssp(range(20), predecessors=False).distances[3, 399] == 396
        assert len(tried) == 1
    with pytest.raises(UsageError, match="separators"):
        solver.sssp(range(20), algorithm="contraction_hierarchy")


# Parameters


def test_text_becomes_values_or_is_refused():
    assert parse("k=3") == {"k": 3}
    assert parse("k=3,vertices_per_thread=2") == {"k": 3, "vertices_per_thread": 2}
    for text in ("", "k", "k=", "k=two", "k=2.5", "=3", "k=1,k=2", "k=1,", "2=3"):
        with named(repr(text)), pytest.raises(UsageError):
            parse(text)


@pytest.mark.parametrize(
    ("variant", "given", "words"),
    [
        ("locality", {"k": 0}, ["from 1 to 16", "not 0"]),
        ("locality", {"vertices_per_thread": 33}, ["from 1 to 32", "not 33"]),
        ("locality", {"unread_launches": -1}, ["unread_launches"]),
        ("locality", {"steps": 2}, ["'steps'", "k, vertices_per_thread, unread_launches"]),
        ("harish", {"k": 2}, ["'k'"]),
    ],
)
def test_what_makes_no_sense_is_refused(variant, given, words):
    with pytest.raises(UsageError) as refused:
        find("label_correcting", variant).configured(given)
    assert all(word in str(refused.value) for word in words)


def test_what_is_not_given_has_its_default_and_the_plan_is_made_with_it():
    locality, given = find("label_correcting", "locality"), {"k": 2, "unread_launches": 5}
    configured = locality.configured(given)
    given["k"] = 3
    assert configured.variant is locality and configured.given == {"k": 2, "unread_launches": 5}
    assert configured.settings == {**locality.configured().settings, **configured.given}
    assert find("bellman_ford", "naive").configured().settings == {}
    with pytest.raises(dataclasses.FrozenInstanceError):
        configured.given = {}
    assert plan_of(configured, open_device("simulated"), TINY["path of 33"], 0).unread_launches == 5


def test_the_library_and_the_command_take_them(tmp_path, capsys):
    path = TINY["path of 33"]
    common = {"algorithm": "label_correcting", "variant": "locality", "device": "simulated"}
    assert sssp(path, 0, parameters={"k": 3}, **common).distances.tolist() == [2 * vertex for vertex in range(33)]
    with pytest.raises(UsageError, match="not 0"):
        sssp(path, 0, parameters={"k": 0}, **common)
    path.save(tmp_path / "path.npz")
    arguments = ["solve", str(tmp_path / "path.npz"), "--algorithm", "label_correcting", "--device", "simulated"]
    assert main([*arguments, "--parameters", "k=2"]) == 0
    assert main([*arguments, "--parameters", "k=0"]) == 2
    assert "not 0" in capsys.readouterr().err
