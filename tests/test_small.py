"""Small graphs, which a search on the CPU solves from one source, whatever the device."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from every_device import opened
from hypothesis import given
from hypothesis import strategies as st
from scipy_reference import reference
from tiny_graphs import NEGATIVE, TINY, graph, random_graphs

import warpath
from warpath.device import open_device
from warpath.errors import GraphError, UsageError
from warpath_study.datasets.generate import generate

CPU = open_device("cpu")


@pytest.fixture(scope="module", params=[pytest.param("cuda", marks=pytest.mark.cuda)])
def gpu(request):
    return opened(request.param)


@given(random_graphs(vertices_max=40, arcs_per_vertex=4), st.booleans(), st.booleans(), st.sampled_from([None, "f4"]))
def test_answers_are_those_of_scipy_or_a_kernel_and_certified(of, certify, predecessors, dtype):
    if dtype:
        of = warpath.Graph(of.indptr, of.indices, of.weights.astype(dtype))
    for source in range(of.vertices):
        paths = warpath.sssp(of, source, device=CPU, certify=certify, predecessors=predecessors, output="device")
        by_kernel = warpath.sssp(of, source, device="host", output="device").distances if dtype else None
        expected = reference(of, source) if by_kernel is None else by_kernel
        assert paths.distances.tolist() == expected.tolist() and paths.distances.dtype == of.weights.dtype
        assert (paths.predecessors is not None) == predecessors
        if certify:
            assert paths.certificate == warpath.certify(of, source, paths.distances, paths.predecessors, device="host")


def test_a_distance_that_does_not_fit_is_refused():
    far = graph(4, (0, 1, 2**30), (1, 2, 2**30), (2, 3, 1), (0, 3, 5))
    for certify in (True, False):
        with pytest.raises(GraphError):
            warpath.sssp(far, 0, device=CPU, certify=certify)
        assert warpath.sssp(far, 1, device=CPU, certify=certify).distances.tolist()[2:] == [2**30, 2**30 + 1]


def test_wrong_arguments_are_refused():
    for wrong in ({"output": "nowhere"}, {"variant": "queue"}, {"parameters": {"share": 1}}):
        with pytest.raises(UsageError):
            warpath.sssp(TINY["path of 33"], 0, device=CPU, **wrong)
    with pytest.raises(UsageError):
        warpath.sssp(TINY["path of 33"], 33, device=CPU)


def test_threads_share_a_solver():
    solver = warpath.prepare(TINY["scattered path of 97"], CPU)
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(solver.sssp, list(range(97)) * 8))
    for source, paths in zip(list(range(97)) * 8, answers, strict=True):
        assert paths.sources == source and paths.distances.tolist() == reference(solver.graph, source).tolist()


def test_the_simulated_gpu_runs_its_kernels():
    assert warpath.sssp(TINY["path of 33"], 0, device="host").variant != "dijkstra.heap"


@pytest.mark.parametrize("name", TINY | NEGATIVE)
def test_arrays_are_where_they_are_wanted(gpu, name):
    of = (TINY | NEGATIVE)[name]
    solver = warpath.prepare(of, gpu)
    for source in range(of.vertices):
        on_gpu = solver.sssp(source, output="device")
        assert isinstance(on_gpu.distances, gpu.xp.ndarray) and isinstance(on_gpu.predecessors, gpu.xp.ndarray)
        expected = warpath.sssp(of, source, device="host").distances.tolist()
        assert on_gpu.distances.tolist() == solver.sssp(source).distances.tolist() == expected


def test_a_gpu_solves_larger_graphs_and_later_calls(gpu):
    small, first, large = (generate("road", vertices=n, arcs=5 * n // 2, seed=2) for n in (2_000, 5_000, 9_000))
    for of, on_cpu in ((small, [True, True]), (first, [True, False]), (large, [False, False])):
        paths = [warpath.sssp(of, source, device=gpu) for source in (0, 1)]
        assert [each.variant == "dijkstra.heap" for each in paths] == on_cpu
        for source, each in enumerate(paths):
            np.testing.assert_array_equal(each.distances, reference(of, source))
    assert warpath.prepare(first, gpu).sssp(0).variant != "dijkstra.heap"
