"""Certifies distances of pairs that are joined from labels of their ends, on the device.

Labels are distances to and from the ancestors in a tree of the vertices, each within the subtree of the ancestor.
``labels.cu`` explains why they give all distances. The tree is examined here, on the host.
"""

from pathlib import Path
from typing import Any

import numba
import numpy as np

from ..device import Device
from ..device.copies import downloaded
from ..device.resident import resident
from ..distances import Labels
from ..errors import CertificateError
from ..graphs.csr import Graph
from .judges import check_shorter_form

KERNEL = Path(__file__).with_suffix(".cu")
BLOCK, WARP = (128,), 32
_NO_FAULT = np.uint32(2**32 - 1)


class LabelJudge:
    """Certifies ``labels`` of ``graph``, and then distances of pairs.

    Raises CertificateError if a label is wrong, GraphError as ``check_shorter_form`` does. ``checks`` is the number of
    arcs that were examined, each once for each label that it concerns. ``graph`` has no path too long for 32 bits.
    """

    def __init__(self, device: Device, graph: Graph, labels: Labels):
        check_shorter_form(graph)
        self.device, self.graph, self.labels = device, graph, labels
        self._tree = {name: device.upload(array) for name, array in self._examined_tree().items()}
        for arcs, distances in ((graph, labels.to_ancestors), (graph.reverse(), labels.from_ancestors)):
            arrays = resident(device, arcs).certificate_arrays
            vertex = self._fault(
                "judge_labels",
                WARP * graph.vertices,
                vertices=np.int32(graph.vertices),
                height=np.int32(labels.height),
                starts=arrays["indptr"],
                ends=arrays["indices"],
                weights=arrays["weights"],
                depths=self._tree["depths"],
                labels=distances,
            )
            if vertex is not None:
                raise CertificateError(f"a distance between vertex {graph.label_of(vertex)} and an ancestor is wrong")

    def _examined_tree(self) -> dict[str, np.ndarray]:
        """The position and the depth of each vertex, and parents and sizes by position."""
        graph, positions, parents = self.graph, self.labels.positions, self.labels.parents
        every = np.arange(graph.vertices)
        numbered = len(parents) == len(every) and np.array_equal(np.sort(positions), every)
        depths, sizes, is_tree = _tree_of(parents if numbered and (parents < every).all() else every)
        if not is_tree or depths.max() >= self.labels.height:
            raise CertificateError("the labels of the vertices are not about a tree of all vertices")
        tails, heads = positions[graph.tails()], positions[graph.indices]
        above, below = np.minimum(tails, heads), np.maximum(tails, heads)
        if not (below < above + sizes[above]).all():
            raise CertificateError("the labels of the vertices are about a tree in which an arc joins two branches")
        self.checks = 2 * int((np.minimum(depths[tails], depths[heads]).astype(np.int64) + 1).sum())
        return {"positions": positions, "parents": parents, "sizes": sizes, "depths": depths[positions]}

    def certify(self, sources: np.ndarray, targets: np.ndarray, distances: Any) -> None:
        """Raise CertificateError if a distance is wrong; device array of shape (p,), int32."""
        pair = self._fault(
            "judge_pairs",
            len(sources),
            pairs=np.int32(len(sources)),
            height=np.int32(self.labels.height),
            **self._tree,
            sources=self.device.upload(np.ascontiguousarray(sources, np.int32)),
            targets=self.device.upload(np.ascontiguousarray(targets, np.int32)),
            to_ancestors=self.labels.to_ancestors,
            from_ancestors=self.labels.from_ancestors,
            distances=distances,
        )
        if pair is not None:
            source, target = (self.graph.label_of(int(ends[pair])) for ends in (sources, targets))
            raise CertificateError(f"the distance from vertex {source} to vertex {target} is wrong")

    def _fault(self, kernel: str, threads: int, **arguments: Any) -> int | None:
        """What the kernel finds wrong first, or None. Waits for it."""
        found = self.device.upload(np.array([_NO_FAULT]))
        self.device.kernel(KERNEL, kernel)((-(-threads // BLOCK[0]),), BLOCK, **arguments, fault=found)
        word = int(downloaded(self.device, found)[0])
        return None if word == _NO_FAULT else word


@numba.njit(cache=True)
def _tree_of(parents: np.ndarray) -> tuple[np.ndarray, np.ndarray, bool]:
    """Depths and sizes of the subtrees, and whether this is a tree in which descendants follow their vertex."""
    depths, sizes = np.zeros(len(parents), np.int32), np.ones(len(parents), np.int32)
    for vertex in range(len(parents)):
        above = vertex - 1
        while above >= 0 and above != parents[vertex]:
            above = parents[above]
        if above != parents[vertex]:
            return depths, sizes, False
        if above >= 0:
            depths[vertex] = depths[above] + 1
    for vertex in range(len(parents) - 1, 0, -1):
        if parents[vertex] >= 0:
            sizes[parents[vertex]] += sizes[vertex]
    return depths, sizes, True
