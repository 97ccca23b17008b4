"""Peers: each adapter against scipy, what is measured and recorded, and what is said of a wrong or a missing one."""

import dataclasses
import itertools
import time
import weakref
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings, strategies
from scipy.sparse.csgraph import dijkstra
from scipy_reference import reference
from tiny_graphs import TINY, graph, grid_of, named, random_graphs

import warpath
from warpath.__main__ import main
from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.device.cpu import CpuDevice
from warpath.errors import CertificateError, GraphError, UsageError
from warpath.graphs import csr
from warpath.library import alone
from warpath.solvers import families
from warpath.solvers.choice.choose import entries_for
from warpath.solvers.variant import Variant
from warpath_study.measure.plans import plan_of
from warpath_study.measure.run import measure_run, measure_runs
from warpath_study.measure.runs import code_of, find
from warpath_study.measure.sampling import draw, make_ready, timed_solve
from warpath_study.peers import contract, find_peer, gapbs, peer_names
from warpath_study.peers import scipy as scipy_peer
from warpath_study.peers.contract import PeerPlan, every_core, whole, without_parallel_arcs
from warpath_study.record import RandomSources, Settings, read_record, write_record
from warpath_study.works.works import Choice, load

ROOT = Path(__file__).resolve().parents[3]
STUB = Path(__file__).resolve().parents[2] / "gapbs_stub"
CPU = CpuDevice()
QUICK = Settings(budget_s=10, repeats_min=2, repeats_max=3, spread=1)
# In the extra "test", so that they are never skipped where that is installed.
PACKAGES = ("scipy", "networkit", "igraph", "rustworkx")
ON_CPU = [*PACKAGES, "gapbs", *(["routingkit"] if find_peer("routingkit").missing() is None else [])]
OURS = ["warpath", "warpath_distances", "warpath_uncertified", "warpath_unprepared"]
HERE = [*ON_CPU, *OURS]
ALL_PAIRS = [name for name in HERE if find_peer(name).all_pairs != "no"]
# gapbs takes no distance beyond half of what 32 bits hold.
SMALL = {name: graph for name, graph in TINY.items() if name != "largest distance"}


@pytest.fixture(autouse=True)
def surroundings(a_lock_of_our_own, monkeypatch):
    """A lock of our own, and a stand-in for gapbs."""
    monkeypatch.setenv(gapbs.FOLDER, str(STUB))


def device_of(name):
    return CPU if find_peer(name).on_cpu else open_device("simulated")


def solved(name, graph, source):
    """The distances of a peer, from one source or, if that is None, for all pairs."""
    variant = find("peer_apsp" if source is None else "peer_sssp", name)
    solution = plan_of(variant, device_of(name), graph, source).solve()
    assert solution.predecessors is None and solution.distances.dtype == np.int32
    return solution.distances


def test_the_packages_of_the_extra_are_here():
    for name in PACKAGES:
        assert find_peer(name).missing() is None and find_peer(name).version()[0].isdigit(), name


@pytest.mark.parametrize("peer", HERE)
def test_tiny_graphs(peer):
    # Calls of the library are tested elsewhere.
    wanted = ("one vertex", "unreachable part", "loops", "parallel arcs, lightest last", "path of 33")
    for name in wanted if peer in OURS else SMALL:
        with named(name):
            tiny = SMALL[name]
            distances = solved(peer, tiny, 0)
            np.testing.assert_array_equal(distances, reference(tiny, 0))
            certify(tiny, 0, distances, None)
            if peer in ALL_PAIRS:
                np.testing.assert_array_equal(solved(peer, tiny, None), reference(tiny, None))
    # A plan can be solved from another source.
    for source in (2, 0):
        again = TINY["a longer way is lighter"]
        np.testing.assert_array_equal(solved(peer, again, source), reference(again, source))


@pytest.mark.parametrize("peer", HERE)
@settings(max_examples=5)
@given(data=strategies.data())
def test_random_graphs(peer, data):
    graph = data.draw(random_graphs(vertices_max=60))
    source = graph.vertices // 2
    np.testing.assert_array_equal(solved(peer, graph, source), reference(graph, source))
    if peer in ALL_PAIRS:
        np.testing.assert_array_equal(solved(peer, graph, None), reference(graph, None))


def test_scipy_adds_up_parallel_arcs_of_a_matrix_that_is_handed_over_raw():
    parallel = graph(3, (0, 1, 4), (0, 1, 9), (1, 2, 3))
    raw = scipy.sparse.coo_array((parallel.weights.astype(float), (parallel.tails(), parallel.indices)), shape=(3, 3))
    wrong = whole(dijkstra(raw.tocsr(), indices=0), parallel)
    assert wrong.tolist() == [0, 13, 16]
    with pytest.raises(CertificateError, match=r"vertex 1 .* 13"):
        certify(parallel, 0, wrong, None)
    assert without_parallel_arcs(parallel).weights.tolist() == [4, 3]
    assert solved("scipy", parallel, 0).tolist() == [0, 4, 7]


def test_arcs_of_weight_zero_stay_arcs():
    arcs = without_parallel_arcs(graph(3, (0, 1, 0), (0, 1, 2), (1, 1, 0)))
    assert (arcs.tails().tolist(), arcs.indices.tolist(), arcs.weights.tolist()) == ([0, 1], [1, 1], [0, 0])


def test_what_is_no_distance_is_not_rounded_to_one():
    near, far = (graph(3, (0, 1, weight), (1, 2, 5)) for weight in (7, 2**31 - 3))
    assert whole(np.array([0.0, 0.5, -1.0, 2.0**31, np.nan]), near).tolist() == [0, -1, -1, -1, -1]
    assert whole(np.array([0.0, 0.5, -1.0, np.nan]), far).tolist() == [0, -1, -1, -1]


@pytest.mark.parametrize("run", ["peer_sssp.scipy", "peer_apsp.scipy"])
def test_a_right_distance_beyond_32_bits_is_no_wrong_answer(run, tmp_path, capsys):
    graph(3, (0, 1, 2**31 - 3), (1, 2, 5)).save(tmp_path / "far.npz")
    assert main(["run", str(tmp_path / "far.npz"), run, "--output", str(tmp_path / "a.json")]) == 1
    assert "does not fit 32 bits" in capsys.readouterr().err and not (tmp_path / "a.json").exists()


def measured(peer, graph, sources=2):
    """The record of ``peer``, from some sources or, for 0 of them, for all pairs."""
    variant = find("peer_sssp" if sources else "peer_apsp", peer) if isinstance(peer, str) else peer
    configured = variant.configured()
    if sources:
        return measure_run(graph, configured, device_of(variant.name), None, RandomSources(sources), "tiny")
    return measure_run(graph, configured, device_of(variant.name), None, QUICK, "tiny")


@pytest.mark.parametrize("name", HERE)
def test_a_record_has_samples_certificate_version_threads_and_preparation(name, tmp_path):
    record = measured(name, grid_of(40, 3))
    write_record(tmp_path / "record.json", record)
    assert read_record(tmp_path / "record.json") == record
    assert (record.status, record.run, len(record.samples)) == ("ok", f"peer_sssp.{name}.sources=2", 2)
    assert (record.certificate.scope, record.certificate.sources) == ("full", 2)
    assert 0 < record.preparation_s < record.solved_by.first_answer_s
    assert len(record.solved_by.preparations_s) == len(record.solved_by.first_answers_s) == 5
    assert record.device["kind"] == device_of(name).kind
    by = record.solved_by
    assert (by.name, by.version) == (name, find_peer(name).version())
    assert 1 <= by.threads <= (every_core() if name == "gapbs" else 1)
    assert set(by.settings) == ({"delta"} if name == "gapbs" else set())


def test_the_code_of_a_call_of_warpath_is_that_of_the_solvers_that_answered():
    record = measured("warpath_unprepared", grid_of(40, 3))
    (solver,) = record.solved_by.solvers
    assert record.code == code_of(find("peer_sssp", "warpath_unprepared"), "simulated", False, [solver])
    assert record.code != code_of(find("peer_sssp", "warpath_unprepared"), "simulated", False, ["partition.borders"])


def test_a_search_on_the_host_adds_no_solver_to_the_code():
    record = measured("warpath", graph(3, (1, 2, 1)))
    others = [name for name in record.solved_by.solvers if name != alone.NAME]
    assert len(others) < len(record.solved_by.solvers)
    assert record.code == code_of(find("peer_sssp", "warpath"), "simulated", False, others)


@pytest.mark.parametrize("name", ALL_PAIRS)
def test_a_record_of_all_pairs(name):
    record = measured(name, grid_of(40, 3), sources=0)
    assert (record.status, record.certificate.sources, record.source) == ("ok", 40, None)
    assert record.counters["iterations"] == (40 if find_peer(name).all_pairs == "by source" else 1)
    assert record.solved_by.threads == (every_core() if name in ("networkit", "rustworkx") else 1)


def test_fewer_sources_are_solved_if_their_time_would_exceed_the_budget():
    slow = changed("scipy", "peer_sssp", solve=lambda form, source: slowly(scipy_peer.solve(form, source), 0.02))
    record = measure_run(grid_of(300, 3), slow.configured(), CPU, None, RandomSources(50), "tiny", 0.1)
    assert 1 <= len(record.samples) <= 5 and record.run == "peer_sssp.scipy.sources=50"
    assert record.certificate.sources == len(record.samples)


def test_a_solve_that_was_held_up_is_timed_again():
    path, asked = grid_of(40, 3), []
    slow_once = draw(path, RandomSources(9))[4]

    def held_up(form, source):
        asked.append(int(source))
        time.sleep(0.2 * (asked.count(slow_once) == 1 and source == slow_once))
        return scipy_peer.solve(form, source)

    record = measured(changed("scipy", "peer_sssp", solve=held_up), path, sources=9)
    assert asked.count(slow_once) == 2 and max(sample.total_s for sample in record.samples) < 0.1
    assert len({sample.source for sample in record.samples}) == 9

    def wrong_again(form, source):
        return held_up(form, source) + (asked.count(slow_once) == 2 and source == slow_once)

    asked.clear()
    assert measured(changed("scipy", "peer_sssp", solve=wrong_again), path, sources=9).status == "wrong"


def test_a_first_search_with_paths_is_no_sample():
    """Sources without arcs come first, from which a library does less than in its first search with paths."""
    asked = []

    def noting(form, source):
        asked.append(int(source))
        return scipy_peer.solve(form, source)

    star = graph(50, *((7, head, 1) for head in range(50) if head != 7))
    plan_of(changed("scipy", "peer_sssp", solve=noting), CPU, star, 0)
    assert set(asked) == {7}


def test_a_graph_is_prepared_several_times_and_fewer_times_if_that_takes_long(monkeypatch):
    """Each time as a new graph, and the form before is no longer there."""
    graphs, forms = [], weakref.WeakSet()

    class Form:
        pass

    def prepare(given, device):
        assert not forms
        graphs.append(given)
        forms.add(form := Form())
        return form

    def timed(seconds):
        monkeypatch.setattr(contract, "perf_counter", itertools.count(step=seconds).__next__)
        graphs.clear()
        peer = changed("scipy", "peer_sssp", prepare=prepare, solve=lambda form, source: np.zeros(5))
        return plan_of(peer, CPU, grid_of(5, 1), 0).solved_by

    by = timed(seconds=3)  # from one look at the clock to the next
    assert (by["preparations_s"], by["first_answers_s"]) == (5 * [3], 5 * [6])
    assert by["first_answer_s"] == 6
    assert len({id(given.indptr) for given in graphs}) == len(graphs) == 6
    assert timed(seconds=10)["first_answers_s"] == [20, 20]


def test_the_last_answer_for_all_pairs_is_gone_before_the_next_sample():
    class Answer:
        def __init__(self, distances):
            self.distances = distances

    answers = weakref.WeakSet()

    def solve_all(form):
        assert not answers
        answers.add(answer := Answer(reference(five, None)))
        return answer

    five = grid_of(5, 1)
    peer = changed(
        "networkit", solve=lambda form, source: None, solve_all=solve_all, distances=lambda found, form: found.distances
    )
    record = measure_run(five, peer.configured(), CPU, None, QUICK, "tiny")
    assert record.status == "ok" and len(record.samples) >= 2


def test_peers_that_fail_end_alone_and_the_others_take_turns():
    def one_too_long(answer, form):
        return np.where(found := scipy_peer.distances(answer, form), found + 1, found)

    variants = [find("peer_sssp", name) for name in ("warpath", "cugraph", "networkit")]
    variants.insert(1, changed("scipy", "peer_sssp", distances=one_too_long))
    runs = [(variant.configured(), device_of(variant.name)) for variant in variants]
    records = measure_runs(grid_of(40, 3), runs, None, RandomSources(2), "tiny")
    assert [record.status for record in records] == ["ok", "wrong", "missing", "ok"]
    assert len({record.measure.turns for record in records}) == 1
    assert records[0].environment == records[3].environment


def test_a_call_is_timed_by_the_wall_clock_and_cached_memory_stays(monkeypatch):
    """On a GPU, too, whose events would not count the host's work after the last of them."""
    device = open_device("simulated")
    monkeypatch.setattr(device, "record", lambda: pytest.fail("the device's clock"))
    monkeypatch.setattr(device, "release", lambda: pytest.fail("memory is released"))
    slow = changed("warpath", "peer_sssp", solve=lambda solver, source: (time.sleep(0.02), solver.sssp(source))[1])
    plan = plan_of(slow, device, grid_of(5, 1), 0)
    make_ready(plan, device)
    assert timed_solve(plan, device)[0].total_s > 0.02


def test_all_pairs_that_would_outlast_the_budget_are_estimated():
    slow = changed("scipy", solve=lambda form, sources: slowly(scipy_peer.solve(form, sources)))
    configured = slow.configured()
    record = measure_run(grid_of(300, 3), configured, CPU, None, Settings(budget_s=0.1), "tiny")
    assert record.status == "estimated" and 0 < record.estimate.iterations_timed < 300
    assert record.certificate.scope == "subgraph"
    assert record.estimate.standard_error_s > 0


def slowly(answer, row_s=0.001):
    """``answer``, after so many seconds a row."""
    time.sleep(row_s * (len(answer) if answer.ndim == 2 else 1))
    return answer


def changed(name, algorithm="peer_apsp", **parts) -> Variant:
    """The variant of a peer with other parts."""
    peer = dataclasses.replace(find_peer(name), **parts)
    variant = find(algorithm, name)
    return dataclasses.replace(variant, peer=peer, plan=lambda *given: PeerPlan(*given, peer=peer))


@pytest.mark.parametrize("sources", [2, 0])
def test_a_wrong_answer_is_shown_as_wrong_and_not_as_a_time(sources, tmp_path):
    def one_too_long(answer, form):
        return np.where(found := scipy_peer.distances(answer, form), found + 1, found)

    wrong = changed("scipy", "peer_sssp" if sources else "peer_apsp", distances=one_too_long)
    record = measured(wrong, grid_of(40, 3), sources)
    assert (record.status, record.seconds, record.samples, record.certificate) == ("wrong", None, [], None)
    assert "distance 4" in record.reason
    write_record(tmp_path / "record.json", record)
    assert read_record(tmp_path / "record.json") == record


def test_a_peer_that_is_missing_is_one_sentence(tmp_path, monkeypatch, capsys):
    grid_of(5, 1).save(tmp_path / "five.npz")
    command = ["run", str(tmp_path / "five.npz"), "peer_sssp.gapbs.sources=2", "--output", str(tmp_path / "a.json")]
    for folder in ("", str(tmp_path)):
        monkeypatch.setenv(gapbs.FOLDER, folder)
        assert main(command) == 0
        record = read_record(tmp_path / "a.json")
        assert (record.status, record.seconds, record.solved_by) == ("missing", None, None)
        (line,) = [line for line in capsys.readouterr().err.splitlines() if "not available" in line]
        assert record.reason in line


def test_gapbs_gets_no_graph_whose_distances_it_cannot_take():
    for weight in (2**27, 2**30):  # the second with a distance that does not fit 32 bits
        record = measured("gapbs", csr.from_arcs(9, np.arange(8), np.arange(1, 9), [weight] * 8))
        assert (record.status, record.seconds) == ("missing", None)


def test_a_gapbs_that_does_not_compile_is_one_sentence(tmp_path, monkeypatch):
    (tmp_path / "src").mkdir()
    (tmp_path / "src/sssp.cc").write_text("nonsense;")
    monkeypatch.setenv(gapbs.FOLDER, str(tmp_path))
    with pytest.raises(warpath.WarpathError, match="nonsense"):
        solved("gapbs", grid_of(4, 1), 0)


def test_peers_are_found_by_their_files_and_are_no_algorithms_of_the_library(capsys):
    assert set(peer_names()) == {*HERE, "cugraph", "cugraph_python", "routingkit"}
    assert main(["list", "peers"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [line[0] for line in lines] == list(peer_names())
    assert any(line[:3] == ["cugraph", "not", "installed"] for line in lines)
    assert not {"peer_sssp", "peer_apsp"} & families().keys()
    with pytest.raises(UsageError, match="'peer_sssp'"):
        warpath.sssp(grid_of(4, 1), 0, algorithm="peer_sssp", variant="scipy", device="simulated")
    with pytest.raises(UsageError, match=r"'sicpy'; .*scipy"):
        find("peer_sssp", "sicpy")
    with pytest.raises(UsageError, match="igraph, networkit"):
        find("peer_apsp", "gapbs")


def test_negative_arcs_are_refused():
    with pytest.raises(GraphError, match="scipy"):
        measured("scipy", graph(3, (0, 1, 5), (1, 2, -1)))


def test_the_code_of_a_peer_is_its_adapter_and_the_plan():
    code, other = (code_of(find("peer_sssp", name), "cuda") for name in ("gapbs", "scipy"))
    assert code.kernels.keys() == {"gapbs.cpp"} and code.revisions.keys() == {"variant", "sampling", "cpu"}
    assert code.host_loop != other.host_loop


@pytest.mark.parametrize("group", ["one_source", "all_pairs"])
def test_the_solvers_whose_kernels_are_timed_are_among_those_the_library_chooses_from(group):
    asked = load(ROOT / "workflow/works/peers").requests([group], Choice("demo"))
    ours = {run.column for run in asked if run.column.endswith(".predecessors=0")}
    assert ours <= {f"{entry.name}.predecessors=0" for entry in entries_for("cuda", group == "one_source")}
