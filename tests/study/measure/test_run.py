"""A run from graph to record, with a variant and a device that do what a test tells them."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from test_sampling import ScriptedDevice
from tiny_graphs import graph, grid_of, named

from warpath.__main__ import main
from warpath.certificates.facts import Certificate
from warpath.device.cpu import CpuDevice
from warpath.device.simulated.device import SimulatedDevice
from warpath.distances import UNREACHABLE
from warpath.errors import CertificateError, DeviceError, GraphError, NegativeCycleError, OutOfMemoryError, UsageError
from warpath.graphs.csr import Graph, load
from warpath.solvers.registry import variants
from warpath.solvers.variant import Configured
from warpath.system import host_machine
from warpath_study import problems
from warpath_study.cli.run import summary
from warpath_study.matrix_product.matrices import load as load_pair
from warpath_study.matrix_product.matrices import random_matrices
from warpath_study.measure.run import measure_run
from warpath_study.measure.runs import answer_size, find
from warpath_study.problems import PROBLEMS
from warpath_study.provenance.facts import Code
from warpath_study.published.shared.plan import Plan, PlanVariant, Solution
from warpath_study.record import Measure, RandomSources, Sample, Settings, parse_run, read_record, write_record

pytestmark = pytest.mark.usefixtures("a_lock_of_our_own")
SETTINGS = Settings(budget_s=100, repeats_min=2, repeats_max=4, spread=0.1)


def test_nothing_is_measured_that_cannot_be_kept(tmp_path, capsys, monkeypatch):
    def measures(*_, **__):
        raise AssertionError("it measures before it knows that it can write")

    for name in ("warpath_study.cli.run.measure_runs", "warpath.cli.solve.read_graph"):
        monkeypatch.setattr(name, measures)
    graph = str(tmp_path / "path.npz")
    PATH.save(graph)
    for command, suffix in ((["run", graph, "bellman_ford.naive"], "json"), (["solve", graph], "csv")):
        for output in (f"/proc/a.{suffix}", f"{graph}/a.{suffix}"):
            assert main([*command, "--device", "simulated", "--output", output]) == 1
            assert output in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["path.npz"]


def changed_weight(file):
    """Another graph, or another pair of matrices, in its place."""
    if "matrices" in file:
        pair = load_pair(file)
        right = pair.right.copy()
        right[3, 4] += 1
        dataclasses.replace(pair, right=right).save(file)
    else:
        whole = load(file)
        weights = whole.weights.copy()
        weights[3] += 1
        dataclasses.replace(whole, weights=weights).save(file)


def test_a_generated_dataset_is_measured_only_if_it_is_the_one_of_the_catalog(tmp_path, capsys):
    drawn = ["--weights-seed", "7", "--weight-min", "5", "--weight-max", "9"]
    for name, run, options in (
        ("demo-nyc", "bellman_ford.naive", []),
        ("demo-gnutella04", "bellman_ford.naive", drawn),
        ("matrices-64", "matrix_path.frontier", []),
    ):
        file, output = str(tmp_path / f"{name}.npz"), tmp_path / "record.json"
        assert main(["generate", name, *options, "--output", file]) == 0
        command = ["run", file, run, "--device", "simulated", "--budget-s", "0.1", "--output", str(output)]
        assert main(command) == 0
        output.unlink()
        changed_weight(file)
        capsys.readouterr()
        assert main([*command, "--dataset", name]) == main(command) == 1
        told = capsys.readouterr().err
        assert name in told and f"rm {file}" in told
        assert not output.exists()
        assert main([*command, "--dataset", "one-of-my-own"]) == 0


class Device(ScriptedDevice):
    name = "a scripted device"

    def describe(self) -> dict:
        return {"kind": self.kind, "name": self.name}


class Gpu(Device):
    """Its launches take so long that a record tells them."""

    kind, name, launch_s = "cuda", "a scripted GPU", 7e-6

    def kernel(self, file: Path, name: str) -> "Gpu":
        return self

    def bind(self, *_) -> None:
        pass

    def repeat(self, launches, times: int) -> None:
        self.now_s += times * self.launch_s

    def describe(self) -> dict:
        return {**super().describe(), "pci_bus_id": "0000:1B:00.0"}


class RelaxingPlan(Plan):
    """Relaxes all arcs once an iteration, a second each; ``source`` None does so from every vertex."""

    def __init__(self, device, graph: Graph, source: int | None):
        super().__init__(device, graph)
        self.iterations = graph.vertices - 1
        self.sources = [source] if source is not None else range(graph.vertices)
        self.one = source is not None

    def upload(self) -> None:
        self.device.now_s += 0.5
        self.distances = np.full((len(self.sources), self.graph.vertices), UNREACHABLE, np.int32)
        self.predecessors = np.full_like(self.distances, -1)
        for row, source in enumerate(self.sources):
            self.distances[row, source] = 0

    def iterate(self, first: int, last: int) -> None:
        self.device.now_s += last - first
        self.counters["launches"] += last - first
        arcs = list(zip(self.graph.tails(), self.graph.indices, self.graph.weights, strict=True))
        for _ in range(first, last):
            for row in range(len(self.sources)):
                for tail, head, weight in arcs:
                    distance = int(self.distances[row, tail]) + int(weight)
                    if self.distances[row, tail] != UNREACHABLE and distance < self.distances[row, head]:
                        self.distances[row, head] = distance
                        self.predecessors[row, head] = tail

    def download(self) -> Solution:
        self.device.now_s += 0.25
        if self.one:
            return Solution(self.distances[0], self.predecessors[0])
        return Solution(self.distances, self.predecessors)

    def release(self) -> None:
        pass


class WrongPlan(RelaxingPlan):
    """One off at the last vertex, for graphs of more than ``right_up_to`` vertices."""

    right_up_to = 0

    def download(self) -> Solution:
        solution = super().download()
        if self.graph.vertices > self.right_up_to:
            solution.distances[..., -1] += 1
        return solution


class WrongOnLargeGraphs(WrongPlan):
    right_up_to = 3


class SettlingPlan(RelaxingPlan):
    def settled(self) -> bool:
        before = self.distances.copy()
        counters = self.counters.copy()
        self.iterate(0, 1)
        self.device.now_s -= 1
        self.counters = counters
        return bool((before == self.distances).all())


@dataclasses.dataclass(frozen=True)
class FakeVariant(PlanVariant):
    """A variant that no registry knows."""


def variant(plan=RelaxingPlan, problem="sssp", **facts) -> Configured:
    facts = {"algorithm": "relaxing", "name": "plain", "origin": "none", "summary": "for tests", **facts}
    return FakeVariant(problem=problem, plan=plan, **facts).configured({})


PATH = grid_of(6, 2)


def test_a_record_that_is_written_and_read(tmp_path):
    record = measure_run(PATH, variant(), Device(), 2, SETTINGS, "tiny")
    write_record(tmp_path / "a.json", record)
    assert read_record(tmp_path / "a.json") == record
    assert (record.status, record.run, record.name_parameters) == ("ok", "relaxing.plain", {})
    assert record.seconds == pytest.approx(5.75)
    assert record.samples == 2 * [Sample({"upload_s": 0.5, "solve_s": 5.0, "download_s": 0.25})]
    assert record.source == 2
    assert record.counters == {"iterations": 5, "launches": 5}
    assert record.measure == Measure(SETTINGS, 5)
    assert record.certificate == Certificate("full", 6, 1, 10, 6)
    assert record.answer is None
    assert str(Path.home()) not in (tmp_path / "a.json").read_text() or Path.home() == Path("/")
    assert record.launch_and_wait_s is None  # which a GPU's record alone has
    assert summary(record) == "5.75 s (2 samples, spread 0.0 %), certified"


CODE = Code({}, {}, {"variant": 7}, "0" * 64)


def test_the_code_is_read_before_the_run(monkeypatch):
    asked = []

    def identity(variant, device_kind, trees):
        asked.append((variant.name, device_kind))
        return CODE

    class LookingPlan(RelaxingPlan):
        def upload(self):
            assert asked == [("plain", "simulated")]
            super().upload()

    monkeypatch.setattr("warpath_study.measure.run.code_of", identity)
    assert measure_run(PATH, variant(LookingPlan), Device(), 0, SETTINGS, "tiny").code == CODE


def test_all_pairs_have_no_source_and_one_vertex_has_a_time():
    record = measure_run(PATH, variant(problem="apsp"), Device(), 99, SETTINGS, "tiny")
    assert record.source is None
    assert record.certificate.sources == 6
    assert record.certificate.arcs_checked == 60
    alone = measure_run(graph(1), variant(), Device(), 0, SETTINGS, "tiny")
    assert (alone.status, alone.seconds) == ("ok", 0.75)


def test_an_estimate_is_certified_on_the_part_that_was_solved_before(monkeypatch):
    monkeypatch.setattr(problems, "PART_VERTICES_SPARSE", 5)
    record = measure_run(grid_of(40, 1), variant(), Device(), 20, Settings(budget_s=10), "tiny")
    assert record.status == "estimated"
    assert record.seconds == pytest.approx(39.75)
    assert record.samples == []
    assert record.certificate.scope == "subgraph"
    assert record.certificate.vertices == 5
    timed = record.counters["iterations"]
    assert f"{timed} of 39 iterations" in record.reason
    assert summary(record) == f"~40 s (estimated from {timed} of 39 iterations), certified on 5 vertices"


def test_an_estimate_whose_distances_are_final_is_certified_in_full():
    path_in_order = graph(60, *((v, v + 1, 1) for v in range(59)))
    record = measure_run(path_in_order, variant(SettlingPlan), Device(), 0, Settings(budget_s=20), "tiny")
    assert record.status == "estimated"
    assert record.estimate.settled
    assert record.certificate.scope == "full"
    assert summary(record).endswith("certified")


def test_what_may_not_be_estimated_is_timed_in_full():
    record = measure_run(PATH, variant(same_cost=False), Device(), 0, Settings(budget_s=1), "tiny")
    assert record.status == "ok"
    assert summary(record) == "5.75 s (1 sample), certified"


@pytest.mark.parametrize("plan", [WrongPlan, WrongOnLargeGraphs])
def test_a_wrong_answer_is_no_record(monkeypatch, plan):
    """Found on the part, before anything is timed, or in the answer that was timed."""
    monkeypatch.setattr(problems, "PART_VERTICES_SPARSE", 3)
    monkeypatch.setattr(problems, "PART_VERTICES_DENSE_WITHOUT_GPU", 3)
    for problem in ("sssp", "apsp"):
        device = Device()
        with pytest.raises(CertificateError, match=r"tiny relaxing\.plain .*source 0: .*vertex \d"):
            measure_run(PATH, variant(plan, problem), device, 0, SETTINGS, "tiny")
        assert (device.now_s > 10) == (plan is WrongOnLargeGraphs)


def failing_plan(phase: str, error: Exception, only_beyond: int = 0):
    class FailingPlan(RelaxingPlan):
        pass

    def fail(self, *arguments):
        if self.graph.vertices > only_beyond:
            raise error
        return getattr(RelaxingPlan, phase)(self, *arguments)

    setattr(FailingPlan, phase, fail)
    return FailingPlan


@pytest.mark.parametrize("only_beyond", [0, 3], ids=["the part", "the whole"])
def test_memory_that_does_not_suffice_is_a_result(tmp_path, monkeypatch, only_beyond):
    monkeypatch.setattr(problems, "PART_VERTICES_SPARSE", 3)
    for phase in ("reset", "upload", "iterate", "download"):
        for error in (OutOfMemoryError("12 of 10 bytes"), MemoryError("12 of 10 bytes")):
            plan = failing_plan(phase, error, only_beyond)
            with named(f"{phase}, {type(error).__name__}"):
                record = measure_run(PATH, variant(plan), Device(), 0, SETTINGS, "tiny")
                write_record(tmp_path / "a.json", record)
                assert (record.status, record.seconds, record.samples) == ("out_of_memory", None, [])
                assert "12 of 10 bytes" in record.reason
                assert (record.certificate is None) == (only_beyond == 0)
                assert summary(record) == f"out of memory: {record.reason}"


@pytest.mark.parametrize(
    "options",
    [
        ["dijkstra.heap.sources=2", "dijkstra.heap.sources=2"],
        ["dijkstra.heap.sources=2+sources_with_arcs=2"],
        ["dijkstra.heap", "bellman_ford.cpu"],
        ["dijkstra.heap", "--repeats-min", "3", "--repeats-max", "2"],
    ],
)
def test_runs_that_do_not_fit_are_refused_before_they_are_measured(options, tmp_path, capsys):
    PATH.save(tmp_path / "path.npz")
    assert main(["run", str(tmp_path / "path.npz"), *options, "--output", str(tmp_path / "a")]) == 2
    assert capsys.readouterr().err.count("\n") == 1 and not (tmp_path / "a").exists()


@pytest.mark.parametrize(
    ("options", "least", "most"),
    [([], 3, 10), (["--repeats-max", "1"], 1, 1), (["--repeats-min", "12"], 12, 12), (["--repeats-max", "5"], 3, 5)],
)
def test_a_number_of_repeats_that_is_given_counts_more_than_the_default_of_the_other(options, least, most, tmp_path):
    PATH.save(tmp_path / "path.npz")
    run = [str(tmp_path / "path.npz"), "bellman_ford.cpu", "--output", str(tmp_path / "a.json"), *options]
    assert main(["run", *run]) == 0
    sampling = read_record(tmp_path / "a.json").measure.sampling
    assert (sampling.repeats_min, sampling.repeats_max) == (least, most)


@pytest.mark.parametrize("each", variants(), ids=lambda each: f"{each.algorithm}.{each.name}")
def test_every_variant_is_measured_on_a_small_graph(each):
    """A hundredth of its iterations is none, so that a warm-up may pass all phases without a solve."""
    what = random_matrices(5) if each.problem == "grid" else PATH
    source = 0 if each.problem == "sssp" else None
    record = measure_run(what, each.configured({}), SimulatedDevice(), source, SETTINGS, "tiny")
    assert record.status == "ok" and record.certificate.scope == "full"


@pytest.mark.parametrize("each", [each for each in variants("sssp") if each.floats], ids=lambda each: each.name)
def test_random_sources_of_floats(each):
    floats = Graph(PATH.indptr, PATH.indices, PATH.weights / 3)
    record = measure_run(floats, each.configured({}), SimulatedDevice(), None, RandomSources(3), "tiny")
    assert record.status == "ok" and len(record.samples) == record.certificate.sources == 3


def test_an_answer_that_the_machine_cannot_hold_is_not_tried(monkeypatch):
    def with_free(free_bytes):
        monkeypatch.setattr(host_machine, "memory_bytes", lambda: (free_bytes, 1000))

    monkeypatch.setattr(host_machine, "LARGE_BYTES", 0)
    for run, wanted_bytes in (
        ("floyd_warshall.narrow", 288),
        ("floyd_warshall.narrow.predecessors=0", 144),
        ("peer_apsp.scipy", 432),
        ("bellman_ford.cpu", 48),
    ):
        algorithm, name, asked = parse_run(run)
        configured = find(algorithm, name).configured(asked)
        rows = PROBLEMS[configured.variant.problem].answer_rows(6)
        with_free(wanted_bytes)
        answer_size(configured).check(rows, 6)
        with_free(wanted_bytes - 1)
        with named(run), pytest.raises(OutOfMemoryError, match=f"{wanted_bytes} bytes"):
            answer_size(configured).check(rows, 6)
    closure = find("transitive_closure", "cpu").configured({})
    for configured, device, wanted_bytes in (
        (variant(problem="apsp"), Device(), 288),
        (closure, CpuDevice(), 216),
    ):
        with_free(wanted_bytes - 1)
        record = measure_run(PATH, configured, device, None, SETTINGS, "tiny")
        assert record.status == "out_of_memory" and f"{wanted_bytes} bytes" in record.reason
        with_free(wanted_bytes)
        assert measure_run(PATH, configured, device, None, SETTINGS, "tiny").status == "ok"


def test_a_kernel_that_fails_is_no_record():
    plan = failing_plan("iterate", DeviceError("an illegal address"))
    with pytest.raises(DeviceError, match="an illegal address"):
        measure_run(PATH, variant(plan), Device(), 0, SETTINGS, "tiny")


def test_what_cannot_be_solved_is_refused_before_anything_runs():
    plan = failing_plan("__init__", AssertionError("this must not run"))
    for graph_, facts, source, error in (
        (PATH, {}, 6, UsageError),
        (PATH, {}, -1, UsageError),
        (graph(2, (0, 1, -1)), {"negative_arcs": False}, 0, GraphError),
        (graph(2, (0, 1, -1), (1, 0, 0)), {}, 0, NegativeCycleError),
    ):
        with pytest.raises(error):
            measure_run(graph_, variant(plan, **facts), Device(), source, SETTINGS, "tiny")


def test_the_machine_is_held_while_anything_runs(machine_is_held):
    class LookingPlan(RelaxingPlan):
        def upload(self):
            assert machine_is_held()
            super().upload()

    measure_run(PATH, variant(LookingPlan), Device(), 0, SETTINGS, "tiny")
    assert not machine_is_held()


@pytest.fixture
def nvidia_smi(tmp_path, monkeypatch):
    """A function that puts a script in the place of nvidia-smi."""

    def write(script):
        (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "nvidia-smi").chmod(0o755)

    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return write


def test_the_record_of_a_gpu_has_its_clocks_and_the_cost_of_a_launch(nvidia_smi):
    nvidia_smi(
        'case "$*" in *--id=0000:1B:00.0*) ;; *) exit 6 ;; esac\n'
        "echo '570.86, 1980, 1980, 2619, 3201, 41, 220.51, [N/A], 0x0000000000000024'"
    )
    record = measure_run(PATH, variant(), Gpu(), 0, SETTINGS, "tiny")
    state = {"driver": "570.86", "sm_clock_mhz": 1980, "sm_clock_max_mhz": 1980, "memory_clock_mhz": 2619}
    state |= {"memory_clock_max_mhz": 3201, "temperature_c": 41, "power_w": 220.51, "power_limit_w": None}
    state["throttle_reasons"] = ["sw_power_cap", "sw_thermal_slowdown"]
    assert record.environment["gpu"] == {"before": state, "after": state}
    assert record.launch_and_wait_s == pytest.approx(7e-6)
    assert summary(record).endswith("sw_power_cap, sw_thermal_slowdown")


def test_a_gpu_without_nvidia_smi_is_measured_all_the_same(nvidia_smi):
    for answer in ("exit 9", "echo 1, 2", "echo"):
        nvidia_smi(answer)
        assert measure_run(PATH, variant(), Gpu(), 0, SETTINGS, "tiny").environment["gpu"] is None


# The command.


def options(tmp_path: Path, graph: str = "tiny.npz", run: str = "bellman_ford.cpu", **changes: str) -> list[str]:
    chosen = {"budget_s": "1", "output": str(tmp_path / "out" / "record.json")} | changes
    words = (word for name, value in chosen.items() for word in (f"--{name.replace('_', '-')}", value))
    return ["run", str(tmp_path / graph), *run.split(), *words]


def test_the_command_writes_a_record_and_two_lines(tmp_path, capsys):
    PATH.save(tmp_path / "tiny.npz")
    assert main(options(tmp_path, source="3", repeats_min="2", repeats_max="2")) == 0
    record = read_record(tmp_path / "out" / "record.json")
    assert record.device["kind"] == "cpu"
    assert (record.dataset, record.source, len(record.samples)) == ("tiny", 3, 2)
    assert (record.run, "relax_all" in record.code.kernels) == ("bellman_ford.cpu", True)
    out, err = capsys.readouterr()
    assert out == ""
    first, last = err.splitlines()
    assert "bellman_ford.cpu" in first and last.endswith(", certified")


def test_the_source_is_named_by_label_and_kept_as_index_and_label(tmp_path):
    Graph(PATH.indptr, PATH.indices, PATH.weights, {}, 10).save(tmp_path / "tiny.npz")
    for changes, index in (({"source": "13"}, 3), ({"source_index": "3"}, 3), ({}, 0)):
        assert main(options(tmp_path, **changes)) == 0
        record = read_record(tmp_path / "out" / "record.json")
        assert (record.source, record.source_label) == (index, 10 + index)
    assert main(options(tmp_path, run="floyd_warshall.cpu", source="3")) == 0
    record = read_record(tmp_path / "out" / "record.json")
    assert (record.source, record.source_label) == (None, None)


def test_the_dataset_is_named_by_the_graph_or_the_option_and_names_the_place_of_the_record(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Graph(PATH.indptr, PATH.indices, PATH.weights, {"dataset": "inside"}).save("tiny.npz")
    for given, name in (([], "inside"), (["--dataset", "given"], "given")):
        assert main(["run", "tiny.npz", "bellman_ford.cpu", *given, "--budget-s", "1"]) == 0
        assert read_record(f"results/runs/{name}/bellman_ford.cpu.json").dataset == name


def test_bad_requests_are_one_sentence_and_no_file(tmp_path, capsys):
    PATH.save(tmp_path / "tiny.npz")
    for changes, status, named_in_it in (
        ({"source": "6"}, 2, "6"),
        ({"source": "1", "source_index": "1"}, 2, "--source"),
        ({"run": "bellman_ford.fastest"}, 2, "'fastest'"),
        ({"run": "bellman_ford.naive.k=3"}, 2, "'k'"),
        ({"run": "bellman_ford.naive.sources=3", "source": "1"}, 2, "sources=3"),
        ({"run": "bellman_ford.cpu bellman_ford.naive"}, 2, "sources=COUNT"),
        ({"run": "bellman_ford.cpu.sources=2 bellman_ford.naive.sources=3"}, 2, "sources=COUNT"),
        ({"run": "bellman_ford.cpu.sources=2 bellman_ford.naive.sources_with_arcs=2"}, 2, "sources=COUNT"),
        ({"run": "matrix_path.frontier"}, 1, "tiny.npz"),
        ({"graph": "missing.npz"}, 1, "missing.npz"),
        *(({"dataset": name}, 2, "--dataset") for name in ("a\nb", "..", "a\udcff")),
        ({"repeats_max": str(10**19)}, 2, "1,000,000"),
    ):
        with named(str(changes)):
            assert main(options(tmp_path, **changes)) == status
            complaints = [line for line in capsys.readouterr().err.splitlines() if "error" in line]
            assert len(complaints) == 1 and named_in_it in complaints[0]
            assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_an_interrupted_run_ends_at_once_and_leaves_nothing(tmp_path, number):
    """Backwards along a path, a serial pass settles one vertex: the run would take minutes, in compiled loops."""
    vertices = 200_000
    long = np.arange(vertices - 1, dtype=np.int64)
    from_last = Graph(np.r_[0, 0, 1 + long].astype(np.int32), long.astype(np.int32), np.ones(vertices - 1, np.int32))
    from_last.save(tmp_path / "tiny.npz")
    arguments = options(tmp_path, source=str(vertices - 1), budget_s="1000")
    process = subprocess.Popen([sys.executable, "-m", "warpath", *arguments], stderr=subprocess.PIPE, text=True)
    try:
        assert "measuring" in process.stderr.readline()
        time.sleep(1)
        process.send_signal(number)
        process.communicate(timeout=5)
    finally:
        process.kill()
    assert process.returncode != 0
    assert not (tmp_path / "out").exists()
