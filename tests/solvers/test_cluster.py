"""Label correcting by one cluster of blocks: what it solves, what fits it, how vertices are assigned, who has none."""

from types import SimpleNamespace

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from hypothesis import given, strategies
from planned import planned
from scipy_reference import reference
from test_near_far import star
from tiny_graphs import NEGATIVE, TINY, graph, grid_of, named, random_graphs, scattered_path

import warpath
from warpath.certificates.certificate import certify
from warpath.device import open_device
from warpath.device.cuda import largest_cluster
from warpath.device.resident import resident
from warpath.device.simulated.device import SimulatedDevice
from warpath.distances import NO_PREDECESSOR, UNREACHABLE
from warpath.errors import DeviceError, GraphError, NoClustersError, OutOfMemoryError, UsageError
from warpath.graphs.csr import from_arcs
from warpath.graphs.weights import with_random_weights
from warpath.solvers.choice.facts import shape_of
from warpath.solvers.one_source import cluster as cluster_module
from warpath.solvers.one_source.cluster import (
    ARCS_ALONE_MAX,
    CLUSTER_BLOCKS,
    ROOM,
    Cluster,
    Room,
    assign,
    fits,
    room_of,
)
from warpath_study.datasets.generate import generate
from warpath_study.measure.run import measure_run
from warpath_study.measure.runs import find
from warpath_study.record import Settings, read_record, write_record

GNUTELLA = with_random_weights(generate("gnutella", vertices=2000, arcs=7000), seed=4)
POWER_LAW = with_random_weights(generate("power_law", vertices=700, arcs=6000), seed=4)
STANDIN_SIZED = with_random_weights(generate("gnutella", vertices=36_682, arcs=88_328), seed=4)
WAYS = [{}, {"SWEEPS": 1}, {"SWEEPS": 4}]


@pytest.fixture(scope="module", params=EVERY_DEVICE)
def device(request):
    return with_clusters(opened(request.param))


@pytest.fixture(scope="module")
def simulated():
    return open_device("simulated")


def with_clusters(device):
    """``device``; skips on a GPU without clusters."""
    if device.kind == "cuda" and device.cluster_blocks == 1:
        pytest.skip(f"{device.name} has no clusters")
    return device


def gpu(cluster_blocks=CLUSTER_BLOCKS):
    """As much of a GPU as is asked before anything is launched there."""
    return SimpleNamespace(kind="cuda", name="Tesla T4", cluster_blocks=cluster_blocks)


def assert_right(graph, source, solution):
    np.testing.assert_array_equal(solution.distances, reference(graph, source))
    if solution.predecessors is not None:
        certify(graph, source, solution.distances, solution.predecessors)


def test_every_tiny_graph(device):
    for name, tiny in TINY.items():
        for source in {0, tiny.vertices - 1}:
            with named(f"{name} from {source}"):
                assert_right(tiny, source, planned(Cluster, device, tiny, source, predecessors=source > 0).solve())


@given(
    graph=random_graphs(vertices_max=150, arcs_per_vertex=8),
    macros=strategies.sampled_from(WAYS),
    predecessors=strategies.booleans(),
    data=strategies.data(),
)
def test_random_graphs(device, graph, macros, predecessors, data):
    source = data.draw(strategies.integers(0, graph.vertices - 1))
    assert_right(graph, source, planned(Cluster, device, graph, source, predecessors, macros=macros).solve())


@pytest.mark.parametrize("macros", WAYS, ids=str)
@pytest.mark.parametrize("of", [GNUTELLA, POWER_LAW, scattered_path(997)], ids=["gnutella", "power law", "path"])
def test_solves_from_one_source_after_another(device, of, macros):
    plan = planned(Cluster, device, of, 0, macros=macros)
    for source in (5, 0, of.vertices - 1, int(np.argmax(np.diff(of.indptr)))):
        plan.start(source)
        plan.run()
        on_device = plan.on_device()
        found = [np.empty(of.vertices, np.int32) for _ in range(2)]
        for array, out in zip((on_device.distances, on_device.predecessors), found, strict=True):
            device.download(array, out)
        assert_right(of, source, SimpleNamespace(distances=found[0], predecessors=found[1]))
    assert plan.settled() and plan.counters["launches"] == 4 and plan.counters["rounds"] >= 4


@pytest.mark.cuda
@pytest.mark.parametrize("macros", WAYS, ids=str)
def test_graphs_that_fill_a_cluster(macros):
    """Sixteen blocks, up to their last register and their last place; a thousand solves of the smaller one."""
    device = with_clusters(opened("cuda"))
    full = with_random_weights(generate("random", vertices=2**16, arcs=CLUSTER_BLOCKS * ROOM.arcs - 3000), seed=2)
    found = resident(device, full)
    assert fits(found, shape_of(found))
    for of, times in ((full, 3), (STANDIN_SIZED, 1000)):
        plan = planned(Cluster, device, of, 0, macros=macros)
        sources = np.argsort(-np.diff(of.indptr))[: min(times, 10)].tolist()
        expected = {source: reference(of, source) for source in sources}
        for turn in range(times):
            source = sources[turn % len(sources)]
            plan.source = source
            plan.reset()
            plan.upload()
            plan.run()
            solution = plan.download()
            np.testing.assert_array_equal(solution.distances, expected[source])
            if turn < 3:
                certify(of, source, solution.distances, solution.predecessors)


def test_a_vertex_with_more_arcs_than_a_block_has_threads(device):
    for of in (star(3000, (1, 9), ends=500), star(3000, (0, 2), ends=500)):
        assert_right(of, 0, planned(Cluster, device, of, 0).solve())


def test_sums_that_would_wrap_are_no_paths(device):
    heavy = graph(5, (0, 1, 2**31 - 2), (1, 2, 2**31 - 2), (0, 3, 2**31 - 2), (3, 2, 1), (2, 4, 1))
    for macros in WAYS:
        solution = planned(Cluster, device, heavy, 0, macros=macros).solve()
        assert solution.distances.tolist() == [0, 2**31 - 2, UNREACHABLE, 2**31 - 2, UNREACHABLE]
        assert solution.predecessors.tolist() == [NO_PREDECESSOR, 0, NO_PREDECESSOR, 0, NO_PREDECESSOR]


def test_a_path_takes_a_round_for_each_arc_at_most():
    plan = planned(Cluster, opened("reverse"), grid_of(100, 1), 0)
    plan.solve()
    assert 2 <= plan.counters["rounds"] <= 100  # the last one finds nothing


def test_a_launch_that_gave_up_is_reported_and_the_next_solve_works():
    plan = planned(Cluster, opened("reverse"), scattered_path(97), 0)
    plan.start(0)
    plan.launch.set(rounds_max=np.int32(3))
    with pytest.raises(DeviceError, match="gave up"):
        plan.run()
    plan.launch.set(rounds_max=np.int32(99))
    assert_right(scattered_path(97), 0, plan.solve())


def test_the_host_holds_as_many_arcs_as_its_rows_of_peers(simulated):
    assert_right(STANDIN_SIZED, 7, planned(Cluster, simulated, STANDIN_SIZED, 7).solve())


def test_a_graph_that_is_one_too_large_is_refused(simulated):
    words = simulated.shared_memory_bytes // 4
    assert room_of(simulated, from_arcs(1, [], [], [])) == Room(1, words, ARCS_ALONE_MAX)
    planned(Cluster, simulated, graph(words), 0)
    with pytest.raises(UsageError, match="58,113"):
        planned(Cluster, simulated, graph(words + 1), 0)
    loops = lambda count: from_arcs(2, *np.zeros((2, count), np.int64), np.ones(count, np.int64))  # noqa: E731
    planned(Cluster, simulated, loops(ARCS_ALONE_MAX), 0)
    with pytest.raises(UsageError, match="131,073"):
        planned(Cluster, simulated, loops(ARCS_ALONE_MAX + 1), 0)


def test_what_fits_a_cluster_of_a_gpu(monkeypatch):
    suits = lambda of: fits(found := resident(open_device("simulated"), of), shape_of(found))  # noqa: E731
    assert not suits(STANDIN_SIZED)  # without clusters
    monkeypatch.setattr(SimulatedDevice, "cluster_blocks", CLUSTER_BLOCKS)
    assert Room(16, 4096, 12_288) == ROOM and (ROOM.local_bits, Room(1, 9, 9).local_bits) == (12, 16)
    assert suits(graph(2**16)) and not suits(graph(2**16 + 1))
    assert suits(star(ROOM.arcs, (1, 9))) and not suits(star(ROOM.arcs + 1, (1, 9)))
    assert not suits(generate("random", vertices=20_000, arcs=CLUSTER_BLOCKS * ROOM.arcs + 1))
    assert suits(STANDIN_SIZED)


@given(
    graph=random_graphs(vertices_max=200, arcs_per_vertex=9),
    blocks=strategies.sampled_from([1, 2, 16]),
    threads=strategies.sampled_from([1, 7, 32]),
    heavy=strategies.sampled_from([0, 5, 1024]),
)
def test_every_vertex_and_every_arc_is_assigned_once(graph, blocks, threads, heavy):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster_module, "_HEAVY_MAX", heavy)
        assignment = assign(graph, blocks)
    assert sorted(assignment.owned.tolist()) == list(range(graph.vertices))
    for block in range(blocks):
        owned = assignment.owned[assignment.starts[block] : assignment.starts[block + 1]]
        assert (assignment.blocks[owned] == block).all()
        assert (assignment.positions[owned] == np.arange(len(owned))).all()
        assert assignment.arc_counts[block] == np.diff(graph.indptr)[owned].sum()
    room = Room(blocks, 4096, 12_288)
    rows = -(-int(assignment.arc_counts.max()) // threads)
    words, weights = assignment.arcs(graph, room, threads, rows)
    assert words.shape == weights.shape == (blocks * rows * threads,)
    there = np.flatnonzero(weights >= 0)
    tails, heads = words[there] >> 16, words[there] & 0xFFFF
    tails = assignment.owned[assignment.starts[there // max(1, rows * threads)] + tails]
    heads = assignment.owned[assignment.starts[heads >> room.local_bits] + (heads & (2**room.local_bits - 1))]
    found = sorted(zip(tails.tolist(), heads.tolist(), weights[there].tolist(), strict=True))
    assert found == sorted(zip(*(a.tolist() for a in (graph.tails(), graph.indices, graph.weights)), strict=True))
    assert (words[weights < 0] == 0).all()


@pytest.mark.parametrize("of", [GNUTELLA, STANDIN_SIZED, generate("power_law", vertices=20_000, arcs=100_000)])
def test_blocks_have_about_as_many_vertices_and_arcs(of):
    assignment = assign(of, CLUSTER_BLOCKS)
    heaviest = np.diff(of.indptr).max()
    assert np.ptp(assignment.arc_counts) <= max(heaviest, 16) and np.ptp(assignment.vertex_counts) <= of.vertices // 50
    assert assignment.arc_counts.max() <= max(1.02 * of.arcs / CLUSTER_BLOCKS, heaviest)


def test_a_gpu_without_clusters_is_refused():
    with pytest.raises(NoClustersError, match="Tesla T4"):
        planned(Cluster, gpu(cluster_blocks=1), GNUTELLA, 0)
    assert room_of(gpu(), from_arcs(1, [], [], [])) == ROOM


def test_a_gpu_whose_clusters_are_small_is_not_tried():
    assert [largest_cluster(SimpleNamespace(), major) for major in (7, 8, 12)] == [1, 1, 1]


@pytest.mark.parametrize(("met", "fails", "blocks"), [(16, False, 16), (0, False, 1), (0, True, 1)])
def test_a_large_cluster_is_tried(met, fails, blocks):
    """A part of a GPU may have too few multiprocessors for it."""

    class Trial:
        allowed = False

        def allow_large_clusters(self):
            self.allowed = True

        def __call__(self, grid, block, *, shared_mem, **arguments):
            assert (grid, block, self.allowed) == ((16,), (512,), True)
            assert shared_mem > 228 * 1024 / 2, "two of them would fit a multiprocessor"
            if fails:
                raise DeviceError("kernel meet with grid (16,): invalid cluster size")
            arguments["met"][0] = met

    trial = SimpleNamespace(
        upload=np.copy,
        kernel=lambda file, name: Trial(),
        synchronize=lambda: None,
        download=lambda a, out: np.copyto(out, a),
    )
    assert largest_cluster(trial, 9) == blocks


@pytest.mark.parametrize("error", [OutOfMemoryError("not enough"), DeviceError("cluster_trial.cu does not compile")])
def test_what_says_nothing_of_clusters_is_not_taken_for_an_answer(error):
    def fail(*_):
        raise error

    gpu = SimpleNamespace(upload=fail if isinstance(error, OutOfMemoryError) else np.copy, kernel=fail)
    with pytest.raises(type(error), match=str(error)):
        largest_cluster(gpu, 9)


@pytest.mark.cuda
def test_this_gpu_says_whether_it_has_clusters():
    facts = opened("cuda").describe()
    whole = int(facts["compute_capability"][:-1]) in (9, 10) and "MIG" not in facts["name"]
    blocks = opened("cuda").cluster_blocks
    assert blocks == 16 if whole else blocks in (1, 16)
    assert blocks == 1 or int(facts["compute_capability"][:-1]) in (9, 10)


def test_on_a_gpu_without_clusters_a_run_is_not_available(simulated, monkeypatch, tmp_path):
    def refuse(device, graph):
        raise NoClustersError("this GPU has none")

    monkeypatch.setattr("warpath.solvers.one_source.cluster.room_of", refuse)
    configured = find("label_correcting", "cluster").configured()
    record = measure_run(TINY["ties"], configured, simulated, 0, Settings(), "ties")
    assert (record.status, record.reason, record.seconds) == ("missing", "this GPU has none", None)
    write_record(tmp_path / "record.json", record)
    assert read_record(tmp_path / "record.json") == record


def test_the_library_takes_it_by_its_name(simulated):
    paths = warpath.sssp(GNUTELLA, 3, algorithm="label_correcting", variant="cluster", device=simulated)
    assert (paths.variant, paths.certificate is not None) == ("label_correcting.cluster", True)
    with pytest.raises(GraphError, match="weights"):
        warpath.sssp(NEGATIVE["negative arc"], 0, algorithm="label_correcting", variant="cluster", device=simulated)
