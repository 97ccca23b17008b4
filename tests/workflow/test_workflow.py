"""The workflow as its user meets it: works, suites, chosen rows, wrong configs, a mirror, style, report."""

import csv
import gzip
import html.parser
import http.server
import re
import shlex
import sys
import threading
import xml.etree.ElementTree
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import yaml
from checkout import OVERLAY

from warpath.graphs.csr import load
from warpath_study.works.works import Choice, load_all

pytestmark = pytest.mark.workflow
CHOSEN = yaml.safe_load(OVERLAY)
CHOICE = Choice("demo", tuple(CHOSEN["rows"]), tuple(CHOSEN["columns"]))


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


def test_rows_and_columns_that_were_not_chosen_are_left_out(built):
    chosen = ["--config", "rows=nyc,bay", "columns=naive", "--rerun-triggers", "params"]
    built.snakemake("results/demo/table1.csv", *chosen)
    header, *lines = csv.reader((built.root / "results/demo/table1.csv").read_text().splitlines())
    assert header[:4] == ["dataset", "nodes", "edges", "naive"] and "stride" not in header
    assert [line[0] for line in lines] == ["nyc", "demo-nyc", "bay", "demo-bay"]
    assert [bool(line[3]) for line in lines] == [False, True, False, True]  # the paper's graphs are not measured
    assert not built.record("demo-col", "bellman_ford.naive").exists()


@pytest.mark.parametrize(
    ("suite", "files", "kinds"),
    [
        (
            None,
            ["results/table1.csv", "figures/figure5.pdf"],
            {"fetch": 6, "convert": 6, "run": 24, "write": 1, "draw": 1},
        ),
        (
            "topology",
            ["results/topology/table1.csv", "safari_ebnenasir"],
            # Fetched are nyc, bay and three topologies; nyc and two stand-ins get other weights, too; one is in
            # Table 1 alone.
            {"fetch": 5, "convert": 5 + 3, "generate": 1 + 5, "run": 24 + 7 * 4 + 3 * 21, "write": 1 + 5, "draw": 2},
        ),
    ],
)
def test_each_suite_knows_all_its_steps_without_a_network(fresh, suite, files, kinds):
    planned = fresh.planned(*files, overlay=suite and f"workflow/suites/{suite}.yaml")
    assert {kind: sum(job.startswith(f"{kind} ") for job in planned) for kind in kinds} == kinds
    assert len(planned) == sum(kinds.values())


def test_a_first_look_leaves_full_results_alone(fresh):
    summary = fresh.snakemake("works", "--summary", overlay="workflow/suites/quick.yaml")
    files = [line.partition("\t")[0] for line in summary.splitlines() if "\t" in line][1:]
    made = {"/".join(file.split("/")[:2]) for file in files}
    assert made == {"data/raw", "data/graphs", "results/quick", "figures/quick"}
    assert "results/quick/runs/nyc/bellman_ford.naive.json" in files  # the paper's own graphs


def test_reference_results_are_drawn_again_and_nothing_is_measured(fresh):
    planned = fresh.planned("works", overlay="workflow/suites/reference.yaml")
    assert {job.split()[0] for job in planned} == {"write", "draw"}
    assert {"write table1", "draw figure5", "write katz_kider/table1", "draw telang_grid/path_4096"} <= planned


def test_a_wrong_config_is_refused_in_one_sentence(fresh):
    (fresh.root / "wrong.yaml").write_text("budget: 3")
    output = fresh.snakemake("--dry-run", status=1, overlay="wrong.yaml")
    assert len([line for line in output.splitlines() if "'budget'" in line and "budget_s" in line]) == 1
    assert "Traceback" not in output and 'File "' not in output


def test_an_unknown_target_is_refused_in_one_sentence_with_a_similar_one(fresh):
    output = fresh.snakemake("results/demo/tabel1.csv", "--dry-run", status=1)
    (line,) = [line for line in output.splitlines() if "tabel1" in line]
    assert "results/demo/table1.csv" in line
    assert "Traceback" not in output


@pytest.mark.parametrize(
    ("target", "overlay", "suite"),
    [
        ("results/demo/table1.csv", None, "demo"),
        ("results/demo/runs/demo-nyc/bellman_ford.naive.json", "workflow/suites/quick.yaml", "demo"),
        ("figures/reference/nvidia-h200/katz_kider/figure8.html", None, "reference"),
        ("results/table1.csv", "small.yaml", "paper"),
    ],
)
def test_a_target_of_another_suite_is_told_with_the_file_of_that_suite(fresh, target, overlay, suite):
    output = fresh.snakemake(target, "--dry-run", status=1, overlay=overlay)
    (line,) = [line for line in output.splitlines() if target in line]
    assert line.endswith(f" --configfile workflow/suites/{suite}.yaml")
    assert fresh.planned(target, overlay=f"workflow/suites/{suite}.yaml")


def test_from_a_mirror_to_a_graph(fresh, tmp_path):
    mirror = tmp_path / "a mirror"
    mirror.mkdir()
    arcs = "".join(f"{tail}\t{head}\r\n" for tail in range(40) for head in ((tail + 1) % 40, (tail * 7 + 3) % 40))
    (mirror / "ring.txt.gz").write_bytes(gzip.compress(f"# a ring with chords\r\n{arcs}".encode()))
    fresh.edit(
        "data/catalog.yaml",
        "\nring:\n  kind: snap\n  title: Ring\n  file: ring.txt.gz\n  addresses: [http://127.0.0.1:9/ring.txt.gz]\n"
        "  sha256: null\n  vertices: 40\n  arcs: 80\n  weighted: false\n  licence: none\n  citation: none\n",
    )
    (fresh.root / "ring.yaml").write_text(f"suite: ring\nmirror: {mirror}\n")
    fresh.snakemake("data/graphs/ring.npz", overlay="ring.yaml")
    assert (fresh.root / "data/raw/ring.txt.gz").read_bytes() == (mirror / "ring.txt.gz").read_bytes()
    assert fresh.planned("data/graphs/ring.npz", overlay="ring.yaml") == set()


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder, and the address at which a local server publishes its files."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    folder = tmp_path / "site"
    folder.mkdir()
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield folder, f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.mark.slow
def test_from_a_published_file_of_unknown_hash_to_its_row(fresh, site):
    """The form of the 9th DIMACS challenge, at one address; then a page in its place, and another edition."""
    folder, address = site
    name, raw = "USA-road-d.COL.gr.gz", fresh.root / "data/raw"
    published = folder / name
    roads = "".join(
        f"a {a} {b} {100 + a}\na {b} {a} {100 + a}\n" for a, b in zip(range(1, 40), range(2, 41), strict=True)
    )
    head = "c 9th DIMACS Implementation Challenge: Shortest Paths\nc http://www.dis.uniroma1.it/~challenge9\n"
    size = "c TIGER/Line graph USA-road-d.COL\nc\np sp 40 78\nc graph contains 40 nodes and 78 arcs\nc\n"
    whole = gzip.compress(f"{head}{size}{roads}".encode())
    published.write_bytes(whole)
    catalog = fresh.root / "data/catalog.yaml"
    before, entry, after = re.split(r"(?ms)^(col:\n.*?)(?=^\w)", catalog.read_text())
    entry = entry.replace("vertices: 435666", "vertices: 40").replace("arcs: 1057066", "arcs: 78")
    entry = re.sub(r"(?m)^    - https.*\n", "", entry)
    catalog.write_text(before + re.sub(r"http://.*/USA", f"{address}/USA", entry) + after)

    chosen = ["--config", "rows=col", "columns=naive", "device=simulated", "repeats_max=3"]
    said = fresh.snakemake("results/table1.csv", *chosen, overlay=None)
    header, *rows = csv.reader((fresh.root / "results/table1.csv").read_text().splitlines())
    (row,) = [row for row in rows if row[:3] == ["col", "40", "78"]]  # the work's own is another graph
    assert float(row[header.index("naive")]) > 0
    kept = raw / f"{name}.sha256"
    assert kept.read_text().split()[0] in said

    for wrong in (
        b"<!DOCTYPE html>\n<title>Moved</title>\n",
        whole[:-20],
        gzip.compress(gzip.decompress(whole) + b"c\n"),
    ):
        (raw / name).unlink(missing_ok=True)
        published.write_bytes(wrong)
        said = fresh.snakemake(f"data/raw/{name}", status=1, overlay=None)
        (line,) = [line for line in said.splitlines() if address in line]
        assert f"data/raw/{name}" in line
        assert [file.name for file in raw.iterdir()] == [kept.name]


def test_a_first_run_without_a_network_is_told_in_a_few_lines(fresh):
    """Without naming a profile: what is missing, where to put it, and how to go on."""
    command = sys.executable, "-m", "snakemake", "--cores", "1", "results/table2.csv"
    done = fresh.run(*command, "--config", "device=simulated")
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) <= 6, done.stdout
    assert "FAILED: fetch p2p-Gnutella04.txt.gz (log: logs/fetch/p2p-Gnutella04.txt.gz.log)" in done.stdout
    assert "put it at data/raw/p2p-Gnutella04.txt.gz" in done.stdout
    assert "the same command goes on from here" in done.stdout
    assert not (fresh.root / "data/raw/p2p-Gnutella04.txt.gz").exists()


def changed(graph: Path) -> None:
    whole = load(graph)
    replace(whole, weights=whole.weights + (np.arange(whole.arcs) == 5).astype(np.int32)).save(graph)


def cut(graph: Path) -> None:
    graph.write_bytes(graph.read_bytes()[:5000])


@pytest.mark.slow
@pytest.mark.parametrize("damage", [changed, cut])
def test_a_graph_that_is_not_the_dataset_is_refused_with_the_command_that_mends_it(built, damage):
    record = built.record("demo-nyc", "bellman_ford.naive")
    record.unlink()
    damage(built.root / "data/graphs/demo-nyc.npz")
    output = built.snakemake(str(record.relative_to(built.root)), status=1)
    command = re.search(r"\((rm [^)]*)\)", output)[1]
    assert built.run(*shlex.split(command)).returncode == 0
    built.snakemake(str(record.relative_to(built.root)))
    assert record.is_file()


def test_a_command_that_fails_fails_its_job_at_once_with_its_own_status(fresh):
    """Without the wait for the missing output."""
    fresh.edit("src/warpath_study/cli/generate.py", "raise SystemExit(3)\n")
    output = fresh.snakemake("data/graphs/demo-nyc.npz", status=1)
    assert "exit status 3" in output
    assert "MissingOutputException" not in output and "missing files" not in output


def test_steps_run_in_the_environment_that_is_activated_for_them(fresh, tmp_path, monkeypatch):
    """A file that each shell reads first stands in for conda's activation."""
    programs, calls = tmp_path / "programs", tmp_path / "calls"
    programs.mkdir()
    (programs / "python").write_text(f'#!/bin/sh\necho "$PYTHONPATH $*" >> {calls}\nexec {sys.executable} "$@"\n')
    (programs / "python").chmod(0o700)
    (tmp_path / "activate").write_text(f"export CONDA_PREFIX=/an/environment PATH={programs}:$PATH\n")
    monkeypatch.setenv("BASH_ENV", str(tmp_path / "activate"))
    fresh.snakemake("data/graphs/demo-nyc.npz")
    assert f"{fresh.root}/src -m warpath generate demo-nyc " in calls.read_text()


def test_the_report_shows_tables_and_figures_with_captions(built):
    built.snakemake("--report", "report.html")
    report = (built.root / "report.html").read_text()
    for name in ("table1.html", "table3.html", "claims.html", "figure5.html", "figure6_log.html"):
        assert name in report
    for words in ("This is the suite", '"Bodra"', "with the published times", "Bellman-Ford from one source"):
        assert words in report
    assert not re.search(r'<(script|link|img)[^>]+(src|href)="https?://', report)
