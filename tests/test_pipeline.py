"""The pipeline's answers without Snakemake: what a config means, which ones are refused, and how."""

import copy
from types import SimpleNamespace

import pytest
import yaml
from checkout import REPOSITORY
from snakemake.utils import update_config

from warpath.errors import UsageError
from warpath.pipeline import Pipeline

SCHEMA = "workflow/schemas/config.schema.yaml"
STRICT = "set -euo pipefail; "
CONFIG = yaml.safe_load((REPOSITORY / "config.yaml").read_text())


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(REPOSITORY)


def pipeline(**changes) -> Pipeline:
    return Pipeline({**copy.deepcopy(CONFIG), **changes}, SCHEMA)


def table1(**changes) -> dict:
    tables = copy.deepcopy(CONFIG["tables"])
    tables["table1"].update(changes)
    return tables


def cell(algorithm: str, variant: str, dataset: str = "nyc") -> SimpleNamespace:
    return SimpleNamespace(algorithm=algorithm, variant=variant, dataset=dataset)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"budget": 3}, "'budget' was unexpected"),
        ({"budget_s": "soon"}, "budget_s: 'soon' is not of type 'number'"),
        ({"budget_s": 0}, "budget_s: 0 is less than or equal to the minimum of 0"),
        ({"device": "gpu"}, "device: 'gpu' does not match"),
        ({"suite": "reference"}, "suite: "),
        (
            {"tables": table1(algorithm="astar")},
            "tables.table1.algorithm: unknown name 'astar'; there are bellman_ford",
        ),
        ({"tables": table1(variants=["warp"])}, "tables.table1.variants: unknown name 'warp'; there are cpu, "),
        ({"tables": table1(rows={"nyc": "nycc"})}, "tables.table1.rows.nyc: unknown name 'nycc'; did you mean nyc?"),
        ({"tables": table1(paper="nobody")}, "tables.table1: there is no published table data/published/nobody"),
        ({"figures": {"figure5": "table9"}}, "figures.figure5: unknown name 'table9'; did you mean table3?"),
        ({"tables": table1(rows={2: 3})}, "tables.table1.rows.2: 3 is not of type"),
        ({"weight_min": 9, "weight_max": 3}, "config: weight_min, weight_max: weights cannot be drawn from 9..3"),
        ({"figures": {"figure99": "table1"}}, "there is no figure 'figure99'"),
    ],
)
def test_a_wrong_config_is_refused_in_a_sentence_that_names_the_key(changes, sentence):
    with pytest.raises(UsageError) as refused:
        pipeline(**changes)
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


def test_every_key_is_described():
    def described(schema: dict) -> None:
        for name, entry in schema.get("properties", {}).items():
            assert entry.get("description"), name
            described(entry)
            if isinstance(entry.get("additionalProperties"), dict):
                described(entry["additionalProperties"])

    schema = yaml.safe_load((REPOSITORY / SCHEMA).read_text())
    assert set(schema["required"]) == set(schema["properties"]) == set(CONFIG)
    described(schema)


@pytest.mark.parametrize("suite", ["paper", "standin", "demo"])
def test_every_suite_fills_the_published_rows(suite):
    config = copy.deepcopy(CONFIG)
    update_config(config, yaml.safe_load((REPOSITORY / f"workflow/suites/{suite}.yaml").read_text()))
    made = Pipeline(config, SCHEMA)
    for table, wanted in made.tables.items():
        header, *rows = (REPOSITORY / made.published_table(table)).read_text().splitlines()
        assert header.split(",")[3:] == wanted["variants"]
        assert [row.split(",")[0] for row in rows] == list(wanted["rows"])
        prefix = "" if suite == "paper" else f"{suite}-"
        assert wanted["rows"] == {row: f"{prefix}{row}" for row in wanted["rows"]}


def test_where_suites_write():
    assert (pipeline().results, pipeline().figures) == ("results", "figures")
    assert (pipeline(suite="mine").results, pipeline(suite="mine").figures) == ("results/mine", "figures/mine")


def test_a_row_that_is_left_out_needs_no_run():
    made = pipeline(tables=table1(rows={"nyc": "nyc", "bay": None}, variants=["naive"]))
    assert made.records("table1") == ["results/runs/nyc/bellman_ford.naive.json"]
    assert "--rows nyc=nyc" in made.table_options("table1") and "bay" not in made.table_options("table1")


def test_the_seed_reaches_graphs_without_weights_alone():
    made = pipeline(weight_seed=7)
    assert made.weight_options(SimpleNamespace(dataset="nyc")) == ""
    assert made.weight_options(SimpleNamespace(dataset="standin-nyc")) == ""
    assert "--seed 7 " in made.weight_options(SimpleNamespace(dataset="gnutella04"))
    assert "--weights-seed 7 " in made.weight_options(SimpleNamespace(dataset="standin-gnutella04"))


def test_options_of_a_run():
    made = pipeline(source=5, budget_s=7, cpu_budget_s=3)
    assert made.source_option(cell("bellman_ford", "naive")) == "--source 5"
    assert made.source_option(cell("floyd_warshall", "naive")) == ""
    assert made.budget_s(cell("bellman_ford", "naive")) == 7
    assert made.budget_s(cell("bellman_ford", "cpu")) == 3


def test_sources_of_a_run_are_its_own():
    files = pipeline().run_sources(cell("bellman_ford", "stride_flag"))
    names = {file.removeprefix("src/warpath/") for file in files}
    assert {"algorithms/bellman_ford/stride_flag.cu", "algorithms/bellman_ford/settle.cu"} <= names
    assert {"measure/run.py", "measure/record.schema.json", "device/cuda.py", "device/simt/fiber.h"} <= names
    assert not {name for name in names if name.startswith(("report/", "graphs/download", "pipeline"))}
    assert "algorithms/bellman_ford/naive.cu" not in names


def test_sources_of_a_figure_are_its_own():
    names = {file.removeprefix("src/warpath/report/") for file in pipeline().figure_sources("figure5")}
    assert {"figure5.py", "style.py"} <= names
    assert not {"figure6.py", "tables.py", "markdown.py"} & names


def test_the_shell_s_warpath_is_this_python_s_and_knows_the_mirror():
    prefix = pipeline(mirror="/a folder/{x}").shell_prefix("/a python/python3").format().removeprefix(STRICT)
    assert prefix == """export WARPATH_MIRROR='/a folder/{x}'; warpath() { '/a python/python3' -m warpath "$@"; }; """
    assert "WARPATH_MIRROR" not in pipeline(mirror=None).shell_prefix("python3")


def test_the_shell_is_as_strict_as_snakemake_s_own():
    assert pipeline().shell_prefix("python3").startswith(STRICT)
