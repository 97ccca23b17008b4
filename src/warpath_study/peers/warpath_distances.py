"""warpath, prepared: distances in host memory, certified."""

from ._warpath import peer_of_solver

PEER = peer_of_solver("warpath, distances", "distances, certified", predecessors=False)
