"""Texts of a config, a catalog or a work that mean something to a shell, a file system, Markdown or matplotlib.

None is ever run. Each is refused by one sentence, or shows in the tables as it is.
"""

import copy
import csv
import io
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from report_samples import ROOT, data, keep
from snakemake.utils import format as snakemake_format

from warpath.errors import WarpathError
from warpath_study.data_files import load_yaml
from warpath_study.datasets.catalog import load_catalog
from warpath_study.report.views import write_target
from warpath_study.works.planned import PlannedTarget
from warpath_study.works.settings import Settings, split_names
from warpath_study.works.works import Choice, Work, load, load_all

HOSTILE = {
    "substitution": "$(touch P)",
    "backticks": "`touch P`",
    "quote": "'; touch P; '",
    "quotes": '" $(touch P) "',
    "blank": "New York",
    "line feed": "x\ntouch P",
    "line feed at the end": "x\n",
    "blank at the end": "x ",
    "NUL": "a\0b",
    "half a character": "\ud800",
    "braces": "{x}",
    "folder above": "../P",
    "absolute path": "/P",
    "option": "--help",
    "pipe": "|touch P",
    "mathematics": "$a$b$",
    "comma": "a,b",
    "empty": "",
}
RULES = list((ROOT / "workflow/rules").glob("*.smk"))
SHELLS = {
    command: "".join(re.findall(r'"(.*)"', shell))
    for file in RULES
    for shell, command in re.findall(r"^( +\"(?:\( )?warpath (\w+) .*\"\n(?: +\".*\"\n)*)", file.read_text(), re.M)
}

WORKS, DATASETS = load_all(ROOT / "workflow/works"), load_catalog(ROOT / "data/catalog.yaml")

# Every key of work.yaml, with a value that names no more than the others do.
WORK = """
title: A work
citation: Somebody
about: what it is
hardware: a machine
folder: of_work
not_by_default: [more]
runs:
  sizes:
    columns: [floyd_warshall.naive]
    rows: {first: g, other: {dataset: g, columns: [floyd_warshall.naive]}}
targets:
  table1: {kind: table, runs: [sizes], title: A table, caption: What it shows, view: table, file: of_target, set: more,
    options: {published: table1.csv, rename: {slow: naive}}}
  "each_{row}": {kind: table, runs: [sizes]}
"""
PUBLISHED = {
    "table1": "dataset,nodes,edges,slow\nfirst,10,20,8.0\n",
}
CATALOG = """
read: {kind: snap, file: read.txt, title: A graph, vertices: 1, arcs: 1, weighted: false, sha256: null, licence: free,
  citation: Somebody, addresses: ["https://localhost/read.txt"]}
made: {kind: generated, generator: complete, parameters: {vertices: 4}, title: K4, vertices: 4, arcs: 12,
  weighted: false}
part: {kind: derived, from: made, weights: {seed: 1, min: 1, max: 2}}
"""


def places(contents: Any, place: tuple = ()) -> Iterator[tuple[tuple, bool]]:
    """Where there is a text in ``contents``: its path, and whether it is the key there."""
    if isinstance(contents, dict):
        for key, value in contents.items():
            yield (*place, key), True
            yield from places(value, (*place, key))
    elif isinstance(contents, list):
        for number, value in enumerate(contents):
            yield from places(value, (*place, number))
    elif isinstance(contents, str):
        yield place, False


def changed(contents: Any, place: tuple, is_key: bool, text: str) -> Any:
    """A copy of ``contents`` with ``text`` there."""
    contents = copy.deepcopy(contents)
    inner = contents
    for step in place[:-1]:
        inner = inner[step]
    if is_key:
        items = [(text if key == place[-1] else key, value) for key, value in inner.items()]
        inner.clear()
        inner.update(items)
    else:
        inner[place[-1]] = text
    return contents


def file_of(path: Path, contents: Any) -> Path:
    path.write_text(yaml.safe_dump(contents, allow_unicode=False, sort_keys=False))
    return path


def refused(error: WarpathError) -> None:
    """The error is one sentence that can be printed."""
    sentence = str(error)
    assert sentence and "\n" not in sentence.strip("\n") and "Traceback" not in sentence
    sentence.encode()


def command(name: str, **fields: Any) -> str:
    """The command line of a rule."""
    return snakemake_format(SHELLS[name], **fields)


def report_arguments(work: Work, choice: Choice) -> Iterator[list[str]]:
    """What the rules give `warpath report` for each target of a work."""
    settings = SimpleNamespace(choice=choice, records="records", results="results", figures="figures")
    for target in work.targets(choice):
        planned = PlannedTarget(work, target, settings)
        stem = planned.stem
        assert stem and not Path(stem).is_absolute() and ".." not in Path(stem).parts and "\n" not in stem
        yield planned.arguments


def assert_nothing_is_run(lines: list[str], folder: Path) -> None:
    """A shell takes each line apart as the rules meant it, and no part of it is run."""
    program = "warpath() { :; }\n" + "\n".join(lines)
    subprocess.run(["bash", "-c", program], cwd=folder, check=True, capture_output=True)
    assert not (folder / "P").exists()


def test_every_value_in_a_command_is_quoted():
    assert sorted(SHELLS) == ["convert", "fetch", "gather", "generate", "report", "run", "statistics"]
    for shell in SHELLS.values():
        fields = re.findall(r"\{(.*?)\}", shell)
        assert fields and all(field.endswith(":q") for field in fields), shell
    rules = "".join(file.read_text() for file in RULES)
    assert len(re.findall(r"^ +(?:shell|run|script|wrapper|notebook):$", rules, re.M)) == len(SHELLS)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_of_a_work_is_run_or_leaves_its_folder(tmp_path, text):
    contents, lines = yaml.safe_load(WORK), []
    folder = tmp_path / "some_work"
    (folder / "published").mkdir(parents=True)
    for name, published in PUBLISHED.items():
        (folder / "published" / f"{name}.csv").write_text(published)
    for place, is_key in places(contents):
        file_of(folder / "work.yaml", changed(contents, place, is_key, text))
        try:
            work = load(folder)
            work.check(["g"])
            for arguments in report_arguments(work, Choice(rows=("first",) if "first" in str(contents) else ())):
                lines.append(command("report", params=SimpleNamespace(arguments=arguments), log="x.log"))
                assert shlex.split(lines[-1]) == ["warpath", "report", *arguments, ">", "x.log", "2>&1"]
        except WarpathError as error:
            refused(error)
    assert_nothing_is_run(lines, tmp_path)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_row_gives_a_right_table_or_one_sentence(tmp_path, text):
    contents = copy.deepcopy(OF_ROWS)
    contents["runs"]["sizes"]["rows"] = {text: "g", "other": "h"}
    (tmp_path / "some_work").mkdir()
    file_of(tmp_path / "some_work/work.yaml", contents)
    for dataset, seconds in (("g", 2.0), ("h", 4.0)):
        keep(tmp_path / "runs", dataset, "floyd_warshall.naive", seconds)
    try:
        work = load(tmp_path / "some_work")
    except WarpathError as error:
        refused(error)
        return
    (_, arguments) = report_arguments(work, Choice(rows=(text,)))
    (rows,) = [split_names(each.removeprefix("--rows=")) for each in arguments if each.startswith("--rows=")]
    assert rows == (text,)
    write_target(data(work, "times", tmp_path / "runs"), tmp_path, tmp_path)
    written = (tmp_path / "some_work/times_comparison.csv").read_text()
    lines = [(line["row"], line["seconds"]) for line in csv.DictReader(io.StringIO(written))]
    assert lines == [(text, "2"), ("other", "4")]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_of_a_catalog_is_part_of_a_command(tmp_path, text):
    contents = yaml.safe_load(CATALOG)
    for place, is_key in places(contents):
        file = file_of(tmp_path / "catalog.yaml", changed(contents, place, is_key, text))
        try:
            catalog = load_catalog(file)
        except WarpathError as error:
            refused(error)
            continue
        for name, dataset in catalog.items():
            assert re.fullmatch("[a-z0-9_-]+", name)
            assert dataset.file is None or re.fullmatch("[A-Za-z0-9._-]+", dataset.file)
            assert not re.search("[\0\ud800]", dataset.title)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("key", ["suite", "graphs", "reference", "rows", "columns", "device", "mirror"])
def test_no_text_of_a_config_names_a_folder_or_an_option(monkeypatch, key, text):
    monkeypatch.chdir(ROOT)
    config = {**load_yaml(ROOT / "config.yaml"), key: text}
    try:
        settings = Settings.of(config, WORKS, DATASETS)
    except WarpathError as error:
        refused(error)
        return
    assert settings.choice == Choice(
        "paper", *{"rows": [(text,)], "columns": [(), (text,)]}.get(key, []) if text else []
    )
    for folder in (settings.results, settings.figures, settings.records):
        assert re.fullmatch("(results|figures)(/[a-z0-9_/-]+)?", folder)


ROWS = [
    text for name, text in HOSTILE.items() if name in ("substitution", "backticks", "quote", "blank", "option", "pipe")
]
OF_ROWS = {
    "title": "A work",
    "citation": "Somebody",
    "runs": {"sizes": {"columns": ["floyd_warshall.naive"], "rows": dict.fromkeys(ROWS, "demo-tutorial-50")}},
    "targets": {"times": {"kind": "table", "runs": ["sizes"]}},
}


@pytest.mark.workflow
@pytest.mark.slow
def test_rows_and_a_mirror_with_a_shell_s_marks_give_a_right_table(fresh):
    (fresh.root / "workflow/works/hostile").mkdir()
    file_of(fresh.root / "workflow/works/hostile/work.yaml", OF_ROWS)
    overlay = {
        "suite": "mine",
        "device": "simulated",
        "budget_s": 0.2,
        "rows": ROWS,
        "mirror": "a 'b' \"$(touch P)\" `touch P` {x}",
    }
    file_of(fresh.root / "hostile.yaml", overlay)
    fresh.snakemake("results/mine/hostile/times.csv", overlay="hostile.yaml")
    assert not list(fresh.root.rglob("P"))
    with open(fresh.root / "results/mine/hostile/times_comparison.csv", newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["row"] for line in lines] == ROWS and all(float(line["seconds"]) > 0 for line in lines)
