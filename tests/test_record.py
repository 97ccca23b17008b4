"""Records: what is written comes back, and nothing but a record is written or read."""

import copy
import json

import pytest

from warpath.errors import FormatError
from warpath.measure.record import read_record, write_record

HASH = "0" * 64
OK = {
    "schema": 1,
    "dataset": "tiny",
    "algorithm": "bellman_ford",
    "variant": "naive",
    "parameters": {},
    "problem": "sssp",
    "source": 0,
    "graph": {"vertices": 3, "arcs": 2, "sha256": HASH, "about": {"title": "größer"}},
    "device": {"kind": "host", "name": "host (g++)", "memory_bytes": 1},
    "status": "ok",
    "reason": None,
    "seconds": 0.25,
    "samples": [{"upload_s": 0.05, "solve_s": 0.125, "download_s": 0.075, "total_s": 0.25}],
    "estimate": None,
    "counters": {"iterations": 2, "launches": 4},
    "certificate": {
        "verdict": "exact",
        "scope": "full",
        "vertices": 3,
        "sources": 1,
        "arcs_checked": 2,
        "reached": 3,
    },
    "measure": {"budget_s": 60.0, "repeats_min": 3, "repeats_max": 10, "spread": 0.02, "warmup_launches": 10},
    "environment": {"python": "3.11.7"},
    "sources": {"algorithms/bellman_ford/naive.cu": HASH},
    "started": "2025-01-02T03:04:05+00:00",
    "finished": "2025-01-02T03:04:06.5+00:00",
}
ESTIMATE = {
    "iterations_timed": 3,
    "iterations_total": 100,
    "seconds_timed": 3.0,
    "seconds_per_iteration": 1.0,
    "settled": True,
    "upload_s": 0.5,
    "finish_s": 0.0,
    "download_s": 0.5,
    "stretches": [{"first": 0, "last": 1, "seconds": 1.0}, {"first": 1, "last": 3, "seconds": 2.0}],
}
ESTIMATED = {**OK, "status": "estimated", "reason": "too long", "samples": [], "estimate": ESTIMATE, "seconds": 101.0}
OUT_OF_MEMORY = {
    **OK,
    "status": "out_of_memory",
    "reason": "too large",
    "seconds": None,
    "samples": [],
    "certificate": None,
}


@pytest.mark.parametrize("record", [OK, ESTIMATED, OUT_OF_MEMORY], ids=lambda record: record["status"])
def test_round_trip(tmp_path, record):
    path = tmp_path / "deep" / "tiny" / "a.json"
    write_record(path, record)
    assert read_record(path) == record
    assert [entry.name for entry in path.parent.iterdir()] == ["a.json"]


def test_equal_records_are_equal_files(tmp_path):
    write_record(tmp_path / "a.json", OK)
    write_record(tmp_path / "b.json", dict(reversed(OK.items())))
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def changed(path: str, value) -> dict:
    """OK with the key at dotted ``path`` set, or taken out where ``value`` is ``...``."""
    record = copy.deepcopy(OK)
    *parents, last = path.split(".")
    at = record
    for parent in parents:
        at = at[int(parent)] if parent.isdigit() else at[parent]
    if value is ...:
        del at[last]
    else:
        at[last] = value
    return record


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", 2),
        ("seconds", None),
        ("seconds", -1.0),
        ("seconds", "5.87"),
        ("samples", []),
        ("samples.0.solve_s", ...),
        ("samples.0.total_ms", 3),
        ("status", "fine"),
        ("estimate", ESTIMATE),
        ("certificate", None),
        ("certificate.verdict", "probably"),
        ("certificate.scope", "subgraph"),
        ("graph.sha256", "abc"),
        ("device.kind", "gpu"),
        ("device.name", ...),
        ("sources", {"naive.cu": "abc"}),
        ("started", "yesterday"),
        ("dataset", ...),
        ("extra", 1),
    ],
)
def test_what_breaks_the_schema_is_neither_written_nor_read(tmp_path, path, value):
    record = changed(path, value)
    target = tmp_path / "a.json"
    with pytest.raises(ValueError, match="refused to write"):
        write_record(target, record)
    assert not list(tmp_path.iterdir())
    target.write_text(json.dumps(record))
    with pytest.raises(FormatError, match="not a record of this version") as refusal:
        read_record(target)
    assert str(target) in str(refusal.value)
    assert path.rpartition(".")[2].rstrip("0123456789") in str(refusal.value)


def test_a_time_that_is_no_number_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="JSON"):
        write_record(tmp_path / "a.json", changed("seconds", float("nan")))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b'{"schema": 1,\n oops}', "line 2"), (b"", "line 1"), (b"\xff\xfe", "not a text file"), (b"[]", "not of type")],
)
def test_files_that_are_no_records(tmp_path, content, sentence):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=sentence) as refusal:
        read_record(path)
    assert str(path) in str(refusal.value)


def test_no_such_record(tmp_path):
    with pytest.raises(FormatError, match="no such record"):
        read_record(tmp_path / "none.json")
    with pytest.raises(FormatError, match="cannot be read"):
        read_record(tmp_path)
