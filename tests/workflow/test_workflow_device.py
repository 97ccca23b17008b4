"""Snakemake where what the steps need is missing: it ends before the first step, and a dry run warns at its end."""

import re
import shutil

import pytest

from warpath.system import driver

pytestmark = pytest.mark.workflow
LACKS = r"^snakemake: {}: \d+ of the steps need a GPU, .*workflow/suites/demo\.yaml --config device=simulated$"


@pytest.fixture
def laptop(fresh, monkeypatch):
    """A checkout with nothing built, on a machine whose driver shows no GPU."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    return fresh


def test_a_run_ends_before_the_first_step(laptop):
    for arguments in ([], ["--config", "device=cuda:1", "rows=nyc"]):
        said = laptop.snakemake("results/table1.csv", *arguments, status=1, profile=None, overlay=None)
        lines = [line for line in said.splitlines() if not line.startswith("Using workflow specific profile")]
        assert len(lines) == 1 and re.match(LACKS.format("error"), lines[0]), said
    assert not (laptop.root / "logs").exists() and not (laptop.root / "data/raw").exists()


def test_a_dry_run_warns_where_steps_need_the_gpu(laptop):
    def planned(*arguments, **options):
        said = laptop.snakemake("-n", "results/table1.csv", *arguments, **{"overlay": None, "profile": None, **options})
        return "run bellman_ford" in said, len(re.findall(LACKS.format("warning"), said, re.MULTILINE))

    assert planned() == (True, 1)
    assert planned("--config", "columns=bellman_ford.cpu") == (True, 0)
    assert planned("--config", "device=simulated") == (True, 0)
    assert planned(profile="slurm") == (True, 0)


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
    for arguments, status, kind in ((["-n"], 0, "warning"), ([], 1, "error")):
        said = laptop.snakemake(
            "results/table1.csv", *profiles, *arguments, status=status, profile="slurm", overlay=None
        ).splitlines()
        lines = [line for line in said if line.startswith("snakemake: ")]
        assert len(lines) == 1 and lines[0].startswith(f"snakemake: {kind}: ") and missing in lines[0], said
        assert said.index(lines[0]) >= len(said) - 2
    assert not (laptop.root / "logs").exists() and not (laptop.root / "data/raw").exists()


def test_what_measures_nothing_works(laptop):
    table = "results/reference/nvidia-h200/table1.csv"
    (laptop.root / table).unlink()
    laptop.snakemake(table, overlay="workflow/suites/reference.yaml")
    assert (laptop.root / table).is_file()
    assert "good condition" in laptop.snakemake("--lint", overlay=None, profile=None)


def test_the_driver_counts_no_gpu_that_is_hidden(monkeypatch):
    def missing(name):
        raise OSError(name)

    monkeypatch.setattr(driver.ctypes, "CDLL", missing)
    assert driver.gpu_count() == 0
