"""The part of a graph between its first vertices, and its out-degrees."""

import pytest
from tiny_graphs import graph

from warpath.errors import UsageError
from warpath_study.datasets.conversion import first_vertices


def test_the_first_vertices_keep_the_arcs_of_one_weight():
    whole = graph(4, (0, 1, 1), (1, 0, -1), (1, 2, 1), (2, 3, 1), (0, 2, 0))
    part = first_vertices(whole, 3, 1)
    assert (part.vertices, part.tails().tolist(), part.indices.tolist()) == (3, [0, 1], [1, 2])
    assert part.weights.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("vertices", "weight", "says"),
    [
        (0, 1, "from 1 to 4, the size of the graph"),
        (5, 1, "from 1 to 4, the size of the graph"),
        (3, 7, "no arc between the first 3 vertices has weight 7; weights are -1, 0, 1$"),
        (1, 1, "there is no arc between the first 1 vertices; choose more$"),
    ],
)
def test_a_part_that_cannot_be_is_refused(vertices, weight, says):
    with pytest.raises(UsageError, match=says):
        first_vertices(graph(4, (0, 1, 1), (1, 0, -1), (1, 2, 1), (2, 3, 1), (0, 2, 0)), vertices, weight)


def test_of_many_weights_the_first_are_named():
    many = graph(9, *[(0, 1 + weight % 8, weight) for weight in range(10)])
    with pytest.raises(UsageError, match=r"has weight 12; weights are 0, 1, 2, 3, 4, 5, 6, 7, \.\.\.$"):
        first_vertices(many, 9, 12)
