"""Type checkers and people see the names, parameters and results of the library."""

import subprocess
import sys
from pathlib import Path

import pandas
import pytest

import warpath

ROOT = Path(__file__).resolve().parents[2]
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
    frames: list[pandas.DataFrame] = [pairs.to_frame(), table.to_frame(), paths.to_frame()]
    print(pairs.path(0), frames)
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
    graph = warpath.from_arcs(500, range(499), range(1, 500), [1] * 499)
    solver = warpath.prepare(graph, "simulated")
    paths = solver.sssp([0, 1])
    answers = [
        solver,
        solver.table([0], [2]),
        solver.table([0], nearest=1),
        solver.pairs([0], [2]),
        paths,
        paths.certificate,
        solver.sssp(7),
        solver.apsp(certify=False),
        solver.closure(),
    ]
    for answer in [*answers, solver.statistics([3, 4]), solver.statistics([])]:
        assert "\n" not in repr(answer) and len(repr(answer)) < 200
        assert repr(answer).startswith(f"<{type(answer).__name__}")
    named = warpath.sssp(pandas.DataFrame({"source": ["Oslo"], "target": ["Voss"]}), "Oslo", device="simulated")
    assert "Oslo" in repr(named)
