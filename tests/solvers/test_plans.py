"""Plans beyond one solve: their parameters, their arrays, and answers a few sources at a time."""

import dataclasses
import gc
import weakref

import numpy as np
import pytest
from examples import fewer
from hypothesis import given, strategies
from reordering_device import LateStreams, Lot
from tiny_graphs import TINY, grid_of, random_graphs

import warpath
from warpath import sssp
from warpath.__main__ import main
from warpath.device import open_device
from warpath.device.copies import allocate_together
from warpath.device.simulated.device import SimulatedDevice
from warpath.distances import UNREACHABLE
from warpath.errors import CertificateError, UsageError
from warpath.graphs.csr import Graph
from warpath.library.solver import Solver
from warpath.solvers import find, variants
from warpath.solvers.one_source.borders.borders import BordersPlan
from warpath.solvers.one_source.cluster import ClusterPlan
from warpath.solvers.one_source.near_far.queue import QueuePlan
from warpath.solvers.one_source.near_far.whole_grid import WholeGridPlan
from warpath.solvers.variant import parse

both = pytest.mark.parametrize("plan_of", [ClusterPlan, WholeGridPlan, BordersPlan])
GRAPH = grid_of(97, 1)


class CountingDevice(SimulatedDevice):
    """Notes the arrays that it makes, and the bytes of each copy to the host."""

    def __init__(self):
        super().__init__()
        self.forget()

    def forget(self):
        self.made, self.copied = [], []

    def empty(self, shape, dtype):
        array = super().empty(shape, dtype)
        self.made.append(weakref.ref(array))
        return array

    def download(self, array, out):
        self.copied.append(array.nbytes)
        super().download(array, out)


def test_arrays_of_one_allocation_lie_apart_and_aligned():
    device = CountingDevice()
    arrays = allocate_together(device, 1, 64, 65, 7)
    assert len(device.made) == 1
    assert [(array.shape, array.dtype.name) for array in arrays] == [((n,), "int32") for n in (1, 64, 65, 7)]
    places = [array.ctypes.data - arrays[0].ctypes.data for array in arrays]
    assert places == [0, 256, 512, 1024]


@both
@pytest.mark.parametrize("rows", [1, 2])
def test_a_plan_allocates_once_for_all_its_solves_and_an_answer_is_one_copy(plan_of, rows):
    device = CountingDevice()
    plan = plan_of(device, GRAPH, 0, predecessors=rows == 2)
    arrays = 2 if plan_of is WholeGridPlan else 1  # those of the answer, and all others
    plan.reset()
    device.forget()
    for source in (0, 5):
        plan.source = source
        plan.upload()
        assert len(device.made) == arrays
        plan.run()
        device.copied.clear()
        solution = plan.download()
        assert device.copied == [rows * 4 * GRAPH.vertices]
        assert (solution.predecessors is None) == (rows == 1)
        np.testing.assert_array_equal(solution.distances, np.abs(np.arange(GRAPH.vertices) - source))
        plan.release()
    plan.start(7)
    assert len(device.made) == arrays
    del plan
    gc.collect()
    assert [array() for array in device.made] == [None] * arrays  # the plan alone kept them


@pytest.mark.parametrize("weights", [np.int32, np.float32])
@pytest.mark.parametrize("plan_of", [ClusterPlan, WholeGridPlan, QueuePlan, BordersPlan])
def test_an_answer_that_is_given_away_is_not_overwritten(plan_of, weights):
    device = CountingDevice()
    plan = plan_of(device, Graph(GRAPH.indptr, GRAPH.indices, GRAPH.weights.astype(weights)), 0)
    answers = []
    for source in (3, 96, 3):
        device.forget()
        plan.start(source)
        assert len(answers) < 2 or not device.made  # the solve before allocated it while kernels ran
        plan.run()
        answers.append(plan.on_device())
        assert plan.give_away()
    for source, answer in zip((3, 96, 3), answers, strict=True):
        np.testing.assert_array_equal(answer.distances, np.abs(np.arange(GRAPH.vertices) - source))
        assert answer.predecessors[source] == -1 and (answer.predecessors >= 0).sum() == GRAPH.vertices - 1


@both
def test_the_answer_lasts_after_the_release(plan_of):
    solution = plan_of(SimulatedDevice(), GRAPH, 0).solve()
    np.testing.assert_array_equal(solution.distances, np.arange(GRAPH.vertices))
    np.testing.assert_array_equal(solution.predecessors, np.arange(GRAPH.vertices) - 1)


class LateDevice(SimulatedDevice):
    """Copies in a stream begin when somebody waits for the device."""

    def __init__(self):
        super().__init__()
        self.late = []

    def copy(self, source, target, stream=None):
        if stream is None:
            super().copy(source, target)
        else:
            self.late.append((source, target))

    def synchronize(self):
        super().synchronize()
        while self.late:
            super().copy(*self.late.pop())


@pytest.mark.parametrize("certify", [True, False])
@pytest.mark.parametrize("cutoff", [None, 50])
def test_an_answer_in_host_memory_is_complete_and_lasts(certify, cutoff):
    solver = Solver(GRAPH, LateDevice())
    answers = {source: solver.sssp(source, certify=certify, cutoff=cutoff) for source in (3, 96)}
    for source, answer in answers.items():
        distances = np.abs(np.arange(GRAPH.vertices) - source)
        near = distances <= (cutoff or GRAPH.vertices)
        np.testing.assert_array_equal(answer.distances, np.where(near, distances, UNREACHABLE))
        np.testing.assert_array_equal(answer.predecessors >= 0, near & (distances > 0))


# A few sources at a time


STREAMED = TINY["zero weights in a circle"]
BY_ROWS = [variant for variant in variants() if variant.problem == "sssp" or variant.many_sources]


@pytest.mark.parametrize("variant", BY_ROWS, ids=lambda variant: f"{variant.algorithm}.{variant.name}")
@pytest.mark.parametrize("output", ["host", "device"])
def test_chunks_are_the_rows_of_the_whole_answer(variant, output):
    solver = warpath.prepare(STREAMED, "simulated")
    named = {"algorithm": variant.algorithm, "variant": variant.name}
    sources = [3, 0, 3, 1, 2]
    whole = solver.sssp(sources, **named)
    pieces = list(solver.stream(sources, chunk=2, predecessors=True, output=output, **named))
    assert {len(piece[0]) for piece in pieces} <= {1, 2}
    np.testing.assert_array_equal(np.concatenate([piece[0] for piece in pieces]), sources)
    np.testing.assert_array_equal(np.concatenate([piece[1] for piece in pieces]), whole.distances)
    np.testing.assert_array_equal(np.concatenate([piece[2] for piece in pieces]), whole.predecessors)


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
        solver = warpath.prepare(graph, LateStreams(Lot(seed)))
        rows = np.concatenate([rows for _, rows in solver.stream(sources, chunk=2, algorithm=algorithm)])
        np.testing.assert_array_equal(rows, warpath.sssp(graph, sources, device="cpu").distances)


def test_targets_and_a_cutoff_hold_for_each_chunk():
    solver = warpath.prepare(STREAMED, "simulated")
    whole = solver.table([0, 1, 2], [2, 0], cutoff=1)
    rows = [row for _, distances in solver.stream([0, 1, 2], targets=[2, 0], cutoff=1, chunk=2) for row in distances]
    np.testing.assert_array_equal(rows, whole.distances)


def test_no_sources_give_no_chunks():
    assert list(warpath.prepare(STREAMED, "simulated").stream([])) == []


def test_a_caller_may_stop_early_and_go_on():
    solver = warpath.prepare(STREAMED, "simulated")
    for _, _ in solver.stream(chunk=1):
        break
    assert solver.sssp(0).distances[0] == 0


def test_a_wrong_chunk_is_not_given_out(monkeypatch):
    solver = warpath.prepare(STREAMED, "simulated")
    honest = solver._cache.certified

    def falsified(variant, sources, distances, predecessors):
        distances[-1, sources[-1]] += 2 in sources
        return honest(variant, sources, distances, predecessors)

    monkeypatch.setattr(solver._cache, "certified", falsified)
    stream = solver.stream([0, 1, 2, 3], chunk=1)
    assert next(stream)[0].tolist() == [0]
    with pytest.raises(CertificateError, match="source 2"):
        list(stream)


@pytest.mark.parametrize("chunk", [0, -1, 1.5, True, "2"])
def test_chunks_that_are_no_numbers_of_sources(chunk):
    with pytest.raises(UsageError, match="not a number of sources"):
        warpath.prepare(STREAMED, "simulated").stream(chunk=chunk)


def test_what_a_graph_turns_out_not_to_suit_is_replaced(monkeypatch):
    from warpath.solvers.many_sources.sweep import sweep

    def refuse(*_):
        tried.append(1)
        raise UsageError("too many separators")

    tried: list[int] = []
    monkeypatch.setattr(sweep.Elimination, "of", refuse)
    long = warpath.from_arcs(400, range(399), range(1, 400), [1] * 399)
    solver = warpath.prepare(long, "simulated")
    for _ in range(2):
        paths = solver.sssp(range(20), predecessors=False)
        assert paths.variant != "contraction_hierarchy.sweep" and len(tried) == 1
    assert paths.distances[3, 399] == 396
    with pytest.raises(UsageError, match="too many separators"):
        solver.sssp(range(20), algorithm="contraction_hierarchy")


# Parameters


@pytest.mark.parametrize(
    ("text", "values"), [("k=3", {"k": 3}), ("k=3,vertices_per_thread=2", {"k": 3, "vertices_per_thread": 2})]
)
def test_text_becomes_values(text, values):
    assert parse(text) == values


@pytest.mark.parametrize("text", ["", "k", "k=", "k=two", "k=2.5", "=3", "k=1,k=2", "k=1,", "2=3"])
def test_other_text_is_refused(text):
    with pytest.raises(UsageError, match="expected NAME=WHOLE_NUMBER"):
        parse(text)


@pytest.mark.parametrize(
    ("variant", "given", "sentence"),
    [
        ("locality", {"k": 0}, "k of label_correcting locality must be a whole number from 1 to 16, not 0"),
        ("locality", {"vertices_per_thread": 33}, "from 1 to 32, not 33"),
        ("locality", {"unread_launches": -1}, "unread_launches of label_correcting locality must be"),
        ("locality", {"steps": 2}, "has no parameter 'steps'; there are k, vertices_per_thread, unread_launches"),
        ("harish", {"k": 2}, "label_correcting harish has no parameter 'k'; it has none"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(variant, given, sentence):
    with pytest.raises(UsageError) as refused:
        find("label_correcting", variant).configured(given)
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


def test_what_is_not_given_has_its_default():
    locality = find("label_correcting", "locality")
    configured = locality.configured({"k": 2, "vertices_per_thread": 8})
    assert configured.variant is locality
    assert configured.given == {"k": 2, "vertices_per_thread": 8}
    assert configured.settings == {"k": 2, "vertices_per_thread": 8, "unread_launches": 32}
    assert locality.configured().settings == {"k": 4, "vertices_per_thread": 2, "unread_launches": 32}
    assert find("bellman_ford", "naive").configured().settings == {}


def test_the_values_that_were_asked_for_are_kept_as_they_were():
    given = {"k": 2}
    configured = find("label_correcting", "locality").configured(given)
    given["k"] = 3
    assert configured.given == {"k": 2} and configured.settings["k"] == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        configured.given = {}


def test_the_plan_is_made_with_them():
    locality = find("label_correcting", "locality").configured({"unread_launches": 5})
    plan = locality.plan(open_device("simulated"), TINY["path of 33"], 0)
    assert plan.unread_launches == 5


def test_the_library_takes_them():
    path = TINY["path of 33"]
    common = {"algorithm": "label_correcting", "variant": "locality", "device": "simulated"}
    assert sssp(path, 0, parameters={"k": 3}, **common).distances.tolist() == [2 * vertex for vertex in range(33)]
    with pytest.raises(UsageError, match="not 0"):
        sssp(path, 0, parameters={"k": 0}, **common)


def test_so_does_the_command_that_solves(tmp_path, capsys):
    TINY["path of 33"].save(tmp_path / "path.npz")
    arguments = ["solve", str(tmp_path / "path.npz"), "--algorithm", "label_correcting", "--device", "simulated"]
    assert main([*arguments, "--parameters", "k=2"]) == 0
    assert "label_correcting four_arcs" in capsys.readouterr().out
    assert main([*arguments, "--parameters", "k=0"]) == 2
    assert "not 0" in capsys.readouterr().err
