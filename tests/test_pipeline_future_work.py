"""Tables with further columns: which runs they need, and which names are refused."""

import copy

import pytest
import yaml
from checkout import REPOSITORY

from warpath.errors import UsageError
from warpath.pipeline.future_work import NAME, FutureWork

CONFIG = yaml.safe_load((REPOSITORY / "config.yaml").read_text())


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(REPOSITORY)


def future(asked: dict) -> FutureWork:
    config = copy.deepcopy(CONFIG)
    config[NAME] = asked
    return FutureWork(config, "workflow/schemas/config.schema.yaml")


def test_further_variants_come_after_the_published_ones():
    made = future({"table3": ["staged"]})
    records = made.pipeline.records("table3")
    assert records[6] == "results/runs/gnutella04/floyd_warshall.staged.json"
    assert len(records) == 3 * 7 and len(made.pipeline.records("table1")) == 6 * 4
    assert "tiled_shared staged --rows" in made.pipeline.table_options("table3")
    assert made.drawn == {"figure6_log": "table3"}


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"table4": ["ell"]}, "future_work: unknown name 'table4'"),
        ({"table1": ["elll"]}, "tables.table1.variants: unknown name 'elll'; did you mean ell?"),
        ({"table1": []}, "future_work.table1: [] should be non-empty"),
    ],
)
def test_wrong_names_are_refused(asked, sentence):
    with pytest.raises(UsageError, match=r".") as refused:
        future(asked)
    assert sentence in str(refused.value)
