"""warpath, prepared, by its default call: distances and a tree in host memory, certified."""

from ._warpath import peer_of_solver

PEER = peer_of_solver("warpath", "distances and tree, certified")
