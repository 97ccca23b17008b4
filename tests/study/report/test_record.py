"""Records: what is written comes back, and nothing but a record is written or read."""

import copy
import json
import os
import random
from typing import Any

import msgspec
import pytest
import report_samples
from fuzz.mutations import damaged, damaged_tree
from report_samples import ROOT, graph
from tiny_graphs import named

from warpath.errors import FormatError, UsageError
from warpath_study.record import (
    Estimated,
    Record,
    Sample,
    SourceSample,
    StatisticsFacts,
    Stretch,
    parse_run,
    read_record,
    record_files,
    run_name,
    schema,
    write_record,
)
from warpath_study.report.runs import collect, write_runs
from warpath_study.works.works import RunRequest

REFERENCE = ROOT / "results" / "reference" / "nvidia-h200" / "runs"
GRAPH = graph("tiny", 3, 2, title="größer")


def plain(run: str, **facts) -> dict[str, Any]:
    """A record as a file has it."""
    return msgspec.to_builtins(report_samples.record("tiny", run, 1.0, graph=GRAPH, **facts))


OK = plain(
    "bellman_ford.naive",
    samples=[Sample({"upload_s": 0.5, "solve_s": seconds, "download_s": 0.75}) for seconds in (8.0, 1.25, 2.75)],
    counters={"iterations": 2, "launches": 4},
    source_label="Köln",
    launch_and_wait_s=5.8e-6,
)
STRETCHES = [Stretch(1, 2.0), Stretch(2, 1.0)]
ESTIMATED = plain(
    "bellman_ford.naive", outcome=Estimated(STRETCHES, 97, 0.5, 0.25, 0.125, settled=True, counted={"launches": 6})
)
BY_SOURCE = {**ESTIMATED, "outcome": {**ESTIMATED["outcome"], "settled": False, "by_source": True}}
NO_TIME = {**OK, "certificate": None}
OUT_OF_MEMORY = {**NO_TIME, "outcome": {"kind": "out_of_memory", "reason": "too large"}}
FROM_EACH = plain(
    "label_correcting.locality.k=4+sources=3",
    parameters={"k": 4, "unread_launches": 7},
    samples=[
        SourceSample({"solve_s": seconds}, at, {"iterations": at}) for at, seconds in ((2, 1.0), (0, 2.0), (1, 6.0))
    ],
)
OF_PEER = {**OK, "solved_by": {"name": "scipy", "version": "1.17.1", "threads": 1, "settings": {"delta": 4}}}
GRID = json.loads((REFERENCE / "matrices-1024/matrix_path.frontier.json").read_bytes())
REDUCED = StatisticsFacts(
    3, 2, "near_far.whole_grid", diameter=2.0, radius=None, mean_distance=1.5, bin_width=1.0, histogram=[0, 1, 1]
)
IN_PARTS = plain("all_pairs.reductions", problem="reductions", reductions=REDUCED)
RECORDS = {
    "of a peer": OF_PEER,
    "wrong": {**NO_TIME, "outcome": {"kind": "wrong", "reason": "other"}},
    "missing": {**NO_TIME, "outcome": {"kind": "missing", "reason": "not here"}},
    "ok": OK,
    "estimated": ESTIMATED,
    "estimated by source": BY_SOURCE,
    "out of memory": OUT_OF_MEMORY,
    "from each": FROM_EACH,
    "from each, out of memory": {**FROM_EACH, "certificate": None, "outcome": OUT_OF_MEMORY["outcome"]},
    "grid": GRID,
    "in parts": IN_PARTS,
}


def typed(record: dict) -> Record:
    return msgspec.convert(record, Record)


def test_round_trip(tmp_path):
    path, again = tmp_path / "deep" / "tiny" / "a.json", tmp_path / "b.json"
    for name, record in RECORDS.items():
        with named(name):
            write_record(path, typed(record))
            assert read_record(path) == typed(record)
            assert [entry.name for entry in path.parent.iterdir()] == ["a.json"]
            assert json.loads(path.read_text()) == record  # every number as it was
            write_record(again, typed(dict(reversed(record.items()))))
            assert path.read_bytes() == again.read_bytes()


def test_what_a_killed_process_had_begun_and_files_of_a_store_are_no_records(tmp_path):
    write_record(tmp_path / "tiny" / "b.json", typed(OK))
    write_record(tmp_path / "a.json", typed(OK))
    (tmp_path / "tiny" / ".b.0123456789abcdef.part.json").write_text("{")
    (tmp_path / ".cache").mkdir()
    (tmp_path / ".cache" / "fonts.json").write_text("{}")
    (tmp_path / "parts/rows.zarr/distances").mkdir(parents=True)
    (tmp_path / "parts/rows.zarr/distances/zarr.json").write_text("{}")
    assert record_files(tmp_path) == [tmp_path / "a.json", tmp_path / "tiny" / "b.json"]


def test_full_solves_have_a_median():
    record = typed(OK)
    assert (record.status, record.reason, record.seconds) == ("ok", None, 4.0)
    assert [sample.total_s for sample in record.samples] == [9.25, 2.5, 4.0]
    assert record.counters == {"iterations": 2, "launches": 4} and record.estimate is None


def test_solves_from_random_sources_have_a_mean_and_the_counters_of_the_last():
    record = typed(FROM_EACH)
    assert (record.status, record.seconds, record.counters) == ("ok", 3.0, {"iterations": 1})
    assert record.name_parameters == {"k": 4, "sources": 3} and record.run == "label_correcting.locality.k=4+sources=3"


def test_an_estimate_takes_the_rate_of_the_last_stretch_if_no_more_were_steady():
    record = typed(ESTIMATED)
    estimate = record.estimate
    assert (record.status, record.samples) == ("estimated", [])
    assert (estimate.iterations_timed, estimate.iterations_total, estimate.seconds_timed) == (3, 100, 3.0)
    assert record.seconds == 0.5 + 3.0 + 97 * 0.5 + 0.25 + 0.125
    assert estimate.standard_error_s is None
    assert record.counters == {"iterations": 3, "launches": 6}
    assert all(part in record.reason for part in ("52 s", "60 s", "3 of 100"))


def test_an_estimate_from_sources_takes_their_mean_and_has_a_standard_error():
    record = typed(BY_SOURCE)
    assert record.seconds == 0.5 + 3.0 + 97 * 1.0 + 0.25 + 0.125
    assert record.estimate.standard_error_s == pytest.approx((1.5 * 100 * 97 / 3) ** 0.5)
    alone = changed("outcome.stretches", [{"iterations": 3, "seconds": 3.0}], BY_SOURCE)
    assert typed(alone).estimate.standard_error_s is None


def test_no_time_has_a_reason_and_pairs_in_parts_are_those_of_the_histogram():
    record = typed(OUT_OF_MEMORY)
    assert (record.status, record.reason, record.seconds) == ("out_of_memory", "too large", None)
    assert (record.samples, record.counters, record.estimate) == ([], {}, None)
    assert typed(IN_PARTS).reductions.pairs == 2


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


FAULTS = [
    (OK, "dataset", ...),
    (OK, "dataset", "ti\0ny"),
    (OK, "extra", 1),
    (OK, "graph.sha256", "abc"),
    (OK, "graph.about", {"weights": "random"}),
    (OK, "device.name", "a\nb"),
    (OK, "measure.sampling.repeats_max", 2),
    (OK, "started", "2025-02-30T03:04:05+00:00"),
    (OK, "finished", "2026-03-14T08:59:59+00:00"),
    # An outcome has what its kind has, and nothing else.
    (OK, "outcome.samples", []),
    (OK, "outcome.samples.0.phases", {}),
    (OK, "outcome.samples.0.phases.solve_s", -1.0),
    (OK, "outcome.samples.0.source", 0),
    (OK, "outcome.samples", [{"phases": {"solve_s": 0.0}}]),
    (OK, "outcome.counters", {"launches": -1}),
    (ESTIMATED, "measure.sampling", None),
    (ESTIMATED, "certificate", None),
    (OUT_OF_MEMORY, "outcome.reason", ""),
    (FROM_EACH, "outcome.samples", FROM_EACH["outcome"]["samples"][:2]),
    (FROM_EACH, "outcome.samples", FROM_EACH["outcome"]["samples"] * 2),
    (FROM_EACH, "outcome.samples.0.source", 3),
    (FROM_EACH, "outcome.samples.0.counters", {"launches": 1}),
    (FROM_EACH, "outcome.samples.1.phases", {"upload_s": 2.0}),
    (FROM_EACH, "outcome", OK["outcome"]),
    (FROM_EACH, "measure", OK["measure"]),
    # The source, the certificate and the answer fit the graph.
    (OK, "source", 3),
    (OK, "problem", "apsp"),
    (OK, "certificate", None),
    (OK, "certificate.scope", "subgraph"),
    (OK, "certificate.vertices", 1),
    (OK, "certificate.sources", 4),
    (OK, "certificate.reached", 4),
    (FROM_EACH, "certificate.reached", 2),
    (OK, "certificate.arcs_checked", 3),
    (GRID, "answer.path.moves", "RDX"),
]


def test_what_is_no_record_is_not_read(tmp_path):
    target = tmp_path / "a.json"
    for record, path, value in FAULTS:
        with named(f"{path} {value}"):
            target.write_text(json.dumps(changed(path, value, record)))
            with pytest.raises(FormatError) as refusal:
                read_record(target)
            sentence = str(refusal.value)
            assert sentence.startswith(f"{target}: not a record: ") and "\n" not in sentence
            assert any(part in sentence for part in path.split(".") if not part.isdigit())
    for content in (b'{"format": 4,\n oops}', b"", b"\xff\xfe", b"[]", b"null"):
        target.write_bytes(content)
        with pytest.raises(FormatError, match="delete it"):
            read_record(target)
    for path in (tmp_path / "none.json", tmp_path):
        with pytest.raises(FormatError):
            read_record(path)


def test_a_record_of_another_format_is_said_to_be_one_and_a_newer_one_is_not_to_be_deleted(tmp_path):
    for number in (3, 99):
        (tmp_path / "a.json").write_text(json.dumps({"format": number, "dataset": "tiny", "seconds": 1.0}))
        with pytest.raises(FormatError) as refused:
            read_record(tmp_path / "a.json")
        assert f"format {number}" in str(refused.value) and "a.json" in str(refused.value)
        assert number == 3 or "delete" not in str(refused.value)


def test_what_could_not_be_read_is_not_written(tmp_path):
    for name, value in (("dataset", ""), ("source", 9), ("certificate", None)):
        record = typed(OK)
        setattr(record, name, value)
        with pytest.raises(ValueError, match="refused to write"):
            write_record(tmp_path / "a.json", record)
    record = typed(OK)
    record.outcome.samples.append(Sample({"upload_s": 0.5, "solve_s": float("nan"), "download_s": 0.5}))
    with pytest.raises(ValueError, match="refused to write"):
        write_record(tmp_path / "a.json", record)
    assert not list(tmp_path.iterdir())


def test_the_schema_is_made_of_the_types():
    definitions = schema()["$defs"]
    assert set(definitions["Record"]["properties"]) == set(OK)
    assert definitions["Record"]["additionalProperties"] is False
    assert definitions["Stretch"]["properties"]["seconds"]["minimum"] == 0


def test_a_run_is_named_one_way(tmp_path):
    """JSON sorts the keys, the name has sources last."""
    name = "label_correcting.locality.k=4+vertices_per_thread=2+sources=3"
    given = {"k": 4, "vertices_per_thread": 2}
    assert parse_run("bellman_ford.naive") == ("bellman_ford", "naive", {})
    assert parse_run(name) == ("label_correcting", "locality", {**given, "sources": 3})
    assert run_name("label_correcting", "locality", {"sources": 3, **dict(reversed(given.items()))}) == name
    write_record(tmp_path / "a.json", typed({**FROM_EACH, "given": given, "parameters": given}))
    assert read_record(tmp_path / "a.json").run == name


def test_other_names_are_refused_with_how_to_write_them():
    for text, sentence in (
        *((text, "ALGORITHM.VARIANT") for text in ("", "bellman_ford", ".naive", "a.b/c")),
        *((f"a.b.{rest}", "NAME=WHOLE_NUMBER") for rest in ("", "c=1.5", "c=1+c=2")),
        ("a.b.c=01", "'a.b.c=1'"),
        ("a.b.sources=3+x=2", "'a.b.x=2+sources=3'"),
    ):
        with pytest.raises(UsageError) as refusal:
            parse_run(text)
        assert sentence in str(refusal.value), text


# Damaged and edited records: refused in one sentence, or the table of runs can be made of them.

DAMAGED = [
    ("katz-64", "blocked_all_pairs.standard"),
    ("katz-128", "transitive_closure.naive"),
    ("nyc", "bellman_ford.cpu"),
    ("matrices-1024", "matrix_path.frontier"),
    ("nyc-revised", "label_correcting.harish.sources=100"),
]


def test_a_damaged_record_is_refused_or_makes_a_line(tmp_path):
    chosen, refused = random.Random(os.environ["WARPATH_TEST_SEED"]), 0
    for dataset, name in DAMAGED:
        run = RunRequest("a row", dataset, *parse_run(name))
        original = (REFERENCE / run.file).read_bytes()
        (tmp_path / run.file).parent.mkdir(parents=True)
        for number in range(40):
            edited = damaged_tree(json.loads(original), chosen)
            content = damaged(original, chosen) if number % 4 == 0 else json.dumps(edited).encode()
            (tmp_path / run.file).write_bytes(content)
            try:
                (cell,) = collect([run], tmp_path)
            except FormatError as error:
                refused += 1
                assert str(error).startswith(str(tmp_path / run.file)) and "\n" not in str(error)
            else:
                assert (cell.dataset, cell.variant) == (dataset, run.variant)
                write_runs(tmp_path / "runs.csv", [cell])
    assert refused > 50
