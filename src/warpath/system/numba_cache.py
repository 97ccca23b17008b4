"""The folder of Numba's cache for warpath's functions.

By default, Numba uses the folder of the source or the user's cache, and fails if it can write to neither. Its index is
shared by all processors, so one node of a cluster could load the code of another. Here files are named by processor.
"""

import errno
import hashlib
import os
from functools import cache
from pathlib import Path
from typing import Any

from numba.core.caching import InTreeCacheLocator

from .folders import folder_of_this_process, why_unwritable
from .host_machine import processor_features
from .kernel_caches import cache_folder

_SOURCES = Path(__file__).resolve().parents[2]  # the folder of warpath and of warpath_study
_FULL = {os.strerror(number) for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)}


class CacheLocator(InTreeCacheLocator):
    """The first usable folder: beside the source, in the user's cache, or temporary.

    It applies to functions of warpath and of warpath_study.
    """

    @classmethod
    def from_function(cls, function: Any, file: str) -> "CacheLocator | None":
        source = Path(file)
        if not (source.is_relative_to(_SOURCES) and source.relative_to(_SOURCES).parts[0].startswith("warpath")):
            return None
        locator = cls(function, file)
        locator._cache_path = str(folder_for(source.parent))
        return locator

    def get_disambiguator(self) -> str:
        return f"{super().get_disambiguator()}-{_processor()}"


@cache
def folder_for(sources: Path) -> Path:
    """The cache of functions from the folder ``sources``. On a full disk, a folder that may have cached files."""
    in_cache = cache_folder() / "numba" / CacheLocator.get_suitable_cache_subpath(str(sources / "module.py"))
    reasons = {folder: _why_unusable(folder) for folder in (sources / "__pycache__", in_cache)}
    for accepted in ({None}, _FULL):
        for folder, reason in reasons.items():
            if reason in accepted and os.path.isdir(folder):
                return folder
    return _temporary_folder()


def _why_unusable(folder: Path) -> str | None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        return error.strerror or str(error)
    return why_unwritable(folder)


_temporary_folder = cache(folder_of_this_process)


@cache
def _processor() -> str:
    return hashlib.sha256(processor_features().encode("utf-8", "surrogateescape")).hexdigest()[:8]
