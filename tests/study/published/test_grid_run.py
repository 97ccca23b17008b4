"""A path over a matrix product, measured like every other run, and solved for one's own matrices."""

import itertools

import numpy as np
import pytest

from warpath.__main__ import main
from warpath.device import open_device
from warpath.errors import CertificateError, OutOfMemoryError, UsageError
from warpath_study.matrix_product.matrices import Matrices, random_matrices
from warpath_study.matrix_product.product_path import path_cells, program_output
from warpath_study.measure.run import measure_run
from warpath_study.measure.runs import find
from warpath_study.published.telang_grid.matrix_path.frontier import MatrixPathPlan
from warpath_study.record import RandomSources, Settings, read_record

pytestmark = pytest.mark.usefixtures("a_lock_of_our_own")
SIZE = 80  # more than the part that is certified first
FRONTIER = find("matrix_path", "frontier").configured({})
THREE = Settings(budget_s=1000, repeats_min=3, repeats_max=3)


@pytest.fixture(scope="module")
def device():
    return open_device("simulated")


@pytest.fixture(scope="module")
def matrices():
    return random_matrices(SIZE, seed=4)


def measured(matrices, device, settings=THREE):
    return measure_run(matrices, FRONTIER, device, None, settings, "tiny")


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
    assert record.measure.sampling.repeats_max == 3 and record.measure.warmup_launches > 0
    certificate = record.certificate
    assert (certificate.verdict, certificate.scope, certificate.vertices) == ("exact in float32", "full", SIZE**2)
    assert set(certificate.tolerances) == {"product", "weight"} and certificate.reached == SIZE**2
    answer = record.answer
    cells = path_cells(answer["path"])
    assert list(cells[0]) == [answer["minimum"]["row"], answer["minimum"]["column"]]
    assert list(cells[-1]) == [answer["second_minimum"]["row"], answer["second_minimum"]["column"]]
    assert record.code.kernels.keys() == {"product.cu", "minimum.cu", "frontier.cu"}


def test_the_record_says_the_median_of_samples_that_differ(matrices, device, monkeypatch):
    """Neither the fastest nor the mean; the first solve warms up."""
    seconds = {"product_s": 0.5, "minima_s": 0.25, "path_s": itertools.chain([5.0], itertools.cycle([9.0, 1.0, 2.0]))}
    between = []

    def seconds_between(start, stop):
        taken = list(seconds.values())[len(between) % 3]
        between.append(taken if isinstance(taken, float) else next(taken))
        return between[-1]

    monkeypatch.setattr(device, "seconds_between", seconds_between)
    record = measured(matrices, device)
    assert [sample.phases["path_s"] for sample in record.samples] == [9, 1, 2]
    assert record.seconds == 2.75


def test_the_machine_is_held_while_anything_runs(machine_is_held, matrices, device, monkeypatch):
    held = []
    upload = MatrixPathPlan.upload_matrices

    def looking(plan):
        held.append(machine_is_held())
        upload(plan)

    monkeypatch.setattr(MatrixPathPlan, "upload_matrices", looking)
    measured(matrices, device)
    assert held == 5 * [True]  # the part, the warm-up and three samples
    assert not machine_is_held()


def test_memory_is_given_back_before_every_sample(matrices, device, monkeypatch):
    log = []
    upload, release = MatrixPathPlan.upload_matrices, device.release
    monkeypatch.setattr(MatrixPathPlan, "upload_matrices", lambda plan: log.append("upload") or upload(plan))
    monkeypatch.setattr(device, "release", lambda: log.append("release") or release())
    measured(matrices, device)
    assert log == ["upload", "release", "upload"] + 3 * ["release", "upload"]


@pytest.mark.parametrize("only_beyond", [0, 70], ids=["the part", "the answer that was timed"])
def test_a_wrong_answer_is_no_record(matrices, device, monkeypatch, only_beyond):
    download = MatrixPathPlan.download

    def wrong(plan):
        solution = download(plan)
        if plan.size > only_beyond:
            solution.costs[solution.source] = 1
        return solution

    monkeypatch.setattr(MatrixPathPlan, "download", wrong)
    sentence = r"tiny matrix_path\.frontier gives a wrong answer on .*: the source .* costs 1.0 instead of 0"
    with pytest.raises(CertificateError, match=sentence):
        measured(matrices, device)


def test_memory_that_does_not_suffice_is_a_result(matrices, device, monkeypatch):
    def no_room(plan):
        raise OutOfMemoryError("no room")

    monkeypatch.setattr(MatrixPathPlan, "upload_matrices", no_room)
    record = measured(matrices, device)
    assert (record.status, record.reason, record.answer) == ("out_of_memory", "no room", None)


def test_a_product_without_a_path_is_refused(device):
    negative = Matrices(np.full((80, 80), -1, np.float32), np.ones((80, 80), np.float32))
    with pytest.raises(UsageError, match=r"entry \(0, 0\) of the product is -80"):
        measured(negative, device)


def test_there_are_no_sources_to_draw(matrices, device):
    with pytest.raises(UsageError, match="has no source vertex"):
        measure_run(matrices, FRONTIER, device, None, RandomSources(2), "tiny")


# The command for one's own matrices.


def test_prints_as_the_work_does(tmp_path, capsys):
    assert main(["grid", "--size", "24", "--seed", "4", "--device", "simulated"]) == 0
    out, err = capsys.readouterr()
    answer = MatrixPathPlan(open_device("simulated"), random_matrices(24, seed=4)).solve().as_dict()
    minimum, lines = answer["minimum"], out.splitlines()
    assert out == program_output(24, answer) and len(lines) == 4
    assert lines[0] == "The input size is 24"
    assert lines[1] == f"The minimum Value is {minimum['value']:.6f} at index {minimum['row']}, {minimum['column']}"
    assert lines[3].startswith("The weight of the path to get to the second min value from the first min value is ")
    assert lines[3].endswith(f"{answer['path']['weight']:.6f}.")
    assert err.startswith("certified on ") and ": exact in float32, the weight within " in err


def test_own_matrices_and_ends(tmp_path, capsys):
    np.save(tmp_path / "a.npy", np.arange(1, 17).reshape(4, 4))
    np.save(tmp_path / "b.npy", np.eye(4))
    own = ["grid", "--left", str(tmp_path / "a.npy"), "--right", str(tmp_path / "b.npy"), "--device", "simulated"]
    assert main([*own, "--source", "0,0", "--destination", "1,1"]) == 0
    assert "The weight of the path from 0, 0 to 1, 1 is 3.000000." in capsys.readouterr().out


def test_an_answer_that_is_wrong_is_not_printed(capsys, monkeypatch):
    download = MatrixPathPlan.download

    def wrong(plan):
        solution = download(plan)
        solution.costs[solution.source] = 1
        return solution

    monkeypatch.setattr(MatrixPathPlan, "download", wrong)
    assert main(["grid", "--size", "8", "--device", "simulated"]) == 1
    out, err = capsys.readouterr()
    assert out == "" and "costs 1.0 instead of 0" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--size", "8", "--source", "2,2", "--destination", "2,2"],
            "source and destination are the same cell, (2, 2)",
        ),
        (["--size", "8", "--destination", "2,8"], "the destination (2, 8) is outside"),
        (["--size", "1"], "the size of a matrix must be from 2 to"),
        ([], "give --size for random matrices"),
        (["--left", "nan.npy"], "both --left and --right"),
        (["--size", "8", "--left", "nan.npy", "--right", "nan.npy"], "give --size for random matrices, or both"),
        (["--left", "nan.npy", "--right", "nan.npy"], "entry (1, 0) of the left matrix is nan"),
        (["--left", "nan.npy", "--right", "eye.npy"], "the matrices must have one size, but have 2 and 3 rows"),
        (["--left", "none.npy", "--right", "nan.npy"], "none.npy: no such file"),
    ],
)
def test_refusals_are_one_sentence(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    np.save("nan.npy", np.array([[1.0, 2.0], [np.nan, 4.0]]))
    np.save("eye.npy", np.eye(3))
    assert main(["grid", *arguments, "--device", "simulated"]) in (1, 2)
    out, err = capsys.readouterr()
    assert words in err and len(err.strip().splitlines()) == 1 and out == ""
