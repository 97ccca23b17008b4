"""From files to graphs, from one graph to another and to a part of it: datasets, other files, and the command."""

import gzip
import hashlib
from collections import deque

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tiny_graphs import graph as graph_of
from tiny_graphs import named

from warpath.__main__ import main
from warpath.errors import FormatError, UsageError
from warpath.graphs.csr import Graph, load
from warpath_study.datasets import catalog
from warpath_study.datasets.conversion import convert_dataset, convert_file, derive_dataset, first_vertices
from warpath_study.datasets.weight_rules import WeightRule
from warpath_study.subgraph import nearest_subgraph

GR = b"c x\np sp 3 4\na 1 2 5\na 3 3 0\na 1 2 3\na 2 1 7\n"
LIST = b"# Nodes: 3 Edges: 3\r\n# FromNodeId\tToNodeId\r\n10\t20\r\n20\t40\r\n10\t40\r\n"


def entry(file, content, kind, arcs, weighted):
    known = {
        "title": "Some graph",
        "licence": "none",
        "citation": "none",
        "addresses": (f"https://example.org/{file}",),
    }
    counts = {"vertices": 3, "arcs": arcs, "weighted": weighted, "sha256": hashlib.sha256(content).hexdigest()}
    return catalog.Dataset(name="some", kind=kind, file=file, **known, **counts)


ROADS = entry("some.gr.gz", GR, "gr", 4, weighted=True)
PEERS = entry("some.txt.gz", LIST, "snap", 3, weighted=False)


@pytest.fixture
def file(tmp_path):
    def write(content, name="some"):
        path = tmp_path / name
        path.write_bytes(content)
        return path

    return write


def test_a_weighted_dataset_keeps_its_weights(file):
    graph = convert_dataset(ROADS, file(gzip.compress(GR)), seed=5)
    assert graph.weights.tolist() == [5, 3, 7, 0]
    assert graph.metadata == {
        "dataset": "some",
        "title": "Some graph",
        "format": "gr",
        "origin": "https://example.org/some.gr.gz",
        "weights": {"kind": "given"},
    }


def test_weights_are_drawn_for_a_dataset_without_or_to_replace(file):
    peers = convert_dataset(PEERS, file(LIST), seed=5, weight_min=1000, weight_max=2000)
    assert peers.indices.tolist() == [1, 2, 2]
    assert 1000 <= peers.weight_min <= peers.weight_max <= 2000
    assert peers.metadata["weights"] == {"kind": "random", "seed": 5, "min": 1000, "max": 2000}
    roads = convert_dataset(ROADS, file(GR), seed=5, weights="drawn")
    assert roads.metadata["weights"] == {"kind": "random", "seed": 5, "min": 1, "max": 100}
    assert roads.sha256 != convert_dataset(ROADS, file(GR), seed=6, weights="drawn").sha256
    assert roads.sha256 == convert_dataset(ROADS, file(GR), seed=5, weights="drawn").sha256


def test_a_dataset_is_held_against_the_catalog(file):
    with pytest.raises(FormatError, match=r"4 arcs, .* 5 arcs"):
        convert_dataset(replace(ROADS, sha256=None, arcs=5), file(GR))
    with pytest.raises(FormatError, match="sha256"):
        convert_dataset(ROADS, file(GR + b"c more\n"))
    unannounced = LIST.replace(b"Nodes", b"nodes")
    with pytest.raises(FormatError, match=r"3 vertices .* 4 vertices"):
        convert_dataset(replace(PEERS, sha256=None, vertices=4), file(unannounced))


def test_a_dataset_that_cannot_be_converted(tmp_path):
    with pytest.raises(FormatError, match="warpath fetch some"):
        convert_dataset(ROADS, tmp_path / "none")
    with pytest.raises(FormatError, match=r"none: .*warpath fetch mine --mir"):
        convert_dataset(own("edges", "mine.txt"), tmp_path / "none")
    with pytest.raises(UsageError, match="warpath generate demo-nyc"):
        convert_dataset(catalog.dataset("demo-nyc"), tmp_path / "none")


def own(kind, content_name, **facts):
    return catalog.Dataset(
        name="mine", kind=kind, title="mine", file=content_name, weighted=facts.pop("weighted", True), **facts
    )


def test_a_topology_gets_the_weights_that_its_entry_draws(file, tmp_path, monkeypatch, capsys):
    rule = WeightRule(3, like="road_lengths")
    path = file(b"p tw 4 3\n1 2\n2 3\n3 4\n", "mine.gr")
    graph = convert_dataset(own("gr", "mine.gr", weighted=False, weights=rule), path)
    assert graph.metadata["weights"] == {"kind": "random", "seed": 3, "min": 1, "max": 36946, "like": "road_lengths"}
    assert (graph.arcs, len(set(graph.weights.tolist()))) == (6, 3)  # an edge has one weight both ways
    (tmp_path / "catalog.yaml").write_text(
        "mine: {kind: gr, file: mine.gr, weighted: false, weights: {seed: 3, like: road_lengths}}"
    )
    monkeypatch.chdir(tmp_path)
    asked = ("convert", "mine", "--catalog", "catalog.yaml", "--input", path)
    assert warpath(*asked, "--seed", 2) == 2
    assert "--seed" in capsys.readouterr().err
    assert warpath(*asked) == 0
    assert load("data/graphs/mine.npz").sha256 == graph.sha256


def test_a_file_of_ones_own_of_each_kind(file):
    for kind, content, weights in (
        ("gr", GR, [5, 3, 7, 0]),
        ("snap", b"10 20 4\n20 40 -2\n", [4, -2]),
        ("edges", b"3 2\n0 1 5\n1 2 6\n", [5, 6]),
        ("mtx", b"%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 5\n3 1 6\n", [5, 6]),
    ):
        for compress in (bytes, gzip.compress):
            path = file(compress(content))
            graph = convert_dataset(own(kind, "some"), path)
            assert graph.weights.tolist() == weights
            about = {"dataset": "mine", "title": "mine", "format": kind, "origin": "some"}
            assert graph.metadata == {**about, "weights": {"kind": "given"}}
    with pytest.raises(FormatError, match=r"some: .*9 arcs$"):
        convert_dataset(own(kind, "some", arcs=9), path)


def test_a_topology_of_ones_own_gets_weights_the_same_both_ways(file):
    pace = b"p tw 3 2\n1 2\n2 3\n"
    pattern = b"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n"
    for kind, content, weighted in (("gr", pace, False), ("gr", pace, None), ("mtx", pattern, None)):
        path = file(content)
        sha256 = hashlib.sha256(content).hexdigest()
        graph = convert_dataset(own(kind, "some", weighted=weighted, vertices=3, arcs=4, sha256=sha256), path, seed=3)
        assert graph.metadata["weights"] == {"kind": "random", "seed": 3, "min": 1, "max": 100}
        assert graph.labels.tolist() == [1, 2, 3]
        matrix = graph.dense()
        assert np.array_equal(matrix, matrix.T) and matrix[0, 1] <= 100 and matrix[1, 2] <= 100


def test_labels_and_a_scale_of_the_catalog(file):
    tolls = own("snap", "some", scale=10)
    graph = convert_dataset(tolls, file(b"# tolls\n10 20 2.5\n77 10 3\n"))
    assert (graph.labels.tolist(), graph.weights.tolist(), graph.scale) == ([10, 20, 77], [25, 30], 10)
    assert convert_dataset(tolls, file(b"10 20 2.25\n"), scale=100).weights.tolist() == [225]
    streets = own("edges", "some", weighted=False)
    graph = convert_dataset(streets, file(b"3 2\n0 1\n1 2\n"))
    assert (graph.labels.tolist(), graph.metadata["weights"]["kind"]) == ([0, 1, 2], "random")
    with pytest.raises(FormatError, match="weights"):
        convert_dataset(replace(streets, weighted=True), file(b"3 2\n0 1\n1 2\n"))


def test_a_third_column_is_a_weight_only_where_the_catalog_says_so(file):
    three, two = file(b"# x\n1 2 2002\n2 1 2003\n", "three"), file(b"1 2\n2 1\n", "two")
    assert convert_dataset(own("snap", "three", weighted=True), three).weights.tolist() == [2002, 2003]
    assert convert_dataset(own("snap", "three", weighted=False), three).weight_max <= 100
    assert convert_dataset(own("snap", "two", weighted=None), two).metadata["weights"]["kind"] == "random"
    with pytest.raises(FormatError, match="weighted: true"):
        convert_dataset(own("snap", "three", weighted=None), three)


def derived(**facts):
    return catalog.Dataset(name="new", kind="derived", title="New", weighted=True, origin="some", **facts)


def test_new_weights_from_the_catalog_are_those_of_the_options(file, tmp_path):
    convert_dataset(ROADS, file(GR)).save(tmp_path / "some.npz")
    new = derived(vertices=3, arcs=4, weights=WeightRule(1, 1, 10))
    graph = derive_dataset(new, tmp_path / "some.npz")
    by_options = convert_file(tmp_path / "some.npz", "npz", seed=1, weight_min=1, weight_max=10, weights="drawn")
    assert graph.sha256 == by_options.sha256
    assert graph.metadata == {
        "dataset": "new",
        "title": "New",
        "derived_from": "some",
        "format": "gr",
        "origin": "https://example.org/some.gr.gz",
        "weights": {"kind": "random", "seed": 1, "min": 1, "max": 10},
    }
    with pytest.raises(FormatError, match=r"new: .*4 arcs"):
        derive_dataset(replace(new, arcs=5), tmp_path / "some.npz")


def test_a_part_from_the_catalog(file, tmp_path):
    convert_dataset(ROADS, file(GR)).save(tmp_path / "some.npz")
    graph = derive_dataset(derived(vertices=2, first=catalog.FirstVertices(2, 5)), tmp_path / "some.npz")
    assert (graph.vertices, graph.indices.tolist(), graph.weights.tolist()) == (2, [1], [1])
    assert graph.sha256 == first_vertices(load(tmp_path / "some.npz"), 2, 5).sha256
    with pytest.raises(FormatError, match=r"1 arcs, .*3 arcs"):
        derive_dataset(derived(vertices=2, arcs=3, first=catalog.FirstVertices(2, 5)), tmp_path / "some.npz")
    with pytest.raises(FormatError, match=r"none: .*some"):
        derive_dataset(derived(first=catalog.FirstVertices(2, 5)), tmp_path / "none")


def test_any_file(file, tmp_path):
    text = file(b"3 2\n0 1 5\n1 2 -6\n")
    assert convert_file(text).weights.tolist() == [5, -6]
    assert convert_file(text).metadata == {"format": "edges", "origin": "some", "weights": {"kind": "given"}}
    drawn = convert_file(text, weights="drawn", seed=3)
    assert drawn.metadata["weights"]["seed"] == 3
    unweighted = convert_file(file(LIST), seed=3, weight_max=10)
    drawn_from = {"kind": "random", "seed": 3, "min": 1, "max": 10}
    assert unweighted.metadata == {"format": "snap", "origin": "some", "weights": drawn_from}
    convert_file(file(GR)).save(tmp_path / "one.npz")
    other = convert_file(tmp_path / "one.npz", weights="drawn", weight_min=9, weight_max=9)
    assert other.weights.tolist() == [9] * 4
    stamped = file(b"1 2 2002-08-04\n2 1 2002-08-05\n")
    assert convert_file(stamped, "snap", weights="drawn").arcs == 2


def warpath(*arguments):
    """The exit status of the command, run in this process."""
    return main([str(argument) for argument in arguments])


def test_the_command_for_a_file(file, tmp_path, capsys):
    output = tmp_path / "deep" / "some.npz"
    assert warpath("convert", "--from", file(LIST), "--seed", 7, "--output", output) == 0
    said = capsys.readouterr().out
    assert all(each in said for each in (str(output), "3 vertices", "from 1 to 100 by seed 7", "labels 10 to 40"))
    assert load(output).metadata["weights"]["seed"] == 7
    assert warpath("convert", "--from", file(LIST), "--output", output, "--weight-min", 101) == 2
    assert "101..100" in capsys.readouterr().err


def test_a_path_in_the_place_of_a_name_is_told_the_option_for_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.gr").write_bytes(GR)
    for path in ("mine.gr", "./mine.gr", "nowhere/mine.gr"):
        with named(path):
            assert warpath("convert", path, "--output", "x.npz") == 2
            assert f"--from {path}" in capsys.readouterr().err
    assert warpath("convert", "mine", "--output", "x.npz") == 2
    assert "--from" not in capsys.readouterr().err
    (tmp_path / "nyc").write_bytes(GR)  # a file does not hide a dataset
    assert warpath("convert", "nyc") == 1
    assert "warpath fetch nyc" in capsys.readouterr().err


def test_the_command_for_a_dataset_in_its_usual_places(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(catalog, "load_catalog", lambda path: {"some": ROADS})
    assert warpath("convert", "some") == 1
    assert "warpath fetch some" in capsys.readouterr().err
    (tmp_path / "data" / "raw").mkdir(parents=True)
    (tmp_path / "data" / "raw" / "some.gr.gz").write_bytes(gzip.compress(GR))
    assert warpath("convert", "some") == 0
    said = capsys.readouterr().out
    facts = ("DIMACS, 3 vertices, 4 arcs", "given (0 to 7)", "1 parallel arc, 1 loop", "labels 1 to 3")
    assert said.startswith("data/graphs/some.npz: ") and all(each in said for each in facts)
    assert warpath("datasets") == 0
    header, row = capsys.readouterr().out.splitlines()
    assert header.split() == ["name", "kind", "vertices", "arcs", "hash", "raw", "graph", "title"]
    assert row.split() == ["some", "gr", "3", "4", "pinned", "yes", "yes", "Some", "graph"]


def test_the_command_for_a_derived_dataset(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert warpath("generate", "demo-nyc") == 0
    assert warpath("convert", "demo-nyc-revised") == 0
    assert "600 vertices, 1,666 arcs, weights drawn (from 1 to 10 by seed 1)" in capsys.readouterr().out
    assert warpath("convert", "demo-nyc-revised", "--seed", 2) == 2
    assert "--seed" in capsys.readouterr().err


def test_requests_that_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    file = ["--from", "x.gr"]
    for arguments, status, complaint in (
        ([*file, "--output", "y.npz"], 1, "x.gr"),
        ([*file, "--output", "y.npz", "--input", "z"], 2, "--input"),
        ([*file, "--output", "y.foo"], 2, "'.foo'"),
        (["nyc", "--format", "gr"], 2, "--format"),
        (["nyc-revised"], 1, "data/graphs/nyc.npz"),
    ):
        with named(str(arguments)):
            assert warpath("convert", *arguments) == status
            error = capsys.readouterr().err
            assert error.startswith("warpath: error: ") and error.count("\n") == 1 and complaint in error
            assert list(tmp_path.iterdir()) == []


# The part of a graph that is certified first.


def arcs_of(graph: Graph) -> list[tuple[int, int, int]]:
    return list(zip(graph.tails().tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True))


@st.composite
def graphs(draw) -> Graph:
    vertices = draw(st.integers(1, 9))
    vertex = st.integers(0, vertices - 1)
    return graph_of(vertices, *draw(st.lists(st.tuples(vertex, vertex, st.integers(0, 9)), max_size=20)))


def nearest(graph: Graph, start: int, count: int) -> list[int]:
    """Breadth-first by the book, the smallest heads first."""
    met = {start: None}
    queue = deque([start])
    while queue:
        tail = queue.popleft()
        for head in sorted(graph.indices[graph.indptr[tail] : graph.indptr[tail + 1]].tolist()):
            if head not in met:
                met[head] = None
                queue.append(head)
    return sorted([*met][:count])


@given(graphs(), st.integers(1, 9), st.data())
def test_induced_by_the_nearest_vertices_in_their_order(graph, vertices_max, data):
    source = data.draw(st.none() | st.integers(0, graph.vertices - 1))
    subgraph, new_source = nearest_subgraph(graph, source, vertices_max)
    if graph.vertices <= vertices_max:
        assert subgraph is graph
        assert new_source == source
        return
    degrees = np.diff(graph.indptr).tolist()
    start = degrees.index(max(degrees)) if source is None else source
    kept = nearest(graph, start, vertices_max)
    assert subgraph.vertices == len(kept)
    assert new_source == (None if source is None else kept.index(source))
    assert arcs_of(subgraph) == [
        (kept.index(tail), kept.index(head), weight)
        for tail, head, weight in arcs_of(graph)
        if tail in kept and head in kept
    ]
    assert {array.dtype for array in (subgraph.indptr, subgraph.indices, subgraph.weights)} == {np.dtype(np.int32)}
