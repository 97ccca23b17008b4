"""The claims of a work: what it says, what was measured under its own setting and under the best one, and the verdict.

A verdict compares the measured numbers with the claimed range: ``below``, ``within`` or ``above``. Several numbers
give the verdicts of the least and the most: ``below to within``. If no comparison is possible, the verdict is

    not measured   runs are missing; the remark names them
    no GPU         the time comes from a simulation
    other graph    the measured graph is not the work's, see ``warpath_study.report.cells.is_comparable``
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from warpath.errors import FormatError, UsageError
from warpath.names import check_known

from ..works.claims import Claim, Measured
from ..works.works import PAPER, Choice, Work
from .cells import Data, is_comparable
from .labels import each, listed, plain_number
from .notes import (
    circumstances,
    device_notes,
    fewer_arcs_note,
    hash_notes,
    is_simulated,
    place_notes,
    simulation_notes,
    weight_notes,
)
from .published import NOTHING, PublishedClaim, PublishedTable, read_claims, seconds_of
from .quantities import ClaimedRuns, Number, Series, combined
from .runs import ROUGH, Cell
from .table import Line, Table, csv_number, headings

CLAIMS = "claims.csv"
_OF_ONE = {"steps": "step", "vertices": "vertex", "iterations": "iteration", "hours": "hour", "minutes": "minute"}
_NAMED = 4  # at most this many missing runs are named in a remark


@dataclass(frozen=True)
class Finding:
    """The value of a quantity: its least and most, None if a run is missing, and the verdict on them."""

    verdict: str
    low: float | None = None
    high: float | None = None
    notes: Sequence[str] = ()
    missing: Sequence[str] = ()
    runs: Sequence[Cell] = field(default=(), repr=False)

    def text(self, unit: str) -> str:
        """The measured range; "–" without one."""
        return claim_range(self.low, self.high, unit) or "–"

    @property
    def remarks(self) -> list[str]:
        if not self.missing:
            return list(self.notes)
        more = len(self.missing) - _NAMED
        named = f"missing: {', '.join(self.missing[:_NAMED])}"
        return [f"{named} and {more} more" if more > 0 else named, *self.notes]


@dataclass(frozen=True)
class Judged:
    """A claim, the finding under the work's own setting, and the one under the best setting if that is a different one.

    ``printed`` is the range of the same quantity, computed from the times that the work prints; None without them.
    """

    claim: PublishedClaim
    fields: Claim
    own: Finding
    best: Finding | None
    printed: tuple[float, float] | tuple[None, None]

    @property
    def remark(self) -> str:
        """What the numbers are based on; for the best setting, only what differs."""
        own = self.own.remarks
        best = [part for part in self.best.remarks if part not in own] if self.best else []
        return "; ".join([*own, *(f"best setting: {part}" if part is best[0] else part for part in best)])

    @property
    def facts(self) -> Line:
        """All facts of the claim; ``measured`` and ``measured_high`` are the least and the most."""
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
        """The claim in words."""
        claim, own, best = self.claim, self.own, self.best
        return {
            "Claim": claim.claim,
            "Where": claim.where,
            "Claimed": claimed(claim),
            "In its own table": claim_range(self.printed[0], self.printed[1], claim.unit),
            "Setting": self.fields.setting,
            "Measured": own.text(claim.unit),
            "Verdict": own.verdict,
            "Best setting": f"{best.text(claim.unit)} ({self.fields.best_setting})" if best else "",
            "Verdict there": best.verdict if best else "",
            "Remark": self.remark,
        }


def judge(data: Data, claims: Sequence[Claim]) -> list[Judged]:
    """Compare ``claims`` with the measured runs, in the order of the work's file of claims.

    Raises FormatError if that file and ``views.py`` have different claims, UsageError for an unknown name in a claim.
    """
    file, place = data.work.published_file(CLAIMS), data.work.path / "views.py"
    published = read_claims(file)
    measured = [claim.claim for claim in data.work.claims]
    check_known(f"{place}: claims", measured, published)
    for name in published:
        if measured.count(name) != 1:
            raise FormatError(f"{place}: claims: {name!r} of {file} must be measured there once")
    wanted = {claim.claim: claim for claim in claims}
    return [_judged(data, published[name], wanted[name]) for name in published if name in wanted]


def claims_table(data: Data) -> Table:
    """Every claim of the work."""
    judged = judge(data, data.work.claims)
    shown = _shown(judged)
    return Table(
        title=data.target.fields.title,
        lines=[one.facts for one in judged],
        comparison=(),
        shown=shown,
        about=_notes(data, judged),
        left=[name for name in headings(shown) if name not in ("Claimed", "In its own table", "Measured")],
    )


def claims_about(data: Data) -> list[Line]:
    """The claims about a target, in words."""
    claims = data.work.claims_about(data.target)
    return _shown(judge(data, claims)) if claims else []


def _shown(judged: Sequence[Judged]) -> list[Line]:
    """The claims in words, without empty columns."""
    lines = [one.line for one in judged]
    return [{name: text for name, text in line.items() if any(other[name] for other in lines)} for line in lines]


def _judged(data: Data, claim: PublishedClaim, fields: Claim) -> Judged:
    table = data.read_published(fields.printed, fields.rename)
    best = fields.best and _finding(data, claim, fields, fields.best, fields.best_runs or fields.runs, table)
    own = _finding(data, claim, fields, fields.quantity, fields.runs, table)
    return Judged(claim, fields, own, best, _of_printed(data, fields, table))


def _finding(
    data: Data, claim: PublishedClaim, fields: Claim, measured: Measured, group: str, table: PublishedTable
) -> Finding:
    runs = {(cell.row, cell.run): cell for cell in data.of(data.work.requests([group], Choice(data.choice.suite)))}
    value = _value(data.work, fields, measured, claimed_runs(data.work, group, data.choice.suite, runs))
    every = combined(_numbers(value), lambda *values: max(values))
    used = [cell for key, cell in runs.items() if key in every.used]
    known = [number.value for number in _numbers(value) if number.value is not None]
    low, high = min(known, default=None), max(known, default=None)
    if every.value is None or low is None or high is None:
        rest = [f"{claim_range(low, high, claim.unit)} without them"] if known else []
        return Finding("not measured", notes=rest, missing=every.missing, runs=used)
    verdict = _obstacle(fields, used, table, data.own_datasets([group])) or compared(claim, low, high)
    return Finding(verdict, low, high, [*_ends(value), *every.notes, *_estimated(used)], runs=used)


def claimed_runs(
    work: Work, group: str, suite: str, runs: Mapping[tuple[str, str], Cell], printed: bool = False
) -> ClaimedRuns:
    """The runs of ``group`` in ``suite``, with the names of all suites."""
    suites = [PAPER, *work.suites]
    rows = each(row for one in suites for row in work.group(group, one).rows)
    columns = each(run.column for one in suites for run in work.requests([group], Choice(one)))
    return ClaimedRuns(rows, columns, work.requests([group], Choice(suite)), runs, printed)


def _value(work: Work, fields: Claim, measured: Measured, runs: ClaimedRuns) -> Number | Series:
    """What the claim's function returns. Raises UsageError, naming the claim, for an unknown name and the like."""
    place = work.place_of(fields)
    try:
        value = measured(runs)
    except (UsageError, ValueError) as error:
        raise UsageError(f"{place}: {error}") from error
    if not isinstance(value, Number | Series):
        raise UsageError(f"{place}: must return a quantity of the runs, not {value!r}")
    return value


def _numbers(value: Number | Series) -> list[Number]:
    return list(value.numbers.values()) if isinstance(value, Series) else [value]


def compared(claim: PublishedClaim, low: float, high: float) -> str:
    """Where the numbers ``low`` to ``high`` lie relative to the claimed range, which may be open."""

    def side(value: float) -> str:
        if claim.low is not None and value < claim.low:
            return "below"
        return "above" if claim.high is not None and value > claim.high else "within"

    return " to ".join(each([side(low), side(high)]))


def _obstacle(fields: Claim, used: Sequence[Cell], table: PublishedTable, own: Mapping[str, str]) -> str:
    """Why the measured numbers cannot be compared with the work's; "" if they can."""
    if fields.timing and is_simulated(used):
        return "no GPU"
    alike = all(is_comparable(table.rows[cell.row], cell, own) for cell in used if cell.row in table.rows)
    return "" if alike else "other graph"


def _ends(value: Number | Series) -> list[str]:
    """The keys of the least and the most of several numbers."""
    if not isinstance(value, Series) or len(value.values) < 2:
        return []
    least, most = (pick(value.values, key=value.values.__getitem__) for pick in (min, max))
    return [f"least in {least}, most in {most}, of {len(value.values)}"] if least != most else []


def _estimated(used: Sequence[Cell]) -> list[str]:
    return [
        f"{listed(each(cell.variant for cell in used if cell.estimated == mark))} estimated from a part"
        f"{', before the distances were final' if mark == ROUGH else ''}"
        for mark in each(cell.estimated for cell in used if cell.estimated)
    ]


def _of_printed(data: Data, fields: Claim, table: PublishedTable) -> tuple[float, float] | tuple[None, None]:
    """The range of the claim's quantity over all rows for which the work prints times."""
    cells = {}
    for run in data.work.requests([fields.runs], Choice(PAPER)) if table is not NOTHING else []:
        seconds = seconds_of(table.cell(run.row, run.column.partition(".")[2], run.variant))
        if seconds is not None:
            vertices = table.rows[run.row].nodes or 0
            cells[run.row, run.run] = Cell(
                row=run.row, dataset=run.dataset, status="ok", seconds=seconds, vertices=vertices
            )
    if not cells:
        return None, None
    runs = claimed_runs(data.work, fields.runs, PAPER, cells, printed=True)
    numbers = _numbers(_value(data.work, fields, fields.quantity, runs))
    known = [number.value for number in numbers if number.value is not None]
    return (min(known), max(known)) if known else (None, None)


def claimed(claim: PublishedClaim) -> str:
    """A claimed range: "60 to 130x", "4.9 s", "at least 1x"."""
    low, high = (None if value is None else f"{value:,.12g}" for value in (claim.low, claim.high))
    if low and high:
        return _with_unit(" to ".join(each([low, high])), claim.unit)
    bound = low or high
    return f"at {'least' if low else 'most'} {_with_unit(bound, claim.unit)}" if bound else ""


def claim_range(low: float | None, high: float | None, unit: str) -> str:
    """A measured range with four digits: "2.924 to 3.081x"; "" without one."""
    ends = each(plain_number(value, 4) for value in (low, high) if value is not None)
    return _with_unit(" to ".join(ends), unit) if ends else ""


def _with_unit(text: str, unit: str) -> str:
    unit = _OF_ONE.get(unit, unit) if text == "1" else unit
    return f"{text}{unit}" if unit in ("x", "") else f"{text} {unit}"


def _notes(data: Data, judged: Sequence[Judged]) -> list[str]:
    findings = [finding for one in judged for finding in (one.own, one.best) if finding]
    first: dict[tuple[str, str], Cell] = {}
    for cell in (cell for finding in findings for cell in finding.runs):
        first.setdefault((cell.row, cell.run), cell)
    used = list(first.values())
    hardware = data.work.fields.hardware
    groups = each(group for one in judged for group in (one.fields.runs, one.fields.best_runs) if group)
    own = data.own_datasets(groups)
    asked = {(run.row, run.dataset) for run in data.work.requests(groups, Choice(PAPER))}
    fewer: dict[str, int] = {}
    for one in judged:
        rows = data.read_published(one.fields.printed, one.fields.rename).rows
        fewer |= {
            cell.dataset: rows[cell.row].arcs_missing(cell.arcs)
            for cell in used
            if cell.row in rows and is_comparable(rows[cell.row], cell, own)
        }
    return [
        *simulation_notes(used),
        "Below, within and above compare the measured numbers with the claimed range; several numbers give the "
        "verdicts of the least and the most.",
        *device_notes(used),
        *([f"The work's own times are from: {hardware}."] if hardware else []),
        *place_notes(dict.fromkeys((cell.row, cell.dataset) for cell in used if (cell.row, cell.dataset) not in asked)),
        *fewer_arcs_note(fewer),
        *weight_notes(used),
        *circumstances(used),
        *hash_notes(used),
    ]
