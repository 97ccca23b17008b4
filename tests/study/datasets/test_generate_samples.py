"""The paper's samples, and the generators by name."""

import numpy as np
import pytest
from scipy.sparse.csgraph import shortest_path

from warpath.errors import UsageError
from warpath_study.datasets.generate import GENERATORS, generate


def test_the_small_sample_is_what_it_says():
    graph = generate("paper_sample")
    assert (graph.vertices, graph.arcs) == (6, 9)
    dense = np.zeros((6, 6))
    dense[graph.tails(), graph.indices] = graph.weights
    assert shortest_path(dense, indices=0).tolist() == [0, 3, 1, 8, 11, np.inf]
    assert graph.indptr[4] == graph.indptr[5]  # vertex 4 is a sink
    assert 5 not in graph.indices


@pytest.mark.parametrize("vertices", [1, 2, 3, 100])
def test_a_complete_digraph_has_every_pair_once(vertices):
    graph = generate("complete", vertices=vertices)
    present = np.zeros((vertices, vertices), dtype=int)
    np.add.at(present, (graph.tails(), graph.indices), 1)
    np.testing.assert_array_equal(present, 1 - np.eye(vertices, dtype=int))
    assert (graph.weights == 1).all()


def test_the_samples_are_the_same_everywhere():
    assert generate("paper_sample").sha256 == "509e19468dfd50d6c24dbad762387d4a77a69ff12717fd0059c4f005818ec93b"
    assert (
        generate("complete", vertices=100).sha256 == "e8c29dddd452bc9933dde94dc9acead37c40426ada91e8e051f80ccfff47a6cf"
    )


def test_a_graph_says_how_it_was_made():
    metadata = generate("road", vertices=10, arcs=20, seed=3).metadata
    assert metadata == {
        "origin": "generated",
        "generator": "road",
        "parameters": {"vertices": 10, "arcs": 20, "seed": 3},
        "weights": {"kind": "given"},
    }


@pytest.mark.parametrize(
    "kind, parameters, sentence",
    [
        ("maze", {}, f"unknown kind of graph 'maze'; there are {', '.join(GENERATORS)}"),
        ("complete", {"vertices": 3, "arcs": 6}, "has no parameter 'arcs'; it has vertices"),
        ("paper_sample", {"seed": 6}, "has no parameter 'seed'; it has none"),
        ("road", {"vertices": 3}, "needs the parameter 'arcs'"),
        ("road", {"vertices": 3, "arcs": 4.0}, "needs an integer for 'arcs', not 4.0"),
        ("complete", {"vertices": 0}, "1 to 46341 vertices"),
        ("complete", {"vertices": 50_000}, "1 to 46341 vertices, not 50000"),
    ],
)
def test_what_no_generator_can_make_is_refused(kind, parameters, sentence):
    with pytest.raises(UsageError, match=sentence):
        generate(kind, **parameters)


def test_a_random_digraph_has_so_many_arcs_and_no_loop():
    one = generate("random", vertices=50, arcs=400, seed=3)
    assert (one.vertices, one.arcs, one.weight_min, one.weight_max) == (50, 400, 1, 1)
    assert not np.any(one.tails() == one.indices)
    assert one.sha256 == generate("random", vertices=50, arcs=400, seed=3).sha256
    assert one.sha256 != generate("random", vertices=50, arcs=400, seed=4).sha256
    assert generate("random", vertices=1, arcs=0).arcs == 0


@pytest.mark.parametrize(("vertices", "arcs"), [(0, 0), (1, 1), (5, -1)])
def test_a_random_digraph_that_cannot_be(vertices, arcs):
    with pytest.raises(UsageError, match="cannot be made"):
        generate("random", vertices=vertices, arcs=arcs)
