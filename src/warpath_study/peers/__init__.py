"""Other solvers of shortest paths, to compare with: one module a peer, found by its name; see ``contract``."""

from collections.abc import Mapping

PEERS: Mapping[str, str] = {"peer_sssp": "sssp", "peer_apsp": "apsp"}
"""The families of peers' runs, and what they solve."""
