"""``warpath solve`` and ``warpath doctor``, called as a user calls them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scatter_samples import ROADS

import warpath
from warpath.__main__ import main
from warpath.distances import UNREACHABLE
from warpath.library.plan_cache import PlanCache
from warpath.solvers.checks import preconditions

FROM_1 = [0, 5, 3, 6, UNREACHABLE, UNREACHABLE]


@pytest.fixture
def roads(tmp_path):
    """A DIMACS file: vertices are called 1 to 6."""
    path = tmp_path / "roads.gr"
    path.write_text(ROADS)
    return path


@pytest.fixture
def solve(roads, capsys):
    """A function that runs ``warpath solve`` on the roads, returns status, summary by name, other lines, errors."""

    def run(*arguments):
        status = main(["solve", str(roads), "--device", "simulated", *map(str, arguments)])
        said = capsys.readouterr()
        lines = said.out.splitlines()
        names = ("read", "solved", "reached", "farthest", "certificate", "times", "written")
        summary = dict(line.split(None, 1) for line in lines if line.split()[0] in names)
        return status, summary, lines[len(summary) :], said.err

    return run


def test_a_summary_says_what_was_read_solved_and_certified(solve):
    status, summary, further, errors = solve()
    assert (status, further, errors) == (0, [], "")
    assert summary["read"].startswith("DIMACS, 6 vertices, 7 arcs, weights given (0 to 8)")
    assert summary["solved"].startswith("from 1, the first vertex, by near_far ")
    assert " on the simulated GPU, " in summary["solved"]
    assert summary["reached"] == "4 of 6 vertices"
    assert summary["farthest"] == "4, at distance 6"
    assert summary["certificate"] == "exact: every distance and predecessor, 7 arcs checked"
    assert [part.split()[0] for part in summary["times"].split(", ")] == ["read", "prepare", "solve", "certify"]


@pytest.mark.parametrize("options", [[], ["--source", "1,2", "--algorithm", "bellman_ford", "--variant", "queue"]])
def test_the_time_of_a_solve_is_not_that_of_loading_the_solver(roads, options):
    command = [sys.executable, "-m", "warpath", "solve", roads, "--device", "cpu", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    units = {"s": 1, "ms": 1e-3, "µs": 1e-6}
    shown = (part.split() for part in done.stdout.splitlines()[-1].removeprefix("times").split(","))
    seconds = {name: float(number) * units[unit] for name, number, unit in shown}
    assert seconds["solve"] + seconds["certify"] < seconds["prepare"] / 4


def test_the_path_to_a_target_is_printed_by_labels(solve):
    _, summary, further, _ = solve("--source", 1, "--target", 4, "--target", "1,5")
    assert summary["solved"].startswith("from 1, by ")
    assert further == [
        "path from 1 to 4, distance 6: 1 3 2 4",
        "path from 1 to 1, distance 0: 1",
        "no path from 1 to 5",
    ]


def test_several_sources_may_be_repeated_or_separated_by_commas(solve):
    for sources in (["--source", "1,5"], ["--source", 1, "--source", 5], ["--source", "5", "--source", "1,5,5"]):
        _, summary, further, _ = solve(*sources, "--target", 2)
        assert summary["solved"].startswith("from 2 sources, by ")
        assert summary["reached"] == "9 of 12 pairs of a source and a vertex"
        assert summary["farthest"] in ("2 from 5, at distance 6", "4 from 1, at distance 6")
        assert sorted(further) == ["path from 1 to 2, distance 5: 1 3 2", "path from 5 to 2, distance 6: 5 4 1 3 2"]


@pytest.mark.parametrize(
    "named", [[], ["--algorithm", "dijkstra"], ["--algorithm", "floyd_warshall", "--variant", "cpu"]]
)
def test_all_pairs(solve, named):
    _, summary, _, _ = solve("--all-pairs", *named)
    assert summary["solved"].startswith("between all pairs, by ")
    assert summary["reached"] == "22 of 36 pairs of a source and a vertex"
    why = {
        0: "floyd_warshall narrow (many arcs, light enough for distances of 16 bits)",
        2: "dijkstra naive (its default variant)",
        4: "floyd_warshall cpu (as named)",
    }
    assert why[len(named)] in summary["solved"]


def test_without_a_certificate_this_is_said(solve, monkeypatch):
    monkeypatch.setattr(PlanCache, "certified", None)
    _, summary, _, _ = solve("--no-certify")
    assert summary["certificate"] == "none; left out by --no-certify"
    assert "certify" not in summary["times"]


def test_a_wrong_answer_is_no_answer(solve, tmp_path, monkeypatch):
    solved = PlanCache.solved

    def wrong(self, plan, source):
        answer = solved(self, plan, source)
        answer.distances[2] += 1
        return answer

    monkeypatch.setattr(PlanCache, "solved", wrong)
    output = tmp_path / "wrong.csv"
    status, summary, _, errors = solve("--algorithm", "label_correcting", "--output", output)
    assert (status, summary, output.exists()) == (1, {}, False)
    assert errors.startswith("warpath: error: ") and errors.count("\n") == 1


def tables(output):
    """The table in a file of any form, distances as floats, NaN where there is no path."""
    if output.suffix == ".csv":
        table = pd.read_csv(output)
    elif output.suffix == ".json":
        table = pd.DataFrame(json.loads(output.read_text()))
    else:
        table = pd.read_parquet(output)
    return table.astype("float64")


@pytest.mark.parametrize("suffix", [".csv", ".json", ".parquet"])
def test_a_table_has_a_line_for_each_source_and_vertex_by_label(solve, tmp_path, monkeypatch, suffix):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("warpath.cli._answers._LINES_AT_ONCE", 6)  # the second source is a table of its own
    output = tmp_path / f"answer{suffix}"
    _, summary, _, _ = solve("--source", "1,5", "--output", output)
    assert summary["written"] == str(output)
    table = tables(output)
    assert list(table.columns) == ["source", "vertex", "distance", "predecessor"]
    assert table["source"].tolist() == [1] * 6 + [5] * 6 and table["vertex"].tolist() == [1, 2, 3, 4, 5, 6] * 2
    assert table["distance"].fillna(-1).tolist() == [0, 5, 3, 6, -1, -1, 1, 6, 4, 1, 0, -1]
    assert table["predecessor"].fillna(-1).tolist() == [-1, 3, 1, 2, -1, -1, 4, 3, 1, 5, -1, -1]


def test_arrays_count_vertices_from_0_and_bring_their_labels(solve, tmp_path):
    assert solve("--output", tmp_path / "one.npy")[0] == 0
    one = np.load(tmp_path / "one.npy")
    assert (one.dtype, one.tolist()) == (np.int32, FROM_1)
    assert solve("--source", "1,5", "--output", tmp_path / "two.npz")[0] == 0
    with np.load(tmp_path / "two.npz") as two:
        assert two["distances"].shape == (2, 6) and two["distances"][0].tolist() == FROM_1
        assert two["predecessors"][0].tolist() == [-1, 2, 0, 1, -1, -1]
        assert (two["sources"].tolist(), two["labels"].tolist()) == ([0, 4], [1, 2, 3, 4, 5, 6])


def test_the_listing_is_the_one_of_the_paper(solve, tmp_path):
    output = tmp_path / "listing.txt"
    assert solve("--output", output)[0] == 0
    lines = output.read_text().splitlines()
    assert lines == [
        "Node\tCost\tPath",
        "1\t0\t1",
        "2\t5\t2<-3<-1",
        "3\t3\t3<-1",
        "4\t6\t4<-2<-3<-1",
        "5\tNA\t-",
        "6\tNA\t-",
    ]
    assert solve("--all-pairs", "--output", output)[0] == 0
    blocks = output.read_text().split("\n\n")
    assert blocks[3].splitlines()[:4] == ["Source: 4", "Node\tCost\tPath", "1\t0\t1<-4", "2\t5\t2<-3<-1<-4"]


def test_labels_are_those_of_the_file_wherever_vertices_are_named(tmp_path, capsys):
    path = tmp_path / "mine.el"
    path.write_text("# a graph\n10 30\n30 20\n77 10\n")
    arguments = ["solve", str(path), "--format", "snap", "--device", "simulated"]
    assert main([*arguments, "--source", "77", "--target", "20", "--output", str(tmp_path / "a.csv")]) == 0
    printed = capsys.readouterr().out
    assert "path from 77 to 20, distance 3: 77 10 30 20" in printed and "farthest     20, at distance 3" in printed
    table = pd.read_csv(tmp_path / "a.csv").set_index("vertex")["distance"]
    assert table.to_dict() == {10: 1, 20: 3, 30: 2, 77: 0}


@pytest.mark.parametrize(("vertices", "reached"), [(1, "1 of 1 vertices"), (3, "1 of 3 vertices")])
def test_a_graph_without_arcs_is_solved(tmp_path, capsys, vertices, reached):
    (tmp_path / "bare.gr").write_text(f"p sp {vertices} 0\n")
    assert main(["solve", str(tmp_path / "bare.gr"), "--device", "simulated", "--target", str(vertices)]) == 0
    printed = capsys.readouterr().out
    assert f"reached      {reached}\nfarthest     1, at distance 0\n" in printed
    assert printed.endswith("path from 1 to 1, distance 0: 1\n" if vertices == 1 else "no path from 1 to 3\n")


def test_fractions_are_floats_or_scaled_up_on_request_and_printed_as_they_were(tmp_path, capsys):
    (tmp_path / "mine.wel").write_text("10 20 2.5\n20 30 1.25\n")
    arguments = ["solve", str(tmp_path / "mine.wel"), "--device", "simulated", "--target", "30"]
    assert main(arguments) == 0
    assert "path from 10 to 30, distance 3.75: 10 20 30" in capsys.readouterr().out
    assert main([*arguments, "--scale", "10"]) == 1
    assert "weight 1.25 times the scale 10 is not a whole number; choose --scale 100" in capsys.readouterr().err
    assert main([*arguments, "--scale", "100", "--output", str(tmp_path / "a.npy")]) == 0
    assert "path from 10 to 30, distance 3.75: 10 20 30" in capsys.readouterr().out
    assert np.load(tmp_path / "a.npy").tolist() == [0, 2.5, 3.75]


def test_sums_beyond_32_bits_are_exact_as_floats(tmp_path, capsys):
    (tmp_path / "x.gr").write_text("p sp 4 3\na 1 2 2000000000\na 2 3 2000000000\na 3 4 2000000001\n")
    arguments = ["solve", str(tmp_path / "x.gr"), "--device", "simulated", "--target", "4", "--source", "1"]
    assert main(arguments) == 1
    assert "--type float64" in capsys.readouterr().err
    assert main([*arguments, "--type", "float64"]) == 0
    assert "path from 1 to 4, distance 6000000001.0: 1 2 3 4" in capsys.readouterr().out
    (tmp_path / "large.wel").write_text("1 2 3000000000\n")
    assert main(["solve", str(tmp_path / "large.wel"), "--device", "simulated"]) == 1
    assert "--type float64" in capsys.readouterr().err


def test_weights_are_drawn_on_request(tmp_path, capsys):
    (tmp_path / "mine.el").write_text("10 20\n20 30\n")
    arguments = ["solve", str(tmp_path / "mine.el"), "--device", "simulated", "--target", "30"]
    assert main(arguments) == 0
    assert "path from 10 to 30, distance 2: 10 20 30" in capsys.readouterr().out
    assert main([*arguments, "--weights", "drawn", "--weight-min", "7", "--weight-max", "7"]) == 0
    assert "path from 10 to 30, distance 14: 10 20 30" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["--source", "7"], 2, "there is no vertex 7; vertices are 1..6"),
        (["--source", "1.5"], 2, "there is no vertex '1.5'; vertices are whole numbers from 1 to 6"),
        (["--source", ""], 2, "'' has an empty label; give one label, or several such as 1,17,99"),
        (["--target", "1,"], 2, "'1,' has an empty label"),
        (["--target", "0"], 2, "there is no vertex 0; vertices are 1..6"),
        (["--source", "1", "--all-pairs"], 2, "--all-pairs solves from every vertex; leave out --source"),
        (["--variant", "stride"], 2, "--variant needs --algorithm"),
        (
            ["--algorithm", "bellman_ford", "--variant", "fast"],
            2,
            "bellman_ford has no variant 'fast'; there are cpu, ",
        ),
        (["--algorithm", "bellman_fort"], 2, "unknown algorithm 'bellman_fort'; did you mean bellman_ford?"),
        (["--algorithm", "../.."], 2, "unknown algorithm '../..'"),
        (
            ["--algorithm", "floyd_warshall", "--source", "3"],
            2,
            "floyd_warshall solves all pairs; leave out --source and add --all-",
        ),
        (["--algorithm", "floyd_warshall"], 2, "floyd_warshall solves all pairs; add --all-pairs"),
        (["--algorithm", "partition", "--all-pairs"], 2, "partition solves paths from one source, not all pairs"),
        (["--algorithm", "transitive_closure"], 2, "transitive_closure solves the transitive closure, not paths"),
        (["--parameters", "k=x"], 2, "parameters 'k=x': expected NAME=WHOLE_NUMBER"),
        (["--device", "hots"], 2, "unknown device 'hots'; there are auto, cuda, cuda:INDEX, cpu, simulated"),
        (["--seed", "3"], 2, "--seed needs --weights drawn"),
        (["--unweighted", "--weight-max", "3"], 2, "--weight-max needs --weights drawn"),
        (["--weights", "drwan"], 2, "unknown weights 'drwan'; did you mean drawn?"),
        (["--format", "ngz"], 2, "unknown format 'ngz'; did you mean npz?"),
        (["--output", "answer.cvs"], 2, "answer.cvs: unknown suffix '.cvs'; did you mean .csv?"),
        (["--output", "/proc/answer.csv"], 1, "/proc/answer.csv: cannot be written"),
    ],
)
def test_refuses_with_one_sentence_before_it_solves(solve, monkeypatch, arguments, status, sentence):
    monkeypatch.setattr(PlanCache, "chunks", None)
    left, summary, _, errors = solve(*arguments)
    assert (left, summary) == (status, {})
    assert errors.startswith("warpath: error: ") and errors.count("\n") == 1
    assert sentence in errors


@pytest.mark.parametrize(
    "command",
    [
        ["solve", "graph.csv", "--output", "link.csv"],
        ["statistics", "graph.npz", "--output", "./graph.npz"],
        ["solve", "graph.csv", "--output", "missing/../graph.csv"],
        ["gather", "graph.csv", "part.npz", "--table", "graph.csv"],
        ["gather", "graph.csv", "part.npz", "--output", "part.npz"],
        ["convert", "--from", "graph.npz", "--output", "graph.npz"],
    ],
)
def test_an_output_replaces_no_input(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    Path("graph.csv").write_text("source,target,weight\n0,1,2\n")
    Path("link.csv").symlink_to("graph.csv")
    warpath.write(warpath.read("graph.csv"), "graph.npz")
    assert main(["statistics", "graph.csv", "--device", "cpu", "--output", "part.npz"]) == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    capsys.readouterr()
    assert main(command) in (1, 2)
    assert capsys.readouterr().err.count("\n") == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("output", ["&-", "/dev/full"])
def test_a_summary_that_is_lost_is_an_error_and_the_answer_is_whole(tmp_path, output):
    (tmp_path / "graph.csv").write_text("source,target,weight\n0,1,2\n")
    command = f"{sys.executable} -m warpath solve graph.csv --device cpu --output answer.csv >{output}"
    done = subprocess.run(command, shell=True, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1) and done.stderr.startswith("warpath: error: ")
    assert (tmp_path / "answer.csv").read_text().splitlines()[1:] == ["0,0,0,", "0,1,2,0"]
    converted = f"{sys.executable} -m warpath certify graph.csv answer.csv --device cpu >/dev/null"
    assert subprocess.run(converted, shell=True, cwd=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("environment", "file", "status", "begins"),
    [
        ({"PYTHONWARNINGS": "error"}, "roads.gr", 0, "warpath: warning: no GPU"),
        ({"NUMBA_NUM_THREADS": "0"}, "roads.gr", 2, "warpath: error: NUMBA_NUM_THREADS"),
        ({"NUMBA_NUM_THREADS": "-3"}, "roads.gr", 2, "warpath: error: NUMBA_NUM_THREADS"),
        ({}, "none.gr", 1, "warpath: error: "),
    ],
)
def test_odd_environments(roads, environment, file, status, begins):
    command = [sys.executable, "-m", "warpath", "solve", str(roads.with_name(file))]
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", **environment}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr.count("\n")) == (status, 1), done.stderr
    assert done.stderr.startswith(begins)


def test_a_pipe_is_one_sentence(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe")
    assert main(["solve", str(tmp_path / "pipe"), "--device", "cpu"]) == 1
    error = capsys.readouterr().err
    assert "pipe" in error and error.count("\n") == 1


def test_a_missing_file_is_one_sentence(tmp_path, capsys):
    assert main(["solve", str(tmp_path / "none.gr"), "--device", "simulated"]) == 1
    assert "no such file" in capsys.readouterr().err


def test_parquet_without_pyarrow_is_one_sentence(solve, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    status, _, _, errors = solve("--output", tmp_path / "answer.parquet")
    assert status == 2 and "Parquet needs pyarrow, which is not installed; install it, or use .csv" in errors


def test_all_pairs_that_memory_cannot_hold_are_refused_with_their_size(tmp_path, capsys, monkeypatch):
    vertices = 264_346
    warpath.from_arcs(vertices, [0], [1], [1]).save(tmp_path / "large.npz")
    monkeypatch.setattr(preconditions.host_machine, "memory_bytes", lambda: (64 << 30, 64 << 30))
    monkeypatch.setattr(PlanCache, "solved", None)  # nothing is allocated for it
    arguments = ["--algorithm", "dijkstra", "--all-pairs", "--device", "simulated"]
    assert main(["solve", str(tmp_path / "large.npz"), *arguments]) == 1
    said = capsys.readouterr().err
    assert f"{8 * vertices**2:,} bytes" in said and said.count("\n") == 1


def test_a_reader_of_the_paths_who_leaves_is_no_error(roads):
    command = f"{sys.executable} -m warpath solve {roads} --device simulated --target 4 | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.startswith("read ") and done.stderr == ""


@pytest.mark.slow
def test_doctor_compiles_every_kernel_and_tells_where_they_are_kept(capsys):
    assert main(["doctor", "--device", "simulated"]) == 0
    printed = capsys.readouterr().out
    line = next(line for line in printed.splitlines() if "simulated kernels" in line)
    assert " files" in line and " 0 files" not in line
    assert "ok      warpath_study/published/bodra/bellman_ford/stride_flag.cu" in printed
    assert "BROKEN" not in printed


@pytest.mark.parametrize("fault", ["sleep 100", "exit 9", "echo 'no devices' >&2; exit 6"])
def test_doctor_outlives_an_nvidia_smi_that_fails(capsys, monkeypatch, tmp_path, fault):
    (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\n{fault}\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr("warpath.system.software._TIMEOUT_S", 0.2)
    assert main(["doctor", "--device", "cpu"]) == 0
    assert "driver" in capsys.readouterr().out


def test_doctor_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setenv("CXX", "/nonexistent/compiler")
    assert main(["doctor", "--device", "simulated"]) == 1
    printed = capsys.readouterr()
    assert "not available" in printed.out
    assert "no device works" in printed.err
