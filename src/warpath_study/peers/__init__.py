"""Peers: other libraries, for comparison, and calls of warpath; see ``contract``.

A module defines one or several. Users add peers in C without a module; see ``peer.h``.
"""

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from warpath.errors import UsageError
from warpath.system.names import defined, suggestion

from .contract import Peer

PEERS: Mapping[str, str] = {"peer_sssp": "sssp", "peer_apsp": "apsp"}
"""Algorithm in the names of peers' runs -> its problem."""
LIBRARIES = "WARPATH_PEERS"
"""The environment variable with the user's peers in C: a JSON object that maps names to files."""
LibraryName = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_]*\Z")]
_SEVERAL = {
    "cugraph": ("cugraph", "cugraph_python"),
    "warpath": ("warpath", "warpath_distances", "warpath_uncertified", "warpath_unprepared"),
}
"""Module that defines ``PEERS``, by name -> these names. Other modules define ``PEER``."""


@cache
def _of_modules() -> tuple[str, ...]:
    """The names of the peers that modules define."""
    modules = {file.stem for file in Path(__file__).parent.glob("*.py")} - {"__init__", "contract", "in_c"}
    return tuple(name for module in modules for name in _SEVERAL.get(module, (module,)))


def libraries() -> dict[str, Path]:
    """The user's peers in C: name -> file. Raises UsageError if a name is taken or the variable is malformed."""
    try:
        found = msgspec.json.decode(os.environ.get(LIBRARIES) or "{}", type=dict[LibraryName, str])
    except msgspec.DecodeError as error:
        raise UsageError(f'{LIBRARIES}: {error}; it maps names to files: {{"mine": "/path/mine.so"}}') from None
    if taken := sorted(found.keys() & set(_of_modules())):
        raise UsageError(f"{LIBRARIES}: there is another peer {taken[0]}; choose another name")
    return {name: Path(file).absolute() for name, file in found.items()}


def peer_names() -> tuple[str, ...]:
    """The names of all peers, in alphabetical order, without importing them."""
    return tuple(sorted((*_of_modules(), *libraries())))


@cache
def find_peer(name: str) -> Peer:
    """The peer ``name``. Raises UsageError, with the nearest names, if there is none."""
    if name not in peer_names():
        raise UsageError(f"there is no peer {name!r}; {suggestion(name, peer_names())}")
    module, attribute = place_of(name)
    found = defined(module, attribute)
    if name in libraries():
        found = found(name, libraries()[name])
    return replace(found[name] if attribute == "PEERS" else found, name=name)


def place_of(name: str) -> tuple[str, str]:
    """The module of a peer, and the name there that defines it."""
    if name in libraries():
        return f"{__name__}.in_c", "peer_of_user"
    module = next((module for module, names in _SEVERAL.items() if name in names), "")
    return (f"{__name__}.{module}", "PEERS") if module else (f"{__name__}.{name}", "PEER")
