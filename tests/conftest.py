"""Fixtures that several test files share."""

import fcntl
import os
import shutil
import signal

import pytest
from checkout import Checkout

# What a shell runs in the background ignores Ctrl-C, and so do its children; but tests send it to theirs.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """One full build of the small demo; nobody changes it. Processes that test in parallel share it."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    checkout = Checkout(folder / "built")
    with open(folder / "built.lock", "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not checkout.root.exists():
            in_work = Checkout.make(folder / "in-work")
            in_work.snakemake()
            in_work.root.rename(checkout.root)
    return checkout


@pytest.fixture
def built(_built: Checkout, tmp_path) -> Checkout:
    """A checkout of one's own in which everything has just been built."""
    shutil.copytree(_built.root, tmp_path / "warpath")
    return Checkout(tmp_path / "warpath")


@pytest.fixture
def fresh(tmp_path) -> Checkout:
    """A checkout of one's own in which nothing has been built."""
    return Checkout.make(tmp_path / "warpath")
