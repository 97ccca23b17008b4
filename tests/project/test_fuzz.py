"""A few seconds of ``make fuzz`` for each subject, with a seed that stays: hostile input finds nothing."""

import random

import pytest
from fuzz import SUBJECTS
from fuzz.campaign import CHECKED_HEAP, Campaign
from fuzz.mutations import damaged
from fuzz.plain_readers import READERS, NotAGraphError

_SEED = 1
# A first case also compiles what it calls, and other tests may have the cores: 4 s of work took more than 30.
_SECONDS_MAX = 150
_CASES = {
    "text": 150,
    "arrays": 150,
    "answers": 15,
    "commands": 20,
    "solvers": 30,
}


@pytest.mark.nightly
@pytest.mark.parametrize("subject", SUBJECTS)
def test_hostile_input_finds_nothing(subject, tmp_path):
    with Campaign(_SEED, tmp_path, workers=2, seconds_max=_SECONDS_MAX) as campaign:
        campaign.run(subject, range(_CASES[subject]))
        assert not campaign.findings, campaign.summary()
        assert campaign.cases[subject] == _CASES[subject]


def test_a_crash_a_hang_and_an_exception_are_findings(tmp_path):
    with Campaign(1, tmp_path, workers=2, seconds_max=3, mib_max=100) as campaign:
        campaign.run("broken_on_purpose", range(6))
    said = {finding.case: finding.said for finding in campaign.findings.values()}
    if CHECKED_HEAP:
        assert said.pop(5).startswith("Python ended with SIGABRT")
    assert sorted(said) == [1, 2, 3, 4]
    assert said[1].startswith("ValueError: on purpose")
    assert said[2].startswith("no end after 3 s")
    assert said[3].startswith("Python ended with SIGSEGV")
    assert "MiB of memory" in said[4]
    assert all((finding.folder / "finding.txt").is_file() for finding in campaign.findings.values())


def test_damage_and_plain_readers_are_the_same_for_a_seed():
    text = b"p sp 2 1\na 1 2 7\n"
    once, again = (damaged(text, random.Random(5)) for _ in range(2))
    assert once == again
    assert READERS["gr"](text, 1).arcs == {(1, 2, 7): 1}
    with pytest.raises(NotAGraphError):
        READERS["gr"](text + b"a 1 3 7\n", 1)
