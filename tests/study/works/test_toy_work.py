"""docs/extending.md, tried to the letter: its files are added to a copy of the checkout, its commands run there.

Nothing else is edited, so everything that has to know of the additions finds them by looking.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import REPOSITORY, Checkout, made_once
from drawings import assert_texts_are_readable

from warpath_study.report import style
from warpath_study.report.cells import Data
from warpath_study.report.runs import collect
from warpath_study.report.views import make
from warpath_study.works.works import Choice, load

pytestmark = [pytest.mark.workflow, pytest.mark.slow]

PAGE = REPOSITORY / "docs/extending.md"
NOTES = "notes.json"
# A block, and the line before it that names its file, if it is one.
BLOCK = re.compile(
    r"(?:^`(?P<file>[^`]+)`(?P<place>, at the end|, in the list)?:\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$",
    re.M | re.S,
)


def command(checkout: Checkout, line: str) -> str:
    """Run a command line of the page, which must succeed; returns what it printed."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=checkout.root,
        env={**checkout.environment, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, f"{line}\n{done.stdout}"
    return done.stdout


def extend(checkout: Checkout) -> None:
    """Add the page's files, run its commands, and note both."""
    added, printed = [], {}
    for block in BLOCK.finditer(PAGE.read_text()):
        if name := block["file"]:
            file = checkout.root / name
            assert file.exists() == bool(block["place"]), f"{name}: only what is added to is there before"
            file.parent.mkdir(parents=True, exist_ok=True)
            if block["place"] == ", in the list":
                before, end, after = file.read_text().rpartition("\n)\n")
                file.write_text(f"{before}\n{block['text'].rstrip()}{end}{after}")
            else:
                checkout.edit(name, "\n" * bool(block["place"]) + block["text"])
            added.append(name)
        else:
            assert block["kind"] == "sh"
            for line in block["text"].splitlines():
                printed[line] = command(checkout, line)
    (checkout.root / NOTES).write_text(json.dumps({"added": added, "printed": printed}))


@pytest.fixture(scope="session")
def extended(tmp_path_factory) -> Checkout:
    """A checkout to which the page's files have been added, and in which its commands have been run."""
    return made_once(tmp_path_factory, "extended", extend)


def notes(extended: Checkout) -> dict:
    return json.loads((extended.root / NOTES).read_text())


def lines(extended: Checkout, name: str) -> list[dict[str, str]]:
    with open(extended.root / "results/toy" / name, newline="") as file:
        return list(csv.DictReader(file))


def test_only_the_catalog_and_a_list_of_variants_were_there_before(extended):
    tracked = subprocess.run(["git", "ls-files"], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    assert set(notes(extended)["added"]) & set(tracked.splitlines()) == {
        "data/catalog.yaml",
        "src/warpath_study/experiments/__init__.py",
    }
    assert len(notes(extended)["added"]) == 13


def test_a_graph_in_every_format_stands_in_the_table_with_its_counts(extended):
    table = lines(extended, "times.csv")
    counts = [(line["dataset"], line["nodes"], line["edges"]) for line in table]
    assert counts == [
        ("toy-roads", "4", "5"),
        ("toy-links", "3", "4"),
        ("toy-tolls", "3", "3"),
        ("toy-streets", "3", "4"),
    ]
    assert all(float(line["naive"]) > 0 and float(line["shared_arcs"]) > 0 for line in table)
    assert len(lines(extended, "times_comparison.csv")) == len(lines(extended, "runs.csv")) == 4 * 2
    assert {run["certified"] for run in lines(extended, "runs.csv")} == {"full"}


def test_every_claim_has_a_verdict(extended):
    verdicts = {line["claim"]: line["verdict"] for line in lines(extended, "claims.csv")}
    assert verdicts == {"eight threads are faster than one": "no GPU", "the roads have four vertices": "within"}


@pytest.mark.parametrize("name", ["bars", "sizes"])
def test_a_figure_of_a_shared_view_and_one_of_its_own_are_drawn(extended, name):
    root = extended.root
    for suffix in ("svg", "png", "pdf", "html"):
        assert (root / f"figures/toy/{name}.{suffix}").stat().st_size > 1000
    work, choice = load(root / "workflow/works/toy"), Choice()
    runs = collect(work.requests(["graphs"], choice), root / "results/runs")
    with style.style_context():
        assert_texts_are_readable(make(Data(work, work.target(name, choice), choice, runs)))


def test_lists_have_the_additions(extended):
    printed = command(extended, "warpath list")
    for line in (r"toy +eight threads", r"toy +sizes +figure", r"bellman_ford\.shared_arcs +sssp", r"toy-tolls +snap"):
        assert re.search(rf"^ *{line}", printed, re.M), line


def test_solves_speak_of_the_file_s_own_vertices(extended):
    solves = [text for line, text in notes(extended)["printed"].items() if line.startswith("warpath solve")]
    assert len(solves) == 2 and all("4 vertices" in text for text in solves)


def test_the_contract_and_the_compiler_take_the_variant(extended):
    (printed,) = [text for line, text in notes(extended)["printed"].items() if "pytest" in line]
    assert int(re.search(r"(\d+) passed", printed)[1]) > 5 and "failed" not in printed


def test_the_tests_of_claims_take_the_work(extended):
    printed = command(extended, "python -m pytest -q tests/study/report/test_claims.py -k toy")
    assert re.search(r"[1-9]\d* passed", printed), printed


def test_an_edited_view_measures_nothing_and_an_edited_kernel_only_its_own_runs(extended, tmp_path):
    shutil.copytree(extended.root, tmp_path / "warpath")
    checkout = Checkout(tmp_path / "warpath")
    toy = ["toy", "--config", "device=simulated", "budget_s=0.2", "repeats_max=3"]
    checkout.edit("workflow/works/toy/views.py", "# a remark\n")
    checkout.edit("src/warpath_study/experiments/bellman_ford/shared_arcs.cu", "__device__ int spare;\n")
    planned = checkout.planned(*toy, overlay=None)
    runs = {f"run bellman_ford.shared_arcs on toy-{row}" for row in ("roads", "links", "tolls", "streets")}
    assert "draw toy/sizes" in planned and {job for job in planned if job.split()[0] not in ("draw", "write")} == runs
