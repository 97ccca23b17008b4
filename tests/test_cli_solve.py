"""``warpath solve`` and ``warpath doctor``, called as a user calls them."""

import numpy as np
import pytest

from warpath.__main__ import main
from warpath.certify.reference import compare
from warpath.errors import CertificateError
from warpath.graphs.formats import read

SAMPLE = """\
6 7
0 1 7
0 2 3
2 1 2
1 3 1
2 3 8
4 3 1
3 0 0
"""


@pytest.fixture
def sample(tmp_path):
    path = tmp_path / "sample.txt"
    path.write_text(SAMPLE)
    return path


def test_prints_costs_and_paths(sample, capsys):
    assert main(["solve", str(sample), "--device", "host"]) == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines() == [
        "Node\tCost\tPath",
        "0\t0\t0",
        "1\t5\t1<-2<-0",
        "2\t3\t2<-0",
        "3\t6\t3<-1<-2<-0",
        "4\tNA\t-",
        "5\tNA\t-",
    ]
    assert "6 vertices, 7 arcs: bellman_ford stride_flag on " in printed.err


@pytest.mark.parametrize("variant", ["cpu", "naive", "tiled", "super_naive_shared"])
def test_all_pairs_are_listed_source_by_source(sample, capsys, variant):
    arguments = ["--algorithm", "floyd_warshall", "--variant", variant, "--device", "host", "--certify"]
    assert main(["solve", str(sample), *arguments]) == 0
    printed = capsys.readouterr()
    blocks = printed.out.split("\n\n")
    assert blocks[3].splitlines()[:4] == ["Source: 3", "Node\tCost\tPath", "0\t0\t0<-3", "1\t5\t1<-2<-0<-3"]
    assert "certified exact" in printed.err


def test_writes_the_listing_to_a_file(sample, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["solve", str(sample), "--device", "host", "--source", "4", "--output", "write"]) == 0
    listing = (tmp_path / "sample.bellman_ford.stride_flag.txt").read_text().splitlines()
    assert listing[4:6] == ["3\t1\t3<-4", "4\t0\t4"]
    assert capsys.readouterr().out == ""


def test_without_output_only_the_summary_is_said(sample, capsys):
    assert main(["solve", str(sample), "--device", "host", "--output", "none", "--variant", "naive"]) == 0
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["--source", "6"], 2, "source 6 is not a vertex; vertices are 0..5"),
        (["--variant", "fast"], 2, "bellman_ford has no variant 'fast'; it has cpu, "),
        (["--algorithm", "astar"], 2, "unknown algorithm 'astar'; there are bellman_ford, "),
        (["--device", "tpu"], 2, "unknown device 'tpu'"),
        (["--format", "xml"], 2, "unknown graph format 'xml'"),
    ],
)
def test_refuses_with_one_sentence(sample, capsys, arguments, status, sentence):
    assert main(["solve", str(sample), "--device", "host", *arguments]) == status
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("warpath: error: ") and printed.err.count("\n") == 1
    assert sentence in printed.err


def test_a_missing_file_is_one_sentence(tmp_path, capsys):
    assert main(["solve", str(tmp_path / "none.gr")]) == 1
    assert "no such file" in capsys.readouterr().err


def test_the_comparison_names_the_first_wrong_distance(sample):
    graph = read(sample)
    with pytest.raises(CertificateError, match="vertex 1 has distance 9 from source 0; scipy finds 5"):
        compare(graph, 0, np.array([0, 9, 3, 6, 2**31 - 1, 2**31 - 1], np.int32))


def test_doctor_compiles_every_kernel_on_the_host(capsys):
    assert main(["doctor", "--device", "host"]) == 0
    printed = capsys.readouterr().out
    assert "ok      algorithms/bellman_ford/stride_flag.cu" in printed
    assert "BROKEN" not in printed


def test_doctor_tells_where_compiled_kernels_are_kept(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("WARPATH_CACHE", str(tmp_path))
    (tmp_path / "kernel.so").write_bytes(bytes(2**20))
    assert main(["doctor", "--device", "host"]) == 0
    line = next(line for line in capsys.readouterr().out.splitlines() if "host kernels" in line)
    assert str(tmp_path) in line and "MiB" in line and " 0 files" not in line


def test_doctor_says_what_to_install(capsys, monkeypatch):
    monkeypatch.setenv("CXX", "/nonexistent/compiler")
    assert main(["doctor", "--device", "host"]) == 1
    printed = capsys.readouterr()
    assert "not available" in printed.out
    assert "no device works here" in printed.err
