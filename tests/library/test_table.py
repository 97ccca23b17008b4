"""Tables of distances, nearest targets, and answers as data frames, against SciPy."""

import numpy as np
import pandas as pd
import pytest
from examples import fewer
from hypothesis import given, strategies
from scipy.sparse.csgraph import dijkstra
from tiny_graphs import NEGATIVE, TINY, named, random_graphs

import warpath
from warpath.errors import GraphError, UsageError
from warpath.graphs.csr import Graph
from warpath_study.datasets.road import road

TOWNS = pd.DataFrame({"source": ["Oslo", "Voss"], "target": ["Voss", "Bergen"], "weight": [356, 107]})


def assert_nearest(found, of, sources, targets, wanted, cutoff=np.inf):
    """``targets`` are candidates, or None for all vertices but the source."""
    every = dijkstra(of.to_scipy(), indices=sources).reshape(len(sources), of.vertices)
    floats = found.floats()
    assert floats.shape == found.targets.shape == (len(sources), wanted)
    for row, source in enumerate(sources):
        candidates = set(targets) if targets is not None else set(range(of.vertices)) - {source}
        near = sorted((every[row, vertex], vertex) for vertex in candidates if every[row, vertex] <= cutoff)
        near = [pair for pair in near if pair[0] < np.inf][:wanted]
        assert list(zip(floats[row], found.targets[row], strict=True)) == near + [(np.inf, -1)] * (wanted - len(near))


@fewer
@given(
    of=random_graphs(vertices_max=60),
    wanted=strategies.sampled_from([0, 1, 3, 70]),
    cutoff=strategies.sampled_from([None, 0, 40]),
    certify=strategies.booleans(),
    kind=strategies.sampled_from(["int32", "float64"]),
    device=strategies.sampled_from(["simulated", "cpu"]),
    data=strategies.data(),
)
def test_nearest_targets_of_random_graphs(of, wanted, cutoff, certify, kind, device, data):
    of = Graph(of.indptr, of.indices, of.weights.astype(kind))
    vertices = strategies.lists(strategies.integers(0, of.vertices - 1), max_size=9)
    sources, targets = data.draw(vertices), data.draw(vertices | strategies.none())
    found = warpath.prepare(of, device).table(sources, targets, nearest=wanted, cutoff=cutoff, certify=certify)
    assert_nearest(found, of, sources, targets, wanted, np.inf if cutoff is None else cutoff)
    assert (found.certificate is not None) == (certify and len(sources) > 0)


def test_nearest_targets_of_tiny_graphs():
    for name, of in TINY.items():
        with named(name):
            solver = warpath.prepare(of, "simulated")
            everything = list(range(of.vertices))
            assert_nearest(solver.table(everything, nearest=2), of, everything, None, 2)
            assert_nearest(solver.table(everything, everything, nearest=2), of, everything, everything, 2)


@pytest.mark.parametrize("output", ["host", "device"])
def test_nearest_of_a_few_targets_on_roads_need_no_whole_rows(output):
    roads = road(700, 1820, seed=2)
    solver = warpath.prepare(roads, "simulated")
    sources, targets = list(range(0, 700, 9)), [650, 4, 4, 99, 3]
    found = solver.table(sources, targets, nearest=2, certify=False, output=output)
    assert found.variant == "contraction_hierarchy.sweep"
    assert_nearest(found, roads, sources, targets, 2)


def test_a_table_has_the_distances_of_its_targets():
    roads = road(300, 780, seed=2)
    solver = warpath.prepare(roads, "simulated")
    expected = dijkstra(roads.to_scipy(), indices=[5, 5, 200])
    for certify in (True, False):
        found = solver.table([5, 5, 200], [7, 7, 299], certify=certify)
        np.testing.assert_array_equal(found.floats(), expected[:, [7, 7, 299]])
        assert (found.certificate is None) != certify
    np.testing.assert_array_equal(solver.table([5, 5, 200]).floats(), expected)
    near = solver.table([5, 5, 200], cutoff=20_000)
    np.testing.assert_array_equal(near.reached, expected <= 20_000)
    assert solver.table([5], [], nearest=2).targets.tolist() == [[-1, -1]]
    assert solver.table([5], [], nearest=2).floats().tolist() == [[np.inf, np.inf]]
    assert solver.table([], [1, 2]).floats().shape == (0, 2) and solver.table([3], []).floats().shape == (1, 0)


def test_the_unit_is_that_of_the_weights():
    solver = warpath.prepare(warpath.from_matrix([[0, 2.5], [0, 0]], scale=10), "simulated")
    assert (
        solver.table([0], [1]).floats().tolist()
        == solver.table([0], nearest=1, cutoff=2.5).floats().tolist()
        == [[2.5]]
    )
    assert solver.table([0], nearest=1, cutoff=2.4).targets.tolist() == [[-1]]


def test_nearest_targets_need_weights_that_are_not_negative():
    solver = warpath.prepare(NEGATIVE["negative arc"], "simulated")
    with pytest.raises(GraphError, match="the smallest weight is -3"):
        solver.table([0], nearest=1)
    assert solver.table([0], [1]).distances.tolist() == [[1]]


@pytest.mark.parametrize(
    ("arguments", "options", "said"),
    [
        ((0, [1]), {}, "sources must be a sequence"),
        (([0], [9]), {}, "target 9 is not a vertex"),
        (([0], [1]), {"nearest": 2.5}, "the number of nearest vertices is 2.5"),
        (([0], [1]), {"nearest": -1}, "the number of nearest vertices is -1"),
        (([0], [1]), {"cutoff": "near"}, "is not a number"),
    ],
)
def test_what_is_no_table(arguments, options, said):
    with pytest.raises(UsageError, match=said):
        warpath.prepare(TINY["ties"], "simulated").table(*arguments, **options)


def test_a_table_as_a_data_frame():
    solver = warpath.prepare(TINY["ties"], "simulated")
    frame = solver.table([0, 2], [3, 1]).to_frame()
    expected = pd.DataFrame([[2, 1], [1, np.inf]], pd.Index([0, 2], name="source"), pd.Index([3, 1], name="target"))
    pd.testing.assert_frame_equal(frame, expected, check_dtype=False)
    nearest = solver.table([0, 2], nearest=2).to_frame()
    expected = pd.DataFrame({"source": [0, 0, 2], "target": [1, 2, 3], "distance": [1.0, 1.0, 1.0]})
    pd.testing.assert_frame_equal(nearest, expected)


def test_paths_as_a_data_frame():
    frame = warpath.sssp(TOWNS, "Voss", device="simulated").to_frame()
    assert frame.columns.tolist() == ["source", "vertex", "distance", "predecessor"]
    assert frame.iloc[:, :3].values.tolist() == [["Voss", "Voss", 0], ["Voss", "Bergen", 107]]
    assert frame["predecessor"].isna().tolist() == [True, False] and frame["predecessor"][1] == "Voss"
    paths = warpath.sssp(TINY["ties"], [2, 0], device="simulated")
    frame = paths.to_frame()
    assert frame["source"].tolist() == [2, 2, 0, 0, 0, 0]
    assert frame["vertex"].tolist() == [2, 3, 0, 1, 2, 3]
    assert frame["predecessor"].tolist()[:4] == [pd.NA, 2, pd.NA, 0]
    bare = warpath.sssp(TINY["ties"], 2, predecessors=False, device="simulated").to_frame()
    assert bare.values.tolist() == [[2, 2, 0], [2, 3, 1]]
