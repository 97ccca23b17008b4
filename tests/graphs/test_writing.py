"""Writing a graph in every format: what is read back, what is left out or refused, the bytes."""

import gzip
import lzma
from dataclasses import replace

import numpy as np
import pytest
import scipy.io
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_graphs import graph as graph_of
from tiny_graphs import named

import warpath
from warpath.__main__ import main
from warpath.errors import UsageError
from warpath.graphs.csr import WEIGHT_LIMIT, from_arcs
from warpath.graphs.files.formats import read, write

SUFFIXES = {"gr": ".gr", "snap": ".snap", "el": ".el", "wel": ".wel", "edges": ".txt", "mtx": ".mtx", "npz": ".npz"}


@st.composite
def graphs(draw, form):
    """A graph that ``form`` can hold: labels of its own, in an edge list no vertex without arcs, no weights in el."""
    vertices = draw(st.integers(1, 8))
    end = st.integers(0, vertices - 1)
    pairs = draw(st.lists(st.tuples(end, end), max_size=20, unique=form == "mtx"))
    scale = 1 if form == "el" else draw(st.sampled_from([1, 10, 8]))
    weight = st.just(1) if form == "el" else st.integers(-WEIGHT_LIMIT, WEIGHT_LIMIT)
    labels = {"gr": 1, "mtx": 1, "edges": 0}.get(form)
    if form in ("snap", "el", "wel"):
        pairs += [(vertex, 0) for vertex in range(vertices)]
    if labels is None:
        labels = sorted(draw(st.sets(st.integers(0, 2**63 - 1), min_size=vertices, max_size=vertices)))
    tails, heads = np.array(pairs, np.int64).reshape(-1, 2).T
    weights = np.array(draw(st.lists(weight, min_size=len(pairs), max_size=len(pairs))), np.int64)
    said = {"kind": "given", "scale": scale} if scale != 1 else {"kind": "given"}
    return from_arcs(vertices, tails, heads, weights, {"weights": said}, labels)


@settings(max_examples=80)
@given(form=st.sampled_from([*SUFFIXES]), data=st.data())
def test_what_is_written_is_read_back(tmp_path_factory, form, data):
    graph = data.draw(graphs(form))
    compression = "" if form == "npz" else data.draw(st.sampled_from(["", ".gz", ".xz"]))
    path = tmp_path_factory.getbasetemp() / f"some{SUFFIXES[form]}{compression}"
    assert write(graph, path) == ()
    scale = graph.scale if graph.scale != 1 else None
    assert read(path, form, scale=scale) == graph
    if form != "edges" or graph.arcs:
        assert read(path, scale=scale) == graph
    content = path.read_bytes()
    write(replace(graph, metadata={**graph.metadata, "title": "other"} if form != "npz" else graph.metadata), path)
    assert path.read_bytes() == content


def test_a_first_arc_that_looks_like_counts_is_read_back(tmp_path):
    for tails, heads, labels in (([1], [0], None), ([0], [0], [5]), ([0, 0, 0], [1, 0, 1], [2, 2**40])):
        graph = from_arcs(1 + max(tails + heads), tails, heads, np.ones(len(tails), np.int32), labels=labels)
        for suffix in (".el", ".wel", ".snap"):
            with named(f"{suffix}: {tails}, {heads}"):
                write(graph, tmp_path / f"some{suffix}")
                assert read(tmp_path / f"some{suffix}") == graph


FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@given(
    form=st.sampled_from(["gr", "wel", "snap", "edges", "mtx", "npz"]),
    weights=st.lists(st.one_of(FLOATS, st.integers(-9, 9).map(float)), min_size=1),
    data=st.data(),
)
def test_floats_are_written_with_all_their_digits(tmp_path_factory, form, weights, data):
    dtype = data.draw(st.sampled_from([np.float64, np.float32])) if max(map(abs, weights)) < 1e38 else np.float64
    count = len(weights)
    graph = from_arcs(
        count + 1, range(count), range(1, count + 1), np.array(weights, dtype), labels=[*range(count + 1)]
    )
    path = tmp_path_factory.getbasetemp() / f"floats{SUFFIXES[form]}"
    losses = write(graph, path)
    back = read(path)
    np.testing.assert_array_equal(back.weights, graph.weights)
    if form == "npz":
        assert back == graph and losses == ()
    assert any(str(back.weights.dtype) in loss for loss in losses) == (back.weights.dtype != graph.weights.dtype)
    whole = all(weight.is_integer() and abs(weight) <= WEIGHT_LIMIT for weight in graph.weights.tolist())
    assert back.weights.dtype == (graph.weights.dtype if form == "npz" else np.int32 if whole else np.float64)


def test_other_programs_read_what_is_written(tmp_path):
    floats = from_arcs(3, [0, 1], [1, 2], [0.1, 1e-300])
    write(floats, tmp_path / "m.mtx")
    assert scipy.io.mmread(tmp_path / "m.mtx").toarray().tolist() == [[0, 0.1, 0], [0, 0, 1e-300], [0, 0, 0]]
    graph = graph_of(3, (0, 1, 5), (1, 2, 0), (2, 2, -7))
    write(graph, tmp_path / "m.mtx")
    assert scipy.io.mmread(tmp_path / "m.mtx").toarray().tolist() == [[0, 5, 0], [0, 0, 0], [0, 0, -7]]
    halves = replace(graph, metadata={"weights": {"kind": "given", "scale": 2}}, labels=[10, 20, 77])
    for of, name, unpack, text in (
        (floats, "f.wel", bytes, b"0 1 0.1\n1 2 1e-300\n"),
        (replace(graph, labels=1), "g.gr.gz", gzip.decompress, b"p sp 3 3\na 1 2 5\na 2 3 0\na 3 3 -7\n"),
        (graph, "t.txt.xz", lzma.decompress, b"3 3\n0 1 5\n1 2 0\n2 2 -7\n"),
        (halves, "l.wel", bytes, b"10 20 2.5\n20 77 0\n77 77 -3.5\n"),
    ):
        write(of, tmp_path / name)
        assert unpack((tmp_path / name).read_bytes()) == text
    write(halves, tmp_path / "l.snap")
    lines = (tmp_path / "l.snap").read_text().splitlines()
    assert lines[0] == "# Nodes: 3 Edges: 3" and lines[2:] == ["10\t20\t2.5", "20\t77\t0", "77\t77\t-3.5"]


def test_what_a_format_cannot_hold_is_refused_and_nothing_is_written(tmp_path):
    for name, changes, says in (
        ("x.wel", {}, "such as 2; .*npz"),
        ("x.el", {}, "wel"),
        ("x.snap", {"labels": ["a", "b", "c"]}, "'a'.*npz"),
        ("x.wel", {"labels": [5, -3, 7]}, "-3.*npz"),
        ("x.mtx", {}, "1 parallel"),
        ("x.gr", {"metadata": {"weights": {"scale": 3}}}, "1/3"),
        ("x.npz", {"labels": [(1, 2), 2, 3]}, r"\(1, 2\)"),
        ("x.foo", {}, "'.foo'.*txt"),
        ("x", {}, "''"),
        ("x.npz.gz", {}, "gz"),
    ):
        graph = replace(graph_of(3, (0, 1, 5), (0, 1, 6)), **changes)
        with named(f"{name}, {changes}"):
            with pytest.raises(UsageError, match=says) as refused:
                write(graph, tmp_path / name)
            assert "\n" not in str(refused.value)
            assert list(tmp_path.iterdir()) == []


def test_a_named_format_overrules_the_suffix(tmp_path):
    graph = graph_of(2, (0, 1, 5))
    warpath.write(graph, tmp_path / "x.txt", "wel")
    assert (tmp_path / "x.txt").read_text() == "0 1 5\n"
    with pytest.raises(UsageError, match="did you mean wel"):
        warpath.write(graph, tmp_path / "x.txt", "well")


def test_the_command_writes_text_and_tells_what_is_left_out(tmp_path, capsys):
    source, target = tmp_path / "x.wel", tmp_path / "x.txt"
    source.write_text("10 20 5\n20 10 2.5\n")
    assert main(["convert", "--from", str(source), "--scale", "10", "--output", str(target)]) == 0
    assert target.read_text() == "2 2\n0 1 5\n1 0 2.5\n"
    described, lost = capsys.readouterr().out.splitlines()
    assert described.startswith(f"{target}: weighted edge list, 2 vertices") and "2.5 to 5; scale 10" in described
    assert lost.startswith(f"{target}: the labels are left out") and "0..1" in lost
