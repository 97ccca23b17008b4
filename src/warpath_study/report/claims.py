"""The claims of a work, measured under the published setting and under the best setting, and the verdicts.

A verdict compares the measured numbers with the claimed range: ``below``, ``within`` or ``above``. Several numbers
give the verdicts of the minimum and the maximum: ``below to within``. If no comparison is possible, the verdict is

    not measured   runs are missing; the remark names them
    no GPU         the time is of the simulated GPU
    other graph    the measured graph is not the published one, see ``warpath_study.report.cells.is_comparable``
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from warpath.errors import FormatError, UsageError
from warpath.system.names import check_known

from ..works.claims import Claim, Measured
from ..works.works import PAPER, Choice, Work
from .cells import Data, is_comparable, told_apart
from .labels import plain_number, prose_list, unique
from .launches import mostly_waiting, shares
from .notes import (
    condition_notes,
    device_notes,
    fewer_arcs_note,
    hash_notes,
    is_simulated,
    list_note,
    simulation_notes,
    substitute_graph_notes,
    weight_notes,
)
from .published import NO_TABLE, PublishedClaim, PublishedTable, parse_seconds, read_claims
from .quantities import ClaimedRuns, Number, Series, combined
from .runs import ROUGH_ESTIMATE, Run, digits_of, mark_of_all
from .table import Line, Table, claim_text_columns, csv_number

CLAIMS = "claims.csv"
_SINGULAR = {"steps": "step", "vertices": "vertex", "iterations": "iteration", "hours": "hour", "minutes": "minute"}
_MISSING_LISTED_MAX = 4  # in a remark


@dataclass(frozen=True)
class Finding:
    """The range of a measured quantity and its verdict; the ends are None if a run is missing."""

    verdict: str
    low: float | None = None
    high: float | None = None
    notes: Sequence[str] = ()
    missing: Sequence[str] = ()
    runs: Sequence[Run] = field(default=(), repr=False)

    def text(self, unit: str) -> str:
        """The range with the mark of an estimate, such as "~1.1 to 2.6x"; "–" without one."""
        mark = mark_of_all(cell.estimated for cell in self.runs)
        text = range_text(self.low, self.high, unit, digits_of(mark, 4))
        return mark + text if text else "–"

    @property
    def remarks(self) -> list[str]:
        if not self.missing:
            return list(self.notes)
        more = len(self.missing) - _MISSING_LISTED_MAX
        missing = f"missing: {', '.join(self.missing[:_MISSING_LISTED_MAX])}"
        return [f"{missing} and {more} more" if more > 0 else missing, *self.notes]


@dataclass(frozen=True)
class ClaimResult:
    """A claim, the finding under the published setting, and under the best setting if that differs.

    ``printed`` is the range of the same quantity, computed from published times; None without them.
    """

    claim: PublishedClaim
    fields: Claim
    own: Finding
    best: Finding | None
    printed: tuple[float, float] | tuple[None, None]

    @property
    def remark(self) -> str:
        own = self.own.remarks
        best = [part for part in self.best.remarks if part not in own] if self.best else []
        return "; ".join([*own, *(f"best setting: {part}" if part is best[0] else part for part in best)])

    @property
    def facts(self) -> Line:
        """The claim as a line of the CSV file."""
        claim, own, best = self.claim, self.own, self.best or Finding("")
        return {
            "claim": claim.claim,
            "where": claim.where,
            "low": "" if claim.low is None else f"{claim.low:.12g}",
            "high": "" if claim.high is None else f"{claim.high:.12g}",
            "unit": claim.unit,
            "setting": self.fields.setting,
            "measured": csv_number(own.low),
            "measured_high": csv_number(own.high),
            "verdict": own.verdict,
            "best_setting": self.fields.best_setting if self.best else "",
            "best": csv_number(best.low),
            "best_high": csv_number(best.high),
            "best_verdict": best.verdict,
            "printed": csv_number(self.printed[0]),
            "printed_high": csv_number(self.printed[1]),
            "remark": self.remark,
        }

    @property
    def line(self) -> Line:
        """The claim as a line for reading."""
        claim, own, best = self.claim, self.own, self.best
        return {
            "Claim": claim.claim,
            "Where": claim.where,
            "Claimed": claimed_text(claim),
            "In its own table": range_text(self.printed[0], self.printed[1], claim.unit),
            "Setting": self.fields.setting,
            "Measured": own.text(claim.unit),
            "Verdict": own.verdict,
            "Best setting": f"{best.text(claim.unit)} ({self.fields.best_setting})" if best else "",
            "Verdict there": best.verdict if best else "",
            "Remark": self.remark,
        }


def claim_results(data: Data, claims: Sequence[Claim]) -> list[ClaimResult]:
    """Compare ``claims`` with the measured runs, in the order of the work's file of claims.

    Raises FormatError if that file and ``views.py`` have different claims, UsageError for an unknown name in a claim.
    """
    file, module = data.work.published_file(CLAIMS), data.work.path / "views.py"
    published = read_claims(file)
    measured = [claim.claim for claim in data.work.claims]
    check_known(f"{module}: claims", measured, published)
    for name in published:
        if measured.count(name) != 1:
            raise FormatError(f"{module}: claims: {name!r} of {file} must have one function")
    by_name = {claim.claim: claim for claim in claims}
    return [_claim_result(data, published[name], by_name[name]) for name in published if name in by_name]


def claims_table(data: Data) -> Table:
    """All claims of the work."""
    results = claim_results(data, data.work.claims)
    readable, used = _readable(results), _used(results)
    return Table(
        title=data.target.fields.title,
        lines=[result.facts for result in results],
        comparison=(),
        readable=readable,
        notes=_notes(data, results, used),
        text_columns=claim_text_columns(readable),
        details=[*device_notes(used), *weight_notes(used), *condition_notes(used), *hash_notes(used)],
    )


def target_claims(data: Data) -> list[Line]:
    """The claims about a target, as lines for reading."""
    claims = data.work.claims_about(data.target)
    return _readable(claim_results(data, claims)) if claims else []


def _readable(results: Sequence[ClaimResult]) -> list[Line]:
    """The claims as lines for reading, without empty columns."""
    lines = [result.line for result in results]
    return [{name: text for name, text in line.items() if any(other[name] for other in lines)} for line in lines]


def _claim_result(data: Data, claim: PublishedClaim, fields: Claim) -> ClaimResult:
    table = data.read_published(fields.printed, fields.rename)
    best = fields.best and _finding(data, claim, fields, fields.best, fields.best_runs or fields.runs, table)
    own = _finding(data, claim, fields, fields.quantity, fields.runs, table)
    return ClaimResult(claim, fields, own, best, _printed_range(data, fields, table))


def _finding(
    data: Data, claim: PublishedClaim, fields: Claim, measured: Measured, group: str, table: PublishedTable
) -> Finding:
    runs = {
        (cell.row, cell.run): cell for cell in data.measured_of(data.work.requests([group], Choice(data.choice.suite)))
    }
    value = _value(data.work, fields, measured, claimed_runs(data.work, group, data.choice.suite, runs))
    own = data.paper_datasets([group])
    value, others = _of_published_graphs(value, runs, table, own)
    every = combined(_numbers(value), lambda *values: max(values))
    used = [cell for key, cell in runs.items() if key in every.used]
    all_runs = [cell for key, cell in runs.items() if key in every.used | every.noted]
    known = [number.value for number in _numbers(value) if number.value is not None]
    low, high = min(known, default=None), max(known, default=None)
    if every.value is None or low is None or high is None:
        partial = [f"{range_text(low, high, claim.unit)} without them"] if known else []
        return Finding("not measured", notes=partial, missing=every.missing, runs=all_runs)
    verdict = _incomparable(fields, used, table, own) or verdict_of(claim, low, high)
    without = [f"left out (other graph): {prose_list(others)}"] if others else []
    waits = mostly_waiting(data.work, used, data.runs) if "below" in verdict else []
    why = [f"waits for launches take at least {shares(waits, 'variant')}"] if waits else []
    notes = [*_extremes_note(value), *without, *every.notes, *_estimate_notes(used), *why]
    return Finding(verdict, low, high, notes, runs=all_runs)


def claimed_runs(
    work: Work, group: str, suite: str, runs: Mapping[tuple[str, str], Run], printed: bool = False
) -> ClaimedRuns:
    """The runs of ``group`` in ``suite``, with the rows and columns of all suites."""
    suites = [PAPER, *work.suites]
    rows = unique(row for name in suites for row in work.group(group, name).rows)
    columns = unique(run.column for name in suites for run in work.requests([group], Choice(name)))
    return ClaimedRuns(rows, columns, work.requests([group], Choice(suite)), runs, printed)


def _value(work: Work, fields: Claim, measured: Measured, runs: ClaimedRuns) -> Number | Series:
    """The result of the claim's function; its errors become UsageError with the name of the claim."""
    position = work.place_of(fields)
    try:
        value = measured(runs)
    except (UsageError, ValueError) as error:
        raise UsageError(f"{position}: {error}") from error
    if not isinstance(value, Number | Series):
        raise UsageError(f"{position}: the function must return a quantity, not {value!r}")
    return value


def _numbers(value: Number | Series) -> list[Number]:
    return list(value.numbers.values()) if isinstance(value, Series) else [value]


def verdict_of(claim: PublishedClaim, low: float, high: float) -> str:
    """The position of ``low`` to ``high`` relative to the claimed range, which may be open."""

    def side(value: float) -> str:
        if claim.low is not None and value < claim.low:
            return "below"
        return "above" if claim.high is not None and value > claim.high else "within"

    return " to ".join(unique([side(low), side(high)]))


def _incomparable(fields: Claim, used: Sequence[Run], table: PublishedTable, own: Mapping[str, str]) -> str:
    """Why the measured numbers cannot be compared with the published ones; "" if they can."""
    if fields.timing and is_simulated(used):
        return "no GPU"
    return "" if _are_comparable(used, table, own) else "other graph"


def _are_comparable(used: Iterable[Run], table: PublishedTable, own: Mapping[str, str]) -> bool:
    return all(is_comparable(table.rows[cell.row], cell, own) for cell in used if cell.row in table.rows)


def _of_published_graphs(
    value: Number | Series, runs: Mapping[tuple[str, str], Run], table: PublishedTable, own: Mapping[str, str]
) -> tuple[Number | Series, list[str]]:
    """The numbers of a series without those of other graphs than the published ones, and the keys of the latter.

    If no others are left, the series stays as it is.
    """
    if not isinstance(value, Series):
        return value, []
    used = {key: [runs[run] for run in value.numbers[key].used if run in runs] for key in value.values}
    others = [key for key in used if not _are_comparable(used[key], table, own)]
    if not others or len(others) == len(used):
        return value, []
    return value.only(*(key for key in value.numbers if key not in others)), others


def _extremes_note(value: Number | Series) -> list[str]:
    """The keys of the minimum and the maximum of several numbers."""
    if not isinstance(value, Series) or len(value.values) < 2:
        return []
    least, most = (pick(value.values, key=value.values.__getitem__) for pick in (min, max))
    return [f"least in {least}, most in {most}, of {len(value.values)}"] if least != most else []


def _estimate_notes(used: Sequence[Run]) -> list[str]:
    return [
        f"{prose_list(unique(cell.variant for cell in used if cell.estimated == mark))} estimated from a part"
        f"{', before the distances were final' if mark == ROUGH_ESTIMATE else ''}"
        for mark in unique(cell.estimated for cell in used if cell.estimated)
    ]


def _printed_range(data: Data, fields: Claim, table: PublishedTable) -> tuple[float, float] | tuple[None, None]:
    """The range of the claim's quantity over all rows with published times."""
    cells = {}
    for run in data.work.requests([fields.runs], Choice(PAPER)) if table is not NO_TABLE else []:
        seconds = parse_seconds(table.cell(run.row, run.column.partition(".")[2], run.variant))
        if seconds is not None:
            vertices = table.rows[run.row].nodes or 0
            cells[run.row, run.run] = Run(
                row=run.row, dataset=run.dataset, status="ok", seconds=seconds, vertices=vertices
            )
    if not cells:
        return None, None
    runs = claimed_runs(data.work, fields.runs, PAPER, cells, printed=True)
    numbers = _numbers(_value(data.work, fields, fields.quantity, runs))
    known = [number.value for number in numbers if number.value is not None]
    return (min(known), max(known)) if known else (None, None)


def claimed_text(claim: PublishedClaim) -> str:
    """A claimed range: "60 to 130x", "4.9 s", "at least 1x"."""
    low, high = (None if value is None else f"{value:,.12g}" for value in (claim.low, claim.high))
    if low and high:
        return _with_unit(" to ".join(unique([low, high])), claim.unit)
    bound = low or high
    return f"at {'least' if low else 'most'} {_with_unit(bound, claim.unit)}" if bound else ""


def range_text(low: float | None, high: float | None, unit: str, digits: int = 4) -> str:
    """A measured range: "2.924 to 3.081x"; "" without one."""
    ends = unique(plain_number(value, digits) for value in (low, high) if value is not None)
    return _with_unit(" to ".join(ends), unit) if ends else ""


def _with_unit(text: str, unit: str) -> str:
    unit = _SINGULAR.get(unit, unit) if text == "1" else unit
    return f"{text}{unit}" if unit in ("x", "") else f"{text} {unit}"


def _used(results: Sequence[ClaimResult]) -> list[Run]:
    """The runs on which ``results`` rest."""
    findings = [finding for result in results for finding in (result.own, result.best) if finding]
    first: dict[tuple[str, str, str], Run] = {}  # rows of several groups may have one name, and other graphs
    for cell in (cell for finding in findings for cell in finding.runs):
        first.setdefault((cell.row, cell.dataset, cell.run), cell)
    return told_apart(first.values())


def _notes(data: Data, results: Sequence[ClaimResult], used: Sequence[Run]) -> list[str]:
    hardware = data.work.fields.hardware
    groups = unique(group for result in results for group in (result.fields.runs, result.fields.best_runs) if group)
    own = data.paper_datasets(groups)
    original = {(run.row, run.dataset) for run in data.work.requests(groups, Choice(PAPER))}
    measured = dict.fromkeys((cell.row, cell.dataset) for cell in used)
    fewer: dict[str, int] = {}
    for result in results:
        rows = data.read_published(result.fields.printed, result.fields.rename).rows
        fewer |= {
            cell.dataset: rows[cell.row].arcs_missing(cell.arcs)
            for cell in used
            if cell.row in rows and is_comparable(rows[cell.row], cell, own)
        }
    return [
        *simulation_notes(used),
        "Below, within and above compare the measured numbers with the claimed range. Several numbers have the "
        "verdicts of their minimum and maximum.",
        *list_note("The published times are from", [hardware] if hardware else []),
        *substitute_graph_notes(pair for pair in measured if pair not in original),
        *fewer_arcs_note(fewer),
    ]
