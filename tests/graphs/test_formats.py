"""Reading a file of any format: what decides the format, what is refused because it may mean two things."""

import bz2
import gzip
import lzma
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse

import warpath
from warpath.errors import FormatError, GraphError, UsageError, WarpathError
from warpath.graphs import csr
from warpath.graphs.files import matrix_market
from warpath.graphs.files.formats import read

TEXT = "3 4\n0 1 5\n2 2 0\n0 1 -3\n1 0 7\n"
GR = "c x\np sp 3 4\na 1 2 5\na 3 3 0\na 1 2 -3\na 2 1 7\n"
LIST = "0 1 5\n2 2 0\n0 1 -3\n1 0 7\n"
MTX = "%%MatrixMarket matrix coordinate integer general\n% x\n3 3 4\n1 2 5\n3 3 0\n1 2 -3\n2 1 7\n"
PACE = "c x\np tw 4 3\n1 2\n2 3\n4 4\n"


@pytest.fixture
def file(tmp_path):
    def write(content, name="some.txt"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def arcs(graph):
    """The arcs as (label, label, weight), in their order."""
    tails, heads = graph.labels[graph.tails()].tolist(), graph.labels[graph.indices].tolist()
    return list(zip(tails, heads, graph.weights.tolist(), strict=True))


@pytest.mark.parametrize("comment", ["", "# streets\n"])
def test_a_header_never_becomes_an_arc(file, comment):
    path = file(f"{comment}3 2\n0 1 2.5\n1 0 1\n")
    line = 3 if comment else 2
    with pytest.raises(FormatError) as refused:
        read(path, scale=1)
    fault = f"line {line}: weight 2.5 is not a whole number; choose --scale 10 (in Python scale=10)"
    assert str(refused.value) == f"{path}, {fault}"
    assert arcs(read(path)) == [(0, 1, 2.5), (1, 0, 1.0)]
    graph = read(path, scale=10)
    assert (graph.vertices, arcs(graph), graph.scale) == (3, [(0, 1, 25), (1, 0, 10)], 10)
    assert graph.metadata == {"format": "edges", "origin": "some.txt", "weights": {"kind": "given", "scale": 10}}


def test_comments_before_a_header(file):
    assert read(file(f"# x\n\n#y\n{TEXT}")) == read(file(TEXT, "other.txt"))


@pytest.mark.parametrize(
    "lines",
    [
        ["4 3", "0 1", "1 2", "2 3"],
        ["5 3", "1 2", "2 3", "4 5"],  # numbered from 1
        ["3 2", "10 20", "20 30"],  # three ids
        ["1 0"],
        ["5 0"],
        ["2 1", "1 1"],
        ["4 4", "2 3", "1 4", "1 4", "2 3"],  # METIS: a line has the neighbours of a vertex
        ["5 5 3", "1 2 7", "2 3 7", "4 5 7"],  # MatrixMarket without its banner
        ["2 2 1", "0 1 2.5"],
    ],
)
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
def test_counts_before_arcs_are_refused_unless_the_caller_says_what_they_are(file, lines, name, blank, end):
    if name == "x.el" and len(lines[0].split()) == 3:
        name = "x.wel"
    lines = [line.replace(" ", blank) for line in lines]
    content = end.join([*lines, ""]).encode()
    path = file(gzip.compress(content) if name.endswith(".gz") else content, name)
    with pytest.raises(FormatError, match=r"--header.*header=True") as refused:
        read(path)
    assert str(refused.value).startswith(f"{path}, line 1")
    assert read(path, header=False).arcs == len(lines)
    if len(lines) > 1:
        assert read(path, header=True) == read(file(end.join([*lines[1:], ""]), name.removesuffix(".gz")), header=False)
    else:
        with pytest.raises(GraphError, match="empty"):
            read(path, header=True)


@pytest.mark.parametrize(
    "text",
    [
        "4 3\n0 1\n1 2\n",  # an arc too few
        "3 3\n0 1\n1 2\n2 3\n",  # four vertices
        "0 0\n",
        "4 3\n1 5\n5 2\n2 1\n",
        "5 3\n-1 2\n2 3\n2 1\n",
        "5 4 2\n1 2 7\n2 3 7\n",
        "5 5 3\n1 2 7\n2 3 7\n",
        "2 2 1.0\n0 1 5\n",
    ],
)
@pytest.mark.parametrize("name", ["x", "x.csv"])
def test_a_first_line_that_cannot_be_counts_is_an_arc(file, text, name):
    if "-" in text and name == "x":
        return  # no id of an edge list
    graph = read(file(text.replace(" ", ",") if name == "x.csv" else text, name))
    assert graph.arcs == text.count("\n")
    assert graph == read(file(text.replace(" ", ",") if name == "x.csv" else text, name), header=False)


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


@pytest.mark.parametrize(
    ("text", "form", "arc_count"),
    [
        ("4 3\n0 1\n1 2\n", "el", 3),  # one arc too few for a header
        ("3 3\n0 1\n1 2\n2 3\n", "el", 4),  # vertex 3 is none of three
        ("0 1\n1 2\n", "el", 2),
        ("0\t1\r\n1\t2\r\n", "el", 2),
        ("3 5\n", "el", 1),
        ("# Nodes: 2 Edges: 1\n1 0\n", "snap", 1),  # as the comment says
        ("0 1 5\n1 2 -5\n", "wel", 2),
        ("\n3 1\n0 1 5\n", "edges", 1),
        (TEXT, "edges", 4),
        (GR, "gr", 4),
        ("p sp 1 0\n", "gr", 0),
        (MTX, "mtx", 4),
    ],
)
def test_content_that_admits_one_reading(file, text, form, arc_count):
    graph = read(file(text))
    assert (graph.metadata["format"], graph.arcs) == (form, arc_count)


@pytest.mark.parametrize(
    ("name", "content", "error", "complaint"),
    [
        ("some.txt", "1 2 3\n3 4\n", FormatError, "line 2: '3 4' where 'TAIL HEAD WEIGHT' was expected"),
        ("some.txt", "1 2\n3 4 5 6\n", FormatError, "line 2: '3 4 5 6' where 'TAIL HEAD' was expected"),
        ("some.txt", "# x\n1 2\n3\n", FormatError, "line 3: '3' where 'TAIL HEAD' was expected"),
        ("some.el", "1 2\n3 4 5\n", FormatError, "line 2: '3 4 5' where 'TAIL HEAD' was expected"),
        ("some.wel", "1 2\n", FormatError, "line 1: '1 2' where 'TAIL HEAD WEIGHT' was expected"),
        ("some.gr", TEXT, FormatError, "line 1: '3 4' where 'p sp VERTICES ARCS' or 'p tw VERTICES EDGES' was"),
        ("some.GR.gz", TEXT, FormatError, "where 'p sp VERTICES ARCS'"),
        ("some.npz", TEXT, FormatError, "not a warpath graph"),
        ("some.mtx", TEXT, FormatError, "not a MatrixMarket file"),
        ("some.txt", "3 4\n0 1 5\n1 2 6\n", FormatError, "line 1 announces 4 arcs, but the file has 2"),
        ("some.txt", "# nothing\n", GraphError, "the graph is empty"),
        ("some.txt", "a 1 2 3\n", FormatError, "where 'p sp VERTICES ARCS'"),
    ],
)
def test_what_does_not_keep_to_its_format(file, name, content, error, complaint):
    path = file(content, name)
    with pytest.raises(error, match=complaint) as refused:
        read(path)
    assert str(refused.value).startswith(str(path))


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n", b"\0" * 5000, "1 2 3 4\n", "hello world\n", "{\n}\n"])
def test_what_is_no_graph(file, content):
    with pytest.raises(FormatError, match=r"line 1: .* does not begin a known format \(gr, snap, el"):
        read(file(content))


@pytest.mark.parametrize("content", ["", "\n\n \n", gzip.compress(b"", mtime=0)])
def test_an_empty_file(file, content):
    with pytest.raises(FormatError, match=r"some\.txt: the file is empty"):
        read(file(content))


@pytest.mark.parametrize("name", ["nowhere.txt", "nowhere.npz", "nowhere.mtx", "nowhere.el"])
def test_missing_file(name):
    with pytest.raises(FormatError, match=rf"{name}: no such file"):
        read(name)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress, bz2.compress])
@pytest.mark.parametrize(("name", "text", "first"), [("t", TEXT, 0), ("g", GR, 1), ("l", LIST, 0), ("m", MTX, 1)])
def test_all_formats_give_the_same_graph_but_for_labels(file, tmp_path, compress, name, text, first):
    graph = read(file(compress(text.encode()), name))
    assert [(u - first, v - first, w) for u, v, w in arcs(graph)] == [(0, 1, 5), (0, 1, -3), (1, 0, 7), (2, 2, 0)]
    assert graph.labels.tolist() == [first, first + 1, first + 2]
    graph.save(tmp_path / "saved")
    assert read(tmp_path / "saved") == graph


def test_a_named_format_overrules_what_the_file_looks_like(file):
    path = file("3 1\n0 1\n", "some.gr")
    assert read(path, "edges").arcs == 1
    assert read(path, "snap", header=False).arcs == 2
    with pytest.raises(UsageError, match="format: unknown name 'mtz'; did you mean mtx"):
        read(path, "mtz")


def test_topologies(file):
    edges = read(file(PACE, "some.gr"))
    assert arcs(edges) == [(1, 2, 1), (2, 3, 1), (2, 1, 1), (3, 2, 1), (4, 4, 1)]
    assert edges.metadata["undirected"] and edges.metadata["weights"] == {"kind": "unit"}
    assert edges.describe() == (
        "PACE, undirected (every edge is two arcs), 4 vertices, 5 arcs, weights all 1 (arcs are counted), "
        "no parallel arcs, 1 loop, labels 1 to 4"
    )
    colouring = file("p edge 4 3\ne 1 2\ne 2 3\ne 4 4\n", "some.col")
    assert read(colouring) == edges
    for text in ("p sp 4 2\n1 2\n2 3\n", "p sp 4 2\na 1 2\na 2 3\n"):
        assert arcs(read(file(text))) == [(1, 2, 1), (2, 3, 1)]
    for text, complaint in [
        ("p tw 4 2\n1 2\n", "line 1 announces 2 edges, but the file has 1"),
        ("p tw 4 1\n1 2 3\n", "line 2: '1 2 3' where 'TAIL HEAD' was expected"),
        ("p tw 4 1\n1 5\n", r"line 2: head 5 is not a vertex; vertices are 1\.\.4"),
        ("p sp 4 2\n1 2\na 2 3 4\n", "line 3: tail 'a' is not an integer"),
    ]:
        with pytest.raises(FormatError, match=complaint):
            read(file(text))


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
    with pytest.raises(FormatError, match="none: the file has no weights; use random weights"):
        read(none, weights="given")
    with pytest.raises(FormatError, match="none: the file has no weights to scale"):
        read(none, scale=10)
    with pytest.raises(UsageError, match="a scale applies to the weights of a file"):
        read(given, weights="drawn", scale=10)
    with pytest.raises(UsageError, match="weights: unknown name 'draw'; did you mean drawn"):
        read(given, weights="draw")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.gr", "p sp 2 1\na 1 2 2.5\n"),
        ("x.wel", "1 2 2.5\n"),
        ("x.snap", "1 2 2.5 x\n"),
        ("x.txt", "2 1\n0 1 2.5\n"),
        ("x.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 2.5\n"),
    ],
)
def test_weights_that_are_replaced_need_not_be_whole(file, name, text):
    path = file(text, name)
    assert read(path, weight=None).weights.tolist() == [1]
    assert read(path, weights="drawn").arcs == 1
    assert read(path, scale=10).weights.tolist() == [25]
    assert read(path).weights.tolist() == [2.5]
    with pytest.raises((FormatError, GraphError), match=r"2\.5,? (which )?is not a whole number; choose --scale 10 \("):
        read(path, scale=1)


def test_a_saved_graph_takes_other_weights_but_no_scale(file, tmp_path):
    read(file("2 1\n0 1 2.5\n"), scale=10).save(tmp_path / "x.npz")
    assert read(tmp_path / "x.npz").scale == read(tmp_path / "x.npz", scale=10).scale == 10
    assert read(tmp_path / "x.npz", weights="drawn").scale == 1
    with pytest.raises(UsageError, match="saved with scale 10; leave out the scale"):
        read(tmp_path / "x.npz", scale=100)


@pytest.mark.parametrize("compress", [bytes, gzip.compress, lzma.compress], ids=["plain", "gzip", "xz"])
def test_matrices_in_files(tmp_path, compress):
    matrix = scipy.sparse.coo_array(([2.0, 0.0, 3.0, 4.0], ([0, 1, 2, 0], [1, 2, 0, 1])), shape=(4, 4))
    scipy.io.mmwrite(tmp_path / "m.mtx", matrix)
    (tmp_path / "c").write_bytes(compress((tmp_path / "m.mtx").read_bytes()))
    assert arcs(read(tmp_path / "c")) == [(1, 2, 2), (1, 2, 4), (2, 3, 0), (3, 1, 3)]
    scipy.io.mmwrite(tmp_path / "d.mtx", np.array([[0, 5], [7, 0]]))
    assert arcs(read(tmp_path / "d.mtx")) == [(1, 2, 5), (2, 1, 7)]


@pytest.mark.parametrize(
    ("header", "entries", "found"),
    [
        ("coordinate pattern general", "2 2 1\n1 2\n", [(1, 2, 1)]),
        ("coordinate pattern symmetric", "2 2 2\n2 1\n2 2\n", [(1, 2, 1), (2, 1, 1), (2, 2, 1)]),
        ("coordinate integer symmetric", "2 2 1\n2 1 5\n", [(1, 2, 5), (2, 1, 5)]),
        ("array integer symmetric", "2 2\n0\n5\n0\n", [(1, 2, 5), (2, 1, 5)]),
    ],
)
def test_kinds_of_matrices(file, header, entries, found):
    path = file(f"%%MatrixMarket matrix {header}\n{entries}", "m.mtx")
    graph = read(path)
    assert sorted(arcs(graph)) == found
    told = header.startswith("coordinate") and header.endswith("general")
    assert matrix_market.counts(path) == ((2, len(found)) if told else None)
    assert graph.metadata.get("undirected", False) == ("symmetric" in header)
    assert (graph.metadata["weights"]["kind"] == "unit") == ("pattern" in header)


@pytest.mark.parametrize("end", ["\r", "  ", "\t", "", " \r\n", "\n \t", "\r\n\r"])
@pytest.mark.parametrize("entries", ["3 3 1\r\n1 2 616", "3 3 2\n2 1 4\n1 2 616"])
def test_a_matrix_may_end_without_a_line_feed(file, entries, end):
    path = file("%%MatrixMarket matrix coordinate integer general\n" + entries + end, "m.mtx")
    assert 616 in read(path).weights


@pytest.mark.parametrize("start", ["", "  ", "\v", "\ufeff"])
@pytest.mark.parametrize("percent", ["%", "%%"])
@pytest.mark.parametrize("field", ["real", "integer", "unsigned-integer", "Unsigned-Integer"])
@pytest.mark.parametrize("name", ["m.mtx", "m"])
def test_banners_that_other_programs_write(file, start, percent, field, name):
    path = file(f"{start}{percent}MatrixMarket matrix coordinate {field} general\n% x\n2 2 1\n1 2 5\n", name)
    assert arcs(read(path)) == [(1, 2, 5)]
    assert matrix_market.counts(path) == (2, 1)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint32, np.uint64, np.int64, np.float32])
def test_matrices_that_scipy_writes(tmp_path, dtype):
    dense = np.array([[0, 5], [7, 0]], dtype)
    for matrix in (dense, scipy.sparse.coo_array(dense)):
        scipy.io.mmwrite(tmp_path / "m.mtx", matrix)
        assert arcs(read(tmp_path / "m.mtx")) == [(1, 2, 5), (2, 1, 7)]


@pytest.mark.parametrize(
    "banner",
    [
        "%%%MatrixMarket matrix coordinate real general",
        "MatrixMarket matrix coordinate real general",
        "%%MatrixMarket matrix coordinate unsigned-real general",
    ],
)
def test_a_banner_that_is_almost_one(file, banner):
    with pytest.raises(FormatError, match="not a MatrixMarket file"):
        read(file(banner + "\n2 2 1\n1 2 5\n", "m.mtx"))


@pytest.mark.parametrize(
    ("header", "entries", "complaint"),
    [
        ("coordinate real general", "2 3 1\n1 2 1.0\n", "m.mtx: the matrix is 2 x 3; it must be square"),
        ("coordinate integer general", "2 2 1\n1 2 0.25\n", r"m.mtx, line 3: weight 0.25 is .* --scale 100 "),
        ("coordinate complex general", "2 2 1\n1 2 1 1\n", "m.mtx: the matrix is general complex coordinate; a weight"),
        ("coordinate real general", "2 2 2\n1 2 1.0\n", "m.mtx: line 2 announces 2 entries, but the file has 1"),
        ("coordinate real general", "2 2 1\n1 3 1.0\n", "m.mtx, line 3: head 3 is not a vertex"),
        ("array real general", "0 0\n", "m.mtx: the graph is empty; it needs at least one vertex"),
        ("coordinate real general", "9999999999 9999999999 0\n", "9999999999 vertices and 0 arcs are more than 32-bit"),
        ("coordinate real odd", "2 2 1\n1 2 1.0\n", "m.mtx: not a MatrixMarket file"),
    ],
)
def test_matrices_that_are_refused(file, header, entries, complaint):
    with pytest.raises((FormatError, GraphError), match=complaint):
        read(file(f"%%MatrixMarket matrix {header}\n{entries}", "m.mtx"))


def test_numpy_text_is_read_as_it_is_written(tmp_path):
    np.savetxt(tmp_path / "x.wel", [[0, 1, 5], [1, 2, 1.5e3]], fmt=["%d", "%d", "%.18e"])
    assert arcs(read(tmp_path / "x.wel")) == [(0, 1, 5), (1, 2, 1500)]


def test_csr_load_stays_the_reader_of_saved_graphs(file, tmp_path):
    graph = read(file(GR))
    graph.save(tmp_path / "x.npz")
    assert csr.load(tmp_path / "x.npz") == read(tmp_path / "x.npz", "npz") == graph


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


@pytest.mark.parametrize("path", [b"graph.gr", 3, None])
def test_what_is_no_path_or_no_graph_is_one_sentence(tmp_path, path):
    with pytest.raises(UsageError):
        warpath.read(path)
    with pytest.raises(UsageError):
        warpath.write(pd.DataFrame({"source": [0], "target": [1]}), tmp_path / "graph.npz")


def test_another_array_file_is_not_to_be_deleted(tmp_path):
    np.savez(tmp_path / "mine.npz", numbers=np.arange(3))
    with pytest.raises(FormatError) as error:
        warpath.read(tmp_path / "mine.npz")
    assert "delete" not in str(error.value)


def test_what_holds_a_graph_but_is_not_read_is_named(file, tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("roads.gr", GR)
    np.save(tmp_path / "x.npy", np.ones((2, 2)))
    for path, word in [
        (tmp_path / "x.zip", "roads.gr"),
        (tmp_path / "x.npy", "numpy.load"),
        (file(b"\x28\xb5\x2f\xfd\x04\x58\x19\0\0p sp", "x.gr.zst"), "zstd"),
        (file(b"\x28\xb5\x2f\xfd\x04\x58\x19\0\0p sp", "x.gr"), "zstd"),
    ]:
        with pytest.raises(FormatError, match=word) as refused:
            read(path)
        assert str(refused.value).startswith(str(path)) and "\\x" not in str(refused.value)


@pytest.mark.parametrize("text", ["a b 5\n", "c d 5\nd p 2\n", "p q\nq r\n", "alice bob\n", "1 2 5\n3 x 5\n"])
@pytest.mark.parametrize("name", ["x", "x.txt", "x.wel", "x.snap"])
def test_names_in_an_edge_list_need_csv(file, text, name):
    if name == "x.wel" and "5" not in text:
        return
    with pytest.raises(FormatError, match="csv") as refused:
        read(file(text, name))
    assert "DIMACS" not in str(refused.value)
    assert set(text.split()) - {"5", "2"} <= set(map(str, read(file(text, name), "csv", header=False).labels.tolist()))
