"""The site of the documentation: `make docs` without a network."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from checkout import REPOSITORY

import warpath
from warpath import cli, csgraph
from warpath_study import cli as study_cli

pytestmark = pytest.mark.slow


def run(*command: str | Path) -> None:
    # A proxy that nobody serves: what asks the network fails.
    away = {"http_proxy": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9", "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        [sys.executable, *command], cwd=REPOSITORY, env=os.environ | away, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_site(tmp_path):
    run("tools/site/tutorials.py")
    run("-m", "mkdocs", "build", "--site-dir", tmp_path)
    each_public_name_and_each_command_has_its_place(tmp_path)
    pages_load_nothing_from_elsewhere(tmp_path)
    tutorials_have_their_outputs_and_are_notebooks(tmp_path)
    the_page_of_a_work_has_each_table_and_picture_once(tmp_path)


def each_public_name_and_each_command_has_its_place(site: Path) -> None:
    found = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))["docs"]
    places = {entry["location"].partition("#")[2] for entry in found if entry["location"].startswith("reference/")}
    names = {f"warpath.{name}" for name in warpath.__all__} - {"warpath.csgraph", "warpath.__version__"}
    names |= {f"warpath.csgraph.{name}" for name in csgraph.__all__ if name != "NegativeCycleError"}  # SciPy's
    commands = {f"warpath-{command}" for command in (*cli.COMMANDS, *study_cli.COMMANDS)}
    assert names | commands <= places
    assert {f"warpath.Solver.{method}" for method in ("sssp", "table", "pairs", "update", "stream")} <= places


def pages_load_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = re.findall(r"<(?:script|img|link|iframe)\b[^>]*?\b(?:src|href)=\"([^\"]*)\"", page.read_text("utf-8"))
        assert not [address for address in loaded if re.match(r"(https?:)?//", address)], page
    for script in site.glob("*.js"):
        assert "unpkg" not in script.read_text("utf-8")


def tutorials_have_their_outputs_and_are_notebooks(site: Path) -> None:
    for source in REPOSITORY.glob("docs/tutorials/*.md"):
        page = (site / "tutorials" / f"{source.stem}.html").read_text("utf-8")
        assert "output" in page
        notebook = json.loads((site / "tutorials" / f"{source.stem}.ipynb").read_text("utf-8"))
        assert any(cell.get("outputs") for cell in notebook["cells"])


def the_page_of_a_work_has_each_table_and_picture_once(site: Path) -> None:
    found = []
    for page in (site / "works").glob("*.html"):
        shown = re.findall(r"(?:href|src)=\"([^\"]*(?:\.png|\.csv\.txt))\"", page.read_text("utf-8"))
        shown = [address for address in shown if "/figures/" in address or "/results/" in address]
        assert len(shown) == len(set(shown)), page
        found += shown
    assert any(address.endswith(".png") for address in found) and any(address.endswith(".txt") for address in found)
