"""Where Numba keeps what it compiled of warpath's functions, so that nodes of a cluster can share the folders.

Numba's own choice is the folder of the source, else the user's cache, and an error where neither can be written. All
processors share one index there: of two nodes that compile at once, one could load the other's code.
"""

import contextlib
import hashlib
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import InTreeCacheLocator

from .device.host_machine import processor_features
from .device.object_cache import UnsafeFolder, cache_folder, own_folder
from .folders import folder_of_this_process, why_unwritable
from .package import ROOT


class Place(InTreeCacheLocator):
    """The first folder of these that can be used: beside the source, in the user's cache, among the temporary files.

    Numba asks it about every function; it answers for those of warpath and of packages beside it whose names begin so.
    Files are named by the processor, too.
    """

    @classmethod
    def from_function(cls, function: Any, file: str) -> "Place | None":
        source = Path(file)
        if not (source.is_relative_to(ROOT) and source.relative_to(ROOT).parts[0].startswith("warpath")):
            return None
        place = cls(function, file)
        place._cache_path = str(folder_for(source.parent))
        return place

    def get_disambiguator(self) -> str:
        return f"{super().get_disambiguator()}-{_processor()}"


@cache
def folder_for(sources: Path) -> Path:
    """Where the functions of the modules in the folder ``sources`` are kept.

    If no folder takes files, because the disk is full, it is one that may have them from before.
    """
    usable = next((folder for folder in _folders(sources) if _is_made(folder)), None)
    return usable or next((folder for folder in _folders(sources) if _is_own(folder)), None) or _of_this_process()


def _folders(sources: Path) -> Iterator[Path]:
    yield sources / "__pycache__"
    with contextlib.suppress(OSError, UnsafeFolder):
        yield own_folder(cache_folder()) / "numba" / Place.get_suitable_cache_subpath(str(sources / "module.py"))


def _is_made(folder: Path) -> bool:
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        return _is_own(folder) and why_unwritable(folder) is None
    return False


def _is_own(folder: Path) -> bool:
    """What another user has put there may be unreadable, and is code."""
    return folder.is_dir() and folder.stat().st_uid == os.geteuid()


_of_this_process = cache(folder_of_this_process)


@cache
def _processor() -> str:
    return hashlib.sha256(processor_features().encode("utf-8", "surrogateescape")).hexdigest()[:8]
