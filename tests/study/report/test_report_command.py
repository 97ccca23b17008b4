"""``warpath report`` and ``warpath list``: targets from records, what there is, and one sentence for each fault."""

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from report_samples import ROOT, keep

from warpath.__main__ import main
from warpath.solvers import families
from warpath_study.report import index as index_module
from warpath_study.works.works import load_all

WORKS = load_all(ROOT / "workflow" / "works")


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.fixture
def report(tmp_path, capsys):
    """A function that runs ``warpath report`` on the records of two runs, and returns status, files and messages."""
    for variant, seconds in (("naive", 2.0), ("stride", 0.5)):
        keep(tmp_path / "runs", "demo-nyc", f"bellman_ford.{variant}", seconds)

    def run(*arguments):
        out = tmp_path / "out"
        options = ["--records", str(tmp_path / "runs"), "--results", str(out / "results")]
        status = main(["report", *arguments, *options, "--figures", str(out / "figures")])
        said = capsys.readouterr()
        files = [path.relative_to(out).as_posix() for path in sorted(out.rglob("*")) if path.is_file()]
        files = [file for file in files if file != "results/index.html"]
        assert sorted(said.out.split()) == [str(out / file) for file in files]
        return status, files, said.err

    return run


DEMO = ("--suite", "demo", "--rows", "nyc", "--columns", "naive,stride")


def test_targets_are_written_and_their_files_named(report, tmp_path):
    status, files, said = report("bodra", "table1", "figure5_log", *DEMO)
    assert (status, said) == (0, "")
    assert files == [
        *(f"figures/figure5_log.{suffix}" for suffix in ("html", "pdf", "png", "svg")),
        *(f"results/table1{suffix}" for suffix in (".csv", ".html", ".md", "_comparison.csv")),
    ]
    lines = (tmp_path / "out/results/table1.csv").read_text().splitlines()
    assert lines[0].startswith("dataset,nodes,edges,naive,stride,naive_published,")
    assert lines[1].startswith("nyc,264346,733846,,,8.58384,,not_run,")  # the paper's own row
    assert lines[2].startswith("demo-nyc,10,20,2,0.5,,,ok,") and len(lines) == 3


def test_without_a_target_all_of_the_choice_are_made(report):
    status, files, _ = report("bodra", *DEMO)
    made = {file.rpartition("/")[2].partition(".")[0].removesuffix("_comparison") for file in files}
    assert status == 0
    assert {"runs", "table1", "figure5", "figure5_log", "figure5_speedup", "claims"} <= made
    assert "figures/future_work/figure5_log.png" in files
    assert not made & {"table2", "table3", "figure6"}  # no run of these is in the choice


def test_a_suite_has_its_own_folders(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keep(tmp_path / "results/demo/runs", "demo-nyc", "bellman_ford.naive", 2.0)
    assert main(["report", "bodra", "table1", *DEMO]) == 0
    assert (tmp_path / "results/demo/table1.csv").is_file() and not (tmp_path / "results/table1.csv").exists()


def test_a_target_that_cannot_be_made_stops_no_other(tmp_path, capsys):
    keep(tmp_path / "runs", "demo-nyc", "bellman_ford.naive", 2.0)
    out = ["--records", str(tmp_path / "runs"), "--results", str(tmp_path), "--figures", str(tmp_path)]
    assert main(["report", "bodra", "figure5_speedup", "table1", "claims", *DEMO, *out]) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and "figure5_speedup" in said.err
    assert (tmp_path / "table1.csv").is_file() and (tmp_path / "claims.md").is_file()


def links(index: Path) -> set[Path]:
    """The files to which a page links, and which must be there."""
    found = re.findall(r'(?:href|src)="([^"]+)"', index.read_text(encoding="utf-8"))
    files = {(index.parent / unquote(link)).resolve() for link in found}
    assert all(file.is_file() for file in files)
    return files


@pytest.fixture
def made(report, tmp_path, capsys):
    """A function that makes targets and returns what there is in all, but for the index."""
    out = tmp_path / "out"

    def run(*targets):
        folders = {"records": tmp_path / "runs", "results": out / "results", "figures": out / "figures"}
        options = [word for name, folder in folders.items() for word in (f"--{name}", str(folder))]
        assert main(["report", "bodra", *targets, *DEMO, *options]) == 0
        return {path for path in out.rglob("*") if path.is_file() and path.name != "index.html"}

    return run


def test_the_index_links_all_that_has_been_made_so_far(made, tmp_path):
    index = tmp_path / "out/results/index.html"
    for targets in (["table1"], ["figure5_log", "claims"], ["runs"]):
        files = made(*targets)
        assert links(index) == files
    (tmp_path / "out/results/table1.md").unlink()
    files = made("claims")
    assert links(index) == files


def test_an_index_that_another_process_has_outrun_is_written_again(made, tmp_path, monkeypatch):
    index, write = tmp_path / "out/results/index.html", index_module.write_text

    def write_late(file, text):
        monkeypatch.setattr(index_module, "write_text", write)
        made("table1")  # by another process, in the meantime
        write(file, text)

    monkeypatch.setattr(index_module, "write_text", write_late)
    files = made("claims")
    assert tmp_path / "out/results/table1.html" in files and links(index) == files


def test_a_target_without_a_record_is_left_out_unless_it_is_named(report, tmp_path):
    _, files, _ = report("bodra", "--suite", "demo", "--columns", "naive,tiled,stride")
    made = {file.rpartition("/")[2].partition(".")[0] for file in files}
    assert "table1" in made and not made & {"table2", "table3", "figure6"}


def test_the_files_of_a_target_are_the_same_whatever_is_made_beside_it(tmp_path, capsys):
    keep(tmp_path / "runs", "demo-nyc", "bellman_ford.ell", 1.0, counters={"padded": 3})
    keep(tmp_path / "runs", "demo-nyc", "bellman_ford.naive", 1.0, counters={"launches": 3})

    def made(*targets):
        out = ["--results", str(tmp_path / "out"), "--figures", str(tmp_path / "out")]
        assert main(["report", "bodra", *targets, "--suite", "demo", "--records", str(tmp_path / "runs"), *out]) == 0
        return (tmp_path / "out/runs.csv").read_text()

    assert made("runs") == made("future_work_runs", "runs")  # only future work has ELL, and its counter


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["bodar"], 2, "work: unknown name 'bodar'; did you mean bodra?"),
        (["bodra", "tabel1"], 2, "bodra: target: unknown name 'tabel1'; did you mean table1?"),
        (["bodra", "--suite", "dmeo"], 2, "--suite: unknown name 'dmeo'; did you mean demo?"),
        (["bodra", "table1", "--suite", "demo", "--rows", "paris"], 2, "--rows: unknown name 'paris'"),
        (["bodra", "--suite", "demo", "--columns", "naif"], 2, "--columns: unknown name 'naif'; did you mean naive?"),
        (["bodra", "table2", "--suite", "demo"], 2, "no record of the requested runs; measure first"),
    ],
)
def test_a_fault_is_one_sentence_and_nothing_is_written(report, arguments, status, says):
    left, files, said = report(*arguments)
    assert (left, files) == (status, [])
    assert said.startswith("warpath: error: ") and says in said and said.count("\n") == 1


def test_outside_of_a_checkout_the_works_are_those_that_come_with_warpath(report, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert report("bodra", "table1", *DEMO)[0] == 0


def listed(capsys, *what):
    assert main(["list", *what]) == 0
    return capsys.readouterr().out.splitlines()


def test_works_are_listed_with_what_they_are_about(capsys):
    lines = listed(capsys, "works")
    assert [line.split()[0] for line in lines] == list(WORKS)
    assert all(WORKS[line.split()[0]].fields.about in line for line in lines)


def test_targets_variants_and_datasets_are_listed(capsys):
    assert any(line.split()[:3] == ["bodra", "table1", "table"] for line in listed(capsys, "targets"))
    names = sorted(f"{algorithm}.{name}" for algorithm, variants in families().items() for name in variants)
    lines = listed(capsys, "variants")
    assert [line.split()[0] for line in lines] == names
    assert all(len(line.split()) > 3 for line in lines)  # each has a problem and a summary
    assert any(line.split()[:2] == ["nyc", "gr"] for line in listed(capsys, "datasets"))


def test_without_a_name_everything_is_listed_under_its_heading(capsys):
    lines = listed(capsys)
    headings = [line for line in lines if not line.startswith(" ")]
    assert headings == ["works:", "targets:", "variants:", "peers:", "datasets:"]
    assert listed(capsys, "works", "variants")[0] == "works:"


def test_a_list_of_something_else_is_refused(capsys):
    assert main(["list", "wroks"]) == 2
    assert capsys.readouterr().err == "warpath: error: list: unknown name 'wroks'; did you mean works?\n"
