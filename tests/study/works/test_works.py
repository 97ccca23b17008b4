"""Works: what work.yaml may say, which runs and targets follow, and that ours ask for what there is."""

import shutil

import pytest
from report_samples import ROOT, written_work

from warpath.errors import FormatError, UsageError
from warpath_study.datasets.catalog import load_catalog
from warpath_study.report.published import read_table
from warpath_study.report.views import find_view
from warpath_study.works.works import PAPER, Choice, RunRequest, load, load_all, suites

WORK = """
title: A work
citation: Somebody
not_by_default: [large]
runs:
  sizes:
    columns: [floyd_warshall.naive, floyd_warshall.tiled]
    rows:
      small: g-small
      large: {dataset: g-large, columns: [floyd_warshall.staged]}
  roads:
    sources: 100
    columns: [label_correcting.harish, "label_correcting.locality.k=4+vertices_per_thread=2"]
    rows: {road: g-road}
targets:
  table1: {kind: table, runs: [sizes]}
  figure5_log: {kind: figure, view: bars, runs: [roads], file: roads/figure5}
  "picture_{row}": {kind: figure, view: picture, runs: [sizes], set: large}
"""
SUITES = {
    "few": "{suite: few, groups: {some_work.sizes: {columns: [floyd_warshall.tiled]}, some_work.roads: {sources: 5}}}",
    "other": "groups: {some_work.sizes: {rows: {mine: g-small}}, some_work.roads: {rows: []}}",
    "standin": "{datasets: {g-small: standin-small, g-road: null}, groups: {some_work.sizes: {rows: [small]}}}",
}


@pytest.fixture
def work(tmp_path):
    return written_work(tmp_path / "works" / "some_work", WORK, SUITES)


def faulty(folder, old, new):
    suites = {name: text.replace(old, new, 1) for name, text in SUITES.items()}
    return written_work(folder / "works" / "some_work", WORK.replace(old, new, 1), suites)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("title: A work", "titel: A work", "unknown field `titel`"),
        ("title: A work\n", "", "missing required field `title`"),
        ("sources: 100", "sources: many", r"Expected `int | null`, got `str` - at `\$.runs\[...\].sources`"),
        ("sources: 100", "sources: 0", "`int` >= 1"),
        ("kind: table", "kind: tabel", "Invalid enum value 'tabel'"),
        ("runs: [sizes]}", "runs: []}", "length >= 1"),
        ("small: g-small", "small: [g-small]", "got `array`"),
        ("dataset: g-large, ", "", "missing required field `dataset`"),
        ("roads:\n", "Roads:\n", "matching regex"),
    ],
)
def test_what_is_no_work_is_refused_by_its_key(tmp_path, old, new, says):
    with pytest.raises(FormatError) as refused:
        faulty(tmp_path, old, new)
    message = str(refused.value)
    assert message.startswith(f"{tmp_path / 'works' / 'some_work' / 'work.yaml'}: ") and "\n" not in message
    assert says.replace("\\", "") in message
    assert message.endswith("; workflow/schemas/work.schema.json describes every key")


def test_a_key_that_stands_twice_is_refused_with_its_line(tmp_path):
    with pytest.raises(FormatError, match=r"work.yaml, line 4: not YAML \('citation' occurs twice\)"):
        faulty(tmp_path, "citation: Somebody", "citation: Somebody\ncitation: Else")


def test_a_folder_without_a_work(tmp_path):
    with pytest.raises(UsageError, match=r"work\.yaml: cannot be read"):
        load(tmp_path)
    with pytest.raises(UsageError, match="there are no works in "):
        load_all(tmp_path)


def test_works_are_those_of_the_working_directory_or_else_those_that_come_with_warpath(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "workflow" / "works").mkdir(parents=True)
    assert list(load_all()) == list(OURS)
    shutil.copytree(OURS["bodra"].path, tmp_path / "workflow" / "works" / "mine")
    assert list(load_all()) == ["mine"]


def runs_of(work, choice=None, groups=("sizes", "roads")):
    return [(run.row, run.dataset, run.run) for run in work.requests(groups, choice or Choice())]


LOCALITY = "label_correcting.locality.k=4+vertices_per_thread=2"


def test_runs_stand_row_by_row_and_a_row_may_have_its_own(work):
    assert runs_of(work) == [
        ("small", "g-small", "floyd_warshall.naive"),
        ("small", "g-small", "floyd_warshall.tiled"),
        ("large", "g-large", "floyd_warshall.staged"),
        ("road", "g-road", "label_correcting.harish.sources=100"),
        ("road", "g-road", f"{LOCALITY}+sources=100"),
    ]
    assert runs_of(work, groups=["roads", "sizes"]) == [*runs_of(work)[3:], *runs_of(work)[:3]]
    assert runs_of(work, groups=["sizes", "sizes"]) == runs_of(work)[:3]  # each once


def test_a_suite_replaces_what_it_names(work):
    assert runs_of(work, Choice("standin")) == [
        ("small", "standin-small", "floyd_warshall.naive"),
        ("small", "standin-small", "floyd_warshall.tiled"),
    ]
    assert [run for _, _, run in runs_of(work, Choice("few"))] == [
        "floyd_warshall.tiled",
        "floyd_warshall.staged",
        "label_correcting.harish.sources=5",
        f"{LOCALITY}+sources=5",
    ]
    assert runs_of(work, Choice("other")) == [
        ("mine", "g-small", "floyd_warshall.naive"),
        ("mine", "g-small", "floyd_warshall.tiled"),
    ]
    assert suites([work]) == [PAPER, "few", "other", "standin"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("groups: {some_work.sizes: {column: []}}", "unknown field `column`"),
        ("datasets: [g-small]", "Expected `object`"),
    ],
)
def test_what_is_no_suite_is_refused_by_its_key(tmp_path, text, says):
    with pytest.raises(FormatError, match=rf"suites/broken\.yaml: .*{says}"):
        written_work(tmp_path / "works" / "some_work", WORK, {"broken": text})


def test_a_suite_that_names_a_group_that_there_is_not_is_refused(tmp_path):
    written_work(tmp_path / "works" / "some_work", WORK, {"mine": "groups: {some_work.size: {sources: 3}}"})
    with pytest.raises(UsageError, match=r"mine\.yaml: groups: .*did you mean some_work\.sizes"):
        load_all(tmp_path / "works")


@pytest.mark.parametrize(
    ("choice", "places"),
    [
        (Choice(rows=("large",)), [2]),
        (Choice(rows=("small", "road")), [0, 1, 3, 4]),
        (Choice(columns=("tiled",)), [1]),
        (Choice(columns=(LOCALITY, "staged")), [2, 4]),
        (Choice(rows=("small",), columns=("harish",)), []),
    ],
)
def test_rows_and_columns_are_chosen_by_name(work, choice, places):
    assert runs_of(work, choice) == [runs_of(work)[place] for place in places]


def test_a_run_has_a_column_without_its_sources_and_a_file():
    run = RunRequest("road", "g-road", "label_correcting", "locality", {"sources": 5, "k": 4})
    assert run.column == "label_correcting.locality.k=4"
    assert run.file == "g-road/label_correcting.locality.k=4+sources=5.json"


def test_targets_are_the_tables_of_runs_the_named_ones_and_one_for_each_row(work):
    assert [(target.name, target.stem, work.set_of(target)) for target in work.targets(Choice())] == [
        ("runs", "runs", "some_work"),
        ("large_runs", "large_runs", "large"),
        ("table1", "table1", "some_work"),
        ("figure5_log", "roads/figure5", "some_work"),
        ("picture_small", "picture_small", "large"),
        ("picture_large", "picture_large", "large"),
    ]
    assert (work.sets, work.default_sets) == (["some_work", "large"], ["some_work"])
    assert work.fields.targets["table1"].runs == ["sizes"]
    assert work.target("runs", Choice()).fields.runs == ["sizes", "roads"]
    assert work.target("picture_large", Choice()).row == "large"
    assert work.target("figure5_log", Choice()).label == "Figure 5 log"


def test_a_target_without_a_run_in_the_choice_is_none(work):
    names = [target.name for target in work.targets(Choice(rows=("small",)))]
    assert names == ["runs", "large_runs", "table1", "picture_small"]
    assert work.targets(Choice(rows=("none",))) == []


def test_an_unknown_target_is_refused_with_the_nearest(work):
    with pytest.raises(UsageError, match="some_work: target: unknown name 'tabel1'; did you mean table1"):
        work.target("tabel1", Choice())
    with pytest.raises(UsageError, match=r"there are runs, large_runs, table1, picture_small$"):
        work.target("zzz", Choice(rows=("small",)))


def test_files_lie_in_the_folder_of_the_work(tmp_path, work):
    assert work.folder == "some_work/"
    assert faulty(tmp_path / "own", "citation:", "folder: other\ncitation:").folder == "other/"
    assert faulty(tmp_path / "none", "citation:", 'folder: ""\ncitation:').folder == ""


DATASETS = ["g-small", "g-large", "standin-small", "g-road"]


def test_a_work_that_asks_for_what_there_is_passes(work):
    work.check(DATASETS)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            "small: g-small",
            "small: g-smal",
            "works/some_work/work.yaml: runs.sizes: unknown name 'g-smal'; did you mean g-small",
        ),
        ("standin-small", "standin", "suites/standin.yaml: some_work.sizes: unknown name 'standin'; did you mean"),
        ("floyd_warshall.naive", "floyd_warshall.naiv", "runs.sizes: .*naiv"),
        ("vertices_per_thread=2", "vertices_per_thread=33", "runs.roads: vertices_per_thread of label_correcting"),
        ("runs: [sizes]", "runs: [size]", "targets.table1.runs: unknown name 'size'; did you mean sizes"),
    ],
)
def test_a_work_that_asks_for_what_there_is_not_is_refused_with_the_place(tmp_path, old, new, says):
    with pytest.raises(UsageError, match=says):
        faulty(tmp_path, old, new).check(DATASETS)


def test_a_target_of_runs_that_there_are_not_is_refused_on_reading(tmp_path):
    with pytest.raises(UsageError, match=r"targets\.table1\.runs: unknown name 'size'; did you mean sizes"):
        faulty(tmp_path, "runs: [sizes]", "runs: [size]")


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"set: large": "set: larger", "[large]": "[larger]"}, None),
        ({}, "the work some_work has a set large, too; rename one"),
        ({"set: large": "set: some_work", "[large]": "[]"}, "the work some_work has a set some_work, too; rename one"),
        (
            {"set: large": "set: larger", "not_by_default: [large]": "folder: some_work"},
            "targets.runs and runs of some_work write the same file, some_work/runs.csv",
        ),
    ],
)
def test_two_works_that_would_overwrite_each_other_are_refused(tmp_path, changes, says):
    other = WORK
    for old, new in changes.items():
        assert old in other
        other = other.replace(old, new)
    for name, text in (("some_work", WORK), ("the_other", other)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "work.yaml").write_text(text)
    if says is None:
        assert set(load_all(tmp_path)) == {"some_work", "the_other"}
    else:
        with pytest.raises(UsageError, match=f"the_other/work.yaml: {says}"):
            load_all(tmp_path)


def test_two_targets_of_a_work_that_would_write_one_file_are_refused(tmp_path):
    (tmp_path / "works" / "some_work").mkdir(parents=True)
    text = WORK.replace(
        "targets:\n", "targets:\n  figure5: {kind: figure, view: bars, runs: [roads], file: roads/figure5}\n"
    )
    (tmp_path / "works" / "some_work" / "work.yaml").write_text(text)
    with pytest.raises(
        UsageError, match=r"figure5_log and figure5 of some_work write the same file, some_work/roads/figure5.svg"
    ):
        load_all(tmp_path / "works")


def test_a_run_has_one_name(tmp_path):
    work = faulty(tmp_path, "k=4+vertices_per_thread=2", "vertices_per_thread=2+k=4")
    with pytest.raises(UsageError, match=r"write it as 'label_correcting\.locality\.k=4\+vertices_per_thread=2'"):
        work.requests(["roads"], Choice())


OURS = load_all(ROOT / "workflow" / "works")


@pytest.mark.parametrize("work", OURS.values(), ids=list(OURS))
def test_our_works_ask_for_graphs_and_variants_that_there_are(work):
    work.check(load_catalog(ROOT / "data" / "catalog.yaml"))
    assert work.targets(Choice())
    assert set(work.fields.not_by_default) <= set(work.sets)


@pytest.mark.parametrize("work", OURS.values(), ids=list(OURS))
def test_targets_of_our_works_have_a_view_a_title_a_caption_and_files_of_their_own(work):
    for suite in suites([work]):
        targets = work.targets(Choice(suite))
        files = [
            (target.fields.kind == "figure", target.stem + suffix) for target in targets for suffix in target.suffixes
        ]
        assert len(set(files)) == len(files), suite
    for name, fields in work.fields.targets.items():
        assert find_view(work, fields.view or fields.kind, name)
        assert fields.kind == "text" or (fields.title and fields.caption), name


@pytest.mark.parametrize("work", OURS.values(), ids=list(OURS))
def test_published_tables_of_our_works_have_rows_that_are_asked_for(work):
    """Every row that a work prints has a graph, and every name that translates a column is used."""
    for target in work.fields.targets.values():
        if "published" not in target.options:
            continue
        rename = target.options.get("rename", {})
        file = work.published_file(target.options["published"])
        table = read_table(file, rename)
        rows = {row for group in target.runs for row in work.group(group, PAPER).rows}
        assert set(table.rows) <= rows
        assert set(rename) <= set(read_table(file).columns)
