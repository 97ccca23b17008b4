"""The contract that every registered variant keeps, on the simulated GPU, in every order of threads."""

import subprocess
import sys

import numpy as np
import pytest
from every_device import EVERY_DEVICE, ORDERS, each, opened
from examples import fewer
from families import FAMILIES, WEIGHTS, make
from float_sums import least_sums
from hypothesis import given, settings, strategies
from markdown_page import ROOT
from scipy.sparse.csgraph import dijkstra
from scipy_reference import reference
from tiny_graphs import NEGATIVE, TINY, graph, named, random_graphs

import warpath
from warpath.__main__ import main
from warpath.certificates.certificate import certify
from warpath.certificates.closure import certify_closure
from warpath.device import open_device
from warpath.device.kernel_source import expanded_source, kernel_names
from warpath.device.simulated.device import SimulatedDevice
from warpath.distances import UNREACHABLE
from warpath.errors import CertificateError, GraphError, NoClustersError, UsageError
from warpath.graphs.csr import Graph
from warpath.library.solver import Solver
from warpath.solvers import find, variants
from warpath.solvers.registry import CPU_SOLVERS, SOLVERS, entries, find_in
from warpath.solvers.solver import Closure
from warpath.solvers.variant import Entry
from warpath_study.measure.plans import plan_of
from warpath_study.published.bodra.bellman_ford import naive
from warpath_study.published.bodra.floyd_warshall._matrices import TilePlan
from warpath_study.published.katz_kider.transitive_closure.blocked import BlockedPlan
from warpath_study.registry import VARIANTS

CLOSURES = variants("closure")
PATH_VARIANTS = [variant for variant in variants() if variant.problem in ("sssp", "apsp")]


every_variant = each(PATH_VARIANTS)
every_variant_fast = pytest.mark.parametrize(
    "variant", PATH_VARIANTS, ids=lambda variant: f"{variant.algorithm}.{variant.name}"
)


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return opened(request.param, seed=7)


def planned(variant, device, graph, source, **settings):
    """A plan; skips where the variant needs clusters and the GPU has none."""
    try:
        return plan_of(variant, device, graph, source, **settings)
    except NoClustersError as error:
        pytest.skip(str(error))


def solve_and_certify(variant, device, graph, source=0):
    """Solve in blocks and tiles so small that the graph has many of them."""
    source = source if variant.problem == "sssp" else None
    solution = planned(variant, device, graph, source, **variant.smallest).solve()
    assert solution.distances.dtype == solution.predecessors.dtype == np.int32
    np.testing.assert_array_equal(solution.distances, reference(graph, source))
    certify(graph, source, solution.distances, solution.predecessors)
    return solution


@every_variant
def test_is_exact_on_every_tiny_graph(variant, device):
    for name, tiny in {**TINY, **(NEGATIVE if variant.negative_arcs else {})}.items():
        with named(name):
            solve_and_certify(variant, device, tiny)


@every_variant
@settings(max_examples=5)
@given(data=strategies.data())
def test_is_exact_on_random_graphs(variant, device, data):
    graph = data.draw(random_graphs(vertices_max=100, negative=variant.negative_arcs))
    solve_and_certify(variant, device, graph, source=graph.vertices // 2)


@every_variant
def test_is_exact_in_blocks_and_tiles_of_the_published_size(variant, device):
    source = 0 if variant.problem == "sssp" else None
    for name in ("zero weights in a circle", "path of 64"):
        with named(name):
            solution = planned(variant, device, TINY[name], source).solve()
            np.testing.assert_array_equal(solution.distances, reference(TINY[name], source))
            certify(TINY[name], source, solution.distances, solution.predecessors)


@pytest.mark.parametrize("name", ["tiled", "tiled_shared"])
@pytest.mark.parametrize("tile", [2, 8])
@given(graph=random_graphs(vertices_max=21, weights=(0, 1)))
def test_tiles_of_any_size_keep_predecessors_a_tree(name, tile, graph):
    # Small tiles meet every case of the three phases in small graphs; weights of 0 and 1 make ties and zero circles.
    device = opened("shuffle", seed=tile)
    solution = plan_of(find("floyd_warshall", name), device, graph, None, tile=tile).solve()
    np.testing.assert_array_equal(solution.distances, reference(graph, None))
    certify(graph, None, solution.distances, solution.predecessors)


@every_variant_fast
def test_a_plan_can_be_solved_twice(variant, device):
    graph = TINY["zero weights in a circle"]
    plan = planned(variant, device, graph, 0 if variant.problem == "sssp" else None, **variant.smallest)
    for _ in range(2):
        np.testing.assert_array_equal(plan.solve().distances, reference(graph, plan.source))


@every_variant
def test_iterations_in_pieces_give_the_same_as_at_once(variant, device):
    graph = TINY["path of 33"]
    source = 0 if variant.problem == "sssp" else None
    plan = planned(variant, device, graph, source, **variant.smallest)
    plan.reset()
    plan.upload()
    for step in range(plan.iterations):
        plan.iterate(step, step + 1)
    plan.finish()
    np.testing.assert_array_equal(plan.download().distances, reference(graph, source))
    plan.release()


@pytest.mark.cuda
@pytest.mark.parametrize("name", ["tiled_shared", "super_naive_shared"])
def test_matrices_past_two_to_the_31_entries(name):
    """A long path whose far end lies beyond what 32-bit indices reach."""
    device = opened("cuda")
    vertices = 46_400
    if min(device.memory_bytes()[0], open_device("simulated").memory_bytes()[0]) < 3 * vertices**2 * 4:
        pytest.skip("needs 26 GB free on the GPU and on the host")
    ends = np.array([0, vertices - 2, vertices - 1])
    chain = graph(vertices, (0, vertices - 2, 3), (vertices - 2, vertices - 1, 4), (vertices - 1, 0, 5))
    plan = plan_of(find("floyd_warshall", name), device, chain, None)
    plan.reset()
    plan.upload()
    plan.iterate(0, 1)
    plan.iterate(plan.iterations - 2, plan.iterations)  # no path leads through a vertex between
    plan.finish()
    solution = plan.download()
    plan.release()
    assert solution.distances[np.ix_(ends, ends)].tolist() == [[0, 3, 7], [9, 0, 4], [5, 8, 0]]
    assert solution.predecessors[vertices - 1, vertices - 2] == 0
    assert np.count_nonzero(solution.distances != UNREACHABLE) == vertices + 6


def test_without_a_barrier_tiled_is_wrong_in_some_order(tmp_path):
    """The published code has these barriers commented out; taking them out must not go unnoticed."""
    variant = find("floyd_warshall", "tiled")
    mutant = tmp_path / "tiled.cu"
    text = expanded_source(variant.kernels[0])
    assert text.count("__syncthreads();") == 1
    mutant.write_text(text.replace("__syncthreads();", ""))
    numbers = np.random.default_rng(5)
    dense = graph(32, *[(u, v, int(numbers.integers(1, 100))) for u in range(32) for v in range(32) if u != v])
    expected = reference(dense, None)
    right = [
        np.array_equal(TilePlan(opened(order), dense, kernel_file=mutant).solve().distances, expected)
        for order in ORDERS
    ]
    assert not all(right)


def test_every_variant_says_what_it_is():
    for variant in (*PATH_VARIANTS, *CLOSURES):
        with named(variant.name):
            assert variant.summary and variant.origin.isidentifier()
            assert variant.on_cpu == (not variant.kernels)
            assert variant.on_cpu or variant.smallest
            assert variant.on_cpu or kernel_names(variant.kernels[0])


def test_every_listed_variant_is_found():
    for entry in entries():
        variant = find(entry.algorithm, entry.variant)
        assert (variant.problem, variant.summary) == (entry.problem, entry.summary)
    with pytest.raises(UsageError, match="_rounds"):
        find("bellman_ford", "_rounds")


def test_every_module_that_defines_a_variant_is_listed():
    files = [file for file in (ROOT / "src").rglob("*.py") if "\nVARIANT = " in file.read_text(encoding="utf-8")]
    modules = {".".join(file.relative_to(ROOT / "src").with_suffix("").parts) for file in files}
    assert modules == {entry.module for entry in (*SOLVERS, *CPU_SOLVERS, *VARIANTS)}


def test_names_are_listed_without_importing_any_variant():
    program = (
        "import sys; from warpath.solvers import families; families();"
        "print([name for name in sys.modules if name.startswith('warpath_study.published.bodra.bellman_ford')])"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"


@pytest.mark.parametrize("text", ["VARIATN = 1", "def broken(:", "import no_such_module", "raise KeyError(7)"])
def test_a_mistake_in_a_variant_is_one_sentence_with_its_module(text, tmp_path, monkeypatch):
    (tmp_path / "of_a_user.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "of_a_user", raising=False)
    mine = Entry("bellman_ford.mine", "sssp", "of_a_user", "a variant with a mistake")
    with pytest.raises(UsageError, match=r"^of_a_user: VARIANT cannot be loaded \(\w+: .+\)$"):
        find_in([mine], "bellman_ford", "mine")


def test_finding_a_variant_leaves_its_module_as_it_is():
    found = find("bellman_ford", "naive")
    assert (found.algorithm, found.name) == ("bellman_ford", "naive")
    assert found is find("bellman_ford", "naive")
    assert (naive.VARIANT.algorithm, naive.VARIANT.name) == ("", "")


# Closures


every_closure_variant = each(CLOSURES)


def closure_reference(graph):
    arcs = abs(graph.to_scipy())  # its stored zeros are arcs, too
    return np.isfinite(dijkstra(arcs, unweighted=True)).astype(np.uint8)


def assert_right(graph, closure):
    np.testing.assert_array_equal(closure.reachable(), closure_reference(graph))
    certificate = certify_closure(graph, closure)
    assert certificate.reached == closure_reference(graph).sum()
    assert certificate.sources == graph.vertices


@every_closure_variant
def test_closure_of_every_tiny_graph(variant, device):
    for name, tiny in {**TINY, **NEGATIVE}.items():
        with named(name):
            assert_right(tiny, plan_of(variant, device, tiny, None, **variant.smallest).solve())


@every_closure_variant
@fewer
@given(graph=random_graphs(vertices_max=100, arcs_per_vertex=2))
def test_closure_of_random_graphs(variant, graph):
    assert_right(graph, plan_of(variant, opened("shuffle", seed=11), graph, None, **variant.smallest).solve())


@every_closure_variant
def test_is_exact_in_blocks_of_the_default_size(variant):
    path = TINY["scattered path of 97"]
    assert_right(path, plan_of(variant, opened("shuffle", seed=11), path, None).solve())


@pytest.mark.parametrize("tile", [2, 8])
@given(graph=random_graphs(vertices_max=21, arcs_per_vertex=2))
def test_blocks_of_any_size_close(tile, graph):
    assert_right(graph, BlockedPlan(opened("shuffle", seed=3), graph, tile=tile).solve())


@fewer
@given(graph=random_graphs(vertices_max=450, arcs_per_vertex=2))
def test_words_on_both_sides_of_the_primary_one_close(graph):
    bitset = find("transitive_closure", "bitset")
    assert_right(graph, plan_of(bitset, opened("shuffle", seed=5), graph, None, **bitset.smallest).solve())


@every_closure_variant
def test_a_plan_can_be_solved_twice_and_in_pieces(variant, device):
    path = TINY["path of 33"]
    plan = plan_of(variant, device, path, None, **variant.smallest)
    assert_right(path, plan.solve())
    plan.reset()
    plan.upload()
    for step in range(plan.iterations):
        plan.iterate(step, step + 1)
    plan.finish()
    assert_right(path, plan.download())
    plan.release()


def test_the_certificate_finds_one_wrong_pair_and_another_shape():
    path = graph(3, (0, 1, 1), (1, 2, 1))
    certify_closure(path, Closure(closure_reference(path)))
    for pair in ((0, 2), (2, 0)):
        cells = closure_reference(path)
        cells[pair] ^= 1
        with pytest.raises(CertificateError):
            certify_closure(path, Closure(cells))
    with pytest.raises(CertificateError, match="shape"):
        certify_closure(graph(3), Closure(np.eye(2, dtype=np.uint8)))


def test_packed_bits_are_unpacked_in_order():
    cells = np.zeros((70, 2), np.uint64)
    cells[3, 0], cells[5, 1] = 1 << 63, 1 << 5
    assert np.argwhere(Closure(cells).reachable()).tolist() == [[3, 63], [5, 69]]


def test_the_library_gives_the_matrix_and_the_command_that_lists_paths_refuses(tmp_path, capsys):
    assert warpath.closure(graph(2, (0, 1, 5)), device="simulated").reachable.tolist() == [[True, True], [False, True]]
    with pytest.raises(UsageError, match="quantum"):
        warpath.closure(graph(2), variant="quantum", device="simulated")
    (tmp_path / "graph.txt").write_text("2 1\n0 1 5\n")
    arguments = ["solve", str(tmp_path / "graph.txt"), "--algorithm", "transitive_closure", "--variant", "naive"]
    assert main(arguments) == 2
    assert "closure" in capsys.readouterr().err


# Named solvers on families


class SmallSharedMemory(SimulatedDevice):
    """A device whose blocks have little shared memory."""

    shared_memory_bytes = 4096

    def resident_blocks(self, kernel, block, shared_mem=0):
        return int(shared_mem <= self.shared_memory_bytes)


DEVICES = [SimulatedDevice(), SmallSharedMemory()]


@every_variant
@settings(max_examples=3)
@given(family=strategies.sampled_from(sorted(FAMILIES)), floats=strategies.booleans())
def test_a_named_solver_solves_or_refuses(variant, family, floats):
    of = make(family, 64)
    expected = reference(of, 1)
    if floats:
        of = Graph(of.indptr, of.indices, WEIGHTS["floats"](np.random.default_rng(1), of.arcs))
        expected = least_sums(of, 1)
    for device in DEVICES:
        solver, how = Solver(of, device), {"algorithm": variant.algorithm, "variant": variant.name}
        try:
            if variant.problem == "sssp":
                answer = solver.sssp([1, 0], **how).distances[0]
            else:
                answer = solver.apsp(**how).distances[1]
        except (GraphError, UsageError) as error:
            assert type(error) in (GraphError, UsageError)  # not their kinds that are about this machine
            continue
        np.testing.assert_array_equal(answer, expected)
