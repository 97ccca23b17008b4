"""The first line of what benchmarks print, and what it says of code that has changed since."""

from dataclasses import replace

import pytest

from warpath.solvers.choice.choose import entries_for
from warpath_study.measure import heading as module
from warpath_study.measure.heading import PARTS, heading, headings, identity_of

QUEUE, BORDERS = "near_far.queue", "partition.borders"


def test_a_text_is_divided_at_its_headings():
    first, second = heading("NVIDIA X, 80GB", code=[QUEUE, "copies"]), heading("Some CPU", "cpu", [])
    found = headings(f"before\n{first}\n1 ms\n2 ms\n{second}\n# no heading, 2026, commit\n")
    assert found == [replace(first, section="1 ms\n2 ms\n"), replace(second, section="# no heading, 2026, commit\n")]
    assert headings("NVIDIA X\n") == []


@pytest.mark.parametrize("device_kind", ["cuda", "cpu"])
def test_by_default_the_code_of_the_library_counts(device_kind):
    made = heading("X", device_kind)
    assert made.code.keys() == {"certificates"} | {entry.name for entry in entries_for(device_kind, True)}
    assert made.changed(device_kind) == []


def test_of_solvers_those_that_a_section_names_count():
    made = heading("X", code=["certificates", QUEUE, BORDERS])
    old = replace(made, code=dict.fromkeys(made.code, "00000000"))
    assert old.changed() == ["certificates", QUEUE, BORDERS]
    assert replace(old, section=f"1 ms by {BORDERS}, twice\n").changed() == ["certificates", BORDERS]
    assert replace(old, code={**made.code, QUEUE: "00000000"}, section=BORDERS).changed() == []


def test_what_no_longer_exists_has_changed():
    gone = replace(heading("X", code=[QUEUE]), code={"near_far.gone": "12345678"})
    assert gone.changed() == ["near_far.gone"]


@pytest.mark.parametrize("part", PARTS)
def test_an_edit_of_a_part_counts_and_a_comment_does_not(part, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "_LIBRARY", tmp_path)
    pattern = PARTS[part][-1].replace("**", "all").replace("*", "any")
    file = tmp_path / pattern
    file.parent.mkdir(parents=True)

    def identity(text: str) -> str:
        file.write_text(text)
        return identity_of.__wrapped__(part, "cuda")

    comment = "#" if file.suffix == ".py" else "//"
    assert identity("a = 1;\n") == identity(f"a = 1;  {comment} one\n") != identity("a = 2;\n")
