"""Names that a user gives. An unknown name is refused with the nearest known ones as a suggestion."""

import difflib
import re
from collections.abc import Collection, Iterable

from .errors import UsageError

_SUGGESTED_MAX = 3
_LISTED_MAX = 12


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


def split_names(text: str) -> tuple[str, ...]:
    """The names in ``text``, with commas between them; a comma before ``name=`` belongs to the parameters of a run."""
    return tuple(name.strip() for name in re.split(r",(?!\w+=)", text) if name.strip())
