"""Graphs as people have them, as a new user would try: the answer is right, or one sentence says what to write."""

import math
import re

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from scipy.sparse.csgraph import dijkstra

import warpath
from warpath.__main__ import main
from warpath.errors import GraphError, WarpathError

solve = {"device": "simulated"}
LINES = "Oslo,Voss,356\nVoss,Bergen,107\nOslo,Bergen,500.5\n"


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """A function that runs a command in a folder of its own; it returns the status, the output and the message."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        status = main([str(word) for word in words])
        said = capsys.readouterr()
        assert said.err.count("\n") == (status != 0)
        return status, said.out, said.err

    return run


def keywords(error, function):
    """The keywords in the call of ``function`` that a message shows."""
    call = re.search(rf"{function}\(\w+, (.*?)\)", str(error))
    return eval(f"dict({call[1]})") if call else eval(f"dict({re.search(r'as in (weight=[^,]*)', str(error))[1]})")


def test_streets_of_osmnx():
    streets = nx.MultiDiGraph(crs="epsg:4326")
    for tail, head, length in [(101, 102, 12.5), (102, 101, 12.5), (102, 103, 40.25), (101, 103, 90.0)]:
        streets.add_edge(tail, head, osmid=[7, tail], length=length, highway="residential", oneway=False, lanes="2")
    streets.add_edge(101, 103, osmid=8, length=60.0, highway=["service", "path"], oneway=True)
    with pytest.raises(GraphError, match="no edge has 'weight'") as refused:
        warpath.sssp(streets, 101, **solve)
    for paths in (
        warpath.sssp(streets, 101, **keywords(refused.value, "sssp"), **solve),
        warpath.prepare(streets, "simulated", weight="length").sssp(101),
    ):
        assert paths.path_to(103) == [101, 102, 103] == nx.dijkstra_path(streets, 101, 103, "length")
        assert (paths.distances.tolist(), paths.weight) == ([0, 12.5, 52.75], "length")
    assert warpath.sssp(streets, 101, weight=None, **solve).path_to(103) == [101, 103]


@pytest.mark.parametrize("indexed", [False, True])
def test_a_frame_with_columns_u_v_km(indexed):
    frame = pd.DataFrame({"u": ["Oslo", "Voss"], "v": ["Voss", "Bergen"], "key": [0, 0], "km": [356.5, 107.0]})
    frame = frame.set_index(["u", "v", "key"]) if indexed else frame
    with pytest.raises(GraphError, match="no column 'source' or 'target'") as refused:
        warpath.sssp(frame, "Oslo", **solve)
    given = keywords(refused.value, "prepare")
    assert given == {"tail": "u", "head": "v", "weight": "km"}
    paths = warpath.prepare(frame, "simulated", **given).sssp("Oslo")
    assert (paths.distances.max(), paths.path_to("Bergen")) == (463.5, ["Oslo", "Voss", "Bergen"])
    there = warpath.prepare(frame, "simulated", **given, directed=False).sssp("Bergen")
    assert there.path_to("Oslo") == ["Bergen", "Voss", "Oslo"]


def test_a_csv_file_with_names_of_towns(tmp_path):
    (tmp_path / "roads.csv").write_text("source,target,weight\n" + LINES)
    roads = warpath.read(tmp_path / "roads.csv")
    with pytest.raises(WarpathError) as refused:
        warpath.sssp(roads, "Oslo", **solve)
    call = re.search(r"graph(\.index_of\('Oslo'\))", str(refused.value))[1]
    paths = warpath.sssp(roads, eval(f"roads{call}"), **solve)
    assert paths.distances[roads.index_of("Bergen")] == 463


@pytest.mark.parametrize("header", ["", "source,target,weight\n", "u,v,km\n"])
def test_a_csv_file_with_names_of_towns_by_the_command(command, tmp_path, header):
    (tmp_path / "roads.csv").write_text(header + LINES)
    words = ["solve", "roads.csv", "--source", "Oslo", "--target", "Bergen", "--device", "simulated"]
    status, out, message = command(*words)
    if header.startswith("u"):
        assert status == 1
        options = re.search(r"as in (.*?) \(in Python", message)[1].split()
        status, out, message = command(*words, *options)
    assert (status, message) == (0, "")
    assert out.endswith("path from Oslo to Bergen, distance 463.0: Oslo Voss Bergen\n")


def test_a_csv_file_that_may_have_a_header(command, tmp_path):
    (tmp_path / "links.csv").write_text("source_town,target_town\nOslo,Voss\nVoss,Bergen\n")
    words = ["solve", "links.csv", "--source", "Oslo", "--target", "Bergen", "--device", "simulated"]
    status, _, message = command(*words)
    assert status == 1 and "--header or --no-header" in message
    status, out, _ = command(*words, "--no-header")
    assert status == 0 and out.endswith("path from Oslo to Bergen, distance 2: Oslo Voss Bergen\n")
    _, _, message = command(*words, "--header")
    options = re.search(r"as in (.*?) \(in Python", message)[1].split()
    assert command(*words, "--header", *options)[:2][1].endswith("distance 2: Oslo Voss Bergen\n")


def test_the_most_probable_path():
    probabilities = np.array([[0, 0.5, 0.1], [0, 0, 0.9], [0.2, 0, 0]])
    with np.errstate(divide="ignore"):
        matrix = -np.log(probabilities)
    paths = warpath.sssp(matrix, 0, **solve)
    assert paths.path_to(2) == [0, 1, 2]
    assert math.exp(-paths.distances[2]) == pytest.approx(0.45)
    np.testing.assert_array_equal(paths.distances, dijkstra(np.where(np.isinf(matrix), 0, matrix), indices=0))


def test_a_grid_of_euclidean_lengths():
    side = 12
    points = np.random.default_rng().random((side, side, 2)) * 0.3 + np.indices((side, side)).transpose(1, 2, 0)
    numbers = np.arange(side * side).reshape(side, side)
    ends = np.concatenate(
        [
            np.stack([numbers[:-1].ravel(), numbers[1:].ravel()]),
            np.stack([numbers[:, :-1].ravel(), numbers[:, 1:].ravel()]),
        ],
        axis=1,
    )
    flat = points.reshape(-1, 2)
    lengths = np.linalg.norm(flat[ends[0]] - flat[ends[1]], axis=1)
    matrix = scipy.sparse.coo_array((lengths, tuple(ends)), shape=(side**2, side**2))
    there = warpath.sssp(matrix, 0, directed=False, **solve)
    np.testing.assert_array_equal(there.distances, dijkstra(matrix.tocsr(), directed=False, indices=0))
    assert np.isinf(warpath.sssp(matrix, side**2 - 1, **solve).distances[:-1]).all()


def test_an_undirected_file_of_snap(command, tmp_path):
    edges = "1\t2\n2\t3\n3\t4\n"
    (tmp_path / "com.ungraph.txt").write_text(f"# Undirected graph: x\n# Nodes: 4 Edges: 3\n# FromNodeId\tTo\n{edges}")
    (tmp_path / "facebook.txt").write_text(edges)
    for words in (["com.ungraph.txt"], ["facebook.txt", "--undirected"]):
        status, out, _ = command("solve", *words, "--source", 4, "--target", 1, "--device", "simulated")
        assert status == 0 and out.endswith("path from 4 to 1, distance 3: 4 3 2 1\n")
    assert warpath.read("facebook.txt", directed=False) == warpath.read("com.ungraph.txt")
    assert command("solve", "facebook.txt", "--source", 4, "--target", 1, "--device", "simulated")[1].endswith(
        "4 to 1\n"
    )


def test_new_weights_a_hundred_times():
    streets = nx.DiGraph()
    streets.add_weighted_edges_from([("a", "b", 3.0), ("b", "c", 4.0), ("a", "c", 9.0)], weight="minutes")
    solver = warpath.prepare(streets, "simulated", weight="minutes")
    for jam in range(100):
        solver.update(solver.graph.weights + np.array([0, 1, 0]) * (jam == 50))
        paths = solver.sssp("a")
        assert (paths.path_to("c"), paths.weight) == (["a", "b", "c"] if jam < 50 else paths.path_to("c"), "minutes")
    assert solver.table(["a"], ["c"]).distances.tolist() == [[7]]
