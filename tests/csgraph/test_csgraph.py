"""warpath.csgraph against scipy.sparse.csgraph: the same calls, the same answers."""

import inspect
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph
from examples import fewer
from hypothesis import given
from hypothesis import strategies as st
from tiny_graphs import named

import warpath.csgraph
from warpath.certificates.on_device import DeviceCertifier
from warpath.csgraph import functions
from warpath.errors import CertificateError, GraphError

FUNCTIONS = ["dijkstra", "bellman_ford", "johnson", "floyd_warshall", "shortest_path"]
WITH_INDICES = [name for name in FUNCTIONS if name != "floyd_warshall"]
NONE = -9999


def ours(name):
    """A function of warpath.csgraph on the simulated GPU."""
    function = getattr(warpath.csgraph, name)
    return lambda *arguments, **options: function(*arguments, device="simulated", **options)


def scipys(name):
    return getattr(scipy.sparse.csgraph, name)


def lightest(matrix, directed, unweighted=False):
    """The weight of the lightest arc between each pair, inf for none, read apart from the code under test."""
    if scipy.sparse.issparse(matrix):
        matrix = matrix.tocsr().astype(float)
        weights = np.full(matrix.shape, np.inf)
        entries = matrix.tocoo()
        np.minimum.at(weights, (entries.row, entries.col), entries.data.astype(float))
    else:
        matrix = np.asarray(matrix, float)
        weights = np.where(np.abs(matrix) < 1e-8, np.inf, matrix)  # no arcs for SciPy
    if unweighted:
        weights[np.isfinite(weights)] = 1
    return weights if directed else np.minimum(weights, weights.T)


def assert_same(got, expected, weights):
    """Distances as scipy's; predecessors where scipy has some, and they explain the distances."""
    assert type(got) is type(expected)
    got, expected = (answer if isinstance(answer, tuple) else (answer,) for answer in (got, expected))
    for array, of_scipy in zip(got, expected, strict=True):
        assert array.shape == of_scipy.shape
        assert array.dtype == of_scipy.dtype
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-12, atol=1e-12)
    if len(got) == 1 or not got[0].size:
        return
    np.testing.assert_array_equal(got[1] == NONE, expected[1] == NONE)
    n = len(weights)
    for distances, predecessors in zip(got[0].reshape(-1, n), got[1].reshape(-1, n), strict=True):
        for vertex in np.flatnonzero(predecessors != NONE):
            tail = predecessors[vertex]
            assert distances[vertex] == pytest.approx(distances[tail] + weights[tail, vertex], abs=1e-9)
            steps = 0
            while predecessors[vertex] != NONE:
                vertex, steps = predecessors[vertex], steps + 1
                assert steps < n, "the predecessors form a circle"


WEIGHTS = st.sampled_from([0, 1, 2, 3, 5, 9, 0.5, 0.25, 0.1, 0.7, 12.34, 100])
FORMATS = ["dense", "list", "csr", "csc", "coo", "lil"]


@st.composite
def matrices(draw, weights=WEIGHTS):
    """A matrix in one of the formats; sparse ones have stored zeros, COO has duplicates."""
    n = draw(st.integers(1, 6))
    form = draw(st.sampled_from(FORMATS))
    vertex = st.integers(0, n - 1)
    arcs = draw(st.lists(st.tuples(vertex, vertex, weights), max_size=14))
    if form == "coo":
        tails, heads, data = ([arc[part] for arc in arcs] for part in range(3))
        return scipy.sparse.coo_array((np.array(data, float), (tails, heads)), shape=(n, n))
    dense = np.zeros((n, n))
    for tail, head, weight in arcs:
        dense[tail, head] = weight
    if form in ("dense", "list"):
        return dense if form == "dense" else dense.tolist()
    tails, heads = (np.array(sorted({arc[:2] for arc in arcs}), int).reshape(-1, 2)).T
    return scipy.sparse.coo_array((dense[tails, heads], (tails, heads)), shape=(n, n)).asformat(form)


@given(data=st.data())
def test_answers_as_scipy(data):
    name = data.draw(st.sampled_from(FUNCTIONS))
    matrix = data.draw(matrices())
    n = np.shape(matrix)[0]
    options = {
        "directed": data.draw(st.booleans()),
        "unweighted": data.draw(st.booleans()),
        "return_predecessors": data.draw(st.sampled_from([True, False, "no", None, np.True_])),
    }
    if name != "floyd_warshall":
        vertex = st.integers(-n, n - 1)
        options["indices"] = data.draw(st.one_of(st.none(), vertex, st.lists(vertex, max_size=3)))
    if name == "dijkstra":
        options["limit"] = data.draw(st.sampled_from([np.inf, 0, 1, 3.5, 12, np.nan]))
    if name == "shortest_path":
        method = data.draw(st.sampled_from(["auto", "D", "BF", "J", "FW"]))
        options["method"] = method
        if method == "FW":
            del options["indices"]
        if isinstance(matrix, list):
            matrix = np.array(matrix)  # scipy's shortest_path takes no list
    # scipy's Floyd-Warshall takes no COO; what it would add up is its own affair, so both get CSR.
    if scipy.sparse.issparse(matrix) and name in ("floyd_warshall", "shortest_path"):
        matrix = matrix.tocsr()
    try:
        expected = scipys(name)(matrix, **options)
    except scipy.sparse.csgraph.NegativeCycleError:
        # Without negative weights: scipy takes the rounding of 100 + 0.7 - 100 < 0.7 for a negative cycle.
        assert options.pop("method", name) in ("bellman_ford", "BF")
        expected = scipys("dijkstra")(matrix, **options)
        name = "bellman_ford"
    weights = lightest(matrix, options["directed"], options["unweighted"])
    assert_same(ours(name)(matrix, **options), expected, weights)


@given(data=st.data())
def test_negative_weights_as_scipy(data):
    name = data.draw(st.sampled_from(FUNCTIONS))
    matrix = data.draw(matrices(st.sampled_from([-2, -1, -0.5, 1, 2, 3, 4])))
    if name == "shortest_path":
        matrix = np.array(matrix) if isinstance(matrix, list) else matrix
    if scipy.sparse.issparse(matrix):
        matrix = matrix.tocsr()
    directed = data.draw(st.sampled_from([True, True, True, False]))
    options = {"directed": directed, "return_predecessors": True}
    if name in ("dijkstra", "bellman_ford", "johnson"):
        options["indices"] = [0]
    try:
        # scipy's Dijkstra warns of negative weights, and is wrong.
        expected = scipys("bellman_ford" if name == "dijkstra" else name)(matrix, **options)
    except scipy.sparse.csgraph.NegativeCycleError:
        with pytest.raises(scipy.sparse.csgraph.NegativeCycleError, match="negative weight"):
            ours(name)(matrix, **options)
        return
    assert_same(ours(name)(matrix, **options), expected, lightest(matrix, directed))


@given(data=st.data())
def test_min_only_as_scipy(data):
    matrix = data.draw(matrices())
    n = np.shape(matrix)[0]
    indices = data.draw(st.one_of(st.none(), st.integers(0, n - 1), st.lists(st.integers(0, n - 1), max_size=4)))
    directed, limit = data.draw(st.booleans()), data.draw(st.sampled_from([np.inf, 0, 2, np.nan]))
    options = {"indices": indices, "directed": directed, "limit": limit, "min_only": True}
    expected = scipys("dijkstra")(matrix, return_predecessors=True, **options)
    distances, predecessors, sources = got = ours("dijkstra")(matrix, return_predecessors=True, **options)
    assert_same(got[:2], expected[:2], lightest(matrix, directed))
    assert sources.dtype == expected[2].dtype
    np.testing.assert_array_equal(sources == NONE, np.isinf(distances))
    given_sources = np.arange(n) if indices is None else np.atleast_1d(indices).astype(int)
    np.testing.assert_array_equal(sources[given_sources], given_sources)
    for vertex in np.flatnonzero(predecessors != NONE):
        assert sources[vertex] == sources[predecessors[vertex]]
    np.testing.assert_array_equal(ours("dijkstra")(matrix, **options), distances)


def test_a_source_at_distance_zero_of_another_is_a_root(monkeypatch):
    """Whichever of the shortest paths a device finds: this one leads to source 1 through source 0."""
    solve = functions.sssp

    def through_another(graph, source, **options):
        paths = solve(graph, source, **options)
        return replace(paths, predecessors=np.where(np.arange(graph.vertices) == 1, 0, paths.predecessors))

    monkeypatch.setattr(functions, "sssp", through_another)
    matrix = scipy.sparse.csr_array(([0, 3], ([0, 1], [1, 2])), shape=(3, 3))
    _, predecessors, sources = ours("dijkstra")(matrix, indices=[0, 1], min_only=True, return_predecessors=True)
    assert (predecessors.tolist(), sources.tolist()) == ([NONE, NONE, 1], [0, 1, 1])


def test_signature_is_scipys_and_two_keywords():
    def parameters(function):
        return [(each.name, each.default, each.kind) for each in inspect.signature(function).parameters.values()]

    keyword = inspect.Parameter.KEYWORD_ONLY
    own = [("device", "auto", keyword), ("certify", True, keyword)]
    for name in FUNCTIONS:
        assert parameters(getattr(warpath.csgraph, name)) == parameters(scipys(name)) + own


MATRICES = [
    np.zeros((0, 0)),
    scipy.sparse.csr_array((0, 0)),
    np.zeros((1, 1)),
    np.array([[0, 1], [2, 0]]),
    np.array([[False, True], [True, False]]),
    np.array([[0, np.inf, np.nan], [-np.inf, 0, 1], [2, 0, 0]]),
    np.ma.array([[0, 0, 3], [2, 0, 0], [0, 9, 0]], mask=[[1, 0, 0], [0, 1, 1], [0, 1, 1]]),
    scipy.sparse.csr_array(([np.inf, 1.0, np.nan], ([0, 1, 1], [1, 0, 2])), shape=(3, 3)),
    scipy.sparse.csr_array(([5, 2], [1, 1], [0, 2, 2]), shape=(2, 2)),
    scipy.sparse.csr_array(([5.0, 2.0], [1, 1], [0, 2, 2]), shape=(2, 2)),
    scipy.sparse.csc_array(([5.0, 2.0], [0, 0], [0, 0, 2]), shape=(2, 2)),
    np.array([[4.0, 2], [1, 3]]),
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_counts_as_an_edge(name):
    for matrix in MATRICES:
        with named(repr(matrix)):
            expected = scipys(name)(matrix, return_predecessors=True)
            got = ours(name)(matrix, return_predecessors=True)
            np.testing.assert_array_equal(got[0], expected[0])
            np.testing.assert_array_equal(got[1], expected[1])
            assert [array.dtype for array in got] == [array.dtype for array in expected]


@pytest.mark.filterwarnings("ignore:Graph has negative weights")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_stored_inf_and_nan_as_scipy(name):
    for unweighted, weight in product([False, True], [np.inf, np.nan, -np.inf]):
        with named(f"{weight}, unweighted: {unweighted}"):
            entries = [weight, 1.0, 2.0, 4.0], ([0, 1, 2, 0], [1, 2, 3, 2])
            matrix = scipy.sparse.csr_array(entries, shape=(5, 5))
            options = {"unweighted": unweighted, "return_predecessors": True}
            if name == "shortest_path":
                options["method"] = "D"
            if weight == -np.inf and (name == "floyd_warshall" or not unweighted):
                with pytest.raises(GraphError, match=r"\(0, 1\)"):
                    ours(name)(matrix, **options)
            else:
                for got, expected in zip(ours(name)(matrix, **options), scipys(name)(matrix, **options), strict=True):
                    np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_nan_that_is_not_masked_as_scipy(name):
    """SciPy's Floyd-Warshall alone takes it for an arc whatever the weights."""
    mask = [[True, False, True], [True, True, False], [True, True, False]]
    matrix = np.ma.array([[0, np.nan, 0], [0, 0, 2], [0, 0, np.nan]], mask=mask)
    options = {"method": "J"} if name == "shortest_path" else {}
    for unweighted in (False, True):
        if name == "floyd_warshall" and not unweighted:
            with pytest.raises(GraphError, match=r"\(0, 1\)"):
                ours(name)(matrix)
        else:
            expected = scipys(name)(matrix, unweighted=unweighted, **options)
            np.testing.assert_array_equal(ours(name)(matrix, unweighted=unweighted, **options), expected)


def test_floyd_warshall_takes_formats_that_scipys_refuses():
    matrix = np.array([[0, 0.1, 0, 0.7], [0, 0, 0.2, 0], [0, 0, 0, 0.3], [0, 0, 0, 0]])
    for kind in (scipy.sparse.coo_array, scipy.sparse.dia_array):
        np.testing.assert_array_equal(ours("floyd_warshall")(kind(matrix)), scipys("dijkstra")(matrix))


NO_MATRICES = [np.array(1.0), 3, None, "abc", {}, {1, 2}, np.zeros(3), np.zeros((2, 3)), np.zeros((2, 2, 2))]
NO_MATRICES += [
    [[1, 2], [3]],
    np.ma.array(1.0),
    np.ma.zeros(3),
    scipy.sparse.csr_array((2, 3)),
    scipy.sparse.coo_array(np.zeros(3)),
]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_refuses_what_is_no_square_matrix(name):
    for matrix in NO_MATRICES:
        for function in (scipys(name), ours(name)):
            with named(repr(matrix)), pytest.raises(ValueError):
                function(matrix)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", WITH_INDICES)
def test_indices_as_scipy(name):
    matrix = np.array([[0, 1], [3, 0]])
    for indices in (2, -3, [0, 2], [[0], [-3]]):
        for function in (scipys(name), ours(name)):
            with named(repr(indices)), pytest.raises(ValueError, match="indices"):
                function(matrix, indices=indices)
    for indices in (1.7, "1", True, [0, 0.5], [False, True], [-0.5], 1.0):  # cut to whole numbers
        with named(repr(indices)):
            np.testing.assert_array_equal(ours(name)(matrix, indices=indices), scipys(name)(matrix, indices=indices))
    for indices in (np.nan, [np.inf], [None], "a"):
        with named(repr(indices)):
            with pytest.raises((ValueError, TypeError, OverflowError)) as refusal:
                scipys(name)(matrix, indices=indices)
            with pytest.raises(refusal.type):
                ours(name)(matrix, indices=indices)
    for index in (np.uint64(2**64 - 1), 2**32, 2.0**64, np.inf, -(2**63), -(2**32)):  # cut to vertices
        for indices in (index, [index, 0]):
            with named(repr(indices)), pytest.raises(ValueError):
                ours(name)(matrix, indices=np.array(indices, np.asarray(index).dtype))


def test_refuses_a_limit_method_and_indices_as_scipy():
    matrix = np.array([[0, 1.0], [1, 0]])
    for of in (scipys, ours):
        with pytest.raises(ValueError):
            of("dijkstra")(matrix, limit=-1)
        for limit in (None, "1", b"1", [1], 1j):
            with pytest.raises(TypeError):
                of("dijkstra")(matrix, limit=limit)
        for method in ("d", ["D"], None):
            with pytest.raises(ValueError):
                of("shortest_path")(matrix, method=method)
        with pytest.raises(ValueError):
            of("shortest_path")(matrix, method="FW", indices=0)


@pytest.mark.parametrize("name", WITH_INDICES)
def test_the_answer_has_the_shape_of_the_indices(name):
    matrix = np.array([[0, 3, 3, 0], [0, 0, 0, 2], [0, 0, 0, 1], [1, 0, 0, 0]], float)
    for shape in ((4,), (4, 1), (2, 2), (0,)):
        indices = np.arange(4)[: int(np.prod(shape))].reshape(shape)
        got, expected = ours(name)(matrix, indices=indices), scipys(name)(matrix, indices=indices)
        assert got.shape == (*shape, 4)
        np.testing.assert_array_equal(got, expected)


class OfSubclass(np.ndarray):
    pass


STORED = {
    "C": np.ndarray.copy,
    "Fortran": np.asfortranarray,
    "reversed": lambda matrix: matrix[::-1, ::-1].copy()[::-1, ::-1],
    "strided": lambda matrix: matrix.repeat(2, axis=1)[:, ::2],
    "np.matrix": np.matrix,
    "subclass": lambda matrix: matrix.copy().view(OfSubclass),
    "masked": lambda matrix: np.ma.masked_equal(matrix.copy(), 0),
    "no mask": lambda matrix: np.ma.array(matrix.copy()),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("name", ["floyd_warshall", "shortest_path"])
def test_overwrite_puts_the_distances_into_the_matrix(name):
    """SciPy's are wrong if rows are not contiguous."""
    for how, stored in STORED.items():
        with named(how):
            matrix = stored(np.array([[0, 1, 0], [2, 0, 1], [3, 1, 0]], float))
            expected = scipy.sparse.csgraph.floyd_warshall(np.array(matrix, order="C"))
            kept = matrix.copy()
            np.testing.assert_array_equal(ours(name)(matrix), expected)
            np.testing.assert_array_equal(matrix, kept)
            got = ours(name)(matrix, overwrite=True)
            assert type(got) is np.ndarray and np.shares_memory(got, matrix)
            np.testing.assert_array_equal(np.asarray(matrix), expected)


class OfAnotherLibrary:
    """An array that other libraries see through DLPack alone."""

    def __init__(self, array):
        self.__dlpack__, self.__dlpack_device__ = array.__dlpack__, array.__dlpack_device__


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays_of_other_libraries(name):
    matrix = np.array([[0, 1.5, 0], [0, 0, 2], [0, 0, 0]])
    np.testing.assert_array_equal(ours(name)(OfAnotherLibrary(matrix)), scipys(name)(matrix))
    if name in WITH_INDICES:
        got = ours(name)(OfAnotherLibrary(matrix), indices=OfAnotherLibrary(np.array([1, 0])))
        np.testing.assert_array_equal(got, scipys(name)(matrix, indices=[1, 0]))


def test_a_negative_cycle_that_no_source_reaches_counts_for_johnson_alone():
    matrix = np.array([[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, -2], [0, 0, 1, 0]], float)
    for of in (scipys, ours):
        np.testing.assert_array_equal(of("bellman_ford")(matrix, indices=0), [0, 1, np.inf, np.inf])
        for indices in (0, []):
            with pytest.raises(warpath.csgraph.NegativeCycleError):
                of("johnson")(matrix, indices=indices)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_answers_are_certified_unless_declined(name, monkeypatch):
    def wrong():
        raise CertificateError("the answer is wrong")

    monkeypatch.setattr(DeviceCertifier, "begin", lambda *_: wrong)
    matrix = np.array([[0, 1.5], [2, 0]])
    with pytest.raises(CertificateError):
        ours(name)(matrix)
    np.testing.assert_array_equal(ours(name)(matrix, certify=False), matrix)


FLOATS = {
    "uniform": st.floats(0, 1),
    "tenths": st.integers(0, 30).map(lambda number: number / 10),
    "30 orders of magnitude": st.floats(-15, 15).map(lambda power: 10.0**power),
    "absorbed": st.sampled_from([1.0, 2.0**-53, 2.0**-52, 1 + 2.0**-52, 1e-300]),
    "denormal": st.sampled_from([0.0, 5e-324, 1e-323, 2.2250738585072014e-308, 2.225073858507201e-308]),
    "enormous": st.sampled_from([1e308, 1.7e308, 1.0, 0.1]),
    "integers of 31 bits": st.sampled_from([2**31 - 2, 2**31 - 1, 2**30, 1, 0]).map(float),
    "integers of 54 bits": st.sampled_from([2.0**53, 2.0**53 - 1, 3, 1]),
}


@st.composite
def float_matrices(draw):
    """A matrix of floats of one kind, dense or sparse with stored zeros, perhaps float32."""
    vertices = draw(st.integers(1, 12))
    vertex = st.integers(0, vertices - 1)
    weights = draw(st.sampled_from(sorted(FLOATS)).map(FLOATS.get))
    arcs = draw(st.dictionaries(st.tuples(vertex, vertex), weights, max_size=40))
    tails, heads = np.array(sorted(arcs), int).reshape(-1, 2).T
    data = np.array([arcs[pair] for pair in sorted(arcs)])
    if data.max(initial=0) < 1e30:
        data = data.astype(draw(st.sampled_from([np.float64, np.float64, np.float32])))
    matrix = scipy.sparse.csr_array((data, (tails, heads)), shape=(vertices, vertices))
    return matrix if draw(st.booleans()) else matrix.toarray()


@fewer
@given(matrix=float_matrices(), directed=st.booleans(), limit=st.sampled_from([np.inf, 0, 0.3, 1, 1e9]))
def test_distances_are_scipys_bit_for_bit(matrix, directed, limit):
    options = {"directed": directed, "limit": limit}
    expected = scipys("dijkstra")(matrix, **options)
    np.testing.assert_array_equal(ours("dijkstra")(matrix, **options), expected)
    np.testing.assert_array_equal(ours("dijkstra")(matrix, indices=0, **options), expected[0])
    np.testing.assert_array_equal(
        ours("dijkstra")(matrix, indices=[0, -1], min_only=True, **options), np.minimum(expected[0], expected[-1])
    )
    if limit == np.inf:
        for name in ("bellman_ford", "johnson", "floyd_warshall"):
            got, predecessors = ours(name)(matrix, directed=directed, return_predecessors=True)
            np.testing.assert_array_equal(got, expected, err_msg=name)
            weights = lightest(matrix, directed)
            for row, vertex in np.argwhere(predecessors != NONE):
                tail = predecessors[row, vertex]
                assert got[row, tail] + weights[tail, vertex] == got[row, vertex]


def test_sums_of_whole_numbers_beyond_32_bits_are_exact():
    for middle, far in ((1, 2e9 + 1), (2e9, 4e9), (2**53 - 4e9, 2**53 - 2e9)):
        for options in ({"indices": 0}, {"indices": [0], "min_only": True}):
            assert ours("dijkstra")([[0, 2e9, 0], [0, 0, middle], [0, 0, 0]], **options)[2] == far


def test_a_matrix_that_has_changed_has_new_distances():
    matrix = np.array([[0, 1.5], [2, 0]])
    for weight in (1.5, 2.5):
        matrix[0, 1] = weight
        for of in (matrix, scipy.sparse.csr_array(matrix)):
            for name in WITH_INDICES:
                assert ours(name)(of, indices=0)[1] == weight
