"""The claims of the text, one by one: what is claimed, what was measured here, and whether it holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...algorithms.parameters import parse
from ..csv_text import csv_text
from ..labels import date_range, listed
from .published import Claim, PublishedGraph
from .runs import BASE, Run

# Two numbers of iterations from other random sources are taken to agree within this fraction.
TOLERANCE = 0.1


@dataclass(frozen=True)
class Checked:
    """A claim and its check; ``remark`` says what the measured number is of.

    ``holds`` is yes or no; "not measured" where runs are missing; "no GPU" and "other graph" where the number measured
    can say nothing about the paper's.
    """

    claim: str
    claimed: float
    unit: str
    where: str
    measured: float | None
    holds: str
    remark: str


@dataclass(frozen=True)
class Runs:
    """The runs of Figure 3, on the graphs with their own weights, and of Figure 4, on the revised ones."""

    figure3: list[Run]
    figure4: list[Run]


def check(claims: list[Claim], graphs: Mapping[str, PublishedGraph], runs: Runs) -> list[Checked]:
    """Every claim in the file's order; one for which no check is known is "not measured"."""
    return [_checked(claim, graphs, runs) for claim in claims]


def claims_csv(checked: list[Checked]) -> str:
    """A CSV file's text."""
    return csv_text(Checked, checked)


def claims_markdown(checked: list[Checked], runs: Runs) -> str:
    """For reading."""
    used = [*runs.figure3, *runs.figure4]
    lines = [
        "# Claims of the text and what was measured",
        "",
        "| Claim | Where | Claimed | Measured | Holds | Remark |",
        "| --- | --- | ---: | ---: | --- | --- |",
    ]
    for line in checked:
        measured = "–" if line.measured is None else _with_unit(line.measured, line.unit)
        cells = (line.claim, line.where, _with_unit(line.claimed, line.unit), measured, line.holds, line.remark)
        lines.append(f"| {' | '.join(cells)} |")
    devices = listed(list(dict.fromkeys(run.device for run in used)))
    lines += ["", f"- {devices}, {date_range([run.date for run in used])}; the paper's times are of a GeForce GT 630."]
    if any(run.device_kind == "host" for run in used):
        lines.append(
            "- **Host simulation, not GPU times**: nothing here says whether a claim about time holds on a GPU."
        )
    replaced = list(dict.fromkeys(f"{run.dataset} for {run.row}" for run in runs.figure3))
    lines.append(f"- Graphs that stand for the paper's: {listed(replaced)}.")
    return "\n".join(lines) + "\n"


def _with_unit(value: float, unit: str) -> str:
    return f"{value:,.4g}{'' if unit == 'x' else ' '}{unit}"


@dataclass(frozen=True)
class _Finding:
    """What was measured, of which runs, and whether it bears the claim out, if these runs are like the paper's."""

    measured: float
    bears_out: bool
    remark: str
    runs: list[Run]


_Check = Callable[[Runs, Claim], _Finding | None]


def _checked(claim: Claim, graphs: Mapping[str, PublishedGraph], runs: Runs) -> Checked:
    check = next((check for words, check in _CHECKS.items() if claim.claim.startswith(words)), None)
    finding = check(runs, claim) if check else None
    known = (claim.claim, claim.value, claim.unit, claim.where)
    if finding is None:
        return Checked(*known, None, "not measured", "the runs it needs are not there")
    holds = "yes" if finding.bears_out else "no"
    if any(run.row not in graphs or run.edges != graphs[run.row].arcs for run in finding.runs):
        holds = "other graph"
    if claim.unit != "iterations" and any(run.device_kind == "host" for run in finding.runs):
        holds = "no GPU"
    return Checked(*known, finding.measured, holds, finding.remark)


def _best_speedups(runs: Runs) -> list[Run]:
    """For each graph the run of locality that gained most."""
    best: dict[str, Run] = {}
    for run in runs.figure3:
        if run.variant != BASE and run.speedup and run.speedup > (best[run.row].speedup if run.row in best else 0):
            best[run.row] = run
    return list(best.values())


def _speedup(pick: Callable[..., Run]) -> _Check:
    def verdict(runs: Runs, claim: Claim) -> _Finding | None:
        best = _best_speedups(runs)
        if not best:
            return None
        run = pick(best, key=lambda run: run.speedup)
        remark = f"{run.dataset}, {run.asked}, the best setting there"
        return _Finding(run.speedup, run.speedup >= claim.value, remark, best)

    return verdict


def _seconds(row: str, variant: str) -> _Check:
    def verdict(runs: Runs, claim: Claim) -> _Finding | None:
        times = [run for run in runs.figure3 if run.row == row and run.variant == variant]
        if not times:
            return None
        run = min(times, key=lambda run: run.seconds)
        setting = f"{run.asked}, " if run.asked else ""
        remark = f"{run.dataset}, {setting}at most the paper's time is a yes"
        return _Finding(run.seconds, run.seconds <= claim.value, remark, [run])

    return verdict


def _total_times(runs: Runs, name: str) -> dict[int, float]:
    """Time over all graphs by the value of one parameter, the other at its best; each graph counts alike."""
    base = {run.row: run.seconds for run in runs.figure4 if run.variant == BASE}
    sums: dict[tuple[int, int], float] = {}
    other = {"k": "vertices_per_thread", "vertices_per_thread": "k"}[name]
    for run in runs.figure4:
        if run.variant != BASE:
            settings = parse(run.parameters)
            key = settings[name], settings[other]
            sums[key] = sums.get(key, 0.0) + run.seconds / base[run.row]
    return {value: min(total for key, total in sums.items() if key[0] == value) for value, _ in sums}


def _best_value(name: str) -> _Check:
    def verdict(runs: Runs, claim: Claim) -> _Finding | None:
        times = _total_times(runs, name)
        if not times:
            return None
        best = min(times, key=times.get)
        remark = "of the values of Figure 4, over its graphs, the other parameter at its best"
        return _Finding(float(best), best == claim.value, remark, runs.figure4)

    return verdict


def _gain(runs: Runs, claim: Claim) -> _Finding | None:
    times = _total_times(runs, "k")
    more = [seconds for k, seconds in times.items() if 1 < k < 5]
    if 1 not in times or not more:
        return None
    percent = 100 * (1 - min(more) / times[1])
    remark = "time saved by the best k from 2 to 4 against k = 1, over the graphs of Figure 4"
    return _Finding(percent, percent >= claim.value, remark, runs.figure4)


def _least_iterations(runs: Runs, claim: Claim) -> _Finding | None:
    """The paper does not say with which weights; the run that comes nearer counts, and the remark names both."""
    harish = [run for run in (*runs.figure3, *runs.figure4) if (run.row, run.variant) == ("New York", BASE)]
    if not harish:
        return None
    nearest = min(harish, key=lambda run: abs(run.iterations_min - claim.value))
    found = listed(list(dict.fromkeys(f"{run.iterations_min} on {run.dataset}" for run in harish)))
    close = abs(nearest.iterations_min - claim.value) <= TOLERANCE * claim.value
    remark = f"{found}, {nearest.sources} sources; within 10 % is a yes"
    return _Finding(float(nearest.iterations_min), close, remark, [nearest])


# By the words with which a claim begins.
_CHECKS: dict[str, _Check] = {
    "speedup over Harish lowest": _speedup(min),
    "speedup over Harish highest": _speedup(max),
    "Western USA locality-based": _seconds("Western", "locality"),
    "Western USA Harish": _seconds("Western", BASE),
    "CalNev locality-based": _seconds("CalNev", "locality"),
    "best k": _best_value("k"),
    "best vertices per thread": _best_value("vertices_per_thread"),
    "gain of locality": _gain,
    "Harish minimum iterations on New York": _least_iterations,
}
