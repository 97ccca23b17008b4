"""Texts from records and works show as they are, in Markdown, in pages and in figures; a full disk is one sentence."""

import re
import xml.etree.ElementTree

import pytest
from report_samples import H200, data, keep, written_work

from warpath_study.report.table import Table, escaped, escaped_note, markdown
from warpath_study.report.views import write_target

WORK = """
title: A work
citation: Somebody
runs: {sizes: {columns: [floyd_warshall.naive, floyd_warshall.tiled], rows: {a: a, b: b}}}
targets:
  times: {kind: table, runs: [sizes], title: Times}
  powers: {kind: figure, view: bars, runs: [sizes], title: Powers, options: {log: true}}
"""
DEVICE = "GPU $a^$ \\frac$ **bold** `code` [a](b) <img src=x> a|b"


@pytest.fixture
def work(tmp_path):
    return written_work(tmp_path / "some_work", WORK)


def test_markdown_shows_a_text_as_it_is():
    plain = "stride_flag, k = 4 [1, 100] ~2.00 h >3600 & more"
    for text, shown in (
        (plain, plain),
        ("a*b*", r"a\*b\*"),
        ("_a_ b", r"\_a\_ b"),
        ("[a](b)", r"[a\](b)"),
        ("a|b", r"a\|b"),
        ("`a` $b$ <img> &amp; ~~c~~", r"\`a\` \$b\$ \<img> \&amp; \~\~c\~\~"),
        ("a\n  # b", "a # b"),
    ):
        assert escaped(text) == shown
    assert escaped_note("**Warning**: of **it**.") == r"**Warning**: of \*\*it\*\*."
    assert escaped_note("**a* b**") == r"\*\*a\* b\*\*"


def test_a_cell_or_a_heading_adds_no_cell_and_no_line():
    shown = [{"a|b": "c|d"}, {"a|b": "e\nf"}]
    lines = markdown(Table("x\ny", shown, [], shown, ["g\nh"])).splitlines()
    assert lines[0] == "# x y" and lines[-1] == "- g h"
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in lines[2:6]] == [2] * 4


@pytest.mark.parametrize("target", ["times", "powers"])
def test_the_name_of_a_device_may_have_any_letters(work, tmp_path, target):
    for dataset in "ab":
        for variant, seconds in (("naive", 2e-6), ("tiled", 3e4)):
            device = {**H200, "name": DEVICE}
            keep(tmp_path / "runs", dataset, f"floyd_warshall.{variant}", seconds, device=device)
    files = write_target(data(work, target, tmp_path / "runs"), tmp_path, tmp_path)
    text = {file.suffix: file.read_bytes().decode(errors="replace") for file in files}
    if target != "times":
        xml.etree.ElementTree.fromstring(text[".svg"])
        assert "10⁻" in text[".svg"]
    else:
        assert r"\*\*bold\*\* \`code\` [a\](b) \<img src=x> a\|b" in text[".md"]
    assert "<img" not in text[".html"]
