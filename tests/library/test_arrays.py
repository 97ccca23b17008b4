"""Arrays of other libraries as arguments, answers as arrays for other libraries, and answers in pieces."""

import gc
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from every_device import EVERY_DEVICE, opened
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import named

import warpath
import warpath.csgraph
from warpath.device.copies import download_in_pieces, uploaded
from warpath.errors import GraphError, UsageError, WarpathError
from warpath.graphs.csr import Graph


class Shared:
    """An array of another library, of which nothing but DLPack is known."""

    def __init__(self, array, place=1, error=None):
        self._array, self._place, self._error = np.asarray(array), place, error

    def __dlpack__(self, **options):
        if self._error:
            raise self._error
        return self._array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._place, 0


MATRIX = np.array([[0, 7, 0], [0, 0, 2], [1, 0, 0]])
GRAPH = warpath.from_matrix(MATRIX)


def test_a_matrix_of_any_library_is_a_graph():
    strided = np.repeat(MATRIX, 2, axis=1)[:, ::2]
    for array in (MATRIX, MATRIX.astype(np.float32), np.asfortranarray(MATRIX), strided, MATRIX.astype(np.uint16)):
        found = warpath.as_graph(Shared(array))
        assert found == warpath.from_matrix(Shared(array))
        assert (found.tails().tolist(), found.indices.tolist()) == ([0, 1, 2], [1, 2, 0])
        assert found.weights.tolist() == [7, 2, 1]
    assert warpath.as_graph(Shared(MATRIX > 0)).weights.tolist() == [1, 1, 1]


@pytest.mark.parametrize("kind", [np.int32, np.int64, np.uint8, np.float32, np.float64])
def test_arcs_and_csr_of_any_library_make_a_graph(kind):
    columns = np.array([[0, 1, 7], [1, 2, 2], [2, 0, 1]])  # whose columns are not contiguous
    tails, heads, weights = (Shared(columns[:, column]) for column in range(3))
    found = warpath.from_arcs(3, tails, heads, Shared(columns[:, 2].astype(kind)))
    assert found.weights.tolist() == [7, 2, 1] and found.has_floats == (np.dtype(kind).kind == "f")
    assert warpath.from_arcs(3, tails, heads, weights) == GRAPH
    assert Graph(*(Shared(array) for array in (GRAPH.indptr, GRAPH.indices, GRAPH.weights))) == GRAPH


@pytest.mark.parametrize("kind", [np.int16, np.int64, np.uint32])
def test_vertices_may_be_any_array(kind):
    solver = warpath.prepare(GRAPH, "simulated")
    expected = solver.sssp([2, 0]).distances
    for vertices in (Shared(np.array([2, 0], kind)), pd.Series([2, 0], dtype=kind), [Shared(2), np.array(0)]):
        np.testing.assert_array_equal(solver.sssp(vertices).distances, expected)
        np.testing.assert_array_equal(solver.table([2, 0], vertices).distances, expected[:, [2, 0]])
    assert solver.sssp(Shared(np.array(1, kind))).distances.tolist() == [3, 0, 2]
    with pytest.raises(UsageError, match="source 3"):
        solver.sssp(Shared([0, 3]))


def test_labels_may_be_any_array_or_a_column_of_a_frame():
    towns = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1, 2]})
    distances = warpath.sssp(towns, towns["source"], device="simulated").distances
    assert distances.tolist() == [[0, 1, 3], [warpath.UNREACHABLE, 0, 2]]
    labelled = warpath.from_arcs(3, [0], [1], [1], labels=Shared([7, 5, 9]))
    assert labelled.labels.tolist() == [7, 5, 9]


@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_new_weights_may_be_any_array(kind):
    solver = warpath.prepare(GRAPH, "simulated")
    solver.update(Shared(np.arange(10, 0, -1, dtype=kind)[::4]))
    assert solver.graph.weights.tolist() == [10, 6, 2]
    solver.update(Shared(np.array([5], kind)), arcs=Shared([1]))
    assert solver.sssp(0).distances.tolist() == [0, 10, 15]


PLACES = {
    "tails": lambda array: warpath.from_arcs(3, array, [1, 2], [7, 2]),
    "heads": lambda array: warpath.from_arcs(3, [0, 1], array, [7, 2]),
    "weights": lambda array: warpath.from_arcs(3, [0, 1], [1, 2], array),
    "rows": lambda array: warpath.from_arcs(3, [0, 1], [1, 2], [7, 2], rows=array),
    "labels": lambda array: warpath.from_arcs(2, [0], [1], [7], labels=array),
    "weights of an update": lambda array: warpath.prepare(LABELLED, "cpu").update(array),
    "weights of some": lambda array: warpath.prepare(GRAPH, "cpu").update(array, arcs=[1, 0]),
    "arcs": lambda array: warpath.prepare(GRAPH, "cpu").update([1, 5], arcs=array),
    "labels of vertices": lambda array: LABELLED.index_of(array),
    "sources": lambda array: warpath.sssp(GRAPH, array, device="cpu"),
    "sources of a frame": lambda array: warpath.sssp(ROADS, array, device="cpu"),
    "indices": lambda array: warpath.csgraph.dijkstra(MATRIX, indices=array, device="cpu"),
    "targets": lambda array: warpath.table(GRAPH, [0], array, device="cpu"),
    "targets of pairs": lambda array: warpath.pairs(GRAPH, [0, 0], array, device="cpu"),
    "sources of statistics": lambda array: warpath.prepare(GRAPH, "cpu").statistics(array),
    "distances": lambda array: warpath.certify(LABELLED, 0, array, device="cpu"),
    "distances of floats": lambda array: warpath.certify(FLOATS, 0, array, device="cpu"),
    "predecessors": lambda array: warpath.certify(EQUAL, 0, [0, 0], array, device="cpu"),
}
LABELLED = warpath.from_arcs(2, [0, 1], [1, 0], [1, 1])
FLOATS = warpath.from_arcs(2, [0, 1], [1, 0], [1.0, 1.0])
EQUAL = warpath.from_arcs(2, [0, 1], [1, 0], [0, 0])
ROADS = pd.DataFrame({"source": [0], "target": [1], "weight": [1]})


@pytest.mark.parametrize("kind", ["masked", "Int64", "int64[pyarrow]"])
def test_an_entry_that_is_masked_or_missing_is_named(kind):
    def array(numbers, missing):
        if kind == "masked":
            return np.ma.masked_array(numbers, [False, missing])
        return pd.Series([numbers[0], None if missing else numbers[1]], dtype=kind).array

    for place, call in PLACES.items():
        with named(place):
            name, numbers = place.partition(" ")[0], [0, 1] if place != "predecessors" else [-1, 0]
            call(array(numbers, False))
            with pytest.raises((WarpathError, ValueError)) as refused:
                call(array(numbers, True))
            assert str(refused.value).startswith(f"{name}[1] is ")


def test_a_masked_array_of_a_csr_is_refused():
    for position in range(3):
        arrays = [GRAPH.indptr, GRAPH.indices, GRAPH.weights]
        arrays[position] = np.ma.masked_array(arrays[position])
        assert Graph(*arrays) == GRAPH
        arrays[position][2] = np.ma.masked
        with pytest.raises(GraphError, match=r"\[2\]"):
            Graph(*arrays)
    with pytest.raises(UsageError, match="masked"):
        warpath.sssp(GRAPH, np.ma.masked_array(0, True), device="cpu")


def test_distances_and_predecessors_of_any_library_are_certified():
    paths = warpath.apsp(GRAPH, device="simulated")
    for distances in (paths.distances, paths.floats(), np.asfortranarray(paths.distances.astype(np.int64))):
        found = warpath.certify(
            GRAPH, None, Shared(distances), Shared(paths.predecessors.astype(np.int64)), device="simulated"
        )
        assert found == paths.certificate


def test_an_array_that_is_not_shared_is_told_in_a_sentence():
    for thing, said in (
        (Shared(MATRIX, place=8), "8"),
        (Shared(MATRIX, error=BufferError("it requires grad; use detach()")), "grad"),
        (Shared(MATRIX, error=RuntimeError("of a lazy tensor")), "lazy tensor"),
    ):
        with pytest.raises(UsageError, match=said):
            warpath.as_graph(thing)


def test_an_array_on_a_gpu_is_shared_by_cupy_and_copied(monkeypatch):
    class OnGpu:
        """An array of CuPy."""

        def __init__(self, tensor):
            self.get = lambda: tensor._array

    OnGpu.__module__ = "cupy"
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(from_dlpack=OnGpu))
    assert warpath.as_graph(Shared(MATRIX, place=2)) == GRAPH
    assert warpath.sssp(GRAPH, Shared([2, 0], place=2), device="simulated").distances.shape == (2, 3)
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(UsageError, match="needs CuPy"):
        warpath.as_graph(Shared(MATRIX, place=2))


def test_answers_are_shared_without_a_copy():
    paths = warpath.sssp(GRAPH, 0, device="simulated")
    for array in (paths.distances, paths.predecessors):
        assert np.shares_memory(np.from_dlpack(array), array)


# Large answers come to the host in pieces.


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return opened(request.param)


@pytest.fixture
def in_pieces_of_200_bytes(monkeypatch):
    for user in ("system.cores", "device.copies"):
        monkeypatch.setattr(f"warpath.{user}.piece_bytes_of", lambda _: 200)


def numbers(shape, dtype):
    return np.arange(1, np.prod(shape) + 1).reshape(shape).astype(dtype)


def test_every_cell_arrives(device, in_pieces_of_200_bytes):
    for dtype in (np.int32, np.uint8, np.uint64):
        for shape in ((0, 3), (1, 1), (7, 9), (37, 41), (1, 5000), (1200,)):
            with named(f"{shape} of {dtype}"):
                array = numbers(shape, dtype)
                copy, short = uploaded(device, array, array.ravel()[:3])
                out, of_short = np.zeros_like(array), np.zeros_like(array.ravel()[:3])
                download_in_pieces(device, copy, out)
                device.download(short, of_short)
                np.testing.assert_array_equal(out, array)
                np.testing.assert_array_equal(of_short, array.ravel()[:3])


def test_the_target_may_be_rows_of_a_larger_array_and_the_source_may_have_a_stride(device, in_pieces_of_200_bytes):
    array = numbers((60, 50), np.int32)
    rows = np.zeros((100, 50), np.int32)
    download_in_pieces(device, device.upload(array), rows[20:80])
    np.testing.assert_array_equal(rows[20:80], array)
    assert not rows[:20].any() and not rows[80:].any()
    columns = np.zeros((60, 30), np.int32)
    download_in_pieces(device, device.upload(array)[:, :30], columns)
    np.testing.assert_array_equal(columns, array[:, :30])


def test_it_waits_for_what_was_enqueued_before(device, in_pieces_of_200_bytes):
    last = device.upload(numbers((300, 300), np.int32))
    for _ in range(50):
        last = last + 1
    out = np.empty((300, 300), np.int32)
    download_in_pieces(device, last, out)
    np.testing.assert_array_equal(out, numbers((300, 300), np.int32) + 50)


def test_several_threads_copy_at_a_time(device, in_pieces_of_200_bytes):
    """They share the page-locked memory of the device."""
    arrays = [numbers((40_000,), np.int32) + number for number in range(6)]
    outs = [np.empty(40_000, np.int32) for _ in arrays]

    def copy(number):
        device.use_in_thread()
        download_in_pieces(device, *uploaded(device, arrays[number]), outs[number])

    with ThreadPoolExecutor() as pool:
        list(pool.map(copy, range(len(arrays))))
    np.testing.assert_array_equal(outs, arrays)


def test_a_device_that_has_copied_is_freed():
    device = opened("simulated")
    uploaded(device, numbers((20 << 20,), np.uint8))
    watched = weakref.ref(device)
    del device
    gc.collect()
    assert watched() is None


def test_what_fails_in_a_thread_is_raised(device, monkeypatch, in_pieces_of_200_bytes):
    def fails(*_):
        raise MemoryError("no room")

    monkeypatch.setattr(np, "copyto", fails)
    with pytest.raises(MemoryError):
        download_in_pieces(device, device.upload(numbers((90, 90), np.int32)), np.zeros((90, 90), np.int32))


@pytest.mark.parametrize("dtype", [np.int32, np.float64])
def test_an_answer_that_is_too_large_for_page_locked_memory(dtype, device, monkeypatch, in_pieces_of_200_bytes):
    monkeypatch.setattr("warpath.library.calls.PINNED_BYTES_MAX", 100)
    arcs = np.random.default_rng(1).integers(0, 90, (2, 300))
    graph = warpath.from_arcs(90, *arcs, (1 + np.arange(300)).astype(dtype))
    solver = warpath.prepare(graph, device)
    for options in ({}, {"predecessors": False}, {"certify": False}):
        found = [solver.sssp(source, **options) for source in (3, 5)]
        for paths, source in zip(found, (3, 5), strict=True):
            expected = dijkstra(graph.to_scipy(), indices=source)
            np.testing.assert_array_equal(paths.floats(), expected)
            assert paths.certificate is None or paths.certificate.reached == np.isfinite(expected).sum()


def test_a_device_knows_page_locked_memory(device):
    """From there it copies without a detour."""
    pageable, pinned = np.zeros(5, np.int32), device.pinned((5,), np.int32)
    assert not device.is_pinned(pageable)
    is_known = device.is_pinned(pinned)
    assert is_known or device.kind != "cuda"
    pinned.flags.writeable = False
    assert device.is_pinned(pinned) == is_known


def test_answers_about_a_graph_of_any_size_are_on_the_device(device):
    """A solver on the CPU may answer about a tiny graph, and write its arrays there."""
    for vertices in (2, 400):
        graph = warpath.from_arcs(vertices, range(vertices - 1), range(1, vertices), np.arange(vertices - 1) + 0.5)
        for options in ({}, {"predecessors": False}, {"certify": False}):
            paths = warpath.sssp(graph, 0, device=device, output="device", **options)
            arrays = [paths.distances] if paths.predecessors is None else [paths.distances, paths.predecessors]
            assert all(isinstance(array, device.xp.ndarray) for array in arrays)
            assert paths.distances[-1] == sum(range(vertices - 1)) + 0.5 * (vertices - 1)


def test_large_page_locked_memory_is_lent_once_at_a_time(device):
    first = device.pinned((17 << 20,), np.uint8, pooled=True)
    second = device.pinned((17 << 20,), np.uint8, pooled=True)
    first.fill(1)
    second.fill(2)
    view = first[5:]
    del first
    device.pinned((17 << 20,), np.uint8, pooled=True).fill(3)
    assert view[0] == view[-1] == 1 and second[0] == second[-1] == 2


@pytest.mark.cuda
def test_large_page_locked_memory_serves_needs_of_nearly_its_size():
    """Otherwise, calls with answers of many sizes would lock ever more memory."""
    device = opened("cuda")
    begins = {device.pinned((size << 20,), np.uint8, pooled=True).ctypes.data for size in (17, 18, 20)}
    assert len(begins) == 1
