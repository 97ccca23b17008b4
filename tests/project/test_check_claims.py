"""`make check-claims`: what it says of made-up claims; and each number with a unit on its pages has a claim."""

import re
import sys
from itertools import count, pairwise
from time import perf_counter

import check_claims
import pytest
from markdown_page import ROOT, tables
from quoted_benchmarks import CLAIMS, NUMBER
from tiny_graphs import named

PRINTED = "nvidia-h200/library_calls.txt"
PATTERN = r"(?m)^default, arrays of the host, certified: ([\d.]+) ms"
MEASURED = f"""
- claim: calls
  where: README.md
  command: "sed 's/certified: [0-9.]* ms/certified{{}}/' results/reference/{PRINTED}"
  reference: {PRINTED}
  unit: ms
  tolerance: [0.8, 1.2]
  numbers: {{{{one call: '{PATTERN}'}}}}
"""


EXPECTED_MS = float(re.search(PATTERN, (ROOT / "results/reference" / PRINTED).read_text(encoding="utf-8"))[1])


def times_as_long(ratio: float) -> str:
    return f": {ratio * EXPECTED_MS:.6f} ms"


@pytest.fixture
def run(monkeypatch, capsys):
    """Check claims by the program's options; ``busy_s`` are the seconds for which other processes keep cores busy."""

    def run(*options, busy_s=0.0) -> tuple[int, list[list[str]]]:
        """The exit status, and the lines in columns."""
        loads = ({"busy_s": number * busy_s, "own_s": 0.0, "at_s": perf_counter()} for number in count())
        monkeypatch.setattr(check_claims, "host_load", lambda: next(loads))
        monkeypatch.setattr(sys, "argv", ["check_claims.py", *map(str, options)])
        status = check_claims.main()
        heading, *lines = capsys.readouterr().out.splitlines()
        starts = [heading.index(name) for name in ("claim", "expected", "measured", "verdict")]
        columns = [slice(*ends) for ends in pairwise([*starts, None])]
        return status, [[line[column].strip() for column in columns] for line in lines]

    return run


@pytest.fixture
def checked(run, tmp_path):
    def checked(text: str, **load: float) -> tuple[int, list[str]]:
        """The exit status, and the verdict of each line."""
        (tmp_path / "claims.yaml").write_text(text)
        status, lines = run("--claims", tmp_path / "claims.yaml", **load)
        return status, [verdict for *_, verdict in lines]

    return checked


def test_a_number_holds_within_its_tolerance(checked):
    verdicts = {
        times_as_long(1): "holds",
        times_as_long(0.801): "holds",
        times_as_long(1.199): "holds",
        times_as_long(0.799): "does not hold",
        times_as_long(1.201): "does not hold",
        ": no time": "does not hold",
    }
    of_commands_too = [verdict for each in verdicts.values() for verdict in ("holds", each)]
    assert checked("".join(map(MEASURED.format, verdicts))) == (1, of_commands_too)
    assert checked(MEASURED.format(times_as_long(1.01))) == (0, ["holds", "holds"])


def test_a_command_that_fails_or_takes_too_long_does_not_hold(checked):
    of_commands = """
- {claim: quick, where: README.md, command: sleep 0.1, takes: 1 min}
- {claim: slow, where: README.md, command: sleep 0.1, takes: 0.01 s}
- {claim: fails, where: README.md, command: 'false && true', takes: 1 min}
- {claim: last, where: README.md, command: 'true'}
"""
    assert checked(of_commands) == (1, ["holds", "does not hold", "does not hold", "holds"])


def test_a_busy_host_refutes_no_time_but_a_missing_number(checked):
    status, verdicts = checked(MEASURED.format(times_as_long(1.201)) + MEASURED.format(times_as_long(1)), busy_s=1e6)
    assert status == 0 and verdicts[1].startswith("not tried: other processes")
    assert verdicts[::2] == ["holds", "holds"] and verdicts[3] == "holds"
    assert checked(MEASURED.format(": no time"), busy_s=1e6) == (1, ["holds", "does not hold"])
    assert checked("[{claim: fails, where: README.md, command: 'false'}]", busy_s=1e6) == (1, ["does not hold"])


def test_what_cannot_run_is_not_tried_and_does_no_harm(checked):
    cannot = """
- {claim: a GPU, where: README.md, command: 'false', gpu: Abacus 9}
- {claim: memory, where: README.md, command: 'false', host_gb: 1.0e+9}
- {claim: time, where: README.md, command: 'false', minutes: 11}
- {claim: a program, where: README.md, command: no-such-program}
- {claim: nobody, where: README.md, why_not: it was long ago}
"""
    status, verdicts = checked(cannot)
    assert status == 0 and all(verdict.startswith("not tried: ") for verdict in verdicts)
    for verdict, reason in zip(verdicts, ("Abacus 9", "memory", "11 minutes", "no-such-program", "long"), strict=True):
        assert reason in verdict


def test_commands_run_one_after_the_other_in_a_clone(checked):
    commands = """
- {claim: writes, where: README.md, command: echo changed > README.md}
- {claim: reads, where: README.md, command: grep -x changed README.md}
"""
    before = (ROOT / "README.md").read_bytes()
    assert checked(commands) == (0, ["holds", "holds"])
    assert (ROOT / "README.md").read_bytes() == before


def test_the_claims_of_the_pages_can_be_checked(run):
    status, lines = run("--minutes", "0")
    assert status == 0
    assert [line[0] for line in lines] == [claim["claim"] for claim in CLAIMS]


def test_each_number_with_a_unit_has_a_claim():
    unit = re.compile(rf"({NUMBER}) ?(ms|s|min|minutes|h|hours|x|times)(?!\w)")
    for page in ("README.md", "docs/artifact.md"):
        text = (ROOT / page).read_text(encoding="utf-8")
        own = [claim for claim in CLAIMS if claim["where"] == page]
        with named(page):
            comments = {claim["table"] for claim in own if "table" in claim}
            assert comments <= {table.comment for table in tables(text)}
            made = comments | {table.comment for table in tables(text) if table.comment.startswith("checks: ")}
            for comment in made:
                text = re.sub(rf"<!-- {re.escape(comment)} -->\n\n(\|.*\n)+", "", text)
            found = {" ".join(parts) for parts in unit.findall(text)}
            takes = {claim["takes"] for claim in own if "takes" in claim}
            assert found == (takes if page == "README.md" else set())


def test_expected_numbers_are_of_the_gpu_that_a_claim_needs():
    for claim in CLAIMS:
        with named(claim["claim"]):
            assert ("command" in claim) != ("why_not" in claim)
            assert not {"takes", "minutes"} <= claim.keys()
            if "numbers" in claim:
                text = (ROOT / "results/reference" / claim["reference"]).read_text(encoding="utf-8")
                assert all(re.search(pattern, text) for pattern in claim["numbers"].values())
                assert claim["reference"].startswith(claim["gpu"].lower().replace(" ", "-"))


def test_tolerances_allow_what_two_machines_showed():
    compared = (ROOT / "results/reference/nvidia-h200/two_machines.txt").read_text(encoding="utf-8")
    for table, runs in (
        ("benchmark: New York", r"peer_sssp\.(?:warpath|warpath_unprepared|scipy)\.\S+"),
        ("measured: nvidia-h200 bodra table1", r"bellman_ford\.(?:naive|stride|stride_flag)"),
    ):
        low, high = next(claim["tolerance"] for claim in CLAIMS if claim.get("table") == table)
        ratios = [float(ratio) for ratio in re.findall(rf"(?m)^nyc +{runs} +\S+ s +\S+ s +([\d.]+) ", compared)]
        with named(table):
            assert len(ratios) > 2 and all(low < 1 / ratio < high and low < ratio < high for ratio in ratios)
