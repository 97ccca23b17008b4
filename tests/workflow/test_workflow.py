"""The workflow as its user meets it: a plan, works, suites, chosen rows, what a machine lacks, a mirror, a report.

`make test` has one dry run and one run; what drives Snakemake for longer is slow.
"""

import csv
import gzip
import html.parser
import re
import shlex
import shutil
import sys
import xml.etree.ElementTree
from collections import Counter
from pathlib import Path

import pytest
import yaml
from checkout import OVERLAY, REPOSITORY
from markdown_page import parsed_command
from raw_server import RawServer, response
from tiny_graphs import named

from warpath_study.works.works import Choice, load_all

pytestmark = pytest.mark.workflow
CHOSEN = yaml.safe_load(OVERLAY)
CHOICE = Choice("demo", tuple(CHOSEN["rows"]), tuple(CHOSEN["columns"]))
LACKS = r"^snakemake: {}: \d+ of the steps need a GPU, .*workflow/suites/demo\.yaml --config device=simulated$"


def assert_readable(file: Path) -> None:
    """A file of a target is whole and of the format that its name says."""
    data = file.read_bytes()
    if file.suffix == ".png":
        assert data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82"), file
    elif file.suffix == ".pdf":
        assert data.startswith(b"%PDF") and data.rstrip().endswith(b"%%EOF"), file
    elif file.suffix == ".svg":
        assert xml.etree.ElementTree.fromstring(data).tag.endswith("svg"), file
    elif file.suffix == ".csv":
        header, *lines = csv.reader(data.decode().splitlines())
        assert lines and {len(line) for line in lines} == {len(header)}, file
    elif file.suffix == ".html":
        html.parser.HTMLParser().feed(data.decode())
        assert data.rstrip().endswith(b"</html>"), file
    else:
        assert data.decode().strip(), file


@pytest.fixture
def laptop(fresh, monkeypatch):
    """A checkout with nothing built, on a machine whose driver shows no GPU."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    return fresh


def test_a_plan_has_every_step_with_a_command_that_there_is_and_warns_of_the_missing_gpu(laptop):
    """Without a network and without naming a profile."""
    targets = ["results/table1.csv", "figures/figure5.pdf", "data/graphs/demo-nyc.npz"]
    said = laptop.snakemake("-n", "--printshellcmds", *targets, overlay=None, profile=None)
    steps = Counter(re.findall(r"^  (\w+) ", said, re.MULTILINE))
    assert steps == {"fetch": 6, "convert": 6, "generate": 1, "run": 24, "write": 1, "draw": 1}
    commands = [shlex.split(line.partition(" > ")[0]) for line in said.splitlines() if line.startswith("warpath ")]
    assert len(commands) == steps.total()
    for _, *arguments in commands:
        with named(shlex.join(arguments)):
            parsed_command(arguments)
    of_cpu = next(arguments for arguments in commands if "bellman_ford.cpu" in arguments)
    assert "60.0" in of_cpu and str(of_cpu[-1]).startswith("results/runs/")  # config.yaml's cpu_budget_s
    assert len(re.findall(LACKS.format("warning"), said, re.MULTILINE)) == 1
    assert not (laptop.root / "logs").exists() and not (laptop.root / "data/raw").exists()


def test_a_first_run_without_a_network_is_told_in_a_few_lines(fresh):
    """Without naming a profile: what is missing, where to put it, and how to go on."""
    command = sys.executable, "-m", "snakemake", "--cores", "1", "results/table2.csv"
    done = fresh.run(*command, "--config", "device=simulated", "mirror=/no/mirror")
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) <= 6, done.stdout
    assert "FAILED: fetch p2p-Gnutella04.txt.gz (log: logs/fetch/p2p-Gnutella04.txt.gz.log)" in done.stdout
    assert "/no/mirror" in done.stdout and "put it at data/raw/p2p-Gnutella04.txt.gz" in done.stdout
    assert "the same command goes on from here" in done.stdout
    assert not (fresh.root / "data/raw/p2p-Gnutella04.txt.gz").exists()


def measuring_rules() -> set[str]:
    """The names of all rules that ask for a GPU."""
    names = set()
    for file in (REPOSITORY / "workflow/rules").glob("*.smk"):
        code = re.sub(r"^ *#.*", "", file.read_text(), flags=re.MULTILINE)
        _, *rules = re.split(r"^ *(?:rule|checkpoint)\b", code, flags=re.MULTILINE)
        names |= {rule.partition(":")[0].strip() for rule in rules if re.search(r"\bgpu\b", rule)}
    return names


def test_a_profile_sets_the_cores_of_every_rule_that_measures():
    assert "run" in measuring_rules()
    for profile in ("local", "slurm"):
        settings = yaml.safe_load((REPOSITORY / "profiles" / profile / "config.yaml").read_text())
        assert set(settings["set-threads"]) == measuring_rules()


@pytest.mark.slow
def test_one_target_makes_every_file_that_the_works_promise(built):
    """On two rows or three of each work. Two jobs start at once here; a lock still takes one measurement at a time."""
    built.snakemake("works", "--set-threads", "run=1", "--resources", "gpu=2")
    listed = built.run(sys.executable, "-m", "warpath", "list", "works").stdout
    works = load_all(built.root / "workflow/works")
    assert [line.split()[0] for line in listed.splitlines()] == list(works)
    promised = set()
    for work in works.values():
        for target in work.targets(CHOICE):
            if work.set_of(target) not in work.fields.not_by_default:
                folder = "figures" if target.fields.kind == "figure" else "results"
                stem = f"{folder}/demo/{work.folder}{target.stem}"
                promised |= {Path(f"{stem}{suffix}") for suffix in target.suffixes}
    promised.add(Path("results/demo/index.html"))
    for file in promised:
        assert_readable(built.root / file)
    written = {
        file.relative_to(built.root)
        for folder in ("results/demo", "figures/demo")
        for file in (built.root / folder).rglob("*.*")
        if file.is_file()
    }
    assert {file for file in written - promised if "runs" not in file.parts} == set()
    assert {path.name for path in (built.root / "results").iterdir()} <= {"demo", "reference"}
    assert built.planned("works") == set()


@pytest.mark.slow
def test_each_suite_knows_its_own_steps_and_folders(fresh):
    planned = fresh.planned("results/topology/table1.csv", "safari_ebnenasir", overlay="workflow/suites/topology.yaml")
    # Fetched are nyc, bay and three topologies; nyc and two stand-ins get other weights, too; one is in Table 1 alone.
    kinds = {"fetch": 5, "convert": 5 + 3, "generate": 1 + 5, "run": 24 + 7 * 4 + 3 * 21, "write": 1 + 5, "draw": 2}
    assert Counter(job.split()[0] for job in planned) == kinds

    summary = fresh.snakemake("works", "--summary", overlay="workflow/suites/quick.yaml")
    files = [line.partition("\t")[0] for line in summary.splitlines() if "\t" in line][1:]
    made = {"/".join(file.split("/")[:2]) for file in files}
    assert made == {"data/raw", "data/graphs", "results/quick", "figures/quick"}
    assert "results/quick/runs/nyc/bellman_ford.naive.json" in files  # the paper's own graphs


@pytest.mark.slow
def test_reference_results_are_drawn_again_and_nothing_is_measured(laptop):
    planned = laptop.planned("works", overlay="workflow/suites/reference.yaml")
    assert {job.split()[0] for job in planned} == {"write", "draw"}
    assert {"write table1", "draw figure5", "write katz_kider/table1", "draw telang_grid/path_4096"} <= planned
    table = "results/reference/nvidia-h200/table1.csv"
    (laptop.root / table).unlink()
    laptop.snakemake(table, overlay="workflow/suites/reference.yaml")
    assert (laptop.root / table).is_file()
    assert "good condition" in laptop.snakemake("--lint", overlay=None, profile=None)


@pytest.mark.slow
def test_a_wrong_config_and_a_target_that_there_is_not_are_refused_in_one_sentence(fresh):
    (fresh.root / "wrong.yaml").write_text("budget: 3")
    of_reference = "figures/reference/nvidia-h200/katz_kider/figure8.html"
    for target, overlay, helps in (
        ("all", "wrong.yaml", "budget_s"),
        ("results/demo/tabel1.csv", "small.yaml", "results/demo/table1.csv"),
        (of_reference, None, "--configfile workflow/suites/reference.yaml"),
        ("results/table1.csv", "small.yaml", "--configfile workflow/suites/paper.yaml"),
    ):
        output = fresh.snakemake(target, "--dry-run", status=1, overlay=overlay)
        (line,) = [line for line in output.splitlines() if line.startswith("snakemake: error: ")]
        assert helps in line and "Traceback" not in output and 'File "' not in output
    left_out = fresh.snakemake("results/demo/table2.csv", "--dry-run", "--config", "rows=nyc", status=1)
    assert "results/demo/table2.csv is left out by rows or columns" in left_out
    assert fresh.planned(of_reference, overlay="workflow/suites/reference.yaml")


@pytest.mark.slow
def test_a_run_ends_before_the_first_step_without_the_gpu_that_it_needs(laptop):
    for arguments in ([], ["--config", "device=cuda:1", "rows=nyc"]):
        said = laptop.snakemake("results/table1.csv", *arguments, status=1, profile=None, overlay=None)
        lines = [line for line in said.splitlines() if not line.startswith("Using workflow specific profile")]
        assert len(lines) == 1 and re.match(LACKS.format("error"), lines[0]), said
    assert not (laptop.root / "logs").exists() and not (laptop.root / "data/raw").exists()
    for arguments, profile in ((["columns=bellman_ford.cpu"], None), (["device=simulated"], None), ([], "slurm")):
        options = ["-n", "results/table1.csv", *(["--config", *arguments] if arguments else [])]
        said = laptop.snakemake(*options, overlay=None, profile=profile)
        assert "run bellman_ford" in said and "need a GPU" not in said


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["sbatch", "slurm_account", "warpath.sif"])
def test_a_cluster_without_its_parts_is_told_before_the_first_step(laptop, tmp_path, monkeypatch, missing):
    """The programs that are there do nothing."""
    for name in {"sbatch", "apptainer"} - {missing}:
        (tmp_path / name).write_text("#!/bin/sh\necho apptainer version 1.3.0\n")
        (tmp_path / name).chmod(0o700)
    for name in ("bash", "sh", "which"):
        (tmp_path / name).symlink_to(shutil.which(name))
    monkeypatch.setenv("PATH", str(tmp_path))
    profiles = [] if missing != "warpath.sif" else ["--profile", "profiles/apptainer"]
    profile = laptop.root / "profiles/slurm/config.yaml"
    if missing != "slurm_account":
        profile.write_text(profile.read_text().replace("my_account", "physics"))
    ways = [(["-n"], 0, "warning"), *([([], 1, "error")] if missing == "sbatch" else [])]
    for arguments, status, kind in ways:
        arguments += ["results/table1.csv", *profiles]
        said = laptop.snakemake(*arguments, status=status, profile="slurm", overlay=None).splitlines()
        lines = [line for line in said if line.startswith("snakemake: ")]
        assert len(lines) == 1 and lines[0].startswith(f"snakemake: {kind}: ") and missing in lines[0], said
        assert said.index(lines[0]) >= len(said) - 2
    assert not (laptop.root / "logs").exists() and not (laptop.root / "data/raw").exists()


@pytest.mark.slow
def test_from_a_published_file_of_unknown_hash_to_its_row(fresh, monkeypatch):
    """The form of the 9th DIMACS challenge, at one address; then a page in its place, and another edition."""
    for variable in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(variable, "127.0.0.1")
    name, raw = "USA-road-d.COL.gr.gz", fresh.root / "data/raw"
    roads = "".join(
        f"a {a} {b} {100 + a}\na {b} {a} {100 + a}\n" for a, b in zip(range(1, 40), range(2, 41), strict=True)
    )
    head = "c 9th DIMACS Implementation Challenge: Shortest Paths\nc http://www.dis.uniroma1.it/~challenge9\n"
    size = "c TIGER/Line graph USA-road-d.COL\nc\np sp 40 78\nc graph contains 40 nodes and 78 arcs\nc\n"
    whole = gzip.compress(f"{head}{size}{roads}".encode())
    published = [whole]
    catalog = fresh.root / "data/catalog.yaml"
    before, entry, after = re.split(r"(?ms)^(col:\n.*?)(?=^\w)", catalog.read_text())
    entry = entry.replace("vertices: 435666", "vertices: 40").replace("arcs: 1057066", "arcs: 78")
    entry = re.sub(r"(?m)^    - https.*\n", "", entry)
    with RawServer(lambda _number: [response(published[0], Content_Length=len(published[0]))]) as server:
        catalog.write_text(before + re.sub(r"http://.*/USA\S*", server.address, entry) + after)
        chosen = ["--config", "rows=col", "columns=naive", "device=simulated", "repeats_max=3"]
        said = fresh.snakemake("results/table1.csv", *chosen, overlay=None)
        header, *rows = csv.reader((fresh.root / "results/table1.csv").read_text().splitlines())
        (row,) = [row for row in rows if row[:3] == ["col", "40", "78"]]  # the work's own is another graph
        assert float(row[header.index("naive")]) > 0
        kept = raw / f"{name}.sha256"
        assert kept.read_text().split()[0] in said

        for wrong in (b"<!DOCTYPE html>\n<title>Moved</title>\n", gzip.compress(gzip.decompress(whole) + b"c\n")):
            (raw / name).unlink(missing_ok=True)
            published[0] = wrong
            said = fresh.snakemake(f"data/raw/{name}", status=1, overlay=None)
            (line,) = [line for line in said.splitlines() if server.address in line]
            assert f"data/raw/{name}" in line
            assert [file.name for file in raw.iterdir()] == [kept.name]


@pytest.mark.slow
def test_steps_run_in_the_environment_that_is_activated_for_them_and_fail_at_once(fresh, tmp_path, monkeypatch):
    """A file that each shell reads first stands in for conda's activation."""
    programs, calls = tmp_path / "programs", tmp_path / "calls"
    programs.mkdir()
    (programs / "python").write_text(f'#!/bin/sh\necho "$PYTHONPATH $*" >> {calls}\nexec {sys.executable} "$@"\n')
    (programs / "python").chmod(0o700)
    (tmp_path / "activate").write_text(f"export CONDA_PREFIX=/an/environment PATH={programs}:$PATH\n")
    monkeypatch.setenv("BASH_ENV", str(tmp_path / "activate"))
    fresh.snakemake("data/graphs/demo-nyc.npz")
    assert f"{fresh.root}/src -m warpath generate demo-nyc " in calls.read_text()

    fresh.edit("src/warpath_study/cli/generate.py", "raise SystemExit(3)\n")
    output = fresh.snakemake("data/graphs/demo-bay.npz", status=1)
    assert "exit status 3" in output
    # Without the wait for the missing output.
    assert "MissingOutputException" not in output and "missing files" not in output


@pytest.mark.slow
def test_the_report_shows_tables_and_figures_with_captions(built):
    built.snakemake("--report", "report.html")
    report = (built.root / "report.html").read_text()
    for name in ("table1.html", "table3.html", "claims.html", "figure5.html", "figure6_log.html"):
        assert name in report
    for words in ("This is the suite", '"Bodra"', "with the published times", "Bellman-Ford from one source"):
        assert words in report
    assert not re.search(r'<(script|link|img)[^>]+(src|href)="https?://', report)
