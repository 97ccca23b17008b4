"""The lengths of paths, added from the source on, from the same lengths added in another order; see sums.cu."""

from pathlib import Path
from typing import Any

import numpy as np

from ....device.resident import Resident
from ....distances import unreachable
from ...shared.grids import blocks_over
from ...shared.lengths import macros_for
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
    """Writes the sums at all inboxes of ``parts`` into ``reached``, from ``nearly``.

    ``launches`` are for one source.
    """

    def __init__(self, resident: Resident, parts: Parts, nearly: Any, reached: Any):
        device, xp, vertices, dtype = (
            resident.device,
            resident.device.xp,
            resident.graph.vertices,
            resident.graph.weights.dtype,
        )
        entered = parts.order[parts.entered]
        count, pool_size = len(entered), _POOL_OF_A_VERTEX * vertices
        item_of = xp.full(vertices, -1, np.int32)
        item_of[entered] = xp.arange(count, dtype=np.int32)
        best = device.empty((max(1, count),), dtype)
        best.fill(unreachable(dtype))
        arc_to, others = (device.empty((vertices,), np.int64) for _ in range(2))
        pool = device.empty((pool_size,), dtype)
        stretches = device.empty((max(1, _STRETCH_WORDS * count),), np.int32)
        control = device.empty((_CONTROL_WORDS,), np.int32)
        names = "lower_entered", "choose_tails", "choose_others", "add_stretches"
        lower, choose, choose_others, add = (device.kernel(KERNEL, name, macros_for(resident.graph)) for name in names)
        grid = (blocks_over(vertices, _BLOCK[0]),)
        of_arcs = {"vertices": np.int32(vertices), **resident.arguments}
        of_choice = {"nearly": nearly, "item_of": item_of, "best": best, "arc_to": arc_to, "control": control}
        self._choose_others = choose_others.bind(
            (min(grid[0], _CHOOSING_BLOCKS_MAX),),
            _BLOCK,
            vertices=np.int32(vertices),
            indices=resident.indices,
            others=others,
            source=np.int32(0),
            arc_to=arc_to,
            control=control,
        )
        self._add = add.bind(
            (device.resident_blocks(add, _ADDING_BLOCK),),
            _ADDING_BLOCK,
            entered_count=np.int32(count),
            entered=entered,
            source=np.int32(0),
            weights=resident.weights,
            **of_choice,
            reached=reached,
            stretch_words=stretches,
            pool=pool,
            pool_size=np.int32(pool_size),
        )
        self.launches = [
            lower.bind(grid, _BLOCK, **of_arcs, **of_choice),
            choose.bind(grid, _BLOCK, **of_arcs, **of_choice, others=others),
            *[self._choose_others] * (_CHOICES if resident.graph.weight_min > 0 else _CHOICES_WITH_ZEROS),
            self._add,
        ]

    def launch(self, source: int) -> None:
        """Enqueue the sums of paths from ``source``."""
        self._choose_others.set(source=np.int32(source))
        self._add.set(source=np.int32(source))
        for launch in self.launches:
            launch()
