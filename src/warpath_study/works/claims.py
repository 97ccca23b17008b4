"""How a work's claims are measured: functions in its ``views.py``, marked by ``claim``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

Measured = Callable[[Any], Any]
"""From the runs of a group, see ``warpath_study.report.quantities``, to a quantity."""


@dataclass(frozen=True, kw_only=True)
class Claim:
    """How a claim of ``published/claims.csv`` is measured; ``claim`` describes the fields."""

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
    """Mark a function of ``views.py`` as what measures a claim, under the work's own setting.

    Parameters
    ----------
    sentence : str
        The claim, as in ``published/claims.csv``.
    runs : str
        The group of runs that the function gets.
    setting : str
        The setting under which the work measured it, in words.
    best : callable, optional
        Measures the same under the best setting, if that is a different one.
    best_setting : str, optional
        The best setting, in words.
    best_runs : str, optional
        The group of runs that ``best`` gets; by default ``runs``.
    printed : str, optional
        Table in ``published`` with the same rows: the work's graph sizes and times.
    rename : mapping of str to str, optional
        Column of that table -> variant.
    about : sequence of str, optional
        Tables and figures that show the claim.
    timing : bool, optional
        Whether it is about time, which a simulation cannot measure. True by default.
    """

    def mark(quantity: Measured) -> Measured:
        quantity.__globals__.setdefault("CLAIMS", []).append(Claim(claim=sentence, quantity=quantity, **fields))
        return quantity

    return mark
