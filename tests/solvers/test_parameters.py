"""Parameters of variants: their text on the command line and in file names, and what is refused."""

import dataclasses

import pytest
from tiny_graphs import TINY

from warpath import sssp
from warpath.__main__ import main
from warpath.device import open_device
from warpath.errors import UsageError
from warpath.solvers import find
from warpath.solvers.variant import parse


@pytest.mark.parametrize(
    ("text", "values"), [("k=3", {"k": 3}), ("k=3,vertices_per_thread=2", {"k": 3, "vertices_per_thread": 2})]
)
def test_text_becomes_values(text, values):
    assert parse(text) == values


@pytest.mark.parametrize("text", ["", "k", "k=", "k=two", "k=2.5", "=3", "k=1,k=2", "k=1,", "2=3"])
def test_other_text_is_refused(text):
    with pytest.raises(UsageError, match="expected NAME=WHOLE_NUMBER"):
        parse(text)


@pytest.mark.parametrize(
    ("variant", "given", "sentence"),
    [
        ("locality", {"k": 0}, "k of label_correcting locality must be a whole number from 1 to 16, not 0"),
        ("locality", {"vertices_per_thread": 33}, "from 1 to 32, not 33"),
        ("locality", {"unread_launches": -1}, "unread_launches of label_correcting locality must be"),
        ("locality", {"steps": 2}, "has no parameter 'steps'; there are k, vertices_per_thread, unread_launches"),
        ("harish", {"k": 2}, "label_correcting harish has no parameter 'k'; it has none"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(variant, given, sentence):
    with pytest.raises(UsageError) as refused:
        find("label_correcting", variant).configured(given)
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


def test_what_is_not_given_has_its_default():
    locality = find("label_correcting", "locality")
    configured = locality.configured({"k": 2, "vertices_per_thread": 8})
    assert configured.variant is locality
    assert configured.given == {"k": 2, "vertices_per_thread": 8}
    assert configured.settings == {"k": 2, "vertices_per_thread": 8, "unread_launches": 32}
    assert locality.configured().settings == {"k": 4, "vertices_per_thread": 2, "unread_launches": 32}
    assert find("bellman_ford", "naive").configured().settings == {}


def test_the_values_that_were_asked_for_are_kept_as_they_were():
    given = {"k": 2}
    configured = find("label_correcting", "locality").configured(given)
    given["k"] = 3
    assert configured.given == {"k": 2} and configured.settings["k"] == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        configured.given = {}


def test_the_plan_is_made_with_them():
    locality = find("label_correcting", "locality").configured({"unread_launches": 5})
    plan = locality.plan(open_device("simulated"), TINY["path of 33"], 0)
    assert plan.unread_launches == 5


def test_the_library_takes_them():
    path = TINY["path of 33"]
    common = {"algorithm": "label_correcting", "variant": "locality", "device": "simulated"}
    assert sssp(path, 0, parameters={"k": 3}, **common).distances.tolist() == [2 * vertex for vertex in range(33)]
    with pytest.raises(UsageError, match="not 0"):
        sssp(path, 0, parameters={"k": 0}, **common)


def test_so_does_the_command_that_solves(tmp_path, capsys):
    TINY["path of 33"].save(tmp_path / "path.npz")
    arguments = ["solve", str(tmp_path / "path.npz"), "--algorithm", "label_correcting", "--device", "simulated"]
    assert main([*arguments, "--parameters", "k=2"]) == 0
    assert "label_correcting four_arcs" in capsys.readouterr().out
    assert main([*arguments, "--parameters", "k=0"]) == 2
    assert "not 0" in capsys.readouterr().err
