"""What the Floyd-Warshall tutorial's part of a config means, and which ones are refused."""

import copy

import pytest
import yaml
from checkout import REPOSITORY

from warpath.errors import UsageError
from warpath.pipeline import Pipeline
from warpath.pipeline.floyd_warshall_tutorial import NAME, FloydWarshallTutorial
from warpath.report.published import read_published

CONFIG = yaml.safe_load((REPOSITORY / "config.yaml").read_text())


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(REPOSITORY)


def tutorial(**changes) -> FloydWarshallTutorial:
    config = copy.deepcopy(CONFIG)
    config[NAME].update(changes)
    return FloydWarshallTutorial(Pipeline(config, "workflow/schemas/config.schema.yaml"))


def test_a_record_for_each_size_and_variant():
    asked = tutorial(rows={"v1000": "tutorial-1000", "v2000": None, "v32000": "tutorial-32000"})
    assert asked.records() == [
        f"results/runs/tutorial-{size}/floyd_warshall.{variant}.json"
        for size in (1000, 32000)
        for variant in ("cpu", "branchless")
    ]
    assert asked.table_options().endswith("--variants cpu branchless --rows v1000=tutorial-1000 v32000=tutorial-32000")


def test_rows_are_named_after_their_datasets_sizes():
    asked = tutorial()
    published = read_published(asked.published).rows
    sizes = {
        row: Pipeline(CONFIG, "workflow/schemas/config.schema.yaml").catalog[name] for row, name in asked.rows.items()
    }
    assert {row: dataset.vertices for row, dataset in sizes.items()} == {
        row: published[row].nodes for row in asked.rows
    }


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"variants": ["branchles"]}, f"{NAME}.variants: unknown name 'branchles'; did you mean branchless?"),
        (
            {"rows": {"v1000": "tutorial-100"}},
            f"{NAME}.rows.v1000: unknown name 'tutorial-100'; did you mean tutorial-1000",
        ),
        ({"rows": {}}, f"{NAME}.rows: {{}} should be non-empty"),
    ],
)
def test_wrong_names_are_refused_in_a_sentence(changes, sentence):
    with pytest.raises(UsageError) as refused:
        tutorial(**changes)
    assert sentence in str(refused.value) and "\n" not in str(refused.value)
