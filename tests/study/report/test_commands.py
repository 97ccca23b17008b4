"""``warpath report``, ``list`` and ``records``: targets from records, what there is, and what is stale."""

import csv
import json
import re
from pathlib import Path
from urllib.parse import unquote

import msgspec
import pytest
from report_samples import ROOT, keep, record, samples

from warpath.__main__ import main
from warpath.solvers import families
from warpath_study.measure.runs import code_of, find
from warpath_study.record import OutOfMemory, PeerFacts, write_record
from warpath_study.report import index as index_module
from warpath_study.works.works import load_all

WORKS = load_all(ROOT / "workflow" / "works")


@pytest.fixture
def report(tmp_path, capsys, monkeypatch):
    """A function that runs ``warpath report`` on the records of two runs, and returns status, files and messages."""
    monkeypatch.chdir(ROOT)
    for variant, seconds in (("naive", 2.0), ("stride", 0.5)):
        keep(tmp_path / "runs", "demo-nyc", f"bellman_ford.{variant}", seconds)

    def run(*arguments):
        out = tmp_path / "out"
        options = ["--records", str(tmp_path / "runs"), "--results", str(out / "results")]
        status = main(["report", *arguments, *options, "--figures", str(out / "figures")])
        said = capsys.readouterr()
        return status, sorted(Path(file).relative_to(out).as_posix() for file in said.out.split()), said.err

    return run


def made_in(out: Path) -> set[Path]:
    """All files there, but for the index."""
    return {path for path in out.rglob("*") if path.is_file() and path.name != "index.html"}


DEMO = ("--suite", "demo", "--rows", "nyc", "--columns", "naive,stride")


def test_targets_are_written_and_their_files_named(report, tmp_path):
    status, files, said = report("bodra", "table1", "figure5_log", *DEMO)
    assert (status, said) == (0, "")
    assert files == [
        *(f"figures/figure5_log.{suffix}" for suffix in ("html", "pdf", "png", "svg")),
        *(f"results/table1{suffix}" for suffix in (".csv", ".html", ".md", "_comparison.csv")),
    ]
    assert made_in(tmp_path / "out") == {tmp_path / "out" / file for file in files}
    lines = (tmp_path / "out/results/table1.csv").read_text().splitlines()
    assert lines[0].startswith("dataset,nodes,edges,naive,stride,naive_published,")
    assert lines[1].startswith("nyc,264346,733846,,,8.58384,,not_run,")  # the paper's own row
    assert lines[2].startswith("demo-nyc,10,20,2,0.5,,,ok,") and len(lines) == 3


@pytest.mark.slow
def test_without_a_target_all_of_the_choice_are_made_and_linked(report, tmp_path):
    status, files, _ = report("bodra", *DEMO)
    made = {file.rpartition("/")[2].partition(".")[0].removesuffix("_comparison") for file in files}
    assert status == 0
    assert {"runs", "table1", "figure5", "figure5_log", "figure5_speedup", "claims"} <= made
    assert "figures/future_work/figure5_log.png" in files
    assert not made & {"table2", "table3", "figure6"}  # no run of these is in the choice
    assert links(tmp_path / "out/results/index.html") == {tmp_path / "out" / file for file in files}


def test_a_suite_has_its_own_folders_and_a_target_that_cannot_be_made_stops_no_other(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keep(tmp_path / "results/demo/runs", "demo-nyc", "bellman_ford.naive", 2.0)
    assert main(["report", "bodra", "figure5_speedup", "table1", "claims", *DEMO]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and "figure5_speedup" in said.err
    folder = tmp_path / "results/demo"
    assert (folder / "table1.csv").is_file() and (folder / "claims.md").is_file()
    assert not (tmp_path / "results/table1.csv").exists()


def links(index: Path) -> set[Path]:
    """The files to which a page links, and which must be there."""
    found = re.findall(r'(?:href|src)="([^"]+)"', index.read_text(encoding="utf-8"))
    files = {(index.parent / unquote(link)).resolve() for link in found}
    assert all(file.is_file() for file in files)
    return files


def test_the_index_links_all_that_has_been_made_so_far(report, tmp_path):
    out, index = tmp_path / "out", tmp_path / "out/results/index.html"
    for targets in (["table1"], ["runs"]):
        report("bodra", *targets, *DEMO)
        assert links(index) == made_in(out)
    (out / "results/table1.md").unlink()
    report("bodra", "claims", *DEMO)
    assert links(index) == made_in(out)


def test_an_index_that_another_process_has_outrun_is_written_again(report, tmp_path, monkeypatch):
    out, write = tmp_path / "out", index_module.write_text

    def write_late(file, text):
        monkeypatch.setattr(index_module, "write_text", write)
        report("bodra", "table1", *DEMO)  # by another process, in the meantime
        write(file, text)

    monkeypatch.setattr(index_module, "write_text", write_late)
    report("bodra", "claims", *DEMO)
    assert out / "results/table1.html" in made_in(out) == links(out / "results/index.html")


def test_the_files_of_a_target_are_the_same_whatever_is_made_beside_it(tmp_path, capsys):
    keep(tmp_path / "runs", "demo-nyc", "bellman_ford.ell", 1.0, counters={"padded": 3})
    keep(tmp_path / "runs", "demo-nyc", "bellman_ford.naive", 1.0, counters={"launches": 3})

    def made(*targets):
        out = ["--results", str(tmp_path / "out"), "--figures", str(tmp_path / "out")]
        assert main(["report", "bodra", *targets, "--suite", "demo", "--records", str(tmp_path / "runs"), *out]) == 0
        return (tmp_path / "out/runs.csv").read_text()

    assert made("runs") == made("future_work_runs", "runs")  # only future work has ELL, and its counter


def test_a_fault_is_one_sentence_and_nothing_is_written(report):
    for arguments, says in (
        (["bodra", "tabel1"], "table1?"),
        (["bodra", "--suite", "dmeo"], "demo?"),
        (["bodra", "table1", "--suite", "demo", "--rows", "paris"], "'paris'"),
        (["bodra", "table2", "--suite", "demo"], "no record"),
    ):
        status, files, said = report(*arguments)
        assert (status, files) == (2, []) and says in said
        assert said.startswith("warpath: error: ") and said.count("\n") == 1


def test_lists_have_works_targets_variants_and_datasets(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)

    def listed(*what):
        assert main(["list", *what]) == 0
        return capsys.readouterr().out.splitlines()

    assert [line.split()[0] for line in listed("works")] == list(WORKS)
    assert any(line.split()[:3] == ["bodra", "table1", "table"] for line in listed("targets"))
    names = sorted(f"{algorithm}.{name}" for algorithm, variants in families().items() for name in variants)
    lines = listed("variants")
    assert [line.split()[0] for line in lines] == names
    assert all(len(line.split()) > 3 for line in lines)  # each has a problem and a summary
    headings = [line for line in listed() if not line.startswith(" ")]
    assert headings == ["works:", "targets:", "variants:", "peers:", "datasets:"]
    assert main(["list", "wroks"]) == 2
    said = capsys.readouterr().err
    assert "works?" in said and said.count("\n") == 1


# What records say of the code.

HASH = "0" * 64
CURRENT = code_of(find("bellman_ford", "naive"), "cuda")
RECORD = record(
    "tiny", "bellman_ford.naive", 0.25, samples=samples(0.25, 0.25), code=CURRENT, started="2026-01-02T03:04:05+00:00"
)


def edited(*kernels, **facts):
    """Today's code of the record, as if ``kernels`` had been other ones when it ran, or with other ``facts``."""
    return msgspec.structs.replace(CURRENT, kernels={**CURRENT.kernels, **dict.fromkeys(kernels, HASH)}, **facts)


REVISED = edited(revisions={**CURRENT.revisions, "variant": 99})


@pytest.fixture
def write(tmp_path, monkeypatch):
    """A function that writes RECORD with other ``facts``; the working directory is where it writes."""
    monkeypatch.chdir(tmp_path)

    def written(file, **facts):
        write_record(tmp_path / "results/runs/tiny" / file, msgspec.structs.replace(RECORD, **facts))

    return written


def listed(capsys, *arguments, left_with=0):
    if left_with:
        with pytest.raises(SystemExit) as left:
            main(["records", *arguments])
        assert left.value.code == left_with
    else:
        assert main(["records", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


def test_a_line_for_each_record(write, capsys):
    write("bellman_ford.naive.json")
    stale = edited("a.cu")
    write("../wide/bellman_ford.naive.json", dataset="wide", outcome=OutOfMemory("-"), code=stale)
    assert listed(capsys) == [
        "dataset  run                 status         seconds  samples  device       date        code",
        "tiny     bellman_ford.naive  ok                0.25        2  NVIDIA H200  2026-01-02  current",
        "wide     bellman_ford.naive  out_of_memory        -        0  NVIDIA H200  2026-01-02  stale: a.cu differs",
    ]
    *_, line = csv.reader(listed(capsys, "--format", "csv"))
    about = ["wide", "bellman_ford.naive", "out_of_memory", "", "0", "NVIDIA H200", "2026-01-02"]
    assert line == [*about, "stale", "a.cu"]


def test_what_is_said_of_the_code(write, capsys):
    simulated = {"kind": "simulated", "name": "simulated"}
    for facts, said in (
        ({"code": edited(host_loop=HASH)}, "current"),
        ({"variant": "forgotten"}, "gone"),
        ({"code": REVISED}, "stale: revision of variant differs"),
        ({"code": edited(*"abcde")}, "stale: a, b, c and 2 more differ"),
        ({"device": simulated}, "stale: revision of cuda, revision of simulated differ"),
    ):
        write("a.json", **facts)
        assert f"  {said}" in listed(capsys)[1]


def test_stale_lists_only_what_is_not_current(write, capsys):
    write("a.json")
    assert len(listed(capsys, "--stale")) == 1
    write("b.json", code=edited("naive.cu"))
    write("c.json", variant="forgotten")
    lines = listed(capsys, "--stale", left_with=1)
    assert [line.rpartition("  ")[2] for line in lines[1:]] == ["stale: naive.cu differs", "gone"]


def test_a_call_of_warpath_depends_on_the_solvers_that_answered_alone(write, capsys):
    variant, solvers = find("peer_sssp", "warpath"), ["near_far.whole_grid"]
    by = PeerFacts("warpath", "0.1.0", 1, {}, 0.5, solvers)
    call = {"algorithm": "peer_sssp", "variant": "warpath", "solved_by": by}
    ran, others = code_of(variant, "cuda", False, solvers), code_of(variant, "cuda", False)
    write("a.json", **call, code=ran)
    assert len(listed(capsys, "--stale")) == 1
    write("a.json", **call, code=others)
    assert "queue.cu" in listed(capsys, "--stale", "--format", "csv", left_with=1)[1]


def test_a_summary_has_a_line_for_each_variant_and_code(write, capsys):
    write("a.json")
    write("b.json", code=REVISED)
    for name in "cd":
        write(f"{name}.json", code=edited("naive.cu"))
    assert listed(capsys, "--format", "summary")[2:] == [
        "| bellman_ford.naive | 1 | current | – |",
        "| bellman_ford.naive | 2 | stale | naive.cu |",
        "| bellman_ford.naive | 1 | stale | revision of variant |",
    ]


def test_reference_results_are_listed_only_when_they_are_named(write, capsys):
    write("a.json")
    write("../../reference/nvidia-h200/runs/tiny/a.json", dataset="reference")
    assert [line.split()[0] for line in listed(capsys)] == ["dataset", "tiny"]
    lines = listed(capsys, "results/reference/nvidia-h200", "results/reference")
    assert [line.split()[0] for line in lines] == ["dataset", "reference"]


def test_what_is_no_record_and_one_of_an_older_format_are_named(write, tmp_path, capsys):
    for arguments, named_there in ([], "results"), (["elsewhere"], "elsewhere"):
        assert main(["records", *arguments]) == 2
        assert named_there in capsys.readouterr().err
    write("a.json")
    file = tmp_path / "results/runs/tiny/a.json"
    older = json.loads(file.read_text()) | {"format": 2, "code": {"identity": HASH, "files": {}}}
    for content, says in ((json.dumps(older), "format 2"), ("{}", "not a record")):
        file.write_text(content)
        assert main(["records"]) == 1
        said = capsys.readouterr().err
        assert "a.json" in said and says in said and said.count("\n") == 1
