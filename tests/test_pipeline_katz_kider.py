"""Which runs Katz and Kider's rules need, and what their commands are asked."""

from types import SimpleNamespace

import pytest
import yaml
from checkout import REPOSITORY

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
    assert work.parameters_option(SimpleNamespace(settings=".devices=2")) == "--parameters devices=2"
    assert work.parameters_option(SimpleNamespace(settings="")) == ""


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
    ],
)
def test_what_there_is_not_is_named(changes, sentence):
    with pytest.raises(UsageError, match=sentence):
        katz(**changes)
