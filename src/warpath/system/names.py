"""Names from users: checks, with similar names as suggestions, and what modules define."""

import difflib
import importlib
from collections.abc import Collection, Iterable
from operator import attrgetter
from typing import Any

from ..errors import UsageError, WarpathError

_SUGGESTED_MAX = 3
_LISTED_MAX = 12


def check_known(place: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise UsageError for the first of ``names`` that is not in ``known``."""
    for name in names:
        if name not in known:
            raise UsageError(f"{place}: unknown name {name!r}; {suggestion(name, known)}")


def defined(module: str, name: str) -> Any:
    """What ``module``, which may be the user's, defines as ``name``. Raises UsageError if that cannot be loaded."""
    try:
        return attrgetter(name)(importlib.import_module(module))
    except (MemoryError, WarpathError):
        raise
    except Exception as error:
        raise UsageError(f"{module}: {name} cannot be loaded ({type(error).__name__}: {error})") from error


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: "did you mean nyc?", or "there are ..." without a similar name."""
    names, text = [str(each) for each in known], str(name).lower()
    spelled = {each.lower(): each for each in names}
    similar = [spelled[each] for each in difflib.get_close_matches(text, spelled, n=1)]
    similar = similar or [each for each in names if len(text) > 1 and text in each.lower()][:_SUGGESTED_MAX]
    if similar:
        return f"did you mean {' or '.join(similar)}?"
    more = len(names) - _LISTED_MAX
    return f"there are {', '.join(names[:_LISTED_MAX]) or 'none'}{f' and {more} more' if more > 0 else ''}"
