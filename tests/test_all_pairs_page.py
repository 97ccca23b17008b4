"""The page of all pairs does what it says, on a small graph in New York's place."""

import re
import shlex

import numpy as np
import pytest
import zarr
from markdown_page import ROOT, commands, tables

import warpath
from warpath.__main__ import main
from warpath_study.datasets.generate import generate

PAGE = (ROOT / "docs/all_pairs.md").read_text(encoding="utf-8")
NEW_YORK = "USA-road-d.NY.gr.gz"
VERTICES = 200
FIRST = "50"  # in place of 10000


@pytest.fixture
def graph(tmp_path, monkeypatch):
    """The graph, whose file is in the working directory; there is no GPU."""
    roads = generate("road", vertices=VERTICES, arcs=560, seed=1)
    warpath.write(roads, tmp_path / NEW_YORK)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    return warpath.read(NEW_YORK)


@pytest.mark.slow
def test_commands_and_code(graph):
    for program, *arguments in commands(PAGE):
        if program == "warpath":
            arguments = [FIRST if word == "10000" else word for word in arguments]
            assert main(arguments) == 0, shlex.join(arguments)
    first, second = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names = {"warpath": warpath, "graph": graph, "zarr": zarr}
    exec(first, names)
    assert names["found"].closeness.shape == (VERTICES,)
    assert names["found"].rows.nearest.shape == (VERTICES, 8)
    assert names["counts"].sum() == names["found"].pairs
    exec(second.replace("4711", "47"), names)
    assert names["rows"].shape == (int(FIRST), VERTICES)
    np.testing.assert_array_equal(names["rows"][47], warpath.sssp(graph, 47).distances)


PRINTED = (ROOT / "results/reference/nvidia-h200/all_pairs.txt").read_text(encoding="utf-8")
(COSTS,) = [table for table in tables(PAGE) if table.header[1:2] == ["sources"]]
LINE = (
    r"{sources} sources by [\w.]+, {nearest} nearest: ([\d.]+) s, solve ([\d.]+), certify ([\d.]+), reduce ([\d.]+); "
    r"([\d.]+) microseconds"
)


@pytest.mark.parametrize("row", COSTS.rows, ids=lambda row: " ".join(row[:2]))
def test_the_page_quotes_what_a_source_costs(row):
    of_graph = PRINTED.partition("SNAP edge list")[0 if row[0].startswith("New York") else 2]
    found = re.search(LINE.format(sources=row[1], nearest=8 if "8 nearest" in row[0] else 0), of_graph)
    assert [cell.split()[0] for cell in row[2:]] == list(found.groups())


def seconds_of_rows(part: str) -> list[float]:
    """Solve, certify and reduce of each command in a part of what was printed, added up."""
    found = re.findall(r"^times +solve ([\d.]+) s, certify ([\d.]+) s, reduce ([\d.]+) s", part, re.MULTILINE)
    return [sum(map(float, times)) for times in found]


def test_the_page_quotes_the_commands():
    _, _, one, _, four, store, rows = re.split(r"^## .*$", PRINTED, flags=re.MULTILINE)
    text = " ".join(PAGE.split())
    for said, part, pattern in (
        (r"took ([\d.]+) s for New York with", one, r"^command: ([\d.]+) s"),
        (r"the sources, took ([\d.]+) s: most", four, r"^four commands: ([\d.]+) s"),
        (r"New York has ([\d,]+) pairs, all", one, r"^pairs +([\d,]+) of \1 have"),
        (r"diameter is (\d+), from", one, r"^diameter +(\d+), from 4231 to 90644$"),
        (r"its radius (\d+),", one, r"^radius +(\d+)$"),
        (r"mean distance (\d+)\.", one, r"^mean distance +(\d+)$"),
        (r"gnutella30 is (\d+) MB", store, r"^(\d+)\tgnutella30"),
        (r"in (\d+) shards, written", store, r"gnutella30.zarr\n(\d+)$"),
        (r"shards, written in ([\d.]+) s;", store, r"^command: ([\d.]+) s"),
        (r"rows of New York ([\d,]+) MB", rows, r"^(\d+)\tnyc.zarr"),
        (r"MB, ([\d.]+) of what", rows, r"compressed to ([\d.]{4})"),
        (r"killed with (\d+) shards", rows, r"^killed with (\d+) shards"),
        (r"found ([\d,]+) rows there", rows, r"([\d,]+) rows there before"),
        (r"the other ([\d,]+) in", rows, r"([\d,]+) rows written"),
        (r"the other [\d,]+ in ([\d.]+) s\.", rows, r"^command: ([\d.]+) s"),
        (r"row is read back in ([\d.]+) ms", rows, r"one row read in ([\d.]+) ms"),
        (r"one column in ([\d.]+) ms", rows, r"one column read in ([\d.]+) ms"),
    ):
        quoted, printed = re.search(said, text)[1], re.search(pattern, part, re.MULTILINE)[1]
        assert quoted.replace(",", "") == printed.replace(",", ""), said
    quoted_one, quoted_four = re.search(r"take, ([\d.]+) s on one GPU, is ([\d.]+) s at most", text).groups()
    assert quoted_one == f"{seconds_of_rows(one)[0]:.2f}"
    assert float(quoted_four) - 0.01 < max(seconds_of_rows(four)[:4]) <= float(quoted_four)
    assert "four parts are the same as one: True" in four
