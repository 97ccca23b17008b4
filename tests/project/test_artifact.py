"""The archive of a commit: what is in it, and that another clone writes the same bytes."""

import csv
import hashlib
import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from checkout import REPOSITORY

from warpath_study.datasets.catalog import load_catalog
from warpath_study.datasets.generate import generate

AUTHOR = ("-c", "user.name=A", "-c", "user.email=a@example.org")


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
