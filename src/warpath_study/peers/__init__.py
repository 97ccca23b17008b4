"""Peers: other libraries, for comparison, and calls of warpath; see ``contract``. A module defines one or several."""

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
_SEVERAL = {
    "cugraph": ("cugraph", "cugraph_python"),
    "warpath": ("warpath", "warpath_distances", "warpath_uncertified", "warpath_unprepared"),
}
"""Module that defines ``PEERS``, by name -> these names. Other modules define ``PEER``."""


@cache
def peer_names() -> tuple[str, ...]:
    """The names of all peers, in alphabetical order, without importing them."""
    modules = {file.stem for file in Path(__file__).parent.glob("*.py")} - {"__init__", "contract"}
    return tuple(sorted(name for module in modules for name in _SEVERAL.get(module, (module,))))


@cache
def find_peer(name: str) -> Peer:
    """The peer ``name``. Raises UsageError, with the nearest names, if there is none."""
    if name not in peer_names():
        raise UsageError(f"there is no peer {name!r}; {suggestion(name, peer_names())}")
    module, defined = place_of(name)
    found = getattr(importlib.import_module(module), defined)
    return replace(found[name] if defined == "PEERS" else found, name=name)


def place_of(name: str) -> tuple[str, str]:
    """The module of a peer, and the name there that defines it."""
    module = next((module for module, names in _SEVERAL.items() if name in names), "")
    return (f"{__name__}.{module}", "PEERS") if module else (f"{__name__}.{name}", "PEER")
