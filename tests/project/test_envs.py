"""The three requirement locks, the conda recipe, pyproject.toml and the Makefile agree."""

import json
import re
import subprocess
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import warpath

REPOSITORY = Path(__file__).resolve().parents[2]
PIN = r"^([A-Za-z0-9._-]+==.+) \\$"
LOCKS = ("cpu", "cuda12", "cuda13")
REFERENCE_PYTHON = "3.12"
PROJECT = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]

# Names of packages on conda-forge and bioconda, where they differ.
CONDA_NAMES = {"matplotlib": "matplotlib-base", "snakemake": "snakemake-minimal", "igraph": "python-igraph"}


def lock_text(kind: str) -> str:
    return (REPOSITORY / f"envs/requirements-{kind}.txt").read_text()


def pins(kind: str) -> list[Requirement]:
    return [Requirement(pin) for pin in re.findall(PIN, lock_text(kind), re.MULTILINE)]


def locked(kind: str, python: str = REFERENCE_PYTHON) -> dict[str, Version]:
    """Package -> version of a lock, for a Python on Linux."""
    place = {
        "python_version": python,
        "python_full_version": f"{python}.0",
        "sys_platform": "linux",
        "platform_machine": "x86_64",
    }
    found = [pin for pin in pins(kind) if pin.marker is None or pin.marker.evaluate(place)]
    assert len({pin.name for pin in found}) == len(found), "one version"
    return {canonicalize_name(pin.name): Version(str(pin.specifier).removeprefix("==")) for pin in found}


def direct(*extras: str) -> list[Requirement]:
    """The project's own requirements, with those of some extras."""
    optional = PROJECT["optional-dependencies"]
    return [Requirement(line) for line in [*PROJECT["dependencies"], *(r for extra in extras for r in optional[extra])]]


@pytest.mark.parametrize(
    "python", [re.fullmatch(r".* :: (3\.\d+)", line)[1] for line in PROJECT["classifiers"] if ":: 3." in line]
)
@pytest.mark.parametrize("kind", LOCKS)
def test_a_lock_has_what_the_project_asks_for_and_hashes_and_no_address(kind, python):
    versions, text = locked(kind, python), lock_text(kind)
    for requirement in direct("study", "test", *([kind] if kind != "cpu" else [])):
        assert versions[canonicalize_name(requirement.name)] in requirement.specifier
    assert len(re.findall(rf"{PIN}\n    --hash=sha256:", text, re.MULTILINE)) == len(pins(kind)) >= len(versions)
    assert not re.search(r"https?:|--index|--extra-index|--find-links|@", text)


def test_the_locks_differ_by_the_gpu_s_packages_alone():
    cpu = locked("cpu")
    assert not [name for name in cpu if name.startswith(("cupy", "cuda-toolkit"))]
    for kind in ("cuda12", "cuda13"):
        versions = locked(kind)
        assert {name: versions[name] for name in cpu} == cpu
        assert all(name.startswith(("cupy", "nvidia", "cuda")) for name in versions.keys() - cpu.keys())


def test_the_locks_are_of_the_reference_machine():
    versions = locked("cuda13")
    found: dict[str, set[str]] = defaultdict(set)
    for file in (REPOSITORY / "results/reference/nvidia-h200").rglob("*.json"):
        record = json.loads(file.read_text())
        assert record["environment"]["python"].startswith(f"{REFERENCE_PYTHON}.")
        for name, version in record["environment"]["packages"].items():
            found[name].add(version)
        if (peer := record.get("solved_by")) and record["variant"] in versions:
            found[record["variant"]].add(peer["version"])
        if "nvrtc" in record["device"]:
            found["nvidia-cuda-nvrtc"].add(record["device"]["nvrtc"])
    assert {
        "numpy",
        "scipy",
        "numba",
        "cupy-cuda13x",
        "nvidia-cuda-nvrtc",
        "networkit",
        "rustworkx",
        "igraph",
    } == found.keys()
    for name, those in found.items():
        (version,) = those
        assert versions[name] in SpecifierSet(f"=={version}.*"), name


def recipe() -> dict[str, str]:
    """Package -> version range of the conda recipe."""
    lines = yaml.safe_load((REPOSITORY / "envs/environment.yml").read_text())["dependencies"]
    return {name: version for name, _, version in (line.partition(" ") for line in lines)}


def test_the_recipe_has_the_locks_versions():
    ranges = recipe()
    versions = locked("cpu")
    for requirement in direct("study", "test"):
        name = canonicalize_name(requirement.name)
        if name != "nvidia-cuda-nvrtc":  # comes with cupy, in the version that cuda-version names
            assert versions[name] in as_specifier(ranges.pop(CONDA_NAMES.get(name, name))), name
    assert locked("cuda12")["cupy-cuda12x"] in as_specifier(ranges["cupy"])
    assert locked("cuda13")["cupy-cuda13x"] in as_specifier(ranges["cupy"])
    assert locked("cuda13")["nvidia-cuda-nvrtc"] in as_specifier(ranges.pop("cuda-version"))
    assert set(ranges) == {"cupy", "python", "pip", "cxx-compiler"}


def as_specifier(version: str) -> SpecifierSet:
    """Conda's ``=2.4`` is pip's ``==2.4.*``."""
    assert re.fullmatch(r"=[0-9.]+", version)
    return SpecifierSet(f"={version}.*")


def test_one_oldest_python_everywhere():
    oldest = PROJECT["requires-python"].removeprefix(">=")
    assert recipe()["python"] == f"={REFERENCE_PYTHON}"
    assert f"--python-version {oldest}" in (REPOSITORY / "envs/lock.sh").read_text()
    (job,) = yaml.safe_load((REPOSITORY / ".github/workflows/ci.yml").read_text())["jobs"].values()
    assert job["container"].startswith(f"python:{oldest}-")
    minors = re.findall(r":: Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert minors[0] == oldest
    assert minors == [f"3.{minor}" for minor in range(int(oldest[2:]), int(oldest[2:]) + len(minors))]


def test_who_cites_reads_the_same_everywhere():
    """Zenodo reads its own file and not CITATION.cff."""
    citation = yaml.safe_load((REPOSITORY / "CITATION.cff").read_text())
    assert citation["version"] == warpath.__version__ == PROJECT["version"]
    assert {author["name"] for author in PROJECT["authors"]} == {author["name"] for author in citation["authors"]}
    zenodo = json.loads((REPOSITORY / ".zenodo.json").read_text())
    assert zenodo["description"] == citation["abstract"]
    assert all(zenodo[key] == citation[key] for key in ("title", "license", "version"))
    assert zenodo["creators"] == [{"name": author["name"]} for author in citation["authors"]]
    assert zenodo["upload_type"] == citation["type"]
    assert zenodo["license"] == PROJECT["license"]
    assert set(zenodo["keywords"]) == set(citation["keywords"]) == set(PROJECT["keywords"])


def test_make_installs_the_lock_that_the_driver_supports(tmp_path):
    smi = tmp_path / "nvidia-smi"
    for answer, lock in (
        (None, "cpu"),
        ("echo 580.95.05", "cuda13"),
        ("printf '590.10\\n590.10\\n'", "cuda13"),
        ("echo 535.183.01", "cuda12"),
        ("echo 470.256.02", "cpu"),
        ("echo 'NVIDIA-SMI has failed because it could not communicate with the driver'; exit 9", "cpu"),
    ):
        if answer is not None:
            smi.write_text(f"#!/bin/sh\n{answer}\n")
            smi.chmod(0o755)
        make = ["make", "--dry-run", "--always-make", "setup", "VENV=nowhere"]
        environment = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
        done = subprocess.run(make, cwd=REPOSITORY, env=environment, check=True, capture_output=True, text=True)
        assert set(re.findall(r"-r envs/requirements-(\w+)\.txt", done.stdout)) == {lock}, answer


def test_the_container_takes_a_lock_and_snakemake_its_image():
    text = (REPOSITORY / "envs/warpath.def").read_text()
    sections = dict(re.findall(r"^%(\w+)\n(.*?)(?=^%|\Z)", text, re.DOTALL | re.MULTILINE))
    assert sections["arguments"].strip().partition("=")[2] in LOCKS
    for kind in LOCKS:
        files = sections["files"].replace("{{ LOCK }}", kind).strip().splitlines()
        assert all((REPOSITORY / line.split()[0]).exists() for line in files)
    (image,) = re.findall(r"^#   apptainer build .* (\S+\.sif) envs/warpath\.def$", text, re.MULTILINE)
    assert f'container: "{image}"' in (REPOSITORY / "Snakefile").read_text()
