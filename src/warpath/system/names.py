"""Checks of names from users, with similar names as suggestions."""

import difflib
import re
from collections.abc import Collection, Iterable, Mapping

from ..errors import UsageError

_SUGGESTED_MAX = 3
_LISTED_MAX = 12
# Control characters except tab and line feed, surrogates and noncharacters, which XML, arguments or UTF-8 cannot hold.
UNPRINTABLE = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]")


def check_known(place: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise UsageError for the first of ``names`` that is not in ``known``."""
    for name in names:
        if name not in known:
            raise UsageError(f"{place}: unknown name {name!r}; {suggestion(name, known)}")


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


def check_printable(place: str, contents: object) -> None:
    """Raise UsageError if a key or a string in ``contents``, as read from YAML, has an unprintable character."""
    visited: set[int] = set()
    remaining: list[tuple[str, object]] = [(place, contents)]
    while remaining:
        where, value = remaining.pop()
        if isinstance(value, str):
            if match := UNPRINTABLE.search(value):
                raise UsageError(f"{where}: remove the control character {match.group()!r}")
        elif isinstance(value, Mapping | list) and id(value) not in visited:
            visited.add(id(value))  # an alias in YAML may even contain itself
            items = value.items() if isinstance(value, Mapping) else enumerate(value)
            for key, inner in items:
                if isinstance(key, str) and UNPRINTABLE.search(key):
                    remaining.append((f"{where}: {key!r}", key))
                remaining.append((f"{where}: {key}", inner))


def split_names(text: str) -> tuple[str, ...]:
    """The names in ``text``, separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())
