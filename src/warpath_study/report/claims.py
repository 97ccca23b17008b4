"""The claims of a work: what it says, what was measured under its own setting and under the best one, and the verdict.

A verdict compares the measured numbers with the claimed range: ``below``, ``within`` or ``above``. Several numbers
give the verdicts of the least and the most: ``below to within``. If no comparison is possible, the verdict is

    not measured   runs are missing; the remark names them
    no GPU         the time comes from a simulation
    other graph    the measured graph is not the work's, see ``warpath.report.cells.is_comparable``
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from warpath.errors import FormatError, UsageError
from warpath.names import check_known

from ..works.claims import Claim, Measured
from ..works.works import PAPER, Choice, Work
from .cells import ROUGH, Data, estimate_mark, is_comparable
from .circumstances import circumstances, hash_notes
from .claim_text import HEADINGS, Finding, Judged, claim_line, claim_range, csv_line
from .claimed_runs import ClaimedRuns
from .labels import listed, run_label
from .notes import device_notes, fewer_arcs_note, simulation_notes, weight_notes
from .published import NOTHING, PublishedClaim, PublishedTable, read_claims, seconds_of
from .quantities import Number, Series, combined
from .runs import lines_of
from .table import Table

CLAIMS = "claims.csv"


def judge(data: Data, claims: Sequence[Claim]) -> list[Judged]:
    """Compare ``claims`` with the measured runs, in the order of the work's file of claims.

    Raises FormatError if that file and ``views.py`` have different claims, UsageError for an unknown name in a claim.
    """
    published = _published(data)
    wanted = {claim.claim: claim for claim in claims}
    return [_judged(data, published[name], wanted[name]) for name in published if name in wanted]


def claims_table(data: Data) -> Table:
    """Every claim of the work."""
    judged = judge(data, data.work.claims)
    return Table(
        title=data.target.fields.title,
        lines=pd.DataFrame([csv_line(each) for each in judged]),
        comparison=None,
        shown=_shown(judged),
        about=_notes(data, judged),
        left=[name for name in HEADINGS if name not in ("Claimed", "In its own table", "Measured")],
    )


def claims_about(data: Data) -> list[pd.DataFrame]:
    """The claims about a target, as a list of one table for reading; empty if there are none."""
    claims = data.work.claims_about(data.target)
    return [_shown(judge(data, claims))] if claims else []


def _published(data: Data) -> dict[str, PublishedClaim]:
    file = data.work.published_file(CLAIMS)
    published = read_claims(file)
    place = data.work.path / "views.py"
    measured = [claim.claim for claim in data.work.claims]
    check_known(f"{place}: claims", measured, published)
    for name in published:
        if measured.count(name) != 1:
            raise FormatError(f"{place}: claims: {name!r} of {file} must be measured there once")
    return published


def _judged(data: Data, claim: PublishedClaim, fields: Claim) -> Judged:
    table = data.read_published(fields.printed, fields.rename)
    best = fields.best and _finding(data, claim, fields, fields.best, fields.best_runs or fields.runs, table)
    own = _finding(data, claim, fields, fields.quantity, fields.runs, table)
    return Judged(claim, fields, own, best, _of_printed(data, fields, table))


def _finding(
    data: Data, claim: PublishedClaim, fields: Claim, measured: Measured, group: str, table: PublishedTable
) -> Finding:
    runs = data.of(data.work.asked([group], Choice(data.choice.suite)))
    lines = {(line["row"], line["run"]): line for line in lines_of(runs)}
    value = _value(data, fields, measured, claimed_runs(data.work, group, data.choice.suite, lines))
    numbers = _numbers(value)
    every = combined(numbers, lambda *values: max(values))
    keys = zip(runs["row"], runs["run"], strict=True)
    used = runs[pd.Series([key in every.used for key in keys], index=runs.index, dtype=bool)]
    known = [number.value for number in numbers if number.value is not None]
    if every.value is None:
        rest = f"{claim_range(min(known), max(known), claim.unit)} without them" if known else ""
        return Finding(None, None, "not measured", [rest] if rest else [], every.missing, used)
    low, high = min(known), max(known)
    verdict = _obstacle(fields, used, table, data.own_datasets([group])) or compared(claim, low, high)
    return Finding(low, high, verdict, [*_ends(value), *every.notes, *_estimated(used)], [], used)


def claimed_runs(
    work: Work, group: str, suite: str, lines: Mapping[tuple[str, str], Mapping[str, Any]], printed: bool = False
) -> ClaimedRuns:
    """The runs of ``group`` in ``suite``, with the names of all suites."""
    suites = [PAPER, *work.fields.runs[group].suites]
    rows = dict.fromkeys(row for each in suites for row in work.group(group, each).rows)
    columns = dict.fromkeys(run.column for each in suites for run in work.asked([group], Choice(each)))
    return ClaimedRuns(list(rows), list(columns), work.asked([group], Choice(suite)), lines, printed)


def _value(data: Data, fields: Claim, measured: Measured, runs: ClaimedRuns) -> Number | Series:
    """What the claim's function returns. Raises UsageError, naming the claim, for an unknown name and the like."""
    place = data.work.place_of(fields)
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
    least, most = (_side(claim, value) for value in (low, high))
    return least if least == most else f"{least} to {most}"


def _side(claim: PublishedClaim, value: float) -> str:
    if claim.low is not None and value < claim.low:
        return "below"
    return "above" if claim.high is not None and value > claim.high else "within"


def _obstacle(fields: Claim, used: pd.DataFrame, table: PublishedTable, own: Mapping[str, str]) -> str:
    """Why the measured numbers cannot be compared with the work's; "" if they can."""
    if fields.timing and (used["device_kind"] == "host").any():
        return "no GPU"
    graphs = [(table.rows.get(line["row"]), line) for line in lines_of(used)]
    alike = all(graph is None or is_comparable(graph, line, own) for graph, line in graphs)
    return "" if alike else "other graph"


def _ends(value: Number | Series) -> list[str]:
    """The keys of the least and the most of several numbers."""
    if not isinstance(value, Series) or len(value.values) < 2:
        return []
    least, most = (pick(value.values, key=value.values.__getitem__) for pick in (min, max))
    return [f"least in {least}, most in {most}, of {len(value.values)}"] if least != most else []


def _estimated(used: pd.DataFrame) -> list[str]:
    names: dict[str, dict[str, None]] = {}
    for line in lines_of(used):
        if mark := estimate_mark(line):
            names.setdefault(mark, {})[line["variant"]] = None
    return [
        f"{' and '.join(of_mark)} estimated from a part{', before the distances were final' if mark == ROUGH else ''}"
        for mark, of_mark in names.items()
    ]


def _of_printed(data: Data, fields: Claim, table: PublishedTable) -> tuple[float, float] | None:
    """The range of the claim's quantity over all rows for which the work prints times."""
    if table is NOTHING:
        return None
    lines: dict[tuple[str, str], Mapping[str, Any]] = {}
    for run in data.work.asked([fields.runs], Choice(PAPER)):
        text = table.cell(run.row, run.column.partition(".")[2], run.variant)
        if (seconds := seconds_of(text)) is not None:
            lines[run.row, run.run] = {"seconds": seconds, "vertices": table.rows[run.row].nodes}
    runs = claimed_runs(data.work, fields.runs, PAPER, lines, printed=True)
    numbers = _numbers(_value(data, fields, fields.quantity, runs))
    known = [number.value for number in numbers if number.value is not None]
    return (min(known), max(known)) if lines and known else None


def _shown(judged: Sequence[Judged]) -> pd.DataFrame:
    """The table for reading, without empty columns."""
    shown = pd.DataFrame([claim_line(each) for each in judged], columns=HEADINGS)
    return shown.loc[:, [name for name in HEADINGS if (shown[name] != "").any()]]


def _notes(data: Data, judged: Sequence[Judged]) -> list[str]:
    findings = [finding for each in judged for finding in (each.own, each.best) if finding]
    used = pd.concat([finding.runs for finding in findings]).drop_duplicates(["row", "run"])
    used = used.assign(label=[run_label(variant) for variant in used["variant"]])
    hardware = data.work.fields.hardware
    groups = dict.fromkeys(group for each in judged for group in (each.fields.runs, each.fields.best_runs) if group)
    own = {(run.row, run.dataset) for run in data.work.asked(groups, Choice(PAPER))}
    stands = dict.fromkeys(zip(used["row"], used["dataset"], strict=True))
    pairs = [f"{dataset} for {row}" for row, dataset in stands if (row, dataset) not in own]
    printed = [data.read_published(each.fields.printed, each.fields.rename) for each in judged]
    fewer = {
        line["dataset"]: table.rows[line["row"]].arcs_missing(line["arcs"])
        for table in printed
        for line in lines_of(used)
        if line["row"] in table.rows and is_comparable(table.rows[line["row"]], line, dict(own))
    }
    return [
        *simulation_notes(used),
        "Below, within and above compare the measured numbers with the claimed range; several numbers give the "
        "verdicts of the least and the most.",
        *device_notes(used),
        *([f"The work's own times are from: {hardware}."] if hardware else []),
        *([f"Graphs in place of the work's own: {listed(pairs)}."] if pairs else []),
        *fewer_arcs_note(fewer),
        *weight_notes(used),
        *circumstances(used),
        *hash_notes(used),
    ]
