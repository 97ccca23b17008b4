"""The lengths of paths, added from the source on, from the same lengths added in another order; see sums.cu."""

from pathlib import Path
from typing import Any

import numpy as np

from ...device.copies import GraphCopy
from ...distances import unreachable
from ..grids import blocks_over
from ..lengths import macros_for
from ._parts import Parts

KERNEL = Path(__file__).with_name("sums.cu")
_BLOCK = (256,)
_ADDING_BLOCK = (64,)  # few threads, since they look in turns
_CHOOSING_BLOCKS_MAX = 512
# Launches that set arcs to vertices without a nearer tail. Along arcs of weight 0, many of these may follow another.
_CHOICES, _CHOICES_WITH_ZEROS = 1, 4
_STRETCH_WORDS, _CONTROL_WORDS = 3, 4
# Weights of all stretches together; where they do not suffice, another solver lowers what is missing.
_POOL_OF_A_VERTEX = 4


class PathSums:
    """Writes the sums at all entered vertices of ``parts`` into ``reached``, by new number, from ``nearly``.

    ``launches`` are for the source of the last call of ``begin``.
    """

    _source_position, _source_position_of_others = 4, 3

    def __init__(self, copy: GraphCopy, parts: Parts, nearly: Any, reached: Any):
        device, xp, vertices, dtype = copy.device, copy.device.xp, copy.graph.vertices, copy.graph.weights.dtype
        entered = np.concatenate(
            [
                np.zeros(0, np.int32),
                *map(np.arange, parts.host_first[:-1], parts.host_first[:-1] + parts.host_entered),
            ]
        ).astype(np.int32)
        count, pool_size = len(entered), _POOL_OF_A_VERTEX * vertices
        on_device = device.upload(entered)
        item_of = xp.full(vertices, -1, np.int32)
        item_of[parts.order[on_device]] = xp.arange(count, dtype=np.int32)
        best = device.empty((max(1, count),), dtype)
        best.fill(unreachable(dtype))
        arc_to, others = (device.empty((vertices,), np.int64) for _ in range(2))
        pool = device.empty((pool_size,), dtype)
        stretches = device.empty((max(1, _STRETCH_WORDS * count),), np.int32)
        control = device.empty((_CONTROL_WORDS,), np.int32)
        names = "lower_entered", "choose_tails", "choose_others", "add_stretches"
        lower, choose, choose_others, add = (device.kernel(KERNEL, name, macros_for(copy.graph)) for name in names)
        grid = (blocks_over(vertices, _BLOCK[0]),)
        of_graph = np.int32(vertices), *copy.arrays, nearly, item_of, best, arc_to
        of_entered = np.int32(count), on_device, parts.order, item_of, np.int32(0), copy.weights, nearly, arc_to, best
        of_stretches = reached, stretches, pool, np.int32(pool_size), control
        of_others = np.int32(vertices), copy.indices, others, np.int32(0), arc_to, control
        self._others = choose_others.bind((min(grid[0], _CHOOSING_BLOCKS_MAX),), _BLOCK, of_others)
        self.launches = [
            lower.bind(grid, _BLOCK, (*of_graph, control)),
            choose.bind(grid, _BLOCK, (*of_graph, others, control)),
            *[self._others] * (_CHOICES if copy.graph.weight_min > 0 else _CHOICES_WITH_ZEROS),
            add.bind((device.resident_blocks(add, _ADDING_BLOCK),), _ADDING_BLOCK, (*of_entered, *of_stretches)),
        ]

    def begin(self, source: int) -> None:
        self._others.replace(self._source_position_of_others, np.int32(source))
        self.launches[-1].replace(self._source_position, np.int32(source))
