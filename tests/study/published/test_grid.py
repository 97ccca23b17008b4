"""The path over a matrix product: solver and certificate, on every device and in every order of threads."""

import dataclasses
import itertools

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from hypothesis import given, strategies
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from warpath.__main__ import main
from warpath.device import open_device
from warpath.errors import CertificateError, FormatError, UsageError
from warpath.solvers import find
from warpath_study.matrix_product.matrices import Matrices, load, load_matrix, random_matrices
from warpath_study.matrix_product.product_path import (
    ProductPath,
    certify_product_path,
    moves,
    path_cells,
    rounding_bound,
)
from warpath_study.published.telang_grid.matrix_path.frontier import MatrixPathPlan


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


def test_the_smallest_entry_is_put_back(device):
    solution = solved(device, random_matrices(20, seed=3))
    assert solution.product.max() < 1e3 and solution.product.min() == np.float32(solution.minimum.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda s: s.product.__setitem__((3, 4), 0.5), r"entry \(3, 4\) of the product is 0.5 instead of"),
        (lambda s: s.costs.__setitem__((1, 1), s.costs[1, 1] * 0.9), r"step|explains"),
        (lambda s: s.costs.__setitem__((2, 2), s.costs[2, 2] * 1.1), r"the step from cell .* gives the cost .* below"),
        (lambda s: s.predecessors.__setitem__((6, 6), 0), r"predecessor 0 gives the cost .* of cell \(6, 6\)"),
        (lambda s: s.costs.__setitem__(s.source, 1), "the source .* costs 1.0 instead of 0"),
    ],
)
def test_the_certificate_finds_what_is_wrong(change, words):
    matrices = random_matrices(9, seed=1)
    solution = answer_of(open_device("simulated"), matrices)
    change(solution)
    with pytest.raises(CertificateError, match=words):
        certify_product_path(matrices, solution)


def test_the_certificate_finds_a_wrong_minimum_and_a_circle():
    matrices = random_matrices(9, seed=1)
    solution = answer_of(open_device("simulated"), matrices)
    other = dataclasses.replace(solution, second_minimum=dataclasses.replace(solution.second_minimum, row=0))
    with pytest.raises(CertificateError, match="the second smallest entry is"):
        certify_product_path(matrices, other)
    zeros = pair(np.zeros((3, 3)), np.zeros((3, 3)))
    solution = answer_of(open_device("simulated"), zeros)
    solution.predecessors[2, 2], solution.predecessors[2, 1] = 7, 8
    with pytest.raises(CertificateError, match=r"cell \(2, [12]\) form a cycle"):
        certify_product_path(zeros, solution)


def test_refuses_what_has_no_path():
    device = open_device("simulated")
    matrices = random_matrices(4, seed=1)
    with pytest.raises(UsageError, match=r"source and destination are the same cell, \(1, 1\)"):
        answer_of(device, matrices, source=(1, 1), destination=(1, 1))
    with pytest.raises(UsageError, match=r"destination \(0, 4\) is outside of a matrix of size 4"):
        answer_of(device, matrices, destination=(0, 4))
    with pytest.raises(UsageError, match="of the product is inf"):
        answer_of(device, pair(np.full((4, 4), 3e38), np.ones((4, 4))))
    with pytest.raises(UsageError, match="of the product is -4"):
        answer_of(device, pair(np.full((4, 4), -1), np.ones((4, 4))))
    with pytest.raises(UsageError, match="beyond float32; scale"):
        answer_of(device, pair(np.full((4, 4), 1e19), np.full((4, 4), 5e18)))


def test_refuses_what_cannot_be_multiplied():
    left, right = np.ones((4, 4)), np.ones((4, 4))
    left[2, 1] = np.nan
    with pytest.raises(
        UsageError, match=r"entry \(2, 1\) of the left matrix is nan; every entry must be a finite number"
    ):
        pair(left, right).check()
    with pytest.raises(UsageError, match="the matrices must have one size, but have 3 and 4 rows"):
        pair(np.ones((3, 3)), right).check()
    with pytest.raises(UsageError, match=r"the right matrix must be square and float32, not float32 of shape \(2, 3\)"):
        pair(right, np.ones((2, 3))).check()
    for size in (0, 1, 20_000):
        with pytest.raises(UsageError, match=f"must be from 2 to .*, not {size}"):
            random_matrices(size, seed=1)


def test_random_matrices_are_the_same_everywhere():
    matrices = random_matrices(64, seed=1)
    assert matrices.sha256 == "56e74a6ea82b39974e764497b2ee7bed6345dba313f71b0742714751c9397cce"
    assert matrices.left.dtype == matrices.right.dtype == np.float32
    assert not (matrices.left == matrices.right).all() and matrices.left.min() >= 0 and matrices.left.max() < 1
    assert random_matrices(64, seed=2).sha256 != matrices.sha256


def test_matrices_of_the_catalog_are_kept_whole(tmp_path, capsys):
    file = tmp_path / "m.npz"
    assert main(["generate", "matrices-64", "--output", str(file)]) == 0
    assert capsys.readouterr().out == f"{file}: two matrices of 64 rows and columns\n"
    matrices = load(file)
    assert matrices.sha256 == random_matrices(64, seed=1).sha256
    assert matrices.metadata["dataset"] == "matrices-64" and matrices.metadata["parameters"] == {"size": 64, "seed": 1}
    again = tmp_path / "again.npz"
    matrices.save(again)
    assert again.read_bytes() == file.read_bytes()
    main(["generate", "--kind", "matrices", "--size", "64", "--seed", "1", "--output", str(file)])
    assert load(file).sha256 == matrices.sha256


def test_refuses_files_that_are_not_two_matrices(tmp_path):
    file = tmp_path / "m.npz"
    with pytest.raises(FormatError, match=r"m.npz: no such file"):
        load(file)
    file.write_bytes(b"text")
    with pytest.raises(FormatError, match=r"not a pair of matrices \(not a whole .npz file\)"):
        load(file)
    np.savez(file, left=np.ones((2, 2)))
    with pytest.raises(FormatError, match="not a pair of matrices; make one with 'warpath generate'"):
        load(file)
    pair(np.ones((2, 2)), np.ones((3, 3))).save(file)
    with pytest.raises(FormatError, match="the matrices must have one size, but have 2 and 3 rows"):
        load(file)


def test_a_part_of_matrices_always_has_a_path():
    signed = pair(np.full((90, 90), -1), np.full((90, 90), -2))
    part = signed.part(70)
    assert part.size == 70 and (part.left @ part.right >= 0).all()
    assert signed.part(90) is signed


def test_the_path_is_kept_as_its_moves(device):
    solution = solved(device, random_matrices(12, seed=4))
    said = solution.as_dict()
    assert path_cells(said["path"]) == solution.cells()
    assert moves(solution.cells()) == said["path"]["moves"]
    assert said["path"]["weight"] == solution.weight
    assert said["minimum"]["value"] == solution.minimum.value


def test_a_plan_is_solved_again_and_gives_the_same(device):
    plan = find("matrix_path", "frontier").configured({}).plan(device, random_matrices(12, seed=4), None)
    first = plan.solve().as_dict()
    assert plan.solve().as_dict() == first


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (np.ones((2, 3)), "not square"),
        (np.array([["a"]]), "not one matrix of numbers"),
        (np.full((2, 2), -1e300), r"entry \(0, 0\) is -1e\+300, too large for single precision; scale the matrix"),
        (b"text", "not a whole .npy file; write one with numpy.save$"),
        (b"", "not a whole .npy file"),
        (b"PK\x03\x04 but no more", "not a whole .npy file"),
    ],
    ids=["oblong", "text", "beyond float32", "no numpy", "empty", "half an archive"],
)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_refuses_files_that_hold_no_square_matrix(tmp_path, content, words):
    file = tmp_path / "left.npy"
    file.write_bytes(content) if isinstance(content, bytes) else np.save(file, content)
    with pytest.raises(FormatError, match=words):
        load_matrix(file)


def test_refuses_a_folder_in_place_of_a_matrix(tmp_path):
    with pytest.raises(FormatError, match=r"cannot be read \(Is a directory\)"):
        load_matrix(tmp_path)


@pytest.mark.parametrize("cell", ["a,b", "1", "1,2,3"])
def test_a_cell_is_a_row_and_a_column(capsys, cell):
    assert main(["grid", "--size", "4", "--device", "simulated", "--source", cell]) == 2
    assert f"argument --source: expected two whole numbers, ROW,COLUMN, not '{cell}'" in capsys.readouterr().err
