"""What is swept together: the top of the elimination tree level by level, and stretches of subtrees below it."""

from dataclasses import dataclass

import numpy as np

from ._elimination import Elimination


@dataclass(frozen=True)
class Schedule:
    """The vertices of the top by level, and stretches of whole subtrees of the rest; all int32.

    ``tops[level_starts[l]:level_starts[l + 1]]`` are the vertices of the top of depth l. Stretch s are the vertices
    ``stretch_starts[s]`` to ``stretch_ends[s] - 1``.
    """

    level_starts: np.ndarray
    tops: np.ndarray
    stretch_starts: np.ndarray
    stretch_ends: np.ndarray

    @classmethod
    def of(cls, elimination: Elimination, cell_vertices: int) -> "Schedule":
        """The top has the vertices with more than ``cell_vertices`` in their subtree, a stretch has no more of them."""
        size, parent = elimination.size, elimination.parent
        small = size <= cell_vertices
        tops = np.flatnonzero(~small)
        tops = tops[np.argsort(elimination.depth[tops], kind="stable")]
        level_starts = np.append(0, np.cumsum(np.bincount(elimination.depth[tops])))
        # The largest subtrees that are small; neighbours among them join.
        begins = np.flatnonzero(small & ((parent < 0) | ~small[parent]))
        ends = begins + size[begins]
        leads = np.zeros(len(begins), bool)
        stretch_start = 0
        for i, (begin, end) in enumerate(zip(begins.tolist(), ends.tolist(), strict=True)):
            leads[i] = i == 0 or begin != ends[i - 1] or end - stretch_start > cell_vertices
            if leads[i]:
                stretch_start = begin
        lasts = np.append(leads[1:], True)[: len(begins)]
        arrays = (level_starts, tops, begins[leads], ends[lasts])
        return cls(*(array.astype(np.int32) for array in arrays))
