"""Road-like networks of any size: planar, connected, two-way, of streets that meet three or four at a time.

The roads are the sides of the blocks of ``road_blocks``. Added to them are dead ends, each a straight road from a
side of a block towards the block's middle, and vertices along the roads, where a real road bends or changes its name.
Their shares are those of the road networks of New York and the San Francisco Bay in the ninth DIMACS challenge: of
the vertices that are not corners of blocks, 35 % are the tip of a dead end, 35 % its beginning, and 30 % lie along a
road.

Both counts are met exactly. A connected planar network of n vertices and m roads between them encloses m - n + 1
areas, so that many blocks are cut. If these are so few that the network is almost a tree, more blocks are cut and
merged again by leaving out one stretch of road between the two halves of a cut. This keeps the network connected,
because the stretches left out join the blocks to a tree. Dead ends and vertices along a road do not change m - n, so
they make up the number of vertices.

The network is planar by construction: roads between blocks do not cross; the dead ends in a convex block all point to
its middle and stop short of it; and a vertex along a road changes nothing. Every arc has a reverse arc of the same
weight, its length in metres, at least 1.
"""

from dataclasses import dataclass

import numpy as np

from warpath.errors import UsageError
from warpath.graphs.csr import Graph, from_arcs
from warpath.graphs.random_numbers import below, hashed, integers, permutation

from .road_blocks import PLACE_BITS, ROAD_END, UNITS_PER_METRE, Roads, cut_into_blocks, point

VERTICES_MAX = 2**26
"""With more vertices, the numbers of points on roads would not fit into 64 bits."""

_STREAM_OPENED, _STREAM_OPENING, _STREAM_ALONG = 10, 11, 12
_STREAM_DEAD_END, _STREAM_SIDE, _STREAM_PLACE, _STREAM_REACH = 20, 21, 22, 23

_VERTICES_PER_BLOCK_MAX = 5
"""If there are more vertices for each block than this, more blocks are cut and some merged again."""

_DEAD_ENDS_IN_100 = 35
"""Dead ends for each 100 vertices that are not corners of blocks; a dead end takes two vertices."""


@dataclass
class RoadNetwork:
    """Vertices at ``places``, shape (2, n), in sixteenths of a metre, and ``edges``, shape (2, m), each both ways."""

    places: np.ndarray
    edges: np.ndarray

    def lengths(self) -> np.ndarray:
        """Length of every edge in whole metres, at least 1: shape (m,), int64."""
        along = np.diff(self.places[:, self.edges], axis=1)[:, 0]
        # Unlike other functions of a C library, a square root is rounded correctly on every machine.
        units = np.sqrt((along * along).sum(axis=0)).astype(np.int64)
        return np.maximum((units + UNITS_PER_METRE // 2) // UNITS_PER_METRE, 1)


def road(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """A road-like network with exactly these counts, the same on every machine.

    Vertices are numbered so that near ones have near numbers, as in published road networks. Raises UsageError if no
    such network has these counts.
    """
    network = road_network(vertices, arcs, seed)
    tails, heads = np.concatenate([network.edges, network.edges[::-1]], axis=1)
    weights = np.tile(network.lengths(), 2)
    order = np.argsort(tails * vertices + heads)
    return from_arcs(vertices, tails[order], heads[order], weights[order], {"weights": {"kind": "given"}})


def road_network(vertices: int, arcs: int, seed: int) -> RoadNetwork:
    """The network behind ``road``, with the places of its vertices."""
    _check_counts(vertices, arcs)
    areas = arcs // 2 - vertices + 1
    if vertices < 4:
        network = _one_road(min(vertices, 2))
    else:
        blocks = max(areas, vertices // _VERTICES_PER_BLOCK_MAX, 1)
        network = _roads_and_dead_ends(vertices, blocks, blocks - areas, seed)
    return _numbered_by_place(_with_vertices_along(network, vertices, seed))


def _check_counts(vertices: int, arcs: int) -> None:
    wanted = f"a road network of {vertices} vertices and {arcs} arcs"
    if vertices < 1:
        raise UsageError(f"{wanted} cannot be made: it needs at least one vertex")
    if vertices > VERTICES_MAX:
        raise UsageError(f"{wanted} cannot be made: at most {VERTICES_MAX} vertices can be placed")
    if arcs % 2:
        raise UsageError(f"{wanted} cannot be made: every road goes both ways, so the number of arcs must be even")
    least = 2 * (vertices - 1)
    if arcs < least:
        raise UsageError(f"{wanted} cannot be made: connecting its vertices takes at least {least} arcs")
    # Each block after the first adds at most two corners to the four of the land.
    most = least + 2 * max((vertices - 2) // 2, 0)
    if arcs > most:
        raise UsageError(
            f"{wanted} cannot be made: with three roads meeting at a vertex on average, there are at most {most} arcs"
        )


def _one_road(vertices: int) -> RoadNetwork:
    """One road between two vertices, or a single vertex."""
    return RoadNetwork(
        places=np.array([[0, 500 * UNITS_PER_METRE], [0, 0]])[:, :vertices],
        edges=np.array([[0], [1]])[:, : vertices - 1],
    )


def _roads_and_dead_ends(vertices: int, blocks: int, opened: int, seed: int) -> RoadNetwork:
    """``blocks`` blocks, ``opened`` of them merged again, and dead ends: at most ``vertices`` vertices."""
    roads, sides = cut_into_blocks(blocks, seed)
    corners = np.union1d(roads.start_point, roads.end_point)
    dead_ends = (vertices - len(corners)) * _DEAD_ENDS_IN_100 // 100
    beginnings, tips = _dead_ends(roads, sides, dead_ends, seed)

    points = np.union1d(corners, beginnings)
    edges = np.searchsorted(points, _stretches(roads, points, opened, seed))
    on_roads = roads.coordinates(points >> PLACE_BITS, points & (ROAD_END - 1))
    from_roads = np.stack([np.searchsorted(points, beginnings), len(points) + np.arange(dead_ends)])
    return RoadNetwork(
        places=np.concatenate([on_roads, tips], axis=1), edges=np.concatenate([edges, from_roads], axis=1)
    )


def _dead_ends(roads: Roads, sides: np.ndarray, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The points where dead ends begin, shape (count,), and the coordinates of their tips, shape (2, count).

    The blocks get them in turn, in random order, each at a random side.
    """
    block = np.resize(permutation(seed, _STREAM_DEAD_END, sides.shape[2]), count)
    side_road, begin, end = sides[:, integers(seed, _STREAM_SIDE, count, 0, 3), block]
    # In 1024ths: where along the side a dead end begins, and how far it reaches towards the middle of the block.
    along = integers(seed, _STREAM_PLACE, count, 128, 895)
    reach = integers(seed, _STREAM_REACH, count, 256, 895)
    place = begin + ((end - begin) * along >> 10)
    start = roads.coordinates(side_road, place)
    middle = roads.coordinates(*sides[:2, :, block]).sum(axis=1) >> 2
    return point(side_road, place), start + ((middle - start) * reach >> 10)


def _stretches(roads: Roads, points: np.ndarray, opened: int, seed: int) -> np.ndarray:
    """The stretches of road from each of ``points`` to the next, as pairs of points: shape (2, edges).

    One stretch is left out of each of ``opened`` roads.
    """
    count = len(roads.start_point)
    around, cuts = np.arange(4), np.arange(4, count)
    # Road ends are points of other roads. The start of a road around the land is its own point, at place 0.
    ends = np.concatenate([points, roads.start_point[cuts], roads.end_point])
    road_of = np.concatenate([points >> PLACE_BITS, cuts, around, cuts])
    place_of = np.concatenate([points & (ROAD_END - 1), np.zeros_like(cuts), np.full(count, ROAD_END)])
    order = np.lexsort((place_of, road_of))
    ends, road_of = ends[order], road_of[order]

    first_of = np.searchsorted(road_of, np.arange(count))
    stretches_of = np.diff(np.append(first_of, len(ends))) - 1
    kept = np.append(road_of[1:] == road_of[:-1], False)
    # An opening in the last of the four roads around the land merges a block with the outside.
    opened_roads = 3 + permutation(seed, _STREAM_OPENED, count - 3)[:opened]
    opening = below(hashed(seed, _STREAM_OPENING, opened), stretches_of[opened_roads])
    kept[first_of[opened_roads] + opening] = False
    kept = np.flatnonzero(kept)
    return np.stack([ends[kept], ends[kept + 1]])


def _with_vertices_along(network: RoadNetwork, vertices: int, seed: int) -> RoadNetwork:
    """Add vertices along edges, preferring long ones and evenly spaced on each, up to ``vertices`` in total."""
    old = network.places.shape[1]
    if old == vertices:
        return network
    lengths = network.lengths()
    reached = np.cumsum(lengths >> max(int(lengths.sum()).bit_length() - 31, 0))
    chosen = np.searchsorted(
        reached, below(hashed(seed, _STREAM_ALONG, vertices - old), int(reached[-1])), side="right"
    )
    added = np.bincount(chosen, minlength=len(lengths))

    edge = np.repeat(np.arange(len(lengths)), added + 1)
    step = np.arange(len(edge)) - np.repeat(np.cumsum(added + 1) - added - 1, added + 1)
    inner = np.flatnonzero(step)
    names = np.arange(old, vertices)
    tails, heads = network.edges[:, edge]
    tails[inner] = names
    heads[inner - 1] = names
    tail, head = network.places[:, network.edges[:, edge[inner]]].swapaxes(0, 1)
    between = tail + (head - tail) * step[inner] // (added[edge[inner]] + 1)
    return RoadNetwork(np.concatenate([network.places, between], axis=1), np.stack([tails, heads]))


def _numbered_by_place(network: RoadNetwork) -> RoadNetwork:
    """Number the vertices along a Z-order curve over the land."""
    shift = max(int(network.places.max(initial=0)).bit_length() - 31, 0)
    key = _spread(network.places[0] >> shift) | _spread(network.places[1] >> shift) << np.uint64(1)
    order = np.argsort(key, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return RoadNetwork(network.places[:, order], rank[network.edges])


def _spread(values: np.ndarray) -> np.ndarray:
    """Insert a zero bit above each of the lower 32 bits: uint64."""
    values = values.astype(np.uint64)
    for shift, mask in (
        (16, 0x0000FFFF0000FFFF),
        (8, 0x00FF00FF00FF00FF),
        (4, 0x0F0F0F0F0F0F0F0F),
        (2, 0x3333333333333333),
        (1, 0x5555555555555555),
    ):
        values = (values | values << np.uint64(shift)) & np.uint64(mask)
    return values
