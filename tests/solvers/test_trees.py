"""Every solver gives the same tree of shortest paths: the one that three rules name (tree_oracle.py)."""

from functools import cache

import numpy as np
import pytest
from every_device import EVERY_DEVICE, opened
from hard_graphs import GRAPHS, fits
from hypothesis import given
from tiny_graphs import NEGATIVE, TINY, graph, named, random_graphs
from tree_oracle import tree_from

import warpath
from warpath.device.copies import downloaded
from warpath.device.resident import resident
from warpath.errors import NoClustersError
from warpath.graphs.csr import Graph, from_arcs
from warpath.solvers.registry import CPU_SOLVERS, SOLVERS, find
from warpath.solvers.solver import OneSource, Rows

VARIANTS = [
    find(entry.algorithm, entry.variant) for entry in (*SOLVERS, *CPU_SOLVERS) if entry.problem in ("sssp", "apsp")
]
EACH = pytest.mark.parametrize("variant", [pytest.param(v, id=f"{v.algorithm}.{v.name}") for v in VARIANTS])


def of_floats(whole: Graph, dtype, unit=1.0) -> Graph:
    return Graph(whole.indptr, whole.indices, (whole.weights * unit).astype(dtype))


def shuffled(whole: Graph, seed: int) -> Graph:
    """The same graph with other numbers of its vertices but the first."""
    names = np.append(0, 1 + np.random.default_rng(seed).permutation(whole.vertices - 1))
    return from_arcs(whole.vertices, names[whole.tails()], names[whole.indices], whole.weights)


def drawn_arcs(vertices: int, degree: int, low: int, high: int, seed: int) -> Graph:
    numbers = np.random.default_rng(seed)
    tails, heads = numbers.integers(0, vertices, (2, vertices * degree))
    return from_arcs(vertices, tails, heads, numbers.integers(low, high + 1, len(tails)))


def layers(width: int, weight: int) -> Graph:
    """Three layers, all arcs between them of one weight, and all arcs back, so that each vertex has many tails."""
    first, second = range(1, 1 + width), range(1 + width, 1 + 2 * width)
    arcs = [(0, v, weight) for v in first] + [(u, v, weight) for u in first for v in second]
    return graph(2 + 2 * width, *arcs, *[(v, 1 + 2 * width, weight) for v in second], *[(v, 0, 1) for v in second])


def wide(spokes: int, weight: int) -> Graph:
    """From the source to many vertices at once, and from all of them to one, in no order."""
    arcs = [(0, v, weight) for v in range(2, 2 + spokes)] + [(v, 1, weight) for v in range(2, 2 + spokes)]
    return shuffled(graph(2 + spokes, *arcs), 5)


def zeros(vertices: int) -> Graph:
    """A chain of zeros with shortcuts, cycles and steps back, in no order, behind one arc that rises."""
    arcs = [(0, 1, 3)] + [(v, v + 1, 0) for v in range(1, vertices - 1)]
    arcs += [(v, 1 + v // 2, 0) for v in range(2, vertices)]
    arcs += [(v, min(v + 3, vertices - 1), 0) for v in range(1, vertices, 4)]
    return shuffled(graph(vertices, *arcs), 2)


def below_zero(vertices: int, seed: int) -> Graph:
    """Every cycle through two heights has the weight zero or more: weights of 0 and 1, shifted by heights."""
    drawn = drawn_arcs(vertices, 3, 0, 1, seed)
    heights = np.random.default_rng(seed).integers(-4, 5, vertices)
    shifted = drawn.weights + heights[drawn.tails()] - heights[drawn.indices]
    return from_arcs(vertices, drawn.tails(), drawn.indices, shifted)


TIES = {
    "ones": drawn_arcs(70, 5, 1, 1, 1),
    "ones to threes": drawn_arcs(90, 6, 1, 3, 2),
    "zeros and ones": drawn_arcs(80, 4, 0, 1, 3),
    "a few zeros": drawn_arcs(61, 5, 0, 4, 4),
    "layers": layers(20, 2),
    "layers of zeros": layers(15, 0),
    "a wide one": wide(150, 1),
    "a wide one of zeros": wide(150, 0),
    "a chain of zeros": zeros(70),
    "parallel arcs and loops": from_arcs(
        9, *np.random.default_rng(6).integers(0, 9, (2, 150)), np.random.default_rng(7).integers(0, 3, 150)
    ),
}
BELOW_ZERO = {f"below zero {seed}": below_zero(50, seed) for seed in (1, 2)}


def lost_additions(dtype) -> Graph:
    """Large weights first, then a net of those that add nothing to them, which an arc enters that rises."""
    net = drawn_arcs(60, 4, 0, 2, 9)
    tiny = np.finfo(dtype).eps / 16
    weights = net.weights * dtype(tiny)
    far = np.array([1, 1.5, 1.5], dtype)
    tails, heads = np.append(net.tails(), [0, 0, 7]), np.append(net.indices, [30, 45, 45])
    return from_arcs(60, tails, heads, np.append(weights, far).astype(dtype))


FLOATS = {
    f"{name} of {dtype.__name__}": made
    for dtype in (np.float32, np.float64)
    for name, made in {
        "tenths": of_floats(TIES["ones to threes"], dtype, 0.1),
        "zeros and tenths": of_floats(TIES["zeros and ones"], dtype, 0.1),
        "a chain of zeros": of_floats(TIES["a chain of zeros"], dtype),
        "a wide one": of_floats(TIES["a wide one"], dtype, 0.7),
        "layers": of_floats(TIES["layers"], dtype, 0.3),
        "lost additions": lost_additions(dtype),
    }.items()
}
SOME_HARD = {name: hard for name, hard in GRAPHS.items() if hard.vertices <= 75 and fits(hard)}
ALL_GRAPHS = {
    **{f"tiny, {name}": tiny for name, tiny in {**TINY, **NEGATIVE}.items()},
    **TIES,
    **BELOW_ZERO,
    **FLOATS,
    **{f"hard, {name}": hard for name, hard in SOME_HARD.items()},
}


@cache
def trees_of(name: str) -> np.ndarray:
    """The trees of all vertices, or of every fifth one, by the oracle."""
    one = ALL_GRAPHS[name]
    return np.array([tree_from(one, source) for source in sources_of(one)])


def sources_of(one: Graph) -> np.ndarray:
    return np.arange(0, one.vertices, max(1, one.vertices // 6), dtype=np.int32)


def trees_by(variant, device, one, sources, **settings) -> np.ndarray:
    """Predecessors as the solver finds them, for all vertices if it takes no others."""
    solver = variant.solver(resident(device, one), **settings)
    takes_all = variant.problem == "apsp" and not variant.many_sources
    every = np.arange(one.vertices, dtype=np.int32) if takes_all else sources
    found = []
    for part in every[:, None] if isinstance(solver, OneSource) else every[None]:
        shape = len(part), one.vertices
        make = np.empty if variant.on_cpu else device.empty
        into = Rows(make(shape, one.weights.dtype), make(shape, np.int32))
        into.predecessors.fill(77)
        solver.solve(part, into)
        device.synchronize()
        assert solver.check()
        found.append(into.predecessors if variant.on_cpu else downloaded(device, into.predecessors))
    trees = np.concatenate(found)
    return trees[sources] if takes_all else trees


def assert_the_tree(variant, device, name, one, expected, **settings):
    if not variant.takes(one):
        return
    with named(name):
        try:
            found = trees_by(variant, device, one, sources_of(one), **settings)
        except NoClustersError as error:
            pytest.skip(str(error))
        np.testing.assert_array_equal(found, expected)


@pytest.fixture(params=EVERY_DEVICE)
def device(request):
    return opened(request.param)


@EACH
@pytest.mark.parametrize("kind", ["tiny", "ties", "floats", "hard"])
def test_the_tree_in_small_blocks(variant, device, kind):
    if variant.on_cpu and device.kind == "cuda":
        pytest.skip("a solver on the CPU")
    graphs = {
        "tiny": [name for name in ALL_GRAPHS if name.startswith("tiny")],
        "ties": [*TIES, *BELOW_ZERO],
        "floats": list(FLOATS),
        "hard": [name for name in ALL_GRAPHS if name.startswith("hard")],
    }[kind]
    for name in graphs:
        assert_the_tree(variant, device, name, ALL_GRAPHS[name], trees_of(name), **variant.smallest)


@EACH
def test_the_tree_in_usual_blocks(variant, device):
    if variant.on_cpu and device.kind == "cuda":
        pytest.skip("a solver on the CPU")
    for name in ("a few zeros", "a wide one", "below zero 1", "lost additions of float32"):
        assert_the_tree(variant, device, name, ALL_GRAPHS[name], trees_of(name))


def test_rounds_are_for_vertices_left_over_alone(device):
    """Arcs of weight 0 from the source leave none over, others do."""
    arcs = [(0, 1, 0), (0, 2, 0), (1, 3, 2), (2, 4, 1)]
    for one, reads in ((graph(5, *arcs), 1), (graph(6, *arcs, (4, 5, 0)), 2)):
        solver = find("near_far", "queue").solver(resident(device, one))
        into = Rows(*(device.empty((1, one.vertices), np.int32) for _ in range(2)))
        solver.solve(np.zeros(1, np.int32), into)
        device.synchronize()
        assert solver.check() and solver.counters["host_reads"] == reads
        np.testing.assert_array_equal(downloaded(device, into.predecessors)[0], tree_from(one, 0))


HUBS = {
    "a hub": wide(2600, 1),
    "a hub of zeros": wide(1400, 0),
    "a hub of floats": of_floats(wide(1400, 1), np.float32, 0.1),
    "a long chain of zeros": zeros(700),
}


@cache
def trees_of_hub(name):
    return np.array([tree_from(HUBS[name], source) for source in sources_of(HUBS[name])[:2]])


@EACH
def test_degrees_beyond_a_block(variant, device):
    """The pairs of all vertices take too long here."""
    if variant.problem == "apsp" and not variant.many_sources:
        pytest.skip("all pairs of few vertices are above")
    if variant.on_cpu and device.kind == "cuda":
        pytest.skip("a solver on the CPU")
    for name, one in HUBS.items():
        if variant.takes(one):
            with named(name):
                found = trees_by(variant, device, one, sources_of(one)[:2])
                np.testing.assert_array_equal(found, trees_of_hub(name))


@EACH
@given(one=random_graphs(vertices_max=30, arcs_per_vertex=5, weights=(0, 2)))
def test_the_tree_of_any_graph(variant, one):
    """In a drawn order of threads; see the device."""
    expected = np.array([tree_from(one, source) for source in sources_of(one)])
    assert_the_tree(variant, opened("shuffle", seed=one.arcs), "a drawn graph", one, expected, **variant.smallest)


@EACH
@pytest.mark.parametrize("name", ["ones to threes", "zeros and ones", "lost additions of float64", "below zero 2"])
def test_certified_answers_have_the_tree(variant, name):
    one = ALL_GRAPHS[name]
    if not variant.takes(one):
        pytest.skip("other weights")
    names = {"algorithm": variant.algorithm, "variant": variant.name, "device": "simulated"}
    sources = sources_of(one)
    if variant.problem == "apsp":
        found = warpath.apsp(one, **names).predecessors[sources]
    else:
        found = np.array([warpath.sssp(one, int(source), **names).predecessors for source in sources])
    np.testing.assert_array_equal(found, trees_of(name))
