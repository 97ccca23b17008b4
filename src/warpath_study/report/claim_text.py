"""What was measured of a claim; and its line, in a CSV file and in words for a reader."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from ..works.claims import Claim
from .labels import plain_number, plain_seconds
from .published import PublishedClaim

HEADINGS = [
    "Claim", "Where", "Claimed", "In its own table", "Setting", "Measured", "Verdict", "Best setting", "Verdict there",
    "Remark",
]  # fmt: skip
_OF_ONE = {"steps": "step", "vertices": "vertex", "iterations": "iteration", "hours": "hour", "minutes": "minute"}


@dataclass(frozen=True)
class Finding:
    """The value of a quantity: its least and most, None if a run is missing, and the verdict on them."""

    low: float | None
    high: float | None
    verdict: str
    notes: Sequence[str]
    missing: Sequence[str]
    runs: pd.DataFrame = field(repr=False)


@dataclass(frozen=True)
class Judged:
    """A claim, the finding under the work's own setting, and the one under the best setting if that is a different one.

    ``printed`` is the range of the same quantity, computed from the times that the work prints; None without them.
    """

    claim: PublishedClaim
    fields: Claim
    own: Finding
    best: Finding | None
    printed: tuple[float, float] | None


def csv_line(judged: Judged) -> dict[str, str]:
    """All facts of a claim; ``measured`` and ``measured_high`` are the least and the most; equal for one number."""
    claim, own, best = judged.claim, judged.own, judged.best
    printed = judged.printed or (None, None)
    return {
        "claim": claim.claim,
        "where": claim.where,
        "low": _bound(claim.low),
        "high": _bound(claim.high),
        "unit": claim.unit,
        "setting": judged.fields.setting,
        "measured": _number(own.low),
        "measured_high": _number(own.high),
        "verdict": own.verdict,
        "best_setting": judged.fields.best_setting if best else "",
        "best": _number(best.low) if best else "",
        "best_high": _number(best.high) if best else "",
        "best_verdict": best.verdict if best else "",
        "printed": _number(printed[0]),
        "printed_high": _number(printed[1]),
        "remark": _remark(judged),
    }


def claim_line(judged: Judged) -> dict[str, str]:
    """The claim in words, by heading of the table."""
    claim, own, best = judged.claim, judged.own, judged.best
    low, high = judged.printed or (None, None)
    best_text = f"{_measured(best, claim.unit)} ({judged.fields.best_setting})" if best else ""
    return dict(
        zip(
            HEADINGS,
            [
                claim.claim,
                claim.where,
                claimed(claim.low, claim.high, claim.unit),
                "" if low is None or high is None else claim_range(low, high, claim.unit),
                judged.fields.setting,
                _measured(own, claim.unit),
                own.verdict,
                best_text,
                best.verdict if best else "",
                _remark(judged),
            ],
            strict=True,
        )
    )


def claimed(low: float | None, high: float | None, unit: str) -> str:
    """A claimed range: "60 to 130x", "4.9 s", "at least 1x"."""
    if low is None or high is None:
        bound = high if low is None else low
        return "" if bound is None else f"at {'most' if low is None else 'least'} {_with_unit(_readable(bound), unit)}"
    return _with_unit(_readable(low) if low == high else f"{_readable(low)} to {_readable(high)}", unit)


def _measured(finding: Finding, unit: str) -> str:
    low, high = finding.low, finding.high
    return "–" if low is None or high is None else claim_range(low, high, unit)


def claim_range(low: float, high: float, unit: str) -> str:
    """A measured range with four digits: "2.924 to 3.081x"."""
    least, most = (plain_number(value, 4) for value in (low, high))
    return _with_unit(least if least == most else f"{least} to {most}", unit)


def _with_unit(text: str, unit: str) -> str:
    unit = _OF_ONE.get(unit, unit) if text == "1" else unit
    return f"{text}{unit}" if unit in ("x", "") else f"{text} {unit}"


def _remark(judged: Judged) -> str:
    """What the numbers are based on; for the best setting, only what differs."""
    own = _told(judged.own)
    best = [part for part in _told(judged.best) if part not in own] if judged.best else []
    if best:
        best[0] = f"best setting: {best[0]}"
    return "; ".join([*own, *best])


def _told(finding: Finding) -> list[str]:
    if not finding.missing:
        return list(finding.notes)
    first, more = finding.missing[:_NAMED], len(finding.missing) - _NAMED
    missing = f"missing: {', '.join(first)}{f' and {more} more' if more > 0 else ''}"
    return [missing, *finding.notes]


_NAMED = 4  # at most this many missing runs are named in a remark


def _bound(value: float | None) -> str:
    """A bound with all the digits of its file."""
    return "" if value is None else f"{value:.12g}"


def _readable(value: float) -> str:
    return f"{value:,.12g}"


def _number(value: float | None) -> str:
    return "" if value is None else plain_seconds(value)
