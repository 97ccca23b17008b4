"""Gnutella-like networks: a peer-to-peer overlay as a crawler saw it in 2002, a simple digraph without loops.

Most vertices are sinks: peers that the crawler heard of but got no list of neighbours from. Most of the others form the
core, one strongly connected component. Of the rest, a quarter are entries, which lead into the core and which no peer
names, and three quarters are exits, which are named but name only sinks. Most peers name about ten neighbours, some
fewer, a few up to a hundred. How often a vertex is named falls off steeply; every vertex but the entries is named at
least once. In these respects the network resembles the Gnutella snapshots of August 2002 in the SNAP collection.

One cycle runs through the whole core; no cycle passes through a vertex outside it.
"""

from dataclasses import dataclass

import numpy as np

from warpath.errors import UsageError
from warpath.graphs.csr import Graph, from_arcs
from warpath.graphs.random_numbers import below, hashed, hashed_at, permutation

NEIGHBOURS_MAX = 100

_STREAM_KIND, _STREAM_FEW, _STREAM_MANY, _STREAM_CYCLE, _STREAM_NAMED, _STREAM_FAME, _STREAM_LABELS = range(20, 27)
_STREAM_DRAWS = 30
"""The first stream for drawing neighbours; each round of draws takes the next one."""

_SINKS_IN_100, _CORE_IN_100 = 73, 86
"""Defaults in percent: sinks among all vertices, core among the others."""


@dataclass(frozen=True)
class _Cast:
    """The number of vertices in each role, which are numbered in this order until the end."""

    core: int
    exits: int
    entries: int
    sinks: int

    @property
    def peers(self) -> int:
        """The vertices that name neighbours."""
        return self.core + self.exits + self.entries

    def is_exit(self, vertices: np.ndarray) -> np.ndarray:
        return (vertices >= self.core) & (vertices < self.core + self.exits)

    def named(self) -> np.ndarray:
        """The vertices that others name: core, exits and sinks."""
        return np.delete(np.arange(self.peers + self.sinks), np.s_[self.core + self.exits : self.peers])


def gnutella(vertices: int, arcs: int, seed: int = 1, sinks: int | None = None, core: int | None = None) -> Graph:
    """A Gnutella-like network with exactly these counts and all weights 1; vertex 0 is in the core.

    ``sinks`` of the vertices have no outgoing arc (default: 73 %), ``core`` of them form the strongly connected core
    (default: 86 % of those that are not sinks). Raises UsageError if no such network has these counts.
    """
    cast = _cast(vertices, sinks, core)
    neighbours = _neighbour_counts(cast, arcs, seed)
    tails = np.repeat(np.arange(cast.peers), neighbours)
    heads = _required_heads(cast, tails, seed)
    _draw_other_heads(cast, tails, heads, seed)

    labels = permutation(seed, _STREAM_LABELS, vertices)
    # Vertex 0 is the usual source, so it must reach others.
    labels[labels == 0], labels[0] = labels[0], 0
    tails, heads = labels[tails], labels[heads]
    order = np.argsort(tails * vertices + heads)
    return from_arcs(vertices, tails[order], heads[order], np.ones(arcs, dtype=np.int32), {"weights": {"kind": "unit"}})


def _cast(vertices: int, sinks: int | None, core: int | None) -> _Cast:
    if vertices < 4:
        raise UsageError(f"a Gnutella-like network of {vertices} vertices cannot be made: it needs at least four")
    if sinks is None:
        sinks = vertices * _SINKS_IN_100 // 100
    if not 1 <= sinks <= vertices - 2:
        raise UsageError(f"{sinks} of {vertices} vertices cannot be sinks: from 1 to {vertices - 2} can")
    peers = vertices - sinks
    if core is None:
        core = max(peers * _CORE_IN_100 // 100, 2)
    if not 2 <= core <= peers:
        raise UsageError(f"{core} of {vertices} vertices cannot form the core: from 2 to {peers} are not sinks")
    entries = (peers - core) // 4
    return _Cast(core, peers - core - entries, entries, sinks)


def _neighbour_counts(cast: _Cast, arcs: int, seed: int) -> np.ndarray:
    """How many neighbours each peer names, at least 1, ``arcs`` in total: shape (peers,), int64."""
    is_exit = cast.is_exit(np.arange(cast.peers))
    # At most half of the candidates, so that at least every other draw hits one that is not named yet.
    candidates = np.where(is_exit, cast.sinks, cast.core + cast.exits + cast.sinks)
    most = np.clip(candidates // 2, 1, NEIGHBOURS_MAX)
    if not cast.peers <= arcs <= most.sum():
        raise UsageError(
            f"{cast.peers} peers that are not sinks cannot name {arcs} neighbours: from {cast.peers} to {most.sum()} "
            f"are possible; change the number of arcs, vertices or sinks"
        )
    kind = below(hashed(seed, _STREAM_KIND, cast.peers), 100)
    few = 1 + below(hashed(seed, _STREAM_FEW, cast.peers), 8)
    many = 10 + below(hashed(seed, _STREAM_MANY, cast.peers), few * few + 1)
    wish = np.select([is_exit, kind < 85, kind < 97], [few // 4 + 1, 9, few], many)

    counts = np.ones(cast.peers, dtype=np.int64)
    while surplus := arcs - int(counts.sum()):
        reached = np.cumsum(np.where(counts < most, wish, 0))
        counts += np.diff(reached * surplus // reached[-1], prepend=0)
        counts = np.minimum(counts, most)
    return counts


def _required_heads(cast: _Cast, tails: np.ndarray, seed: int) -> np.ndarray:
    """Heads of the cycle through the core and of one arc to each exit and sink; -1 for all other arcs."""
    heads = np.full(len(tails), -1)
    cycle = permutation(seed, _STREAM_CYCLE, cast.core)
    heads[np.searchsorted(tails, cycle)] = np.roll(cycle, -1)
    required = cast.named()[cast.core :]
    free = np.flatnonzero((heads < 0) & ~cast.is_exit(tails))
    if len(free) < len(required):
        raise UsageError(
            f"{len(tails)} arcs are too few for a Gnutella-like network of {cast.peers + cast.sinks} vertices, "
            f"in which every vertex but the entries is named"
        )
    heads[free[permutation(seed, _STREAM_NAMED, len(free))[: len(required)]]] = required
    return heads


def _draw_other_heads(cast: _Cast, tails: np.ndarray, heads: np.ndarray, seed: int) -> None:
    """Replace every -1 in ``heads`` by a random vertex that its tail may name and does not name yet.

    The first round of draws prefers a few vertices strongly. Arcs that come out as loops or copies are drawn again with
    equal chances, until there are none.
    """
    named = cast.named()
    by_fame = named[permutation(seed, _STREAM_FAME, len(named))]
    sinks_by_fame = by_fame[by_fame >= cast.peers]
    settled = heads >= 0
    stream = _STREAM_DRAWS
    while not settled.all():
        drawn = np.flatnonzero(~settled)
        from_exit = cast.is_exit(tails[drawn])
        rank = np.where(from_exit, cast.sinks, len(named))
        for step in range(2 if stream == _STREAM_DRAWS else 1):
            rank = below(hashed_at(seed, stream, 2 * drawn + step), np.maximum(rank, 1))
        heads[drawn] = np.where(from_exit, sinks_by_fame[np.where(from_exit, rank, 0)], by_fame[rank])

        arc = tails * (cast.peers + cast.sinks) + heads
        # Of equal arcs, a settled one comes first and stays.
        order = np.lexsort((~settled, arc))
        settled = heads != tails
        settled[order[1:][arc[order[1:]] == arc[order[:-1]]]] = False
        stream += 1
