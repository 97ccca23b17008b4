"""The config: every key of it, what is filled in, and one sentence for each fault."""

import msgspec
import pytest
from report_samples import ROOT

from warpath.errors import UsageError
from warpath_study.data_files import load_yaml
from warpath_study.datasets.catalog import load_catalog
from warpath_study.works.settings import Settings
from warpath_study.works.works import Choice, load, load_all

WORKS = load_all(ROOT / "workflow" / "works")
CATALOG = load_catalog(ROOT / "data" / "catalog.yaml")
CONFIG = load_yaml(ROOT / "config.yaml")


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


def settings(**changes) -> Settings:
    return Settings.of({**CONFIG, **changes}, WORKS, CATALOG)


def test_every_key_of_the_config_arrives():
    found = msgspec.structs.asdict(settings())
    assert found == {**CONFIG, "graphs": "paper", "datasets": {}, "groups": {}}


def test_graphs_of_no_suite_are_refused():
    demo = load_yaml(ROOT / "workflow/suites/demo.yaml")
    assert settings(**demo).choice.suite == "demo"
    with pytest.raises(UsageError, match="config: datasets, groups"):
        settings(**{**demo, "suite": "mine"})
    assert settings(**{**demo, "suite": "mine", "graphs": "demo"}).results == "results/mine"


@pytest.mark.parametrize("file", sorted((ROOT / "workflow" / "suites").glob("*.yaml")), ids=lambda file: file.stem)
def test_every_suite_of_ours_can_be_measured_or_drawn(file):
    found = settings(**load_yaml(file))
    assert found.suite == file.stem or found.reference
    assert any(work.targets(found.choice) for work in WORKS.values())


@pytest.mark.parametrize(
    ("changes", "results", "figures", "records", "graphs"),
    [
        ({}, "results", "figures", "results/runs", "paper"),
        ({"suite": "demo"}, "results/demo", "figures/demo", "results/demo/runs", "demo"),
        ({"suite": "mine"}, "results/mine", "figures/mine", "results/mine/runs", "paper"),
        ({"suite": "mine", "graphs": "demo"}, "results/mine", "figures/mine", "results/mine/runs", "demo"),
        (
            {"reference": "nvidia-h200"},
            "results/reference/nvidia-h200",
            "figures/reference/nvidia-h200",
            "results/reference/nvidia-h200/runs",
            "paper",
        ),
        (
            {"reference": "nvidia-h200", "suite": "standin"},
            "results/reference/nvidia-h200/standin",
            "figures/reference/nvidia-h200/standin",
            "results/reference/nvidia-h200/runs",
            "standin",
        ),
    ],
)
def test_where_results_lie_and_whose_graphs_they_are_of(changes, results, figures, records, graphs):
    found = settings(**changes)
    assert (found.results, found.figures, found.records) == (results, figures, records)
    assert found.choice == Choice(graphs)


@pytest.mark.parametrize("rows", ["64,nyc", "64, nyc", ["64", "nyc"], [64, "nyc"]])
def test_rows_and_columns_are_named_with_commas_or_in_a_list(rows):
    assert settings(rows=rows).choice.rows == ("64", "nyc")


def test_a_comma_may_belong_to_parameters():
    columns = ("locality.k=4+vertices_per_thread=2", "harish")
    named = [f"label_correcting.{columns[0]}", columns[1]]
    assert settings(columns=",".join(named)).choice.columns == tuple(named)


def test_one_row_may_be_a_number():
    assert settings(rows=64, columns="naive").choice == Choice("paper", ("64",), ("naive",))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"budgets": 3}, "unknown name 'budgets'; did you mean budget_s?"),
        ({"budget_s": "long"}, "Expected `float`, got `str` - at `budget_s`"),
        ({"budget_s": float("inf")}, "budget_s"),
        ({"source_index": 10**9}, "source_index: "),
        ({"budget_s": 0}, "Expected `float` > 0.0 - at `budget_s`"),
        ({"cpu_budget_s": -1}, "Expected `float` > 0.0 - at `cpu_budget_s`"),
        ({"suite": "My suite"}, "Expected `str` matching regex"),
        ({"suite": "demo\n"}, "Expected `str` matching regex"),
        ({"suite": None}, "Expected `str`, got `null` - at `suite`"),
        ({"suite": "katz_kider"}, "suite: the name katz_kider is taken by other results"),
        ({"suite": "future_work"}, "suite: the name future_work is taken by other results"),
        ({"suite": "runs"}, "suite: the name runs is taken by other results"),
        ({"suite": "parts"}, "suite: the name parts is taken by other results"),
        ({"suite": "reference"}, "suite: the name reference is taken by other results"),
        ({"graphs": "dmeo"}, "graphs: unknown name 'dmeo'; did you mean demo?"),
        ({"reference": "nvidia-h2000"}, "reference: there is no folder results/reference/nvidia-h2000/runs"),
        ({"rows": "nyc,bey"}, "rows: unknown name 'bey'; did you mean bay?"),
        ({"rows": {"nyc": "nyc"}}, "Expected `str | null`, got `object` - at `rows`"),
        ({"columns": "naif"}, "columns: unknown name 'naif'; did you mean naive?"),
        ({"rows": "nyc", "columns": "branchless,tiled"}, "rows, columns: no run is in both"),
        ({"device": "gpu"}, "matching regex"),
        ({"device": "cuda:x"}, "matching regex"),
        ({"mirror": 3}, "Expected `str | null`, got `int` - at `mirror`"),
        ({"source_index": -1}, "Expected `int` >= 0 - at `source_index`"),
        ({"sources_seed": 1.5}, "Expected `int`, got `float` - at `sources_seed`"),
        ({"repeats_min": 0}, "Expected `int` >= 1 - at `repeats_min`"),
        ({"repeats_max": 0}, "Expected `int` >= 1 - at `repeats_max`"),
        ({"repeats_min": 11}, "repeats_min (11) is above repeats_max (10)"),
        ({"spread": -0.1}, "Expected `float` >= 0.0 - at `spread`"),
        ({"weight_seed": -1}, "Expected `int` >= 0 - at `weight_seed`"),
        ({"weight_min": 9, "weight_max": 3}, "weight_min, weight_max: weights cannot be drawn from 9..3"),
        ({"weight_max": 2**40}, "weight_min, weight_max: weights cannot be drawn from"),
    ],
)
def test_a_fault_is_one_sentence_with_its_key(changes, says):
    with pytest.raises(UsageError) as refused:
        settings(**changes)
    message = str(refused.value)
    assert message.startswith("config: ") and says in message.replace("config: ", "", 1)
    assert "\n" not in message


@pytest.mark.parametrize("key", sorted(set(CONFIG) - {"rows", "columns"}))
def test_a_key_that_is_missing_is_named(key):
    config = {name: value for name, value in CONFIG.items() if name != key}
    with pytest.raises(UsageError, match=f"config: Object missing required field `{key}`; .*config.schema.json"):
        Settings.of(config, WORKS, CATALOG)


def test_a_work_that_asks_for_no_dataset_is_refused_with_its_place():
    catalog = {name: dataset for name, dataset in CATALOG.items() if name != "katz-64"}
    with pytest.raises(UsageError, match=r"katz_kider/work\.yaml: runs\.sizes: unknown name 'katz-64'"):
        Settings.of(CONFIG, WORKS, catalog)


def test_a_target_called_as_a_rule_is_refused_where_it_is_made_by_its_name(tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    text = (ROOT / "workflow/works/telang_grid/work.yaml").read_text()
    target = 'folder: ""\ntargets:\n  run: {kind: runs, runs: [sizes]}\n'
    (folder / "work.yaml").write_text(text.replace("targets:\n", target))
    with pytest.raises(UsageError, match="the name run is that of a rule of the pipeline"):
        Settings.of(CONFIG, {**WORKS, "mine": load(folder)}, CATALOG)


@pytest.mark.parametrize("name", ["run", "all", "figure"])
def test_a_work_called_as_a_rule_is_refused(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "work.yaml").write_text((ROOT / "workflow/works/telang_grid/work.yaml").read_text())
    with pytest.raises(UsageError, match=f"the name {name} is that of a rule of the pipeline"):
        Settings.of(CONFIG, {**WORKS, name: load(folder)}, CATALOG)


@pytest.mark.parametrize("config", [None, 1.5, "x", [1]])
def test_a_config_that_is_no_mapping(config):
    with pytest.raises(UsageError, match="config: must map keys to values"):
        Settings.of(config, {}, {})
