"""Other solvers of shortest paths, to compare with: one module a peer, found by its name; see ``contract``."""

import importlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from warpath.errors import UsageError
from warpath.names import suggestion

from .contract import Peer

PEERS: Mapping[str, str] = {"peer_sssp": "sssp", "peer_apsp": "apsp"}
"""The families of peers' runs, and what they solve."""


@cache
def peer_names() -> tuple[str, ...]:
    """The names of all peers, in alphabetical order; imports none."""
    names = (file.stem for file in Path(__file__).parent.glob("*.py") if not file.stem.startswith("_"))
    return tuple(sorted(name for name in names if name != "contract"))


@cache
def find_peer(name: str) -> Peer:
    """The peer ``name``. Raises UsageError with the nearest names where there is none."""
    if name not in peer_names():
        raise UsageError(f"there is no peer {name!r}; {suggestion(name, peer_names())}")
    module = importlib.import_module(f"{__name__}.{name}")
    return replace(module.PEER, name=name)
