"""Records of a few cells and works of a few rows, for the tests of what is made of them."""

import hashlib
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import msgspec

from warpath.certificates.facts import Certificate
from warpath_study.provenance.facts import GraphFacts
from warpath_study.record import (
    SOURCES,
    Estimated,
    Measure,
    OutOfMemory,
    RandomSources,
    Record,
    Sample,
    Settings,
    SourceSample,
    Stretch,
    Timed,
    TimedFromSources,
    parse_run,
    write_record,
)
from warpath_study.report.cells import Data
from warpath_study.report.runs import collect
from warpath_study.works.work_file import GroupFields
from warpath_study.works.works import Choice, Work, load

ROOT = Path(__file__).resolve().parents[2]
H200 = {"kind": "cuda", "name": "NVIDIA H200"}
SIMULATED = {"kind": "simulated", "name": "Some CPU"}
CPU = {"kind": "cpu", "name": "Some CPU"}
PROBLEMS = {"bellman_ford": "sssp", "label_correcting": "sssp", "transitive_closure": "closure", "matrix_path": "grid"}
TOO_LARGE = "the matrix needs 900 GB and the device has 141 GB"
OUT_OF_MEMORY = {"outcome": OutOfMemory(TOO_LARGE), "certificate": None}


def samples(*seconds: float, **counters: list[int]) -> list[Sample]:
    """Full solves that took so long; those with ``counters`` began at random sources."""
    phases = [{"upload_s": 0.0, "solve_s": total, "download_s": 0.0} for total in seconds]
    if not counters:
        return [Sample(each) for each in phases]
    return [
        SourceSample(each, place, {name: values[place] for name, values in counters.items()})
        for place, each in enumerate(phases)
    ]


def record(dataset: str, run: str, seconds: float | None, /, **facts) -> Record:
    """A record of ``run``, such as ``floyd_warshall.naive``; ``facts`` replace what is usual.

    Besides what a record has, they are ``samples`` and ``counters`` of full solves, and ``estimated``.
    """
    algorithm, variant, asked = parse_run(run)
    parameters = {name: value for name, value in asked.items() if name != SOURCES}
    problem = PROBLEMS.get(algorithm, "apsp")
    drawn = RandomSources(asked[SOURCES], 1) if SOURCES in asked else None
    of = facts.get("graph") or graph(dataset, 10, 20)
    usual = {
        "dataset": dataset,
        "algorithm": algorithm,
        "variant": variant,
        "given": parameters,
        "parameters": parameters,
        "problem": problem,
        "source": 0 if problem == "sssp" and not drawn else None,
        "graph": of,
        "device": CPU if variant.startswith("cpu") else H200,
        "outcome": _outcome(seconds, facts),
        "certificate": certificate(problem, of, drawn),
        "measure": Measure(drawn or Settings(60.0, 3, 10, 0.02), 10),
        "environment": {},
        "code": {"kernels": {}, "launch": {}, "revisions": {}, "host_loop": sha256(str(seconds).encode()).hexdigest()},
        "started": "2026-03-14T09:00:00+00:00",
        "finished": "2026-03-14T09:01:00+00:00",
    }
    return Record(**{**usual, **facts})


def _outcome(seconds: float | None, facts: dict) -> Timed | TimedFromSources | Estimated | OutOfMemory:
    """What a run of so many seconds comes to; takes out of ``facts`` what is no field of a record."""
    taken, counters = facts.pop("samples", None), facts.pop("counters", {})
    timed, total, settled = facts.pop("estimated", (0, 0, True))
    if "outcome" in facts:
        return facts["outcome"]
    if timed:
        stretches = [Stretch(timed, timed * seconds / total)]
        return Estimated(stretches, total - timed, 0.0, 0.0, 0.0, settled, counted=counters)
    taken = taken or samples(seconds)
    return TimedFromSources(taken) if isinstance(taken[0], SourceSample) else Timed(taken, counters)


def certificate(problem: str, of: GraphFacts, drawn: RandomSources | None = None) -> Certificate:
    """The certificate of a full answer on a graph, where every source reaches every vertex."""
    sources = of.vertices if problem in ("apsp", "closure") else drawn.count if drawn else 1
    return Certificate("full", of.vertices, sources, sources * of.arcs, sources * of.vertices)


def keep(records: Path, dataset: str, run: str, seconds: float | None, /, **facts) -> Path:
    """Write a record where ``collect`` looks for it; returns its path."""
    path = records / dataset / f"{run}.json"
    write_record(path, record(dataset, run, seconds, **facts))
    return path


def graph(dataset: str, vertices: int, arcs: int, **about) -> GraphFacts:
    """The graph of a record."""
    return GraphFacts(vertices, arcs, hashlib.sha256(dataset.encode()).hexdigest(), {"dataset": dataset, **about})


def estimated(timed: int, total: int, settled: bool = True) -> dict:
    """The facts that make a record an estimate."""
    return {"estimated": (timed, total, settled)}


def written_work(folder: Path, text: str, suites: dict[str, str] | None = None, **published: str) -> Work:
    """A work of its own, with the text of its work.yaml, of suites, and of the tables in its folder ``published``."""
    for name, suite in (suites or {}).items():
        file = folder.parents[1] / "suites" / f"{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(suite, encoding="utf-8")
    (folder / "published").mkdir(parents=True)
    (folder / "work.yaml").write_text(text, encoding="utf-8")
    for name, table in published.items():
        (folder / "published" / f"{name}.csv").write_text(table, encoding="utf-8")
    return load(folder)


def our_work(name: str, **groups: dict[str, str]) -> Work:
    """The work ``name`` of workflow/works, with other rows, dataset by row, in some of its groups."""
    work = load(ROOT / "workflow" / "works" / name)
    of_groups = {
        group: GroupFields(rows=groups[group], columns=fields.columns, sources=fields.sources)
        for group, fields in work.fields.runs.items()
        if group in groups
    }
    return replace(work, fields=msgspec.structs.replace(work.fields, runs={**work.fields.runs, **of_groups}))


def data(work: Work, target: str, records: Path, choice: Choice | None = None) -> Data:
    """What a view of ``target`` is called with, of the records in a folder."""
    choice = choice or Choice()
    found = work.target(target, choice)
    return Data(work, found, choice, collect(work.requests(work.needs(found), choice), records))
