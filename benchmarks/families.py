"""Graphs of many families, of any size and seed: ``make(family, vertices, weights, seed)``."""

from collections.abc import Callable

import numpy as np

from warpath.graphs.csr import Graph, both_ways, from_arcs

Arcs = tuple[np.ndarray, np.ndarray]
Random = np.random.Generator


def grid(random: Random, vertices: int, dimensions: int = 2, width: int | None = None) -> tuple[int, Arcs]:
    """A box of ``dimensions`` with edges between neighbours; all sides but the first are ``width``, if given."""
    side = width or max(2, round(vertices ** (1 / dimensions)))
    shape = (max(2, vertices // side ** (dimensions - 1)), *[side] * (dimensions - 1))
    numbers = np.arange(np.prod(shape)).reshape(shape)
    pairs = []
    for axis in range(dimensions):
        along = np.moveaxis(numbers, axis, 0)
        pairs.append((along[:-1].ravel(), along[1:].ravel()))
    return numbers.size, (np.concatenate([tails for tails, _ in pairs]), np.concatenate([heads for _, heads in pairs]))


def geometric(random: Random, vertices: int, degree: float = 10) -> tuple[int, Arcs, np.ndarray]:
    """Points of the unit square, with edges to those nearer than a radius, which gives the mean ``degree``.

    The third array are the lengths of the edges, as the weights "lengths" have them.
    """
    from scipy.spatial import cKDTree

    points = random.random((vertices, 2))
    pairs = cKDTree(points).query_pairs(float(np.sqrt(degree / (np.pi * vertices))), output_type="ndarray")
    lengths = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    return vertices, (pairs[:, 0], pairs[:, 1]), np.maximum(1, np.rint(1_000_000 * lengths)).astype(np.int64)


def tree(random: Random, vertices: int) -> tuple[int, Arcs]:
    """Each vertex hangs on one before it, at random: a tree of logarithmic depth."""
    heads = np.arange(1, vertices)
    return vertices, ((random.random(vertices - 1) * heads).astype(np.int64), heads)


def chain(random: Random, vertices: int) -> tuple[int, Arcs]:
    """One path through all vertices, in random order."""
    order = random.permutation(vertices)
    return vertices, (order[:-1], order[1:])


def comb(random: Random, vertices: int) -> tuple[int, Arcs]:
    """A path with a tooth of 30 vertices at each of its vertices."""
    heads = np.arange(1, vertices)
    return vertices, (np.where(heads % 31, heads - 1, np.maximum(heads - 31, 0)), heads)


def star_of_chains(random: Random, vertices: int) -> tuple[int, Arcs]:
    """A heavy vertex, from which chains of 100 vertices lead."""
    heads = np.arange(1, vertices)
    return vertices, (np.where(heads % 100 == 1, 0, heads - 1), heads)


def lollipop(random: Random, vertices: int) -> tuple[int, Arcs]:
    """A clique, from which a chain leads, with about half as many edges as the chain."""
    clique = round(vertices**0.5)
    tails, heads = np.triu_indices(clique, 1)
    chained = np.arange(clique, vertices)
    return vertices, (np.append(tails, chained - 1), np.append(heads, chained))


def small_world(random: Random, vertices: int, neighbours: int = 3, share: float = 0.05) -> tuple[int, Arcs]:
    """A ring with edges to the next ``neighbours``, a ``share`` of which lead anywhere instead (Watts and Strogatz)."""
    tails = np.repeat(np.arange(vertices), neighbours)
    heads = (tails + np.tile(np.arange(1, neighbours + 1), vertices)) % vertices
    anywhere = random.random(len(heads)) < share
    heads[anywhere] = random.integers(0, vertices, anywhere.sum())
    return vertices, (tails, heads)


def uniform(random: Random, vertices: int, degree: int = 4) -> tuple[int, Arcs]:
    """Edges between vertices at random."""
    return vertices, tuple(random.integers(0, vertices, (2, vertices * degree // 2)))


def rmat(random: Random, vertices: int, degree: int = 16) -> tuple[int, Arcs]:
    """R-MAT with the Graph500's shares; the number of vertices is a power of two."""
    bits = max(1, int(vertices).bit_length() - 1)
    tails = np.zeros(degree // 2 << bits, np.int64)
    heads = tails.copy()
    for _ in range(bits):
        draw = random.random(len(tails))
        tails = 2 * tails + (draw >= 0.76)
        heads = 2 * heads + ((draw >= 0.57) & (draw < 0.76) | (draw >= 0.95))
    order = random.permutation(1 << bits)
    return 1 << bits, (order[tails], order[heads])


def power_law(random: Random, vertices: int, degree: int = 16) -> tuple[int, Arcs]:
    """Tails at random, heads by a power of a uniform number: a few vertices have very many arcs."""
    count = vertices * degree // 2
    heads = (vertices * random.random(count) ** 3).astype(np.int64)
    return vertices, (random.integers(0, vertices, count), random.permutation(vertices)[heads])


def dense(random: Random, vertices: int) -> tuple[int, Arcs]:
    """Few vertices with an edge between every second pair."""
    vertices = min(vertices, 4096)
    tails, heads = np.triu_indices(vertices, 1)
    kept = random.random(len(tails)) < 0.5
    return vertices, (tails[kept], heads[kept])


def path_with_leaves(random: Random, vertices: int) -> tuple[int, Arcs]:
    """A path, at each of whose vertices three more hang."""
    heads = np.arange(1, vertices)
    return vertices, (np.where(heads % 4, heads // 4 * 4, heads - 4), heads)


def ring_of_cliques(random: Random, vertices: int, clique: int = 16) -> tuple[int, Arcs]:
    """Cliques, each with an edge to the next one."""
    cliques = max(3, vertices // clique)
    tails, heads = np.triu_indices(clique, 1)
    firsts = clique * np.arange(cliques)
    within = ((firsts[:, None] + ends).ravel() for ends in (tails, heads))
    between = firsts, np.roll(firsts, -1) + clique - 1
    return clique * cliques, tuple(np.append(inner, outer) for inner, outer in zip(within, between, strict=True))


def binary_tree(random: Random, vertices: int) -> tuple[int, Arcs]:
    heads = np.arange(1, vertices)
    return vertices, ((heads - 1) // 2, heads)


def hypercube(random: Random, vertices: int) -> tuple[int, Arcs]:
    """The number of vertices is a power of two."""
    bits = int(vertices).bit_length() - 1
    numbers = np.arange(1 << bits)
    pairs = [(numbers[numbers >> bit & 1 == 0], 1 << bit) for bit in range(bits)]
    return 1 << bits, (np.concatenate([low for low, _ in pairs]), np.concatenate([low + step for low, step in pairs]))


def triangulation(random: Random, vertices: int) -> tuple[int, Arcs]:
    """The Delaunay triangulation of random points."""
    from scipy.spatial import Delaunay

    starts, ends = Delaunay(random.random((vertices, 2))).vertex_neighbor_vertices
    tails = np.repeat(np.arange(vertices), np.diff(starts))
    return vertices, (tails[tails < ends], ends[tails < ends])


def preferential(random: Random, vertices: int, degree: int = 8) -> tuple[int, Arcs]:
    """Each vertex has edges to ends of earlier edges (Barabasi and Albert): a few vertices have many."""
    count = degree // 2
    tails = np.repeat(np.arange(vertices), count)
    # Of the ends so far, of which those at even positions are tails, each edge copies one.
    copied = (random.random(len(tails)) * (2 * np.arange(len(tails)) + 1)).astype(np.int64)
    positions = copied.copy()
    while (is_head := positions % 2 == 1).any():
        positions[is_head] = copied[positions[is_head] // 2]
    return vertices, (tails, tails[positions // 2])


def de_bruijn(random: Random, vertices: int) -> Graph:
    """Arcs from each word of four letters to those that begin with its end; weights from 1 to 100."""
    numbers = np.arange(vertices)
    tails, heads = np.repeat(numbers, 4), (4 * numbers[:, None] + np.arange(4)).ravel() % vertices
    return from_arcs(vertices, tails, heads, random.integers(1, 101, 4 * vertices))


def tasks(random: Random, vertices: int) -> Graph:
    """Three arcs from each vertex to some of the next 60; weights from 1 to 100."""
    tails = np.repeat(np.arange(vertices), 3)
    heads = tails + random.integers(1, 61, 3 * vertices)
    kept = heads < vertices
    return from_arcs(vertices, tails[kept], heads[kept], random.integers(1, 101, kept.sum()))


def road(random: Random, vertices: int) -> Graph:
    """The generator of the stand-ins, with weights of its own."""
    from warpath_study.datasets.generate import generate

    graph = generate("road", vertices=vertices, arcs=int(2.44 * vertices) // 2 * 2, seed=int(random.integers(2**31)))
    assert isinstance(graph, Graph)
    return graph


FAMILIES: dict[str, Callable[..., tuple | Graph]] = {
    "road": road,
    "grid": grid,
    "grid 3D": lambda random, vertices: grid(random, vertices, 3),
    "long grid": lambda random, vertices: grid(random, vertices, 2, 16),
    "geometric": geometric,
    "geometric, degree 30": lambda random, vertices: geometric(random, vertices, 30),
    "tree": tree,
    "chain": chain,
    "comb": comb,
    "star of chains": star_of_chains,
    "lollipop": lollipop,
    "small world": small_world,
    "random, degree 4": uniform,
    "random, degree 16": lambda random, vertices: uniform(random, vertices, 16),
    "R-MAT": rmat,
    "R-MAT, degree 32": lambda random, vertices: rmat(random, vertices, 32),
    "power law": power_law,
    "dense": dense,
    "path with leaves": path_with_leaves,
    "ring of cliques": ring_of_cliques,
    "binary tree": binary_tree,
    "hypercube": hypercube,
    "triangulation": triangulation,
    "preferential": preferential,
    "small world, few shortcuts": lambda random, vertices: small_world(random, vertices, 3, 0.002),
    "grid 4D": lambda random, vertices: grid(random, vertices, 4),
    "cylinder": lambda random, vertices: grid(random, vertices, 2, 24),
    "de Bruijn": de_bruijn,
    "tasks": tasks,
}
WEIGHTS: dict[str, Callable[[Random, int], np.ndarray]] = {
    "constant": lambda random, arcs: np.full(arcs, 7),
    "1 to 100": lambda random, arcs: random.integers(1, 101, arcs),
    "1 to 1,000": lambda random, arcs: random.integers(1, 1001, arcs),
    "1 to 1,000,000": lambda random, arcs: random.integers(1, 1_000_001, arcs),
    "exponential": lambda random, arcs: np.ceil(random.exponential(1000, arcs)).astype(np.int64),
    "with zeros": lambda random, arcs: random.integers(0, 10, arcs),
    "floats": lambda random, arcs: random.random(arcs, np.float32),
}


def make(family: str, vertices: int, weights: str = "1 to 100", seed: int = 1) -> Graph:
    """A graph of about so many ``vertices``; edges are two arcs of the same weight.

    The families "road", "de Bruijn" and "tasks" have whole weights of their own. A geometric graph with the weights
    "lengths" has the lengths of its edges, in millionths of the square's side.
    """
    random = np.random.default_rng(seed)
    made = FAMILIES[family](random, vertices)
    if isinstance(made, Graph):
        return made
    count, (tails, heads), *lengths = made
    drawn = lengths[0] if weights == "lengths" else WEIGHTS[weights](random, len(tails))
    return from_arcs(count, *both_ways(tails, heads, drawn)[:3])
