"""Claims of a work: functions in its ``views.py``, marked by ``claim``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Measured = Callable[[Any], Any]
"""A function from the runs of a group, see ``warpath_study.report.quantities``, to a quantity."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A claim, which is a sentence in ``published/claims.csv``, and how it is measured.

    ``quantity`` measures it from the group ``runs`` under the work's own ``setting``, a description. ``best`` measures
    it under ``best_setting``, if that differs, from ``best_runs`` or the same group. ``printed`` is a table in
    ``published`` with the same rows and the work's sizes and times; ``rename`` maps its columns to variants. ``about``
    names the tables and figures that show the claim. ``timing`` is False if it is not about time; a simulation can then
    measure it.
    """

    claim: str
    quantity: Measured
    runs: str
    setting: str
    best: Measured | None = None
    best_setting: str = ""
    best_runs: str = ""
    printed: str = ""
    rename: dict[str, str] = field(default_factory=dict)
    about: Sequence[str] = ()
    timing: bool = True

    @property
    def groups(self) -> list[str]:
        """The groups of runs that it is measured from."""
        return [group for group in (self.runs, self.best_runs) if group]


def claim(sentence: str, **fields: Any) -> Callable[[Measured], Measured]:
    """Mark a function of ``views.py`` as the ``quantity`` of a claim; ``fields`` are the other fields of ``Claim``."""

    def mark(quantity: Measured) -> Measured:
        quantity.__globals__.setdefault("CLAIMS", []).append(Claim(claim=sentence, quantity=quantity, **fields))
        return quantity

    return mark
