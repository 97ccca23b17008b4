"""Graphs with float weights on the simulated GPU and the CPU, against SciPy, bit for bit."""

from functools import partial
from heapq import heappop, heappush

import numpy as np
import pytest
import scipy.sparse.csgraph
from every_device import EVERY_DEVICE, ON_A_GPU, each, opened
from examples import fewer
from hard_graphs import hub
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tiny_graphs import named

import warpath
from warpath.errors import CertificateError, GraphError, NegativeCycleError, NoClustersError
from warpath.solvers import variants
from warpath.solvers.checks.preconditions import negative_cycle
from warpath_study.datasets.generate import generate

KINDS = {
    "uniform": st.floats(0, 1, width=32),
    "tenths": st.integers(0, 20).map(lambda number: number / 10),
    "ties": st.sampled_from([0.1, 0.2, 0.3, 0.30000000000000004]),
    "30 orders of magnitude": st.floats(-15, 15).map(lambda power: 10.0**power),
    "absorbed": st.sampled_from([1.0, 2.0**-53, 2.0**-52, 2.0**-24, 1e-30]),
    "zeros": st.sampled_from([0.0, -0.0, 0.5]),
    "denormal": st.sampled_from([0.0, 1e-45, 1e-44, 1.1754944e-38, 1.1754942e-38]),
    "denormal of 64 bits": st.sampled_from([0.0, 5e-324, 1e-323, 2.2250738585072014e-308, 2.225073858507201e-308]),
    "enormous": st.sampled_from([3e38, 1e38, 1.0, 0.1]),
    "enormous of 64 bits": st.sampled_from([1.7e308, 1e308, 1.0, 0.1]),
}
everywhere = pytest.mark.parametrize("device", ["simulated", "cpu", ON_A_GPU])
FLOATS = [variant for variant in variants() if variant.floats]
WHOLE = [variant for variant in variants() if not variant.floats and variant.problem in ("sssp", "apsp")]


LARGER = {
    "gnutella": generate("gnutella", vertices=1200, arcs=4000),
    "power law": generate("power_law", vertices=600, arcs=4000),
    "roads": generate("road", vertices=1300, arcs=3400),
    "hub": hub(1100, 1, 1),  # a vertex with more arcs than any block has threads
}
SOURCES = [5, 599]


@st.composite
def graphs(draw, vertices_max=40, kinds=KINDS, dtype=None):
    """A graph with loops, parallel arcs and floats of one kind. Half of them have a path through all vertices."""
    vertices = draw(st.integers(1, vertices_max))
    kind = draw(st.sampled_from(sorted(kinds)))
    weight, end = kinds[kind], st.integers(0, vertices - 1)
    arcs = draw(st.lists(st.tuples(end, end, weight), max_size=4 * vertices))
    if draw(st.booleans()):
        arcs += [(vertex, vertex + 1, draw(weight)) for vertex in range(vertices - 1)]
    types = [np.float64] if "64" in kind else [np.float64, np.float32]
    tails, heads, weights = zip(*arcs, strict=True) if arcs else ((), (), ())
    return warpath.from_arcs(vertices, tails, heads, np.array(weights, dtype or draw(st.sampled_from(types))))


@np.errstate(over="ignore")
def reference(graph, source):
    """Distances by Dijkstra's algorithm in the type of the weights."""
    dtype = graph.weights.dtype.type
    distances = np.full(graph.vertices, np.inf, dtype)
    distances[source] = 0
    heap = [(dtype(0), source)]
    while heap:
        at, tail = heappop(heap)
        for arc in range(graph.indptr[tail], graph.indptr[tail + 1]):
            head, total = int(graph.indices[arc]), at + graph.weights[arc]
            if total < distances[head]:
                distances[head] = total
                heappush(heap, (total, head))
    if dtype is np.float64:
        np.testing.assert_array_equal(distances, scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=source))
    return distances


def assert_explained(graph, source, distances, predecessors):
    """Each reached vertex but the source has an arc from its predecessor of exactly the right weight."""
    explained = {(tail, head): set() for tail, head in zip(predecessors, range(graph.vertices), strict=True)}
    with np.errstate(over="ignore"):
        for tail, head, weight in zip(graph.tails(), graph.indices, graph.weights, strict=True):
            if (tail, head) in explained:
                explained[tail, head].add(distances[tail] + weight)
    for vertex, predecessor in enumerate(predecessors):
        if vertex == source or np.isinf(distances[vertex]):
            assert predecessor == -1
        else:
            assert distances[vertex] in explained[predecessor, vertex]


@everywhere
@fewer
@given(graph=graphs(), data=st.data())
def test_one_source_is_scipys_bit_for_bit(graph, data, device):
    source = data.draw(st.integers(0, graph.vertices - 1))
    expected = reference(graph, source)
    paths = warpath.sssp(graph, source, device=device)
    assert paths.distances.dtype == graph.weights.dtype
    np.testing.assert_array_equal(paths.distances, expected)
    np.testing.assert_array_equal(paths.floats(), expected.astype(np.float64))
    np.testing.assert_array_equal(paths.reached, np.isfinite(expected))
    assert paths.certificate.reached == np.isfinite(expected).sum()
    assert_explained(graph, source, paths.distances, paths.predecessors)
    target = data.draw(st.integers(0, graph.vertices - 1))
    path = paths.path_to(target)
    assert (path == []) == np.isinf(expected[target])
    assert path == [] or (path[0], path[-1]) == (source, target)


@each([variant for variant in FLOATS if variant.problem == "sssp" and not variant.on_cpu])
@pytest.mark.parametrize("device", EVERY_DEVICE)
def test_each_solver_on_graphs_of_several_blocks(variant, device):
    device, asked = opened(device), {"algorithm": variant.algorithm, "variant": variant.name}
    for number, (name, of) in enumerate(LARGER.items()):
        drawn = np.random.default_rng(number).exponential(1.0, of.arcs)
        zeros = drawn * (np.arange(of.arcs) % 2)
        kinds = drawn.astype(np.float32), zeros, drawn, (10 * zeros).astype(np.int32)
        some = (number + len(variant.name)) % 4  # another graph for each solver
        for weights in kinds if device.kind == "cuda" else kinds[some : some + 1]:
            graph = warpath.Graph(of.indptr, of.indices, weights)
            expected = warpath.sssp(graph, SOURCES, device="cpu").distances
            for _ in range(3 if device.kind == "cuda" else 1):
                try:
                    found = warpath.sssp(graph, SOURCES, device=device, **asked)
                except NoClustersError as error:
                    pytest.skip(str(error))
                np.testing.assert_array_equal(found.distances, expected, f"{name}, {weights.dtype}")


@pytest.mark.parametrize("device", EVERY_DEVICE)
@pytest.mark.parametrize("degree", [8, 40])
def test_trees_along_zeros_where_threads_share_a_vertex(degree, device):
    device, vertices = opened(device), np.random.default_rng(degree).permutation(600)
    heads = np.arange(1, 600)
    tails, loops = (heads - 1) // 4, np.repeat(vertices, degree)  # a vertex has one predecessor
    tails, heads = [*vertices[tails], *loops], [*vertices[heads], *loops]
    for kind in (np.int32, np.float64):
        graph = warpath.from_arcs(600, tails, heads, np.zeros(len(tails), kind))
        for variant in ("near_far.queue", "label_correcting.batch"):
            algorithm, _, name = variant.partition(".")
            paths = warpath.sssp(graph, [int(vertices[0])] * 5, algorithm=algorithm, variant=name, device=device)
            assert paths.certificate and paths.reached.all()


@everywhere
@fewer
@given(graph=graphs(20), data=st.data())
def test_many_sources_and_all_pairs_are_scipys_bit_for_bit(graph, data, device):
    expected = np.array([reference(graph, source) for source in range(graph.vertices)])
    paths = warpath.apsp(graph, device=device)
    np.testing.assert_array_equal(paths.distances, expected)
    for source in range(graph.vertices):
        assert_explained(graph, source, paths.distances[source], paths.predecessors[source])
    assert paths.certificate.reached == np.isfinite(expected).sum()
    vertex = st.integers(0, graph.vertices - 1)
    sources, targets = data.draw(st.lists(vertex, min_size=1, max_size=9)), data.draw(st.lists(vertex, max_size=3))
    solver = warpath.prepare(graph, device)
    np.testing.assert_array_equal(solver.sssp(sources).distances, expected[sources])
    rows = [row for _, part in solver.stream(sources, targets=targets, chunk=2) for row in part]
    np.testing.assert_array_equal(np.array(rows).reshape(len(sources), -1), expected[np.ix_(sources, targets)])


@everywhere
@fewer
@example(graph=warpath.from_arcs(2, [0], [1], np.array([0.3], np.float32)), cutoff=0.3)  # 0.3 is more in float32
@given(graph=graphs(), cutoff=st.one_of(st.floats(0, 3), st.sampled_from([0.1, 0.30000000000000004, 1, 1e9, np.inf])))
def test_a_cutoff_is_a_float(graph, cutoff, device):
    expected = reference(graph, 0)
    far = expected.astype(np.float64) > cutoff
    paths = warpath.sssp(graph, 0, cutoff=cutoff, device=device)
    np.testing.assert_array_equal(paths.distances, np.where(far, np.inf, expected))
    assert (paths.predecessors[far] == -1).all()


@each(FLOATS)
@settings(max_examples=6)
@given(graph=graphs())
def test_every_solver_of_floats_is_exact(variant, graph):
    asked = {"algorithm": variant.algorithm, "variant": variant.name, "device": "simulated"}
    expected = [reference(graph, source) for source in range(min(3, graph.vertices))]
    if variant.problem == "sssp" or variant.many_sources:
        paths = warpath.sssp(graph, list(range(len(expected))), **asked)
    else:
        paths = warpath.apsp(graph, **asked)
    np.testing.assert_array_equal(paths.distances[: len(expected)], expected)
    for source in range(len(expected)):
        assert_explained(graph, source, paths.distances[source], paths.predecessors[source])


def test_other_variants_refuse_floats():
    graph = warpath.from_arcs(3, [0, 1], [1, 2], [0.5, 1.5])
    for variant in WHOLE:
        asked = {"algorithm": variant.algorithm, "variant": variant.name, "device": "simulated"}
        with named(variant.name), pytest.raises(GraphError, match="float64"):
            warpath.apsp(graph, **asked) if variant.problem == "apsp" else warpath.sssp(graph, 0, **asked)


@fewer
@given(graph=graphs(12), data=st.data())
def test_answers_of_others_are_certified_to_the_last_bit(graph, data):
    rows = np.array([reference(graph, source) for source in range(graph.vertices)])
    assert warpath.certify(graph, None, rows, device="simulated").reached == np.isfinite(rows).sum()
    row, vertex = (data.draw(st.integers(0, graph.vertices - 1)) for _ in range(2))
    assert warpath.certify(graph, row, rows[row].astype(np.float64), device="simulated")
    with np.errstate(under="ignore"):
        wrong = data.draw(
            st.sampled_from(
                [np.nextafter(rows[row, vertex], rows.dtype.type(toward)) for toward in (-np.inf, np.inf)]
                + [rows.dtype.type(np.nan), rows.dtype.type(-np.inf)]
            )
        )
    if wrong != rows[row, vertex]:
        rows[row, vertex] = wrong
        for answer, source in ((rows[row], row), (rows, None)):
            with pytest.raises(CertificateError):
                warpath.certify(graph, source, answer, device="simulated")


def test_certificates_take_integers_and_scipys_predecessors():
    graph = warpath.from_arcs(4, [0, 1, 0], [1, 2, 2], [0.5, 1.5, 3.0])
    distances, predecessors = scipy.sparse.csgraph.dijkstra(graph.to_scipy(), indices=0, return_predecessors=True)
    assert warpath.certify(graph, 0, distances, predecessors, device="simulated").reached == 3
    whole = warpath.from_arcs(3, [0], [1], np.array([2.0]))
    assert warpath.certify(whole, 0, [0, 2, np.inf], device="simulated").reached == 2
    # Among floats, the first two are distances.
    for far in (np.array([0, 2, 2**31 - 1]), [0, 2, 2.0**31 - 1], ["a", "b", "c"]):
        with pytest.raises(CertificateError):
            warpath.certify(whole, 0, far, device="simulated")


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_a_weight_that_is_not_finite_is_refused_with_its_position(dtype):
    for wrong in (np.nan, np.inf, -np.inf):
        weights = np.array([0.5, wrong, 2], dtype)
        with pytest.raises(GraphError, match=rf"weights\[1\] is {wrong}"):
            warpath.from_arcs(3, [0, 1, 2], [1, 2, 0], weights)
        matrix = scipy.sparse.csr_array((weights.astype(np.float64), ([0, 1, 2], [1, 2, 0])), shape=(3, 3))
        with pytest.raises(GraphError, match=r"entry \(1, 2\)"):
            warpath.from_matrix(matrix)


def test_types_of_weights():
    def weights(*values, dtype=None):
        return warpath.from_arcs(2, [0] * len(values), [1] * len(values), np.array(values, dtype)).weights

    zero = weights(-0.0, 0.0)
    assert not np.signbit(zero).any()
    assert weights(-0.0, 1, dtype=np.float32).dtype == np.float32
    assert weights(0.1, dtype=np.float16).tolist() == [float(np.float16(0.1))]
    assert weights(0.1, dtype=np.float16).dtype == np.float32
    assert weights(0.1, 2**40).dtype == np.float64
    assert weights(1, 2, dtype=np.int64).dtype == np.int32
    with pytest.raises(GraphError, match="64"):
        weights(0.1, dtype=np.longdouble)
    with pytest.raises(GraphError, match=r"weights\[1\]"):
        weights(0, 2**31 - 1, dtype=np.int64)


@everywhere
def test_a_sum_beyond_the_largest_float_reaches_nothing(device):
    for dtype in (np.float32, np.float64):
        largest = np.finfo(dtype).max
        graph = warpath.from_arcs(12, range(11), range(1, 12), np.array([largest] * 2 + [1] * 9, dtype))
        paths = warpath.sssp(graph, 0, device=device)
        assert paths.distances.tolist() == [0, largest] + [np.inf] * 10
        assert paths.certificate.reached == 2


def bellman_ford(graph, source):
    """Distances with weights of any sign, None if a rounded sum falls around a cycle."""
    distances = np.full(graph.vertices, np.inf, graph.weights.dtype)
    distances[source] = 0
    for _ in range(graph.vertices + 1):
        before = distances.copy()
        np.minimum.at(distances, graph.indices, distances[graph.tails()] + graph.weights)
        if np.array_equal(before, distances):
            break
    else:
        return None
    tails, heads = graph.tails(), graph.indices
    tight = np.isfinite(distances[heads]) & (distances[tails] + graph.weights == distances[heads])
    on_a_path = np.arange(graph.vertices) == source
    for _ in range(graph.vertices):
        on_a_path[heads[tight & on_a_path[tails]]] = True
    return distances if distances[source] == 0 and on_a_path[np.isfinite(distances)].all() else None


NEGATIVE = {
    "tenths": st.integers(-4, 20).map(lambda number: number / 10),
    "rounded": st.sampled_from([-0.1, 0.1, 0.2, -0.3, 0.3, 0.7]),
    "orders": st.sampled_from([-1.0, 1.0, 1e-17, -1e-17, 2e16, 0.5]),
}


@everywhere
@fewer
@example(graph=warpath.from_arcs(3, [0, 1, 2], [1, 2, 1], np.array([0.1, 0.3, -0.3], np.float32)))  # falls once
@example(graph=warpath.from_arcs(5, [0, 1, 2, 0, 3, 4], [1, 2, 1, 3, 4, 2], [2.5, 1e16, -1e16, 0, 0, 1e16 + 2]))  # tie
@given(graph=graphs(12, NEGATIVE))
def test_negative_floats(graph, device):
    expected = bellman_ford(graph, 0)
    if expected is None:
        with pytest.raises(NegativeCycleError):
            warpath.sssp(graph, 0, device=device)
        return
    paths = warpath.sssp(graph, 0, device=device)
    np.testing.assert_array_equal(paths.distances, expected)
    assert_explained(graph, 0, paths.distances, paths.predecessors)


WHOLE_SIGNED = {"mixed": st.integers(-3, 9), "about zero": st.integers(-1, 1), "few below zero": st.integers(-1, 40)}


@fewer
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
@given(data=st.data())
def test_a_cycle_is_found_if_a_source_reaches_one_and_named_by_its_vertices(data, dtype):
    graph = data.draw(graphs(9, WHOLE_SIGNED if dtype is np.int32 else NEGATIVE | WHOLE_SIGNED, dtype))
    tails, heads, weights = graph.tails(), graph.indices, graph.weights
    rest = np.full(graph.vertices, graph.vertices), np.arange(graph.vertices), np.zeros(graph.vertices, dtype)
    from_all = (np.append(*pair) for pair in zip((tails, heads, weights), rest, strict=True))
    extended = warpath.from_arcs(graph.vertices + 1, *from_all)
    for source in (None, *range(graph.vertices)):
        cycle = negative_cycle(graph, source)
        of, start = (extended, graph.vertices) if source is None else (graph, source)
        if dtype is np.int32:
            of = warpath.Graph(of.indptr, of.indices, of.weights.astype(np.float64))
        assert (cycle == []) == (bellman_ford(of, start) is not None)
        if cycle:
            steps = zip(cycle, [*cycle[1:], cycle[0]], strict=True)
            lightest = [weights[(tails == tail) & (heads == head)].min() for tail, head in steps]
            assert len(set(cycle)) == len(cycle)
            assert dtype is not np.int32 or sum(lightest) < 0


FAR = 1e16  # of which the neighbours differ by 2


@everywhere
def test_a_cycle_is_negative_if_its_rounded_sum_falls(device):
    for start, cycle, falls in (
        (0.0, [0.1, -0.1], False),
        (0.0, [0.1, 0.2, -0.3], False),
        (0.0, [0.3, -(0.1 + 0.2)], True),
        (FAR, [0.9, 0.9, -1.5], True),
        (FAR, [0.5, -0.6], False),
        (FAR, [-0.5, -0.5], False),
    ):
        vertices = list(range(1, len(cycle) + 1))
        heads = [*vertices[1:], 1]
        graph = warpath.from_arcs(len(cycle) + 1, [0, *vertices], [1, *heads], [start, *cycle])
        with named(f"{cycle} from {start}"):
            if falls:
                for ask in (warpath.apsp, partial(warpath.sssp, source=0)):
                    with pytest.raises(NegativeCycleError):
                        ask(graph, certify=start == FAR, device=device)
            else:
                distances = warpath.sssp(graph, 0, device=device).distances
                np.testing.assert_array_equal(distances, bellman_ford(graph, 0))
