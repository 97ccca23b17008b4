"""What users write: config.yaml, the catalog and suites, every key of it, and one sentence for each fault.

Rows whose names mean something to a shell, a file system or Markdown show in the tables as they are. And what jobs ask
of a cluster is enough for every run that was measured, and no more than a node has.
"""

import csv
import datetime
import io
import re
import runpy
import shlex
from collections import Counter
from types import SimpleNamespace

import msgspec
import pytest
import yaml
from report_samples import ROOT, data, keep, written_work
from snakemake.utils import format as snakemake_format
from tiny_graphs import named

from warpath.errors import FormatError, UsageError
from warpath.solvers.checks.preconditions import CLOSURE, DISTANCES, PATHS
from warpath_study.data_files import load_yaml
from warpath_study.datasets.catalog import Dataset, load_catalog
from warpath_study.measure.runs import answer_size, find
from warpath_study.record import read_record
from warpath_study.report.views import write_target
from warpath_study.works.planned import (
    PlannedTarget,
    PlannedTurns,
    by_option,
    items_read,
    megabytes,
    minutes,
    planned_run,
)
from warpath_study.works.settings import Settings, split_names
from warpath_study.works.works import Choice, load, load_all

WORKS = load_all(ROOT / "workflow" / "works")
CATALOG = load_catalog(ROOT / "data" / "catalog.yaml")
CONFIG = load_yaml(ROOT / "config.yaml")


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def settings(**changes) -> Settings:
    return Settings.of({**CONFIG, **changes}, WORKS, CATALOG)


def test_every_key_of_the_config_arrives():
    found = msgspec.structs.asdict(settings())
    assert found == {**CONFIG, "graphs": "paper", "datasets": {}, "groups": {}}


def test_what_the_user_has_is_handed_to_every_step():
    assert Settings.places(CONFIG) == {}
    given = {"gapbs": "/g", "peers": {"mine": "/a b/mine.so"}}
    assert Settings.places({**CONFIG, **given}) == {"WARPATH_GAPBS": "/g", "WARPATH_PEERS": '{"mine": "/a b/mine.so"}'}
    with pytest.raises(UsageError, match=r"config: .*peers"):
        Settings.places({**CONFIG, "peers": "mine.so"})


def test_graphs_of_no_suite_are_refused():
    demo = load_yaml(ROOT / "workflow/suites/demo.yaml")
    assert settings(**demo).choice.suite == "demo"
    with pytest.raises(UsageError, match="config: datasets, groups"):
        settings(**{**demo, "suite": "of_a_test"})
    assert settings(**{**demo, "suite": "of_a_test", "graphs": "demo"}).results == "results/of_a_test"


def test_every_suite_of_ours_can_be_measured_or_drawn():
    for file in sorted((ROOT / "workflow" / "suites").glob("*.yaml")):
        with named(file.stem):
            found = settings(**load_yaml(file))
            assert found.suite == file.stem or found.reference
            assert any(work.targets(found.choice) for work in WORKS.values())


def test_where_results_lie_and_whose_graphs_they_are_of():
    h200 = "reference/nvidia-h200"
    for changes, place, records, graphs in (
        ({}, "", "results/runs", "paper"),
        ({"suite": "of_a_test"}, "/of_a_test", "results/of_a_test/runs", "paper"),
        ({"suite": "of_a_test", "graphs": "demo"}, "/of_a_test", "results/of_a_test/runs", "demo"),
        ({"reference": "nvidia-h200", "suite": "standin"}, f"/{h200}/standin", f"results/{h200}/runs", "standin"),
    ):
        found = settings(**changes)
        assert (found.results, found.figures, found.records) == (f"results{place}", f"figures{place}", records)
        assert found.choice == Choice(graphs)


def test_rows_and_columns_are_named_with_commas_or_in_a_list():
    for rows in ("64,nyc", "64, nyc", ["64", "nyc"], [64, "nyc"]):
        assert settings(rows=rows).choice.rows == ("64", "nyc")
    assert settings(rows=64, columns="naive").choice == Choice("paper", ("64",), ("naive",))
    # A comma may belong to parameters.
    asked = ("label_correcting.locality.k=4+vertices_per_thread=2", "harish")
    assert settings(columns=",".join(asked)).choice.columns == asked


def test_a_fault_is_one_sentence_with_its_key():
    for changes, *says in (
        ({"budgets": 3}, "'budgets'", "budget_s"),
        ({"budget_s": float("inf")}, "budget_s"),
        ({"cpu_budget_s": -1}, "cpu_budget_s"),
        ({"suite": "demo\n"}, "suite"),
        *(({"suite": taken}, taken) for taken in ("katz_kider", "future_work", "runs")),
        ({"graphs": "dmeo"}, "'dmeo'", "demo"),
        ({"reference": "nvidia-h2000"}, "reference", "nvidia-h2000"),
        ({"reference": "../reference/nvidia-h200"}, "reference"),
        ({"rows": "nyc,bey"}, "rows", "'bey'", "bay"),
        ({"rows": {"nyc": "nyc"}}, "rows"),
        ({"rows": "nyc", "columns": "branchless,tiled"}, "rows, columns"),
        ({"device": "cuda:x"}, "device"),
        ({"source_index": 10**9}, "source_index"),
        ({"repeats_min": 11}, "repeats_min", "repeats_max"),
        ({"repeats_max": 10**19}, "repeats_max", "1,000,000"),
        ({"weight_min": 9, "weight_max": 3}, "9..3"),
    ):
        with named(str(changes)), pytest.raises(UsageError) as refused:
            settings(**changes)
        message = str(refused.value)
        assert message.startswith("config: ") and "\n" not in message
        assert all(each in message for each in says), message


def test_a_key_that_is_missing_and_a_config_that_is_no_mapping():
    for key in set(CONFIG) - {"rows", "columns"}:
        config = {name: value for name, value in CONFIG.items() if name != key}
        with pytest.raises(UsageError, match=f"`{key}`"):
            Settings.of(config, WORKS, CATALOG)
    with pytest.raises(UsageError, match="config"):
        Settings.of(None, {}, {})


def test_a_work_that_asks_for_no_dataset_is_refused_with_its_place():
    catalog = {name: dataset for name, dataset in CATALOG.items() if name != "katz-64"}
    with pytest.raises(UsageError, match=r"katz_kider/work\.yaml: runs\.sizes: .*'katz-64'"):
        Settings.of(CONFIG, WORKS, catalog)


def test_a_work_or_a_target_called_as_a_rule_is_refused(tmp_path):
    """Each is made by its name."""
    text = (ROOT / "workflow/works/telang_grid/work.yaml").read_text()
    target = 'folder: ""\ntargets:\n  run: {kind: runs, runs: [sizes]}\n'
    for name, content in (("run", text), ("all", text), ("mine", text.replace("targets:\n", target))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "work.yaml").write_text(content)
        with pytest.raises(UsageError, match=f"{'run' if name == 'mine' else name} .* rule"):
            Settings.of(CONFIG, {**WORKS, name: load(tmp_path / name)}, CATALOG)


def test_what_is_no_yaml_of_ours_is_refused_with_its_line(tmp_path):
    path = tmp_path / "x.yaml"
    for content, place in (
        (b"a: b\nc: {a: 1, b: 2, a: 3}\n", ", line 2: .*'a'"),
        (b"a: b\nc: [\n", ", line 3: "),
        (b"a: b\nc: !!python/object/apply:os.getpid []\n", ", line 2: "),
        (b"a: b\nc: 2020-99-99\n", ": "),
        (b"a: b\nc: \xff\n", ": "),
    ):
        path.write_bytes(content)
        with named(str(content)), pytest.raises(FormatError, match=f"^{path}{place}") as refused:
            load_yaml(path)
        assert "\n" not in str(refused.value)


def test_anchors_aliases_and_merges_work(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: &a {k: 1, l: &l [1, 2]}\nb: *l\nc:\n  <<: *a\n  k: 3\n", encoding="utf-8")
    assert load_yaml(path) == {"a": {"k": 1, "l": [1, 2]}, "b": [1, 2], "c": {"k": 3, "l": [1, 2]}}


SCHEMAS = runpy.run_path(str(ROOT / "workflow" / "schemas" / "write.py"))


@pytest.mark.parametrize("name", SCHEMAS["SCHEMAS"])
def test_schemas_are_what_the_types_say_and_describe_every_key(name):
    written = (ROOT / "workflow" / "schemas" / name).read_text(encoding="utf-8")
    assert written == SCHEMAS["text"](name), f"workflow/schemas/{name} is not what the types say: make schemas"
    for type_, definition in SCHEMAS["SCHEMAS"][name]()["$defs"].items():
        for key, fields in definition["properties"].items():
            assert "description" in str(fields) or len(fields.get("enum", ())) == 1, (type_, key)


# Names of rows that a shell, a file system or a table would take for something else.
NAMES = ["$(touch P)", "'; touch P; '", "New York", "--help", "{x}", "../P"]
RULES = list((ROOT / "workflow/rules").glob("*.smk"))
SHELLS = [
    "".join(re.findall(r'"(.*)"', shell))
    for file in RULES
    for shell in re.findall(r"^ +shell:\n((?: +\".*\"\n)+)", file.read_text(), re.M)
]


def test_every_value_in_a_command_is_quoted():
    commands = sorted(shell.removeprefix("warpath ").split()[0] for shell in SHELLS)
    assert commands == ["convert", "cp", "fetch", "gather", "generate", "report", "run", "run", "statistics"]
    for shell in SHELLS:
        fields = re.findall(r"\{(.*?)\}", shell)
        assert fields and all(field.endswith(":q") for field in fields), shell
    rules = "".join(file.read_text() for file in RULES)
    assert len(re.findall(r"^ +(?:shell|run|script|wrapper|notebook):$", rules, re.M)) == len(SHELLS)


def work_with_row(folder, text):
    """A work with a row of this name, of graph g, and another one, of graph h."""
    contents = {
        "title": "A work",
        "citation": "Somebody",
        "runs": {"sizes": {"columns": ["floyd_warshall.naive"], "rows": {text: "g", "other": "h"}}},
        "targets": {"times": {"kind": "table", "runs": ["sizes"]}},
    }
    return written_work(folder / "some_work", yaml.safe_dump(contents, sort_keys=False))


@pytest.mark.parametrize("text", NAMES)
def test_a_row_is_one_word_of_a_command_and_a_line_of_its_table(tmp_path, text):
    for dataset, seconds in (("g", 2.0), ("h", 4.0)):
        keep(tmp_path / "runs", dataset, "floyd_warshall.naive", seconds)
    work = work_with_row(tmp_path, text)
    where = SimpleNamespace(choice=Choice(rows=(text,)), records="records", results="r", figures="f")
    (*_, target) = work.targets(where.choice)
    arguments = PlannedTarget(work, target, where).arguments
    (report,) = [shell for shell in SHELLS if shell.startswith("warpath report")]
    line = snakemake_format(report, params=SimpleNamespace(arguments=arguments), log="x.log")
    assert shlex.split(line) == ["warpath", "report", *arguments, ">", "x.log", "2>&1"]
    (rows,) = [split_names(each.removeprefix("--rows=")) for each in arguments if each.startswith("--rows=")]
    assert rows == (text,)
    write_target(data(work, "times", tmp_path / "runs"), tmp_path, tmp_path)
    written = (tmp_path / "some_work/times_comparison.csv").read_text()
    lines = [(line["row"], line["seconds"]) for line in csv.DictReader(io.StringIO(written))]
    assert lines == [(text, "2"), ("other", "4")]


def test_a_row_that_nothing_could_name_is_refused(tmp_path):
    for number, text in enumerate(("a,b", "x\ntouch P", "\ud800", "")):
        with named(text), pytest.raises(FormatError) as refused:
            work_with_row(tmp_path / str(number), text)
        assert "\n" not in str(refused.value)
        str(refused.value).encode()


# What jobs ask of a cluster.

PEER = answer_size(find("peer_apsp", "scipy").configured())
RECORDS = sorted((ROOT / "results/reference").glob("*/runs/*/*.json"))


def test_the_minutes_are_enough_for_every_reference_run():
    assert RECORDS
    records = [read_record(file) for file in RECORDS]
    joint = Counter(record.measure.turns for record in records if record.measure.turns)
    for file, record in zip(RECORDS, records, strict=True):
        start, end = map(datetime.datetime.fromisoformat, (record.started, record.finished))
        asked = joint.get(record.measure.turns, 1) * minutes(getattr(record.measure.sampling, "budget_s", 0))
        assert end - start < datetime.timedelta(minutes=asked), file
    assert [minutes(budget_s) for budget_s in (2, 60, 600)] == [11, 12, 30]


def test_the_memory_holds_graph_and_answer():
    """An answer has eight bytes a pair, distances and predecessors, four without them, twelve of a peer."""
    for answer, rows, vertices, arcs, answer_gb in (
        (PATHS, 1, 264346, 733846, 0.002),
        (PATHS, 36682, 36682, 88328, 10.8),
        (DISTANCES, 36682, 36682, 88328, 5.4),
        (PATHS, 65536, 65536, 524288, 34.4),
        (PEER, 22687, 22687, 54705, 6.2),
        (CLOSURE, 65536, 65536, 524288, 25.8),
    ):
        asked_gb = megabytes(vertices + arcs, answer.bytes_per_pair * rows * vertices) * 2**20 / 1e9
        assert answer_gb + 4 < asked_gb < 1.5 * answer_gb + 6


def test_a_job_of_several_runs_by_turns_asks_for_all_of_them():
    names = [f"{name}.sources=100" for name in ("peer_sssp.scipy", "peer_sssp.warpath", "label_correcting.harish")]
    runs = [planned_run(CATALOG["standin-e"], name, settings(cpu_budget_s=7)) for name in names]
    job = PlannedTurns(runs)
    assert job.names == names and job.facts == {run.name: run.facts for run in runs}
    assert (job.needs_gpu, PlannedTurns(runs[:1]).needs_gpu, job.gpus) == (True, False, 1)
    assert job.minutes == sum(run.minutes for run in runs)
    assert max(run.megabytes for run in runs) < job.megabytes < sum(run.megabytes for run in runs)
    assert by_option(job.options) == {"--sources-seed": 1, "--budget-s": 7}
    assert by_option(PlannedTurns(runs[1:]).options)["--budget-s"] == 10


def test_the_minutes_of_a_part_of_all_pairs_follow_its_distances():
    assert minutes(distances=10) == 11
    assert [minutes(distances=sources * 264_346) for sources in (264_346, 66_087)] == [28, 15]


def test_a_graph_asks_for_what_making_it_takes():
    """The stand-in of the eastern USA took 30 s and 1 GB on a busy core."""
    items = items_read(CATALOG["standin-e"], {})
    assert 5 < minutes(items=items) < 30
    assert 2_000 < megabytes(items) < 10_000
    assert max(items_read(CATALOG[name], CATALOG) for name in ("demo-nyc", "nyc")) < 2_000_000
    # One of unknown size asks for much: its size decides whether a job makes it.
    assert items_read(Dataset(name="mine", kind="snap", title="Mine", file="mine.txt"), CATALOG) > 100_000_000
    for part, whole in (("caida-part", "caida"), ("w-revised", "w")):
        assert items_read(CATALOG[part], CATALOG) == CATALOG[whole].vertices + CATALOG[whole].arcs
