"""The arrays of a graph on a device, shared by all that solve it there."""

import weakref
from dataclasses import dataclass
from typing import Any

from ..graphs.csr import Graph
from ..locks import one_at_a_time
from .contract import Device


@dataclass(frozen=True, eq=False)
class GraphCopy:
    """A copy of ``graph`` on ``device``. Nobody writes to it."""

    device: Device
    graph: Graph
    indptr: Any
    indices: Any
    weights: Any

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        """``indptr``, ``indices`` and ``weights``, as kernels take them."""
        return self.indptr, self.indices, self.weights


# A copy keeps its graph and its device, so no other object can have their identities while it is here.
_copies: weakref.WeakValueDictionary[tuple[int, int], GraphCopy] = weakref.WeakValueDictionary()


@one_at_a_time
def copy_on(device: Device, graph: Graph) -> GraphCopy:
    """The copy of ``graph`` on ``device`` that is in use there, or a new one. It lasts as long as somebody keeps it.

    May raise OutOfMemoryError.
    """
    key = id(device), id(graph)
    copy = _copies.get(key)
    if copy is None:
        arrays = (device.upload(array) for array in (graph.indptr, graph.indices, graph.weights))
        copy = _copies[key] = GraphCopy(device, graph, *arrays)
    return copy
