"""All pairs of graphs with floats: sums in any order find the arcs along which sums from the sources on are exact."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from examples import fewer
from float_sums import least_sums_of_all
from hypothesis import given, strategies
from late_device import LateDevice, Lot
from test_floyd_warshall import SHAPES
from tiny_graphs import named

import warpath
from warpath.certificates.certificate import certify
from warpath.certificates.on_device import DeviceCertifier
from warpath.device import open_device
from warpath.device.resident import resident
from warpath.errors import CertificateError, DeviceError, GraphError
from warpath.graphs.csr import Graph, from_arcs
from warpath.solvers import find, variants
from warpath.solvers.all_pairs.lookahead import OF_DOUBLES
from warpath.solvers.all_pairs.shared_rows import SharedRows
from warpath.solvers.checks.preconditions import check_weights
from warpath.solvers.float_sums import guided_rows
from warpath.solvers.float_sums.guided_rows import GuidedByRounded
from warpath_study.measure.plans import plan_of

TYPES = np.float32, np.float64
SMALL = {"shape": SHAPES[0]}
SOLVERS = {
    "floyd_warshall lookahead": SMALL,
    "floyd_warshall lookahead, other tiles": {"shape": SHAPES[2]},
    "floyd_warshall shared_rows": SMALL,
    "floyd_warshall shared_rows, three devices": {**SMALL, "devices": 3},
}


each_type = pytest.mark.parametrize("dtype", TYPES, ids=["float32", "float64"])


def weights_of(kind: str, count: int, dtype, numbers) -> np.ndarray:
    limits = np.finfo(dtype)
    kinds = {
        "uniform": lambda: numbers.random(count),
        "skewed": lambda: numbers.random(count) ** 8,
        "tenths": lambda: numbers.integers(1, 9, count) / 10,
        "zeros": lambda: numbers.integers(0, 2, count) * 0.1,
        "denormal": lambda: numbers.integers(0, 5, count) * float(limits.smallest_subnormal),
        "every magnitude": lambda: numbers.random(count) * 2.0 ** numbers.integers(-40, 40, count),
        "absorbed": lambda: numbers.choice([1, 1, 3, 0, limits.eps / 9, limits.eps / 2, limits.eps], count),
        "greatest": lambda: float(limits.max) * numbers.choice([1, 0.5, 0.25, 1e-9, 1 / 3, limits.eps / 4], count),
        "equal": lambda: np.full(count, 0.1),
    }
    return kinds[kind]().astype(dtype)


KINDS = "uniform", "skewed", "tenths", "zeros", "denormal", "every magnitude", "absorbed", "greatest", "equal"


def random_graph(vertices: int, arcs: int, kind: str, dtype, seed: int) -> Graph:
    numbers = np.random.default_rng(seed)
    ends = numbers.integers(0, vertices, (2, arcs))
    return from_arcs(vertices, *ends, weights_of(kind, arcs, dtype, numbers))


def near_ties(vertices: int, arcs: int, dtype, seed: int) -> Graph:
    """A path in random order, and arcs whose weights are a few units of the last place from sums along it."""
    numbers = np.random.default_rng(seed)
    order, steps = numbers.permutation(vertices), numbers.random(vertices - 1).astype(dtype)
    sums = np.append(0, np.cumsum(steps.astype(np.longdouble)))
    ends = np.sort(numbers.integers(0, vertices, (2, arcs)), axis=0)
    off = 1 + numbers.integers(-3, 4, arcs) * np.finfo(dtype).eps
    weights = ((sums[ends[1]] - sums[ends[0]]) * off).astype(dtype)
    tails, heads = np.append(order[:-1], order[ends[0]]), np.append(order[1:], order[ends[1]])
    return from_arcs(vertices, tails, heads, np.append(steps, weights))


@strategies.composite
def graphs(draw, vertices_max: int = 45) -> Graph:
    vertices = draw(strategies.integers(1, vertices_max))
    arcs = vertices * draw(strategies.sampled_from([1, 3, 8, 30]))
    kind, dtype = draw(strategies.sampled_from([*KINDS, "near ties"])), draw(strategies.sampled_from(TYPES))
    seed = draw(strategies.integers(0, 2**32 - 1))
    return (
        near_ties(vertices, arcs, dtype, seed)
        if kind == "near ties"
        else random_graph(vertices, arcs, kind, dtype, seed)
    )


def check(graph: Graph, distances: np.ndarray, predecessors: np.ndarray | None) -> None:
    assert distances.dtype == graph.weights.dtype
    np.testing.assert_array_equal(distances, least_sums_of_all(graph))
    certify(graph, None, distances, predecessors)


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return opened(request.param)


def planned(device, solver: str, graph: Graph, **extra):
    name, options = solver.partition(",")[0].split(), {**SOLVERS[solver], **extra}
    try:
        device.peers(options.get("devices", 1))
    except DeviceError as error:
        pytest.skip(str(error))
    return plan_of(find(*name), device, graph, None, **options)


@pytest.mark.parametrize("solver", SOLVERS)
@fewer
@given(graph=graphs())
def test_every_solver_is_exact(device, solver, graph):
    plan = planned(device, solver, graph)
    for _ in range(2):
        solution = plan.solve()
        check(graph, solution.distances, solution.predecessors)


@each_type
@pytest.mark.parametrize("vertices", [pytest.param(64, marks=pytest.mark.slow), 65])
def test_a_complete_graph_in_tiles_of_the_usual_size(device, dtype, vertices):
    numbers = np.random.default_rng(vertices)
    matrix = numbers.random((vertices, vertices)).astype(dtype)
    tails, heads = np.divmod(np.arange(vertices**2), vertices)
    graph = from_arcs(vertices, tails, heads, matrix.ravel())
    for solver in ("lookahead", "shared_rows"):
        solution = plan_of(find("floyd_warshall", solver), device, graph, None).solve()
        check(graph, solution.distances, solution.predecessors)
    assert max(OF_DOUBLES.panel_bytes, OF_DOUBLES.slices_bytes) * 2 <= 64 * 1024  # as on Turing


@each_type
def test_without_the_second_sums_answers_differ_by_rounding(monkeypatch, dtype):
    """The certificates refuse what Floyd-Warshall gives alone."""
    monkeypatch.setattr(GuidedByRounded, "find", lambda *_: {})
    device = open_device("simulated")
    graph = random_graph(60, 1500, "skewed", dtype, 1)
    found = planned(device, "floyd_warshall lookahead", graph, predecessors=False).solve().distances
    expected = least_sums_of_all(graph)
    assert (found != expected).any()
    np.testing.assert_allclose(found, expected, 60 * np.finfo(dtype).eps)
    with pytest.raises(CertificateError):
        certify(graph, None, found, None)
    with pytest.raises(CertificateError):
        DeviceCertifier(device, graph).certify(range(60), found)


def rounded(distances: np.ndarray, seed: int, half_units: int) -> np.ndarray:
    """``distances``, each off by at most ``half_units * n`` half units of the last place."""
    numbers = np.random.default_rng(seed)
    off = half_units * len(distances) * np.finfo(distances.dtype).eps / 2
    with np.errstate(over="ignore"):
        return (distances * (1 + off * numbers.choice([-1, 0, 1, numbers.random()], distances.shape))).astype(
            distances.dtype
        )


def summed(device, graph: Graph, distances: np.ndarray):
    """Distances and predecessors from rounded ``distances``."""
    sums = GuidedByRounded(resident(device, graph))
    rows, trees = device.upload(distances), device.empty(distances.shape, np.int32)
    sums.find(rows, trees)
    answer = np.empty_like(distances), np.empty(distances.shape, np.int32)
    for array, copy in zip((rows, trees), answer, strict=True):
        device.download(array, copy)
    return answer


@fewer
@given(graph=graphs(), seed=strategies.integers(0, 99))
def test_from_any_distances_within_the_bounds(device, graph, seed):
    check(graph, *summed(device, graph, rounded(least_sums_of_all(graph), seed, 2)))


@each_type
def test_rows_that_do_not_fit_into_shared_memory(monkeypatch, device, dtype):
    monkeypatch.setattr(type(device), "shared_memory_bytes", 128)
    monkeypatch.setattr(guided_rows, "BLOCKS_MAX", 3)
    graph = random_graph(41, 700, "skewed", dtype, 5)
    check(graph, *summed(device, graph, rounded(least_sums_of_all(graph), 1, 2)))


@pytest.mark.parametrize("kept", ["slack", "factor"])
def test_without_slack_an_answer_is_wrong(monkeypatch, kept):
    """Each of the two bounds matters: without it, a path is lost, and the certificate refuses the answer."""
    made = GuidedByRounded.__init__

    def without(sums, *args, **options):
        made(sums, *args, **options)
        if kept == "slack":
            sums.factor = sums.longest = sums.dtype.type(1)
        else:
            sums.relative = 0.0

    monkeypatch.setattr(GuidedByRounded, "__init__", without)
    device, wrong = open_device("simulated"), 0
    for seed in range(6):
        graph = random_graph(40, 900, "skewed", np.float32, seed)
        distances, predecessors = summed(device, graph, rounded(least_sums_of_all(graph), seed, 2))
        if (distances != least_sums_of_all(graph)).any():
            wrong += 1
            with pytest.raises(CertificateError):
                certify(graph, None, distances, predecessors)
            with pytest.raises(CertificateError):
                DeviceCertifier(device, graph).certify(range(40), distances, predecessors)
    assert wrong


@pytest.mark.parametrize("name", ["lookahead", "shared_rows"])
def test_no_stream_runs_ahead(monkeypatch, name):
    # Without the second sums: what NumPy does between their kernels is in no stream.
    monkeypatch.setattr(GuidedByRounded, "find", lambda *_: {})
    monkeypatch.setattr(SharedRows, "_sum_again", lambda *_: None)
    extra = {"devices": 2} if name == "shared_rows" else {}
    for seed in range(4):
        graph = random_graph(45, 600, "skewed", np.float32, seed)
        device, how = LateDevice(Lot(seed)), {"shape": SHAPES[0], "predecessors": False, **extra}
        plan = plan_of(find("floyd_warshall", name), device, graph, None, **how)
        np.testing.assert_allclose(plan.solve().distances, least_sums_of_all(graph), 1e-5)


DENSE = [variant for variant in variants("apsp") if variant.floats and not variant.many_sources]


def test_negative_floats_are_refused():
    graph = from_arcs(3, [0, 1], [1, 2], [0.5, -0.25])
    for variant in DENSE:
        with named(variant.name), pytest.raises(GraphError, match="label_correcting"):
            check_weights(graph, variant)


@each_type
def test_the_library_solves_dense_graphs_exactly(dtype):
    numbers = np.random.default_rng(4)
    matrix = numbers.random((70, 70)).astype(dtype)
    paths = warpath.apsp(matrix, device="simulated")
    assert paths.certificate.verdict == "exact"
    np.testing.assert_array_equal(paths.distances, least_sums_of_all(paths.graph))
    matrix[0, 1] = -matrix.min() / 8  # no cycle is negative
    paths = warpath.apsp(matrix, device="simulated")
    assert paths.certificate.verdict == "exact"
