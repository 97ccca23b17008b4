"""Cutting a square of land into blocks by roads: the skeleton of a road-like network.

The land starts as one block, with a road along each of its four sides. A straight road from one side to the opposite
side cuts a block in two, and so on, all blocks of a level at once, until there are as many blocks as wanted. A block
is always a convex quadrilateral, which such a cut divides into two convex quadrilaterals, so roads do not cross: they
meet where one ends on another, in a T, or in a crossing, where two end at the same point of a third from both sides.

The blocks still to be cut are divided between the halves by area, with a random bias while the block is large. This
makes towns of small blocks and a countryside of large ones.

Everything is integer arithmetic. Coordinates are in sixteenths of a metre.
"""

from dataclasses import dataclass

import numpy as np

from warpath.graphs.random_numbers import below, hashed_at

UNITS_PER_METRE = 16
PLACE_BITS = 36
ROAD_END = 1 << PLACE_BITS
"""Places on a road run from 0, its start, to ROAD_END, whatever its length."""

_STREAM_CUT, _STREAM_FILL = 0, 1

_BLOCK_SIDE_METRES = 240
"""Side of a block if all were equal squares; with it, the mean length of an arc is that of real streets."""

_CUT_LOW, _CUT_SPAN = 388, 248
"""A side is cut between 388/1024 and 636/1024 of its length."""

_ALIGNED_IN_16 = 13
"""Of 16 stretches of road, how many are cut at the same point from both sides if both blocks cut the stretch."""

_TOWN_BLOCKS = 64
"""Blocks that will become this many or more are divided with a bias, smaller ones evenly."""


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

    def coordinates(self, road: np.ndarray, place: np.ndarray) -> np.ndarray:
        """The coordinates of places on roads, shape (2, …)."""
        start = self.start[:, road]
        return start + ((self.end[:, road] - start) * place >> PLACE_BITS)


def point(road: np.ndarray, place: np.ndarray | int) -> np.ndarray:
    """The number of a point of the network: the road through it and the place on that road."""
    return road << PLACE_BITS | place


def cut_into_blocks(blocks: int, seed: int) -> tuple[Roads, np.ndarray]:
    """Cut a square of land into ``blocks`` blocks, at least one, by ``blocks - 1`` roads.

    Returns the roads, the four around the land first, and the sides of the blocks, shape (3, 4, blocks), int64: for the
    four sides around each block, the road that the side is part of, and the places where it begins and ends on it.
    """
    roads = _around(blocks)
    sides = np.array([[0, 1, 2, 3], [0] * 4, [ROAD_END] * 4], dtype=np.int64).reshape(3, 4, 1)
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
    side = int(np.sqrt(blocks) * _BLOCK_SIDE_METRES) * UNITS_PER_METRE
    corners = np.array([[0, side, side, 0], [0, 0, side, side]])
    roads.start[:, :4] = corners
    roads.end[:, :4] = np.roll(corners, -1, axis=1)
    roads.start_point[:4] = point(np.arange(4), 0)
    roads.end_point[:4] = np.roll(roads.start_point[:4], -1)
    return roads


def _cut(roads: Roads, built: int, sides: np.ndarray, shares: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Cut every block in two by a new road, the first numbered ``built``; return both halves' sides and shares."""
    sides = _longest_side_first(roads, sides)
    place, fraction = _cut_places(sides[:, ::2], seed)
    new = np.arange(built, built + len(shares))
    for end, at in ((roads.start, 0), (roads.end, 1)):
        end[:, new] = roads.coordinates(sides[0, 2 * at], place[at])
    roads.start_point[new], roads.end_point[new] = point(sides[0, ::2], place)

    halves = np.stack([sides, sides])
    first, second = halves
    first[2, 0] = place[0]
    first[:, 1] = new, np.zeros_like(new), np.full_like(new, ROAD_END)
    first[1, 2] = place[1]
    second[1, 0] = place[0]
    second[2, 2] = place[1]
    second[:, 3] = new, np.full_like(new, ROAD_END), np.zeros_like(new)

    share = _first_share(shares, area=fraction[0] + 1024 - fraction[1], new=new, seed=seed)
    return np.concatenate([first, second], axis=2), np.concatenate([share, shares - share])


def _longest_side_first(roads: Roads, sides: np.ndarray) -> np.ndarray:
    """Renumber the sides of each block so that sides 0 and 2 together are longer than sides 1 and 3."""
    corners = roads.coordinates(sides[0], sides[1])
    lengths = np.abs(np.roll(corners, -1, axis=1) - corners).sum(axis=0)
    turn = (lengths[0] + lengths[2] < lengths[1] + lengths[3]).astype(np.int64)
    order = (np.arange(4)[:, None] + turn) % 4
    return np.take_along_axis(sides, order[None], axis=1)


def _cut_places(sides: np.ndarray, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Where to cut the given sides, shape (3, 2, blocks): the place on the road, and the 1024ths of the side before it.

    The blocks on the two sides of a road run along it in opposite directions. Nothing else tells them apart, so blocks
    that share a whole side cut it either at one point, which makes a crossing, or at two.
    """
    road, begin, end = sides
    low, high = np.minimum(begin, end), np.maximum(begin, end)
    stretch = (point(road, 0) << 1) + low + high
    shared = hashed_at(seed, _STREAM_CUT, stretch << 1)
    own = hashed_at(seed, _STREAM_CUT, stretch << 1 | (begin < end))
    aligned = (shared & np.uint64(15)) < _ALIGNED_IN_16
    from_low = _CUT_LOW + below(np.where(aligned, shared, own), _CUT_SPAN)
    place = low + ((high - low) * from_low >> 10)
    return place, np.where(begin < end, from_low, 1024 - from_low)


def _first_share(shares: np.ndarray, area: np.ndarray, new: np.ndarray, seed: int) -> np.ndarray:
    """How many of each block's ``shares`` go to its first half, ``area`` / 2048 of it: at least 1, not all."""
    tilt = 8 + below(hashed_at(seed, _STREAM_FILL, new), 17)
    tilt[shares < _TOWN_BLOCKS] = 16
    first, second = area * tilt, (2048 - area) * (32 - tilt)
    return np.clip((shares * first + (first + second) // 2) // (first + second), 1, shares - 1)
