"""The library on a GPU: arrays stay there or come back, CuPy's are taken, answers are those of the simulated GPU."""

import numpy as np
import pytest
import scipy.sparse
from every_device import opened
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import NEGATIVE, TINY

import warpath
from warpath.errors import CertificateError
from warpath_study.datasets.generate import generate

pytestmark = pytest.mark.cuda

GRAPHS = TINY | NEGATIVE


@pytest.fixture(scope="module")
def gpu():
    return opened("cuda")


@pytest.fixture(scope="module")
def roads():
    return generate("road", vertices=3000, arcs=8000, seed=5)


def on_host(array):
    return array.get() if hasattr(array, "get") else array


@pytest.mark.parametrize("name", GRAPHS)
def test_answers_are_those_of_the_simulated_gpu(gpu, name):
    given = GRAPHS[name]
    sources = range(given.vertices)
    for output in ("host", "device"):
        for algorithm in ("label_correcting", "bellman_ford"):
            paths = warpath.sssp(given, sources, algorithm=algorithm, device=gpu, output=output)
            expected = warpath.sssp(given, sources, device="simulated")
            np.testing.assert_array_equal(on_host(paths.distances), expected.distances)
            np.testing.assert_array_equal(on_host(paths.floats()), expected.floats())
            assert paths.certificate == expected.certificate
        together = warpath.apsp(given, device=gpu, output=output)
        np.testing.assert_array_equal(on_host(together.distances), expected.distances)
        reachable = warpath.closure(given, device=gpu, output=output).reachable
        np.testing.assert_array_equal(on_host(reachable), expected.reached)


def test_arrays_stay_on_the_device_until_asked_for(gpu, roads):
    paths = warpath.sssp(roads, [0, 7], cutoff=10**6, device=gpu, output="device")
    for array in (paths.distances, paths.predecessors, paths.reached, paths.floats()):
        assert isinstance(array, gpu.xp.ndarray)
    table = warpath.table(roads, [0, 7], [5, 9], device=gpu, output="device")
    nearest = warpath.table(roads, [0, 7], nearest=2, device=gpu, output="device")
    for certify in (True, False):
        pairs = warpath.pairs(roads, [0, 7], [5, 9], device=gpu, output="device", certify=certify)
        for answer in (table, nearest, pairs):
            assert isinstance(answer.distances, gpu.xp.ndarray) and isinstance(answer.floats(), gpu.xp.ndarray)
        np.testing.assert_array_equal(on_host(pairs.distances), on_host(table.distances).diagonal())
        assert pairs.to_frame()["distance"].tolist() == on_host(table.floats()).diagonal().tolist()
    assert nearest.to_frame()["source"].tolist() == [0, 0, 7, 7]
    assert paths.path_to(5, source=7) == warpath.sssp(roads, 7, device="simulated").path_to(5)
    assert isinstance(warpath.sssp(roads, 0, device=gpu).distances, np.ndarray)


def test_arrays_of_other_libraries_are_ready_when_they_are_read(gpu, roads):
    class Tensor:
        """An array of which nothing but DLPack is known, made in a stream of its own."""

        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    cupy = gpu.xp
    solver = warpath.prepare(roads, gpu)
    with cupy.cuda.Stream(non_blocking=True):
        slow = cupy.random.random((4000, 4000))
        for _ in range(20):
            slow = slow @ slow / 4000
        weights = cupy.asarray(roads.weights) + 0 * slow[0, 0].astype(np.int32) + 1
        solver.update(Tensor(weights))
        sources = Tensor(cupy.array([3, 5]))
        found = solver.pairs(sources, sources)
    assert solver.graph.weights.tolist() == (roads.weights + 1).tolist()
    assert found.distances.tolist() == [0, 0]
    matrix = np.array([[0, 7], [3, 0]])
    assert warpath.as_graph(Tensor(cupy.asarray(matrix))) == warpath.from_matrix(matrix)


def test_each_call_has_arrays_of_its_own(gpu, roads):
    expected = dijkstra(roads.to_scipy(), indices=range(6))
    kept = [
        warpath.sssp(roads, source, device=gpu, output=output) for source in range(6) for output in ("device", "host")
    ]
    for number, paths in enumerate(kept):
        np.testing.assert_array_equal(on_host(paths.floats()), expected[number // 2])


def test_matrices_of_cupy_are_graphs(gpu, roads):
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    matrix = scipy.sparse.csr_matrix(roads.to_scipy())
    expected = dijkstra(matrix, indices=3)
    for given in (sparse.csr_matrix(matrix), sparse.coo_matrix(matrix.tocoo()), gpu.xp.asarray(matrix.toarray())):
        np.testing.assert_array_equal(warpath.sssp(given, 3, device=gpu).floats(), expected)
    distances = gpu.xp.asarray(warpath.sssp(roads, 3, device=gpu).distances)
    assert warpath.certify(roads, 3, distances, device=gpu).reached == np.isfinite(expected).sum()
    distances[10] += 1
    with pytest.raises(CertificateError, match="vertex 10"):
        warpath.certify(roads, 3, distances, device=gpu)


def test_csgraph_is_scipys(gpu, roads):
    matrix = roads.to_scipy()
    distances, predecessors = warpath.csgraph.dijkstra(matrix, indices=[1, 2], return_predecessors=True, device=gpu)
    expected, of_scipy = dijkstra(matrix, indices=[1, 2], return_predecessors=True)
    np.testing.assert_array_equal(distances, expected)
    np.testing.assert_array_equal(predecessors == -9999, of_scipy == -9999)


def test_answers_that_the_host_holds_are_certified_on_the_gpu(gpu):
    given = generate("gnutella", vertices=300, arcs=900, seed=2)
    for algorithm, variant in (("blocked_all_pairs", "register_blocked"), ("floyd_warshall", "tiled_shared")):
        paths = warpath.apsp(given, algorithm=algorithm, variant=variant, device=gpu)
        np.testing.assert_array_equal(paths.floats(), dijkstra(given.to_scipy()))
        assert paths.certificate.sources == 300
