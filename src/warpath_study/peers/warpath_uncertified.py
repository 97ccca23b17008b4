"""warpath, prepared: distances in host memory, not certified by the call."""

from ._warpath import peer_of_solver

PEER = peer_of_solver("warpath, uncertified", "distances, not certified", predecessors=False, certify=False)
