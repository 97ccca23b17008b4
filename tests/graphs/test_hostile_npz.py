"""Files of arrays, .npz and .npy, with damage or bad intent: a sentence, or the graph that was saved."""

import io
import json
import zipfile

import numpy as np
import pytest

from warpath.errors import FormatError, GraphError
from warpath.graphs.content import LIMIT_VARIABLE
from warpath.graphs.csr import Graph, from_arcs, load
from warpath_study.matrix_product.matrices import load as load_matrices
from warpath_study.matrix_product.matrices import load_matrix, random_matrices

INT32 = np.int32
ARRAYS = {
    "indptr": np.array([0, 1, 2], INT32),
    "indices": np.array([1, 0], INT32),
    "weights": np.array([4, 5], INT32),
    "labels": np.array(7),
}


def text(value):
    return np.frombuffer((value if isinstance(value, str) else json.dumps(value)).encode(), np.uint8)


def npy(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.fixture
def saved(tmp_path):
    def save(about=None, **arrays):
        np.savez(tmp_path / "x.npz", **{**ARRAYS, "about": text({} if about is None else about), **arrays})
        return tmp_path / "x.npz"

    return save


def damaged(whole, times, seed):
    """Copies with one bit flipped, and copies that are cut short."""
    numbers = np.random.default_rng(seed)
    for place in numbers.integers(0, 8 * len(whole), times):
        copy = bytearray(whole)
        copy[place // 8] ^= 1 << int(place % 8)
        yield bytes(copy)
    for length in numbers.integers(0, len(whole), times // 10):
        yield whole[:length]


@pytest.mark.filterwarnings("error")
def test_a_damaged_graph_is_refused_or_the_same(tmp_path):
    path = tmp_path / "x.npz"
    for labels in (None, [5, 9, 7], ["a", "b", "ü"]):
        graph = from_arcs(3, [0, 1, 2], [1, 2, 0], [4, 5, 6], {"origin": "x", "weights": {"kind": "given"}}, labels)
        graph.save(path)
        refused = 0
        for content in damaged(path.read_bytes(), 400, seed=3):
            path.write_bytes(content)
            try:
                assert load(path) == graph
            except FormatError as error:
                assert str(error).startswith(str(path))
                assert "\n" not in str(error)
                refused += 1
        assert refused > 130


@pytest.mark.filterwarnings("error")
def test_a_damaged_pair_of_matrices_is_refused_or_the_same(tmp_path):
    pair, path = random_matrices(3), tmp_path / "x.npz"
    pair.save(path)
    for content in damaged(path.read_bytes(), 500, seed=4):
        path.write_bytes(content)
        try:
            assert load_matrices(path).sha256 == pair.sha256
        except FormatError as error:
            assert str(error).startswith(str(path))


def test_a_damaged_matrix_is_refused_or_a_matrix(tmp_path):
    path = tmp_path / "x.npy"
    whole = npy(np.arange(9.0).reshape(3, 3))
    for content in damaged(whole[:192], 500, seed=5):
        path.write_bytes(content + whole[192:])
        try:
            assert load_matrix(path).shape == (3, 3)
        except FormatError as error:
            assert str(error).startswith(str(path))


@pytest.mark.parametrize(
    ("about", "complaint"),
    [
        ("[]", "'about' is a JSON list; it must be a mapping"),
        ("null", "'about' is a JSON NoneType"),
        ("{", "'about' is not JSON"),
        ("", "'about' is not JSON"),
        ('{"a": ' + "9" * 5000 + "}", "'about' is not JSON: Exceeds the limit"),
        ("[" * 100_000, "'about' is not JSON: RecursionError"),
        ('{"origin": "\\ud800"}', "'about' is not JSON: 'utf-8' codec can't encode"),
        ({"format": []}, "format"),
        ({"weights": 3}, "weights"),
        ({"weights": {"kind": []}}, r"weights\.kind"),
        ({"weights": {"kind": "random"}}, "`seed`"),
        ({"weights": {"scale": 0}}, r"weights\.scale"),
        ({"weights": {"scale": "10"}}, r"weights\.scale"),
        ({"weights": {"scale": True}}, r"weights\.scale"),
    ],
)
def test_what_is_said_about_a_graph_is_checked(saved, about, complaint):
    with pytest.raises(FormatError, match=f"not a warpath graph .*{complaint}"):
        load(saved(about))
    if isinstance(about, dict):
        with pytest.raises(GraphError, match=complaint):
            Graph(ARRAYS["indptr"], ARRAYS["indices"], ARRAYS["weights"], about)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([1, 2, 3]),
        np.array([1, 1]),
        np.array([1.0, 2.0]),
        np.array(1.5),
        np.array(True),
        np.array([[1, 2]]),
        np.array(["a", "\ud800"]),
        np.array([b"a", b"b"]),
        np.array(["2020-01-01", "2020-01-02"], "M8[D]"),
        np.array(2**63 - 1),
        np.array(2**64 - 1, np.uint64),
        np.array([1, "a"], object),
    ],
)
def test_labels_that_are_none(saved, labels):
    assert load(saved()).vertices == 2
    path = saved(labels=labels)
    with pytest.raises(FormatError) as refusal:
        load(path)
    assert str(refusal.value).startswith(str(path))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "array", [np.array(3, INT32), np.array([0, 1, 2], ">i4"), np.array([[0, 1, 2]], INT32), np.array([None])]
)
@pytest.mark.parametrize("name", ["indptr", "indices", "weights"])
def test_arrays_of_another_kind(saved, name, array):
    with pytest.raises(FormatError, match="not a warpath graph"):
        load(saved(**{name: array}))


def test_what_an_archive_announces_takes_no_memory(saved, tmp_path, monkeypatch):
    header = npy(np.zeros(0, INT32)).replace(b"(0,)", b"(9000000000000,)")[:128]
    assert header.count(b"9000000000000") == 1
    small, bomb = tmp_path / "small.npz", tmp_path / "bomb.npz"
    for path, content, compression in [
        (small, header, zipfile.ZIP_STORED),
        (bomb, npy(np.zeros(10**7, INT32)), zipfile.ZIP_DEFLATED),
    ]:
        with zipfile.ZipFile(path, "w", compression) as archive:
            for name, array in {**ARRAYS, "about": text({})}.items():
                archive.writestr(f"{name}.npy", content if name == "weights" else npy(array))
    with pytest.raises(FormatError, match=r"not a warpath graph .an array that is not as long as its header says"):
        load(small)
    monkeypatch.setenv(LIMIT_VARIABLE, "0.01")
    with pytest.raises(FormatError, match=r"its uncompressed content would take 0.0 GiB of memory"):
        load(bomb)
    np.save(tmp_path / "x.npy", np.eye(2))
    whole = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(whole.replace(b"(2, 2)", b"(99999, 99999)".ljust(6))[: len(whole)])
    with pytest.raises(FormatError, match=r"not a whole .npy file"):
        load_matrix(tmp_path / "x.npy")


def test_a_folder_in_place_of_a_graph(tmp_path):
    for read in (load, load_matrices, load_matrix):
        with pytest.raises(FormatError, match=r"cannot be read \(Is a directory\)"):
            read(tmp_path)
