"""Road-like networks of any size: planar, connected, two-way, with streets that meet three or four at a time.

The land is a square with a road along each side. A straight road from one side to the opposite side cuts it in two
blocks, and so on, all blocks of a level at once. A block is always a convex quadrilateral, so roads do not cross: they
meet where one ends on another, in a T, or where two end at the same point of a third from both sides, in a crossing.

The roads are the sides of blocks. Added to them are dead ends, each from a side of a block towards the block's middle,
and vertices along the roads. Their shares are those of the road networks of New York and the San Francisco Bay in the
ninth DIMACS challenge: of the vertices that are not corners of blocks, 35 % are the tip of a dead end, 35 % its
beginning, and 30 % lie along a road. The network stays planar, because dead ends point to the middle of a convex block
and stop short of it.

Both counts are met exactly. A connected planar network of n vertices and m roads between them encloses m - n + 1 areas,
so that many blocks are cut. If these are so few that the network is almost a tree, more blocks are cut and merged again
by leaving out one stretch of road between the halves of a cut. This keeps the network connected, because the stretches
left out join the blocks to a tree. Dead ends and vertices along a road do not change m - n, so they make up the number
of vertices.

Every arc has a reverse arc of the same weight, its length in metres, at least 1. All arithmetic is in integers, and
coordinates are in sixteenths of a metre.
"""

from dataclasses import dataclass

import numpy as np

from warpath.errors import UsageError
from warpath.graphs.csr import Graph, from_arcs
from warpath.graphs.random_numbers import below, hashed, hashed_at, integers, permutation

_UNITS_PER_METRE = 16
_POSITION_BITS = 36
_ROAD_END = 1 << _POSITION_BITS
"""Positions on a road run from 0, its start, to _ROAD_END, whatever its length."""

_STREAM_CUT, _STREAM_FILL = 0, 1

_BLOCK_SIDE_METRES = 240
"""Side of a block if all were equal squares; the mean length of an arc is then that of real streets."""

_CUT_LOW, _CUT_SPAN = 388, 248
"""A side is cut between 388/1024 and 636/1024 of its length."""

_ALIGNED_IN_16 = 13
"""Of 16 stretches of road that both blocks cut, the number cut at the same point from both sides."""

_TOWN_BLOCKS = 64
"""Blocks that will become at least this many are divided with a bias, smaller ones evenly."""

_VERTICES_MAX = 2**26
"""The maximum for which numbers of points on roads fit into 64 bits."""

_STREAM_OPENED, _STREAM_OPENING, _STREAM_ALONG = 10, 11, 12
_STREAM_DEAD_END, _STREAM_SIDE, _STREAM_POSITION, _STREAM_REACH = 20, 21, 22, 23

_VERTICES_PER_BLOCK_MAX = 5
"""If there are more vertices per block, more blocks are cut and some merged again."""

_DEAD_ENDS_IN_100 = 35
"""Dead ends per 100 vertices that are not corners of blocks; a dead end has two vertices."""


@dataclass
class Roads:
    """Straight roads: coordinates of ``start`` and ``end``, shape (2, roads), and the points there, shape (roads,).

    All are int64. ``start_point`` and ``end_point`` are numbers from ``point``.
    """

    start: np.ndarray
    end: np.ndarray
    start_point: np.ndarray
    end_point: np.ndarray

    @classmethod
    def empty(cls, count: int) -> "Roads":
        return cls(*np.zeros((2, 2, count), dtype=np.int64), *np.zeros((2, count), dtype=np.int64))

    def coordinates(self, road: np.ndarray, position: np.ndarray) -> np.ndarray:
        """The coordinates of positions on roads, shape (2, …)."""
        start = self.start[:, road]
        return start + ((self.end[:, road] - start) * position >> _POSITION_BITS)


@dataclass
class RoadNetwork:
    """Vertices at ``positions``, shape (2, n), in sixteenths of a metre, and two-way ``edges``, shape (2, m)."""

    positions: np.ndarray
    edges: np.ndarray

    def lengths(self) -> np.ndarray:
        """Length of every edge in whole metres, at least 1: shape (m,), int64."""
        along = np.diff(self.positions[:, self.edges], axis=1)[:, 0]
        # Unlike other functions of a C library, a square root is rounded correctly on every machine.
        units = np.sqrt((along * along).sum(axis=0)).astype(np.int64)
        return np.maximum((units + _UNITS_PER_METRE // 2) // _UNITS_PER_METRE, 1)


def road(vertices: int, arcs: int, seed: int = 1) -> Graph:
    """A road-like network with exactly these counts.

    Near vertices have near numbers, as in published road networks. Raises UsageError if no such network has these
    counts.
    """
    network = road_network(vertices, arcs, seed)
    tails, heads = np.concatenate([network.edges, network.edges[::-1]], axis=1)
    weights = np.tile(network.lengths(), 2)
    order = np.argsort(tails * vertices + heads)
    return from_arcs(vertices, tails[order], heads[order], weights[order], {"weights": {"kind": "given"}})


def road_network(vertices: int, arcs: int, seed: int) -> RoadNetwork:
    """The network of ``road``, with the coordinates of its vertices."""
    _check_counts(vertices, arcs)
    areas = arcs // 2 - vertices + 1
    if vertices < 4:
        network = _one_road(min(vertices, 2))
    else:
        blocks = max(areas, vertices // _VERTICES_PER_BLOCK_MAX, 1)
        network = _roads_and_dead_ends(vertices, blocks, blocks - areas, seed)
    return _numbered_by_position(_with_vertices_along(network, vertices, seed))


def _check_counts(vertices: int, arcs: int) -> None:
    problem = None
    least = 2 * (vertices - 1)
    # Each block after the first adds at most two corners to the four of the land.
    most = least + 2 * max((vertices - 2) // 2, 0)
    if not 1 <= vertices <= _VERTICES_MAX:
        problem = f"the number of vertices must be from 1 to {_VERTICES_MAX}"
    elif arcs % 2:
        problem = "every road goes both ways, so the number of arcs must be even"
    elif not least <= arcs <= most:
        problem = f"the number of arcs must be from {least}, to connect the vertices, to {most}"
    if problem:
        raise UsageError(f"a road network of {vertices} vertices and {arcs} arcs cannot be made: {problem}")


def _one_road(vertices: int) -> RoadNetwork:
    """One road between two vertices, or a single vertex."""
    return RoadNetwork(
        positions=np.array([[0, 500 * _UNITS_PER_METRE], [0, 0]])[:, :vertices],
        edges=np.array([[0], [1]])[:, : vertices - 1],
    )


def _roads_and_dead_ends(vertices: int, blocks: int, opened: int, seed: int) -> RoadNetwork:
    """``blocks`` blocks, ``opened`` of them merged again, and dead ends: at most ``vertices`` vertices."""
    roads, sides = _cut_into_blocks(blocks, seed)
    corners = np.union1d(roads.start_point, roads.end_point)
    dead_ends = (vertices - len(corners)) * _DEAD_ENDS_IN_100 // 100
    beginnings, tips = _dead_ends(roads, sides, dead_ends, seed)

    points = np.union1d(corners, beginnings)
    edges = np.searchsorted(points, _stretches(roads, points, opened, seed))
    on_roads = roads.coordinates(points >> _POSITION_BITS, points & (_ROAD_END - 1))
    from_roads = np.stack([np.searchsorted(points, beginnings), len(points) + np.arange(dead_ends)])
    return RoadNetwork(
        positions=np.concatenate([on_roads, tips], axis=1), edges=np.concatenate([edges, from_roads], axis=1)
    )


def _dead_ends(roads: Roads, sides: np.ndarray, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The points where dead ends begin, shape (count,), and the coordinates of their tips, shape (2, count).

    The blocks get them in turn, in random order, each at a random side.
    """
    block = np.resize(permutation(seed, _STREAM_DEAD_END, sides.shape[2]), count)
    side_road, begin, end = sides[:, integers(seed, _STREAM_SIDE, count, 0, 3), block]
    # In 1024ths: where along the side a dead end begins, and how far it reaches towards the middle of the block.
    along = integers(seed, _STREAM_POSITION, count, 128, 895)
    reach = integers(seed, _STREAM_REACH, count, 256, 895)
    position = begin + ((end - begin) * along >> 10)
    start = roads.coordinates(side_road, position)
    middle = roads.coordinates(*sides[:2, :, block]).sum(axis=1) >> 2
    return _point(side_road, position), start + ((middle - start) * reach >> 10)


def _stretches(roads: Roads, points: np.ndarray, opened: int, seed: int) -> np.ndarray:
    """The stretches of road from each of ``points`` to the next, as pairs of points: shape (2, edges).

    One stretch is left out of each of ``opened`` roads.
    """
    count = len(roads.start_point)
    around, cuts = np.arange(4), np.arange(4, count)
    # Road ends are points of other roads. The start of a road around the land is its own point, at position 0.
    ends = np.concatenate([points, roads.start_point[cuts], roads.end_point])
    road_of = np.concatenate([points >> _POSITION_BITS, cuts, around, cuts])
    position_of = np.concatenate([points & (_ROAD_END - 1), np.zeros_like(cuts), np.full(count, _ROAD_END)])
    order = np.lexsort((position_of, road_of))
    ends, road_of = ends[order], road_of[order]

    first_of = np.searchsorted(road_of, np.arange(count))
    stretches_of = np.diff(np.append(first_of, len(ends))) - 1
    included = np.append(road_of[1:] == road_of[:-1], False)
    # An opening in the last of the four roads around the land merges a block with the outside.
    opened_roads = 3 + permutation(seed, _STREAM_OPENED, count - 3)[:opened]
    opening = below(hashed(seed, _STREAM_OPENING, opened), stretches_of[opened_roads])
    included[first_of[opened_roads] + opening] = False
    included = np.flatnonzero(included)
    return np.stack([ends[included], ends[included + 1]])


def _with_vertices_along(network: RoadNetwork, vertices: int, seed: int) -> RoadNetwork:
    """Add vertices along edges, preferring long ones and evenly spaced on each, up to ``vertices`` in total."""
    old = network.positions.shape[1]
    if old == vertices:
        return network
    lengths = network.lengths()
    reached = np.cumsum(lengths >> max(int(lengths.sum()).bit_length() - 31, 0))
    edge_of_vertex = np.searchsorted(
        reached, below(hashed(seed, _STREAM_ALONG, vertices - old), int(reached[-1])), side="right"
    )
    added = np.bincount(edge_of_vertex, minlength=len(lengths))

    edge = np.repeat(np.arange(len(lengths)), added + 1)
    step = np.arange(len(edge)) - np.repeat(np.cumsum(added + 1) - added - 1, added + 1)
    inner = np.flatnonzero(step)
    names = np.arange(old, vertices)
    tails, heads = network.edges[:, edge]
    tails[inner] = names
    heads[inner - 1] = names
    tail, head = network.positions[:, network.edges[:, edge[inner]]].swapaxes(0, 1)
    between = tail + (head - tail) * step[inner] // (added[edge[inner]] + 1)
    return RoadNetwork(np.concatenate([network.positions, between], axis=1), np.stack([tails, heads]))


def _numbered_by_position(network: RoadNetwork) -> RoadNetwork:
    """Number the vertices along a Z-order curve over the land."""
    shift = max(int(network.positions.max(initial=0)).bit_length() - 31, 0)
    key = _spread(network.positions[0] >> shift) | _spread(network.positions[1] >> shift) << np.uint64(1)
    order = np.argsort(key, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return RoadNetwork(network.positions[:, order], rank[network.edges])


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


def _point(road: np.ndarray, position: np.ndarray | int) -> np.ndarray:
    """The number of a point of the network: the road through it and the position on that road."""
    return road << _POSITION_BITS | position


def _cut_into_blocks(blocks: int, seed: int) -> tuple[Roads, np.ndarray]:
    """Cut a square of land into ``blocks`` blocks, at least one, by ``blocks - 1`` roads.

    Returns the roads, the four around the land first, and the sides of the blocks, shape (3, 4, blocks), int64: for the
    four sides around each block, the road that the side is part of, and the positions where it begins and ends on it.
    """
    roads = _around(blocks)
    sides = np.array([[0, 1, 2, 3], [0] * 4, [_ROAD_END] * 4], dtype=np.int64).reshape(3, 4, 1)
    shares = np.array([blocks], dtype=np.int64)
    built = 4
    finished = []
    while len(shares):
        single = shares == 1
        finished.append(sides[:, :, single])
        sides, shares = _cut(roads, built, sides[:, :, ~single], shares[~single], seed)
        built += len(shares) // 2
    return roads, np.concatenate(finished, axis=2)


def _around(blocks: int) -> Roads:
    """Space for all roads, with the four around the land filled in, each ending where the next one starts."""
    roads = Roads.empty(blocks + 3)
    side = int(np.sqrt(blocks) * _BLOCK_SIDE_METRES) * _UNITS_PER_METRE
    corners = np.array([[0, side, side, 0], [0, 0, side, side]])
    roads.start[:, :4] = corners
    roads.end[:, :4] = np.roll(corners, -1, axis=1)
    roads.start_point[:4] = _point(np.arange(4), 0)
    roads.end_point[:4] = np.roll(roads.start_point[:4], -1)
    return roads


def _cut(roads: Roads, built: int, sides: np.ndarray, shares: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Cut every block in two by a new road, the first numbered ``built``; return both halves' sides and shares."""
    sides = _longest_side_first(roads, sides)
    position, fraction = _cut_positions(sides[:, ::2], seed)
    new = np.arange(built, built + len(shares))
    for end, at in ((roads.start, 0), (roads.end, 1)):
        end[:, new] = roads.coordinates(sides[0, 2 * at], position[at])
    roads.start_point[new], roads.end_point[new] = _point(sides[0, ::2], position)

    halves = np.stack([sides, sides])
    first, second = halves
    first[2, 0] = position[0]
    first[:, 1] = new, np.zeros_like(new), np.full_like(new, _ROAD_END)
    first[1, 2] = position[1]
    second[1, 0] = position[0]
    second[2, 2] = position[1]
    second[:, 3] = new, np.full_like(new, _ROAD_END), np.zeros_like(new)

    share = _first_share(shares, area=fraction[0] + 1024 - fraction[1], new=new, seed=seed)
    return np.concatenate([first, second], axis=2), np.concatenate([share, shares - share])


def _longest_side_first(roads: Roads, sides: np.ndarray) -> np.ndarray:
    """Renumber the sides of each block so that sides 0 and 2 together are longer than sides 1 and 3."""
    corners = roads.coordinates(sides[0], sides[1])
    lengths = np.abs(np.roll(corners, -1, axis=1) - corners).sum(axis=0)
    turn = (lengths[0] + lengths[2] < lengths[1] + lengths[3]).astype(np.int64)
    order = (np.arange(4)[:, None] + turn) % 4
    return np.take_along_axis(sides, order[None], axis=1)


def _cut_positions(sides: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Where to cut sides, shape (3, 2, blocks): the position on the road, and the 1024ths of the side before it.

    The blocks on the two sides of a road run along it in opposite directions. Nothing else tells them apart, so blocks
    that share a whole side cut it either at one point, which makes a crossing, or at two.
    """
    road, begin, end = sides
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    stretch = (_point(road, 0) << 1) + low + high
    shared = hashed_at(seed, _STREAM_CUT, stretch << 1)
    own = hashed_at(seed, _STREAM_CUT, stretch << 1 | (begin < end))
    aligned = (shared & np.uint64(15)) < _ALIGNED_IN_16
    from_low = _CUT_LOW + below(np.where(aligned, shared, own), _CUT_SPAN)
    position = low + ((high - low) * from_low >> 10)
    return position, np.where(begin < end, from_low, 1024 - from_low)


def _first_share(shares: np.ndarray, area: np.ndarray, new: np.ndarray, seed: int) -> np.ndarray:
    """How many of each block's ``shares`` go to its first half, ``area`` / 2048 of it: at least 1, not all."""
    tilt = 8 + below(hashed_at(seed, _STREAM_FILL, new), 17)
    tilt[shares < _TOWN_BLOCKS] = 16
    first, second = area * tilt, (2048 - area) * (32 - tilt)
    return np.clip((shares * first + (first + second) // 2) // (first + second), 1, shares - 1)
