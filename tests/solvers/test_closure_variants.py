"""The contract of every closure variant, on the simulated GPU, in every order of threads; and its certificate."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from examples import fewer
from hypothesis import given
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import NEGATIVE, TINY, graph, named, random_graphs

import warpath
from warpath.__main__ import main
from warpath.certificates.closure import certify_closure
from warpath.errors import CertificateError, UsageError
from warpath.solvers import families, variants
from warpath.solvers.plan import Closure
from warpath_study.measure.runs import find
from warpath_study.published.katz_kider.transitive_closure.blocked import BlockedPlan

CLOSURES = variants("closure")
every_variant = pytest.mark.parametrize("variant", CLOSURES, ids=lambda v: f"{v.algorithm}.{v.name}")


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return opened(request.param, seed=7)


def reference(graph):
    arcs = abs(graph.to_scipy())  # its stored zeros are arcs, too
    return np.isfinite(dijkstra(arcs, unweighted=True)).astype(np.uint8)


def assert_right(graph, closure):
    np.testing.assert_array_equal(closure.reachable(), reference(graph))
    certificate = certify_closure(graph, closure)
    assert certificate.reached == reference(graph).sum()
    assert certificate.sources == graph.vertices


@every_variant
def test_is_exact_on_every_tiny_graph(variant, device):
    for name, tiny in {**TINY, **NEGATIVE}.items():
        with named(name):
            assert_right(tiny, variant.plan(device, tiny, None, **variant.smallest).solve())


@every_variant
@fewer
@given(graph=random_graphs(vertices_max=100, arcs_per_vertex=2))
def test_is_exact_on_random_graphs(variant, graph):
    assert_right(graph, variant.plan(opened("shuffle", seed=11), graph, None, **variant.smallest).solve())


@every_variant
def test_is_exact_in_blocks_of_the_default_size(variant):
    path = TINY["scattered path of 97"]
    assert_right(path, variant.plan(opened("shuffle", seed=11), path, None).solve())


@pytest.mark.parametrize("tile", [2, 8])
@given(graph=random_graphs(vertices_max=21, arcs_per_vertex=2))
def test_blocks_of_any_size_close(tile, graph):
    assert_right(graph, BlockedPlan(opened("shuffle", seed=3), graph, tile=tile).solve())


@fewer
@given(graph=random_graphs(vertices_max=450, arcs_per_vertex=2))
def test_words_on_both_sides_of_the_primary_one_close(graph):
    bitset = find("transitive_closure", "bitset")
    assert_right(graph, bitset.plan(opened("shuffle", seed=5), graph, None, **bitset.smallest).solve())


@every_variant
def test_a_plan_can_be_solved_twice_and_in_pieces(variant, device):
    path = TINY["path of 33"]
    plan = variant.plan(device, path, None, **variant.smallest)
    assert_right(path, plan.solve())
    plan.reset()
    plan.upload()
    for step in range(plan.iterations):
        plan.iterate(step, step + 1)
    plan.finish()
    assert_right(path, plan.download())
    plan.release()


def test_no_block_is_idle():
    bound = []

    class Watched(BlockedPlan):
        def bind(self, name, grid, block, **step):
            bound.append((name, grid))
            return super().bind(name, grid, block, **step)

    Watched(opened("forward"), TINY["path of 64"]).solve()
    assert bound == [("pass1", (1,)), ("pass2", (1, 2)), ("pass3", (1, 1))]


def test_every_variant_says_what_it_is():
    for variant in CLOSURES:
        with named(variant.name):
            assert variant.summary and variant.origin.isidentifier()
            assert variant.on_cpu == (not variant.kernels)
            assert variant.on_cpu or variant.smallest


def test_families_are_found_by_their_files():
    assert set(families()["transitive_closure"]) >= {"cpu", "naive", "blocked", "bitset"}


@pytest.mark.parametrize(("pair", "sentence"), [((0, 2), "unreachable from vertex 0"), ((2, 0), "reachable from")])
def test_the_certificate_finds_one_wrong_pair(pair, sentence):
    path = graph(3, (0, 1, 1), (1, 2, 1))
    cells = reference(path)
    certify_closure(path, Closure(cells.copy()))
    cells[pair] ^= 1
    with pytest.raises(CertificateError, match=sentence):
        certify_closure(path, Closure(cells))


def test_the_certificate_refuses_another_shape():
    with pytest.raises(CertificateError, match="shape"):
        certify_closure(graph(3), Closure(np.eye(2, dtype=np.uint8)))


def test_packed_bits_are_unpacked_in_order():
    cells = np.zeros((70, 2), np.uint64)
    cells[3, 0], cells[5, 1] = 1 << 63, 1 << 5
    assert np.argwhere(Closure(cells).reachable()).tolist() == [[3, 63], [5, 69]]


def test_the_library_gives_the_matrix():
    assert warpath.closure(graph(2, (0, 1, 5)), device="simulated").reachable.tolist() == [[True, True], [False, True]]
    with pytest.raises(UsageError, match="no variant"):
        warpath.closure(graph(2), variant="quantum", device="simulated")


def test_the_command_that_lists_paths_says_that_there_are_none(tmp_path, capsys):
    (tmp_path / "graph.txt").write_text("2 1\n0 1 5\n")
    arguments = ["solve", str(tmp_path / "graph.txt"), "--algorithm", "transitive_closure", "--variant", "naive"]
    assert main(arguments) == 2
    assert "solves the transitive closure, not paths" in capsys.readouterr().err


def test_a_cell_of_a_table_can_be_measured(tmp_path):
    from warpath_study.measure.run import measure_run
    from warpath_study.record import Settings, write_record

    bitset = find("transitive_closure", "bitset").configured()
    record = measure_run(TINY["path of 64"], bitset, opened("forward"), None, Settings(5, 1, 1), "path")
    assert (record.status, record.problem, record.certificate.scope) == ("ok", "closure", "full")
    write_record(tmp_path / "record.json", record)
