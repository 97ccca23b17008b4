"""Weights with fractions: decimal numbers in text as floats, and the scale that makes them whole."""

from fractions import Fraction

import numpy as np
import pandas
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st

import warpath
from warpath.errors import FormatError, UsageError
from warpath.graphs import content, weights
from warpath.graphs.csr import WEIGHT_LIMIT
from warpath.graphs.files.formats import read

NUMBERS = st.from_regex(r"-?([0-9]{1,12}\.?[0-9]{0,22}|\.[0-9]{1,12})([eE][+-]?[0-9]{1,2})?", fullmatch=True).filter(
    str.isascii
)


@given(NUMBERS, st.sampled_from([1, 2, 3, 8, 10, 1000, 10**9]))
@example("1.000000000000000000e+00", 1)
@example("0.000000000000000000e+00", 1)
@example("-0.0", 1)
@example("2147483646.0", 1)
@example("2147483647.0", 1)
@example("1e400", 1)
@example("1e-400", 1)
@example("0.1", 10)
@example("0.5", 2)
@example("0.125", 8)
@example("1e-9", 10**9)
@example("21474836460e-1", 1)
def test_a_weight_is_taken_exactly_or_refused(tmp_path_factory, word, scale):
    path = tmp_path_factory.getbasetemp() / "decimal.wel"
    path.write_text(f"0 1 1\n0 1 {word}\n1 0 {word}\n")
    exact = Fraction(word) * scale
    if exact.denominator == 1 and abs(exact) <= WEIGHT_LIMIT:
        assert read(path, scale=scale).weights.tolist() == [scale, int(exact), int(exact)]
    else:
        with pytest.raises(FormatError, match=r"decimal\.wel, line 2: weight \S+ (times|is not a whole|does not fit)"):
            read(path, scale=scale)


@pytest.mark.parametrize(
    ("words", "scale", "sentence"),
    [
        (["2.5"], 1, "2.5 is not a whole number; choose --scale 10 (in Python scale=10)"),
        (["3000000000"], None, "3000000000 does not fit 32 bits (at most 2147483646 in absolute value)"),
        (["-1e400"], None, "-1e400 does not fit a float of 64 bits"),
        (["1e400", "0.5"], None, "1e400 does not fit a float"),
        (["9" * 400, "0.5"], None, f"{'9' * 40}… does not fit"),
        (["1e"], None, "'1e' is not a number"),
        (["inf"], None, "'inf' is not a number"),
        (["2.5", "1", "3.125", "x"], 1, "2.5 is not a whole number; choose --scale 1000 (in Python scale=1000)"),
        (["25e-3"], 1, "25e-3 is not a whole number; choose --scale 1000 (in Python scale=1000)"),
        (["0.25"], 10, "0.25 times the scale 10 is not a whole number; choose --scale 100 (in Python scale=100)"),
        (
            ["1e-10"],
            1,
            "1e-10 is not a whole number; no power of ten makes all weights whole within 32 bits; round them",
        ),
        (
            ["0.001", "3000000"],
            1,
            "0.001 is not a whole number; no power of ten makes all weights whole within 32 bits",
        ),
        (["3e9"], 1, "3e9 does not fit 32 bits (at most 2147483646 in absolute value)"),
        (["3000000"], 1000, "3000000 times the scale 1000 does not fit 32 bits"),
        (["1.2.3"], 1, "'1.2.3' is not a number"),
        (["1e"], 1, "'1e' is not a number"),
        (["."], 1, "'.' is not a number"),
        (["nan"], 1, "'nan' is not a number"),
        (["0x10"], 1, "'0x10' is not a number"),
        (["9" * 60], 1, f"{'9' * 40}… does not fit 32 bits"),
    ],
)
def test_what_is_said_of_a_weight(tmp_path, words, scale, sentence):
    path = tmp_path / "x.wel"
    path.write_text("".join(f"0 1 {word}\n" for word in words))
    with pytest.raises(FormatError) as refused:
        read(path, scale=scale)
    assert str(refused.value).startswith(f"{path}, line 1: weight {sentence}")


@pytest.mark.parametrize(("name", "text"), [("m.wel", "1 2\r2.5\n"), ("m.gr", "p sp 2 1\na 1 2\r2.5\n")])
def test_a_fraction_behind_a_carriage_return(tmp_path, name, text):
    (tmp_path / name).write_bytes(text.encode())
    with pytest.raises(FormatError, match=r", line \d: "):
        read(tmp_path / name)


def test_the_advice_takes_in_the_weights_before(tmp_path):
    path = tmp_path / "x.wel"
    path.write_text("0 1 300000000\n0 1 0.25\n")
    with pytest.raises(FormatError, match=r"line 2: weight 0\.25 is not a whole number; no power of ten"):
        read(path, scale=1)


def lines_of(words):
    """The lines of an edge list with these weights."""
    return "".join(f"0 1 {word}\n" for word in words)


@pytest.mark.parametrize("numba", [False, True])
@given(words=st.lists(st.one_of(NUMBERS, st.floats(allow_nan=False, allow_infinity=False).map(repr)), min_size=1))
@example(words=["0.1", "3000000000", "9007199254740993", "-0"])
@example(words=["1e-400", "4.9e-324", "2.2250738585072011e-308", "1.7976931348623157e308"])
@example(words=["3e9", "7"])
@example(words=["1.0", "-2147483646.0", "-0.0"])
def test_without_a_scale_a_decimal_is_the_nearest_float(tmp_path_factory, words, numba):
    path = tmp_path_factory.getbasetemp() / "floats.wel"
    path.write_text(("# is not regular\n0 1 1\n#\n" if numba else "0 1 1\n") + lines_of(words))
    expected = [1.0, *map(float, words)]
    fit = [number.is_integer() and abs(number) <= WEIGHT_LIMIT for number in expected]
    integers = [True, *(word.lstrip("-").isdigit() for word in words)]
    if not all(fit) and all(map(max, fit, integers)):
        with pytest.raises(FormatError, match=r"floats\.wel, line \d+: weight -?\d+ does not fit 32 bits"):
            read(path)
        return
    weights = read(path).weights
    assert (weights.tolist(), weights.dtype) == (expected, "int32" if all(fit) else "float64")


def test_floats_of_many_pieces_of_a_file(tmp_path, monkeypatch):
    """Whole numbers, integers that fit only among floats, and fractions, each read apart."""
    monkeypatch.setattr(content, "CHUNK_BYTES", 20)
    path = tmp_path / "x.wel"
    words = ["1", "2", "3", "3000000000", "-3000000001", "4", "5", "0.5", "6", "7", "-0.1", "8"]
    path.write_text(lines_of(words))
    assert read(path).weights.tolist() == list(map(float, words))
    path.write_text(lines_of([word for word in words if "." not in word]))
    with pytest.raises(FormatError, match=r"line 4: weight 3000000000 does not fit 32 bits"):
        read(path)
    path.write_text(lines_of([*words, "x"]))
    with pytest.raises(FormatError, match=r"line 13: weight 'x' is not a number"):
        read(path)


@given(st.integers(-WEIGHT_LIMIT, WEIGHT_LIMIT), st.sampled_from([1, 2, 8, 10, 50, 1000, 10**9]))
def test_a_scaled_weight_is_written_exactly(weight, scale):
    text = weights.decimal_text(weight, scale)
    assert Fraction(text) * scale == weight
    assert not text.endswith(".") and ("." not in text or not text.endswith("0"))


def test_a_scale_without_finite_decimals():
    with pytest.raises(UsageError, match=r"weights in 1/3 have no finite decimals; save the graph as \.npz"):
        weights.decimal_text(1, 3)
    assert weights.decimal_text(6, 3) == "2"


LARGE = ["2147483647", "-3000000000", "9007199254740991", "5", "+7", "1e300", f"{10**22}"]


@pytest.mark.parametrize("words", [LARGE, ["2000000000"] * 3, ["0.5", "3000000000"]])
@pytest.mark.parametrize("name", ["x.wel", "x.gr", "x.txt", "x.mtx", "x.csv", "x.parquet", "x.npz", "matrix.npz"])
def test_numbers_of_more_than_32_bits_are_read_as_floats_on_request(tmp_path, words, name):
    path = tmp_path / name
    n, m = len(words) + 1, len(words)
    if name.endswith("npz") or name == "x.parquet":
        words = [word for word in words if abs(float(word)) < 1e15]
        weights = np.array([float(word) for word in words])
        weights = weights if "0.5" in words else weights.astype(np.int64)
        n, m = len(words) + 1, len(words)
    ends = np.arange(m), np.arange(1, m + 1)
    if name == "matrix.npz":
        scipy.sparse.save_npz(path, scipy.sparse.coo_array((weights, ends), shape=(n, n)))
    elif name == "x.npz":
        weights = np.minimum(np.maximum(weights, -5), 2_000_000_000)
        words = list(map(str, weights.tolist()))
        warpath.from_arcs(n, *ends, weights).save(path)
    elif name == "x.parquet":
        pytest.importorskip("pyarrow")
        pandas.DataFrame({"source": ends[0], "target": ends[1], "weight": weights}).to_parquet(path)
    else:
        header, line, first = {
            "x.wel": ("", "{} {} {}", 0),
            "x.gr": (f"p sp {n} {m}\n", "a {} {} {}", 1),
            "x.txt": (f"{n} {m}\n", "{} {} {}", 0),
            "x.mtx": (f"%%MatrixMarket matrix coordinate integer general\n{n} {n} {m}\n", "{} {} {}", 1),
            "x.csv": ("source,target,weight\n", "{},{},{}", 0),
        }[name]
        path.write_text(header + "".join(line.format(i + first, i + 1 + first, w) + "\n" for i, w in enumerate(words)))
    graph = warpath.read(path, dtype="float64")
    assert graph.weights.dtype == np.float64
    assert graph.weights.tolist() == [float(word) for word in words]
    assert warpath.read(path, dtype=np.float64) == graph
    assert warpath.read(path, weight=None, dtype=float).weights.tolist() == [1.0] * m


def test_a_wrong_line_is_told_beside_numbers_of_more_than_32_bits(tmp_path):
    for text, fault in [
        ("0 1 3000000000 x", "line 1"),
        ("0 1 3000000000\n1 2 " + "9" * 400, "line 2: weight 9+… does"),
    ]:
        (tmp_path / "x.wel").write_text(text + "\n")
        with pytest.raises(FormatError, match=fault) as refused:
            warpath.read(tmp_path / "x.wel", dtype="float64")
        assert "32 bits" not in str(refused.value)


@pytest.mark.parametrize("option", [{"dtype": "int32"}, {"dtype": "float32"}, {"dtype": 3}, {"scale": 10}])
def test_other_types_are_refused(tmp_path, option):
    (tmp_path / "x.wel").write_text("0 1 5\n")
    with pytest.raises(UsageError, match="float64"):
        warpath.read(tmp_path / "x.wel", **{"dtype": "float64", **option})


def test_a_saved_graph_with_a_scale_becomes_floats_of_its_unit(tmp_path):
    warpath.as_graph([[0, 2.5], [0, 0]], scale=10).save(tmp_path / "x.npz")
    graph = warpath.read(tmp_path / "x.npz", dtype="float64")
    assert (graph.weights.tolist(), graph.scale) == ([2.5], 1)
