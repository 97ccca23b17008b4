"""The core of a graph: the vertices with outgoing arcs, in the layout that the kernels read."""

from dataclasses import dataclass

import numpy as np

from ....device.resident import Resident
from ....graphs.csr import Graph
from ...costs import Facts
from ...shared.grids import blocks_over

LANES = 32
# A vertex with a larger indegree gets helpers.
ARCS_A_HEAD_MAX = 32


@dataclass(frozen=True)
class Slices:
    """Arcs by head, of shape (k, 32). Slice s has the rows ``starts[s]`` to ``starts[s + 1] - 1`` of both arrays.

    Column h of a slice has the arcs into its h-th head. In the rest of the column, ``tails`` is an unreachable vertex.
    """

    starts: np.ndarray
    tails: np.ndarray
    weights: np.ndarray


@dataclass(frozen=True)
class Core:
    """The vertices with outgoing arcs, and helpers, at new positions.

    ``positions``, int32 of shape (n,), is the position of each vertex in the core, -1 if it is not in the core.
    ``inside`` has the arcs into the core. ``everywhere`` has arcs into each vertex of the graph, and serves to write
    rows: a vertex of the core has one arc of weight 0 there, from its own position. The last position is unreachable.
    ``out_heads[out_starts[p]:out_starts[p + 1]]``, int32, are the heads in the core of the arcs from position p.
    """

    positions: np.ndarray
    inside: Slices
    everywhere: Slices
    out_starts: np.ndarray
    out_heads: np.ndarray

    @property
    def size(self) -> int:
        """The number of positions, a multiple of 32."""
        return LANES * (len(self.inside.starts) - 1)

    @classmethod
    def of(cls, graph: Graph, warps: int) -> "Core":
        """The core of ``graph`` for blocks of ``warps`` warps: the lightest of parallel arcs, and no loops."""
        vertices = graph.vertices
        has_arcs = np.diff(graph.indptr) > 0
        members = np.flatnonzero(has_arcs)
        number = np.full(vertices, -1, np.int64)
        number[members] = np.arange(len(members))
        tails, heads, weights = _lightest(graph)
        tails = number[tails]
        # Heads in the core have the numbers of the core. The others have larger numbers than all helpers.
        far_off = 2 * (len(members) + graph.arcs + 1)
        heads = np.where(has_arcs[heads], number[heads], far_off + heads)
        tails, heads, weights, size = _with_helpers(tails, heads, weights, len(members))
        order = _order(np.bincount(heads[heads < far_off], minlength=size), warps)
        position = np.empty(size, np.int64)
        position[order] = np.arange(size)
        unreached = size  # the position after the last vertex
        to_core = heads < far_off
        core_tails, core_heads = position[tails[to_core]], position[heads[to_core]]
        inside = _sliced(size + 1, unreached, core_tails, core_heads, weights[to_core])
        own = position[: len(members)]
        everywhere = _sliced(
            vertices,
            unreached,
            np.append(position[tails[~to_core]], own),
            np.append(heads[~to_core] - far_off, members),
            np.append(weights[~to_core], np.zeros(len(members), weights.dtype)),
        )
        positions = np.full(vertices, -1, np.int32)
        positions[members] = own
        out_starts = np.zeros(LANES * (len(inside.starts) - 1) + 1, np.int32)
        np.cumsum(np.bincount(core_tails, minlength=len(out_starts) - 1), out=out_starts[1:])
        out_heads = core_heads[np.argsort(core_tails, kind="stable")].astype(np.int32)
        return cls(positions, inside, everywhere, out_starts, out_heads)


def core_size_at_least(graph: Graph) -> int:
    """A lower bound on the size of the core; takes O(n)."""
    return int(np.count_nonzero(np.diff(graph.indptr))) + 1


def core_size_at_most(graph: Graph) -> int:
    """An upper bound on the size of the core, and the size if no arcs are parallel; takes O(n + m)."""
    size = core_size_at_least(graph)
    arcs_in = np.bincount(graph.indices, minlength=1)
    while (arcs_in := arcs_in[arcs_in > ARCS_A_HEAD_MAX]).size:
        arcs_in = -(-arcs_in // ARCS_A_HEAD_MAX)
        size += int(arcs_in.sum())
    return -(-size // LANES) * LANES


def _lightest(graph: Graph) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tails, heads and weights, int64 or floats, of arcs without loops, and of the lightest of parallel arcs."""
    tails, heads, weights = graph.tails(), graph.indices, graph.weights
    order = np.lexsort((weights, heads, tails))
    order = order[tails[order] != heads[order]]
    tails, heads = tails[order].astype(np.int64), heads[order].astype(np.int64)
    weights = weights[order] if graph.has_floats else weights[order].astype(np.int64)
    first = np.ones(len(tails), bool)
    first[1:] = (tails[1:] != tails[:-1]) | (heads[1:] != heads[:-1])
    return tails[first], heads[first], weights[first]


def _with_helpers(
    tails: np.ndarray, heads: np.ndarray, weights: np.ndarray, size: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """The arcs with at most ARCS_A_HEAD_MAX into each head, and the size of the core with its helpers.

    A helper is a new vertex of the core. It takes over up to ARCS_A_HEAD_MAX arcs into a head, and has an arc of weight
    0 to that head.
    """
    while True:
        order = np.argsort(heads, kind="stable")
        tails, heads, weights = tails[order], heads[order], weights[order]
        begins = np.flatnonzero(np.append(True, heads[1:] != heads[:-1])) if len(heads) else np.zeros(0, np.int64)
        counts = np.diff(np.append(begins, len(heads)))
        crowded = np.repeat(counts > ARCS_A_HEAD_MAX, counts)
        if not crowded.any():
            return tails, heads, weights, size
        rank = np.arange(len(heads)) - np.repeat(begins, counts)
        leads = crowded & (rank % ARCS_A_HEAD_MAX == 0)
        helpers = size + np.arange(np.count_nonzero(leads))
        new_heads = heads.copy()
        new_heads[crowded] = helpers[np.cumsum(leads)[crowded] - 1]
        tails = np.append(tails, helpers)
        weights = np.append(weights, np.zeros(len(helpers), weights.dtype))
        heads = np.append(new_heads, heads[leads])
        size += len(helpers)


def _order(counts: np.ndarray, warps: int) -> np.ndarray:
    """The vertices in an order that balances the arcs of a slice, and of the slices that warps pull together.

    The order is random otherwise. This takes fewer sweeps than the order of indegrees.
    """
    by_count = np.argsort(-counts, kind="stable")
    together = LANES * warps
    whole = len(by_count) // together * together
    rounds = by_count[:whole].reshape(-1, warps, LANES)
    rounds[1::2] = rounds[1::2, ::-1].copy()  # so that no warp always has the largest slices
    shuffled = np.random.default_rng(1).permutation(len(rounds))
    return np.append(rounds[shuffled].ravel(), by_count[whole:])


def _sliced(heads_count: int, unreached: int, tails: np.ndarray, heads: np.ndarray, weights: np.ndarray) -> Slices:
    order = np.argsort(heads, kind="stable")
    tails, heads, weights = tails[order], heads[order], weights[order]
    slices = -(-heads_count // LANES)
    counts = np.bincount(heads, minlength=slices * LANES)
    starts = np.zeros(slices + 1, np.int32)
    np.cumsum(counts.reshape(-1, LANES).max(axis=1), out=starts[1:])
    rows = int(starts[-1])
    row = starts[heads // LANES] + np.arange(len(heads)) - np.repeat(np.cumsum(counts) - counts, counts)
    of_tails = np.full((rows, LANES), unreached, np.int64)
    of_weights = np.zeros((rows, LANES), weights.dtype)
    of_tails[row, heads % LANES] = tails
    of_weights[row, heads % LANES] = weights
    return Slices(starts, of_tails, of_weights)


def fits(resident: Resident, facts: Facts) -> bool:
    """Whether the shared memory of a block holds the distances of all vertices with outgoing arcs.

    The result may be False although they fit, if many arcs are parallel.
    """
    graph = resident.graph
    size = core_bytes(core_size_at_most(graph), 1, graph.weights.itemsize)
    return size <= resident.device.shared_memory_bytes


def core_bytes(size: int, words: int, word_bytes: int) -> int:
    """Shared memory for a core of ``size`` vertices: distances, and a start and two words of bits for each slice."""
    return word_bytes * words * size + 4 * (3 * blocks_over(size, LANES) + 1)
