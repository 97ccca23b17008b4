"""Edge lists in CSV and Parquet, and matrices of SciPy, in files: the same graph as the data frame or the matrix."""

import gzip
import lzma
import random
import shutil

import graph_files
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from fuzz.mutations import damaged
from hypothesis import assume, given
from hypothesis import strategies as st
from tiny_graphs import named

import warpath
from warpath.errors import FormatError, GraphError, UsageError, WarpathError

LETTERS = st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters='#,;|"')
LABELS = st.text(LETTERS, min_size=1, max_size=4) | st.sampled_from(["NA", "null", "a b", "x,y", '"', "True"])
FLOATS = st.floats(-1e300, 1e300).map(lambda number: number + 0.0)


@st.composite
def frames(draw):
    """An edge list with numbers or texts as vertices, and without weights, with integers or with floats."""
    ends = draw(st.sampled_from([st.integers(-(2**63), 2**63 - 1), st.integers(0, 5), LABELS]))
    rows = draw(st.integers(1, 6))
    columns = {name: draw(st.lists(ends, min_size=rows, max_size=rows)) for name in ("source", "target")}
    weights = draw(st.sampled_from([None, st.integers(-(2**31) + 2, 2**31 - 2), FLOATS]))
    if weights is not None:
        columns["weight"] = draw(st.lists(weights, min_size=rows, max_size=rows))
    return pd.DataFrame(columns)


def arcs(graph):
    """The arcs as sorted (label, label, weight)."""
    return sorted(graph_files.arcs(graph), key=repr)


def same(read, frame):
    """Whether the graph of a file is that of ``frame``, whose texts may all be numbers to a reader."""
    made = warpath.as_graph(frame)
    if read.names.numbers and not made.names.numbers:
        return read.arcs == made.arcs
    return arcs(read) == arcs(made)


@given(
    frame=frames(),
    separator=st.sampled_from(",;\t|"),
    header=st.booleans(),
    compress=st.sampled_from([bytes, gzip.compress, lzma.compress]),
)
def test_csv_is_read_as_pandas_writes_it(tmp_path_factory, frame, separator, header, compress):
    # Nobody can tell what separates the columns of the one line 0;x,y.
    assume(header or separator == "," or "x,y" not in frame[["source", "target"]].to_numpy())
    path = tmp_path_factory.mktemp("csv") / "x.csv"
    path.write_bytes(compress(frame.to_csv(index=False, sep=separator, header=header).encode()))
    read = warpath.read(path, header=header)
    assert same(read, frame)
    both = warpath.read(path, header=header, directed=False)
    loops = int((read.tails() == read.indices).sum())
    assert both.arcs == 2 * read.arcs - loops


@given(frame=frames())
def test_parquet_is_read_as_pandas_writes_it(tmp_path_factory, frame):
    path = tmp_path_factory.mktemp("parquet") / "x.parquet"
    frame.rename(columns={"weight": "km"}).to_parquet(path)
    read = warpath.read(path, weight="km" if "weight" in frame else None)
    assert read == warpath.as_graph(frame, weight="weight" if "weight" in frame else None)
    assert read.weight_name == ("km" if "weight" in frame else None)


def test_floats_are_the_nearest_whatever_the_point(tmp_path):
    numbers = np.random.default_rng().random(2000) * 10.0 ** np.random.default_rng().integers(-30, 30, 2000)
    for separator, point in ((",", "."), (";", "."), (";", ",")):
        lines = (f"a{separator}b{separator}{number!r}".replace(".", point) for number in numbers.tolist())
        (tmp_path / "x.csv").write_text("\n".join(lines))
        assert warpath.read(tmp_path / "x.csv").weights.tolist() == numbers.tolist()


TABLES = [
    ("source,target,weight\n1,2,3\n", [(1, 2, 3)]),
    ("weight,target,source\n3,2,1\n", [(1, 2, 3)]),
    ("1,2,3\n2,3,4.0\n", [(1, 2, 3), (2, 3, 4)]),
    ("1,2\n2,3\n", [(1, 2, 1), (2, 3, 1)]),
    ("source,target\na,b\n", [("a", "b", 1)]),
    ("\ufeffsource,target\r\na,b\r\n\r\n", [("a", "b", 1)]),
    ("# roads\n#\n\n a , b ,3\n", [("a", "b", 3)]),
    ("\ufeff\n# a comment\n\nsource,target,weight\n1,2,7\n", [(1, 2, 7)]),
    ("\ufeff1 2 7\n", [(1, 2, 7)]),
    ("a,b,3,x\nb,a,4,y\n", [("a", "b", 3), ("b", "a", 4)]),
    ("a b 3\nb  c 4\n", [("a", "b", 3), ("b", "c", 4)]),
    ("a\tx, y\t3\n", [("a", "x, y", 3)]),
    ("1,A,5\nA,1,6\n", [("1", "A", 5), ("A", "1", 6)]),
    (",source,target,weight\n0,a,b,0.5\n", [("a", "b", 0.5)]),
    ("source;target;weight\na;b;0,5\n", [("a", "b", 0.5)]),
    ("source,target,weight\na,b,0\na,b,0\na,a,7\n", [("a", "a", 7), ("a", "b", 0), ("a", "b", 0)]),
    ("007,1,5\n7,2,1\n", [("007", "1", 5), ("7", "2", 1)]),
    ('"01";"501";0,5\n"501";"1";7\n', [("01", "501", 0.5), ("501", "1", 7)]),
    ("source,target,weight\n1,2,3\n2, 00 ,4\n", [("1", "2", 3), ("2", "00", 4)]),
    ("+1,2,3\n1,2,4\n", [("+1", "2", 3), ("1", "2", 4)]),
    ("-0,2,-0.5\n0,2,4\n", [("-0", "2", -0.5), ("0", "2", 4)]),
    ("0,-2,005\n-2,10,+4\n", [(-2, 10, 4), (0, -2, 5)]),
    ("sep=;\nsource;target;weight\na;b;0,5\n", [("a", "b", 0.5)]),
    ('\ufeff"sep=,"\r\n1,2,3\r\n', [(1, 2, 3)]),
    ("Source,Target,Type,Id,Label,Weight\n1,2,Directed,0,,1.5\n", [(1, 2, 1.5)]),
    ("source,Source,Target,weight\na,x,b,2\n", [("a", "b", 2)]),
]


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.CSV", "x.txt", "x"])
def test_what_a_table_may_look_like(tmp_path, name):
    for text, found in TABLES:
        # The words of a line with blanks may be those of another format.
        path = tmp_path / ("x.csv" if {" ", "\t"} & set(text) and name in ("x", "x.txt") else name)
        path.write_bytes(text.encode())
        with named(repr(text)):
            assert arcs(warpath.read(path)) == found


def test_tables_that_are_refused(tmp_path):
    path = tmp_path / "x.csv"
    for text, says in (
        ("", "empty"),
        ("source,target,weight\n", "vertices"),
        ("a,b\nb,c\n", "'a,b' .*--header .*header=True"),
        ("from,to,km\n1,2,3\n", "--tail from --head to --weight km .*tail='from', head="),
        ("source,target,weight\n1,2,3\n\n2,,4\n", "arc 2 "),
        ("source,target,weight\n1,2,3\n2,3,far\n", "from 2 to 3 is 'far'"),
        ("source,target,weight\n1,2,3\n2,3,1,234\n", "line 3"),
        ("source,target,weight,weight\n1,2,3,4\n", "'weight'"),
        ('source,target,weight\n"1,2,3\n', "string"),
        ("source,target,weight\n1,2,3000000000\n", "2147483646"),
        (b"Troms\xf8,Voss,3\n", "UTF-8"),
        ("a,b,3\nb\0,c,4\n", "line 2.* NUL"),
        ("a,b,3\nb,c,4\rc,d,5\n", "line 2.*return"),
        ("SOURCE,Target,weight,Source\na,b,2,x\n", "'source'"),
        (gzip.compress(b"1,2,3\n", mtime=0)[:-9], "short"),
        # What ends a line in Unicode alone ends none.
        *((text, "csv") for text in ("\x1c", "\x85\n", "\u2028\n", "\x1ca,b\n1,2\n")),
    ):
        with named(repr(text)):
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
            with pytest.raises((FormatError, GraphError), match=says) as refused:
                warpath.read(path)
            said = str(refused.value)
            assert said.startswith((f"{path}: ", f"{path}, line ")) and "\n" not in said


def test_a_table_takes_the_options_of_other_files(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("u,v,km\n1,2,2.5\n2,1,3\n")
    ends = {"tail": "u", "head": "v"}
    assert warpath.read(path, **ends, weight="km", scale=2).weights.tolist() == [5, 6]
    assert warpath.read(path, **ends, weight=None).weight_name is None
    warpath.read(path, **ends, weight="km").save(tmp_path / "x.npz")
    assert warpath.read(tmp_path / "x.npz", weight="km").weight_name == "km"
    assert warpath.read(path, **ends, weights="drawn", seed=3).metadata["weights"]["seed"] == 3


def test_names_of_columns_are_for_tables(tmp_path):
    (tmp_path / "x.gr").write_text("p sp 2 1\na 1 2 5\n")
    warpath.from_arcs(2, [0], [1], [5]).save(tmp_path / "x.npz")
    for option in ({"weight": "km"}, {"tail": "u"}, {"head": "v"}, {"header": True}):
        for name in ("x.gr", "x.npz"):
            with named(f"{name}, {option}"), pytest.raises(UsageError, match=next(iter(option))):
                warpath.read(tmp_path / name, **option)


def test_the_memory_for_a_table_is_limited(tmp_path, monkeypatch):
    monkeypatch.setenv("WARPATH_READ_LIMIT_GIB", "0.001")
    path = tmp_path / "x.csv.gz"
    path.write_bytes(gzip.compress(b"1,2\n" * 100_000))
    with pytest.raises(FormatError, match="set WARPATH_READ_LIMIT_GIB"):
        warpath.read(path)


MATRIX = scipy.sparse.coo_array(([2.5, 0.0, 3.0, 4.0], ([0, 1, 2, 0], [1, 2, 0, 2])), shape=(4, 4))


def test_matrices_of_scipy(tmp_path):
    for form in ("csr", "csc", "coo", "bsr", "dia"):
        for compressed in (True, False):
            matrix = MATRIX.asformat(form)
            scipy.sparse.save_npz(tmp_path / "m.npz", matrix, compressed)
            shutil.copy(tmp_path / "m.npz", tmp_path / "m")
            for name in ("m.npz", "m"):
                with named(f"{name}, {form}, compressed: {compressed}"):
                    assert arcs(warpath.read(tmp_path / name)) == arcs(warpath.as_graph(matrix))
                    assert arcs(warpath.read(tmp_path / name, scale=2)) == arcs(warpath.as_graph(matrix, 2))
                    assert warpath.read(tmp_path / name, weight=None).weight_name is None


def test_matrices_of_scipy_that_are_refused(tmp_path):
    path = tmp_path / "m.npz"
    for matrix, sentence in [
        (MATRIX.tocsr()[:, :3], "4 x 3"),
        (MATRIX.tocsr() * 1j, "complex128"),
        (scipy.sparse.csr_array(np.array([[0, np.inf], [0, 0]])), "inf"),
    ]:
        scipy.sparse.save_npz(path, matrix)
        with pytest.raises(GraphError, match=sentence) as refused:
            warpath.read(path)
        assert str(refused.value).startswith(str(path))
    for arrays in [
        {"format": b"csr"},
        {"format": b"xyz", "shape": (2, 2), "data": [1.0]},
        {"format": b"csr", "shape": (2, 2), "data": [1.0], "indices": [5], "indptr": [0, 1, 1]},
        {"format": b"coo", "shape": (2**40, 2**40), "data": [1.0], "row": [0], "col": [1]},
        {"format": b"coo", "shape": (2**30, 2**30), "data": [1.0], "row": [0], "col": [1]},
        {"format": b"dia", "shape": (2, 2), "data": [1.0], "offsets": [[0]]},
        {"format": [1, 2]},
    ]:
        np.savez(path, **arrays)
        with pytest.raises(WarpathError) as refused:
            warpath.read(path)
        assert str(refused.value).startswith(str(path)) and "\n" not in str(refused.value)


def test_text_in_parquet_is_utf8(tmp_path):
    frame = pd.DataFrame({"source": ["qqqq", "b"], "target": ["b", "qqqq"]})
    frame.to_parquet(tmp_path / "x.parquet", compression=None)
    damaged = (tmp_path / "x.parquet").read_bytes().replace(b"qqqq", b"\xff\xfe\xff\xfe")
    (tmp_path / "x.parquet").write_bytes(damaged)
    with pytest.raises(FormatError, match=r"x\.parquet"):
        warpath.read(tmp_path / "x.parquet")


def test_damaged_files_give_a_graph_or_a_sentence(tmp_path):
    frame = pd.DataFrame({"source": ["a", "b", "c"], "target": ["b", "c", "a"], "weight": [1.5, 2.0, 7.0]})
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_parquet(tmp_path / "x.parquet")
    scipy.sparse.save_npz(tmp_path / "x.npz", MATRIX.tocsr())
    chosen = random.Random()
    for name in ("x.csv", "x.parquet", "x.npz"):
        content = (tmp_path / name).read_bytes()
        for _ in range(100):
            (tmp_path / f"damaged_{name}").write_bytes(damaged(content, chosen))
            try:
                warpath.read(tmp_path / f"damaged_{name}")
            except WarpathError as refused:
                assert "\n" not in str(refused) and str(tmp_path) in str(refused)
