"""The claims of the text, one by one: what is claimed, what was measured here, and whether it holds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ...algorithms.parameters import parse
from ..csv_text import csv_text
from ..labels import date_range, listed, plain_number
from .published import Claim, PublishedGraph
from .runs import BASE, Run

# Two numbers of iterations from other random sources are taken to agree within this fraction.
TOLERANCE = 0.1
# The graphs of the paper's Figure 4, and from how many sources the paper's numbers are.
FIGURE4 = ("New York", "CalNev", "Western")
SOURCES = 100
_OF_ONE = {"steps": "step", "vertices": "vertex", "iterations": "iteration"}


@dataclass(frozen=True)
class Checked:
    """A claim and its check; ``remark`` says what the measured number is of.

    ``holds`` is yes or no; "not measured" where runs are missing, which ``remark`` then names; "no GPU" and "other
    graph" where the number measured can say nothing about the paper's.
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
    unit = _OF_ONE.get(unit, unit) if value == 1 else unit
    return f"{plain_number(value, 4)}{'' if unit == 'x' else ' '}{unit}"


@dataclass(frozen=True)
class _Finding:
    """What was measured, of which runs, and whether it bears the claim out, if these runs are like the paper's."""

    measured: float
    bears_out: bool
    remark: str
    runs: list[Run]


# What is missing, where a claim's runs are not there.
_Check = Callable[[Runs, Claim], _Finding | str]


def _checked(claim: Claim, graphs: Mapping[str, PublishedGraph], runs: Runs) -> Checked:
    check = next((check for words, check in _CHECKS.items() if claim.claim.startswith(words)), None)
    finding = check(runs, claim) if check else "no check of this claim is known"
    known = (claim.claim, claim.value, claim.unit, claim.where)
    if isinstance(finding, str):
        return Checked(*known, None, "not measured", finding)
    holds = "yes" if finding.bears_out else "no"
    if any(run.row not in graphs or run.edges != graphs[run.row].arcs for run in finding.runs):
        holds = "other graph"
    if claim.unit != "iterations" and any(run.device_kind == "host" for run in finding.runs):
        holds = "no GPU"
    return Checked(*known, finding.measured, holds, finding.remark)


def _best_speedups(runs: Runs) -> dict[str, Run]:
    """For each graph the run of locality that gained most."""
    best: dict[str, Run] = {}
    for run in runs.figure3:
        if run.variant != BASE and run.speedup and run.speedup > (best[run.row].speedup if run.row in best else 0):
            best[run.row] = run
    return best


def _speedup(row: str, word: str, pick: Callable[..., Run]) -> _Check:
    """The speedup on ``row``, which must also be the lowest or the highest of those measured."""

    def verdict(runs: Runs, claim: Claim) -> _Finding | str:
        best = _best_speedups(runs)
        if row not in best:
            return f"no runs of {BASE} and locality on {row}"
        if len(best) == 1:
            return f"runs on {row} only; {word} needs another of the paper's graphs beside it"
        run, extreme = best[row], pick(best.values(), key=lambda run: run.speedup)
        among = f"{word} of {len(best)} of the paper's 7 graphs"
        remark = f"{run.dataset}, {run.asked}, the best setting there; {among}"
        if run.speedup != extreme.speedup:
            remark += f" is {extreme.speedup:.4g} on {extreme.dataset}"
        bears_out = run.speedup >= claim.value and run.speedup == extreme.speedup
        return _Finding(run.speedup, bears_out, remark, list(best.values()))

    return verdict


def _seconds(row: str, variant: str) -> _Check:
    def verdict(runs: Runs, claim: Claim) -> _Finding | str:
        times = [run for run in runs.figure3 if run.row == row and run.variant == variant]
        if not times:
            return f"no run of {variant} on {row}"
        run = min(times, key=lambda run: run.seconds)
        setting = f"{run.asked}, " if run.asked else ""
        remark = f"{run.dataset}, {setting}at most the paper's time is a yes"
        return _Finding(run.seconds, run.seconds <= claim.value, remark, [run])

    return verdict


def _figure4(runs: Runs) -> list[Run] | str:
    """The runs on all graphs of Figure 4, over which its claims speak; or which graphs lack them."""
    found = [run for run in runs.figure4 if run.row in FIGURE4]
    both = [{run.row for run in found if (run.variant == BASE) == base} for base in (True, False)]
    missing = [row for row in FIGURE4 if row not in both[0] & both[1]]
    return f"no runs with the weights of Figure 4 on {listed(missing)}" if missing else found


def _total_times(runs: list[Run], name: str) -> dict[int, float]:
    """Time over all graphs by the value of one parameter, the other at its best; each graph counts alike."""
    base = {run.row: run.seconds for run in runs if run.variant == BASE}
    times: dict[tuple[int, int], list[float]] = {}
    other = {"k": "vertices_per_thread", "vertices_per_thread": "k"}[name]
    for run in runs:
        if run.variant != BASE:
            settings = parse(run.parameters)
            times.setdefault((settings[name], settings[other]), []).append(run.seconds / base[run.row])
    # A setting that a graph lacks would seem to take less time.
    sums = {key: sum(parts) for key, parts in times.items() if len(parts) == len(base)}
    return {value: min(total for key, total in sums.items() if key[0] == value) for value, _ in sums}


def _best_value(name: str) -> _Check:
    def verdict(runs: Runs, claim: Claim) -> _Finding | str:
        used = _figure4(runs)
        if isinstance(used, str):
            return used
        times = _total_times(used, name)
        if claim.value not in times:
            return f"no runs of {name} = {claim.value:g}"
        best = min(times, key=times.get)
        # A faster value refutes the claim; only values on both sides bear it out.
        if best == claim.value and best in (bounds := (min(times), max(times))):
            return f"no runs of {name} {'above' if best == bounds[1] else 'below'} {best}, which might be faster"
        remark = "of the values of Figure 4, over its graphs, the other parameter at its best"
        return _Finding(float(best), best == claim.value, remark, used)

    return verdict


def _gain(runs: Runs, claim: Claim) -> _Finding | str:
    used = _figure4(runs)
    if isinstance(used, str):
        return used
    times = _total_times(used, "k")
    missing = [str(k) for k in range(1, 5) if k not in times]
    more = [seconds for k, seconds in times.items() if 1 < k < 5]
    if 1 not in times or not more:
        return f"no runs of k = {listed(missing)}"
    percent = 100 * (1 - min(more) / times[1])
    # Another k below 5 could only gain more.
    if percent < claim.value and missing:
        return f"no runs of k = {listed(missing)}"
    remark = "time saved by the best k from 2 to 4 against k = 1, over the graphs of Figure 4"
    return _Finding(percent, percent >= claim.value, remark, used)


def _least_iterations(runs: Runs, claim: Claim) -> _Finding | str:
    """The paper does not say with which weights; the run that comes nearer counts, and the remark names both."""
    own, revised = (
        [run for run in part if (run.row, run.variant) == ("New York", BASE) and run.sources >= SOURCES]
        for part in (runs.figure3, runs.figure4)
    )
    if not own and not revised:
        return f"no run of {BASE} from {SOURCES} sources on New York"
    nearest = min((*own, *revised), key=lambda run: abs(run.iterations_min - claim.value))
    close = abs(nearest.iterations_min - claim.value) <= TOLERANCE * claim.value
    if not close and not (own and revised):
        weights = "the weights of Figure 4" if own else "the roads' own weights"
        return f"no run of {BASE} with {weights} on New York"
    found = listed(list(dict.fromkeys(f"{run.iterations_min} on {run.dataset}" for run in (*own, *revised))))
    remark = f"{found}, {nearest.sources} sources; within 10 % is a yes"
    return _Finding(float(nearest.iterations_min), close, remark, [nearest])


# By the words with which a claim begins.
_CHECKS: dict[str, _Check] = {
    "speedup over Harish lowest (CalNev)": _speedup("CalNev", "lowest", min),
    "speedup over Harish highest (California)": _speedup("California", "highest", max),
    "Western USA locality-based": _seconds("Western", "locality"),
    "Western USA Harish": _seconds("Western", BASE),
    "CalNev locality-based": _seconds("CalNev", "locality"),
    "best k": _best_value("k"),
    "best vertices per thread": _best_value("vertices_per_thread"),
    "gain of locality": _gain,
    "Harish minimum iterations on New York": _least_iterations,
}
