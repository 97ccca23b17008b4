"""The tidy table of runs: a line for each run in its row, a column for each fact. Every view starts from it.

Times are in seconds. With random sources, ``seconds`` and counters are means over the sources; ``min_s``, ``max_s`` and
``std_s`` describe the same samples.
"""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, median, pstdev
from typing import Any, cast

import pandas as pd

from warpath.atomic import write_text
from warpath.errors import FormatError, UsageError, WarpathError

from ..record import Record, read_record
from ..works.works import Asked
from .beside import beside, spans

# Columns of text, "" if there is none, and columns of whole numbers, which may be missing.
TEXT = [
    "row", "dataset", "run", "algorithm", "variant", "asked", "parameters", "problem", "graph_sha256", "weights",
    "generator", "status", "reason", "device_kind", "device", "date", "started", "finished", "machine", "versions",
    "certified", "code", "record",
]  # fmt: skip
WHOLE = [
    "source", "vertices", "arcs", "samples", "stragglers", "sources", "iterations_timed", "iterations_total",
    "certified_vertices", "beside",
]  # fmt: skip


STRAGGLER = 10
"""A sample of more than so many times the median is a straggler."""
REAL_ROADS = "Real roads with drawn weights"
"""How ``weights`` begins of a graph whose topology is that of real roads, but not its weights."""


def collect(asked: Iterable[Asked], records: str | os.PathLike) -> pd.DataFrame:
    """The table of those runs of ``asked`` that have a record in the folder ``records``, in the same order.

    Raises FormatError for a damaged record or one of another run, WarpathError if runs of one row that solve the same
    problem solved it on different graphs or from different sources, UsageError if there is no record at all.
    """
    lines: list[dict[str, Any]] = []
    drivers: list[str] = []
    first_of: dict[tuple[str, str, str], tuple[Path, Record]] = {}
    others = spans(records)
    for run in asked:
        file = Path(records, run.file)
        if not file.is_file():
            continue
        record = read_record(file)
        if (record.dataset, record.run) != (run.dataset, run.run):
            raise FormatError(
                f"{file}: holds the run {record.dataset} {record.run} where {run.dataset} {run.run} belongs; remove it "
                "and measure again"
            )
        _refuse_unlike(file, record, *first_of.setdefault((run.row, run.dataset, record.problem), (file, record)))
        lines.append(_line(run, file, record, beside(file, others)))
        drivers.append(_driver(record))
    if not lines:
        raise UsageError(f"{records}: no record of the runs asked for; measure first, with `warpath run`")
    table = pd.DataFrame(lines).astype(dict.fromkeys(WHOLE, "Int64"))
    # One driver tells nothing about a table.
    return table.assign(driver=drivers) if len({*drivers} - {""}) > 1 else table


def write_runs(path: str | os.PathLike, runs: pd.DataFrame) -> None:
    """Write the table with all digits of each number."""
    write_text(path, runs.to_csv(index=False, lineterminator="\n"))


def lines_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The lines of a table, each as column -> value."""
    return cast(list[dict[str, Any]], table.to_dict("records"))


def _refuse_unlike(file: Path, record: Record, first_file: Path, first: Record) -> None:
    """Raise WarpathError if two runs of a row cannot be compared: different graphs or sources."""
    sources = None not in (record.source, first.source)
    for what, here, there in (
        ("another graph", record.graph.sha256, first.graph.sha256),
        ("from other random sources", record.measure.random_sources, first.measure.random_sources),
        ("from another source vertex", sources and record.source, sources and first.source),
    ):
        if here != there:
            raise WarpathError(f"{file}: solved {what} than {first_file}; measure the older one again")


def _line(run: Asked, file: Path, record: Record, others: int) -> dict[str, Any]:
    totals = [sample.total_s for sample in record.samples]
    estimate, drawn = record.estimate, record.measure.random_sources
    certificate = record.certificate
    facts = {
        "row": run.row,
        "dataset": run.dataset,
        "run": run.run,
        "algorithm": record.algorithm,
        "variant": record.variant,
        "asked": _listed(record.asked),
        "parameters": _listed(dict(sorted(record.parameters.items()))),
        "problem": record.problem,
        "source": record.source,
        "vertices": record.graph.vertices,
        "arcs": record.graph.arcs,
        "graph_sha256": record.graph.sha256,
        "weights": _random_weights(record),
        "generator": record.graph.about.get("generator", ""),
        "status": _status(record),
        "reason": record.reason or "",
        "seconds": record.seconds,
        "samples": len(totals),
        "min_s": min(totals, default=None),
        "max_s": max(totals, default=None),
        "std_s": pstdev(totals) if totals else None,
        "stragglers": _stragglers(totals),
        "sources": drawn.count if drawn else None,
        "device_kind": record.device["kind"],
        "device": record.device["name"],
        "date": record.started[:10],
        "started": record.started,
        "finished": record.finished,
        "beside": others,
        "machine": str(record.environment.get("machine") or ""),
        "versions": _versions(record),
        "certified": certificate.scope if certificate else "",
        "certified_vertices": certificate.vertices if certificate else None,
        "iterations_timed": estimate.iterations_timed if estimate else None,
        "iterations_total": estimate.iterations_total if estimate else None,
        "seconds_timed": estimate.seconds_timed if estimate else None,
        "settled": estimate.settled if estimate else None,
        "standard_error_s": estimate.standard_error_s if estimate else None,
        "code": record.code.identity,
        "record": str(file),
    }
    of_record = (
        _phases(record),
        _counters(record),
        _answer(record),
        _prepared(record),
        _reductions(record),
        _launch(record),
    )
    further = [item for found in of_record for item in found.items()]
    taken = next((name for name, _ in further if name in facts), None)
    if taken:
        raise FormatError(f"{file}: not a record: a phase or counter is named {taken}, as the table's own column is")
    return {**facts, **dict(further)}


def _driver(record: Record) -> str:
    """The version of the GPU's driver; "" on the CPU, or where it is not known."""
    facts: Any = record.environment
    for name in ("gpu", "before", "driver"):
        facts = facts.get(name) if isinstance(facts, Mapping) else None
    return facts if isinstance(facts, str) else ""


def _status(record: Record) -> str:
    """The record's status; ``simulated`` if its time comes from the host device, even an estimated time.

    An estimate is ``unsettled`` if it is neither from final distances nor from sources with a standard error.
    """
    if record.device["kind"] == "host" and record.seconds:
        return "simulated"
    rough = record.estimate and not record.estimate.settled and record.estimate.standard_error_s is None
    return "unsettled" if rough else record.status


def _stragglers(totals: Sequence[float]) -> int:
    middle = median(totals) if totals else 0.0
    return sum(total > STRAGGLER * middle for total in totals)


def _versions(record: Record) -> str:
    """Packages, the peer among them, and Python."""
    packages = record.environment.get("packages")
    found = dict(packages) if isinstance(packages, Mapping) else {}
    if record.solved_by:
        found[record.solved_by.name] = record.solved_by.version
    if python := record.environment.get("python"):
        found["python"] = python
    return _listed(found)


def _phases(record: Record) -> dict[str, float]:
    """The mean of each phase over random sources; otherwise the phases of the middle sample."""
    if not record.samples:
        return {}
    if record.measure.random_sources:
        names = record.samples[0].phases
        return {name: fmean(sample.phases[name] for sample in record.samples) for name in names}
    ordered = sorted(record.samples, key=lambda sample: sample.total_s)
    return dict(ordered[len(ordered) // 2].phases)


def _counters(record: Record) -> dict[str, float]:
    """Counters of the last solve; with random sources, their means and the fewest iterations."""
    counted = [sample.counters for sample in record.samples if sample.counters]
    if not counted:
        return dict(record.counters)
    means = {name: fmean(counters[name] for counters in counted) for name in counted[0]}
    return {**means, "iterations_min": min(counters["iterations"] for counters in counted)}


def _answer(record: Record) -> dict[str, float]:
    """The numbers of a matrix product's answer by name: ``minimum_value``, ``path_weight``, ..."""
    answer = cast(dict[str, dict[str, Any]], record.answer or {})
    facts = {f"{name}_{fact}": value for name, part in answer.items() for fact, value in part.items()}
    return {name: value for name, value in facts.items() if isinstance(value, int | float)}


def _prepared(record: Record) -> dict[str, Any]:
    """What preparing the graph took, and the solver that is not ours; no columns in a table without either."""
    found: dict[str, Any] = {"preparation_s": record.preparation_s} if record.preparation_s else {}
    if by := record.solved_by:
        found |= {"peer": by.name, "peer_version": by.version, "peer_threads": by.threads}
        found["peer_settings"] = _listed(by.settings)
    return found


def _reductions(record: Record) -> dict[str, Any]:
    """What all pairs come to, and what a source costs; no columns in a table without such runs."""
    found = record.reductions
    if found is None or not record.samples:
        return {}
    phases = record.samples[0].phases
    of_rows = sum(phases[name] for name in ("solve_s", "certify_s", "reduce_s"))
    return {
        "rows": found.sources,
        "parts": found.parts,
        "solved_by": found.solved_by,
        "pairs": found.pairs,
        "diameter": found.diameter,
        "radius": found.radius,
        "mean_distance": found.mean_distance,
        "source_s": of_rows / found.sources,
    }


def _launch(record: Record) -> dict[str, float]:
    """What a launch and the wait for it took; no column in a table without it."""
    return {} if record.launch_and_wait_s is None else {"launch_and_wait_s": record.launch_and_wait_s}


def _random_weights(record: Record) -> str:
    """How the graph's random weights were drawn; "" if its weights are its own."""
    weights = record.graph.about.get("weights", {})
    if weights.get("kind") != "random":
        return ""
    drawn = f"in [{weights.get('min')}, {weights.get('max')}], seed {weights.get('seed')}"
    if weights.get("like") != "road_lengths":
        return f"Random weights {drawn}"
    what = "Drawn weights" if record.graph.about.get("generator") else REAL_ROADS
    return f"{what}, like the road lengths of New York {drawn}"


def _listed(values: Mapping[str, int | str]) -> str:
    return ",".join(f"{name}={value}" for name, value in values.items())
