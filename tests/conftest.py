"""Fixtures that several test files share."""

import fcntl
import shutil
import signal

import pytest
from checkout import Checkout, made_once

from warpath_study.measure import lock

# What a shell runs in the background ignores Ctrl-C, and so do its children; but tests send it to theirs.
signal.signal(signal.SIGINT, signal.default_int_handler)


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
