"""Weights: drawn by a seed, the same on every machine, and taken from decimal numbers in text."""

from fractions import Fraction

import numpy as np
import pandas
import pytest
import scipy.sparse
from hypothesis import example, given
from hypothesis import strategies as st
from tiny_graphs import named

import warpath
from warpath.errors import FormatError, UsageError
from warpath.graphs import content
from warpath.graphs.csr import WEIGHT_LIMIT, from_arcs
from warpath.graphs.files.formats import read
from warpath.graphs.weights import decimal_text, with_random_weights
from warpath_study.datasets.weight_rules import LENGTHS, WeightRule, road_lengths, with_drawn, with_road_lengths

pytestmark = pytest.mark.usefixtures("both_ways")


def cycle(vertices, metadata=None):
    tails = np.arange(vertices)
    return from_arcs(vertices, tails, (tails + 1) % vertices, np.full(vertices, 7), metadata)


def test_the_weights_of_a_seed_are_fixed_for_ever():
    """A change here changes every published result on a graph with random weights."""
    assert with_random_weights(cycle(8), seed=1).weights.tolist() == [97, 43, 18, 79, 55, 10, 64, 38]
    assert with_random_weights(cycle(4), 2**80, -WEIGHT_LIMIT, WEIGHT_LIMIT).weights.tolist() == [
        1234731563,
        31960663,
        200393353,
        1986230522,
    ]


def test_only_weights_and_what_is_said_of_them_change():
    graph = cycle(1000, {"title": "cycle", "weights": {"kind": "given"}})
    other = with_random_weights(graph, seed=5, weight_min=1, weight_max=100)
    assert other.indices is graph.indices
    assert other.weights.dtype == np.int32
    assert other.metadata == {"title": "cycle", "weights": {"kind": "random", "seed": 5, "min": 1, "max": 100}}
    assert graph.metadata["weights"] == {"kind": "given"}
    assert graph.weights.tolist() == [7] * 1000


def test_ranges_of_weights():
    assert with_random_weights(cycle(3), 1, 0, 0).weights.tolist() == [0, 0, 0]
    empty = from_arcs(2, *(np.zeros(0, np.int64),) * 3)
    assert with_random_weights(empty, 1).weights.shape == (0,)
    for low, high in ((5, 4), (0, 2**31 - 1), (-(2**31), 0), (1.5, 4), (np.int8(-100), np.int8(100))):
        with pytest.raises(UsageError):
            with_random_weights(cycle(3), 1, low, high)


def test_lengths_of_a_seed_are_fixed_for_ever():
    assert with_road_lengths(cycle(8), seed=1).weights.tolist() == [3591, 861, 569, 1757, 1048, 410, 1257, 804]


def test_lengths_are_distributed_like_those_of_new_york():
    """Mean, deviation and quantiles of the 733,846 arcs of USA-road-d.NY.gr."""
    lengths = with_road_lengths(cycle(500_000), seed=2).weights
    assert lengths.mean() == pytest.approx(1293.3, rel=0.02)
    assert lengths.std() == pytest.approx(1130.1, rel=0.05)
    quantiles = np.quantile(lengths, [0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999])
    assert quantiles == pytest.approx([418, 687, 951, 1615, 2432, 5462, 11790], rel=0.05)
    assert (lengths.min(), LENGTHS[0], LENGTHS[-1]) == (1, 1, 36_946)


def test_the_shortest_and_the_longest_length():
    assert road_lengths(np.array([0, 2**64 - 1], np.uint64)).tolist() == [1, 36_945]


def test_an_edge_has_one_length_both_ways():
    tails, heads = np.array([0, 1, 1, 2, 0, 2]), np.array([1, 0, 2, 1, 2, 0])
    graph = from_arcs(3, tails, heads, np.ones(6, np.int32), {"undirected": True})
    drawn = with_road_lengths(graph, seed=1)
    length = dict(zip(zip(drawn.tails().tolist(), drawn.indices.tolist(), strict=True), drawn.weights, strict=True))
    assert all(length[tail, head] == length[head, tail] for tail, head in length)
    assert len(set(length.values())) == 3
    assert drawn.metadata["weights"] == {"kind": "random", "seed": 1, "min": 1, "max": 36_946, "like": "road_lengths"}
    assert "weights drawn like road lengths (from 1 to 36,946 by seed 1)" in drawn.describe()


def test_a_rule_of_the_catalog():
    like, between = with_drawn(cycle(9), WeightRule(4, like="road_lengths")), WeightRule(4, 2, 7)
    assert like.sha256 == with_road_lengths(cycle(9), 4).sha256
    assert with_drawn(cycle(9), between).sha256 == with_random_weights(cycle(9), 4, 2, 7).sha256


# Decimal numbers in text, as floats and with the scale that makes them whole.


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
        with pytest.raises(FormatError, match=r"decimal\.wel, line 2: weight "):
            read(path, scale=scale)


def test_what_is_said_of_a_weight(tmp_path):
    path = tmp_path / "x.wel"
    for words, scale, says in (
        (["3000000000"], None, "3000000000 .* 32 bits"),
        (["1e400", "0.5"], None, "1e400 .* 64 bits"),
        (["9" * 400, "0.5"], None, f"{'9' * 40}… "),
        (["2.5", "1", "3.125", "x"], 1, "2.5 .* --scale 1000 "),
        (["1e-10"], 1, "1e-10 .* power of ten"),
        (["0." + "9" * 30], 1000, "0.9{30} .* power of ten"),  # though its float is 1
        (["3000000"], 1000, "3000000 times the scale 1000 .* 32 bits"),
        *(([word], scale, f"'{word}'") for word in ("1.2.3", "1e", ".", "nan", "0x10") for scale in (None, 1)),
        (["9" * 60], 1, f"{'9' * 40}… .* 32 bits"),
    ):
        with named(f"{words}, scale {scale}"):
            path.write_text(lines_of(words))
            with pytest.raises(FormatError, match=f"line 1: weight {says}") as refused:
                read(path, scale=scale)
            assert str(refused.value).startswith(str(path))
    for name, text in (("m.wel", "1 2\r2.5\n"), ("m.gr", "p sp 2 1\na 1 2\r2.5\n")):
        (tmp_path / name).write_bytes(text.encode())
        with pytest.raises(FormatError, match=r", line \d: "):
            read(tmp_path / name)


def lines_of(words):
    """The lines of an edge list with these weights."""
    return "".join(f"0 1 {word}\n" for word in words)


@given(
    words=st.lists(st.one_of(NUMBERS, st.floats(allow_nan=False, allow_infinity=False).map(repr)), min_size=1),
    comments=st.booleans(),
)
@example(words=["0.1", "3000000000", "9007199254740993", "-0"], comments=True)
@example(words=["1e-400", "4.9e-324", "2.2250738585072011e-308", "1.7976931348623157e308"], comments=False)
@example(words=["3e9", "7"], comments=False)
@example(words=["1.0", "-2147483646.0", "-0.0"], comments=True)
def test_without_a_scale_a_decimal_is_the_nearest_float(tmp_path_factory, words, comments):
    path = tmp_path_factory.getbasetemp() / "floats.wel"
    path.write_text(("# is not regular\n0 1 1\n#\n" if comments else "0 1 1\n") + lines_of(words))
    expected = [1.0, *map(float, words)]
    fit = [number.is_integer() and abs(number) <= WEIGHT_LIMIT for number in expected]
    integers = [True, *(word.lstrip("-").isdigit() for word in words)]
    if not all(fit) and all(map(max, fit, integers)):
        with pytest.raises(FormatError, match=r"floats\.wel, line \d+: weight -?\d+"):
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
    with pytest.raises(FormatError, match="line 4: weight 3000000000"):
        read(path)
    path.write_text(lines_of([*words, "x"]))
    with pytest.raises(FormatError, match="line 13: weight 'x'"):
        read(path)


@given(st.integers(-WEIGHT_LIMIT, WEIGHT_LIMIT), st.sampled_from([1, 2, 8, 10, 50, 1000, 10**9]))
def test_a_scaled_weight_is_written_exactly(weight, scale):
    text = decimal_text(weight, scale)
    assert Fraction(text) * scale == weight
    assert not text.endswith(".") and ("." not in text or not text.endswith("0"))


LARGE = ["2147483647", "-3000000000", "9007199254740991", "5", "+7", "1e300", f"{10**22}"]


TEXTS = {
    "x.wel": ("", "{} {} {}", 0),
    "x.gr": ("p sp {n} {m}\n", "a {} {} {}", 1),
    "x.txt": ("{n} {m}\n", "{} {} {}", 0),
    "x.mtx": ("%%MatrixMarket matrix coordinate integer general\n{n} {n} {m}\n", "{} {} {}", 1),
    "x.csv": ("source,target,weight\n", "{},{},{}", 0),
}


@pytest.mark.parametrize("words", [LARGE, ["2000000000"] * 3, ["0.5", "3000000000"]])
def test_numbers_of_more_than_32_bits_are_read_as_floats_on_request(tmp_path, words):
    expected, m = [float(word) for word in words], len(words)
    for name, (header, line, first) in TEXTS.items():
        rows = "".join(line.format(i + first, i + 1 + first, word) + "\n" for i, word in enumerate(words))
        (tmp_path / name).write_text(header.format(n=m + 1, m=m) + rows)
    ends = np.arange(m), np.arange(1, m + 1)
    frame = {"source": ends[0], "target": ends[1], "weight": expected}
    pandas.DataFrame(frame).to_parquet(tmp_path / "x.parquet")
    scipy.sparse.save_npz(tmp_path / "x.npz", scipy.sparse.coo_array((expected, ends), shape=(m + 1, m + 1)))
    for name in (*TEXTS, "x.parquet", "x.npz"):
        with named(name):
            graph = warpath.read(tmp_path / name, dtype="float64")
            assert (graph.weights.dtype, graph.weights.tolist()) == (np.float64, expected)
            assert warpath.read(tmp_path / name, dtype=np.float64) == graph
            assert warpath.read(tmp_path / name, weight=None, dtype=float).weights.tolist() == [1.0] * m


def test_other_types_are_refused(tmp_path):
    (tmp_path / "x.wel").write_text("0 1 5\n")
    for option in ({"dtype": "int32"}, {"dtype": "float32"}, {"dtype": 3}, {"scale": 10}):
        with pytest.raises(UsageError, match="float64"):
            warpath.read(tmp_path / "x.wel", **{"dtype": "float64", **option})


def test_a_saved_graph_with_a_scale_becomes_floats_of_its_unit(tmp_path):
    warpath.as_graph([[0, 2.5], [0, 0]], scale=10).save(tmp_path / "x.npz")
    graph = warpath.read(tmp_path / "x.npz", dtype="float64")
    assert (graph.weights.tolist(), graph.scale) == ([2.5], 1)
