"""Code that people meet does what it says: docstrings, README, pages on a graph of our own, and a typed program."""

import doctest
import re
import shlex
import subprocess
import sys
from pathlib import Path

import networkx
import numpy as np
import pandas
import pytest
import zarr
from markdown_page import ROOT, commands, tables
from scipy.sparse import csgraph, csr_array
from tiny_graphs import named

import warpath
from warpath.__main__ import main
from warpath_study.datasets.generate import generate

README = (ROOT / "README.md").read_text(encoding="utf-8")
LIBRARY = (ROOT / "docs/library.md").read_text(encoding="utf-8")
COMING_FROM = (ROOT / "docs/coming_from.md").read_text(encoding="utf-8")
ALL_PAIRS = (ROOT / "docs/all_pairs.md").read_text(encoding="utf-8")
NEW_YORK = "USA-road-d.NY.gr.gz"


def test_docstrings():
    things = [warpath, *(getattr(warpath, name) for name in warpath.__all__ if name[0] != "_")]
    finder = doctest.DocTestFinder(recurse=False)
    found = [test for thing in things for test in finder.find(thing, getattr(thing, "__name__", "constant"))]
    examples = {test.name: test for test in found if test.examples}
    assert {"sssp", "apsp", "closure", "certify", "prepare", "from_arcs"} <= examples.keys()
    for name, example in examples.items():
        with named(name):
            assert doctest.DocTestRunner().run(example).failed == 0


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
    path, paths = names["path"], names["paths"]
    said = dict(re.findall(r"(?m)^(.*\S)  # (\d.*\])$", first))
    assert said and all(eval(code, names) == eval(answer) for code, answer in said.items())
    assert path.certificate.reached == 4 and paths.to_series()["Oslo"] == 299
    assert (folder / "roads.csv").read_text(encoding="utf-8").startswith("source,target,km\nOslo,Otta,299\n")
    exec(second, names)
    paths, solver = names["paths"], names["solver"]
    assert paths.distances.shape == (1200,) and paths.reached.all() and paths.certificate.reached == 1200
    assert solver.table([1, 17, 4], [5, 6]).distances.shape == (3, 2)
    assert solver.graph.weights[solver.graph.labels[solver.graph.tails()] == 1].max() == 900


def test_python_of_the_page_on_the_library(folder):
    warpath.write(generate("road", vertices=60, arcs=170, seed=1), folder / NEW_YORK)
    names = {}
    for block in re.findall(r"```python\n(.*?)```", LIBRARY, re.DOTALL):
        exec(block.replace("range(1000)", "range(60)"), names)
    assert names["paths"].distances.shape == (2, 60) and names["table"].distances.shape == (2, 3)
    assert names["nearest"].targets.shape == (2, 2)
    assert (names["pairs"].path(1)[0], names["pairs"].path(1)[-1]) == (17, 6)
    assert warpath.pairs(names["roads"], names["trips"]).to_frame()["distance"].tolist() == [463.5, float("inf")]
    assert names["taken"]["name"].tolist() == ["High Street", "Canal Path"]
    minutes = pandas.DataFrame({"minutes": [4.5, 3, 2.5, 1.5]})["minutes"]
    assert names["walk"].along(minutes).tolist() == [0, 4.5, 7]
    assert names["found"].along(minutes).tolist() == [7, 7]
    assert names["found"].graph.rows[names["found"].arcs(1)].tolist() == [2, 0]
    assert names["near"].to_frame()["distance"].tolist() == [0, 0, 200, 200, 0]


def plain(answer):
    """An answer of any library in types of Python: distances by vertex, a set of vertices, or lists."""
    if isinstance(answer, pandas.DataFrame):
        return dict(zip(answer.vertex, answer.distance, strict=True)) if "distance" in answer else answer.to_dict()
    if isinstance(answer, pandas.Series):
        return set(answer) if answer.name == "vertex" else answer.to_dict()
    if isinstance(answer, networkx.classes.reportviews.NodeView):
        return set(answer)
    return answer.tolist() if isinstance(answer, np.ndarray) else answer


def test_the_lines_of_other_libraries_and_ours_beside_them_have_the_same_answers(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    network = networkx.Graph()
    network.add_weighted_edges_from([("a", "b", 3), ("b", "c", 4), ("c", "d", 2), ("a", "d", 8)], weight="km")
    roads = generate("road", vertices=60, arcs=170, seed=1)
    edges = pandas.DataFrame({"from": roads.tails(), "to": roads.indices, "minutes": roads.weights % 9, "rush": 5})
    names = {name: getattr(csgraph, name) for name in ("dijkstra", "shortest_path", "bellman_ford")}
    names |= {"warpath": warpath, "pandas": pandas, "networkx": networkx, "network": network, "edges": edges}
    names |= {"matrix": generate("road", vertices=8, arcs=20, seed=1).to_scipy()}
    names |= {"homes": [10, 11, 12], "offices": [40, 41, 42], "shops": [20, 30, 50]}
    compared = 0
    for table in tables(COMING_FROM):
        for want, theirs, ours in table.rows if table.header[0] == "you want" else ():
            with named(want):
                for statement in re.findall("`(.*)`", ours):
                    name, is_named, value = statement.rpartition(" = ")
                    answer = names[name] = eval(value if is_named else statement, names)
                if table.header[1] != "pandana" and re.fullmatch("`[^`]*`", theirs):
                    assert plain(answer) == plain(eval(theirs[1:-1], names))
                    compared += 1
    assert compared == 16
    solver = names["solver"]
    assert np.all(solver.graph.weights == 5) and solver.path(10, 40).distance == 5 * (
        len(solver.path(10, 40).vertices) - 1
    )
    for block in re.findall(r"```python\n(.*?)```", COMING_FROM, re.DOTALL):
        exec(block, names)
    assert names["distances"].shape == (2, 8) and names["distances"].dtype == np.float64
    assert names["lengths"] == {"a": 0, "b": 3, "c": 7, "d": 8} and names["path"] == ["a", "b", "c"]


def test_what_differs_in_scipy_and_networkx():
    arcs = [3, 4], ([0, 0], [1, 1])
    assert csr_array(arcs, shape=(2, 2))[0, 1] == 7
    assert warpath.sssp(warpath.from_arcs(2, [0, 0], [1, 1], [3, 4]), 0, device="cpu").distances[1] == 3
    network = networkx.Graph([("a", "b", {"km": 3})])
    network.add_node("c")
    assert networkx.shortest_path_length(network, "a", "b", weight="hours", backend="warpath") == 1
    with pytest.raises(warpath.GraphError, match="'km'"):
        warpath.path(network, "a", "b", weight="hours", device="cpu")
    with pytest.raises(networkx.NetworkXNoPath):
        networkx.shortest_path(network, "a", "c", weight="km", backend="warpath")
    path = warpath.path(network, "a", "c", weight="km", device="cpu")
    assert (path.distance, path.vertices) == (float("inf"), [])


def test_commands(folder, capsys):
    readme = README[README.index("On the command line") : README.index("| you have")]
    library = LIBRARY[LIBRARY.index("## The command line") : LIBRARY.index("## Several GPUs")]
    for program, *arguments in commands(readme) + commands(library):
        assert program == "warpath"
        arguments = ["1200" if word == "264346" else word for word in arguments]
        assert main(arguments) == 0, shlex.join(arguments)
    said = capsys.readouterr()
    assert "certificate" in said.out + said.err
    assert (folder / "paths.npz").is_file() and (folder / "mine.gr").is_file()


@pytest.mark.slow
def test_the_page_of_all_pairs(folder):
    warpath.write(generate("road", vertices=200, arcs=560, seed=1), folder / NEW_YORK)
    graph = warpath.read(NEW_YORK)
    for program, *arguments in commands(ALL_PAIRS):
        if program == "warpath":
            arguments = ["50" if word == "10000" else word for word in arguments]
            assert main(arguments) == 0, shlex.join(arguments)
    first, second = re.findall(r"```python\n(.*?)```", ALL_PAIRS, re.DOTALL)
    names = {"warpath": warpath, "graph": graph, "zarr": zarr}
    exec(first, names)
    assert names["statistics"].closeness.shape == (200,)
    assert names["statistics"].rows.nearest.shape == (200, 8)
    assert names["counts"].sum() == names["statistics"].pairs
    exec(second.replace("4711", "47"), names)
    assert names["rows"].shape == (50, 200)
    np.testing.assert_array_equal(names["rows"][47], warpath.sssp(graph.by_index, 47).distances)


# Type checkers and people see the names, parameters and results of the library.

PROGRAM = """
import numpy as np
import pandas
import scipy.sparse
import warpath
import warpath.csgraph
from warpath import Certificate, GraphError, NegativeCycleError, Paths, Reachability, Statistics, Solver


def solve(path: str) -> list[float]:
    graph: warpath.Graph = warpath.read(path)
    paths: Paths = warpath.sssp(graph, np.int64(0), cutoff=3.5, output="host")
    certificate: Certificate | None = paths.certificate
    try:
        solver: Solver = warpath.prepare(graph, "cuda:1")
        statistics: Statistics = solver.statistics([0, 1], nearest=3)
    except NegativeCycleError as error:
        assert isinstance(error, GraphError)
        raise
    reachable: Reachability = warpath.closure([[0, 1], [0, 0]])
    for sources, distances in solver.stream(range(5)):
        print(sources, distances.sum(), reachable.variant, certificate)
    warpath.write(warpath.from_arcs(2, [0], [1], [0.5]), "small.gr")
    solver.update([1, 2], arcs=np.array([0, 1]))
    sparse = scipy.sparse.csr_array(np.eye(3))
    for matrix in (sparse, np.eye(3), np.ma.masked_invalid(np.eye(3))):
        warpath.certify(warpath.from_matrix(matrix), 0, [0, 1, 2], np.zeros(3))
        warpath.csgraph.dijkstra(matrix, indices=[0, 1], limit=3)
    roads = pandas.DataFrame({"source": ["a"], "target": ["b"]})
    steps = warpath.sssp(roads, "a").path_to("b", source="a")
    warpath.prepare(warpath.as_graph(roads)).table(list(range(len(steps))), {1, 2})
    pairs: warpath.Pairs = warpath.pairs(roads, roads)
    table: warpath.Table = warpath.table(graph, range(2), np.arange(3), nearest=2)
    near: warpath.Within = warpath.within(roads, 3.5, ["a"])
    frames: list[pandas.DataFrame] = [pairs.to_frame(), table.to_frame(), paths.to_frame(), near.to_frame()]
    print(pairs.path(0), frames, near.to_scipy().nnz)
    minutes: np.ndarray = paths.along(pandas.Series([1.5])) + pairs.along([1.5])
    print(minutes, graph.rows[paths.arcs_to(1)], pairs.arcs(0), paths.arcs.shape)
    return [statistics.diameter, *warpath.apsp(np.eye(3)).floats().tolist()]
"""
WRONG = {
    "warpath.sspp(0)": "attr-defined",
    "warpath.sssp(warpath.read('x'), 0, outptu='simulated')": "call-arg",
    "warpath.sssp(warpath.read('x'), 0, output='gpu')": "arg-type",
    "warpath.sssp(warpath.read('x'), 0, cutoff='far')": "arg-type",
    "warpath.sssp(3.5, 0)": "arg-type",
    "warpath.read(3)": "arg-type",
    "warpath.sssp(warpath.read('x'), 0).distnaces": "attr-defined",
    "warpath.prepare(warpath.read('x')).sssp(0).certificate.verdict": "union-attr",
    "warpath.sssp(warpath.read('x'), 0).distances.shpae": "union-attr",
    "warpath.table(warpath.read('x'), [0]).floats().shpae": "union-attr",
    "[distances.shpae for _, distances in warpath.prepare(warpath.read('x')).stream()]": "union-attr",
}


def checked(folder: Path, program: str) -> list[str]:
    """The lines that mypy prints about a program of a user."""
    (folder / "program.py").write_text(program)
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-error-summary", "--no-pretty"]
    command += ["--cache-dir", str(ROOT / ".mypy_cache" / "of_users")]
    return subprocess.run([*command, "program.py"], cwd=folder, capture_output=True, text=True).stdout.splitlines()


@pytest.mark.slow
def test_mypy_accepts_a_program_and_names_what_is_wrong(tmp_path):
    names = "\n".join(f"warpath.{name}" for name in dir(warpath))
    assert checked(tmp_path, f"{PROGRAM}\n{names}\n") == []
    found = [line for line in checked(tmp_path, "import warpath\n" + "\n".join(WRONG)) if "error:" in line]
    assert [(int(line.split(":")[1]), line.rpartition("[")[2][:-1]) for line in found] == [
        (number, code) for number, code in enumerate(WRONG.values(), 2)
    ]


def test_each_name_of_the_package_is_there_and_each_error_has_a_name():
    assert all(getattr(warpath, name) is not None for name in dir(warpath))
    assert set(dir(warpath)) == set(warpath.__all__)
    errors = {kind.__name__ for kind in vars(warpath.errors).values() if isinstance(kind, type)}
    assert errors <= set(dir(warpath))
    assert all(issubclass(getattr(warpath, name), warpath.WarpathError) for name in errors)
    with pytest.raises(AttributeError, match="sspp"):
        warpath.sspp  # noqa: B018


def test_results_and_solvers_print_as_one_short_line():
    solver = warpath.prepare(warpath.from_arcs(500, range(499), range(1, 500), [1] * 499), "simulated")
    paths = solver.sssp([0, 1])
    answers = [solver, paths, paths.certificate, solver.apsp(certify=False), solver.closure(), solver.statistics([])]
    more = [solver.sssp(7), solver.pairs([0], [2]), solver.table([0], nearest=1), solver.within(3)]
    for answer in [*answers, *more]:
        assert "\n" not in repr(answer) and len(repr(answer)) < 200
        assert repr(answer).startswith(f"<{type(answer).__name__}")
    named = warpath.sssp(pandas.DataFrame({"source": ["Oslo"], "target": ["Voss"]}), "Oslo", device="simulated")
    assert "Oslo" in repr(named)
