"""``warpath records``: what it lists, and what it says of the code of each record."""

import csv
import io
import json

import msgspec
import pytest

from warpath.__main__ import main
from warpath.certificates.facts import Certificate
from warpath_study.measure.runs import code_of, find
from warpath_study.provenance.facts import GraphFacts
from warpath_study.record import Measure, OutOfMemory, PeerFacts, Record, Sample, Timed, write_record

HASH = "0" * 64
CURRENT = code_of(find("bellman_ford", "naive"), "cuda")
RECORD = Record(
    dataset="tiny",
    algorithm="bellman_ford",
    variant="naive",
    given={},
    parameters={},
    problem="sssp",
    source=0,
    graph=GraphFacts(3, 2, HASH, {}),
    device={"kind": "cuda", "name": "NVIDIA H200"},
    outcome=Timed([Sample({"solve_s": 0.25}), Sample({"solve_s": 0.25})], {}),
    certificate=Certificate("full", 3, 1, 2, 3),
    measure=Measure(),
    environment={},
    code=CURRENT,
    started="2026-01-02T03:04:05+00:00",
    finished="2026-01-02T03:04:06+00:00",
)


def edited(*kernels, **facts):
    """Today's code of the record, as if ``kernels`` had been other ones when it ran, or with other ``facts``."""
    return msgspec.structs.replace(CURRENT, kernels={**CURRENT.kernels, **dict.fromkeys(kernels, HASH)}, **facts)


REVISED = edited(revisions={**CURRENT.revisions, "variant": 99})


@pytest.fixture
def keep(tmp_path, monkeypatch):
    """A function that writes RECORD with other ``facts``; the working directory is where it writes."""
    monkeypatch.chdir(tmp_path)

    def write(file, **facts):
        write_record(tmp_path / file, msgspec.structs.replace(RECORD, **facts))

    return write


def listed(capsys, *arguments, left_with=0):
    if left_with:
        with pytest.raises(SystemExit) as left:
            main(["records", *arguments])
        assert left.value.code == left_with
    else:
        assert main(["records", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_line_for_each_record(keep, capsys):
    keep("results/runs/tiny/bellman_ford.naive.json")
    keep(
        "results/runs/wide/bellman_ford.naive.json",
        dataset="wide",
        outcome=OutOfMemory("-"),
    )
    assert listed(capsys) == [
        "dataset  run                 status         seconds  samples  device       date        code",
        "tiny     bellman_ford.naive  ok                0.25        2  NVIDIA H200  2026-01-02  current",
        "wide     bellman_ford.naive  out_of_memory        -        0  NVIDIA H200  2026-01-02  current",
    ]


@pytest.mark.parametrize(
    "facts, said",
    [
        ({"code": CURRENT}, "current"),
        ({"code": edited(host_loop=HASH)}, "current"),
        ({"variant": "forgotten"}, "gone"),
        ({"code": edited("naive.cu")}, "stale: naive.cu differs"),
        ({"code": edited("naive.cu", launch={"block": [32]})}, "stale: launch, naive.cu differ"),
        ({"code": REVISED}, "stale: revision of variant differs"),
        ({"code": edited(*"abcde")}, "stale: a, b, c and 2 more differ"),
        (
            {"device": {"kind": "simulated", "name": "simulated"}},
            "stale: revision of cuda, revision of simulated differ",
        ),
    ],
)
def test_what_is_said_of_the_code(keep, capsys, facts, said):
    keep("results/runs/tiny/a.json", **facts)
    assert f"  {said}" in listed(capsys)[1]


def test_stale_lists_only_what_is_not_current(keep, capsys):
    keep("results/runs/tiny/a.json")
    assert len(listed(capsys, "--stale")) == 1
    keep("results/runs/tiny/b.json", code=edited("naive.cu"))
    keep("results/runs/tiny/c.json", variant="forgotten")
    lines = listed(capsys, "--stale", left_with=1)
    assert [line.rpartition("  ")[2] for line in lines[1:]] == ["stale: naive.cu differs", "gone"]


def test_a_call_of_warpath_depends_on_the_solvers_that_answered_alone(keep, capsys):
    variant, solvers = find("peer_sssp", "warpath"), ["near_far.whole_grid"]
    by = PeerFacts("warpath", "0.1.0", 1, {}, 0.5, solvers)
    call = {"algorithm": "peer_sssp", "variant": "warpath", "solved_by": by}
    ran, others = code_of(variant, "cuda", False, solvers), code_of(variant, "cuda", False)
    keep("results/runs/tiny/a.json", **call, code=ran)
    assert len(listed(capsys, "--stale")) == 1
    keep("results/runs/tiny/a.json", **call, code=others)
    assert "queue.cu" in listed(capsys, "--stale", "--format", "csv", left_with=1)[1]


def test_a_record_of_an_older_format_is_named_with_what_to_do(keep, tmp_path, capsys):
    keep("results/runs/tiny/a.json")
    file = tmp_path / "results/runs/tiny/a.json"
    older = json.loads(file.read_text()) | {"format": 2, "code": {"identity": HASH, "files": {}}}
    file.write_text(json.dumps(older))
    assert main(["records"]) == 1
    said = capsys.readouterr().err
    assert "a.json" in said and "format 2" in said and said.count("\n") == 1


def test_a_summary_has_a_line_for_each_variant_and_code(keep, capsys):
    keep("results/runs/tiny/a.json")
    keep("results/runs/tiny/b.json", code=REVISED)
    for name in "cd":
        keep(f"results/runs/tiny/{name}.json", code=edited("naive.cu"))
    assert listed(capsys, "--format", "summary")[2:] == [
        "| bellman_ford.naive | 1 | current | – |",
        "| bellman_ford.naive | 2 | stale | naive.cu |",
        "| bellman_ford.naive | 1 | stale | revision of variant |",
    ]


def test_csv(keep, capsys):
    keep("results/runs/tiny/a.json", code=edited("naive.cu", launch={}))
    (line,) = csv.DictReader(io.StringIO("\n".join(listed(capsys, "--format", "csv"))))
    assert line == {
        "dataset": "tiny",
        "run": "bellman_ford.naive",
        "status": "ok",
        "seconds": "0.25",
        "samples": "2",
        "device": "NVIDIA H200",
        "date": "2026-01-02",
        "code": "stale",
        "differs": "launch, naive.cu",
    }


def test_reference_results_are_listed_only_when_they_are_named(keep, capsys):
    keep("results/runs/tiny/a.json")
    keep("results/reference/nvidia-h200/runs/tiny/a.json", dataset="reference")
    assert [line.split()[0] for line in listed(capsys)] == ["dataset", "tiny"]
    lines = listed(capsys, "results/reference/nvidia-h200", "results/reference")
    assert [line.split()[0] for line in lines] == ["dataset", "reference"]


def test_where_nothing_is_recorded(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["records"]) == 2
    assert "results: no records; make some with 'warpath run'" in capsys.readouterr().err
    assert main(["records", "elsewhere"]) == 2
    assert "elsewhere: no such folder" in capsys.readouterr().err


def test_what_is_no_record_is_named(keep, tmp_path, capsys):
    keep("results/runs/tiny/a.json")
    (tmp_path / "results/runs/tiny/b.json").write_text("{}")
    assert main(["records"]) == 1
    assert "results/runs/tiny/b.json: not a record" in capsys.readouterr().err
