"""``warpath claims``: the claims of the works, as the claims table of each work says them."""

import pytest
from report_samples import ROOT

from warpath.__main__ import main

H200 = ("--records", "results/reference/nvidia-h200/runs")


@pytest.fixture(autouse=True)
def in_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize(
    ("work", "where", "folder"),
    [
        ("katz_kider", H200, "nvidia-h200/katz_kider"),
        ("katz_kider", ("--suite", "reference"), "nvidia-h200/katz_kider"),
        ("bodra", ("--suite", "reference-h100"), "nvidia-h100"),
    ],
)
def test_the_claims_of_a_work_are_those_of_its_table(capsys, work, where, folder):
    assert main(["claims", work, *where]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split("  ")[0] == "Claim" and heading.endswith("  Verdict")
    table = (ROOT / f"results/reference/{folder}/claims.md").read_text(encoding="utf-8").splitlines()
    printed = [[cell.strip() for cell in row.split("|")] for row in table if row.startswith("|")]
    at = {name: place for place, name in enumerate(printed[0])}
    assert len(lines) == len(printed) - 2
    for line, row in zip(lines, printed[2:], strict=True):
        assert line.startswith(row[at["Claim"]])
        assert line.endswith(f"  {row[at['Measured']]}  {row[at['Verdict']]}")


def test_all_works_are_shown_with_their_names(capsys):
    assert main(["claims", *H200]) == 0
    heading, *lines = capsys.readouterr().out.splitlines()
    assert heading.split()[:2] == ["Work", "Claim"]
    works = list(dict.fromkeys(line.split()[0] for line in lines))
    assert {"bodra", "katz_kider", "telang_grid"} <= set(works)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["bodar"], "work: unknown name 'bodar'; did you mean bodra?"),
        (["--suite", "dmeo"], "--suite: unknown name 'dmeo'; did you mean demo?"),
        (
            ["bodra", "--records", "nowhere"],
            "nowhere: no record for a claim of bodra in the suite paper; measure first",
        ),
        (["peers", "--suite", "reference"], "results/reference/nvidia-h200/runs: no record for a claim of peers"),
    ],
)
def test_a_fault_is_one_sentence(capsys, arguments, says):
    assert main(["claims", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == "" and said.err.startswith(f"warpath: error: {says}") and said.err.count("\n") == 1
