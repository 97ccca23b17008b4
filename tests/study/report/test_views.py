"""Views: which function makes a target, with which options, and the files that are written of it."""

import pytest
from report_samples import data, keep, written_work

from warpath.errors import FormatError, UsageError
from warpath_study.report.charts import bars
from warpath_study.report.table import Table, published_table
from warpath_study.report.views import VIEWS, find_view, make, write_target
from warpath_study.works.works import SUFFIXES, load

WORK = """
title: A work
citation: Somebody
runs:
  sizes: {columns: [floyd_warshall.naive, floyd_warshall.tiled], rows: {a: a, b: b}}
targets:
  table1: {kind: table, runs: [sizes], title: Times, options: {published: table1.csv}}
  shared: {kind: figure, view: bars, runs: [sizes], title: Times}
  own: {kind: text, view: own, runs: [sizes], file: words}
  mine: {kind: table, view: table1, runs: [sizes]}
  "row_{row}": {kind: text, view: rows, runs: [sizes]}
  claims: {kind: claims, runs: [sizes], title: Claims}
"""
VIEWS_FILE = """
from warpath_study.report.table import published_table
from warpath_study.works.claims import claim

@claim("tiles help", runs="sizes", setting="each", about=["table1", "shared"])
def _(t):
    return t.seconds("naive") / t.seconds("tiled")

def own(data, *, greeting="runs"):
    return f"{greeting}: {len(data.measured)}"

def rows(data):
    return ", ".join(run.run for run in data.measured) + " on " + data.target.row

def table1(data):
    return published_table(data, columns=["tiled"])

def _hidden(data):
    return ""
"""
PAPER = "dataset,nodes,edges,naive\na,10,20,8.0\nb,10,20,\n"
CLAIMS = "claim,low,high,unit,where\ntiles help,1,,x,text\n"


@pytest.fixture
def work(tmp_path):
    work = written_work(tmp_path / "some_work", WORK, table1=PAPER, claims=CLAIMS)
    (work.path / "views.py").write_text(VIEWS_FILE)
    return work


@pytest.fixture
def records(tmp_path):
    for dataset in "ab":
        for variant, seconds in (("naive", 2.0), ("tiled", 1.0)):
            keep(tmp_path / "runs", dataset, f"floyd_warshall.{variant}", seconds)
    return tmp_path / "runs"


def test_a_view_is_the_works_own_or_one_that_all_share(work):
    assert find_view(work, "bars", "here") is bars
    assert find_view(work, "table", "here") is published_table
    assert find_view(work, "own", "here").__module__ == "warpath_work_some_work"
    assert "table1" not in VIEWS


@pytest.mark.parametrize("name", ["bar", "_hidden", "published_table"])
def test_an_unknown_view_is_refused_with_the_place(work, name):
    with pytest.raises(UsageError, match=f"here.view: unknown name '{name}'"):
        find_view(work, name, "here")


def test_a_view_is_called_with_its_options(work, records):
    assert make(data(work, "own", records)) == "runs: 4"
    assert make(data(work, "row_b", records)) == "floyd_warshall.naive, floyd_warshall.tiled on b"
    assert isinstance(make(data(work, "table1", records)), Table)
    text = (work.path / "work.yaml").read_text()
    (work.path / "work.yaml").write_text(text.replace("file: words", "options: {greeting: hello}"))
    assert make(data(load(work.path), "own", records)) == "hello: 4"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("view: own", "view: onw", "targets.own.view: unknown name 'onw'; did you mean own"),
        ("file: words", "options: {greting: x}", "targets.own.options: unknown name 'greting'; did you mean greeting"),
        ("file: words", "options: {data: x}", "targets.own.options: unknown name 'data'"),
    ],
)
def test_an_unknown_option_is_refused_with_the_place(work, records, old, new, says):
    text = (work.path / "work.yaml").read_text()
    (work.path / "work.yaml").write_text(text.replace(old, new))
    with pytest.raises(UsageError, match=f"some_work/work.yaml: {says}"):
        make(data(load(work.path), "own", records))


def test_views_that_cannot_be_loaded_are_named(work, records):
    (work.path / "views.py").write_text("import nothing_of_this_name\n")
    with pytest.raises(UsageError, match=r"some_work/views\.py: cannot be loaded \(ModuleNotFoundError: "):
        make(data(work, "own", records))


def written(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("target", "stem"),
    [
        ("table1", "results/some_work/table1"),
        ("claims", "results/some_work/claims"),
        ("shared", "figures/some_work/shared"),
        ("own", "results/some_work/words"),
        ("row_a", "results/some_work/row_a"),
        ("runs", "results/some_work/runs"),
    ],
)
def test_a_target_is_written_in_all_its_formats(work, records, tmp_path, target, stem):
    given = data(work, target, records)
    out = tmp_path / "out"
    files = write_target(given, out / "results", out / "figures")
    assert [file.relative_to(out).as_posix() for file in files] == [
        stem + suffix for suffix in SUFFIXES[given.target.fields.kind]
    ]
    assert written(out) == sorted(file.relative_to(out).as_posix() for file in files)
    assert all(file.stat().st_size > 0 for file in files)
    before = {file: file.read_bytes() for file in files}
    assert write_target(given, out / "results", out / "figures") == files
    assert {file: file.read_bytes() for file in files} == before  # the same runs make the same files


def test_the_table_of_runs_is_that_of_the_targets_runs(work, records, tmp_path):
    given = data(work, "runs", records, None)
    (file,) = write_target(given, tmp_path / "out", tmp_path / "figures")
    assert len(file.read_text().splitlines()) == 5
    assert [line.split(",")[2] for line in file.read_text().splitlines()[1:]] == [run.run for run in given.measured]


def test_a_claim_that_is_about_a_target_stands_on_its_page(work, records, tmp_path):
    files = write_target(data(work, "table1", records), tmp_path / "results", tmp_path / "figures")
    page = next(file for file in files if file.suffix == ".html")
    assert "tiles help" in page.read_text()


@pytest.mark.parametrize("target", ["table1", "shared", "own", "claims"])
def test_nothing_is_written_where_making_fails(work, records, tmp_path, target):
    if target == "own":
        (work.path / "views.py").write_text(VIEWS_FILE.replace("len(data.measured)", "1 // 0"))
    else:
        (work.path / "published" / "claims.csv").write_text("claim\n")
    with pytest.raises(UsageError if target == "own" else FormatError) as refused:
        write_target(data(work, target, records), tmp_path / "out", tmp_path / "out")
    if target == "own":
        line = 1 + VIEWS_FILE[: VIEWS_FILE.index("len(data.measured)")].count("\n")
        assert f"views.py, line {line}: ZeroDivisionError" in str(refused.value)
    assert not (tmp_path / "out").exists()
