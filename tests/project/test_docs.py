"""The documentation is true where a program can tell: links, commands, names of targets, and measured numbers."""

import csv
import re
import shlex
import subprocess
import sys
from math import inf
from pathlib import Path

import pytest
import quoted_tables
from markdown_page import ROOT, MarkdownTable, commands, links, parsed_command, tables
from quoted_benchmarks import CLAIMS
from quoted_benchmarks import QUOTED as QUOTED_BENCHMARKS
from quoted_tables import all_works, is_quoted, quoted_anew, written_anew
from tiny_graphs import named

from warpath_study.data_files import load_yaml
from warpath_study.datasets.catalog import load_catalog
from warpath_study.measure.heading import headings
from warpath_study.record import read_record
from warpath_study.report.verdicts import FASTER, NO_DIFFERENCE, SLOWER
from warpath_study.works import works
from warpath_study.works.settings import Settings

README = (ROOT / "README.md").read_text(encoding="utf-8")
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


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 130


def test_links_lead_to_files():
    for page in PAGES:
        found = links(page.read_text(encoding="utf-8"))
        assert not [target for target in found if not (page.parent / target).exists()], page


# What was measured.

PAGES_THAT_QUOTE = {name: (ROOT / name).read_text(encoding="utf-8") for name in quoted_tables.PAGES}


def test_pages_quote_what_was_measured_and_say_when_and_with_which_code():
    for name, text in PAGES_THAT_QUOTE.items():
        with named(name):
            assert text == written_anew(name), "run python tests/helpers/quoted_tables.py"
    comments = [table.comment for text in PAGES_THAT_QUOTE.values() for table in tables(text) if is_quoted(table)]
    assert comments.count("claims") == 1
    assert all(comments.count(f"benchmark: {name}") == 1 for name in QUOTED_BENCHMARKS)
    for table in (table for text in PAGES_THAT_QUOTE.values() for table in tables(text)):
        if name := re.fullmatch("benchmark: (.*)", table.comment):
            assert {row[0] for row in table.rows} == QUOTED_BENCHMARKS[name[1]].keys()
    assert any(quoted_tables.NOTE.search(text) for text in PAGES_THAT_QUOTE.values())


def test_quoted_tables_are_written_anew():
    page = PAGES_THAT_QUOTE["docs/performance.md"]
    for pattern, other in (
        (r"(?<=Bay, source 0 \| )[\d.]+", "7"),
        ("(?<=Measured: NVIDIA H200, )2026-11-30", "2026-11-29"),
        (", older code of floyd_warshall.shared_rows", ""),
        (r"Measured: (.+\n)+\n", ""),
    ):
        changed = re.sub(pattern, other, page, count=1)
        assert changed != page and quoted_anew(changed) == page
    assert "Measured" not in quoted_anew(README, with_origins=False)


def test_what_benchmarks_printed_begins_with_its_origin():
    without = {"sanitizers.txt", "two_gpus.txt", "two_machines.txt"}  # not of benchmarks
    printed = [file for file in (ROOT / "results/reference").glob("*/*.txt") if file.name not in without]
    assert len(printed) > 15
    for file in printed:
        text = file.read_text(encoding="utf-8")
        assert text.startswith(f"{headings(text)[0]}\n"), file


def test_certificates_of_all_pairs_on_new_york_take_over_half_as_long_as_solves():
    printed = (ROOT / "results/reference/nvidia-h200/all_pairs.txt").read_text(encoding="utf-8")
    (found, *_) = re.findall(r" 264,346 sources by .*, 0 nearest: .*solve ([\d.]+), certify ([\d.]+)", printed)
    assert 0.5 < float(found[1]) / float(found[0]) < 1


def test_the_page_of_results_names_the_budgets_of_cpu_columns():
    page = " ".join(PAGES_THAT_QUOTE["docs/results.md"].split())
    records = map(read_record, sorted((ROOT / "results/reference/nvidia-h200/runs").glob("*/*.cpu*.json")))
    budgets = sorted({record.measure.sampling.budget_s for record in records if record.device["kind"] == "cpu"})
    assert f"limited to {budgets[0]:g} to {budgets[-1]:g} s." in page


def peers(table):
    """The lines of a table of the peers' reference, by graph and solver."""
    with open(ROOT / f"results/reference/nvidia-h200/peers/{table}.csv", encoding="utf-8", newline="") as file:
        return {(line["row"], line["solver"]): line for line in csv.DictReader(file)}


def number(line, name):
    return float(line.get(name) or inf)


def least(lines, row, name):
    """The solver on the graph ``row`` with the least number ``name``."""
    return min((key for key in lines if key[0] == row), key=lambda key: number(lines[key], name))[1]


def test_what_pages_say_of_the_peers_without_a_number():
    one, anywhere, prepared = peers("one_source"), peers("any_source"), peers("preparation")
    theirs = {name for _, name in one if not name.startswith("warpath")} - {"kernels", "published"}
    graphs = list(dict.fromkeys(row for row, _ in one))
    by_peers = {key: line for key, line in one.items() if key[1] in theirs}
    assert {row: least(by_peers, row, "ratio") for row in graphs} == {
        **dict.fromkeys(("nyc", "bay", "caida"), "wasp"),
        **dict.fromkeys(("gnutella04", "gnutella25", "gnutella30", "power-law"), "gapbs"),
        **dict.fromkeys(("dense-4096", "standin-e"), "adds"),
    }
    assert one["power-law", "adds"]["status"] != "ok"
    by_verdict = {
        verdict: [key for key, line in anywhere.items() if line["verdict"] == verdict]
        for verdict in (FASTER, NO_DIFFERENCE)
    }
    assert sorted(key for key in by_verdict[FASTER] if key[1] in theirs) == [
        *(("gnutella25", name) for name in ("gapbs", "networkit", "rustworkx")),
        *(("gnutella30", name) for name in ("gapbs", "networkit")),
    ]
    assert sorted(key for key in by_verdict[NO_DIFFERENCE] if key[1] in theirs) == [
        *(("gnutella04", name) for name in ("gapbs", "networkit", "rustworkx")),
        ("gnutella30", "rustworkx"),
    ]
    three = {key: line for key, line in anywhere.items() if key[1] in ("networkit", "rustworkx", "gapbs")}
    means = {key: line["mean_verdict"] for key, line in three.items() if line["mean_verdict"] != SLOWER}
    assert means == {("gnutella30", "gapbs"): NO_DIFFERENCE}
    assert all(number(line, "mean_ratio") < 1.4 for (_, name), line in three.items() if name == "gapbs")
    first = {key: number(line, "first_answer") for key, line in prepared.items()}
    before = {row: {name for name in theirs if first[row, name] < first[row, "warpath"]} for row in graphs}
    assert [row for row in graphs if "gapbs" not in before[row]] == ["power-law"]
    assert sum(len(names) > 1 for names in before.values()) > len(graphs) / 2
    earliest = {row: least(prepared, row, "first_answer") for row in graphs}
    of_ours = ["nyc", "bay", "standin-e", "power-law"]
    assert earliest == {row: "warpath_unprepared" if row in of_ours else "gapbs" for row in graphs}
    for row in graphs:
        ours, gapbs = (prepared[row, name] for name in ("warpath_unprepared", "gapbs"))
        overlaps = number(ours, "first_answer_min") < number(gapbs, "first_answer_max")
        assert overlaps == (row in [*of_ours, "dense-4096", "gnutella04"])


def test_machines_differ_in_ratios_to_other_libraries_and_in_no_verdict():
    printed = (ROOT / "results/reference/nvidia-h200/two_machines.txt").read_text(encoding="utf-8")
    of_a_machine = r"([\d.e+]+)(?: \(.*?\))? +(.*?)  +(.*?)"
    lines = re.findall(rf"(?m)^(one|any) source  (\w+) +(\w+) +{of_a_machine}  +{of_a_machine}$", printed)
    assert len(lines) > 60
    for at, changed in (
        (1, [("any", "gnutella30", "rustworkx", "warpath", "no difference")]),
        (
            2,
            [
                ("any", "gnutella25", "gapbs", "no difference", "warpath"),
                ("any", "gnutella30", "gapbs", "warpath", "no difference"),
            ],
        ),
    ):
        both = [(*key, two[at], two[at + 3]) for *key, two in ((*line[:3], line[3:]) for line in lines)]
        assert [line for line in both if line[3] != line[4]] == changed
    before, after = (
        {(graph, name): float(line[at]) for of, graph, name, *line in lines if of == "one"} for at in (0, 3)
    )
    assert round(before["bay", "wasp"]) == 13 and round(after["bay", "wasp"]) == 20
    for graph in ("gnutella04", "gnutella25", "gnutella30"):
        assert before[graph, "wasp"] < before[graph, "gapbs"] and after[graph, "gapbs"] < after[graph, "wasp"]


def test_what_the_page_says_of_first_answers_on_drawn_graphs():
    graphs = re.split("(?m)^# ", (ROOT / "results/reference/nvidia-h200/drawn.txt").read_text(encoding="utf-8"))[1:]
    assert len(graphs) == 8
    for text in graphs:
        name, vertices = re.search(r"(?m)^(.*?:\d+:.*?): ([\d,]+) vertices", text).groups()
        first = {who: float(ms) for who, ms in re.findall(r"(?m)^    ([\w, ]+?)  +([\d.]+) +[\d.]+ \(", text)}
        of_others = {who: ms for who, ms in first.items() if not who.startswith("warpath")}
        cold = float(re.search(r"(?m)^    warpath, cold +([\d.]+) \(", text)[1])
        large = len(vertices) > len("999,999")
        with named(name):
            before = sorted((who for who in of_others if of_others[who] < cold), key=of_others.get)
            assert not before if large else len(before) in range(1, 5) and before[0] in ("gapbs", "adds")
            later = {who for who in ("gapbs", "adds") if first[who] > first["warpath"]}
            if large and "grid" in name:
                assert later == {"gapbs", "adds"}
            else:
                assert later == ({"gapbs"} if "R-MAT" in name else set())
            assert ("cylinder" in name) == (first["warpath"] > 8000)
            assert ("cylinder" in name) == ("cuGraph" not in first)


def test_ratios_to_the_listings_are_as_they_were_printed():
    printed = (ROOT / "results/reference/nvidia-h200/beside_listings.txt").read_text(encoding="utf-8")
    page = (ROOT / "workflow/works/bodra/FIDELITY.md").read_text(encoding="utf-8")
    lines = re.findall(r"(?m)^(\w+)\S* +(\w+\.\w+) +\d+ +([\d.]+) +([\d.]+) +([\d.]+)  (?:agree|DIFFER)$", printed)
    assert re.findall(r"(?m)^(\S+) +(\S+) .* DIFFER$", printed) == [("gnutella25.npz", "floyd_warshall.tiled")]
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


def test_tables_name_every_set_of_targets_and_what_exists():
    described = [table for table in tables(REPRODUCE) if table.header[0] == "target"]
    named_there = {name for table in described for name in targets_of(table)}
    assert named_there and named_there <= known_targets()
    sets = {name for work in all_works().values() for name in work.sets}
    assert sets - {"bodra"} <= {name for table in tables(REPRODUCE) for name in targets_of(table)}  # bodra is "all"
    (mine,) = [table for table in tables(README) if table.header[0] == "target"]
    assert (mine.header, mine.rows) == (described[0].header, described[0].rows[:1])


def test_every_suite_has_a_row():
    (table,) = [table for table in tables(REPRODUCE) if table.header[0] == "suite"]
    named = {Path(links(row[0])[0]).name for row in table.rows}
    assert named == {path.name for path in (ROOT / "workflow/suites").glob("*.yaml")} - {"paper.yaml"}


# What there is to type.

TYPED = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/all_pairs.md",
    "docs/artifact.md",
    "docs/coming_from.md",
    "docs/library.md",
    "docs/measuring.md",
    "docs/reproduce.md",
    "results/reference/README.md",
)
COMMAND_LINES = [line for name in TYPED for line in commands((ROOT / name).read_text(encoding="utf-8"))]
COMMAND_LINES += [shlex.split(part) for claim in CLAIMS if "command" in claim for part in claim["command"].split("&&")]


def of_program(name: str) -> list[list[str]]:
    return [line[1:] for line in COMMAND_LINES if line[0] == name]


def test_snakemake_commands_name_what_there_is():
    from snakemake.cli import get_argument_parser  # a second, in each process that collects tests

    targets, catalog = known_targets(), load_catalog()
    for arguments in of_program("snakemake"):
        with named(" ".join(arguments)):
            options = get_argument_parser().parse_args(arguments)
            assert set(options.targets) <= targets
            config = load_yaml(Path("config.yaml"))
            for file in options.configfile or []:
                config |= load_yaml(file)
            config |= dict(pair.split("=", 1) for pair in options.config or [])
            Settings.of(config, all_works(), catalog)
            profile = options.workflow_profile
            assert profile is None or Path("profiles", profile, "config.yaml").is_file()


def test_other_commands_name_what_there_is():
    assert [line[-1] for line in of_program("curl")] == [load_catalog()["nyc"].addresses[0]]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for arguments in of_program("warpath"):
        with named(" ".join(arguments)):
            parsed_command(arguments)
    for script, *_ in of_program("python"):
        assert script in ("-c", "-m") or (ROOT / script).is_file(), script
    for name in [name for arguments in of_program("make") for name in arguments]:
        assert re.search(rf"^{name}:", makefile, re.MULTILINE), name
    demo = re.search(r"^WORKS := (.+)$", makefile, re.MULTILINE)[1].split()
    assert demo and set(demo) <= {name for work in all_works().values() for name in work.sets}
    programs = {"snakemake", "warpath", "make", "source", "python", "compute-sanitizer", "git", "pip", "curl"}
    assert {line[0] for line in COMMAND_LINES} == programs | {"cat", "cp", "grep", "test"}


@pytest.mark.slow
@pytest.mark.workflow
def test_snakemake_plans_what_the_readme_names():
    line = next(line for line in COMMAND_LINES if line[0] == "snakemake")
    command = [sys.executable, "-m", *line, "--dry-run", "--quiet", "all"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_page_that_follows_a_call_names_files_and_what_is_in_them():
    page = (ROOT / "docs/one_call.md").read_text(encoding="utf-8")
    assert len(page.splitlines()) <= 60
    words = re.findall(r"`([\w./]+)`", page)
    source = ROOT / "src/warpath"
    paths = [
        ROOT / "src" / word if word.startswith("warpath_study") else source / word for word in words if ".py" in word
    ]
    assert len(paths) > 8 and all(path.exists() for path in paths)
    code = "".join(path.read_text(encoding="utf-8") for path in paths)
    names = {part for word in words if "/" not in word for part in word.split(".")} - {"into"}
    assert {name for name in names if name not in code} == set()
