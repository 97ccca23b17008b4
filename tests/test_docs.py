"""The documentation is true where a program can tell: links, commands, names of targets, and measured numbers."""

import argparse
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from markdown_page import ROOT, MarkdownTable, commands, links, tables
from quoted_tables import all_works, is_quoted, quoted_anew, reference, rows_of
from snakemake.cli import get_argument_parser

from warpath import cli
from warpath_study import cli as study_cli
from warpath_study.datasets.catalog import load_catalog
from warpath_study.records.files import read_record
from warpath_study.report.cells import cells
from warpath_study.works import works
from warpath_study.works.settings import Settings
from warpath_study.yaml_file import load_yaml

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


def test_how_many_samples_the_readmes_table_rests_on():
    assert "Cells above a minute are one sample, the others medians of three." in " ".join(README.split())
    found = cells(reference("bodra", "future_table3"))
    measured = [cell for cell in found.to_dict("records") if not cell["estimated"]]
    samples = {(cell["seconds"] > 60, int(cell["samples"])) for cell in measured}
    assert samples == {(True, 1), (False, 3)}


def benchmark(name: str, pattern: str) -> float:
    """The number that ``pattern`` finds in a benchmark's output."""
    text = (ROOT / "results/reference/nvidia-h200" / name).read_text(encoding="utf-8")
    return float(re.search(pattern, text)[1])


@pytest.mark.parametrize(
    ("sentence", "name", "pattern"),
    [
        (r"one source on New York takes\s+([\d.]+) ms", "library_calls.txt", r"of the host, certified: ([\d.]+) ms"),
        (r"of which ([\d.]+) ms certify", "library_calls.txt", r"of the host, certified.*\n.*certificate: ([\d.]+) ms"),
        (r"and ([\d.]+) ms are neither", "library_calls.txt", r"of the host: [\d.]+ ms, ([\d.]+) ms over"),
        (r"`dijkstra` takes ([\d.]+) ms on New York", "library_calls.txt", r"SciPy .*: ([\d.]+) ms"),
        (r"which takes ([\d.]+) s for New York", "one_source.txt", r"264,346 vertices.*\n.*preparation ([\d.]+) s"),
        (r"then take ([\d.]+) ms there", "auto.txt", r"nyc.npz, 1 sources.*\n *partition.borders +([\d.]+) ms"),
        (r"another such machine ([\d.]+)\.", "one_source.txt", r"264,346 vertices.*\n.*source 0 ([\d.]+) ms"),
        (r"there instead of ([\d.]+),", "auto.txt", r"nyc.npz, 1 sources.*\n.*\n *near_far.whole_grid +([\d.]+) ms"),
        (r"certificate takes ([\d.]+) ms for one source", "certificates.txt", r"certify, one source +([\d.]+) ms"),
        (r"size, ([\d.]+) ms for all pairs", "certificates.txt", r"certify, all pairs +([\d.]+) ms"),
        (r"takes: ([\d.]+) ms on gnutella04", "many_sources.txt", r"10,876 sources, distances: ([\d.]+) ms"),
        (r"A dense solve takes (\d+) ms", "certificates.txt", r"solve, all pairs +([\d.]+) ms"),
        (r"and\s+([\d.]+)\s+ms for its closure", "certificates.txt", r"certify, closure +([\d.]+) ms"),
    ],
)
def test_the_readme_quotes_benchmarks(sentence, name, pattern):
    quoted = re.search(sentence, README)[1]
    decimals = len(quoted.partition(".")[2])
    assert quoted == f"{benchmark(name, pattern):.{decimals}f}"


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


def test_gapbs_comes_closest_and_on_gnutella_graphs():
    (table,) = tables((ROOT / "results/reference/nvidia-h200/peers/one_source.md").read_text(encoding="utf-8"))
    fastest = {row[0]: row[table.header.index("Fastest peer over warpath")].split(", ") for row in table.rows}
    graph = min(fastest, key=lambda graph: float(fastest[graph][1].removesuffix("x")))
    assert graph.startswith("gnutella") and fastest[graph][0] == "gapbs"


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


def test_what_the_cluster_takes_of_the_whole_grid_is_quoted():
    runs = ROOT / "results/reference/nvidia-h200/runs"
    ratios = []
    for graph in ("gnutella04", "gnutella25", "gnutella30", "caida-weighted"):
        ours, other = (
            read_record(runs / graph / f"{variant}.predecessors=0+sources=100.json").seconds
            for variant in ("label_correcting.cluster", "near_far.whole_grid")
        )
        ratios.append(f"{ours / other:.2f}")
    page = " ".join(PERFORMANCE.split())
    quoted = re.search(r"takes ([\d.]+), ([\d.]+), ([\d.]+) and ([\d.]+) of the time of", page)
    assert list(quoted.groups()) == ratios


@pytest.mark.parametrize("name", ["gnutella04", "gnutella25", "gnutella30"])
def test_some_peers_take_less_time_from_most_sources_of_gnutella_graphs(name):
    runs = ROOT / "results/reference/nvidia-h200/runs" / name
    ours, *theirs = (
        [sample.total_s for sample in read_record(runs / f"{run}sources=100.json").samples]
        for run in (
            "label_correcting.cluster.predecessors=0+",
            "peer_sssp.gapbs.",
            "peer_sssp.networkit.",
            "peer_sssp.rustworkx.",
        )
    )
    for peer in theirs:
        assert sum(theirs_s < ours_s for ours_s, theirs_s in zip(ours, peer, strict=True)) > 50
        assert sum(peer) > sum(ours)


def test_how_far_two_machines_differ_is_as_it_was_printed():
    page = " ".join((ROOT / "results/reference/README.md").read_text(encoding="utf-8").split())
    printed = (ROOT / "results/reference/nvidia-h200/two_machines.txt").read_text(encoding="utf-8")
    kinds = {
        r"blocked_all_pairs\.blocked": r"took ([\d.]+) to ([\d.]+) times as long on the second",
        r"(?:floyd_warshall|sparse_all_pairs)\.narrow\S*": r"is the copy to the host, ([\d.]+) to ([\d.]+) times",
        r"label_correcting\.\S*=100": r"Safari's variants ([\d.]+) to ([\d.]+) times",
        r"bellman_ford\S*": r"two launches a round, ([\d.]+) to ([\d.]+) times",
        r"label_correcting\.(?:harish|locality)\S*=(?:3|10)": r"`locality` took ([\d.]+) to ([\d.]+) times",
        r"(?:label_correcting\.cluster|near_far|partition)\S*": r"a launch or a few, ([\d.]+) to ([\d.]+) times",
        r"peer_\S*": r"peers on the CPU ([\d.]+) to ([\d.]+) times",
        r"blocked_all_pairs\.cpu\S*": r"Kider's columns on the CPU took ([\d.]+) to ([\d.]+) times",
    }
    times = {}
    for kind, quoted in kinds.items():
        lines = re.findall(rf"(?m)^(\S+) +({kind}) +~?([\d.e-]+) s +~?([\d.e-]+) s +([\d.]+) ", printed)
        times |= {(graph, re.split(r"\.(?:pre|sou)", run)[0]): (float(a), float(b)) for graph, run, a, b, _ in lines}
        ratios = [float(ratio) for *_, ratio in lines]
        assert [float(end) for end in re.search(quoted, page).groups()] == [min(ratios), max(ratios)]
    launches = re.findall(r"(?m)^\S+ +bellman_ford.*wait ([\d.]+) µs against ([\d.]+) µs$", printed)
    on_a, on_b = zip(*launches, strict=True)
    ends = [end(of, key=float) for of in (on_b, on_a) for end in (min, max)]
    said = re.search(r"the wait for it took ([\d.]+) to ([\d.]+) µs, ([\d.]+) to ([\d.]+) µs on the first", page)
    assert list(said.groups()) == ends
    closest = [
        [times[graph, "peer_sssp.gapbs"][of] / times[graph, "label_correcting.cluster"][of] for of in (0, 1)]
        for graph in ("gnutella04", "gnutella25", "gnutella30")
    ]
    ends = [f"{end(ratios):.2f}" for ratios in zip(*closest, strict=True) for end in (min, max)]
    said = re.search(r"gapbs took ([\d.]+) to ([\d.]+) times our time on the first machine, ([\d.]+) to ([\d.]+)", page)
    assert list(said.groups()) == ends


def test_the_page_of_peers_quotes_what_is_left_out():
    page = (ROOT / "workflow/works/peers/FIDELITY.md").read_text(encoding="utf-8")
    runs = ROOT / "results/reference/nvidia-h200/runs/nyc"
    left_out = read_record(runs / "bellman_ford.stride_flag.json").seconds
    beside = read_record(runs / "label_correcting.locality.k=2+vertices_per_thread=1+sources=100.json").seconds
    assert f"takes {left_out:.2f} s on New York, where\n`locality` takes {beside * 1000:.2f} ms" in page


def test_the_page_of_katz_and_kider_quotes_a_launch_of_standard():
    page = (ROOT / "workflow/works/katz_kider/FIDELITY.md").read_text(encoding="utf-8")
    runs = ROOT / "results/reference/nvidia-h200/runs"
    of_a_launch = read_record(runs / "katz-11264/blocked_all_pairs.standard.json").seconds / 11264
    terabytes = 11264**2 * 4 / of_a_launch / 1e12
    quoted = re.search(r"of lengths in ([\d.]+) ms on\s+an H200, which is ([\d.]+) TB/s", page).groups()
    assert list(quoted) == [f"{of_a_launch * 1000:.2f}", f"{terabytes:.1f}"]


def test_ratios_to_the_listings_are_as_they_were_printed():
    printed = (ROOT / "results/reference/nvidia-h200/beside_listings.txt").read_text(encoding="utf-8")
    page = (ROOT / "workflow/works/bodra/FIDELITY.md").read_text(encoding="utf-8")
    before = re.findall(r"(?m) tiled_shared, before +150 .* ([\d.]+)  yes$", printed)
    assert before == list(re.search(r"took ([\d.]+)\sand ([\d.]+) of the listing's time", page).groups())
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
    assert f" {benchmark('shared_rows.txt', r'4 devices are ([0-9.]+)'):.2f} times" in line

    def on_one_and_two(run: str, vertices: int) -> list[float]:
        runs = ROOT / f"results/reference/nvidia-h200/runs/katz-{vertices}"
        return [read_record(runs / f"{run.format(count)}.json").seconds for count in (1, 2)]

    for vertices in (65536, 131072):
        one, two = on_one_and_two("floyd_warshall.shared_rows.devices={}+predecessors=0", vertices)
        assert f"| {vertices:,} | the host | {one:#.4g} s | two: {two:#.4g} s | {one / two:.2f} times |" in section
    one, two = on_one_and_two("blocked_all_pairs.several_devices.devices={}", 65536)
    assert f"is {one / two:.2f} times as fast on two as on one" in section


def test_the_choice_loses_at_most_what_the_page_says():
    text = (ROOT / "results/reference/nvidia-h200/auto.txt").read_text(encoding="utf-8")
    titles = re.findall(r"(?m)^(\S+)\.npz, (.*) sources: auto takes", text)
    ratios = re.findall(r"auto / best: ([\d.]+)", text)
    assert len(ratios) == len(titles) and "WRONG" not in text
    assert re.search(r"at most\s([\d.]+) times as long as the best", PERFORMANCE)[1] == max(ratios, key=float)
    graphs = {"nyc", "bay", "standin-e", "gnutella04", "gnutella25", "gnutella30", "caida-weighted", "power-law"}
    assert {name for name, _ in titles} == graphs | {"dense-4096"}
    assert {name for name, asked in titles if "negative" in asked} == {"gnutella04"}


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
    assert (
        options.workflow_profile is None or Path("workflow/profiles", options.workflow_profile, "config.yaml").is_file()
    )


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


@pytest.mark.workflow
@pytest.mark.parametrize("line", [line for line in COMMAND_LINES if line[0] == "snakemake"][:3], ids=" ".join)
def test_snakemake_plans_what_the_readme_names(line):
    command = [sys.executable, "-m", *line, "--dry-run", "--quiet", "all"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
