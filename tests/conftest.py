"""Fixtures that several test files share."""

import fcntl
import gc
import io
import os
import random
import shutil
import signal
import sys

# Threads of OpenMP and OpenBLAS wait by spinning, which costs the other tests more than all work of these.
# OpenBLAS starts its own in each process, when NumPy or SciPy is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
# What tests draw. The processes of pytest-xdist inherit it.
os.environ.setdefault("WARPATH_TEST_SEED", str(random.SystemRandom().randrange(10**6)))

import pytest
from checkout import Checkout, made_once
from hypothesis import settings

from warpath.device import open_device
from warpath.errors import DeviceError
from warpath.system import progress
from warpath_study.measure import lock

# What a shell runs in the background ignores Ctrl-C, and so do its children; but tests send it to theirs.
signal.signal(signal.SIGINT, signal.default_int_handler)


# The examples are others each time. What is compiled on first use takes longer than any deadline.
settings.register_profile("usual", max_examples=30, deadline=None)
settings.register_profile("thorough", max_examples=300, deadline=None)
settings.load_profile("usual")

# Long tests start first, in this order, then other slow ones, then quick ones. In one run of all, each process takes
# one test at a time. Tests that wait for Slurm alternate with tests that compute.
# Of the tests that share a checkout, one builds it; the others come later, because they would wait.
LONG = (
    "tests/workflow/test_workflow.py::test_one_target_makes_every_file_that_the_works_promise",
    "tests/workflow/test_real_slurm.py::test_a_job_out_of_memory",
    "tests/study/works/test_toy_work.py::test_only_the_catalog",
    "tests/workflow/test_real_slurm.py::test_table_1",
    "tests/workflow/test_reruns.py::test_random_interruptions",
    "tests/workflow/test_real_slurm.py::test_a_job_that_slurm_starts_again",
    "tests/project/test_built.py::test_the_site",
    "tests/workflow/test_workflow_works.py::test_every_file",
    "tests/workflow/test_real_slurm.py::test_a_cancelled_job",
    "tests/workflow/test_workflow_works.py::test_the_table",
    "tests/workflow/test_real_slurm.py::test_after_a_kill",
    "tests/study/parts/test_two_nodes.py",
    "tests/workflow/test_real_slurm.py::test_sites",
    "tests/workflow/test_workflow_works.py::test_an_edit",
    "tests/workflow/test_real_slurm.py::test_several_runs",
    "tests/workflow/test_reruns.py",
    "tests/workflow/test_real_slurm.py",
    "tests/workflow",
)


def pytest_report_header():
    return f"WARPATH_TEST_SEED={os.environ['WARPATH_TEST_SEED']} draws the same orders of threads again"


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config, items):
    """Without a GPU, cases that need one are left out: thousands of skips would hide the others."""
    for item in items:
        if "_built" in item.fixturenames:  # a full build of the small demo
            item.add_marker(pytest.mark.slow)
    needing = [item for item in items if item.get_closest_marker("cuda")]
    if needing and not _gpu():
        config.hook.pytest_deselected(items=needing)
        items[:] = [item for item in items if not item.get_closest_marker("cuda")]

    def turn(item):
        place = next((n for n, name in enumerate(LONG) if item.nodeid.startswith(name)), len(LONG))
        is_slow = item.get_closest_marker("slow") is not None
        return not is_slow, place

    items.sort(key=turn)


def pytest_collection_finish():
    """Collections pass over what is there before the first test; where memory is short, a solve takes many."""
    gc.freeze()


def _gpu() -> bool:
    try:
        open_device("cuda")
    except DeviceError:
        return False
    return True


@pytest.fixture
def a_lock_of_our_own(tmp_path, monkeypatch):
    """What is measured in this process waits for no other measurement on the machine, and keeps none waiting."""
    monkeypatch.setattr(lock, "KERNEL_FILE", tmp_path / "none")
    monkeypatch.setattr(lock, "FILE", tmp_path / "measuring.lock")


@pytest.fixture
def machine_is_held(a_lock_of_our_own):
    """A function: whether somebody holds this lock now."""

    def held():
        with open(lock.FILE, "a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    return held


@pytest.fixture(scope="session")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """One full build of the small demo."""
    return made_once(tmp_path_factory, "built", lambda checkout: checkout.snakemake())


@pytest.fixture
def built(_built: Checkout, tmp_path) -> Checkout:
    """A checkout of one's own in which everything has just been built."""
    shutil.copytree(_built.root, tmp_path / "warpath")
    return Checkout(tmp_path / "warpath")


@pytest.fixture
def fresh(tmp_path) -> Checkout:
    """A checkout of one's own in which nothing has been built."""
    return Checkout.make(tmp_path / "warpath")


@pytest.fixture
def terminal(monkeypatch):
    """A function that makes standard error a terminal where progress shows at once, and returns what it shows."""

    def make() -> io.StringIO:
        stream = io.StringIO()
        monkeypatch.setattr(stream, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(progress, "DELAY_S", 0)
        return stream

    return make
