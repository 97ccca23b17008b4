"""``warpath certify``: anyone's answer, in every form of file, right and wrong."""

import tracemalloc
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import named

import warpath
from warpath.__main__ import main
from warpath.cli._answers import read_answer
from warpath.distances import UNREACHABLE
from warpath.graphs.content import LIMIT_VARIABLE

ROADS = "p sp 5 6\na 1 2 7\na 1 3 3\na 3 2 2\na 2 4 1\na 3 4 8\na 4 1 2\n"
FROM_1 = [0, 5, 3, 6, UNREACHABLE]
BEFORE = [-1, 2, 0, 1, -1]
TABLE = "vertex,distance,predecessor\n1,0,\n2,5,3\n3,3,1\n4,6,2\n5,,\n"


@pytest.fixture
def certify(tmp_path, capsys):
    """A function that runs ``warpath certify`` on the roads, and returns status, output and errors."""
    (tmp_path / "roads.gr").write_text(ROADS)

    def run(answer, *arguments):
        status = main(
            ["certify", str(tmp_path / "roads.gr"), str(tmp_path / answer), "--device", "simulated", *arguments]
        )
        said = capsys.readouterr()
        return status, said.out.removeprefix(f"{tmp_path}/"), said.err

    return run


def test_the_arrays_of_scipy_are_certified(certify, tmp_path):
    graph = warpath.read(tmp_path / "roads.gr")
    matrix = np.zeros((graph.vertices, graph.vertices))
    matrix[graph.tails(), graph.indices] = graph.weights
    distances, predecessors = dijkstra(matrix, return_predecessors=True)
    assert np.isinf(distances).any() and (predecessors == -9999).any()
    np.save(tmp_path / "all.npy", distances)
    said = certify("all.npy")[1]
    assert said.startswith("all.npy: exact: distances between all pairs, 17 reached, 30 arcs checked ")
    np.savez(tmp_path / "all.npz", distances=distances, predecessors=predecessors)
    assert certify("all.npz")[1].startswith("all.npz: exact: distances and predecessors between all pairs, ")
    np.save(tmp_path / "one.npy", distances[0])
    assert certify("one.npy", "--source", "1")[1].startswith("one.npy: exact: distances from 1, 4 reached, 6 arcs ")
    np.savez(tmp_path / "two.npz", distances=distances[[3, 1]], predecessors=predecessors[[3, 1]], sources=[3, 1])
    assert certify("two.npz")[1].startswith("two.npz: exact: distances and predecessors from 2 sources, ")
    assert certify("two.npz", "--source", "4,2")[0] == 0


def test_a_table_names_vertices_by_label_and_in_any_order(certify, tmp_path):
    heading, *lines = TABLE.splitlines()
    (tmp_path / "mixed.csv").write_text("\n".join([heading, *reversed(lines)]) + "\n")
    said = certify("mixed.csv", "--source", "1")[1]
    assert said.startswith("mixed.csv: exact: distances and predecessors from 1")
    cells = [(1, vertex, None if far == UNREACHABLE else far) for vertex, far in enumerate(FROM_1, start=1)]
    table = pd.DataFrame(cells, columns=["source", "vertex", "distance"])
    table.to_parquet(tmp_path / "a.parquet")
    assert certify("a.parquet")[1].startswith("a.parquet: exact: distances from 1, ")
    for cell, says in ((True, "True"), (1.5, "1.5"), (2.0**60, "1.15")):
        table.assign(vertex=cell).to_parquet(tmp_path / "a.parquet")
        status, _, errors = certify("a.parquet")
        assert status == 2 and says in errors
    (tmp_path / "inf.csv").write_text("vertex,distance,predecessor\n1,0.0,-9999\n2,5.0,3\n3,3,1\n4,6,2\n5,inf,-9999\n")
    assert certify("inf.csv", "--source", "1")[0] == 0
    (tmp_path / "blank.csv").write_text("\ufeff\n" + TABLE.replace("\n", "\r\n \r\n"))
    assert certify("blank.csv", "--source", "1")[0] == 0


def write_form(path, distances):
    """Write the distances of vertices 1 to 5 in the form that the suffix of ``path`` names."""
    table = pd.DataFrame({"vertex": range(1, 6), "distance": distances})
    write = {
        ".npy": lambda: np.save(path, distances),
        ".npz": lambda: np.savez(path, distances=distances),
        ".csv": lambda: table.to_csv(path, index=False),
        ".parquet": lambda: table.to_parquet(path),
    }
    write[path.suffix]()


SUFFIXES = [".npy", ".npz", ".csv", ".parquet"]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_numbers_mean_the_same_in_every_form(certify, tmp_path, suffix):
    """No path, and distances, which have the unit of the weights."""
    for no_path in (UNREACHABLE, float(UNREACHABLE), np.inf):
        write_form(tmp_path / f"a{suffix}", [*FROM_1[:4], no_path])
        assert certify(f"a{suffix}", "--source", "1")[0] == 0, no_path
    for kind in ("i4", "i8", "f4", "f8"):
        for factor, status in ((1, 0), (10, 1)):
            with named(f"{factor} times, {kind}"):
                no_path = UNREACHABLE if kind != "f4" else np.inf
                distances = np.array([*(factor * np.array(FROM_1[:4])), no_path], kind)
                write_form(tmp_path / f"a{suffix}", distances)
                assert certify(f"a{suffix}", "--source", "1", "--scale", "10")[0] == status


def test_a_predecessor_that_is_no_vertex_is_refused_in_every_form(certify, tmp_path):
    for predecessor in (-2, -(2**31) - 1, -(2**32), 2**31, 2**32 + 2, 2**62):
        with named(str(predecessor)):
            np.savez(tmp_path / "a.npz", distances=FROM_1, predecessors=[predecessor, *BEFORE[1:]])
            assert certify("a.npz", "--source", "1")[0] == 1
            (tmp_path / "a.csv").write_text(TABLE.replace("1,0,", f"1,0,{predecessor}"))
            assert certify("a.csv", "--source", "1")[0] == 2


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_solve_writes_is_certified(certify, tmp_path, capsys, suffix):
    output = f"answer{suffix}"
    for start in (["--source", "4"], ["--source", "4,1"], ["--all-pairs"]):
        for scale in ([], ["--scale", "8"]):
            with named(" ".join([*start, *scale])):
                written = ["--output", str(tmp_path / output), "--no-certify", *scale]
                assert main(["solve", str(tmp_path / "roads.gr"), "--device", "simulated", *start, *written]) == 0
                capsys.readouterr()
                sources = start if suffix == ".npy" and "--source" in start else []
                status, said, errors = certify(output, *sources, *scale)
                assert (status, errors) == (0, "") and said.startswith(f"{output}: exact: ")


def test_a_wrong_answer_is_status_1_with_the_witness_in_labels(certify, tmp_path):
    for before, after, says in (
        ("2,5,3", "2,6,3", "vertex 2"),
        ("2,5,3", "2,4,3", "2"),
        ("4,6,2", "4,6,3", "4"),
        ("5,,", "5,9,4", "5"),
        ("4,6,2", "4,,", "4"),
        ("1,0,", "1,1,", "source 1"),
    ):
        with named(after):
            (tmp_path / "wrong.csv").write_text(TABLE.replace(before, after))
            status, printed, errors = certify("wrong.csv", "--source", "1")
            assert (status, printed) == (1, "")
            assert errors.startswith(f"warpath: error: {tmp_path}/wrong.csv: wrong: ") and errors.count("\n") == 1
            assert says in errors.partition("wrong: ")[2]


def test_a_file_that_cannot_be_read_is_status_2_with_one_sentence(certify, tmp_path):
    for name, content, says in (
        ("none.csv", None, "none.csv"),
        ("a.xls", "", ".parquet"),
        ("a.npy", "no array", ".npy"),
        ("a.npz", "", ".npz"),
        ("a.csv", "", ".csv"),
        ("a.csv", "node,distance\n1,0\n", "'vertex'"),
        ("a.csv", TABLE.replace("5,,", "4,6,2"), "vertex 4"),
        ("a.csv", TABLE.replace("5,,\n", ""), "vertex 5"),
        ("a.csv", TABLE.replace("5,,", "6,,"), "vertex 6"),
        ("a.csv", TABLE.replace("5,,", "five,,"), "'five'"),
        ("a.csv", TABLE.replace("2,5,3", "2,5,7"), "vertex 7"),
        ("a.csv", TABLE.replace("2,5,3", "2,5"), "line 3"),
        ("a.csv", TABLE.replace("2,5,3", "2,5,3,4"), "line 3"),
        ("a.csv", "vertex," + TABLE, "'vertex'"),
        ("a.csv", TABLE.replace("5,,", "5,1e400,"), "'1e400'"),
        ("a.csv", TABLE.replace("5,,", "5,nan,"), "'nan'"),
        ("a.csv", TABLE.replace("2,5,3", "2,0x5,3"), "'0x5'"),
        ("a.csv", TABLE.replace("2,5,3", "٢,5,3"), "'٢'"),
        ("a.csv", TABLE.replace("2,5,3", "9" * 5000 + ",5,3"), "999"),
        ("a.csv", '"' + TABLE, ".csv"),
        ("a.csv", "vertex,distance\n" + "9" * 200_000, ".csv"),
    ):
        with named(f"{name}: {content and content[:60]}"):
            if content is not None:
                (tmp_path / name).write_text(content)
            status, printed, errors = certify(name, "--source", "1")
            assert (status, printed) == (2, "")
            assert name in errors and says in errors and errors.count("\n") == 1
    (tmp_path / "roads.gr").write_text("p sp 5 6\na 1 9 7\n")
    status, _, errors = certify("a.csv", "--source", "1")
    assert status == 2 and "roads.gr, line 2" in errors


def test_status_1_is_a_wrong_answer_alone(certify, tmp_path, capsys, monkeypatch):
    (tmp_path / "a.csv").write_text(TABLE)
    (tmp_path / "wrong.csv").write_text(TABLE.replace("2,5,3", "2,4,3"))
    assert [certify(name, "--source", "1")[0] for name in ("a.csv", "wrong.csv")] == [0, 1]
    for graph in ("a,b,99999999999\n", "source,target,weight\n", "source,target,weight\na,b,x\n", "a,b,inf\n"):
        with named(graph):
            (tmp_path / "roads.csv").write_text(graph)
            assert main(["certify", str(tmp_path / "roads.csv"), str(tmp_path / "a.csv"), "--source", "a"]) == 2
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    assert certify("a.csv", "--source", "1", "--device", "cuda")[0] == 2


def test_labels_beyond_what_a_float_holds_stay_apart(tmp_path, capsys):
    """A column that has an empty cell is no reason to read the others as floats."""
    first = 2**53
    graph = warpath.from_arcs(3, [0, 1], [1, 2], [4, 5], labels=first)
    graph.save(tmp_path / "graph.npz")
    rows = [(first, 0, ""), (first + 1, 4, first), (first + 2, 9, first + 1)]
    table = "vertex,distance,predecessor\n" + "".join(f"{v},{d},{p}\n" for v, d, p in rows)
    (tmp_path / "answer.csv").write_text(table)
    command = ["certify", str(tmp_path / "graph.npz"), str(tmp_path / "answer.csv"), "--source", str(first)]
    assert main([*command, "--device", "simulated"]) == 0, capsys.readouterr().err
    (tmp_path / "answer.csv").write_text(table.replace(f"9,{first + 1}", f"9,{first}"))
    assert main([*command, "--device", "simulated"]) == 1
    for rounded in (f"{first}e0", f"{first + 1}e0", f"{first + 1}.5"):
        (tmp_path / "answer.csv").write_text(table.replace(f"{first},0", f"{rounded},0"))
        assert main([*command, "--device", "simulated"]) == 2


def test_a_line_for_each_of_many_sources_takes_no_memory_for_all_pairs(tmp_path, capsys):
    vertices = 20_000
    warpath.from_arcs(vertices, [0], [1], [4]).save(tmp_path / "graph.npz")
    lines = "".join(f"{vertex},{vertex},0\n" for vertex in range(vertices))
    (tmp_path / "answer.csv").write_text(f"source,vertex,distance\n{lines}")
    tracemalloc.start()
    assert main(["certify", str(tmp_path / "graph.npz"), str(tmp_path / "answer.csv"), "--device", "simulated"]) == 2
    assert tracemalloc.get_traced_memory()[1] < 100 << 20
    tracemalloc.stop()
    assert "vertex 1 from source 0" in capsys.readouterr().err


def test_a_small_parquet_of_many_lines_is_refused(certify, tmp_path, monkeypatch):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    monkeypatch.setenv(LIMIT_VARIABLE, "0.05")
    zeros = arrow.array(np.zeros(1 << 20, np.int8))
    table = arrow.table({name: arrow.chunked_array([zeros] * 5) for name in ("vertex", "distance")})
    parquet.write_table(table, tmp_path / "a.parquet", compression="zstd")
    status, _, errors = certify("a.parquet", "--source", "1")
    assert status == 2 and LIMIT_VARIABLE in errors


def test_an_archive_that_can_be_read_in_two_ways_is_refused(certify, tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, distances=FROM_1)
    content = path.read_bytes()
    path.write_bytes(b"\n" + content)
    assert certify("a.npz", "--source", "1")[0] == 2
    path.write_bytes(content)
    with warnings.catch_warnings(), zipfile.ZipFile(path, "a") as archive:
        warnings.simplefilter("ignore")
        archive.writestr("distances.npy", archive.read("distances.npy"))
    assert certify("a.npz", "--source", "1")[0] == 2


def test_arrays_that_do_not_fit_the_graph_are_status_2(certify, tmp_path):
    for arrays, arguments, says in (
        ({}, [], "--source"),
        ({"distances": FROM_1[:4]}, [], "(4,)"),
        ({"predecessors": [BEFORE]}, [], "(1, 5)"),
        ({"distances": np.zeros((0, 5)), "sources": np.zeros(0, int)}, [], "(0, 5)"),
        ({"sources": [[0]]}, [], "sources"),
        ({"sources": [0.0]}, ["--source", "1"], "source"),
        ({"sources": np.uint64(2**64 - 1)}, [], f"source {2**64 - 1}"),
        ({"sources": 0}, ["--source", "2"], "--source"),
        ({}, ["--source", "1,2"], "2 sources"),
        ({"labels": [0, 1, 2, 3, 4]}, [], "labels"),
        ({}, ["--source", "9"], "vertex 9"),
    ):
        with named(f"{arrays}, {arguments}"):
            np.savez(tmp_path / "a.npz", **{"distances": FROM_1, **arrays})
            status, printed, errors = certify("a.npz", *arguments)
            assert (status, printed) == (2, "")
            assert says in errors and errors.count("\n") == 1
    np.savez(tmp_path / "a.npz", dist=FROM_1)
    assert "'distances'" in certify("a.npz")[2]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_floats_come_out_with_all_their_digits_and_are_certified(tmp_path, capsys, dtype):
    drawn = np.random.default_rng().random(60).astype(dtype)
    graph = warpath.from_arcs(30, np.arange(60) % 29, np.arange(60) * 7 % 29, drawn)
    graph.save(tmp_path / "floats.npz")
    expected = warpath.apsp(graph, device="simulated").distances
    for suffix in SUFFIXES:
        with named(suffix):
            output, simulated = tmp_path / f"answer{suffix}", ["--device", "simulated"]
            solve = ["solve", str(tmp_path / "floats.npz"), "--all-pairs", "--output", str(output)]
            assert main([*solve, *simulated]) == 0
            np.testing.assert_array_equal(read_answer(output, graph).distances.astype(dtype), expected)
            assert main(["certify", str(tmp_path / "floats.npz"), str(output), *simulated]) == 0
            assert "exact: distances" in capsys.readouterr().out
