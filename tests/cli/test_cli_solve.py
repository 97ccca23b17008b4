"""``warpath solve`` and ``warpath doctor``, called as a user calls them."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from other_weights import give_solvers_other_weights
from scatter_samples import ROADS
from tiny_graphs import named

import warpath
from warpath.__main__ import main
from warpath.distances import UNREACHABLE

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
    assert summary["solved"].startswith("from 1, the first vertex, by ")
    assert summary["solved"].endswith(", on the CPU")  # with so few vertices
    assert summary["reached"] == "4 of 6 vertices"
    assert summary["farthest"] == "4, at distance 6"
    assert summary["certificate"] == "exact: every distance and predecessor, 7 arcs checked"
    assert [part.split()[0] for part in summary["times"].split(", ")] == ["read", "prepare", "solve", "certify"]


@pytest.mark.slow
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


def test_all_pairs(solve):
    for names in ([], ["--algorithm", "dijkstra"], ["--algorithm", "floyd_warshall", "--variant", "cpu"]):
        with named(str(names)):
            _, summary, _, _ = solve("--all-pairs", *names)
            assert summary["solved"].startswith("between all pairs, by ")
            assert summary["reached"] == "22 of 36 pairs of a source and a vertex"
            assert " ".join(names[1::2]) in summary["solved"]


def test_without_a_certificate_this_is_said(solve):
    _, summary, _, _ = solve("--no-certify")
    assert "--no-certify" in summary["certificate"] and "certify" not in summary["times"]


def test_a_wrong_answer_is_no_answer(solve, tmp_path, monkeypatch):
    give_solvers_other_weights(monkeypatch)
    output = tmp_path / "wrong.csv"
    status, summary, _, errors = solve("--algorithm", "label_correcting", "--output", output)
    assert (status, summary, output.exists()) == (1, {}, False)
    assert errors.startswith("warpath: error: ") and errors.count("\n") == 1


@pytest.mark.parametrize(("suffix", "read"), [(".csv", pd.read_csv), (".parquet", pd.read_parquet)])
def test_a_table_has_a_line_for_each_source_and_vertex_by_label(solve, tmp_path, suffix, read):
    output = tmp_path / f"answer{suffix}"
    _, summary, _, _ = solve("--source", "1,5", "--output", output)
    assert summary["written"] == str(output)
    table = read(output).astype("float64")
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


def test_a_graph_without_arcs_is_solved(tmp_path, capsys):
    for vertices, path in ((1, "path from 1 to 1, distance 0: 1\n"), (3, "no path from 1 to 3\n")):
        (tmp_path / "bare.gr").write_text(f"p sp {vertices} 0\n")
        assert main(["solve", str(tmp_path / "bare.gr"), "--device", "simulated", "--target", str(vertices)]) == 0
        printed = capsys.readouterr().out
        assert f"reached      1 of {vertices} vertices\nfarthest     1, at distance 0\n" in printed
        assert printed.endswith(path)


def test_a_cutoff_that_reaches_nothing_has_no_farthest_vertex(tmp_path, capsys):
    for weight in ("4", "0.5"):
        (tmp_path / "two.csv").write_text(f"source,target,weight\n1,2,{weight}\n")
        assert main(["solve", str(tmp_path / "two.csv"), "--device", "cpu", "--source", "1,2", "--cutoff", "-1"]) == 0
        assert "farthest     none\n" in capsys.readouterr().out


FRACTIONS = "10 20 2.5\n20 30 1.25\n"
HEAVY = "p sp 4 3\na 1 2 2000000000\na 2 3 2000000000\na 3 4 2000000001\n"
TOWNS = "Oslo,Voss,356\nVoss,Bergen,107\nOslo,Bergen,500.5\n"
SNAP = "# Undirected graph: x\n# Nodes: 4 Edges: 3\n# FromNodeId\tTo\n1\t2\n2\t3\n3\t4\n"
DRAWN = "--target 30 --weights drawn --weight-min 7 --weight-max 7"
COLUMNS = "--tail u --head v --weight km"
TO_BERGEN = "--source Oslo --target Bergen"


def test_options_for_graphs_as_people_have_them(tmp_path, capsys):
    for name, text, options, path in (
        ("a.wel", FRACTIONS, "--target 30", "from 10 to 30, distance 3.75: 10 20 30"),
        ("a.wel", FRACTIONS, "--target 30 --scale 100", "from 10 to 30, distance 3.75: 10 20 30"),
        ("x.gr", HEAVY, "--target 4 --type float64", "from 1 to 4, distance 6000000001.0: 1 2 3 4"),
        ("a.el", "10 20\n20 30\n", "--target 30", "from 10 to 30, distance 2: 10 20 30"),
        ("a.el", "10 20\n20 30\n", DRAWN, "from 10 to 30, distance 14: 10 20 30"),
        ("a.csv", TOWNS, TO_BERGEN, "from Oslo to Bergen, distance 463.0: Oslo Voss Bergen"),
        ("a.csv", f"source,target,weight\n{TOWNS}", TO_BERGEN, "distance 463.0: Oslo Voss Bergen"),
        ("a.csv", f"u,v,km\n{TOWNS}", f"{TO_BERGEN} {COLUMNS}", "distance 463.0: Oslo Voss Bergen"),
        ("com.ungraph.txt", SNAP, "--source 4 --target 1", "from 4 to 1, distance 3: 4 3 2 1"),
        ("a", "1 2\n2 3\n3 4\n", "--source 4 --target 1 --undirected --format snap", "distance 3: 4 3 2 1"),
    ):
        with named(f"{name} {options}"):
            (tmp_path / name).write_text(text)
            output = tmp_path / "a.npy"
            command = ["solve", str(tmp_path / name), "--device", "simulated", "--output", str(output)]
            assert main([*command, *options.split()]) == 0
            assert path in capsys.readouterr().out
            assert str(np.load(output).max()) in path
    for name, text, options, advice in (
        ("a.wel", FRACTIONS, "--scale 10", "--scale 100"),
        ("x.gr", HEAVY, "", "--type float64"),
        ("large.wel", "1 2 3000000000\n", "", "--type float64"),
        ("a.csv", f"u,v,km\n{TOWNS}", "", COLUMNS),
    ):
        (tmp_path / name).write_text(text)
        assert main(["solve", str(tmp_path / name), "--device", "simulated", *options.split()]) == 1
        assert advice in capsys.readouterr().err


def test_refuses_with_one_sentence(solve):
    for arguments, status, says in (
        ("--source 7", 2, "vertex 7"),
        ("--source=", 2, "''"),
        ("--target 1,", 2, "'1,'"),
        ("--source 1 --all-pairs", 2, "--source"),
        ("--variant stride", 2, "--algorithm"),
        ("--algorithm bellman_ford --variant fast", 2, "'fast'"),
        ("--algorithm ../..", 2, "'../..'"),
        ("--algorithm floyd_warshall", 2, "--all-pairs"),
        ("--algorithm partition --all-pairs", 2, "partition"),
        ("--algorithm transitive_closure", 2, "transitive_closure"),
        ("--parameters k=x", 2, "'k=x'"),
        ("--device hots", 2, "'hots'"),
        ("--seed 3", 2, "--weights drawn"),
        ("--format ngz", 2, "did you mean npz?"),
        ("--output answer.cvs", 2, "did you mean .csv?"),
        ("--output /proc/answer.csv", 1, "/proc/answer.csv"),
    ):
        with named(arguments):
            left, summary, _, errors = solve(*arguments.split())
            assert (left, summary) == (status, {})
            assert errors.startswith("warpath: error: ") and errors.count("\n") == 1
            assert says in errors


def test_an_output_replaces_no_input(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("graph.csv").write_text("source,target,weight\n0,1,2\n")
    Path("link.csv").symlink_to("graph.csv")
    warpath.write(warpath.read("graph.csv"), "graph.npz")
    assert main(["statistics", "graph.csv", "--device", "cpu", "--output", "part.npz"]) == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    capsys.readouterr()
    for command in (
        "solve graph.csv --output link.csv",
        "statistics graph.npz --output ./graph.npz",
        "solve graph.csv --output missing/../graph.csv",
        "gather graph.csv part.npz --table graph.csv",
        "gather graph.csv part.npz --output part.npz",
        "gather graph.csv part.npz --table new.csv --histogram ./new.csv",
        "table graph.csv --questions graph.csv --output graph.csv",
        "pairs graph.npz --questions graph.csv --output link.csv",
        "convert --from graph.npz --output graph.npz",
    ):
        with named(command):
            assert main(command.split()) in (1, 2)
            assert capsys.readouterr().err.count("\n") == 1
            assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("closed", [True, False])
def test_a_summary_that_is_lost_is_an_error_and_the_answer_is_whole(tmp_path, monkeypatch, capsys, closed):
    (tmp_path / "graph.csv").write_text("source,target,weight\n0,1,2\n")
    graph, answer = str(tmp_path / "graph.csv"), tmp_path / "answer.csv"
    with monkeypatch.context() as patch, suppress(OSError), open("/dev/full", "w") as full:
        patch.setattr(sys, "stdout", None if closed else full)
        assert main(["solve", graph, "--device", "cpu", "--output", str(answer)]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and said.startswith("warpath: error: ")
    assert answer.read_text().splitlines()[1:] == ["0,0,0,", "0,1,2,0"]
    assert main(["certify", graph, str(answer), "--device", "cpu"]) == 0


def test_odd_environments(roads, monkeypatch, capsys):
    environment = {**os.environ, "CUDA_VISIBLE_DEVICES": "", "PYTHONWARNINGS": "error"}
    command = [sys.executable, "-m", "warpath", "solve", str(roads)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr.count("\n")) == (0, 1), done.stderr
    assert done.stderr.startswith("warpath: warning: no GPU")
    for threads in ("0", "-3"):
        monkeypatch.setenv("NUMBA_NUM_THREADS", threads)
        assert main(["solve", str(roads), "--device", "cpu"]) == 2
        assert "NUMBA_NUM_THREADS" in capsys.readouterr().err


def test_a_missing_file_and_a_pipe_are_one_sentence(tmp_path, capsys):
    os.mkfifo(tmp_path / "pipe.gr")
    for name in ("pipe.gr", "none.gr"):
        assert main(["solve", str(tmp_path / name), "--device", "cpu"]) == 1
        error = capsys.readouterr().err
        assert name in error and error.count("\n") == 1


def test_parquet_without_pyarrow_is_one_sentence(solve, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    status, _, _, errors = solve("--output", tmp_path / "answer.parquet")
    assert status == 2 and "pyarrow" in errors and errors.count("\n") == 1


def test_all_pairs_that_memory_cannot_hold_are_refused_with_their_size(tmp_path, capsys):
    vertices = 3_000_000
    warpath.from_arcs(vertices, [0], [1], [1]).save(tmp_path / "large.npz")
    arguments = ["--algorithm", "dijkstra", "--all-pairs", "--device", "simulated"]
    assert main(["solve", str(tmp_path / "large.npz"), *arguments]) == 1
    said = capsys.readouterr().err
    assert f"{8 * vertices**2:,} bytes" in said and said.count("\n") == 1


@pytest.mark.slow
def test_doctor_compiles_every_kernel_and_tells_where_they_are_kept(capsys):
    assert main(["doctor", "--device", "simulated"]) == 0
    printed = capsys.readouterr().out
    line = next(line for line in printed.splitlines() if "simulated kernels" in line)
    assert " files" in line and " 0 files" not in line
    assert "ok      warpath_study/published/bodra/bellman_ford/stride_flag.cu" in printed
    assert "BROKEN" not in printed


def test_doctor_outlives_an_nvidia_smi_that_fails(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr("warpath.system.software._TIMEOUT_S", 0.2)
    for fault in ("sleep 100", "exit 9", "echo 'no devices' >&2; exit 6"):
        (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\n{fault}\n")
        (tmp_path / "nvidia-smi").chmod(0o755)
        assert main(["doctor", "--device", "cpu"]) == 0
        assert "driver" in capsys.readouterr().out
