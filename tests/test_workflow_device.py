"""Snakemake where the GPU that steps need is missing: it ends before the first step, and a dry run warns."""

import re

import pytest

from warpath import driver

pytestmark = pytest.mark.workflow
LACKS = r"^snakemake: {}: \d+ of the steps need a GPU, .*workflow/suites/demo\.yaml --config device=host$"


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
    assert planned("--config", "device=host") == (True, 0)
    assert planned(profile="slurm") == (True, 0)


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
