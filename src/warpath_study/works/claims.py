"""How a work's claims are measured: functions in its ``views.py``, marked by ``claim``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Measured = Callable[[Any], Any]
"""From the runs of a group, see ``warpath_study.report.quantities``, to a quantity."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """How a claim is measured: its sentence in ``published/claims.csv``, and what ``claim`` was called with.

    ``quantity`` measures it under the work's own ``setting``, told in words, from the group ``runs``; ``best`` measures
    the same under ``best_setting``, if that is a different one, from ``best_runs`` or else the same group. ``printed``
    is a table in ``published`` with the same rows, the work's graph sizes and times, and ``rename`` maps its columns to
    variants. ``about`` names the tables and figures that show the claim. ``timing`` is False if it is not about time,
    which a simulation cannot measure.
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


def claim(sentence: str, **fields: Any) -> Callable[[Measured], Measured]:
    """Mark a function of ``views.py`` as the ``quantity`` of a claim; ``fields`` are the other fields of ``Claim``."""

    def mark(quantity: Measured) -> Measured:
        quantity.__globals__.setdefault("CLAIMS", []).append(Claim(claim=sentence, quantity=quantity, **fields))
        return quantity

    return mark
