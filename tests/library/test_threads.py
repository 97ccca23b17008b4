"""Any number of threads may call the library on shared graphs, solvers and matrices: answers are those of one thread.

On the simulated GPU, and on a GPU if there is one.
"""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import networkx
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph as scipys
from every_device import opened

import warpath
from warpath import csgraph
from warpath.errors import CertificateError
from warpath.system.arrays import on_host
from warpath_study.datasets.generate import generate

THREADS = 8
VERTICES = 30
networkx.config.warnings_to_ignore.add("cache")
KINDS = ("simulated", pytest.param("cuda", marks=pytest.mark.cuda))
WAIT_S = 300  # of a machine that does much else


def at_once(work, threads=THREADS):
    """Call ``work(number)`` in so many threads that begin together; what they return. Fails where they do not end."""
    begin = threading.Barrier(threads)

    def begin_together(number):
        begin.wait(WAIT_S)
        return work(number)

    pool = ThreadPoolExecutor(threads)
    try:
        return list(pool.map(begin_together, range(threads), timeout=WAIT_S))
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def drawn(seed, vertices=VERTICES, arcs=120):
    """A random matrix of scipy, its graph, and what scipy answers for all pairs."""
    random = np.random.default_rng(seed)
    ends = random.integers(0, vertices, (2, arcs))
    matrix = scipy.sparse.coo_array((random.integers(1, 50, arcs).astype(float), ends), shape=(vertices, vertices))
    matrix = matrix.tocsr()
    return SimpleNamespace(
        matrix=matrix,
        graph=warpath.as_graph(matrix, scale=1),
        lengths=scipys.dijkstra(matrix),
        vertices=vertices,
        shared=None,
    )


@pytest.fixture(params=KINDS)
def device(request):
    if request.param == "cuda":
        opened("cuda")  # skips where there is none
    return request.param


@pytest.fixture
def given(device, tmp_path):
    found = drawn(1)
    found.file = tmp_path / "drawn.npz"
    warpath.write(found.graph, found.file)
    found.device = device
    found.solver = warpath.prepare(drawn(1).graph, device)
    found.networkx = networkx.from_scipy_sparse_array(found.matrix, create_using=networkx.DiGraph)
    for *_, edge in found.networkx.edges(data=True):
        edge["weight"] = int(edge["weight"])
    found.hops = scipys.dijkstra(found.matrix, unweighted=True)
    return found


def check_trees(found, sources, paths):
    """Each vertex hangs on an arc that explains its length."""
    for source, lengths, tree in zip(sources, paths.floats(), paths.predecessors, strict=True):
        reached = np.flatnonzero((tree >= 0) & (np.arange(len(tree)) != source))
        assert len(reached) == np.isfinite(lengths).sum() - 1
        weights = found.matrix[tree[reached], reached]
        np.testing.assert_array_equal(lengths[tree[reached]] + weights, lengths[reached])


def sources_of(found, random, count=3):
    return random.integers(0, found.vertices, count)


def one_source(found, random):
    source = int(random.integers(found.vertices))
    paths = warpath.sssp(found.graph, source, device=found.device)
    np.testing.assert_array_equal(paths.floats(), found.lengths[source])


def several_sources(found, random):
    sources = sources_of(found, random)
    paths = warpath.sssp(found.graph, sources, device=found.device)
    np.testing.assert_array_equal(paths.floats(), found.lengths[sources])
    check_trees(found, sources, paths)


def another_variant(found, random):
    source = int(random.integers(found.vertices))
    paths = warpath.sssp(found.graph, source, algorithm="bellman_ford", device=found.device, certify=False)
    np.testing.assert_array_equal(paths.floats(), found.lengths[source])


def all_pairs(found, random):
    np.testing.assert_array_equal(warpath.apsp(found.graph, device=found.device).floats(), found.lengths)


def all_pairs_on_every_core(found, random):
    options = {"algorithm": "blocked_all_pairs", "variant": "cpu_tuned", "device": found.device}
    np.testing.assert_array_equal(warpath.apsp(found.graph, **options).floats(), found.lengths)


def closure(found, random):
    np.testing.assert_array_equal(
        warpath.closure(found.graph, device=found.device).reachable, np.isfinite(found.lengths)
    )


def right_and_wrong(found, random):
    sources = sources_of(found, random)
    lengths = found.lengths[sources]
    assert warpath.certify(found.graph, sources, lengths, device=found.device).sources == 3
    wrong = lengths.copy()
    wrong[1, (sources[1] + 1) % found.vertices] = 0
    with pytest.raises(CertificateError):
        found.solver.certify(sources, np.where(np.isinf(wrong), warpath.UNREACHABLE, wrong).astype(np.int32))


def prepared(found, random):
    sources = sources_of(found, random)
    solver = warpath.prepare(found.solver.graph, found.device)  # found.solver, unless other graphs were used since
    np.testing.assert_array_equal(solver.sssp(sources).floats(), found.lengths[sources])
    near = found.solver.table(sources, [4, 2]).floats()
    np.testing.assert_array_equal(near, found.lengths[sources][:, [4, 2]])
    for certify in (True, False):
        pairs = found.solver.pairs(sources, sources[::-1], certify=certify)
        np.testing.assert_array_equal(pairs.floats(), found.lengths[sources, sources[::-1]])


def streamed(found, random):
    for sources, lengths, _ in found.solver.stream(sources_of(found, random, 7), chunk=2, predecessors=True):
        floats = np.where(lengths == warpath.UNREACHABLE, np.inf, lengths)
        np.testing.assert_array_equal(floats, found.lengths[sources])


def reduced(found, random):
    sources = sources_of(found, random, 5)
    statistics = found.solver.statistics(sources, nearest=2)
    finite = np.where(np.isinf(found.lengths), -1, found.lengths)[sources]
    np.testing.assert_array_equal(statistics.rows.eccentricities, finite.max(axis=1))


def matrices(found, random):
    sources = sources_of(found, random)
    for function in (csgraph.dijkstra, csgraph.bellman_ford, csgraph.johnson, csgraph.shortest_path):
        np.testing.assert_array_equal(
            function(found.matrix, indices=sources, device=found.device), found.lengths[sources]
        )
    nearest = csgraph.dijkstra(found.matrix, indices=sources, min_only=True, device=found.device)
    np.testing.assert_array_equal(nearest, found.lengths[sources].min(axis=0))


def all_pairs_of_a_matrix(found, random):
    np.testing.assert_array_equal(csgraph.floyd_warshall(found.matrix, device=found.device), found.lengths)


def networkx_graphs(found, random):
    source = int(random.integers(found.vertices))
    options = {"backend": "warpath", "device": found.device}
    lengths = networkx.single_source_dijkstra_path_length(found.networkx, source, **options)
    assert lengths == {vertex: length for vertex, length in enumerate(found.lengths[source]) if np.isfinite(length)}
    hops = networkx.single_source_shortest_path_length(found.networkx, source, **options)
    assert hops == {vertex: length for vertex, length in enumerate(found.hops[source]) if np.isfinite(length)}


def new_graphs(found, random):
    graph = random.choice([partial(warpath.as_graph, scale=1), lambda _: warpath.read(found.file)])(found.matrix)
    assert (graph.weight_max, graph.sha256) == (found.graph.weight_max, found.graph.sha256)
    np.testing.assert_array_equal(graph.labels[graph.index_of([3, 5])], found.graph.labels[[3, 5]])
    source = int(random.integers(found.vertices))
    np.testing.assert_array_equal(warpath.sssp(graph, source, device=found.device).floats(), found.lengths[source])


CALLS = (
    *(one_source, several_sources, another_variant, all_pairs, all_pairs_on_every_core, closure, right_and_wrong),
    *(prepared, streamed, reduced, matrices, all_pairs_of_a_matrix, networkx_graphs, new_graphs),
)


def test_every_function_answers_many_threads(given):
    for call in CALLS:  # alone, so that what fails below fails because of threads
        call(given, np.random.default_rng(0))

    def work(number):
        random = np.random.default_rng(number)
        for _ in range(20):
            CALLS[random.integers(len(CALLS))](given, random)

    at_once(work)


@pytest.mark.parametrize("call", [several_sources, prepared, right_and_wrong, streamed, matrices])
def test_one_function_answers_many_threads(given, call):
    def work(number):
        random = np.random.default_rng(number)
        for _ in range(5):
            call(given, random)

    at_once(work)


def test_threads_take_turns_at_more_graphs_than_keep_their_solver(device):
    graphs = [drawn(seed) for seed in range(7)]

    def work(number):
        random = np.random.default_rng(number)
        for _ in range(20):
            found = graphs[random.integers(7)]
            source = int(random.integers(VERTICES))
            paths = warpath.sssp(found.graph, source, device=device)
            np.testing.assert_array_equal(paths.floats(), found.lengths[source])

    at_once(work)


def test_streams_and_calls_alternate_in_one_thread(given):
    seen = []
    first, second = (given.solver.stream(range(VERTICES), chunk=4, predecessors=trees) for trees in (True, False))
    for one, other in zip(first, second, strict=True):
        given.solver.sssp(7)
        with pytest.raises(warpath.WarpathError):
            given.solver.sssp(0, cutoff="near")
        for sources, lengths, *_ in (one, other):
            floats = np.where(lengths == warpath.UNREACHABLE, np.inf, lengths)
            np.testing.assert_array_equal(floats, given.lengths[sources])
            seen += sources.tolist()
    assert sorted(seen) == sorted([*range(VERTICES)] * 2)


def test_threads_may_share_out_one_stream(given):
    chunks = given.solver.stream(np.arange(200) % VERTICES, chunk=1)
    found = [chunk for of_thread in at_once(lambda _: list(chunks)) for chunk in of_thread]
    assert sorted(int(sources[0]) for sources, _ in found) == sorted((np.arange(200) % VERTICES).tolist())
    for sources, lengths in found:
        floats = np.where(lengths == warpath.UNREACHABLE, np.inf, lengths)
        np.testing.assert_array_equal(floats, given.lengths[sources])


def test_after_an_interruption_answers_are_right(given):
    """Ctrl-C at any time ends the call, keeps nobody waiting, and spoils no later answer."""
    sources = np.arange(VERTICES)
    calls = [
        lambda: given.solver.sssp(sources, algorithm="bellman_ford"),
        lambda: given.solver.sssp(sources),
        lambda: list(given.solver.stream(sources, chunk=3)),
        lambda: given.solver.certify(sources, given.solver.sssp(sources).distances),
        lambda: given.solver.closure(),
    ]
    for call in calls:
        call()  # Numba may crash if it is interrupted while it loads what it compiled
    random = np.random.default_rng(5)
    long = given.solver.stream(sources, chunk=1, algorithm="bellman_ford", certify=False)
    interrupted = 0

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for number in range(VERTICES):
            try:
                # Again after a second, because Python drops an exception that comes in a weak reference's callback.
                signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-4, 2e-2), 1)
                while True:
                    calls[number % len(calls)]()
            except KeyboardInterrupt:
                signal.setitimer(signal.ITIMER_REAL, 0)
                interrupted += 1
            answers = at_once(lambda _: given.solver.sssp(sources).floats(), threads=2)
            of_chunk, lengths = next(long)
            np.testing.assert_array_equal(lengths, given.solver.sssp(of_chunk).distances)
            for answer in (given.solver.sssp(sources, algorithm="bellman_ford").floats(), *answers):
                np.testing.assert_array_equal(answer, given.lengths)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted == VERTICES


def test_an_update_lets_no_two_threads_solve_at_once(device):
    """On roads of which two solves at once would write into the same rows."""
    roads = generate("road", vertices=3000, arcs=7200, seed=3)
    weights = [np.random.default_rng(seed).integers(1, 1000, roads.arcs).astype(np.int32) for seed in range(3)]
    lengths = {}
    for each in weights:
        of = warpath.Graph(roads.indptr, roads.indices, each)
        lengths[each.tobytes()] = scipys.dijkstra(of.to_scipy(), indices=range(20))
    solver = warpath.prepare(roads, device, calls=4)
    solver.update(weights[0])
    ended = threading.Event()

    def work(number):
        if number == 0:
            for turn in range(120):
                solver.update(weights[turn % 3])
                time.sleep(0.01)
            ended.set()
        asked = 0
        while not ended.is_set():
            source = (number + asked) % 20
            asked += 1
            paths = solver.sssp(source, certify=bool(asked % 2), output="host" if asked % 3 else "device")
            right = lengths[paths.graph.weights.tobytes()][source]
            np.testing.assert_array_equal(on_host(paths.distances), right)

    at_once(work, threads=5)


@pytest.mark.parametrize("copied", [pickle.dumps, copy.copy, copy.deepcopy])
def test_a_solver_is_not_copied_but_its_graph_is(copied):
    found = drawn(2)
    with pytest.raises(TypeError, match="graph"):
        copied(warpath.prepare(found.graph, "simulated"))
    sent = pickle.loads(pickle.dumps(found.graph))
    again = copy.deepcopy(replace(found.graph, labels=[f"v{vertex}" for vertex in range(VERTICES)]))
    assert again.labels.tolist() == [f"v{vertex}" for vertex in range(VERTICES)]
    objects = pickle.loads(pickle.dumps(warpath.from_arcs(2, [0], [1], [3], labels=[("a", 1), ("b", 2)])))
    assert objects.labels.tolist() == [("a", 1), ("b", 2)]
    for graph in (sent, again, objects):
        assert not any(array.flags.writeable for array in (graph.indptr, graph.indices, graph.weights, graph.labels))
    np.testing.assert_array_equal(warpath.apsp(sent, device="simulated").floats(), found.lengths)


# Programs of their own ---------------------------------------------------------------------------------------------

PROGRAM = """
import os, signal, threading
import warpath
graph = warpath.from_arcs(4, [0, 0, 2, 1, 3], [1, 2, 1, 3, 0], [9, 2, 3, 4, 1])
RIGHT = [[0, 5, 2, 9], [5, 0, 7, 4], [8, 3, 0, 7], [1, 6, 3, 0]]
chain = warpath.from_arcs(600, range(599), range(1, 600), [1] * 599)

def check(**options):
    assert warpath.sssp(graph, range(4), device=device, **options).distances.tolist() == RIGHT
    assert warpath.sssp(chain, 0, device="cpu").distances[599] == 599  # by what Numba compiles

def run(work, count=8):
    failed = []
    def guarded():
        try:
            work()
        except BaseException as error:
            failed.append(error)
            raise
    threads = [threading.Thread(target=guarded) for _ in range(count)]
    for thread in threads: thread.start()
    for thread in threads: thread.join()
    assert not failed
"""


def program(text, device="simulated", **environment):
    """Run ``text`` after PROGRAM in a process of its own; what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", f"{PROGRAM}\ndevice = {device!r}\n{text}"],
        capture_output=True,
        text=True,
        check=False,
        timeout=WAIT_S,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def test_the_first_calls_of_a_process_come_from_many_threads(device):
    program("run(check)", device)


@pytest.mark.slow
def test_numbas_simplest_layer_bears_threads():
    program(
        "g = [warpath.from_arcs(4, [0, 0, 2, 1, 3], [1, 2, 1, 3, 0], [9, 2, 3, 4, 1]) for _ in range(8)]\n"
        "run(lambda: [warpath.apsp(g.pop(), algorithm='blocked_all_pairs', variant='cpu_tuned', device=device)])",
        NUMBA_THREADING_LAYER="workqueue",
    )


CHILD = """
child = os.fork()
if not child:
    signal.alarm(100)
    {in_child}
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""


def test_a_forked_process_goes_on_alone():
    text = """
ended = threading.Event()
def work():
    while not ended.is_set():
        check()
        check(algorithm="bellman_ford")
WORK  # imports here: a module that a thread imports while its process forks blocks the child, in any program
helper = threading.Thread(target=work, daemon=True)
helper.start()
for _ in range(6):
    CHILD
ended.set()
helper.join()
"""
    done = "check(); check(algorithm='bellman_ford'); warpath.closure(graph, device=device); run(check, 2)"
    child = CHILD.format(in_child=done).replace("\n", "\n    ")
    program(text.replace("CHILD", child).replace("WORK", done))


@pytest.mark.cuda
def test_a_process_forked_after_a_gpu_was_opened_says_why_it_cannot_go_on():
    opened("cuda")
    in_child = """
    for name in ("cuda", "cuda:0"):
        try:
            warpath.sssp(graph, 0, device=name, algorithm="near_far")
        except warpath.WarpathError as error:
            assert "forked" in str(error)
        else:
            os._exit(1)
    device = "simulated"
    check()
"""
    program(f"check()\n{CHILD.format(in_child=in_child.strip())}", "cuda")


# Streams of CuPy ---------------------------------------------------------------------------------------------------


@pytest.mark.cuda
def test_arrays_are_ready_on_the_callers_stream_and_waited_for_there():
    gpu = opened("cuda")
    found = drawn(4, vertices=3000, arcs=12_000)
    solver = warpath.prepare(found.graph, gpu)
    expected = np.where(np.isinf(found.lengths), warpath.UNREACHABLE, found.lengths).astype(np.int32)
    solver.sssp(range(64), output="device")

    def work(number):
        stream = gpu.xp.cuda.Stream(non_blocking=True)
        with stream:
            delay = gpu.xp.zeros((6000, 6000), np.float32)
            for first in range(0, 640, 64):
                sources = np.arange(first, first + 64)
                paths = solver.sssp(sources, output="device", predecessors=False, certify=False)
                late = paths.distances.copy()
                np.testing.assert_array_equal(late.get(), expected[sources])
                late.fill(7)
                for _ in range(100):
                    delay += 1
                late[...] = paths.distances  # milliseconds from now
                assert solver.certify(sources, late).sources == 64
                for of_chunk, lengths in solver.stream(sources, chunk=9, output="device"):
                    np.testing.assert_array_equal(lengths.copy().get(), expected[of_chunk])
            assert gpu.xp.cuda.get_current_stream() == stream

    at_once(work, threads=3)


@pytest.mark.cuda
@pytest.mark.parametrize("shared", ["graph", "solver"])
def test_one_larger_graph_on_a_gpu(shared):
    gpu = opened("cuda")
    found = drawn(3, vertices=3000, arcs=12_000)
    solve = partial(warpath.sssp, found.graph, device=gpu)
    if shared == "solver":
        solve = warpath.prepare(found.graph, gpu).sssp
    solve([0, 1, 2])

    def work(number):
        random = np.random.default_rng(number)
        for _ in range(150):
            sources = random.integers(0, 3000, 3)
            paths = solve(sources)
            assert paths.certificate.verdict == "exact"
            np.testing.assert_array_equal(paths.floats(), found.lengths[sources])

    at_once(work, threads=4)
