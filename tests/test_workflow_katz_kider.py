"""The rules of Katz and Kider's work for larger graphs: on small ones, and what an edit re-runs."""

import pytest

pytestmark = [pytest.mark.workflow, pytest.mark.xdist_group("workflow")]

TARGET = "katz_kider_larger"
OVERLAY = """\
suite: demo
device: host
budget_s: 0.2
repeats_max: 3
katz_kider:
  larger:
    katz-36682: null
    katz-65536: null
    katz-64: [register_blocked]
    katz-256: [register_blocked, out_of_core.page_side=128, several_devices.devices=2]
"""
WRITTEN = {"write larger graphs of Katz and Kider"}


def test_larger_graphs_and_what_an_edit_runs_again(fresh):
    (fresh.root / "larger.yaml").write_text(OVERLAY)
    fresh.snakemake(TARGET, overlay="larger.yaml")
    results = fresh.root / "results/demo/katz_kider"
    lines = [line.split(",")[:4] for line in (results / "larger.csv").read_text().splitlines()[1:]]
    assert [(row, dataset, variant) for row, dataset, _, variant in lines] == [
        ("64", "katz-64", "register_blocked"),
        ("256", "katz-256", "register_blocked"),
        ("256", "katz-256", "out_of_core"),
        ("256", "katz-256", "several_devices"),
    ]
    table = (results / "larger.md").read_text()
    assert "| 256 | 524 kB | Several Devices | devices=2 | " in table and table.count("× |") == 2
    assert fresh.planned(TARGET, overlay="larger.yaml") == set()

    fresh.snakemake(TARGET, "--report", "report.html", overlay="larger.yaml")
    report = (fresh.root / "report.html").read_text()
    for words in ("larger.csv", "larger.md", '"Katz and Kider"', "Graphs larger than the paper"):
        assert words in report

    fresh.edit("src/warpath/algorithms/blocked_all_pairs/out_of_core.py", "# another thought\n")
    runs = {"run blocked_all_pairs out_of_core.page_side=128 on katz-256"}
    assert fresh.planned(TARGET, overlay="larger.yaml") == runs | WRITTEN


def test_the_suites_know_all_steps(fresh):
    whole = {
        "generate katz-36682",
        "generate katz-65536",
        "run blocked_all_pairs register_blocked on katz-36682",
        "run blocked_all_pairs out_of_core.device_memory_limit_mib=4096 on katz-36682",
        "run blocked_all_pairs several_devices.devices=1 on katz-65536",
    }
    small = {
        "generate katz-256",
        "generate katz-512",
        "run blocked_all_pairs register_blocked on katz-256",
        "run blocked_all_pairs out_of_core.page_side=128 on katz-256",
        "run blocked_all_pairs several_devices.devices=1 on katz-512",
        "run blocked_all_pairs several_devices.devices=1,page_side=128 on katz-512",
    }
    for suite, steps in (("paper", whole), ("standin", whole), ("demo", small)):
        assert fresh.planned(TARGET, overlay=f"workflow/suites/{suite}.yaml") == steps | WRITTEN


def test_they_are_a_target_of_their_own_and_may_be_none(fresh):
    assert not WRITTEN & fresh.planned("katz_kider", overlay="workflow/suites/demo.yaml")
    (fresh.root / "none.yaml").write_text("katz_kider: {larger: null}\n")
    assert fresh.planned(TARGET, overlay="none.yaml") == set()
