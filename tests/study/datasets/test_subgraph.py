"""The subgraph for the check: which vertices it takes, and that it is induced."""

from collections import deque

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tiny_graphs import graph as graph_of

from warpath.graphs.csr import Graph
from warpath_study.subgraph import nearest_subgraph


def arcs_of(graph: Graph) -> list[tuple[int, int, int]]:
    return list(zip(graph.tails().tolist(), graph.indices.tolist(), graph.weights.tolist(), strict=True))


@st.composite
def graphs(draw) -> Graph:
    vertices = draw(st.integers(1, 9))
    vertex = st.integers(0, vertices - 1)
    return graph_of(vertices, *draw(st.lists(st.tuples(vertex, vertex, st.integers(0, 9)), max_size=20)))


def nearest(graph: Graph, start: int, count: int) -> list[int]:
    """Breadth-first by the book: level by level, within a level the smallest first."""
    levels = {start: 0}
    queue = deque([start])
    while queue:
        tail = queue.popleft()
        for head in graph.indices[graph.indptr[tail] : graph.indptr[tail + 1]].tolist():
            if head not in levels:
                levels[head] = levels[tail] + 1
                queue.append(head)
    return sorted(sorted(levels, key=lambda vertex: (levels[vertex], vertex))[:count])


@given(graphs(), st.integers(1, 9), st.data())
def test_induced_by_the_nearest_vertices_in_their_order(graph, vertices_max, data):
    source = data.draw(st.none() | st.integers(0, graph.vertices - 1))
    subgraph, new_source = nearest_subgraph(graph, source, vertices_max)
    if graph.vertices <= vertices_max:
        assert subgraph is graph
        assert new_source == source
        return
    degrees = np.diff(graph.indptr).tolist()
    start = degrees.index(max(degrees)) if source is None else source
    kept = nearest(graph, start, vertices_max)
    assert subgraph.vertices == len(kept)
    assert new_source == (None if source is None else kept.index(source))
    assert arcs_of(subgraph) == [
        (kept.index(tail), kept.index(head), weight)
        for tail, head, weight in arcs_of(graph)
        if tail in kept and head in kept
    ]
    assert {array.dtype for array in (subgraph.indptr, subgraph.indices, subgraph.weights)} == {np.dtype(np.int32)}


def test_a_source_without_arcs_stands_alone():
    subgraph, source = nearest_subgraph(graph_of(4, (0, 1, 5), (2, 2, 1)), 3, 2)
    assert (subgraph.vertices, subgraph.arcs, source) == (1, 0, 0)
    subgraph, source = nearest_subgraph(graph_of(4, (0, 1, 5), (2, 2, 1)), 2, 2)
    assert (arcs_of(subgraph), source) == ([(0, 0, 1)], 0)


def test_a_level_that_does_not_fit_gives_its_smallest_vertices():
    star = graph_of(6, *((5, head, head) for head in (4, 2, 0, 3, 1)))
    subgraph, source = nearest_subgraph(star, None, 3)
    assert source is None
    assert sorted(arcs_of(subgraph)) == [(2, 0, 0), (2, 1, 1)]
