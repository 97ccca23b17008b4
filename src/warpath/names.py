"""Names that a user gives. An unknown name is refused with the nearest known ones as a suggestion."""

import difflib
import re
from collections.abc import Collection, Iterable, Mapping

from .errors import UsageError

_SUGGESTED_MAX = 3
_LISTED_MAX = 12
# Control characters but for tab and line feed, halves of characters, and what is no character: XML has none of them, no
# program takes a NUL in an argument, and a half cannot be written as UTF-8.
UNPRINTABLE = re.compile("[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufffe\\uffff]")


def check_known(place: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise UsageError for the first of ``names`` that is not in ``known``, with the nearest known names."""
    for name in names:
        if name not in known:
            raise UsageError(f"{place}: unknown name {name!r}; {suggestion(name, known)}")


def suggestion(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about the unknown ``name``: "did you mean nyc?", or "there are ..." if none is near.

    A name is near if it is spelled alike, in either case, or contains ``name``.
    """
    names, text = [str(each) for each in known], str(name).lower()
    spelled = {each.lower(): each for each in names}
    # Names of numbers, k=3 and k=4, are near to each other but not meant for each other as often: one suffices.
    near = [spelled[each] for each in difflib.get_close_matches(text, spelled, n=1)]
    near = near or [each for each in names if len(text) > 1 and text in each.lower()][:_SUGGESTED_MAX]
    if near:
        return f"did you mean {' or '.join(near)}?"
    more = len(names) - _LISTED_MAX
    return f"there are {', '.join(names[:_LISTED_MAX]) or 'none'}{f' and {more} more' if more > 0 else ''}"


def check_printable(place: str, contents: object) -> None:
    """Raise UsageError if a key or a text anywhere in ``contents``, as read from YAML, has an unprintable character."""
    seen: set[int] = set()
    waiting: list[tuple[str, object]] = [(place, contents)]
    while waiting:
        where, value = waiting.pop()
        if isinstance(value, str):
            if found := UNPRINTABLE.search(value):
                raise UsageError(f"{where}: has the control character {found.group()!r}; write it without")
        elif isinstance(value, Mapping | list) and id(value) not in seen:
            seen.add(id(value))  # an alias of YAML may stand in many places, even in itself
            items = value.items() if isinstance(value, Mapping) else enumerate(value)
            for key, inner in items:
                if isinstance(key, str) and UNPRINTABLE.search(key):
                    waiting.append((f"{where}: {key!r}", key))
                waiting.append((f"{where}: {key}", inner))


def split_names(text: str) -> tuple[str, ...]:
    """The names in ``text``, with commas between them."""
    return tuple(name.strip() for name in text.split(",") if name.strip())
