"""A wheel that is installed away from the checkout: commands and library find everything they need in the package."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from checkout import REPOSITORY, Checkout
from packaging.metadata import Metadata

from warpath_study.datasets.catalog import load_catalog
from warpath_study.works.works import load_all

pytestmark = pytest.mark.slow

CATALOG = load_catalog(REPOSITORY / "data" / "catalog.yaml")
WORKS = load_all(REPOSITORY / "workflow" / "works")
NOWHERE = "http://127.0.0.1:9"


def run(*command: str, status: int = 0, **options) -> str:
    """What a command prints on both channels; it must end with ``status``."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, **options)
    assert done.returncode == status, f"{' '.join(command)}:\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def source_archive(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("build")
    checkout = Checkout.make(folder / "checkout").root
    archive = "from setuptools import build_meta; build_meta.build_sdist('..')"
    run(sys.executable, "-c", archive, cwd=checkout)
    (archive,) = folder.glob("warpath-*.tar.gz")
    return archive


@pytest.fixture(scope="module")
def wheel(source_archive, tmp_path_factory) -> Path:
    """The wheel that is built from the source archive, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    pip = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index")
    run(*pip, "--wheel-dir", ".", str(source_archive), cwd=folder)
    (wheel,) = folder.iterdir()
    return wheel


class Installed:
    """The wheel in a folder of packages, run in an empty folder ``here`` with an empty home and no network."""

    def __init__(self, packages: Path, folder: Path) -> None:
        self.packages, self.here = packages, folder / "here"
        (folder / "home").mkdir(parents=True)
        self.here.mkdir()
        proxies = dict.fromkeys(("http_proxy", "https_proxy"), NOWHERE)
        path = {"PATH": os.environ["PATH"], "PYTHONPATH": str(packages), "HOME": str(folder / "home")}
        self.environment = path | proxies

    def python(self, text: str) -> str:
        return run(sys.executable, "-c", text, cwd=self.here, env=self.environment)

    def warpath(self, *arguments: str, status: int = 0) -> str:
        program = str(self.packages / "bin" / "warpath")
        return run(sys.executable, program, *arguments, status=status, cwd=self.here, env=self.environment)


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    pip = (sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", "packages")
    run(*pip, str(wheel), cwd=folder)
    return Installed(folder / "packages", folder)


def test_a_wheel_has_the_catalog_and_each_file_of_the_works(wheel):
    tracked = run("git", "ls-files", "data/catalog.yaml", "workflow/works", "src", cwd=REPOSITORY).split()
    shipped = [name if name.startswith("src/") else f"src/warpath_study/{name}" for name in tracked]
    expected = {name.removeprefix("src/") for name in shipped}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert not {name for name in expected if not name.endswith(".clang-format")} - names
    assert "warpath/py.typed" in names
    assert not [name for name in names if "__pycache__" in name]
    folders = {name.split("/")[0].partition("-")[0] for name in names}
    assert folders == {"warpath", "warpath_study", "snakemake_logger_plugin_warpath"}


def test_what_a_package_index_reads_is_valid(source_archive, wheel):
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        of_wheel = archive.read(name)
    with tarfile.open(source_archive) as archive:
        of_sources = archive.extractfile(f"{archive.getnames()[0]}/PKG-INFO").read()
        assert not [name for name in archive.getnames() if "/tests" in name]
    assert of_wheel == of_sources
    metadata = Metadata.from_email(of_wheel, validate=True)
    assert metadata.license_expression == "MIT" and metadata.description_content_type == "text/markdown"


def test_doctor_and_a_solve(installed):
    assert "dijkstra.heap, certified" in installed.warpath("doctor", "--device", "cpu")
    (installed.here / "roads.csv").write_text("source,target,km\nOslo,Voss,3.5\nVoss,Bergen,1.25\n")
    said = installed.warpath("solve", "roads.csv", "--weight", "km", "--source", "Oslo", "--target", "Bergen")
    assert "4.75: Oslo Voss Bergen" in said


def test_what_there_is_comes_from_the_package(installed):
    roots = "import warpath; from warpath_study.data_files import roots; print(warpath.__file__, *map(repr, roots()))"
    said = installed.python(roots)
    assert said.startswith(f"{installed.packages}/warpath/__init__.py")
    assert str(REPOSITORY) not in said
    lines = installed.warpath("datasets").splitlines()
    assert [line.split()[0] for line in lines] == ["name", *CATALOG]
    assert [line.split()[0] for line in installed.warpath("list", "works").splitlines()] == list(WORKS)
    backend = "networkx.utils.backends.backends['warpath'].value"
    assert installed.python(f"import networkx; print({backend})") == "warpath.networkx_backend.interface:backend\n"


def test_a_dataset_s_address_is_asked(installed):
    said = installed.warpath("fetch", "nyc", status=1)
    assert CATALOG["nyc"].addresses[0] in said
    assert "Traceback" not in said


def test_a_run_becomes_a_target_of_its_work(installed):
    """The view is in the work's own views.py."""
    installed.warpath("generate", "matrices-64")
    installed.warpath("run", "data/graphs/matrices-64.npz", "matrix_path.frontier", "--device", "simulated")
    written = installed.warpath("report", "telang_grid", "--suite", "demo", "--records", "results/runs").splitlines()
    assert any(name.endswith(".csv") for name in written) and any(name.endswith(".png") for name in written)
    assert all((installed.here / name).is_file() for name in written)
