"""Records and published tables of a few cells, for the tests of tables and figures."""

import copy
import hashlib
from pathlib import Path

from warpath.measure.record import write_record
from warpath.report.published import PublishedTable, read_published

ROOT = Path(__file__).parent.parent
TABLE1 = ROOT / "data/published/bodra/table1.csv"
TABLE3 = ROOT / "data/published/bodra/table3.csv"
H200 = {"kind": "cuda", "name": "NVIDIA H200"}
HOST = {"kind": "host", "name": "Some CPU"}
CPU = {"kind": "cpu", "name": "Some CPU"}


def published(tmp_path: Path, text: str) -> PublishedTable:
    """The published table with this text."""
    path = tmp_path / "published.csv"
    path.write_text(text, encoding="utf-8")
    return read_published(path)


def keep(records: Path, dataset: str, algorithm: str, variant: str, seconds: float | None, /, **changes) -> Path:
    """Write a record and return its path; ``changes`` replace its top-level keys."""
    path = records / dataset / f"{algorithm}.{variant}.json"
    write_record(path, {**record(dataset, algorithm, variant, seconds), **changes})
    return path


def graph(dataset: str, vertices: int, arcs: int, **about) -> dict:
    """The ``graph`` of a record."""
    return {
        "vertices": vertices,
        "arcs": arcs,
        "sha256": hashlib.sha256(dataset.encode()).hexdigest(),
        "about": {"dataset": dataset, **about},
    }


def estimated(timed: int, total: int, settled: bool = True) -> dict:
    """The changes that make a record an estimate."""
    estimate = {
        "iterations_timed": timed,
        "iterations_total": total,
        "seconds_timed": 1.0,
        "seconds_per_iteration": 1.0 / timed,
        "settled": settled,
        "upload_s": 0.0,
        "finish_s": 0.0,
        "download_s": 0.0,
        "stretches": [{"first": 0, "last": timed, "seconds": 1.0}],
    }
    return {"status": "estimated", "reason": "a full run outlasts the budget", "samples": [], "estimate": estimate}


OUT_OF_MEMORY = {
    "status": "out_of_memory",
    "reason": "the matrix needs 900 GB and the device has 141 GB",
    "samples": [],
    "certificate": None,
}


def record(dataset: str, algorithm: str, variant: str, seconds: float | None) -> dict:
    one_source = algorithm == "bellman_ford"
    return copy.deepcopy(
        {
            "schema": 1,
            "dataset": dataset,
            "algorithm": algorithm,
            "variant": variant,
            "parameters": {},
            "problem": "sssp" if one_source else "apsp",
            "source": 0 if one_source else None,
            "graph": graph(dataset, 10, 20),
            "device": CPU if variant == "cpu" else H200,
            "status": "ok",
            "reason": None,
            "seconds": seconds,
            "samples": [{"upload_s": 0.0, "solve_s": seconds, "download_s": 0.0, "total_s": seconds}],
            "estimate": None,
            "counters": {},
            "certificate": {
                "verdict": "exact",
                "scope": "full",
                "vertices": 10,
                "sources": 1,
                "arcs_checked": 20,
                "reached": 10,
            },
            "measure": {"budget_s": 60.0, "repeats_min": 3, "repeats_max": 10, "spread": 0.02, "warmup_launches": 10},
            "environment": {},
            "sources": {},
            "started": "2026-03-14T09:00:00+00:00",
            "finished": "2026-03-14T09:01:00+00:00",
        }
    )
