"""The page of all pairs does what it says, on a small graph in New York's place."""

import re
import shlex

import numpy as np
import pytest
import zarr
from markdown_page import ROOT, commands

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
    assert names["statistics"].closeness.shape == (VERTICES,)
    assert names["statistics"].rows.nearest.shape == (VERTICES, 8)
    assert names["counts"].sum() == names["statistics"].pairs
    exec(second.replace("4711", "47"), names)
    assert names["rows"].shape == (int(FIRST), VERTICES)
    np.testing.assert_array_equal(names["rows"][47], warpath.sssp(graph, 47).distances)
