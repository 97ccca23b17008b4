"""Contraction hierarchy, one source: tiers whose vertices wait for those above alone (closed.cu)."""

from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from ....device import Device
from ....device.contract import Launch
from ...shared.grids import blocks_over
from ._elimination import Elimination
from ._schedule import Tier, tiers_of_all

KERNEL = Path(__file__).with_suffix(".cu")
SLOTS_MAX = 64
"""How many slots a stretch of the lowest tier has. Higher ones have more, where stretches of so many take too few."""
LANES = 32
BLOCK_OF_PATHS = (64,)
PATHS_OF_A_THREAD_MIN, WARPS_OF_BLOCK_MAX = 8, 32
WARPS_OF_TIER = 2**16
"""About how many warps a launch has, at most: some times as many as run at once. More have too few paths each."""


class ClosedTiers:
    """The tiers of an elimination tree with the shortest paths inside their stretches, on a device.

    ``vertices_at`` has the vertex at each position. ``climbed`` is for the distances of a source's ancestors, by depth.
    Both are on the device.
    """

    def __init__(self, device: Device, elimination: Elimination, vertices_at: Any, climbed: Any, slots_max: int):
        tiers = tiers_of_all(elimination, slots_max)
        self.launches = [_closed(device, tier, vertices_at, climbed) for tier in reversed(tiers)]

    def descend(self, position: int, distances: Any) -> None:
        """Enqueue writing the distances from the source at ``position``, whose climb has ended."""
        for launch in self.launches:
            launch(source=np.int32(position), distances=distances)


def _closed(device: Device, tier: Tier, vertices_at: Any, climbed: Any) -> Launch:
    """Find the paths of a tier. The launch takes its distances from those of the tiers above."""
    vertices = np.diff(tier.stretches[:, 0:2])[:, 0].astype(np.int64)
    paths = vertices * np.diff(tier.stretches[:, 2:4])[:, 0] + vertices * (vertices + 1) // 2
    arrays = {
        "stretches": device.upload(tier.stretches),
        "first_paths": device.upload(np.cumsum(paths) - paths),
        "all_paths": device.empty((int(paths.sum()),), np.int32),
    }
    items = device.upload(tier.items)
    device.kernel(KERNEL, "find_paths")(
        (len(tier.stretches), blocks_over(tier.slots, BLOCK_OF_PATHS[0])),
        BLOCK_OF_PATHS,
        items=items,
        pairs=device.upload(tier.arcs),
        **arrays,
    )
    grid = len(tier.stretches), blocks_over(tier.items_max, LANES)
    warps = min(WARPS_OF_BLOCK_MAX, blocks_over(tier.slots, PATHS_OF_A_THREAD_MIN), WARPS_OF_TIER // prod(grid))
    return device.kernel(KERNEL, "spread").bind(
        grid,
        (LANES, max(1, warps)),
        borders=vertices_at[device.upload(tier.borders)],
        all_items=items,
        vertices_at=vertices_at,
        source=np.int32(0),
        climbed=climbed,
        distances=None,
        **arrays,
    )
