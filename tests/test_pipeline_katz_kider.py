"""Which runs Katz and Kider's rules need, and what their commands are asked."""

from types import SimpleNamespace

import pytest
import yaml
from checkout import REPOSITORY
from snakemake.utils import update_config

from warpath.errors import UsageError
from warpath.pipeline import Pipeline
from warpath.pipeline.katz_kider import KatzKider


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(REPOSITORY)


def katz(**changes):
    config = yaml.safe_load((REPOSITORY / "config.yaml").read_text())
    config["katz_kider"].update(changes)
    return KatzKider(Pipeline(config, "workflow/schemas/config.schema.yaml"))


def test_every_size_is_run_by_every_column():
    work = katz(rows={"64": "katz-64", "128": None}, devices=2)
    assert work.records("sizes") == [
        f"results/katz_kider/runs/katz-64/{name}.json"
        for name in (
            *(
                f"blocked_all_pairs.{variant}"
                for variant in ("standard", "blocked", "register_blocked", "cpu", "cpu_blocked", "cpu_tuned")
            ),
            "blocked_all_pairs.out_of_core.device_memory_limit_mib=512",
            "blocked_all_pairs.several_devices.devices=2",
            *(f"transitive_closure.{variant}" for variant in ("naive", "blocked", "bitset")),
        )
    ]
    assert "--rows 64=katz-64 --columns blocked_all_pairs.standard " in work.runs_options("sizes")


def test_columns_can_be_left_out():
    work = katz(devices=None, device_memory_limit_mib=None, caida=None)
    assert not any("several" in column or "out_of_core" in column for column in work.columns)
    assert work.records("caida") == []


def test_autonomous_systems_are_a_part_of_their_graph():
    records = katz().records("caida")
    assert records[0] == "results/katz_kider/runs/caida-part/blocked_all_pairs.standard.json"


def test_parameters_come_from_a_records_name():
    work = katz()
    assert work.pipeline.parameters_option(SimpleNamespace(settings=".devices=2")) == "--parameters devices=2"
    assert work.pipeline.parameters_option(SimpleNamespace(settings="")) == ""


@pytest.mark.parametrize(
    ("variant", "settings", "gpus"),
    [
        ("register_blocked", "", 1),
        ("cpu", "", 1),
        ("out_of_core", ".page_side=128", 1),
        ("several_devices", ".devices=1", 1),
        ("several_devices", ".page_side=128,devices=3", 3),
        ("several_devices", "", 1),
    ],
)
def test_a_run_asks_for_the_gpus_that_it_shares_the_matrix_among(variant, settings, gpus):
    run = SimpleNamespace(algorithm="blocked_all_pairs", variant=variant, settings=settings)
    assert katz().gpus(run) == gpus


def test_larger_graphs_are_run_by_what_is_asked_of_each():
    work = katz(
        larger={"katz-36682": ["register_blocked", "out_of_core.page_side=128"], "katz-64": None, "katz-128": ["cpu"]}
    )
    assert work.records("larger") == [
        "results/katz_kider/runs/katz-36682/blocked_all_pairs.register_blocked.json",
        "results/katz_kider/runs/katz-36682/blocked_all_pairs.out_of_core.page_side=128.json",
        "results/katz_kider/runs/katz-128/blocked_all_pairs.cpu.json",
    ]
    assert work.runs_options("larger") == (
        "--records results/katz_kider/runs"
        " --rows 36682=katz-36682"
        " --columns blocked_all_pairs.register_blocked blocked_all_pairs.out_of_core.page_side=128"
        " --rows 128=katz-128 --columns blocked_all_pairs.cpu"
    )


@pytest.mark.parametrize("none", [None, {}, {"katz-64": None}])
def test_larger_graphs_can_be_left_out(none):
    assert katz(larger=none).records("larger") == []


def test_every_suite_asks_for_larger_graphs_that_it_can_make():
    whole = {"katz-36682", "katz-65536"}
    for suite, expected in (("paper", whole), ("standin", whole), ("demo", {"katz-256", "katz-512"})):
        config = yaml.safe_load((REPOSITORY / "config.yaml").read_text())
        update_config(config, yaml.safe_load((REPOSITORY / f"workflow/suites/{suite}.yaml").read_text()))
        work = KatzKider(Pipeline(config, "workflow/schemas/config.schema.yaml"))
        assert set(work.larger) == expected
        assert all(work.pipeline.catalog[dataset].generated for dataset in work.larger)


def test_runs_of_several_parts_are_asked_for_at_once():
    options = katz(rows={"64": "katz-64"}, all_pairs=["blocked"], closure=["naive"]).runs_options("sizes", "caida")
    assert options == (
        "--records results/katz_kider/runs --rows 64=katz-64 --columns blocked_all_pairs.blocked"
        " blocked_all_pairs.out_of_core.device_memory_limit_mib=512 transitive_closure.naive"
        " --rows caida=caida-part --columns blocked_all_pairs.standard blocked_all_pairs.blocked"
        " blocked_all_pairs.register_blocked"
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"rows": {"65": "katz-64"}}, "katz_kider.rows: unknown name '65'"),
        ({"rows": {64: "katz-64"}}, "katz_kider.rows: the name 64 is a number to YAML; put it in quotes, '64'"),
        ({"rows": {None: "katz-64"}}, "katz_kider.rows: unknown name None; there are 64, "),
        ({"rows": {"64": "katz-65"}}, "katz_kider.rows.64: unknown name 'katz-65'"),
        ({"rows": {"64": None}}, "at least one row"),
        ({"caida": "nowhere"}, "katz_kider.caida: unknown name 'nowhere'"),
        ({"all_pairs": ["fast"]}, "config: katz_kider.all_pairs: .* no variant 'fast'"),
        ({"closure": ["fast"]}, "config: katz_kider.closure: .* no variant 'fast'"),
        ({"caida_variants": ["fast"]}, "config: katz_kider.caida_variants: .* no variant 'fast'"),
        ({"devices": 65}, "katz_kider.devices: devices of .* several_devices must be a whole number from 1 to 64"),
        (
            {"larger": {"katz-3668": ["blocked"]}},
            "katz_kider.larger: unknown name 'katz-3668'; did you mean katz-36682",
        ),
        ({"larger": {"katz-3668": None}}, "katz_kider.larger: unknown name 'katz-3668'"),
        ({"larger": {"katz-64": ["fast"]}}, "config: katz_kider.larger.katz-64: .* no variant 'fast'"),
        ({"larger": {"katz-64": ["blocked.k=1"]}}, "katz_kider.larger.katz-64: .* blocked has no parameter 'k'"),
        (
            {"larger": {"katz-64": ["several_devices.devices=65"]}},
            "katz_kider.larger.katz-64: devices of blocked_all_pairs several_devices must be a whole number",
        ),
        ({"larger": {"katz-64": ["out_of_core.page_side=1,page_side=2"]}}, "katz_kider.larger.katz-64: .*each once"),
        ({"larger": {"katz-64": ["out_of_core page_side"]}}, "katz_kider.larger.katz-64.0: 'out_of_core page_side'"),
        ({"larger": {"katz-64": []}}, "katz_kider.larger.katz-64: "),
    ],
)
def test_what_there_is_not_is_named(changes, sentence):
    with pytest.raises(UsageError, match=sentence) as refused:
        katz(**changes)
    assert "\n" not in str(refused.value)
