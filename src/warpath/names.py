"""Names that a user gives. An unknown name is refused with the nearest known one as a suggestion."""

import difflib
import re
from collections.abc import Collection, Iterable

from .errors import UsageError


def check_known(place: str, names: Iterable[str], known: Collection[str]) -> None:
    """Raise UsageError for the first of ``names`` that is not in ``known``, with the nearest known name."""
    for name in names:
        if name in known:
            continue
        near = difflib.get_close_matches(str(name), known, n=1)
        rest = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
        raise UsageError(f"{place}: unknown name {name!r}; {rest}")


def split_names(text: str) -> tuple[str, ...]:
    """The names in ``text``, with commas between them; a comma before ``name=`` belongs to the parameters of a run."""
    return tuple(name.strip() for name in re.split(r",(?!\w+=)", text) if name.strip())
