"""Arrays of other libraries as arguments, and answers as arrays for other libraries, through DLPack."""

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import warpath
import warpath.csgraph
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


@pytest.mark.parametrize(
    "thing",
    [
        MATRIX,
        MATRIX.astype(np.float32),
        np.asfortranarray(MATRIX),
        np.repeat(MATRIX, 2, axis=1)[:, ::2],
        MATRIX.astype(np.uint16),
    ],
)
def test_a_matrix_of_any_library_is_a_graph(thing):
    found = warpath.as_graph(Shared(thing))
    assert found == warpath.from_matrix(Shared(thing))
    assert (found.tails().tolist(), found.indices.tolist(), found.weights.tolist()) == (
        [0, 1, 2],
        [1, 2, 0],
        [7, 2, 1],
    )


def test_a_matrix_of_bools_has_arcs_of_weight_one():
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
    with pytest.raises(UsageError, match="source 3 is not a vertex"):
        solver.sssp(Shared([0, 3]))


def test_labels_may_be_a_column_of_a_frame():
    towns = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1, 2]})
    assert warpath.sssp(towns, towns["source"], device="simulated").distances.tolist() == [
        [0, 1, 3],
        [warpath.UNREACHABLE, 0, 2],
    ]


def test_labels_may_be_any_array():
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
    "labels of a frame": lambda array: warpath.sssp(ROADS, array, device="cpu"),
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
@pytest.mark.parametrize("place", PLACES)
def test_an_entry_that_is_masked_or_missing_is_named(place, kind):
    name, numbers = place.partition(" ")[0], [0, 1] if place != "predecessors" else [-1, 0]

    def array(missing):
        if kind == "masked":
            return np.ma.masked_array(numbers, [False, missing])
        return pd.Series([numbers[0], None if missing else numbers[1]], dtype=kind).array

    PLACES[place](array(False))
    with pytest.raises((WarpathError, ValueError)) as refused:
        PLACES[place](array(True))
    assert str(refused.value).startswith(f"{name}[1] is ")


@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_masked_array_of_a_csr_is_refused(position):
    arrays = [GRAPH.indptr, GRAPH.indices, GRAPH.weights]
    arrays[position] = np.ma.masked_array(arrays[position])
    assert Graph(*arrays) == GRAPH
    arrays[position][2] = np.ma.masked
    with pytest.raises(GraphError, match=r"\[2\] is masked"):
        Graph(*arrays)


def test_a_masked_number_is_no_vertex():
    with pytest.raises(UsageError, match="source is masked"):
        warpath.sssp(GRAPH, np.ma.masked_array(0, True), device="cpu")


def test_distances_and_predecessors_of_any_library_are_certified():
    paths = warpath.apsp(GRAPH, device="simulated")
    for distances in (paths.distances, paths.floats(), np.asfortranarray(paths.distances.astype(np.int64))):
        found = warpath.certify(
            GRAPH, None, Shared(distances), Shared(paths.predecessors.astype(np.int64)), device="simulated"
        )
        assert found == paths.certificate


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (Shared(MATRIX, place=8), "device 8 of DLPack; move it to the CPU or to CUDA"),
        (Shared(MATRIX, error=BufferError("it requires grad; use detach()")), "through DLPack: it requires grad"),
        (Shared(MATRIX, error=RuntimeError("of a lazy tensor")), "through DLPack: of a lazy tensor"),
    ],
)
def test_an_array_that_is_not_shared_is_told_in_a_sentence(thing, said):
    for call in (
        lambda: warpath.as_graph(thing),
        lambda: warpath.from_arcs(3, thing, [0], [0]),
        lambda: warpath.sssp(GRAPH, thing, device="simulated"),
        lambda: warpath.prepare(GRAPH, "simulated").update(thing),
        lambda: warpath.certify(GRAPH, 0, thing, device="simulated"),
    ):
        with pytest.raises(UsageError, match=said):
            call()


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


def test_tensors_of_pytorch():
    torch = pytest.importorskip("torch")
    assert warpath.as_graph(torch.from_numpy(MATRIX)) == GRAPH
    assert warpath.as_graph(torch.from_numpy(MATRIX > 0)).weights.tolist() == [1, 1, 1]
    assert warpath.sssp(GRAPH, torch.tensor([0, 2]), device="simulated").distances.shape == (2, 3)
    distances = torch.from_dlpack(warpath.sssp(GRAPH, 0, device="simulated").distances)
    assert distances.tolist() == [0, 7, 9]
    with pytest.raises(UsageError, match="grad"):
        warpath.as_graph(torch.ones(2, 2, requires_grad=True))
