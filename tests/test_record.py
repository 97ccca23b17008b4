"""Records: what is written comes back, and nothing but a record is written or read."""

import copy
import json

import msgspec
import pytest

from warpath.errors import FormatError, UsageError
from warpath_study.record import Record, parse_run, run_name
from warpath_study.records.files import read_record, schema, write_record

HASH = "0" * 64
OK = {
    "format": 3,
    "dataset": "tiny",
    "algorithm": "bellman_ford",
    "variant": "naive",
    "asked": {},
    "parameters": {},
    "problem": "sssp",
    "source": 0,
    "source_label": "Köln",
    "graph": {"vertices": 3, "arcs": 2, "sha256": HASH, "about": {"title": "größer"}},
    "device": {"kind": "host", "name": "host (g++)", "memory_bytes": 1},
    "status": "ok",
    "reason": None,
    "seconds": 0.25,
    "samples": [{"total_s": 0.25, "phases": {"upload_s": 0.05, "solve_s": 0.125, "download_s": 0.075}}],
    "preparation_s": 0.5,
    "solved_by": None,
    "launch_and_wait_s": None,
    "estimate": None,
    "counters": {"iterations": 2, "launches": 4},
    "certificate": {
        "verdict": "exact",
        "tolerances": {},
        "scope": "full",
        "vertices": 3,
        "sources": 1,
        "arcs_checked": 2,
        "reached": 3,
    },
    "answer": None,
    "reductions": None,
    "measure": {"budget_s": 60.0, "repeats_min": 3, "repeats_max": 10, "spread": 0.02, "warmup_launches": 10},
    "environment": {"python": "3.11.7"},
    "code": {
        "kernels": {"naive.cu": HASH},
        "launch": {"block": [1024]},
        "revisions": {"variant": 1, "sampling": 1, "cuda": 1},
        "host_loop": HASH,
    },
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
ESTIMATED = {
    **OK,
    "status": "estimated",
    "reason": "too long",
    "samples": [],
    "estimate": ESTIMATE,
    "seconds": 101.0,
    "counters": {"iterations": 3},
}
BY_SOURCE = {
    **ESTIMATED,
    "estimate": {
        **ESTIMATE,
        "settled": False,
        "stretches": [{"first": 0, "last": 1, "seconds": 2.0}, {"first": 1, "last": 3, "seconds": 1.0}],
        "standard_error_s": (1.5 * 100 * 97 / 3) ** 0.5,
    },
}
OUT_OF_MEMORY = {
    **OK,
    "status": "out_of_memory",
    "reason": "too large",
    "seconds": None,
    "samples": [],
    "certificate": None,
}


def sample(source: int, seconds: float) -> dict:
    return {"total_s": seconds, "phases": {"solve_s": seconds}, "source": source, "counters": {"iterations": source}}


FROM_EACH = {
    **OK,
    "algorithm": "label_correcting",
    "variant": "locality",
    "asked": {"k": 4, "sources": 3},
    "parameters": {"k": 4, "unread_launches": 7},
    "source": None,
    "source_label": None,
    "counters": {"iterations": 1},
    "certificate": {**OK["certificate"], "sources": 3, "arcs_checked": 6, "reached": 5},
    "samples": [sample(2, 1.0), sample(0, 2.0), sample(1, 6.0)],
    "seconds": 3.0,
    "measure": {"warmup_launches": 1, "random_sources": {"count": 3, "seed": 1}},
}
GRID = {
    **OK,
    "algorithm": "matrix_path",
    "variant": "frontier",
    "problem": "grid",
    "source": None,
    "source_label": None,
    "graph": {**OK["graph"], "vertices": 9, "arcs": 24},
    "certificate": {
        "verdict": "exact in float32",
        "scope": "full",
        "vertices": 9,
        "sources": 1,
        "arcs_checked": 24,
        "reached": 9,
        "tolerances": {"product": 1e-7, "weight": 1e-7},
    },
    "answer": {
        "minimum": {"value": 0.5, "row": 1, "column": 0},
        "second_minimum": {"value": 0.75, "row": 2, "column": 1},
        "path": {"source": [1, 0], "destination": [2, 1], "weight": 3.0, "moves": "RD"},
    },
}
OF_PEER = {
    **OK,
    "algorithm": "peer_sssp",
    "variant": "scipy",
    "device": {"kind": "cpu", "name": "a processor"},
    "solved_by": {"name": "scipy", "version": "1.17.1", "threads": 1, "settings": {"delta": 4}},
}
WRONG = {
    **OF_PEER,
    **{key: OUT_OF_MEMORY[key] for key in ("reason", "seconds", "samples", "certificate")},
    "status": "wrong",
}
MISSING = {**WRONG, "status": "missing", "solved_by": None}
RECORDS = {
    "of a peer": OF_PEER,
    "wrong": WRONG,
    "missing": MISSING,
    "ok": OK,
    "estimated": ESTIMATED,
    "estimated by source": BY_SOURCE,
    "out of memory": OUT_OF_MEMORY,
    "from each": FROM_EACH,
    "grid": GRID,
}


def typed(record: dict) -> Record:
    return msgspec.convert(record, Record)


@pytest.mark.parametrize("record", RECORDS.values(), ids=RECORDS)
def test_round_trip(tmp_path, record):
    path = tmp_path / "deep" / "tiny" / "a.json"
    write_record(path, typed(record))
    assert read_record(path) == typed(record)
    assert [entry.name for entry in path.parent.iterdir()] == ["a.json"]
    written = json.loads(path.read_text())
    assert {key: written[key] for key in record} == record  # every number as it was


def test_a_record_from_before_sources_had_labels_is_read(tmp_path):
    (tmp_path / "old.json").write_text(json.dumps(changed("source_label", ...)))
    assert read_record(tmp_path / "old.json") == typed(changed("source_label", None))


def test_a_record_from_before_preparation_was_told_is_read(tmp_path):
    (tmp_path / "old.json").write_text(json.dumps(changed("solved_by", ..., changed("preparation_s", ...))))
    assert read_record(tmp_path / "old.json") == typed(changed("preparation_s", 0.0))


def test_equal_records_are_equal_files(tmp_path):
    write_record(tmp_path / "a.json", typed(OK))
    write_record(tmp_path / "b.json", typed(dict(reversed(OK.items()))))
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


def changed(path: str, value, record: dict = OK) -> dict:
    """``record`` with the key at dotted ``path`` set, or taken out where ``value`` is ``...``."""
    record = copy.deepcopy(record)
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
    ("record", "path", "value"),
    [
        (OUT_OF_MEMORY, "status", "wrong"),  # ours are not recorded as wrong
        (WRONG, "seconds", 1.0),
        (WRONG, "reason", None),
        (OF_PEER, "solved_by.threads", 0),
        (OK, "format", 99),
        (OK, "seconds", -1.0),
        (OK, "seconds", "5.87"),
        (OK, "samples.0.phases", ...),
        (OK, "samples.0.total_ms", 3),
        (OK, "samples.0.phases.solve_s", -1.0),
        (OK, "status", "failed"),
        (OK, "certificate.verdict", "probably"),
        (OK, "graph.sha256", "abc"),
        (OK, "graph.vertices", 0),
        (OK, "code.kernels", {"naive.cu": "abc"}),
        (OK, "code", None),
        (OK, "started", "yesterday"),
        (OK, "dataset", ...),
        (OK, "extra", 1),
        # Each key by itself is right, and they do not fit together.
        (OK, "device.kind", "gpu"),
        (OK, "device.name", ...),
        (OK, "seconds", None),
        (OK, "seconds", 0.0),
        (OK, "seconds", 0.24),
        (OK, "samples.0.total_s", 0.26),
        (OK, "asked", {"sources": 3}),
        (OK, "asked", {"k": 3}),
        (FROM_EACH, "asked", {"k": 4}),
        (FROM_EACH, "seconds", 2.0),
        (OK, "status:samples", []),
        (OK, "status:estimate", ESTIMATE),
        (OK, "status:certificate", None),
        (OK, "status:certificate.scope", "subgraph"),
        (OK, "status:graph.vertices,samples", (1, [])),
        (ESTIMATED, "status:estimate", None),
        (ESTIMATED, "status:reason", None),
        (ESTIMATED, "status:certificate", None),
        (ESTIMATED, "status:samples", OK["samples"]),
        (OUT_OF_MEMORY, "status:reason", None),
        (OUT_OF_MEMORY, "status:seconds", 1.0),
        (OUT_OF_MEMORY, "status:samples", OK["samples"]),
        # Whatever follows from other keys is computed again.
        (OK, "seconds", 0.25 * (1 + 1e-9)),
        (OK, "seconds", 1e300),
        (OK, "dataset", "ti\0ny"),
        (OK, "device:device.name", "a\nb"),
        (OK, "problem", "apsp"),
        (OK, "source", None),
        (OK, "source", 3),
        (OK, "samples:samples.0.source", 0),
        (OK, "measure.repeats_max", 0),
        (OK, "samples.0.source:samples.0.counters", {"iterations": 2}),
        (OK, "counters", {"launches": -1}),
        (OK, "counters", {"launches": 2**63}),
        (OK, "certificate.vertices", 1),
        (OK, "certificate.vertices", 4),
        (OK, "certificate.sources", 2),
        (OK, "certificate.arcs_checked", 1),
        (OK, "certificate.arcs_checked", 3),
        (OK, "certificate.reached", 4),
        (OK, "certificate.verdict", "exact in float32"),
        (OK, "answer", GRID["answer"]),
        (OK, "finished", "2025-01-02T03:04:04+00:00"),
        (OK, "finished", "2025-01-02T05:04:06+02:30"),
        (OK, "started", "2025-02-30T03:04:05+00:00"),
        (OK, "graph.about.weights:graph.about", {"weights": "random"}),
        (ESTIMATED, "seconds", 1.01),
        (ESTIMATED, "estimate.seconds_timed", 2.0),
        (ESTIMATED, "estimate.seconds_per_iteration", 0.5),
        (ESTIMATED, "seconds:estimate.upload_s", 0.25),
        (ESTIMATED, "seconds:estimate.iterations_total", 1000),
        (ESTIMATED, "iterations_timed:estimate.iterations_total", 3),
        (ESTIMATED, "iterations_timed:estimate.iterations_timed", 2),
        (ESTIMATED, "stretches:estimate.stretches.0.first", 1),
        (ESTIMATED, "stretches:estimate.stretches.1.first", 2),
        (ESTIMATED, "seconds_timed:estimate.stretches.1.seconds", 1.0),
        (ESTIMATED, "settled:certificate.scope", "subgraph"),
        (ESTIMATED, "counters", {"iterations": 4}),
        (ESTIMATED, "standard_error_s:estimate.standard_error_s", 1.0),
        (BY_SOURCE, "seconds", 51.5),  # what the last stretch alone says
        (BY_SOURCE, "estimate.standard_error_s", 22.0),
        (BY_SOURCE, "estimate.seconds_per_iteration", 0.5),
        (
            BY_SOURCE,
            "standard_error_s:estimate.stretches",
            [{"first": 0, "last": 3, "seconds": 3.0}],
        ),
        (FROM_EACH, "samples", FROM_EACH["samples"][:2]),
        (FROM_EACH, "samples:samples.0.source", 0),
        (FROM_EACH, "samples:samples.0.source", 3),
        (FROM_EACH, "samples:samples.0.source", ...),
        (FROM_EACH, "samples:samples.0.counters", {"launches": 1}),
        (FROM_EACH, "phases:samples.1.phases", {"upload_s": 2.0}),
        (FROM_EACH, "counters", {"iterations": 2}),
        (FROM_EACH, "source", 0),
        (FROM_EACH, "certificate.sources", 1),
        (GRID, "graph", {**GRID["graph"], "vertices": 8}),
        (GRID, "answer", None),
        (GRID, "answer.minimum", ...),
        (GRID, "answer.path.weight:answer.path.weight", "3"),
        (GRID, "moves:answer.path.moves", "RDX"),
        (GRID, "moves:answer.path.moves", "RDD"),
        (GRID, "answer:answer.path.moves", "LRRD"),
        (GRID, "answer:answer.minimum.row", 3),
        (GRID, "minimum:answer.minimum.value", 1.0),
        (GRID, "tolerances:certificate.tolerances", {"product": 1e-7}),
    ],
)
def test_what_is_no_record_is_not_read(tmp_path, record, path, value):
    """The sentence names the file and the key; of "status:KEY", KEY is changed and the status does not fit it."""
    named, _, keys = path.rpartition(":")
    for key, new in zip(keys.split(","), value, strict=True) if "," in keys else [(keys, value)]:
        record = changed(key, new, record)
    target = tmp_path / "a.json"
    target.write_text(json.dumps(record))
    with pytest.raises(FormatError) as refusal:
        read_record(target)
    sentence = str(refusal.value)
    assert sentence.startswith(f"{target}: not a record: ")
    assert sentence.endswith("; delete it and measure the run again")
    key = (named or keys).replace(".0", "")
    assert next(part for part in reversed(key.split(".")) if part != "solve_s") in sentence


@pytest.mark.parametrize(
    ("path", "value"), [("seconds", None), ("seconds", "5.87"), ("dataset", ""), ("counters", {"launches": 1.5})]
)
def test_what_could_not_be_read_is_not_written(tmp_path, path, value):
    record = typed(OK)
    setattr(record, path, value)
    with pytest.raises(ValueError, match=f"refused to write .*{path}"):
        write_record(tmp_path / "a.json", record)
    assert not list(tmp_path.iterdir())


def test_a_time_that_is_no_number_is_not_written(tmp_path):
    record = typed(OK)
    record.samples[0].total_s = float("nan")
    with pytest.raises(ValueError, match=r"refused to write .*total_s"):
        write_record(tmp_path / "a.json", record)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b'{"format": 3,\n oops}', b"", b"\xff\xfe", b"[]", b"null"])
def test_files_that_are_no_records(tmp_path, content):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"not a record: .*; delete it and measure the run again") as refusal:
        read_record(path)
    assert str(path) in str(refusal.value)


def test_no_such_record(tmp_path):
    with pytest.raises(FormatError, match="no such record"):
        read_record(tmp_path / "none.json")
    with pytest.raises(FormatError, match="cannot be read"):
        read_record(tmp_path)


def test_the_schema_is_made_of_the_types():
    definitions = schema()["$defs"]
    assert set(definitions["Record"]["properties"]) == set(OK)
    assert definitions["Record"]["additionalProperties"] is False
    assert definitions["Sample"]["properties"]["total_s"]["minimum"] == 0


RUNS = {
    "bellman_ford.naive": ("bellman_ford", "naive", {}),
    "label_correcting.harish.sources=100": ("label_correcting", "harish", {"sources": 100}),
    "label_correcting.locality.k=4+vertices_per_thread=2+sources=100": (
        "label_correcting",
        "locality",
        {"k": 4, "vertices_per_thread": 2, "sources": 100},
    ),
}


@pytest.mark.parametrize("text", RUNS)
def test_a_run_is_named_one_way(tmp_path, text):
    assert parse_run(text) == RUNS[text]
    algorithm, variant, asked = RUNS[text]
    assert run_name(algorithm, variant, dict(reversed(asked.items()))) == text


def test_a_record_knows_the_name_of_its_run_after_it_is_read(tmp_path):
    """JSON sorts the keys, the name has sources last."""
    asked = {"k": 4, "vertices_per_thread": 2, "sources": 3}
    write_record(tmp_path / "a.json", typed({**FROM_EACH, "asked": asked, "parameters": asked}))
    assert read_record(tmp_path / "a.json").run == "label_correcting.locality.k=4+vertices_per_thread=2+sources=3"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "run '': expected ALGORITHM.VARIANT"),
        ("bellman_ford", "run 'bellman_ford': expected ALGORITHM.VARIANT"),
        ("bellman_ford.", "expected ALGORITHM.VARIANT"),
        (".naive", "expected ALGORITHM.VARIANT"),
        ("bellman-ford.naive", "expected ALGORITHM.VARIANT"),
        ("a.b/c", "expected ALGORITHM.VARIANT"),
        ("a.b.", "expected NAME=WHOLE_NUMBER"),
        ("a.b.c", "expected NAME=WHOLE_NUMBER"),
        ("a.b.c=1.5", "expected NAME=WHOLE_NUMBER"),
        ("a.b.c=1+c=2", "expected NAME=WHOLE_NUMBER"),
        ("a.b.c=01", "write it as 'a.b.c=1'"),
        ("a.b.d=1+c=2", "write it as 'a.b.c=2+d=1'"),
        ("a.b.sources=3+x=2", "write it as 'a.b.x=2+sources=3'"),
    ],
)
def test_other_names_are_refused(text, sentence):
    with pytest.raises(UsageError) as refusal:
        parse_run(text)
    assert sentence in str(refusal.value)


def test_a_record_from_before_the_cost_of_a_launch_was_kept_is_read(tmp_path):
    older = {key: value for key, value in OK.items() if key != "launch_and_wait_s"}
    (tmp_path / "a.json").write_text(json.dumps(older))
    assert read_record(tmp_path / "a.json").launch_and_wait_s is None
    (tmp_path / "b.json").write_text(json.dumps({**OK, "launch_and_wait_s": 5.8e-6}))
    assert read_record(tmp_path / "b.json").launch_and_wait_s == 5.8e-6
    (tmp_path / "c.json").write_text(json.dumps({**OK, "launch_and_wait_s": -1.0}))
    with pytest.raises(FormatError, match="launch_and_wait_s"):
        read_record(tmp_path / "c.json")
