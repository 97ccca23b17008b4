"""Where Numba keeps what it compiled of warpath's functions, so that nodes of a cluster can share the folders.

Numba's own choice is the folder of the source, else the user's cache, and an error where neither can be written. All
processors share one index there: of two nodes that compile at once, one could load the other's code.
"""

import errno
import hashlib
import os
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import InTreeCacheLocator

from .device.host_machine import processor_features
from .device.kernel_caches import cache_folder
from .device.kernel_source import ROOT
from .folders import folder_of_this_process, why_unwritable

_FULL = {os.strerror(number) for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)}


class CacheLocator(InTreeCacheLocator):
    """The first folder of these that can be used: beside the source, in the user's cache, among the temporary files.

    Numba asks it about every function; it answers for those of warpath and of packages beside it whose names begin so.
    Files are named by the processor, too.
    """

    @classmethod
    def from_function(cls, function: Any, file: str) -> "CacheLocator | None":
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
    in_cache = cache_folder() / "numba" / CacheLocator.get_suitable_cache_subpath(str(sources / "module.py"))
    reasons = {folder: _why_unusable(folder) for folder in (sources / "__pycache__", in_cache)}
    for accepted in ({None}, _FULL):
        for folder, reason in reasons.items():
            if reason in accepted and os.path.isdir(folder):
                return folder
    return _of_this_process()


def _why_unusable(folder: Path) -> str | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    return why_unwritable(folder)


_of_this_process = cache(folder_of_this_process)


@cache
def _processor() -> str:
    return hashlib.sha256(processor_features().encode("utf-8", "surrogateescape")).hexdigest()[:8]
