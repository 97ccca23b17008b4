"""Fixtures that several test files share."""

import shutil

import pytest
from checkout import Checkout


@pytest.fixture(scope="session")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """One full build of the small demo; nobody changes it."""
    checkout = Checkout.make(tmp_path_factory.mktemp("built") / "warpath")
    checkout.snakemake()
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
