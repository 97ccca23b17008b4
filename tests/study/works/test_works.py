"""Works: what work.yaml may say, which runs and targets follow, and that ours ask for what there is."""

import shutil

import pytest
from report_samples import ROOT, written_work
from tiny_graphs import named

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


def test_what_is_no_work_is_refused_by_its_key(tmp_path):
    for place, (old, new, says) in enumerate(
        (
            ("title: A work", "titel: A work", "`titel`"),
            ("sources: 100", "sources: many", ".sources`"),
            ("roads:\n", "Roads:\n", "runs"),
            ("    rows:\n", "    by_turns: true\n    rows:\n", "by_turns needs sources"),
        )
    ):
        work = tmp_path / str(place) / "works/some_work/work.yaml"
        with named(new), pytest.raises(FormatError, match=f"^{work}.*{says}"):
            faulty(tmp_path / str(place), old, new)


def test_a_folder_without_a_work(tmp_path):
    with pytest.raises(UsageError, match=r"work\.yaml"):
        load(tmp_path)
    with pytest.raises(UsageError, match="works"):
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


def test_runs_by_turns_are_those_of_a_group_on_a_graph(tmp_path):
    work = faulty(tmp_path, "sources: 100", "sources: 100\n    by_turns: true")
    both = ["label_correcting.harish.sources", "label_correcting.locality.k=4+vertices_per_thread=2+sources"]
    assert work.turns(Choice()) == {("some_work.roads", "g-road"): [f"{run}=100" for run in both]}
    assert work.turns(Choice("few", columns=("harish",))) == {("some_work.roads", "g-road"): [f"{both[0]}=5"]}
    assert work.turns(Choice("standin")) == {}


def test_a_suite_with_a_key_or_a_group_that_there_is_not_is_refused(tmp_path):
    with pytest.raises(FormatError, match=r"suites/broken\.yaml: .*`column`"):
        written_work(tmp_path / "1/works/a", WORK, {"broken": "groups: {some_work.sizes: {column: []}}"})
    written_work(tmp_path / "2/works/some_work", WORK, {"mine": "groups: {some_work.size: {sources: 3}}"})
    with pytest.raises(UsageError, match=r"mine\.yaml: groups: .*some_work\.sizes"):
        load_all(tmp_path / "2/works")
    for number, (suite, says) in enumerate(
        (
            ("datasets: {g-smal: standin-small}", "datasets: .*'g-smal'.*g-small"),
            ("groups: {some_work.sizes: {rows: [small, lareg]}}", r"groups: some_work\.sizes: rows: .*'lareg'.*large"),
        )
    ):
        written_work(tmp_path / f"3/{number}/works/some_work", WORK, {"mine": suite})
        with pytest.raises(UsageError, match=rf"mine\.yaml: {says}"):
            load_all(tmp_path / f"3/{number}/works")


def test_rows_and_columns_are_chosen_by_name(work):
    for choice, places in (
        (Choice(rows=("large",)), [2]),
        (Choice(rows=("small", "road")), [0, 1, 3, 4]),
        (Choice(columns=("tiled",)), [1]),
        (Choice(columns=(LOCALITY, "staged")), [2, 4]),
        (Choice(rows=("small",), columns=("harish",)), []),
    ):
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


def test_a_target_without_a_run_in_the_choice_is_none_and_is_refused_with_the_nearest(work):
    names = [target.name for target in work.targets(Choice(rows=("small",)))]
    assert names == ["runs", "large_runs", "table1", "picture_small"]
    assert work.targets(Choice(rows=("none",))) == []
    with pytest.raises(UsageError, match=r"'tabel1'; .*table1"):
        work.target("tabel1", Choice())
    with pytest.raises(UsageError, match=r"runs, large_runs, table1, picture_small$"):
        work.target("zzz", Choice(rows=("small",)))


def test_files_lie_in_the_folder_of_the_work(tmp_path, work):
    assert work.folder == "some_work/"
    assert faulty(tmp_path / "own", "citation:", "folder: other\ncitation:").folder == "other/"
    assert faulty(tmp_path / "none", "citation:", 'folder: ""\ncitation:').folder == ""


DATASETS = ["g-small", "g-large", "standin-small", "g-road"]


def test_a_work_that_asks_for_what_there_is_not_is_refused_with_the_place(work, tmp_path):
    work.check(DATASETS)
    for place, (old, new, says) in enumerate(
        (
            ("small: g-small", "small: g-smal", "work.yaml: runs.sizes: .*'g-smal'; .*g-small"),
            ("standin-small", "standin", "suites/standin.yaml: some_work.sizes: .*'standin'"),
            ("floyd_warshall.naive", "floyd_warshall.naiv", "runs.sizes: .*naiv"),
            ("vertices_per_thread=2", "vertices_per_thread=33", "runs.roads: vertices_per_thread"),
            ("runs: [sizes]", "runs: [size]", "targets.table1.runs: .*'size'"),  # refused on reading
            ("k=4+vertices_per_thread=2", "vertices_per_thread=2+k=4", r"'\S*k=4\+vertices_per_thread=2'"),
        )
    ):
        with named(new), pytest.raises(UsageError, match=says):
            faulty(tmp_path / str(place), old, new).check(DATASETS)


def test_a_suite_has_the_peers_in_c_that_it_names(tmp_path):
    few = "{suite: few, groups: {some_work.sizes: {columns: [floyd_warshall.tiled]}"
    columns = "groups: {some_work.sizes: {columns: [peer_sssp.mine, floyd_warshall.tiled]}"
    for number, (peers, says) in enumerate((("mine: a.so", ""), ("tiled: a.so", "no peer 'mine'"))):
        work = faulty(tmp_path / str(number), few, f"{{suite: few, peers: {{{peers}}}, {columns}")
        if says:
            with pytest.raises(UsageError, match=f"suites/few.yaml: some_work.sizes: .*{says}"):
                work.check(DATASETS)
        else:
            work.check(DATASETS)
    variant = columns.replace("peer_sssp.mine", "floyd_warshall.mine")
    work = faulty(tmp_path / "variant", few, f"{{suite: few, peers: {{mine: a.so}}, {variant}")
    with pytest.raises(UsageError, match="floyd_warshall has no variant 'mine'"):
        work.check(DATASETS)


def test_two_works_that_would_overwrite_each_other_are_refused(tmp_path):
    written_work(tmp_path / "some_work", WORK, {})
    for changes, says in (
        ({"set: large": "set: larger", "[large]": "[larger]"}, None),
        ({}, "set large"),
        ({"set: large": "set: some_work", "[large]": "[]"}, "set some_work"),
        ({"set: large": "set: larger", "not_by_default: [large]": "folder: some_work"}, "some_work/runs.csv"),
    ):
        other = WORK
        for old, new in changes.items():
            assert old in other
            other = other.replace(old, new)
        (tmp_path / "the_other").mkdir(exist_ok=True)
        (tmp_path / "the_other" / "work.yaml").write_text(other)
        if says is None:
            assert set(load_all(tmp_path)) == {"some_work", "the_other"}
        else:
            with pytest.raises(UsageError, match=f"the_other/work.yaml: .*{says}"):
                load_all(tmp_path)


def test_two_targets_of_a_work_that_would_write_one_file_are_refused(tmp_path):
    another = "  figure5: {kind: figure, view: bars, runs: [roads], file: roads/figure5}\n"
    faulty(tmp_path, "targets:\n", f"targets:\n{another}")
    with pytest.raises(UsageError, match=r"some_work/roads/figure5\.svg"):
        load_all(tmp_path / "works")


OURS = load_all(ROOT / "workflow" / "works")


@pytest.mark.parametrize("work", OURS.values(), ids=list(OURS))
def test_our_works_ask_for_what_there_is_and_targets_have_a_view_a_title_a_caption_and_files_of_their_own(work):
    work.check(load_catalog(ROOT / "data" / "catalog.yaml"))
    assert work.targets(Choice())
    assert set(work.fields.not_by_default) <= set(work.sets)
    for suite in suites([work]):
        targets = work.targets(Choice(suite))
        files = [
            (target.fields.kind == "figure", target.stem + suffix) for target in targets for suffix in target.suffixes
        ]
        assert len(set(files)) == len(files), suite
    for name, fields in work.fields.targets.items():
        assert find_view(work, fields.view or fields.kind, name)
        assert fields.kind == "text" or (fields.title and fields.caption), name
        assert fields.kind != "figure" or not fields.options.get("published") or work.fields.hardware, name


@pytest.mark.parametrize("work", OURS.values(), ids=list(OURS))
def test_published_tables_of_our_works_have_rows_that_are_asked_for(work):
    """Every row that a work prints has a graph, in the order of the rows; every name that a column is given is used."""
    for target in work.targets(Choice()):
        if published := target.fields.options.get("published"):
            rename, file = target.fields.options.get("rename", {}), work.published_file(published)
            printed = read_table(file, rename).rows
            rows = [row for group in target.fields.runs for row in work.group(group, PAPER).rows]
            assert set(printed) <= set(rows) and set(rename) <= set(read_table(file).columns)
            measured = list(dict.fromkeys(run.row for run in work.requests(work.needs(target), Choice())))
            assert [row for row in dict.fromkeys([*printed, *measured]) if row in measured] == measured, target.name
