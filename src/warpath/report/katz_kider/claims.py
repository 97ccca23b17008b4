"""The claims of the text, one by one: what is claimed, what was measured here, and whether it holds."""

from collections.abc import Callable
from dataclasses import dataclass

from ..csv_text import csv_text
from ..labels import date_range, listed, plain_number
from .published import Claim
from .runs import ALL_PAIRS, CAIDA, CLOSURE, Run, find


@dataclass(frozen=True)
class Checked:
    """A claim and its check; ``remark`` says what the measured number is of.

    ``holds`` is yes or no; "not measured" where runs are missing; "no GPU" and "other graph" where the number measured
    can say nothing about the paper's.
    """

    claim: str
    low: float
    high: float
    unit: str
    where: str
    measured: float | None
    holds: str
    remark: str


def check(claims: list[Claim], runs: list[Run]) -> list[Checked]:
    """Every claim in the file's order; one for which no check is known is "not measured"."""
    return [_checked(claim, runs) for claim in claims]


def claims_csv(checked: list[Checked]) -> str:
    """A CSV file's text."""
    return csv_text(Checked, checked)


def claims_markdown(checked: list[Checked], runs: list[Run]) -> str:
    """For reading."""
    lines = [
        "# Claims of the text and what was measured",
        "",
        "| Claim | Where | Claimed | Measured | Holds | Remark |",
        "| --- | --- | ---: | ---: | --- | --- |",
    ]
    for line in checked:
        claimed = f"{line.low:g}" if line.low == line.high else f"{line.low:g} to {line.high:g}"
        measured = "–" if line.measured is None else f"{plain_number(line.measured, 4)} {line.unit}"
        cells = (line.claim, line.where, f"{claimed} {line.unit}", measured, line.holds, line.remark)
        lines.append(f"| {' | '.join(cells)} |")
    devices = listed(list(dict.fromkeys(run.device for run in runs)))
    lines += ["", f"- {devices}, {date_range([run.date for run in runs])}."]
    lines.append("- A speedup holds where it is at least the lower bound, a time where it is at most the paper's.")
    if any(run.device_kind == "host" for run in runs):
        lines.append("- **Host simulation, not GPU times**: nothing here says whether a claim holds on a GPU.")
    return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class _Finding:
    measured: float
    bears_out: bool
    remark: str
    runs: list[Run]


_Check = Callable[[list[Run], Claim], _Finding | None]


def _checked(claim: Claim, runs: list[Run]) -> Checked:
    check = _CHECKS.get(claim.claim)
    finding = check(runs, claim) if check else None
    known = (claim.claim, claim.low, claim.high, claim.unit, claim.where)
    if finding is None:
        return Checked(*known, None, "not measured", "the runs it needs are not there")
    holds = "yes" if finding.bears_out else "no"
    if not all(run.comparable for run in finding.runs):
        holds = "other graph"
    if any(run.device_kind == "host" for run in finding.runs):
        holds = "no GPU"
    return Checked(*known, finding.measured, holds, finding.remark)


def _speedup(algorithm: str, base: str) -> _Check:
    """How many times as fast as ``base`` blocked is, on the largest graph on which both were run."""

    def verdict(runs: list[Run], claim: Claim) -> _Finding | None:
        pairs = []
        for row in dict.fromkeys(run.row for run in runs if run.row != CAIDA):
            slow, fast = find(runs, row, algorithm, base), find(runs, row, algorithm, "blocked")
            if slow and fast:
                pairs.append((fast.nodes, slow.seconds / fast.seconds, [slow, fast]))
        if not pairs:
            return None
        nodes, ratio, used = max(pairs, key=lambda pair: pair[0])
        best_nodes, best, _ = max(pairs, key=lambda pair: pair[1])
        remark = f"{base} over blocked at {nodes:,} vertices; most, {plain_number(best, 3)}, at {best_nodes:,}"
        if any(run.status == "estimated" for run in used):
            remark += "; estimated from the first iterations"
        return _Finding(ratio, ratio >= claim.low, remark, used)

    return verdict


def _milliseconds(variant: str) -> _Check:
    def verdict(runs: list[Run], claim: Claim) -> _Finding | None:
        run = find(runs, CAIDA, ALL_PAIRS, variant)
        if run is None:
            return None
        milliseconds = 1000 * run.seconds
        remark = f"{variant} on {run.dataset}: {run.nodes:,} vertices, {run.edges:,} arcs"
        return _Finding(milliseconds, milliseconds <= claim.high, remark, [run])

    return verdict


_CHECKS: dict[str, _Check] = {
    "speedup over standard CPU": _speedup(ALL_PAIRS, "cpu"),
    "speedup over blocked CPU": _speedup(ALL_PAIRS, "cpu_blocked"),
    "speedup over standard GPU (Harish and Narayanan)": _speedup(ALL_PAIRS, "standard"),
    "speedup over auto-tuned CPU (Han et al.)": _speedup(ALL_PAIRS, "cpu_tuned"),
    "transitive closure speedup over standard GPU": _speedup(CLOSURE, "naive"),
    "CAIDA first 1000 AS nodes standard GPU": _milliseconds("standard"),
    "CAIDA first 1000 AS nodes shared memory GPU": _milliseconds("blocked"),
}
