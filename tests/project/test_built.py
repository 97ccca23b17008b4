"""What `make docs` and `make artifact` make: a site without a network, and one archive of a commit, byte for byte."""

import csv
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from checkout import REPOSITORY

import warpath
from warpath import cli, csgraph
from warpath_study import cli as study_cli
from warpath_study.datasets.catalog import load_catalog
from warpath_study.datasets.generate import generate

pytestmark = pytest.mark.slow
AUTHOR = ("-c", "user.name=A", "-c", "user.email=a@example.org")


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
    the_picture_of_the_start_page_is_that_of_its_tutorial(tmp_path)
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


def the_picture_of_the_start_page_is_that_of_its_tutorial(site: Path) -> None:
    assert 'src="rush_hour.png"' in (site / "index.html").read_text("utf-8")
    shown, drawn = (plt.imread(site / name) for name in ("rush_hour.png", "tutorials/03_rush_hour-1.png"))
    assert shown.shape == drawn.shape and np.abs(shown - drawn).mean() < 0.02


def the_page_of_a_work_has_each_table_and_picture_once(site: Path) -> None:
    found = []
    for page in (site / "works").glob("*.html"):
        shown = re.findall(r"(?:href|src)=\"([^\"]*(?:\.png|\.csv\.txt))\"", page.read_text("utf-8"))
        shown = [address for address in shown if "/figures/" in address or "/results/" in address]
        assert len(shown) == len(set(shown)), page
        found += shown
    assert any(address.endswith(".png") for address in found) and any(address.endswith(".txt") for address in found)


def git(*arguments: str, cwd: Path = REPOSITORY) -> str:
    return subprocess.run(["git", *arguments], cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(scope="module")
def clone(tmp_path_factory) -> Path:
    """A clone with one more commit, which has this working tree's files, and an edit that is not committed."""
    root = tmp_path_factory.mktemp("clone") / "warpath"
    git("clone", "--quiet", "--no-checkout", str(REPOSITORY), str(root))
    names = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    names = [name for name in names if (REPOSITORY / name).is_file()]
    environment = {**os.environ, "GIT_WORK_TREE": str(REPOSITORY), "GIT_DIR": str(root / ".git")}
    subprocess.run(["git", "read-tree", "--empty"], env=environment, check=True)
    add = ["git", "update-index", "--add", "--stdin"]
    subprocess.run(add, cwd=REPOSITORY, env=environment, input="\n".join(names).encode(), check=True)
    git(*AUTHOR, "commit", "-q", "--allow-empty", "-m", "All", cwd=root)
    git("reset", "--hard", "--quiet", cwd=root)
    (root / "README.md").write_text("edited\n")
    return root


def archive(root: Path, *options: str) -> Path:
    command = [sys.executable, "tools/artifact.py", *options]
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    done = subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True, text=True)
    return Path(done.stdout.strip())


def test_an_archive_has_the_files_of_the_commit_and_the_hashes_of_its_graphs(clone):
    written = archive(clone)
    assert written.parent == clone / "build"
    with tarfile.open(written) as tar:
        prefix = f"{written.name.removesuffix('.tar.gz')}/"
        files = {file.name.removeprefix(prefix): file for file in tar if file.isfile()}
        tracked = git("ls-tree", "-r", "--name-only", "HEAD", cwd=clone).splitlines()
        assert set(files) == {*tracked, "inputs.csv"}
        assert tar.extractfile(files["README.md"]).read() == (REPOSITORY / "README.md").read_bytes()
        lines = csv.DictReader(io.TextIOWrapper(tar.extractfile(files["inputs.csv"])))
        hashes = {line["dataset"]: (line["sha256"], line["measured"]) for line in lines}
    catalog = load_catalog(REPOSITORY / "data/catalog.yaml")
    assert hashes.keys() == catalog.keys()
    parameters = catalog["demo-nyc"].parameters
    assert hashes["demo-nyc"] == (generate(catalog["demo-nyc"].generator, **parameters).sha256, "")
    assert hashes["nyc"][0] == catalog["nyc"].sha256 and hashes["nyc"][1]


def test_another_clone_writes_the_same_bytes(clone, tmp_path):
    commit = git("rev-parse", "HEAD", cwd=clone)
    other = tmp_path / "other"
    git("clone", "--quiet", str(clone), str(other))
    git(*AUTHOR, "commit", "-q", "--allow-empty", "-m", "Later", cwd=other)
    written = archive(clone, "--output", str(tmp_path)), archive(other, "--commit", commit)
    first, second = (hashlib.sha256(file.read_bytes()).hexdigest() for file in written)
    assert first == second
