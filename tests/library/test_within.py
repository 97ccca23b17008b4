"""What is within a cutoff, sparse, against the dense answers; and certificates that refuse what is wrong."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from every_device import EVERY_DEVICE, opened
from examples import fewer
from hypothesis import given, strategies
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import NEGATIVE, TINY, graph, named, random_graphs

import warpath
from warpath.certificates.certificate import constants
from warpath.certificates.near import certify_near
from warpath.errors import CertificateError, OutOfMemoryError, UsageError
from warpath.graphs.csr import Graph
from warpath_study.datasets.road import road

DEVICES = ["simulated", "cpu"]


def assert_within(found, of, cutoff, sources=None, targets=None):
    """The stored entries are those of SciPy's dense distances, and no others."""
    sources, targets = (range(of.vertices) if ends is None else ends for ends in (sources, targets))
    expected = warpath.table(of, sources, targets, cutoff=cutoff, device="cpu").floats()
    matrix = found.to_scipy()
    dense = np.full(expected.shape, np.inf)
    rows, columns = matrix.tocoo().coords
    dense[rows, columns] = matrix.data
    np.testing.assert_array_equal(dense, expected)
    assert len(found) == matrix.nnz == np.isfinite(expected).sum()
    assert matrix.has_canonical_format
    assert found.distances.dtype == of.weights.dtype
    frame = found.to_frame()
    assert frame.columns.tolist() == ["source", "target", "distance"]
    np.testing.assert_array_equal(frame["source"], np.asarray(sources)[rows])
    np.testing.assert_array_equal(frame["target"], np.asarray(targets)[columns])
    np.testing.assert_array_equal(frame["distance"], matrix.data)


@fewer
@given(
    of=random_graphs(vertices_max=40, negative=True),
    kind=strategies.sampled_from(["int32", "float32", "float64"]),
    cutoff=strategies.sampled_from([-1, 0, 1, 7, 50.5, 10**6, np.inf]),
    device=strategies.sampled_from(DEVICES),
    certify=strategies.booleans(),
    are_some=strategies.booleans(),
    room=strategies.sampled_from([1, 20, 10**6]),
    seed=strategies.integers(0, 99),
)
def test_random_graphs(of, kind, cutoff, device, certify, are_some, room, seed):
    # Thirds of the weights of a cycle of length 0 may add up to less than 0.
    weights = of.weights.astype(kind) / (1 if kind == "int32" else 3 if of.weight_min >= 0 else 4)
    of = Graph(of.indptr, of.indices, weights.astype(kind))
    numbers = np.random.default_rng(seed)
    ends = (numbers.integers(0, of.vertices, count) if are_some else None for count in (9, 30))
    sources, targets = ends
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warpath.library.within._ROOM", room)
        patch.setattr("warpath.library.within._SOURCES", 7)
        found = warpath.within(of, cutoff, sources, targets, device=device, certify=certify)
    assert_within(found, of, cutoff, sources, targets)
    assert (found.certificate is not None) == certify
    if certify:
        assert found.certificate.sources == (9 if are_some else of.vertices)


def test_tiny_graphs_and_negative_weights():
    for name, of in (TINY | NEGATIVE).items():
        for device in DEVICES:
            with named(f"{name}, {device}"):
                for cutoff in (0, 2, 2**31):
                    assert_within(warpath.within(of, cutoff, device=device), of, cutoff)


@pytest.mark.parametrize("name", [*EVERY_DEVICE, "cpu"])
def test_against_scipy_on_a_road_network(name):
    device = name if name == "cpu" else opened(name)
    of = road(900, 2500, seed=3)
    cutoff = 3 * int(of.weights.mean())
    expected = dijkstra(of.to_scipy(), limit=cutoff)
    found = warpath.within(of, cutoff, device=device)
    assert len(found) == np.isfinite(expected).sum() < expected.size / 5
    if name == "cpu":
        assert found.certificate.arcs_checked == np.diff(of.indptr)[found.indices].sum()
    frame = found.to_frame()
    np.testing.assert_array_equal(expected[frame["source"], frame["target"]], frame["distance"])
    for certify in (True, False):
        few = warpath.within(of, cutoff, [3, 800], [5, 9, 3], device=device, certify=certify).to_scipy().toarray()
        np.testing.assert_array_equal(few, np.nan_to_num(expected[np.ix_([3, 800], [5, 9, 3])], posinf=0))


def test_names_and_scaled_weights():
    roads = pd.DataFrame({"source": ["a", "b", "c"], "target": ["b", "c", "d"], "weight": [1.5, 0.0, 9.25]})
    for device in DEVICES:
        found = warpath.within(roads, 1.5, ["a", "c"], ["c", "a", "c"], device=device, scale=100)
        rows = found.to_frame().to_dict("split")["data"]
        assert rows == [["a", "c", 1.5], ["a", "a", 0.0], ["a", "c", 1.5], ["c", "c", 0.0], ["c", "c", 0.0]]
        assert len(warpath.within(roads, 1.499, ["a"], device=device, scale=100)) == 1
        assert warpath.prepare(roads, device).within(2, [], ["a"]).to_scipy().shape == (0, 1)


def test_a_cutoff_is_needed():
    for cutoff, message in ((None, "cutoff=None"), ("far", "'far' is not a number"), (np.nan, "not a number")):
        with pytest.raises(UsageError, match=message):
            warpath.within(TINY["ties"], cutoff, device="cpu")


@pytest.mark.parametrize("device", DEVICES)
def test_a_cutoff_that_reaches_too_much_says_so(device, monkeypatch):
    solver = warpath.prepare(road(300, 800, seed=1), device)
    monkeypatch.setattr("warpath.library.within.LARGE_BYTES", 1000)
    monkeypatch.setattr("warpath.library.within.memory_bytes", lambda: (100_000, 10**9))
    assert len(solver.within(0)) == 300
    with pytest.raises(OutOfMemoryError, match=r"of 300 sources takes 0.0 GB.* choose a smaller cutoff"):
        solver.within(10**9)


def test_memory_that_becomes_free_again_suffices(monkeypatch):
    of = road(300, 800, seed=1)
    expected = warpath.within(of, 10**9, device="cpu")
    free = iter([10_000] + [10**9] * 1000)
    monkeypatch.setattr("warpath.library.within.LARGE_BYTES", 1000)
    monkeypatch.setattr("warpath.library.within.memory_bytes", lambda: (next(free), 10**9))
    found = warpath.within(of, 10**9, device="simulated")
    for name in ("indptr", "indices", "distances"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def changed(answer, name):
    """A wrong answer, made from the right one of ``test_wrong_answers_are_refused``."""
    counts, vertices, distances = (array.copy() for array in answer)
    place = 2
    if name == "too small":
        distances[place] -= 1
    elif name == "too large":
        distances[place] += 1
    elif name == "source":
        distances[0] += 1
    elif name == "left out":
        counts[0] -= 1
        vertices, distances = np.delete(vertices, place), np.delete(distances, place)
    elif name == "too many":
        counts[0] += 1
        vertices, distances = np.insert(vertices, place, 5), np.insert(distances, place, 9)
    elif name == "twice":
        counts[0] += 1
        vertices, distances = np.insert(vertices, place, vertices[place]), np.insert(distances, place, distances[place])
    elif name == "of another source":
        counts[:] = counts[0] - 1, counts[1] + 1
    return counts, vertices, distances


@pytest.mark.parametrize("kind", ["int32", "float32", "float64"])
def test_wrong_answers_are_refused(kind):
    # Within 9 of vertex 0: 0, 1, 2, 3 at 0, 4, 9, 9. Vertices 4 and 5 hang together at weight 0, but far away.
    of = graph(6, (0, 1, 4), (1, 2, 5), (2, 3, 0), (3, 2, 0), (3, 4, 1), (4, 5, 0), (5, 4, 0))
    of = Graph(of.indptr, of.indices, of.weights.astype(kind))
    zero, _ = constants(of)
    limit, sources = zero.dtype.type(9), np.array([0, 1], np.int32)
    vertices, distances = np.array([0, 1, 2, 3, 1, 2, 3, 4, 5], np.int32), np.array([0, 4, 9, 9, 0, 5, 5, 6, 6], kind)
    right = np.array([4, 5]), vertices, distances
    assert certify_near(of, limit, sources, *right).reached == 9
    wrong = ["too small", "too large", "source", "left out", "too many", "twice", "of another source"]
    for name in wrong:
        with named(name), pytest.raises(CertificateError, match="source"):
            certify_near(of, limit, sources, *changed(right, name))
    with pytest.raises(CertificateError, match="vertex 4 has distance 1"):  # a circle that no path reaches
        circle = np.array([0, 4, 5], np.int32), np.array([0, 1, 1], kind)
        certify_near(graph_without(of, 0), limit, sources[:1], np.array([3]), *circle)
    with pytest.raises(CertificateError):  # nothing is within a cutoff below 0
        certify_near(of, -limit, sources[:1], np.array([1]), vertices[:1], distances[:1])


def graph_without(of, arc):
    """``of`` without an arc."""
    arcs = (np.delete(array, arc) for array in (of.tails(), of.indices, of.weights))
    return warpath.from_arcs(of.vertices, *arcs)


MEASURED = """
import numpy, resource, warpath
vertices = numpy.arange(448 * 448).reshape(448, 448)
tails = numpy.concatenate([vertices[:, :-1].ravel(), vertices[:-1].ravel()])
heads = numpy.concatenate([vertices[:, 1:].ravel(), vertices[1:].ravel()])
ends = numpy.append(tails, heads), numpy.append(heads, tails)
grid = warpath.from_arcs(448 * 448, *ends, numpy.random.default_rng(1).integers(1, 10, 2 * len(tails)))
near = warpath.within(grid, 12, device="cpu")
assert near.certificate.sources == 448 * 448 and len(near) > 2_000_000
near.to_scipy(), near.to_frame()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def test_all_pairs_of_200_000_vertices_take_memory_for_what_is_near():
    run = subprocess.run([sys.executable, "-c", MEASURED], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 2_000_000  # KB; the distances of all pairs would be 160 GB
