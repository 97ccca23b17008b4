"""How deep a graph is, and the searches on the device that tell."""

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from families import make
from guarded_device import GuardedDevice
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from test_near_far import star
from tiny_graphs import TINY, grid_of

import warpath
from warpath.device import open_device
from warpath.device.copies import copy_on
from warpath.graphs.csr import from_arcs
from warpath.solvers.choice.depth import Search, depth_of, searched
from warpath_study.datasets.generate import generate

HUB = star(3000, (1, 9), ends=6000)
SEARCHED = {
    "road": generate("road", vertices=900, arcs=2300),
    "mostly sinks": generate("gnutella", vertices=3000, arcs=9000),
    "thin": grid_of(40, 1),
    "hub": HUB,
    "to the hub": HUB.reverse(),
    "multigraph": from_arcs(5, [0, 0, 0, 1, 1, 2, 3], [0, 1, 1, 2, 2, 3, 0], [1] * 7),
    **{name: TINY[name] for name in TINY if TINY[name].arcs},
}
UNREACHED = -1


def levels_from(of, start):
    """The level of each vertex in a breadth-first search."""
    matrix = csr_array((np.ones(of.arcs), of.indices, of.indptr), shape=(of.vertices, of.vertices))
    levels = shortest_path(matrix, indices=start, unweighted=True)
    return np.where(np.isinf(levels), UNREACHED, levels).astype(int)


def expected(of, start, arcs_max, levels_max):
    levels, degrees = levels_from(of, start), np.diff(of.indptr)
    up_to = [(levels >= 0) & (levels <= level) for level in range(min(levels.max(), levels_max) + 1)]
    vertices, arcs = [int(each.sum()) for each in up_to], [int(degrees[each].sum()) for each in up_to]
    seen = next((level + 1 for level, count in enumerate(arcs) if count > arcs_max), len(arcs))
    ends = seen <= levels_max or arcs[-1] == arcs[-2]  # else it does not see that the last vertices lead nowhere
    return vertices[:seen], arcs[:seen], seen == levels.max() + 1 and arcs[seen - 1] <= arcs_max and ends


@pytest.mark.parametrize("name", EVERY_DEVICE)
@pytest.mark.parametrize("of", SEARCHED.values(), ids=SEARCHED)
def test_a_search_counts_what_scipys_finds_in_each_level(name, of):
    copy = copy_on(opened(name), of)
    starts = np.flatnonzero(np.diff(of.indptr))
    starts = starts[:: max(1, len(starts) // 5)].tolist()
    for arcs_max in (0, 1, 20, 1000, of.arcs):
        for levels_max in (1, 5, 1024):
            for start in starts:
                search = searched(start, copy, arcs_max, levels_max)
                vertices, arcs, is_whole = expected(of, start, arcs_max, levels_max)
                assert (search.vertices, search.arcs[:-1]) == (vertices, arcs[:-1])
                assert search.arcs[-1] == arcs[-1] or search.arcs[-1] > min(arcs_max, of.arcs) < arcs[-1]
                assert search.is_whole == is_whole


@pytest.mark.parametrize("of", SEARCHED.values(), ids=SEARCHED)
def test_a_search_writes_to_its_own_arrays(of):
    device = GuardedDevice(order="shuffle", seed=3)
    for arcs_max in (0, 3, 64, 5000):
        searched(np.flatnonzero(np.diff(of.indptr))[-1], copy_on(device, of), arcs_max, 3)
        device.check()


def test_the_first_part_of_a_search():
    search = Search([1, 5, 13, 14], [4, 20, 50, 51], is_whole=True)
    assert search.first(60) == (3, 14, 0)
    assert search.first(50) == (4, 14, 13)
    assert search.first(30) == (3, 13 + 10 * 8 / 16, 5)
    assert search.first(3) == (1, 4, 1)
    assert Search([1, 5, 13], [4, 20, 50], is_whole=False).first(50) == (2, 13, 5)


@pytest.fixture(scope="module")
def simulated():
    return open_device("simulated")


def test_roads_are_deep_and_networks_are_not(simulated):
    shallow = [generate("power_law", vertices=60_000, arcs=400_000), generate("complete", vertices=200), HUB]
    assert all(depth_of(of, simulated).is_deep for of in (SEARCHED["road"], grid_of(2000, 1)))
    assert not any(depth_of(of, simulated).is_deep for of in (*shallow, SEARCHED["mostly sinks"], TINY["no arcs"]))


@pytest.mark.parametrize("family", ["random, degree 4", "random, degree 16"])
@pytest.mark.parametrize("vertices", [3_000, 50_000])
def test_the_depth_of_a_random_graph_is_about_1(simulated, family, vertices):
    assert 0.7 < depth_of(make(family, vertices), simulated).relative < 1.3


@pytest.mark.parametrize(
    ("family", "vertices", "levels"),
    [
        ("grid", 90_000, 450),
        ("grid 3D", 64_000, 90),
        ("long grid", 90_000, 4_200),
        ("chain", 90_000, 67_500),
        ("comb", 90_000, 2_200),
        ("star of chains", 90_000, 200),
        ("tree", 90_000, 45),
        ("R-MAT", 2**16, 7),
    ],
)
def test_levels_are_about_those_of_the_whole_graph(simulated, family, vertices, levels):
    for seed in (1, 2, 3):
        assert levels / 3 < depth_of(make(family, vertices, "1 to 100", seed), simulated).levels < 2 * levels


def test_levels_of_a_graph_of_many_small_parts(simulated):
    inner = np.flatnonzero(np.arange(70_000) % 1000)
    chains = from_arcs(70_000, [*(inner - 1), *inner], [*inner, *(inner - 1)], [1] * (2 * len(inner)))
    assert depth_of(chains, simulated).levels < 2000


def test_a_first_call_on_a_large_graph_without_arcs():
    assert warpath.sssp(from_arcs(100_000, [], [], []), 7, device="simulated").reached.sum() == 1
