"""Where the peers are found: each is a module of this folder that defines ``PEER``."""

import importlib
from dataclasses import replace
from functools import cache
from pathlib import Path

from warpath.errors import UsageError
from warpath.names import suggestion

from .contract import Peer

_NO_PEERS = ("by_name", "contract", "plan")


@cache
def peer_names() -> tuple[str, ...]:
    """The names of all peers, in alphabetical order; imports none."""
    names = (file.stem for file in Path(__file__).parent.glob("*.py") if not file.stem.startswith("_"))
    return tuple(sorted(name for name in names if name not in _NO_PEERS))


@cache
def find_peer(name: str) -> Peer:
    """The peer ``name``. Raises UsageError with the nearest names where there is none."""
    if name not in peer_names():
        raise UsageError(f"there is no peer {name!r}; {suggestion(name, peer_names())}")
    module = importlib.import_module(f"{__package__}.{name}")
    return replace(module.PEER, name=name)
