"""Gnutella-like networks: simple digraphs without loops, like a peer-to-peer network seen by a crawler in 2002.

Most vertices are sinks: peers whose neighbours the crawler did not get. Most of the others form the core, a strongly
connected component with a cycle through all of it. Of the rest, a quarter are entries, with arcs into the core and
without incoming arcs, and three quarters are exits, with arcs to sinks only. Most peers have about ten outgoing arcs,
some fewer, a few up to a hundred. In-degrees fall off steeply, and are at least one except for entries. In these
respects the network resembles the Gnutella snapshots of August 2002 in the SNAP collection.
"""

from dataclasses import dataclass

import numpy as np

from warpath.errors import UsageError
from warpath.graphs.csr import Graph, from_arcs
from warpath.graphs.random_numbers import below, hashed, hashed_at, permutation

NEIGHBOURS_MAX = 100

_STREAM_KIND, _STREAM_FEW, _STREAM_MANY, _STREAM_CYCLE, _STREAM_REQUIRED, _STREAM_FAME, _STREAM_LABELS = range(20, 27)
_STREAM_DRAWS = 30
"""The first stream for neighbours; each round of draws uses the next one."""

_SINKS_IN_100, _CORE_IN_100 = 73, 86
"""Defaults in percent: sinks among all vertices, core among the others."""


@dataclass(frozen=True)
class _Roles:
    """The number of vertices in each role. Vertices are numbered in this order until the end."""

    core: int
    exits: int
    entries: int
    sinks: int

    @property
    def peers(self) -> int:
        """The number of vertices with outgoing arcs."""
        return self.core + self.exits + self.entries

    def is_exit(self, vertices: np.ndarray) -> np.ndarray:
        return (vertices >= self.core) & (vertices < self.core + self.exits)

    def heads(self) -> np.ndarray:
        """The vertices with incoming arcs: core, exits and sinks."""
        return np.delete(np.arange(self.peers + self.sinks), np.s_[self.core + self.exits : self.peers])


def gnutella(vertices: int, arcs: int, seed: int = 1, sinks: int | None = None, core: int | None = None) -> Graph:
    """A Gnutella-like network with exactly these counts and weights of 1; vertex 0 is in the core.

    By default, 73 % of the vertices are ``sinks``, and 86 % of the others are in the ``core``. Raises UsageError if no
    such network has these counts.
    """
    roles = _roles(vertices, sinks, core)
    neighbours = _neighbour_counts(roles, arcs, seed)
    tails = np.repeat(np.arange(roles.peers), neighbours)
    heads = _required_heads(roles, tails, seed)
    _draw_other_heads(roles, tails, heads, seed)

    labels = permutation(seed, _STREAM_LABELS, vertices)
    # Vertex 0 is the default source, so it must reach others.
    labels[labels == 0], labels[0] = labels[0], 0
    tails, heads = labels[tails], labels[heads]
    order = np.argsort(tails * vertices + heads)
    return from_arcs(vertices, tails[order], heads[order], np.ones(arcs, dtype=np.int32), {"weights": {"kind": "unit"}})


def _roles(vertices: int, sinks: int | None, core: int | None) -> _Roles:
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
    return _Roles(core, peers - core - entries, entries, sinks)


def _neighbour_counts(roles: _Roles, arcs: int, seed: int) -> np.ndarray:
    """The number of outgoing arcs of each peer, at least 1, ``arcs`` in total: shape (peers,), int64."""
    is_exit = roles.is_exit(np.arange(roles.peers))
    # At most half of the candidates, so that at least half of the draws give new arcs.
    candidates = np.where(is_exit, roles.sinks, roles.core + roles.exits + roles.sinks)
    most = np.clip(candidates // 2, 1, NEIGHBOURS_MAX)
    if not roles.peers <= arcs <= most.sum():
        raise UsageError(
            f"{roles.peers} vertices that are not sinks can have from {roles.peers} to {most.sum()} arcs, not {arcs}; "
            f"change the number of arcs, vertices or sinks"
        )
    kind = below(hashed(seed, _STREAM_KIND, roles.peers), 100)
    few = 1 + below(hashed(seed, _STREAM_FEW, roles.peers), 8)
    many = 10 + below(hashed(seed, _STREAM_MANY, roles.peers), few * few + 1)
    wish = np.select([is_exit, kind < 85, kind < 97], [few // 4 + 1, 9, few], many)

    counts = np.ones(roles.peers, dtype=np.int64)
    while surplus := arcs - int(counts.sum()):
        reached = np.cumsum(np.where(counts < most, wish, 0))
        counts += np.diff(reached * surplus // reached[-1], prepend=0)
        counts = np.minimum(counts, most)
    return counts


def _required_heads(roles: _Roles, tails: np.ndarray, seed: int) -> np.ndarray:
    """Heads of the cycle through the core and of one arc to each exit and sink; -1 for all other arcs."""
    heads = np.full(len(tails), -1)
    cycle = permutation(seed, _STREAM_CYCLE, roles.core)
    heads[np.searchsorted(tails, cycle)] = np.roll(cycle, -1)
    required = roles.heads()[roles.core :]
    free = np.flatnonzero((heads < 0) & ~roles.is_exit(tails))
    if len(free) < len(required):
        raise UsageError(
            f"{len(tails)} arcs are too few for a Gnutella-like network of {roles.peers + roles.sinks} vertices, "
            f"in which every vertex but the entries has an incoming arc"
        )
    heads[free[permutation(seed, _STREAM_REQUIRED, len(free))[: len(required)]]] = required
    return heads


def _draw_other_heads(roles: _Roles, tails: np.ndarray, heads: np.ndarray, seed: int) -> None:
    """Replace every -1 in ``heads`` by a random head that makes neither a loop nor a parallel arc.

    The first round of draws strongly prefers a few vertices. Loops and parallel arcs are drawn again with equal
    probabilities until there are none.
    """
    candidates = roles.heads()
    by_fame = candidates[permutation(seed, _STREAM_FAME, len(candidates))]
    sinks_by_fame = by_fame[by_fame >= roles.peers]
    settled = heads >= 0
    stream = _STREAM_DRAWS
    while not settled.all():
        drawn = np.flatnonzero(~settled)
        from_exit = roles.is_exit(tails[drawn])
        rank = np.where(from_exit, roles.sinks, len(candidates))
        for step in range(2 if stream == _STREAM_DRAWS else 1):
            rank = below(hashed_at(seed, stream, 2 * drawn + step), np.maximum(rank, 1))
        heads[drawn] = np.where(from_exit, sinks_by_fame[np.where(from_exit, rank, 0)], by_fame[rank])

        arc = tails * (roles.peers + roles.sinks) + heads
        # Of equal arcs, a settled one comes first and stays.
        order = np.lexsort((~settled, arc))
        settled = heads != tails
        settled[order[1:][arc[order[1:]] == arc[order[:-1]]]] = False
        stream += 1
