"""Files of arrays, .npz and .npy, with damage or bad intent: a sentence, or the graph that was saved."""

import io
import json
import zipfile

import numpy as np
import pytest
from tiny_graphs import named

from warpath.errors import FormatError, GraphError
from warpath.graphs.content import LIMIT_VARIABLE
from warpath.graphs.csr import Graph, from_arcs, load
from warpath.graphs.npz_file import read_npy
from warpath_study.matrix_product.matrices import load as load_matrices

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
        for content in damaged(path.read_bytes(), 250, seed=3):
            path.write_bytes(content)
            try:
                assert load(path) == graph
            except FormatError as error:
                assert str(error).startswith(str(path))
                assert "\n" not in str(error)
                refused += 1
        assert refused > 80


@pytest.mark.filterwarnings("error")
def test_damaged_matrices_are_refused_or_the_same(tmp_path):
    path, whole = tmp_path / "x.npy", npy(np.arange(9.0).reshape(3, 3))
    for content in damaged(whole[:192], 300, seed=5):
        path.write_bytes(content + whole[192:])
        try:
            assert read_npy(path).size == 9
        except ValueError as error:
            assert "\n" not in str(error)


def test_what_is_said_about_a_graph_is_checked(saved):
    for about in ("[]", "{", '{"a": ' + "9" * 5000 + "}", "[" * 100_000, '{"origin": "\\ud800"}'):
        with named(about[:40]), pytest.raises(FormatError, match="'about'"):
            load(saved(about))
    for about, says in (
        ({"format": []}, "format"),
        ({"weights": 3}, "weights"),
        ({"weights": {"kind": []}}, r"weights\.kind"),
        ({"weights": {"kind": "random"}}, "seed"),
        ({"weights": {"scale": 0}}, r"weights\.scale"),
        ({"weights": {"scale": True}}, r"weights\.scale"),
    ):
        with named(str(about)):
            with pytest.raises(FormatError, match=says):
                load(saved(about))
            with pytest.raises(GraphError, match=says):
                Graph(ARRAYS["indptr"], ARRAYS["indices"], ARRAYS["weights"], about)


def test_arrays_and_labels_that_are_none(saved):
    assert load(saved()).vertices == 2
    labels = [
        *(np.array([1, 2, 3]), np.array([1, 1]), np.array([1.0, 2.0]), np.array(1.5), np.array(True)),
        *(np.array([[1, 2]]), np.array(["a", "\ud800"]), np.array([b"a", b"b"]), np.array([1, "a"], object)),
        *(np.array(["2020-01-01", "2020-01-02"], "M8[D]"), np.array(2**63 - 1), np.array(2**64 - 1, np.uint64)),
    ]
    arrays = [np.array(3, INT32), np.array([0, 1, 2], ">i4"), np.array([[0, 1, 2]], INT32), np.array([None])]
    wrong = [("labels", array) for array in labels]
    wrong += [(name, array) for name in ("indptr", "indices", "weights") for array in arrays]
    for name, array in wrong:
        with named(f"{name}: {array!r}"):
            path = saved(**{name: array})
            with pytest.raises(FormatError) as refused:
                load(path)
            assert str(refused.value).startswith(str(path)) and "\n" not in str(refused.value)
    np.savez(path, about=text({}), **{name: array for name, array in ARRAYS.items() if name != "labels"})
    with pytest.raises(FormatError, match="'labels'"):
        load(path)


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
    with pytest.raises(FormatError, match=r"small\.npz"):
        load(small)
    monkeypatch.setenv(LIMIT_VARIABLE, "0.01")
    with pytest.raises(FormatError, match=LIMIT_VARIABLE):
        load(bomb)
    np.save(tmp_path / "x.npy", np.eye(2))
    whole = (tmp_path / "x.npy").read_bytes()
    (tmp_path / "x.npy").write_bytes(whole.replace(b"(2, 2)", b"(99999, 99999)".ljust(6))[: len(whole)])
    with pytest.raises(ValueError, match="header"):
        read_npy(tmp_path / "x.npy")


def test_a_folder_in_place_of_a_graph(tmp_path):
    for read in (load, load_matrices, read_npy):
        with pytest.raises(FormatError, match="directory"):
            read(tmp_path)
