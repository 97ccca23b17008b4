"""Python and commands of the README and of docs/library.md do what they say, on a small graph in New York's place."""

import re
import shlex

import networkx
import numpy as np
import pytest
from markdown_page import ROOT, commands

import warpath
from warpath.__main__ import main
from warpath_study.datasets.generate import generate

README = (ROOT / "README.md").read_text(encoding="utf-8")
LIBRARY = (ROOT / "docs/library.md").read_text(encoding="utf-8")
NEW_YORK = "USA-road-d.NY.gr.gz"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a road network of 1,200 vertices in New York's place, and an edge list; there is no GPU."""
    roads = generate("road", vertices=1200, arcs=3400, seed=1)
    warpath.write(roads, tmp_path / NEW_YORK)
    (tmp_path / "mine.txt").write_text("10 20 3\n20 30 4\n", encoding="utf-8")
    (tmp_path / "roads.csv").write_text("source,target,km\nOslo,Voss,3.5\nVoss,Bergen,1.25\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    return tmp_path


def test_python(folder):
    names = {}
    first, second = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(first, names)
    paths, graph = names["paths"], names["graph"]
    assert paths.distances.shape == (1200,) and paths.reached.all()
    path = paths.path_to(1000)
    assert (path[0], path[-1]) == (0, 1000)
    assert paths.certificate.reached == 1200
    assert paths.sources == 0 and graph.labels[0] == 1
    assert warpath.table(graph, [0, 17, 4], [5, 6]).distances.shape == (3, 2)
    *statements, last = second.splitlines()
    exec("\n".join(statements), names)
    assert names["paths"].path_to("Bergen") == ["Oslo", "Voss", "Bergen"]
    assert eval(last, names).to_dict() == {"Bergen": 4.75, "Oslo": 0, "Voss": 3.5}


def test_python_of_the_page_on_the_library(folder):
    warpath.write(generate("road", vertices=60, arcs=170, seed=1), folder / NEW_YORK)
    small = warpath.from_arcs(9, range(8), range(1, 9), range(8))
    network = networkx.Graph([("a", "b", {"weight": 3}), ("b", "c", {"weight": 4})])
    names = {"matrix": small.to_scipy(), "networkx": networkx, "network": network}
    for block in re.findall(r"```python\n(.*?)```", LIBRARY, re.DOTALL):
        exec(block.replace("range(1000)", "range(60)"), names)
    assert names["paths"].distances.shape == (2, 60) and names["table"].distances.shape == (2, 3)
    assert names["nearest"].targets.shape == (2, 2)
    assert (names["pairs"].path(1)[0], names["pairs"].path(1)[-1]) == (17, 6)
    assert warpath.pairs(names["roads"], names["trips"]).to_frame()["distance"].tolist() == [463.5, float("inf")]
    assert names["distances"].shape == (2, 9) and names["distances"].dtype == np.float64
    assert names["lengths"] == {"a": 0, "b": 3, "c": 7}


def commands_on_ones_own_graph() -> list[list[str]]:
    section = README[README.index("### On the command line") :]
    library = LIBRARY[LIBRARY.index("## The command line") : LIBRARY.index("## Several GPUs")]
    return commands(section[: section.index("### Does it suit")]) + commands(library)


def test_commands(folder, capsys):
    for program, *arguments in commands_on_ones_own_graph():
        assert program == "warpath"
        arguments = ["1200" if word == "264346" else word for word in arguments]
        assert main(arguments) == 0, shlex.join(arguments)
    said = capsys.readouterr()
    assert "certificate" in said.out + said.err
    assert (folder / "paths.npz").is_file() and (folder / "mine.gr").is_file()
