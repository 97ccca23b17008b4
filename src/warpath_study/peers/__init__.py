"""Peers: other libraries, for comparison, each in a module of its name, and calls of warpath; see ``contract``."""

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
_OF_WARPATH = ("warpath", "warpath_distances", "warpath_uncertified", "warpath_unprepared")


@cache
def peer_names() -> tuple[str, ...]:
    """The names of all peers, in alphabetical order, without importing them."""
    names = (file.stem for file in Path(__file__).parent.glob("*.py") if not file.stem.startswith("_"))
    return tuple(sorted({*names, *_OF_WARPATH} - {"contract"}))


@cache
def find_peer(name: str) -> Peer:
    """The peer ``name``. Raises UsageError, with the nearest names, if there is none."""
    if name not in peer_names():
        raise UsageError(f"there is no peer {name!r}; {suggestion(name, peer_names())}")
    module_name, defined = place_of(name)
    found = getattr(importlib.import_module(module_name), defined)
    return replace(found[name] if name in _OF_WARPATH else found, name=name)


def place_of(name: str) -> tuple[str, str]:
    """The module of a peer, and the name there that defines it."""
    return (f"{__name__}.warpath", "PEERS") if name in _OF_WARPATH else (f"{__name__}.{name}", "PEER")
