"""Peers: other libraries, for comparison, each in a module of its name; see ``contract``."""

import importlib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from warpath.errors import UsageError
from warpath.system.names import suggestion

from .contract import Peer

PEERS: Mapping[str, str] = {"peer_sssp": "sssp", "peer_apsp": "apsp"}
"""Algorithm in the names of peers' runs -> its problem."""


@cache
def peer_names() -> tuple[str, ...]:
    """The names of all peers, in alphabetical order, without importing them."""
    names = (file.stem for file in Path(__file__).parent.glob("*.py") if not file.stem.startswith("_"))
    return tuple(sorted(name for name in names if name != "contract"))


@cache
def find_peer(name: str) -> Peer:
    """The peer ``name``. Raises UsageError, with the nearest names, if there is none."""
    if name not in peer_names():
        raise UsageError(f"there is no peer {name!r}; {suggestion(name, peer_names())}")
    module = importlib.import_module(f"{__name__}.{name}")
    return replace(module.PEER, name=name)
