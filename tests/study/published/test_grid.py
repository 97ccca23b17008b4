"""The path over a matrix product: solver, certificate, files of matrices, the measured run, and the command."""

import dataclasses
import itertools

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from hypothesis import given, strategies
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import named

from warpath.__main__ import main
from warpath.device import open_device
from warpath.errors import CertificateError, FormatError, UsageError
from warpath_study.matrix_product.matrices import Matrices, load, random_matrices
from warpath_study.matrix_product.product_path import (
    ProductPath,
    certify_product_path,
    moves,
    path_cells,
    rounding_bound,
)
from warpath_study.measure.plans import plan_of
from warpath_study.measure.run import measure_run
from warpath_study.measure.runs import find
from warpath_study.published.telang_grid.matrix_path.frontier import MatrixPathPlan
from warpath_study.record import RandomSources, Settings, read_record

pytestmark = pytest.mark.usefixtures("a_lock_of_our_own")


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return opened(request.param)


def least_weights(values: np.ndarray, source: tuple[int, int]) -> np.ndarray:
    """scipy's costs of all cells, shape (n, n), float64; ``values`` are positive."""
    size = len(values)
    cells = np.arange(size * size).reshape(size, size)
    pairs = [(cells[:, :-1], cells[:, 1:]), (cells[:-1], cells[1:])]
    tails = np.concatenate([ends.ravel() for a, b in pairs for ends in (a, b)])
    heads = np.concatenate([ends.ravel() for a, b in pairs for ends in (b, a)])
    graph = csr_array((values.astype(np.float64).ravel()[tails], (tails, heads)), shape=(size * size,) * 2)
    return dijkstra(graph, indices=cells[source]).reshape(size, size)


def answer_of(device, matrices: Matrices, source=None, destination=None) -> ProductPath:
    return MatrixPathPlan(device, matrices, ends=(source, destination)).solve()


def solved(device, matrices: Matrices, **ends) -> ProductPath:
    solution = answer_of(device, matrices, **ends)
    certify_product_path(matrices, solution)
    return solution


def pair(left, right) -> Matrices:
    return Matrices(np.asarray(left, np.float32), np.asarray(right, np.float32))


@pytest.mark.parametrize("size", [2, 3, 16, 31, 32, 33, 70])
def test_agrees_with_numpy_and_scipy(device, size):
    matrices = random_matrices(size, seed=size)
    solution = solved(device, matrices)
    exact = matrices.left.astype(float) @ matrices.right
    np.testing.assert_allclose(solution.product, exact, rtol=rounding_bound(size))
    order = np.argsort(solution.product, axis=None, kind="stable")
    assert solution.source == divmod(order[0], size) and solution.destination == divmod(order[1], size)
    np.testing.assert_allclose(
        solution.costs, least_weights(solution.product, solution.source), rtol=rounding_bound(4 * size)
    )
    assert solution.product.max() < 1e3 and solution.product.min() == np.float32(solution.minimum.value)
    path = solution.cells()
    assert path[0] == solution.source and path[-1] == solution.destination
    assert all(abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1 for a, b in itertools.pairwise(path))
    paid = sum(float(solution.product[cell]) for cell in path[:-1])
    assert solution.weight == pytest.approx(paid, rel=rounding_bound(len(path)))


@given(size=strategies.integers(2, 12), seed=strategies.integers(0, 10**6), largest=strategies.integers(1, 4))
def test_ties_and_cells_that_cost_nothing(size, seed, largest):
    left = np.random.default_rng(seed).integers(0, largest + 1, (size, size)).astype(np.float32)
    ends = {"source": (0, 0), "destination": (size - 1, size - 1)}
    solution = solved(opened("shuffle", seed=seed), pair(left, np.eye(size)), **ends)
    np.testing.assert_array_equal(solution.product, left)
    # scipy takes a stored zero for no arc: scale up, and add what the steps then cost too much.
    scaled = least_weights(left * 1000 + 1, (0, 0))
    np.testing.assert_array_equal(solution.costs, scaled // 1000)


def test_of_equal_entries_the_first_are_taken(device):
    solution = solved(device, pair(np.ones((5, 5)), np.ones((5, 5))))
    assert (solution.source, solution.destination) == ((0, 0), (0, 1))
    assert (solution.minimum.value, solution.second_minimum.value, solution.weight) == (5, 5, 5)


def test_the_certificate_finds_what_is_wrong():
    matrices = random_matrices(9, seed=1)
    for change, words in (
        (lambda s: s.product.__setitem__((3, 4), 0.5), r"entry \(3, 4\)"),
        (lambda s: s.costs.__setitem__((1, 1), s.costs[1, 1] * 0.9), "step|explains"),
        (lambda s: s.costs.__setitem__((2, 2), s.costs[2, 2] * 1.1), "step from cell"),
        (lambda s: s.predecessors.__setitem__((6, 6), 0), r"predecessor 0 .* cell \(6, 6\)"),
        (lambda s: s.costs.__setitem__(s.source, 1), "source .* costs 1.0"),
    ):
        solution = answer_of(open_device("simulated"), matrices)
        change(solution)
        with named(words), pytest.raises(CertificateError, match=words):
            certify_product_path(matrices, solution)
    solution = answer_of(open_device("simulated"), matrices)
    other = dataclasses.replace(solution, second_minimum=dataclasses.replace(solution.second_minimum, row=0))
    with pytest.raises(CertificateError, match="second smallest"):
        certify_product_path(matrices, other)
    zeros = pair(np.zeros((3, 3)), np.zeros((3, 3)))
    solution = answer_of(open_device("simulated"), zeros)
    solution.predecessors[2, 2], solution.predecessors[2, 1] = 7, 8
    with pytest.raises(CertificateError, match=r"cell \(2, [12]\) .*cycle"):
        certify_product_path(zeros, solution)


def test_refuses_what_has_no_path():
    device, ones = open_device("simulated"), np.ones((4, 4))
    matrices = random_matrices(4, seed=1)
    for asked, ends, words in (
        (matrices, {"source": (1, 1), "destination": (1, 1)}, r"\(1, 1\)"),
        (matrices, {"destination": (0, 4)}, r"\(0, 4\)"),
        (pair(np.full((4, 4), 3e38), ones), {}, "inf"),
        (pair(np.full((4, 4), -1), ones), {}, "-4"),
        (pair(np.full((4, 4), 1e19), np.full((4, 4), 5e18)), {}, "scale"),
    ):
        with named(words), pytest.raises(UsageError, match=words):
            answer_of(device, asked, **ends)


def test_random_matrices_are_the_same_everywhere():
    matrices = random_matrices(64, seed=1)
    assert matrices.sha256 == "56e74a6ea82b39974e764497b2ee7bed6345dba313f71b0742714751c9397cce"
    assert matrices.left.dtype == matrices.right.dtype == np.float32
    assert not (matrices.left == matrices.right).all() and matrices.left.min() >= 0 and matrices.left.max() < 1
    assert random_matrices(64, seed=2).sha256 != matrices.sha256


def test_matrices_of_the_catalog_are_kept_whole(tmp_path, capsys):
    file = tmp_path / "m.npz"
    assert main(["generate", "matrices-64", "--output", str(file)]) == 0
    assert "64 rows and columns" in capsys.readouterr().out
    matrices = load(file)
    assert matrices.sha256 == random_matrices(64, seed=1).sha256
    assert matrices.metadata["dataset"] == "matrices-64"
    again = tmp_path / "again.npz"
    matrices.save(again)
    assert again.read_bytes() == file.read_bytes()
    main(["generate", "--kind", "matrices", "--size", "64", "--seed", "1", "--output", str(file)])
    assert load(file).sha256 == matrices.sha256


def test_refuses_files_that_are_not_two_matrices(tmp_path):
    file = tmp_path / "m.npz"
    for make, words in (
        (lambda: None, r"m\.npz"),
        (lambda: file.write_bytes(b"text"), r"m\.npz"),
        (lambda: np.savez(file, left=np.ones((2, 2))), "warpath generate"),
        (lambda: pair(np.ones((2, 2)), np.ones((3, 3))).save(file), "2 and 3 rows"),
        (lambda: pair(np.ones((2, 2)), np.ones((2, 3))).save(file), r"right .*\(2, 3\)"),
    ):
        make()
        with named(words), pytest.raises(FormatError, match=words):
            load(file)


def test_a_part_of_matrices_always_has_a_path():
    signed = pair(np.full((90, 90), -1), np.full((90, 90), -2))
    part = signed.part(70)
    assert part.size == 70 and (part.left @ part.right >= 0).all()
    assert signed.part(90) is signed


def test_a_plan_is_solved_again_and_gives_the_same_path_as_its_moves(device):
    matrices = random_matrices(12, seed=4)
    plan = plan_of(find("matrix_path", "frontier").configured({}), device, matrices, None)
    solution = plan.solve()
    certify_product_path(matrices, solution)
    said = solution.as_dict()
    assert path_cells(said["path"]) == solution.cells()
    assert moves(solution.cells()) == said["path"]["moves"]
    assert said["path"]["weight"] == solution.weight and said["minimum"]["value"] == solution.minimum.value
    assert plan.solve().as_dict() == said


# Measured like every other run.

SIZE = 80  # more than the part that is certified first
FRONTIER = find("matrix_path", "frontier").configured({})


@pytest.fixture(scope="module")
def simulated():
    return open_device("simulated")


@pytest.fixture(scope="module")
def matrices():
    return random_matrices(SIZE, seed=4)


def test_the_record_holds_the_path_and_every_sample(tmp_path, matrices):
    matrices.save(tmp_path / "m.npz")
    output = tmp_path / "m.json"
    command = ["run", str(tmp_path / "m.npz"), "matrix_path.frontier", "--device", "simulated", "--output", str(output)]
    assert main([*command, "--dataset", "tiny", "--repeats-min", "3", "--repeats-max", "3"]) == 0
    record = read_record(output)
    assert (record.run, record.problem, record.source) == ("matrix_path.frontier", "grid", None)
    assert (record.graph.vertices, record.graph.arcs) == (SIZE**2, 4 * SIZE * (SIZE - 1))
    assert record.graph.sha256 == matrices.sha256
    assert len(record.samples) == 3
    assert all(set(sample.phases) == {"product_s", "minima_s", "path_s"} for sample in record.samples)
    assert record.seconds == sorted(sample.total_s for sample in record.samples)[1]
    assert record.counters["launches"] > 2 * record.counters["iterations"]
    certificate = record.certificate
    assert (certificate.verdict, certificate.scope, certificate.vertices) == ("exact in float32", "full", SIZE**2)
    assert set(certificate.tolerances) == {"product", "weight"} and certificate.reached == SIZE**2
    answer = record.answer
    cells = path_cells(answer["path"])
    assert list(cells[0]) == [answer["minimum"]["row"], answer["minimum"]["column"]]
    assert list(cells[-1]) == [answer["second_minimum"]["row"], answer["second_minimum"]["column"]]


@pytest.mark.parametrize("only_beyond", [0, 70], ids=["the part", "the answer that was timed"])
def test_a_wrong_answer_is_no_record(matrices, simulated, monkeypatch, only_beyond):
    download = MatrixPathPlan.download

    def wrong(plan):
        solution = download(plan)
        if plan.size > only_beyond:
            solution.costs[solution.source] = 1
        return solution

    monkeypatch.setattr(MatrixPathPlan, "download", wrong)
    with pytest.raises(CertificateError, match=r"tiny matrix_path\.frontier .*source .* costs 1.0"):
        measure_run(matrices, FRONTIER, simulated, None, Settings(budget_s=1000), "tiny")


def test_sources_to_draw_are_refused(matrices, simulated):
    with pytest.raises(UsageError, match="source"):
        measure_run(matrices, FRONTIER, simulated, None, RandomSources(2), "tiny")
