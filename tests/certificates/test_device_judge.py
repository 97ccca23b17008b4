"""The certificate on a device: larger graphs, arrays of the host and of the device, what stays from call to call."""

import re
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from examples import fewer
from hard_graphs import HARD, fits
from hard_graphs import distances as lengths_between
from hypothesis import given
from hypothesis import strategies as st
from judges import WAYS, as_rows
from row_samples import columns_of
from test_certificate import right_answer
from tiny_graphs import TINY, random_graphs
from tiny_graphs import graph as graph_of

from warpath.certificates import on_device
from warpath.certificates.certificate import certify, certify_each
from warpath.certificates.on_device import DeviceCertifier
from warpath.device.kernel_source import expanded_source
from warpath.device.resident import resident
from warpath.distances import UNREACHABLE
from warpath.errors import CertificateError, DeviceError, GraphError
from warpath.graphs.csr import Graph, from_arcs
from warpath.solvers import find
from warpath_study.measure.plans import plan_of

KERNELS = sorted(Path(on_device.__file__).parent.glob("*.cu"))
SOURCES = [299, 0, 5, 120]
every_way = pytest.mark.parametrize("way", WAYS)


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return opened(request.param)


def random_graph(vertices: int, arcs: int, lightest: int = 1, seed: int = 0) -> Graph:
    """Loops, parallel arcs, and a hub: a third of the arcs leave vertex 0."""
    numbers = np.random.default_rng(seed)
    tails, heads = numbers.integers(0, vertices, (2, arcs))
    tails[: arcs // 3] = 0
    return from_arcs(vertices, tails, heads, numbers.integers(lightest, 9, arcs))


def test_the_kernels_share_nothing_with_the_solvers():
    assert KERNELS
    for file in KERNELS:
        includes = set(re.findall(r'#line \d+ "(\w+/\w+)/', expanded_source(file)))
        assert includes <= {"warpath/certificates", "warpath/device"}, file


@cache
def solved_graph(lightest: int) -> tuple[Graph, np.ndarray, np.ndarray]:
    """A graph of several blocks of threads, and the answer from a few sources."""
    graph = random_graph(300, 900, lightest)
    return graph, *(array[SOURCES] for array in right_answer(graph))


@every_way
def test_agrees_with_the_host_on_a_graph_of_several_blocks(device, way):
    for lightest, with_trees in product((0, 1), (True, False)):
        graph, distances, predecessors = solved_graph(lightest)
        judge = DeviceCertifier(device, graph, **WAYS[way])
        expected = certify_each(graph, SOURCES, distances, predecessors)
        trees = predecessors if with_trees else None
        given = [None if array is None else device.upload(array) for array in (distances, trees)]
        assert judge.certify(SOURCES, *given) == expected
        assert judge.certify(np.array(SOURCES), distances, trees) == expected
        first = [None if array is None else array[0] for array in given]
        assert judge.certify(*as_rows(SOURCES[0], *first)) == certify(graph, SOURCES[0], distances[0], predecessors[0])


@every_way
@fewer
@given(graph=random_graphs(vertices_max=40, negative=True), data=st.data())
def test_one_changed_number_gets_the_sentence_of_the_host(way, graph, data):
    distances, predecessors = right_answer(graph)
    row, vertex = (data.draw(st.integers(0, graph.vertices - 1)) for _ in range(2))
    array = data.draw(st.sampled_from([distances, predecessors]))
    array[row, vertex] = data.draw(st.integers(-1, 40))
    judge = DeviceCertifier(opened("shuffle"), graph, **WAYS[way])
    for trees in (predecessors, None):
        try:
            expected = certify(graph, None, distances, trees)
        except CertificateError as error:
            with pytest.raises(CertificateError) as refused:
                judge.certify(range(graph.vertices), distances, trees)
            assert str(refused.value) == str(error)
        else:
            assert judge.certify(range(graph.vertices), distances, trees) == expected


def test_arcs_of_weight_zero_from_the_source_need_no_walks(monkeypatch):
    """Only arcs between other vertices may lie on a cycle of predecessors."""
    star = graph_of(300, *((0, vertex, vertex % 2) for vertex in range(1, 300)))
    distances, predecessors = np.arange(300, dtype=np.int32) % 2, np.array([-1, *[0] * 299], np.int32)
    judge = DeviceCertifier(opened("shuffle"), star)

    def walk(*_):
        raise AssertionError("walks began")

    monkeypatch.setattr(judge._spread, "_has_cycle", walk)
    for rows in (1, 2):
        assert judge.certify([0] * rows, *(np.array([row] * rows) for row in (distances, predecessors)))


def test_columns_are_exact_where_rows_are(device):
    graph, distances, _ = solved_graph(1)
    judge = DeviceCertifier(device, graph)
    assert judge.certify_columns(np.array(SOURCES), columns_of(device, distances, 1)) == judge.certify(
        SOURCES, distances
    )
    for name, tiny in [*TINY.items(), *HARD.items()]:
        if tiny.weight_min > 0 and fits(tiny):
            every = np.arange(tiny.vertices)
            right = lengths_between(tiny)
            judge = DeviceCertifier(device, tiny)
            assert judge.certify_columns(every, columns_of(device, right, 2)) == judge.certify(every, right), name


def test_columns_of_graphs_that_they_prove_nothing_of_are_refused(device):
    """The arcs 1 -> 2 -> 1 explain any distance of their ends that both have."""
    for weights, wrong in (([5, 0, 0], [0, 3, 3]), ([5, -1, 1], [0, 4, 3]), ([1.5, 0.5, 0.5], [0, 1, 1])):
        judge = DeviceCertifier(device, from_arcs(3, [0, 1, 2], [1, 2, 1], weights))
        with pytest.raises(GraphError):
            judge.certify_columns(np.array([0]), columns_of(device, np.array([wrong]), 1))


@given(graph=random_graphs(vertices_max=40, weights=(1, 9)), data=st.data())
def test_a_changed_number_in_columns_is_found(graph, data):
    distances, _ = right_answer(graph)
    row, vertex = (data.draw(st.integers(0, graph.vertices - 1)) for _ in range(2))
    number = data.draw(st.integers(-3, 40) | st.sampled_from([UNREACHABLE, UNREACHABLE - 1, -(2**31)]))
    is_right = distances[row, vertex] == number
    distances[row, vertex] = number
    device, every = opened("shuffle"), np.arange(graph.vertices)
    found = DeviceCertifier(device, graph).certify_columns(every, columns_of(device, distances, row))
    assert (found is not None) == is_right


def test_a_distance_that_does_not_fit_is_no_missing_path():
    graph = graph_of(3, (0, 1, 2**31 - 2), (1, 2, 1))
    device = opened("forward")
    lost = columns_of(device, np.array([[0, 2**31 - 2, UNREACHABLE]], np.int32), 1)
    assert DeviceCertifier(device, graph).certify_columns(np.array([0]), lost) is None


def test_columns_whose_positions_are_not_those_of_all_vertices_are_refused():
    graph, distances, _ = solved_graph(1)
    device = opened("forward")
    columns = columns_of(device, distances, 1)
    columns.positions[3] = columns.positions[4]
    with pytest.raises(CertificateError, match="each once"):
        DeviceCertifier(device, graph).certify_columns(np.array(SOURCES), columns)


@every_way
def test_calls_leave_nothing_behind(device, way):
    """Marks of a right answer must not support the same answer with its arcs taken away, or after a refusal."""
    graph = graph_of(4, (0, 1, 1), (1, 2, 1), (2, 3, 1))
    judge = DeviceCertifier(device, graph, **WAYS[way])
    right = np.array([0, 1, 2, 3], np.int32), np.array([-1, 0, 1, 2], np.int32)
    wrong = right[0], np.array([-1, 0, 0, 2], np.int32)
    for _ in range(3):
        assert judge.certify([0], *(array[None] for array in right)).reached == 4
        with pytest.raises(CertificateError, match="vertex 2"):
            judge.certify([0], *(array[None] for array in wrong))
        assert judge.certify(*as_rows(0, *right)).reached == 4


@pytest.mark.parametrize("sources", [[0], [0, 0]], ids=["one row", "two rows"])
def test_a_call_that_fails_leaves_nothing_behind(monkeypatch, sources):
    graph = graph_of(3, (0, 1, 1), (1, 2, 1))
    device = opened("forward")
    judge = DeviceCertifier(device, graph)
    right = tuple(np.array([row] * len(sources), np.int32) for row in ([0, 1, 2], [-1, 0, 1]))

    def fail(*_, **_arguments):
        raise DeviceError("the device is on fire")

    fail.bind = lambda *_, **_arguments: fail
    with monkeypatch.context() as patched:
        patched.setattr(judge._spread, "_judge_vertices", fail)
        with pytest.raises(DeviceError, match="fire"):
            judge.certify(sources, *right)
    assert judge.certify(sources, *right).reached == 3 * len(sources)


@every_way
def test_a_call_whose_answer_is_not_read_leaves_nothing_behind(monkeypatch, way):
    graph, distances, predecessors = solved_graph(0)
    device = opened("forward")
    judge = DeviceCertifier(device, graph, **WAYS[way])
    reached = judge.certify(SOURCES, distances, predecessors).reached

    def interrupt(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        for wait in ("download", "synchronize"):
            patched.setattr(device, wait, interrupt)
        with pytest.raises(KeyboardInterrupt):
            judge.certify(SOURCES, distances, predecessors)
    assert judge.certify(SOURCES, distances, predecessors).reached == reached


@pytest.mark.parametrize("call", [0, 2**31 - 2, 2**31 - 1])
def test_an_answer_that_was_begun_vouches_for_no_other(device, call):
    graph = graph_of(4, (0, 1, 1), (1, 2, 1), (2, 3, 1))
    judge = DeviceCertifier(device, graph)
    answers = ([0, 1, 2, 3], [-1, 0, 1, 2]), ([0, 1, 1, 2], [-1, 0, 0, 2]), ([2, 2, 0, 1], [1, 2, -1, 2])
    right, wrong, short = (tuple(device.upload(np.array(one, np.int32)) for one in both) for both in answers)
    far = device.upload(np.array([UNREACHABLE, UNREACHABLE, 0, 1], np.int32))
    judge.certify(*as_rows(0, *right))
    judge._verdict.call = call
    for begun in (right, wrong, short):
        for _ in range(2):
            judge.begin(*as_rows(0, *begun))
        device.synchronize()
        with pytest.raises(CertificateError):
            judge.certify(*as_rows(0, *wrong))
        judge.begin(*as_rows(0, *begun))
        end = judge.begin(*as_rows(0, *right))
        device.synchronize()
        assert end().reached == 4
        end = judge.begin(*as_rows(0, *wrong))
        device.synchronize()
        with pytest.raises(CertificateError):
            end()
        judge.begin(*as_rows(0, *right))
        for mixed in ((wrong[0], right[1]), (right[0], wrong[1])):
            judge.begin(*as_rows(0, *right))
            with pytest.raises(CertificateError):
                judge.certify(*as_rows(0, *mixed))
        judge.begin(*as_rows(0, *right))
        assert judge.certify(*as_rows(0, *right)).reached == 4
        with pytest.raises(CertificateError):
            judge.certify(*as_rows(0, *wrong))
        judge.begin(*as_rows(0, *right))
        with pytest.raises(CertificateError):
            judge.certify(*as_rows(2, *right))
        judge.begin(*as_rows(0, *begun))
        assert judge.certify(*as_rows(2, far)).reached == 2
        judge.begin(*as_rows(0, *right))
        assert judge.certify([0, 0], np.tile(right[0].tolist(), (2, 1)).astype(np.int32)).reached == 8


def test_the_numbers_of_calls_may_run_out():
    graph = graph_of(2, (0, 1, 1))
    judge = DeviceCertifier(opened("forward"), graph)
    right = np.array([0, 1], np.int32), np.array([-1, 0], np.int32)
    judge.certify(*as_rows(0, *right))
    judge._verdict.call = 2**31 - 1
    for _ in range(3):
        assert judge.certify(*as_rows(0, *right)).reached == 2
    assert judge._verdict.call == 2


def test_rows_are_certified_a_few_at_a_time(monkeypatch):
    monkeypatch.setattr("warpath.certificates.judges.MARKS_BYTES_MAX", 4 * 50 * 3)
    graph = random_graph(50, 200, lightest=0)
    distances, predecessors = right_answer(graph)
    judge = DeviceCertifier(opened("forward"), graph, shared_bytes_max=0)
    assert judge.certify(range(50), distances, predecessors) == certify(graph, None, distances, predecessors)
    distances[49, 7] += 1
    with pytest.raises(CertificateError, match="source 49"):
        judge.certify(range(50), distances, predecessors)


def test_arrays_need_not_be_contiguous(device):
    graph = random_graph(40, 100)
    distances, predecessors = right_answer(graph)
    turned = [device.upload(np.asfortranarray(array).T).T for array in (distances, predecessors)]
    assert not turned[0].flags.c_contiguous
    assert DeviceCertifier(device, graph).certify(range(40), *turned) == certify(graph, None, distances, predecessors)


def test_a_solver_with_a_wrong_weight_is_caught(device):
    """The judge's own copy of the graph is right when the solvers' is not."""
    graph = random_graph(60, 300)
    plan = plan_of(find("bellman_ford", "stride_flag"), device, graph, 0)
    resident(device, graph).weights[:] += 1
    solution = plan.solve()
    with pytest.raises(CertificateError, match="source 0: "):
        DeviceCertifier(device, graph).certify(*as_rows(0, solution.distances, solution.predecessors))


def test_the_two_certificates_may_not_disagree():
    """A kernel that finds a fault where the host finds none is a mistake in one of them, and is said to be."""
    graph = graph_of(2, (0, 1, 1))
    judge = DeviceCertifier(opened("forward"), graph)
    judge._arcs.arguments["weights"][:] = 2
    with pytest.raises(AssertionError, match="disagree"):
        judge.certify([0], np.array([[0, 1]], np.int32), np.array([[-1, 0]], np.int32))


def test_weights_past_32_bits_in_sum(device):
    graph = graph_of(3, (0, 1, 2**31 - 2), (1, 2, 4))
    for way in WAYS.values():
        wrapped = np.array([[0, 2**31 - 2, 2 - 2**31]], np.int32), np.array([[-1, 0, 1]], np.int32)
        with pytest.raises(CertificateError, match="vertex 2"):
            DeviceCertifier(device, graph, **way).certify([0], *wrapped)
        unreached = np.array([[0, 2**31 - 2, UNREACHABLE]], np.int32), np.array([[-1, 0, -1]], np.int32)
        with pytest.raises(CertificateError, match="32 bits"):
            DeviceCertifier(device, graph, **way).certify([0], *unreached)
