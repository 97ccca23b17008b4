"""The library where there is no GPU: solvers of the CPU, against SciPy and the simulated GPU."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from examples import fewer
from hard_graphs import HARD
from hypothesis import given, strategies
from scipy_reference import reference
from tiny_graphs import NEGATIVE, TINY, graph, named, random_graphs

import warpath
from warpath.certificates.certificate import certify
from warpath.distances import UNREACHABLE
from warpath.errors import CertificateError, DeviceError, GraphError, NegativeCycleError, UsageError

ROAD = warpath.from_arcs(4, [0, 1, 2, 0], [1, 2, 3, 3], [4, 5, 6, 20])


def test_small_graphs():
    for name, of in {**TINY, **NEGATIVE}.items():
        expected = reference(of, None)
        paths = warpath.apsp(of, device="cpu")
        with named(name):
            np.testing.assert_array_equal(paths.distances, expected)
            assert paths.distances.dtype == np.int32
            assert paths.certificate == certify(of, None, paths.distances, paths.predecessors)
            for source in range(of.vertices):
                one = warpath.sssp(of, [source], device="cpu", predecessors=False)
                np.testing.assert_array_equal(one.distances[0], expected[source])
                assert one.predecessors is None
                assert one.certificate.reached == (expected[source] != UNREACHABLE).sum()


def test_hard_graphs_are_solved_or_refused_as_on_the_simulated_gpu():
    def answer(of, device):
        try:
            return warpath.prepare(of, device).sssp(range(0, of.vertices, 7), certify=False).distances
        except GraphError as error:
            return str(error)

    for name, of in HARD.items():
        with named(name):
            np.testing.assert_array_equal(answer(of, "cpu"), answer(of, "simulated"))


@fewer
@given(of=random_graphs(negative=True), data=strategies.data())
def test_what_a_solver_can_do_is_the_same_as_on_the_simulated_gpu(of, data):
    vertex = strategies.integers(0, of.vertices - 1)
    sources = data.draw(strategies.lists(vertex, max_size=9))
    targets = data.draw(strategies.none() | strategies.lists(vertex, max_size=3))
    ends = data.draw(strategies.lists(strategies.tuples(vertex, vertex), max_size=9))
    options = {"cutoff": data.draw(strategies.sampled_from([None, -1, 0, 5, 2.5, 10**6]))}
    options["certify"] = data.draw(strategies.booleans())
    cpu, simulated = warpath.prepare(of, "cpu"), warpath.prepare(of, "simulated")
    for _ in range(2):
        found, expected = (solver.sssp(sources, **options) for solver in (cpu, simulated))
        np.testing.assert_array_equal(found.distances, expected.distances)
        assert found.certificate == expected.certificate
        left = cpu.sssp(sources, output="device", predecessors=False, **options)
        np.testing.assert_array_equal(left.distances, expected.distances)
        found, expected = (solver.table(sources, targets, **options) for solver in (cpu, simulated))
        np.testing.assert_array_equal(found.distances, expected.distances)
        assert found.certificate == expected.certificate
        rows = [row for _, part in cpu.stream(sources, targets=targets, chunk=2, **options) for row in part]
        np.testing.assert_array_equal(np.array(rows).reshape(expected.distances.shape), expected.distances)
        found, expected = (
            solver.pairs(*np.array(ends, int).reshape(-1, 2).T, **options) for solver in (cpu, simulated)
        )
        np.testing.assert_array_equal(found.distances, expected.distances)
        np.testing.assert_array_equal(cpu.closure().reachable, simulated.closure().reachable)
        if of.weight_min >= 0:
            nearest = data.draw(strategies.integers(0, 5))
            found, expected = (
                solver.table(sources, targets, nearest=nearest, **options) for solver in (cpu, simulated)
            )
            np.testing.assert_array_equal(found.targets, expected.targets)
            np.testing.assert_array_equal(found.distances, expected.distances)
            found, expected = (solver.statistics(sources, nearest=nearest) for solver in (cpu, simulated))
            for name, array in vars(expected.rows).items():
                np.testing.assert_array_equal(getattr(found.rows, name), array, name)
            assert found.certificate == expected.certificate
        weights = np.array(
            data.draw(strategies.lists(strategies.integers(0, 9), min_size=of.arcs, max_size=of.arcs)), int
        )
        for solver in (cpu, simulated):
            solver.update(weights)
        of = cpu.graph


def test_a_closure_of_many_words():
    of = graph(
        200, *[(vertex, (7 * vertex + 3) % 200, 1) for vertex in range(0, 200, 2)], (5, 6, 1), (6, 5, 1), (5, 5, 1)
    )
    found = warpath.closure(of, device="cpu")
    np.testing.assert_array_equal(found.reachable, reference(of, None) != UNREACHABLE)
    assert found.certificate.reached == found.reachable.sum()


def test_a_distance_beyond_32_bits_and_a_negative_cycle_are_errors():
    of = graph(4, (0, 1, 2**30), (1, 2, 2**30), (0, 3, 1))
    for asked in (True, False):
        with pytest.raises(GraphError, match="vertex 2 "):
            warpath.sssp(of, [0], device="cpu", certify=asked)
        assert warpath.sssp(of, [1], device="cpu", certify=asked).reached.sum() == 2
    with pytest.raises(NegativeCycleError):
        warpath.sssp(graph(4, (0, 1, 1), (1, 2, -3), (2, 1, 2), (3, 0, 1)), 0, device="cpu")


@pytest.mark.parametrize(
    ("length", "dtype"), [(2, np.int32), (300, np.float32), (10_000, np.float64), (10_000, np.int32)]
)
def test_a_negative_cycle_ends_the_search_when_it_is_found(length, dtype):
    numbers, vertices = np.random.default_rng(length), 20_000
    tails, heads = numbers.integers(0, vertices, (2, 4 * vertices))
    weights = numbers.integers(1, 100, 4 * vertices)
    cycle = numbers.permutation(vertices)[:length]
    on_cycle = np.append(tails, cycle), np.append(heads, np.roll(cycle, -1)), np.append(weights, np.full(length, -1))
    right = warpath.from_arcs(vertices, tails, heads, np.append(weights[:-1], -1).astype(dtype))
    wrong = warpath.from_arcs(vertices, *on_cycle[:2], on_cycle[2].astype(dtype))

    small = warpath.from_arcs(vertices, [cycle[0]], [cycle[0]], np.array([-1], dtype))

    def seconds(of, expected):
        began = time.process_time()
        with pytest.raises(NegativeCycleError) if expected else contextlib.nullcontext():
            warpath.sssp(of, int(cycle[0]), device="cpu", certify=False)
        return time.process_time() - began

    seconds(small, True)  # these two load the solver
    seconds(right, False)
    assert seconds(wrong, True) < 20 * max(0.05, seconds(right, False))


def test_a_wrong_answer_gets_no_certificate():
    for distances, predecessors in (([0, 4, 9, 14], None), ([0, 4, 9, 15], [-1, 0, 1, 0]), ([0, 4, 9, 16], None)):
        with pytest.raises(CertificateError):
            warpath.certify(ROAD, 0, distances, predecessors, device="cpu")
    assert warpath.certify(ROAD, None, reference(ROAD, None), device="cpu").sources == 4


def test_solvers_can_be_named():
    for algorithm, variant in (("dijkstra", "heap"), ("dijkstra", "small"), ("bellman_ford", "queue")):
        for device in ("cpu", "simulated"):
            for sources in (0, [3, 0]):
                paths = warpath.sssp(ROAD, sources, algorithm=algorithm, variant=variant, device=device)
                np.testing.assert_array_equal(paths.distances, reference(ROAD, sources))
                assert paths.variant == f"{algorithm}.{variant}"
    with pytest.raises(GraphError, match="weights"):
        warpath.sssp(NEGATIVE["negative arc"], 0, algorithm="dijkstra", variant="heap", device="cpu")


def test_a_sum_of_floats_that_becomes_infinite_reaches_nothing_and_warns_of_nothing():
    graph = warpath.from_arcs(3, [0, 1], [1, 2], np.array([3e38, 3e38], np.float32))
    for variant in ("heap", "small"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            paths = warpath.sssp(graph, 0, algorithm="dijkstra", variant=variant, device="cpu")
        assert paths.distances.tolist() == [0, np.float32(3e38), np.inf]
        assert paths.predecessors.tolist() == [-1, 0, -1]


def test_a_solver_of_a_gpu_is_refused():
    for names in (("near_far", "queue"), ("label_correcting", None), ("bellman_ford", None)):
        with pytest.raises(UsageError, match="simulated"):
            warpath.sssp(ROAD, 0, algorithm=names[0], variant=names[1], device="cpu")
    with pytest.raises(UsageError, match="simulated"):
        warpath.closure(ROAD, variant="bitset", device="cpu")


ALONE = """
import json, multiprocessing, sys, warnings
import numpy, scipy.sparse, warpath, warpath.csgraph

def solved(device="auto"):
    return warpath.sssp(graph, [0, 2], device=device).distances.tolist()

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    graph = warpath.from_arcs(4, [0, 1, 2, 0], [1, 2, 3, 3], [4, 5, 6, 20])
    explicit = solved("cpu")
    before = len(caught)
    matrix = scipy.sparse.csr_array(([1.5, 2], ([0, 1], [1, 2])), shape=(3, 3))
    answers = [solved(), solved(), warpath.csgraph.dijkstra(matrix, indices=[0, 1])[0].tolist()]
    answers.append(warpath.prepare(graph).statistics().diameter)
    with multiprocessing.get_context("fork").Pool(2) as pool:  # threads of Numba would not survive this
        answers.append(pool.map(solved, ["cpu"] * 2))
warned = [one for one in caught if "GPU" in str(one.message)]
print(json.dumps([explicit, before, [[str(one.message), one.filename, one.lineno] for one in warned], answers]))
"""


LONG = """
import time
import numpy, warpath

numbers = numpy.random.default_rng(1)
vertices = {vertices}
tails, heads = numbers.integers(0, vertices, (2, 5 * vertices))
wide = warpath.from_arcs(vertices, tails, heads, numbers.integers(1, 100, 5 * vertices))
order = numbers.permutation(vertices)
tails = numbers.integers(0, vertices - 99, 5 * vertices)  # without a cycle, and with paths of many arcs
heads = tails + numbers.integers(1, 99, 5 * vertices)
long = warpath.from_arcs(vertices, order[tails], order[heads], numbers.integers(-99, 99, 5 * vertices))
ends = numbers.integers(0, 6000, (2, 1_500_000 if {graph!r} == "dense" else 1))
dense = warpath.from_arcs(6000, *ends, numpy.ones(len(ends[0]), int))
small = warpath.from_arcs(600, range(599), range(1, 600), [{weight}] * 599)  # loads what is compiled
for graph, sources in ((small, slice(2)), ({graph}, slice(400))):
    solver = warpath.prepare(graph, "cpu")
    sources = numpy.arange(graph.vertices)[sources]
    print("begun", flush=True)
    try:
        {call}
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        break
"""


@pytest.mark.parametrize(
    ("graph", "call"),
    [
        ("wide", "solver.sssp(sources)"),
        pytest.param("wide", "solver.statistics(sources)", marks=pytest.mark.slow),
        pytest.param("long", "solver.sssp(0)", marks=pytest.mark.slow),
        pytest.param("dense", "solver.closure()", marks=pytest.mark.slow),
    ],
)
def test_ctrl_c_ends_a_call_at_once(graph, call):
    vertices = 300_000 if graph == "long" else 100_000
    script = LONG.format(graph=graph, call=call, weight=-1 if graph == "long" else 1, vertices=vertices)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert [process.stdout.readline() for _ in range(2)] == ["begun\n"] * 2
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            began = time.monotonic()
            assert process.communicate(timeout=60)[0] == "interrupted\n" and process.returncode == 0
            assert time.monotonic() - began < 4
        finally:
            process.kill()


def without_gpu_and_compiler(tmp_path) -> dict[str, str]:
    hidden = {
        "CUDA_VISIBLE_DEVICES": "",
        "CXX": "no-such-compiler",
        "PATH": str(tmp_path),
        "WARPATH_CACHE": str(tmp_path),
    }
    return {**os.environ, **hidden}


def alone(tmp_path, *arguments):
    command = [sys.executable, "-B", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=without_gpu_and_compiler(tmp_path), timeout=300)


def test_without_gpu_and_compiler_the_cpu_answers_with_one_warning(tmp_path):
    done = alone(tmp_path, "-W", "ignore::DeprecationWarning", "-c", ALONE)
    assert done.returncode == 0, done.stderr
    explicit, before, warned, answers = json.loads(done.stdout)
    assert explicit == [[0, 4, 9, 15], [int(UNREACHABLE), int(UNREACHABLE), 0, 6]]
    ((message, file, line),) = warned
    assert before == 0 and "device='cpu'" in message
    assert (
        file == "<string>"
        and ALONE.splitlines()[line - 1] == "    return warpath.sssp(graph, [0, 2], device=device).distances.tolist()"
    )
    assert answers == [explicit, explicit, [0.0, 1.5, 3.5], 15.0, [explicit, explicit]]


@pytest.mark.slow
def test_commands_without_gpu_and_compiler(tmp_path):
    file, answer = tmp_path / "roads.wel", tmp_path / "answer.npz"
    file.write_text("1 2 7\n2 3 4\n1 3 20\n3 4 0\n5 1 2\n")
    # One process runs all commands, whose words are its arguments.
    program = "import json, sys; from warpath.__main__ import main; sys.exit(max(map(main, json.loads(sys.argv[1]))))"

    def commands(*each):
        return alone(tmp_path, "-c", program, json.dumps(each))

    solved = commands(["solve", str(file), "--source", "1,5", "--output", str(answer)])
    assert solved.returncode == 0 and answer.exists(), solved.stderr
    assert solved.stderr.count("\n") == 1 and solved.stderr.startswith("warpath: warning: no GPU")
    others = ["certify", str(file), str(answer)], ["statistics", str(file), "--nearest", "2"], ["doctor"]
    done = commands(*([*words, "--device", "cpu"] for words in others))
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    done = commands(*(["solve", str(file), "--device", device] for device in ("cuda", "simulated")))
    assert done.returncode == 1 and done.stderr.count("\n") == 2


def test_the_simulated_gpu_is_for_its_name_alone(monkeypatch):
    def missing(index=0):
        raise DeviceError("there is none")

    monkeypatch.setattr("warpath.device.cuda.CudaDevice", missing)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert warpath.open_device("auto").kind == "cpu"
    assert warpath.open_device("simulated").kind == "simulated"
    assert list(warpath.available_devices()) == ["cuda", "cpu", "simulated"]
