"""The documentation is true where a program can tell: links, commands, names of targets, and measured numbers."""

import argparse
import csv
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import quoted_tables
from markdown_page import ROOT, MarkdownTable, commands, links, tables
from quoted_benchmarks import QUOTED as QUOTED_BENCHMARKS
from quoted_tables import all_works, is_quoted, quoted_anew, rows_of

from warpath import cli
from warpath_study import cli as study_cli
from warpath_study.data_files import load_yaml
from warpath_study.datasets.catalog import load_catalog
from warpath_study.peers import peer_names
from warpath_study.works import works
from warpath_study.works.settings import Settings

README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = (ROOT / "docs/results.md").read_text(encoding="utf-8")
REPRODUCE = (ROOT / "docs/reproduce.md").read_text(encoding="utf-8")
PAGES = [
    ROOT / name
    for name in subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()
    if (ROOT / name).is_file()
]  # fmt: skip


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page):
    missing = [target for target in links(page.read_text(encoding="utf-8")) if not (page.parent / target).exists()]
    assert not missing


# What was measured.

TEXTS = [(ROOT / name).read_text(encoding="utf-8") for name in quoted_tables.PAGES]
QUOTED = [table for text in TEXTS for table in tables(text) if is_quoted(table)]


@pytest.mark.parametrize("table", QUOTED, ids=lambda table: table.comment)
def test_pages_quote_what_was_measured(table):
    assert table.rows and table.rows == rows_of(table), "run python tests/helpers/quoted_tables.py"


def test_pages_quote_the_notes_on_waits():
    found = [note for text in TEXTS for note in quoted_tables.NOTE.findall(text)]
    assert found
    for _, comment, paragraph in found:
        assert paragraph == f"{quoted_tables.note_of(comment)}\n", "run python tests/helpers/quoted_tables.py"


def test_what_can_be_quoted_is_quoted_once():
    comments = [table.comment for table in QUOTED]
    assert comments.count("claims") == 1
    assert all(comments.count(f"benchmark: {name}") == 1 for name in QUOTED_BENCHMARKS)


@pytest.mark.parametrize(("page", "number"), [(README, r"0\.584"), (RESULTS, r"\b75\.6\b")], ids=["README", "results"])
def test_quoted_tables_are_written_anew(page, number):
    changed = re.sub(number, "7", page)
    assert changed != page and quoted_anew(changed) == page


def peers(table):
    """The lines of a table of the peers' reference, by graph and solver."""
    with open(ROOT / f"results/reference/nvidia-h100/peers/{table}.csv", encoding="utf-8", newline="") as file:
        return {(line["row"], line["solver"]): line for line in csv.DictReader(file)}


def test_what_pages_say_of_the_peers_without_a_number():
    one, any_source, prepared = peers("one_source"), peers("any_source"), peers("preparation")
    graphs = dict.fromkeys(row for row, _ in one)
    faster = {
        (row, solver)
        for (row, solver), line in one.items()
        if "warpath" not in solver and solver != "kernels" and line["ratio"] and float(line["ratio"]) < 1
    }
    assert not faster
    gnutella = "gnutella04", "gnutella25", "gnutella30"
    for name, count in (("networkit", 3), ("rustworkx", 3), ("gapbs", 2)):
        pairs = [[float(any_source[row, each]["time"]) for each in (name, "warpath")] for row in gnutella]
        assert sum(theirs < ours for theirs, ours in pairs) == count
    first = {key: float(line["first_answer"]) for key, line in prepared.items() if line["first_answer"]}
    others = [name for name in peer_names() if not name.startswith("warpath")]
    assert [row for row in graphs if first[row, "gapbs"] > first[row, "warpath"]] == ["power-law"]
    earliest = [
        row for row in graphs
        if all(first[row, "warpath_unprepared"] < first[row, name] for name in others if (row, name) in first)
    ]  # fmt: skip
    assert earliest == ["nyc", "bay", "standin-e"]
    longer = [
        row for row in graphs if float(one[row, "warpath"]["time"]) > float(one[row, "warpath_unprepared"]["time"])
    ]
    assert longer == ["gnutella30", "dense-4096"]


def test_what_pages_say_of_another_machine():
    text = (ROOT / "results/reference/nvidia-h100/two_machines.txt").read_text(encoding="utf-8").split("\ndataset ")[1]
    runs = re.findall(r"(?m)^(\S+) +peer_sssp\.(gapbs|warpath)\.sources_with_arcs=100 +\S+ s +(\S+) s", text)
    times = {(graph, solver): float(seconds) for graph, solver, seconds in runs}
    faster = [graph for graph, solver in times if solver == "gapbs" and times[graph, "gapbs"] < times[graph, "warpath"]]
    assert faster == ["gnutella04", "gnutella25", "gnutella30"]


def choices(part):
    """The chosen solver, and the times of all ways in ms, for each graph of a part of auto.txt."""
    rows = re.findall(r"^(\S+), 1 sources: auto takes (\S+)(.*?)auto / best", part, re.DOTALL | re.MULTILINE)
    for name, chosen, row in rows:
        times = re.findall(r"^    (\S.*?\S) +([\d.]+) ms", row, re.MULTILINE)
        yield name, chosen, {way: float(ms) for way, ms in times}


def test_what_performance_says_of_the_choice():
    file = (ROOT / "results/reference/nvidia-h100/auto.txt").read_text(encoding="utf-8")
    prepared, first = (list(choices(part)) for part in file.split("\n## ")[1:])

    def slow(rows):
        """By name of the graph: the time of the chosen solver, called by its name, over that of the fastest solver.

        The graphs are those on which the choice takes more than 1.3 times as long as the fastest.
        """
        found = {}
        for name, chosen, times in rows:
            best = min(ms for way, ms in times.items() if way != "gapbs")
            if times["the choice"] > 1.3 * best:
                found[name] = times[chosen] / best
        return found

    assert [name.split("_")[:2] for name in slow(prepared)] == [
        ["power-law", "1024"], ["geometric", "4096"], ["geometric-degree-30", "4096"]
    ]  # fmt: skip
    slow_first = sorted(name.split("_")[0] + name.split("_")[1] for name in slow(first))
    thin = ["chain16384", "chain4096", "lollipop16384", "lollipop4096", "lollipop65536"]
    assert slow_first == [*thin, "small-world262144"]
    chosen_there = {chosen for name, chosen, _ in first if "".join(name.split("_")[:2]) in thin}
    assert chosen_there == {"dijkstra.heap"}
    compared = [(name, times["gapbs"] < times["the choice"]) for name, _, times in prepared if "gapbs" in times]
    faster = [name.split("_")[:2] for name, is_faster in compared if is_faster]
    assert (len(compared), len(faster), sum(vertices == "1024" for _, vertices in faster)) == (40, 14, 11)
    assert {family for family, vertices in faster if vertices != "1024"} == {"tree", "chain", "comb"}
    assert {vertices for _, vertices in faster} == {"1024", "4096"}


def test_ratios_to_the_listings_are_as_they_were_printed():
    printed = (ROOT / "results/reference/nvidia-h200/beside_listings.txt").read_text(encoding="utf-8")
    page = (ROOT / "workflow/works/bodra/FIDELITY.md").read_text(encoding="utf-8")
    lines = re.findall(r"(?m)^(\w+)\S* +(\w+\.\w+) +\d+ +([\d.]+) +([\d.]+) +([\d.]+)  yes$", printed)
    quoted = re.findall(r"(?m)^\| `(\w+\.\w+)` \| (.*\d) \|$", page.partition("## Comparison")[2].partition("\n## ")[0])
    found = [(*pair.split(), port) for port, cell in quoted for pair in cell.split(", ")]
    assert lines and sorted(found) == sorted((graph, ratio, port) for graph, port, _, _, ratio in lines)
    assert all(abs(float(port) / float(listing) - float(ratio)) < 0.001 for *_, port, listing, ratio in lines)


# What there is to make.


def known_targets() -> set[str]:
    """All that can be named to Snakemake, in the suites that the pages name."""
    named = {"all", "works"}
    for work in all_works().values():
        named.update(work.sets)
        for suite in ("paper", "standin", "demo", "quick", "reference"):
            folder = {"paper": "", "reference": "reference/nvidia-h200/"}.get(suite, f"{suite}/")
            for target in work.targets(works.Choice("paper" if suite == "quick" else suite)):
                kind = "figures" if target.fields.kind == "figure" else "results"
                named.update(f"{kind}/{folder}{work.folder}{target.stem}{suffix}" for suffix in target.suffixes)
                named.update([target.name] if not work.folder else [])
    return named


def targets_of(table: MarkdownTable) -> list[str]:
    return [name for row in table.rows for name in re.findall(r"`([^`]+)`", row[0])]


def test_targets_in_tables_exist():
    named = [name for table in tables(REPRODUCE) if table.header[0] == "target" for name in targets_of(table)]
    assert named and set(named) <= known_targets()


def test_every_work_and_set_has_a_row():
    named = {name for table in tables(REPRODUCE) for name in targets_of(table)}
    sets = {name for work in all_works().values() for name in work.sets}
    assert sets - {"bodra"} <= named  # bodra is what Snakemake makes without a target


def test_readme_and_reproduce_agree_on_table_1():
    (mine,) = [table for table in tables(README) if table.header[0] == "target"]
    (main_work, _) = [table for table in tables(REPRODUCE) if table.header[0] == "target"]
    assert mine.header == main_work.header
    assert mine.rows == main_work.rows[:1]


def test_every_suite_has_a_row():
    (table,) = [table for table in tables(REPRODUCE) if table.header[0] == "suite"]
    named = {Path(links(row[0])[0]).name for row in table.rows}
    assert named == {path.name for path in (ROOT / "workflow/suites").glob("*.yaml")} - {"paper.yaml"}


# What there is to type.

TYPED = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/all_pairs.md",
    "docs/library.md",
    "docs/measuring.md",
    "docs/reproduce.md",
    "results/reference/README.md",
)
COMMAND_LINES = [line for name in TYPED for line in commands((ROOT / name).read_text(encoding="utf-8"))]


def of_program(name: str) -> list:
    return [pytest.param(line[1:], id=" ".join(line)) for line in COMMAND_LINES if line[0] == name]


@pytest.mark.parametrize("arguments", of_program("snakemake"))
def test_snakemake_commands_name_what_there_is(arguments):
    from snakemake.cli import get_argument_parser  # a second, in each process that collects tests

    options = get_argument_parser().parse_args(arguments)
    assert set(options.targets) <= known_targets()
    config = load_yaml(Path("config.yaml"))
    for file in options.configfile or []:
        config |= load_yaml(file)
    config |= dict(pair.split("=", 1) for pair in options.config or [])
    Settings.of(config, all_works(), load_catalog())
    assert options.workflow_profile is None or Path("profiles", options.workflow_profile, "config.yaml").is_file()


@pytest.mark.parametrize("arguments", of_program("warpath"))
def test_warpath_commands_parse(arguments):
    command, *rest = arguments
    package = cli if command in cli.COMMANDS else study_cli
    assert command in package.COMMANDS
    parser = argparse.ArgumentParser(exit_on_error=False)
    import_module(f"{package.__name__}.{command.replace('-', '_')}").add_arguments(parser)
    parser.parse_args(rest)


@pytest.mark.parametrize("arguments", of_program("python"))
def test_python_scripts_are_there(arguments):
    assert arguments[0] in ("-c", "-m") or (ROOT / arguments[0]).is_file()


@pytest.mark.parametrize("arguments", of_program("make"))
def test_make_commands_have_a_target(arguments):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert all(re.search(rf"^{name}:", makefile, re.MULTILINE) for name in arguments)


def test_no_other_program_is_named():
    assert {line[0] for line in COMMAND_LINES} == {
        "snakemake",
        "warpath",
        "make",
        "source",
        "python",
        "compute-sanitizer",
        "cp",
        "git",
        "pip",
    }


def test_the_demo_makes_sets_of_targets_that_there_are():
    named = re.search(r"^WORKS := (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1].split()
    assert named and set(named) <= {name for work in all_works().values() for name in work.sets}


@pytest.mark.slow
@pytest.mark.workflow
def test_snakemake_plans_what_the_readme_names():
    line = next(line for line in COMMAND_LINES if line[0] == "snakemake")
    command = [sys.executable, "-m", *line, "--dry-run", "--quiet", "all"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
