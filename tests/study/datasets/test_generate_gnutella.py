"""Gnutella-like networks: exact counts, sinks, one core, no loops, no parallel arcs, the same on every machine."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from warpath.errors import UsageError
from warpath_study.datasets.gnutella import gnutella


def strong_components(graph):
    """Sizes of the components, largest first, and the component of each vertex, numbered in that order."""
    matrix = csr_array((graph.weights, graph.indices, graph.indptr), shape=(graph.vertices, graph.vertices))
    _, label = connected_components(matrix, connection="strong")
    sizes = np.bincount(label)
    order = np.argsort(-sizes)
    return sizes[order], np.argsort(order)[label]


def check(graph, vertices, arcs, sinks, core):
    assert (graph.vertices, graph.arcs) == (vertices, arcs)
    out_degrees = np.diff(graph.indptr)
    assert (out_degrees == 0).sum() == sinks
    assert out_degrees.max() <= 100
    tails = graph.tails().astype(np.int64)
    assert (tails != graph.indices).all()
    assert (np.diff(tails * vertices + graph.indices) > 0).all()  # sorted, no arc twice
    sizes, component = strong_components(graph)
    assert sizes[0] == core
    assert (sizes[1:] == 1).all()
    assert component[0] == 0
    nobody_names = np.bincount(graph.indices, minlength=vertices) == 0
    assert (out_degrees[nobody_names] > 0).all()


@pytest.mark.parametrize(
    "counts", [(10_876, 39_994, 5941, 4317), (22_687, 54_705, 16_466, 5153), (36_682, 88_328, 26_960, 8490)]
)
def test_a_network_of_the_size_of_a_snapshot_is_like_it(counts):
    vertices, arcs, sinks, core = counts
    graph = gnutella(vertices, arcs, 1, sinks, core)
    check(graph, *counts)
    out_degrees = np.diff(graph.indptr)
    assert 50 <= out_degrees.max() <= 100
    assert 8 <= np.median(out_degrees[out_degrees > 0]) <= 10
    in_degrees = np.bincount(graph.indices)
    assert in_degrees.max() >= 20
    assert 0.25 < (in_degrees == 1).mean() < 0.6


@given(st.integers(20, 200), st.integers(0, 100), st.integers(-3, 3))
def test_without_numbers_the_shares_are_the_usual_ones(vertices, more_arcs, seed):
    sinks = vertices * 73 // 100
    peers = vertices - sinks
    arcs = min(2 * vertices + more_arcs, peers * max(sinks // 2 - 1, 1))
    check(gnutella(vertices, arcs, seed), vertices, arcs, sinks, max(peers * 86 // 100, 2))


def test_the_smallest_network():
    check(gnutella(4, 4, 1, sinks=1, core=3), 4, 4, 1, 3)
    check(gnutella(4, 4, 1, sinks=2, core=2), 4, 4, 2, 2)


def test_peers_name_as_many_as_they_can():
    # Each of the 50 peers names at most half of the others.
    check(gnutella(100, 50 * 50, 1, sinks=50, core=50), 100, 2500, 50, 50)


@pytest.mark.parametrize(
    "vertices, arcs, seed, sha256",
    [
        (150, 552, 1, "44dcd92e347d080304b686efc44d8af1d97ba7e2a6574809e00b0d222a728e73"),
        (150, 552, 2, "8bb669b506a7da265224b513d873b1cca1ad147eba48e63391457c6d202d10a4"),
        (3000, 7000, 1, "e7b774914c5097bfaca894795bd9143071296ee67921359ed99763dcfaf9ff84"),
    ],
)
def test_the_network_is_the_same_everywhere(vertices, arcs, seed, sha256):
    assert gnutella(vertices, arcs, seed).sha256 == sha256


@pytest.mark.parametrize(
    "parameters, sentence",
    [
        ({"vertices": 3, "arcs": 4}, "at least four"),
        ({"vertices": 10, "arcs": 20, "sinks": 9}, "from 1 to 8 can"),
        ({"vertices": 10, "arcs": 20, "sinks": -1}, "from 1 to 8 can"),
        ({"vertices": 10, "arcs": 20, "sinks": 5, "core": 6}, "from 2 to 5 are not sinks"),
        ({"vertices": 10, "arcs": 20, "sinks": 5, "core": 1}, "from 2 to 5 are not sinks"),
        ({"vertices": 100, "arcs": 26}, "27 vertices that are not sinks can have from 27 to .* arcs, not 26"),
        ({"vertices": 100, "arcs": 9000}, "arcs, not 9000"),
        ({"vertices": 100, "arcs": 60}, "too few .* every vertex but the entries has"),
    ],
)
def test_impossible_counts_are_refused(parameters, sentence):
    with pytest.raises(UsageError, match=sentence):
        gnutella(**parameters)
