"""Fixtures that several test files share."""

import shutil
import signal

import pytest
from checkout import Checkout, made_once

# What a shell runs in the background ignores Ctrl-C, and so do its children; but tests send it to theirs.
signal.signal(signal.SIGINT, signal.default_int_handler)


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
