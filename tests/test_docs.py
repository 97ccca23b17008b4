"""The documentation is true where a program can tell: links, commands, names of targets, and measured numbers."""

import argparse
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from markdown_page import ROOT, MarkdownTable, commands, links, tables
from quoted_tables import all_works, is_quoted, quoted_anew, rows_of
from snakemake.cli import get_argument_parser

from warpath import cli
from warpath_study import cli as study_cli
from warpath_study.data_files import load_yaml
from warpath_study.datasets.catalog import load_catalog
from warpath_study.record import read_record
from warpath_study.works import works
from warpath_study.works.settings import Settings

README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = (ROOT / "docs/results.md").read_text(encoding="utf-8")
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

QUOTED = [table for table in tables(README) + tables(RESULTS) if is_quoted(table)]


@pytest.mark.parametrize("table", QUOTED, ids=lambda table: table.comment)
def test_pages_quote_what_was_measured(table):
    assert table.rows and table.rows == rows_of(table), "run python tests/quoted_tables.py"


def test_the_page_of_results_quotes_claims_once():
    assert [table.comment for table in tables(RESULTS)].count("claims") == 1


@pytest.mark.parametrize("page", [README, RESULTS], ids=["README", "results"])
def test_quoted_tables_are_written_anew(page):
    changed = re.sub(r"(?m)^(\| gnutella04 \|).*$", r"\1 7 | |", page)
    assert changed != page and quoted_anew(changed) == page


def benchmark(name: str, pattern: str) -> float:
    """The number that ``pattern`` finds in a benchmark's output."""
    text = (ROOT / "results/reference/nvidia-h200" / name).read_text(encoding="utf-8")
    return float(re.search(pattern, text)[1])


PERFORMANCE = (ROOT / "docs/performance.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("row", "name", "pattern"),
    [
        ("New York, source 0", "one_source.txt", r"264,346 vertices.*\n.*source 0 ([\d.]+) ms"),
        ("New York, mean of 100", "one_source.txt", r"264,346 vertices.*\n.*100 random sources ([\d.]+) ms"),
        ("Bay, source 0", "one_source.txt", r"321,270 vertices.*\n.*source 0 ([\d.]+) ms"),
        ("3,598,623 vertices", "one_source.txt", r"3,598,623 vertices.*\n.*source 0 ([\d.]+) ms"),
        ("predecessors on top, Bay", "one_source.txt", r"321,270 vertices.*\n.*predecessors on top ([\d.]+) ms"),
        ("New York, 10,000", "many_sources.txt", r"10,000 sources, distances: .*; ([\d.]+) ms a source"),
        ("gnutella04", "many_sources.txt", r"10,876 sources, distances: ([\d.]+) ms"),
        ("gnutella25", "many_sources.txt", r"22,687 sources, distances: ([\d.]+) ms"),
        ("gnutella30", "many_sources.txt", r"36,682 sources, distances: ([\d.]+) ms"),
        ("36,682 vertices, dense", "dense_all_pairs.txt", r"n = 36,682  lookahead   .* ([\d.]+) T"),
        ("the same, 16 bits", "dense_all_pairs.txt", r"n = 36,682  narrow   .* ([\d.]+) T"),
        ("131,072 vertices", "shared_rows.txt", r"n = 131,072  shared_rows, devices=4 .* ([\d.]+) T"),
        ("all pairs of 36,682", "downloads.txt", r"n = 36,682  in pieces +([\d.]+) ms"),
        ("the same as one copy", "downloads.txt", r"n = 36,682  as one +([\d.]+) ms"),
        ("the same, int32 with", "dense_all_pairs.txt", r"n = 36,682  lookahead, pred.* ([\d.]+) T"),
    ],
)
def test_the_page_of_performance_quotes_benchmarks(row, name, pattern):
    (line,) = [line for line in PERFORMANCE.splitlines() if line.startswith(f"| {row}")]
    assert f"`{name}`" in line
    assert float(line.split("|")[2].split()[0]) == benchmark(name, pattern)


def test_the_page_of_one_source_elsewhere_quotes_the_cluster():
    page = (ROOT / "docs/performance/one_source_elsewhere.md").read_text(encoding="utf-8")
    printed = (ROOT / "results/reference/nvidia-h200/thread_block_cluster.txt").read_text(encoding="utf-8")
    first, second, now = re.split(r"(?m)^NVIDIA H200.*$", printed)[1:]

    def found(text, graph, what, number):
        of_graph = text.partition(f"data/graphs/{graph}.npz:")[2]
        return re.search(rf"(?m)^  {re.escape(what)} +(?=kernel).*?{number}", of_graph)[1]

    (table,) = [table for table in tables(page) if "to the host" in table.header]
    kernel, whole, rounds = r"kernel +([\d.]+) us", r"whole +([\d.]+) us", r"rounds +([\d.]+)"
    graphs = {"gnutella04": second, "gnutella30": second, "caida-weighted": first}
    for row, (graph, earlier) in zip(table.rows, graphs.items(), strict=True):
        ours = [found(now, graph, "cluster", number) for number in (kernel, rounds, whole)]
        beside = ", ".join(found(earlier, graph, what, kernel) for what in ("cluster", "whole_grid"))
        predecessors = found(now, graph, "cluster, predecessors", kernel)
        assert [cell.removesuffix(" µs") for cell in row[1:]] == [*ours, predecessors, beside]


def test_ratios_to_the_listings_are_as_they_were_printed():
    printed = (ROOT / "results/reference/nvidia-h200/beside_listings.txt").read_text(encoding="utf-8")
    page = (ROOT / "workflow/works/bodra/FIDELITY.md").read_text(encoding="utf-8")
    lines = re.findall(r"(?m)^(\w+)\S* +(\w+\.\w+) +\d+ +([\d.]+) +([\d.]+) +([\d.]+)  yes$", printed)
    quoted = re.findall(r"(?m)^\| `(\w+\.\w+)` \| (.*\d) \|$", page.partition("## Beside")[2].partition("\n## ")[0])
    found = [(*pair.split(), port) for port, cell in quoted for pair in cell.split(", ")]
    assert lines and sorted(found) == sorted((graph, ratio, port) for graph, port, _, _, ratio in lines)
    assert all(abs(float(port) / float(listing) - float(ratio)) < 0.001 for *_, port, listing, ratio in lines)


def test_the_page_of_dense_all_pairs_quotes_several_gpus():
    page = (ROOT / "docs/performance/dense.md").read_text(encoding="utf-8")
    section = page.partition("## Several GPUs")[2].partition("\n## ")[0]
    for vertices, run in (
        ("36,682", "lookahead"),
        ("36,682", "shared_rows, devices=1"),
        ("131,072", "shared_rows, devices=1"),
        ("131,072", "shared_rows, devices=4"),
    ):
        (line,) = [line for line in section.splitlines() if line.startswith(f"| {vertices} | the devices ")]
        seconds = benchmark("shared_rows.txt", rf"n = +{vertices}  {run} +([\d.]+) s")
        assert f" {seconds:.3f} s" in line

    def on_one_and_two(run: str, vertices: int) -> list[float]:
        runs = ROOT / f"results/reference/nvidia-h200/runs/katz-{vertices}"
        return [read_record(runs / f"{run.format(count)}.json").seconds for count in (1, 2)]

    for vertices in (65536, 131072):
        one, two = on_one_and_two("floyd_warshall.shared_rows.devices={}+predecessors=0", vertices)
        assert f"| {vertices:,} | the host | {one:#.4g} s | two: {two:#.4g} s | {one / two:.2f} times |" in section


# What there is to make.


def known_targets() -> set[str]:
    """All that can be named to Snakemake, in the suites that the README names."""
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


def test_targets_in_the_readmes_tables_exist():
    named = [name for table in tables(README) if table.header[0] == "target" for name in targets_of(table)]
    assert named and set(named) <= known_targets()


def test_every_work_and_set_stands_in_the_readme():
    named = {name for table in tables(README) for name in targets_of(table)}
    sets = {name for work in all_works().values() for name in work.sets}
    assert sets - {"bodra"} <= named  # bodra is what Snakemake makes without a target


def test_suites_in_the_readme_are_those_there_are():
    (table,) = [table for table in tables(README) if table.header[0] == "suite"]
    named = {links(row[0])[0] for row in table.rows}
    assert named == {f"workflow/suites/{path.name}" for path in (ROOT / "workflow/suites").glob("*.yaml")} - {
        "workflow/suites/paper.yaml"
    }


# What there is to type.

TYPED = ("README.md", "CONTRIBUTING.md", "docs/measuring.md", "docs/all_pairs.md", "results/reference/README.md")
COMMAND_LINES = [line for name in TYPED for line in commands((ROOT / name).read_text(encoding="utf-8"))]


def of_program(name: str) -> list:
    return [pytest.param(line[1:], id=" ".join(line)) for line in COMMAND_LINES if line[0] == name]


@pytest.mark.parametrize("arguments", of_program("snakemake"))
def test_snakemake_commands_name_what_there_is(arguments):
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
