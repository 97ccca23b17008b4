"""Reading and writing a file of any format: what decides it, what may mean two things, what is left out, the bytes."""

import bz2
import gzip
import lzma
import zipfile
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse
from graph_files import arcs, written
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_graphs import graph as graph_of
from tiny_graphs import named

import warpath
from warpath.__main__ import main
from warpath.errors import FormatError, GraphError, UsageError, WarpathError
from warpath.graphs.csr import WEIGHT_LIMIT, from_arcs
from warpath.graphs.files.formats import TEXT as TEXT_FORMATS
from warpath.graphs.files.formats import read, write

pytestmark = pytest.mark.usefixtures("both_ways")

TEXT = "3 4\n0 1 5\n2 2 0\n0 1 -3\n1 0 7\n"
GR = "c x\np sp 3 4\na 1 2 5\na 3 3 0\na 1 2 -3\na 2 1 7\n"
LIST = "0 1 5\n2 2 0\n0 1 -3\n1 0 7\n"
MTX = "%%MatrixMarket matrix coordinate integer general\n% x\n3 3 4\n1 2 5\n3 3 0\n1 2 -3\n2 1 7\n"
PACE = "c x\np tw 4 3\n1 2\n2 3\n4 4\n"


@pytest.fixture
def file(tmp_path):
    return lambda content, name="some.txt": written(tmp_path / name, content)


AMBIGUOUS = [
    ["4 3", "0 1", "1 2", "2 3"],
    ["5 3", "1 2", "2 3", "4 5"],  # numbered from 1
    ["3 2", "10 20", "20 30"],  # three ids
    ["1 0"],
    ["5 0"],
    ["2 1", "1 1"],
    ["4 4", "2 3", "1 4", "1 4", "2 3"],  # METIS: a line has the neighbours of a vertex
    ["5 5 3", "1 2 7", "2 3 7", "4 5 7"],  # MatrixMarket without its banner
    ["2 2 1", "0 1 2.5"],
]


@pytest.mark.parametrize(
    ("name", "blank", "end"),
    [
        ("x", " ", "\n"),
        ("x.txt", "\t", "\r\n"),
        ("x.snap", " ", "\n#\n\n"),
        ("x.el", " ", "\n"),
        ("x.csv", ",", "\n\n"),
        ("x.tsv", "\t", "\r\n"),
        ("x.csv.gz", ";", "\n"),
    ],
)
def test_counts_before_arcs_are_refused_unless_the_caller_says_what_they_are(file, name, blank, end):
    for words in AMBIGUOUS:
        lines = [line.replace(" ", blank) for line in words]
        content = end.join([*lines, ""]).encode()
        named_so = "x.wel" if name == "x.el" and len(words[0].split()) == 3 else name
        path = file(gzip.compress(content) if name.endswith(".gz") else content, named_so)
        with named(repr(content)):
            with pytest.raises(FormatError, match=r"--header.*header=True") as refused:
                read(path)
            assert str(refused.value).startswith(f"{path}, line 1")
            assert read(path, header=False).arcs == len(lines)
            if len(lines) > 1:
                rest = file(end.join([*lines[1:], ""]), f"rest_{named_so.removesuffix('.gz')}")
                assert read(path, header=True).sha256 == read(rest, header=False).sha256
            else:
                with pytest.raises(GraphError, match="empty"):
                    read(path, header=True)


def test_a_first_line_that_cannot_be_counts_is_an_arc(file):
    for text in (
        "4 3\n0 1\n1 2\n",  # an arc too few
        "3 3\n0 1\n1 2\n2 3\n",  # four vertices
        "0 0\n",
        "4 3\n1 5\n5 2\n2 1\n",
        "5 3\n-1 2\n2 3\n2 1\n",  # in CSV alone: no id of an edge list
        "5 4 2\n1 2 7\n2 3 7\n",
        "5 5 3\n1 2 7\n2 3 7\n",
        "2 2 1.0\n0 1 5\n",
    ):
        for path in (file(text.replace(" ", ","), "x.csv"), *([] if "-" in text else [file(text, "x")])):
            with named(f"{path.name}: {text!r}"):
                assert read(path).arcs == text.count("\n")
                assert read(path) == read(path, header=False)


def test_counts_before_arcs_between_names(file):
    path = file("3,2\na,b\nb,c\n", "x.csv")
    with pytest.raises(FormatError, match="header=True"):
        read(path)
    assert read(path, header=True).labels.tolist() == ["a", "b", "c"]
    assert read(path, header=False).labels.tolist() == ["3", "a", "b", "2", "c"]


def test_a_header_that_is_no_counts_is_left_out_too(file):
    assert arcs(read(file("from to\n1 2\n", "x.el"), header=True)) == [(1, 2, 1)]
    assert arcs(read(file("3 2\n1 2 5\n2 3 6\n", "x.wel"), header=True)) == [(1, 2, 5), (2, 3, 6)]
    assert arcs(read(file("3,2\n1,2,5\n2,3,6\n", "x.csv"), header=True)) == [(1, 2, 5), (2, 3, 6)]
    with pytest.raises(UsageError, match="header"):
        read(file("3 1\n0 1 5\n"), header=False)


def test_content_that_admits_one_reading(file):
    for text, form, arc_count in (
        ("0 1\n1 2\n", "el", 2),
        ("0\t1\r\n1\t2\r\n", "el", 2),
        ("# Nodes: 2 Edges: 1\n1 0\n", "snap", 1),  # as the comment says
        ("0 1 5\n1 2 -5\n", "wel", 2),
        ("\n3 1\n0 1 5\n", "edges", 1),
        (TEXT, "edges", 4),
        (GR, "gr", 4),
        ("p sp 1 0\n", "gr", 0),
        (MTX, "mtx", 4),
    ):
        with named(repr(text)):
            graph = read(file(text))
            assert (graph.metadata["format"], graph.arcs) == (form, arc_count)


def test_what_is_empty_or_missing(file):
    for text in ("", "\n\n \n", gzip.compress(b"", mtime=0)):
        with pytest.raises(FormatError, match=r"some\.txt: .*empty"):
            read(file(text))
    for name in ("nowhere.txt", "nowhere.npz", "nowhere.mtx", "nowhere.el"):
        with pytest.raises(FormatError, match=name):
            read(name)


def test_all_formats_give_the_same_graph_but_for_labels(file, tmp_path):
    for compress in (bytes, gzip.compress, lzma.compress, bz2.compress):
        for name, text, first in (("t", TEXT, 0), ("g", GR, 1), ("l", LIST, 0), ("m", MTX, 1)):
            graph = read(file(compress(text.encode()), name))
            found = [(u - first, v - first, w) for u, v, w in arcs(graph)]
            assert found == [(0, 1, 5), (0, 1, -3), (1, 0, 7), (2, 2, 0)]
            assert graph.labels.tolist() == [first, first + 1, first + 2]
            graph.save(tmp_path / "saved")
            assert read(tmp_path / "saved") == graph


def test_a_named_format_overrules_what_the_file_looks_like(file):
    path = file("3 1\n0 1\n", "some.gr")
    assert read(path, "edges").arcs == 1
    assert read(path, "snap", header=False).arcs == 2
    with pytest.raises(UsageError, match="did you mean mtx"):
        read(path, "mtz")


def test_topologies(file):
    edges = read(file(PACE, "some.gr"))
    assert arcs(edges) == [(1, 2, 1), (2, 3, 1), (2, 1, 1), (3, 2, 1), (4, 4, 1)]
    assert edges.metadata["undirected"] and edges.metadata["weights"] == {"kind": "unit"}
    assert edges.describe().startswith("PACE, undirected ")
    colouring = file("p edge 4 3\ne 1 2\ne 2 3\ne 4 4\n", "some.col")
    assert read(colouring) == edges
    for text in ("p sp 4 2\n1 2\n2 3\n", "p sp 4 2\na 1 2\na 2 3\n"):
        assert arcs(read(file(text))) == [(1, 2, 1), (2, 3, 1)]


def test_drawn_weights_are_the_same_both_ways(file):
    ring = "".join(f"{v} {v % 50 + 1}\n" for v in range(1, 51))
    graph = read(file(f"p tw 50 50\n{ring}"), weights="drawn", seed=3, weight_max=1000)
    weights = {(tail, head): weight for tail, head, weight in arcs(graph)}
    assert all(weights[head, tail] == weight for (tail, head), weight in weights.items())
    assert len(set(weights.values())) > 40
    assert graph.metadata["weights"] == {"kind": "random", "seed": 3, "min": 1, "max": 1000}


def test_weights_of_the_file_or_others(file):
    given, none = file(TEXT, "given"), file("0 1\n1 2\n2 0\n", "none")
    assert read(given, weights="given") == read(given)
    assert read(given, weight=None).weights.tolist() == [1] * 4
    assert read(given, weight=None).metadata["weights"] == {"kind": "unit"}
    assert read(given, weights="drawn", seed=2).metadata["weights"]["seed"] == 2
    assert read(none).weights.tolist() == [1] * 3
    with pytest.raises(FormatError, match="weights"):
        read(none, weights="given")
    with pytest.raises(FormatError, match="scale"):
        read(none, scale=10)
    with pytest.raises(UsageError, match="scale"):
        read(given, weights="drawn", scale=10)
    with pytest.raises(UsageError, match="did you mean drawn"):
        read(given, weights="draw")
    with pytest.raises(UsageError, match="drawn"):
        read(given, weight=None, weights="drawn")


def test_weights_that_are_replaced_need_not_be_whole(file):
    for name, text in (
        ("x.gr", "p sp 2 1\na 1 2 2.5\n"),
        ("x.wel", "1 2 2.5\n"),
        ("x.snap", "1 2 2.5 x\n"),
        ("x.txt", "2 1\n0 1 2.5\n"),
        ("x.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 2.5\n"),
    ):
        path = file(text, name)
        with named(name):
            assert read(path, weight=None).weights.tolist() == [1]
            assert read(path, weights="drawn").arcs == 1
            assert read(path, scale=10).weights.tolist() == [25]
            assert read(path).weights.tolist() == [2.5]
            with pytest.raises((FormatError, GraphError), match=r"2\.5.*--scale 10 \("):
                read(path, scale=1)


def test_a_saved_graph_takes_other_weights_but_no_scale(file, tmp_path):
    read(file("2 1\n0 1 2.5\n"), scale=10).save(tmp_path / "x.npz")
    assert read(tmp_path / "x.npz").scale == read(tmp_path / "x.npz", scale=10).scale == 10
    assert read(tmp_path / "x.npz", weights="drawn").scale == 1
    with pytest.raises(UsageError, match="scale 10"):
        read(tmp_path / "x.npz", scale=100)


def test_matrices_in_files(tmp_path):
    matrix = scipy.sparse.coo_array(([2.0, 0.0, 3.0, 4.0], ([0, 1, 2, 0], [1, 2, 0, 1])), shape=(4, 4))
    scipy.io.mmwrite(tmp_path / "m.mtx", matrix)
    for compress in (bytes, gzip.compress, lzma.compress):
        (tmp_path / "c").write_bytes(compress((tmp_path / "m.mtx").read_bytes()))
        assert arcs(read(tmp_path / "c")) == [(1, 2, 2), (1, 2, 4), (2, 3, 0), (3, 1, 3)]
    for dtype in (np.uint8, np.uint32, np.uint64, np.int64, np.float32):
        dense = np.array([[0, 5], [7, 0]], dtype)
        for of in (dense, scipy.sparse.coo_array(dense)):
            scipy.io.mmwrite(tmp_path / "m.mtx", of)
            assert arcs(read(tmp_path / "m.mtx")) == [(1, 2, 5), (2, 1, 7)]


def test_kinds_of_matrices(file):
    counts = TEXT_FORMATS["mtx"].counts
    for header, entries, found in (
        ("coordinate pattern general", "2 2 1\n1 2\n", [(1, 2, 1)]),
        ("coordinate pattern symmetric", "2 2 2\n2 1\n2 2\n", [(1, 2, 1), (2, 1, 1), (2, 2, 1)]),
        ("coordinate integer symmetric", "2 2 1\n2 1 5\n", [(1, 2, 5), (2, 1, 5)]),
        ("array integer symmetric", "2 2\n0\n5\n0\n", [(1, 2, 5), (2, 1, 5)]),
    ):
        with named(header):
            path = file(f"%%MatrixMarket matrix {header}\n{entries}", "m.mtx")
            graph = read(path)
            assert sorted(arcs(graph)) == found
            told = header.startswith("coordinate") and header.endswith("general")
            assert counts(path) == ((2, len(found)) if told else None)
            assert graph.metadata.get("undirected", False) == ("symmetric" in header)
            assert (graph.metadata["weights"]["kind"] == "unit") == ("pattern" in header)


def test_a_matrix_may_end_without_a_line_feed(file):
    banner = "%%MatrixMarket matrix coordinate integer general\n"
    for entries in ("3 3 1\r\n1 2 616", "3 3 2\n2 1 4\n1 2 616"):
        for end in ("\r", "  ", "\t", "", " \r\n", "\n \t", "\r\n\r"):
            with named(repr(entries + end)):
                assert 616 in read(file(banner + entries + end, "m.mtx")).weights


def test_banners_that_other_programs_write(file):
    rest = "general\n% x\n2 2 1\n1 2 5\n"
    for field in ("real", "integer", "unsigned-integer", "Unsigned-Integer"):
        for start in ("", "  ", "\v", "\ufeff"):
            for percent in ("%", "%%"):
                for name in ("m.mtx", "m"):
                    path = file(f"{start}{percent}MatrixMarket matrix coordinate {field} {rest}", name)
                    with named(f"{name}, {start!r}, {percent}, {field}"):
                        assert arcs(read(path)) == [(1, 2, 5)]
                        assert TEXT_FORMATS["mtx"].counts(path) == (2, 1)
    for banner in ("%%%MatrixMarket matrix coordinate real", "MatrixMarket matrix coordinate real"):
        with named(banner), pytest.raises(FormatError, match="MatrixMarket"):
            read(file(f"{banner} {rest}", "m.mtx"))


def test_matrices_that_are_refused(file):
    for header, entries, says in (
        ("coordinate real general", "2 3 1\n1 2 1.0\n", "2 x 3"),
        ("coordinate integer general", "2 2 1\n1 2 0.25\n", r"line 3: weight 0\.25 .* --scale 100 "),
        ("coordinate complex general", "2 2 1\n1 2 1 1\n", "complex"),
        ("coordinate real general", "2 2 2\n1 2 1.0\n", "announces 2 "),
        ("coordinate real general", "2 2 1\n1 3 1.0\n", "line 3: head 3"),
        ("array real general", "0 0\n", "empty"),
        ("coordinate real general", "9999999999 9999999999 0\n", "9999999999"),
        ("coordinate real odd", "2 2 1\n1 2 1.0\n", "MatrixMarket"),
    ):
        path = file(f"%%MatrixMarket matrix {header}\n{entries}", "m.mtx")
        with named(f"{header}: {entries!r}"), pytest.raises((FormatError, GraphError), match=says):
            read(path)


def test_names_that_are_lists_and_doubled_columns_are_one_sentence(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    lists = pd.DataFrame({"source": [[0, 1], [1, 1]], "target": [[1, 1], [2, 1]], "weight": [1, 2]})
    with pytest.raises(GraphError):
        warpath.as_graph(lists)
    lists.to_parquet(tmp_path / "lists.parquet")
    doubled = pyarrow.Table.from_arrays([pyarrow.array([0, 1])] * 4, names=["source", "source", "target", "weight"])
    parquet.write_table(doubled, tmp_path / "doubled.parquet")
    for name in ("lists", "doubled"):
        with pytest.raises(WarpathError):
            warpath.read(tmp_path / f"{name}.parquet")


def test_what_is_no_path_or_no_graph_is_one_sentence(tmp_path):
    for path in (b"graph.gr", 3, None):
        with pytest.raises(UsageError):
            warpath.read(path)
    with pytest.raises(UsageError):
        warpath.write(pd.DataFrame({"source": [0], "target": [1]}), tmp_path / "graph.npz")


def test_what_holds_a_graph_but_is_not_read_is_named(file, tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("roads.gr", GR)
    np.save(tmp_path / "x.npy", np.ones((2, 2)))
    for path, word in [
        (tmp_path / "x.zip", "roads.gr"),
        (tmp_path / "x.npy", "numpy.load"),
        (file(b"\x28\xb5\x2f\xfd\x04\x58\x19\0\0p sp", "x.gr"), "zstd"),
    ]:
        with pytest.raises(FormatError, match=word) as refused:
            read(path)
        assert str(refused.value).startswith(str(path)) and "\\x" not in str(refused.value)


def test_names_in_an_edge_list_need_csv(file):
    for text in ("a b 5\n", "c d 5\nd p 2\n", "p q\nq r\n", "alice bob\n", "1 2 5\n3 x 5\n"):
        for name in ("x", "x.txt", "x.snap", *(["x.wel"] if "5" in text else [])):
            with named(f"{name}: {text!r}"):
                with pytest.raises(FormatError, match="csv") as refused:
                    read(file(text, name))
                assert "DIMACS" not in str(refused.value)
                labels = read(file(text, name), "csv", header=False).labels.tolist()
                assert set(text.split()) - {"5", "2"} <= set(map(str, labels))


# Writing: what is read back, what is left out or refused, the bytes.


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
