"""Type checkers see the names, parameters and results of the library."""

import subprocess
import sys
from pathlib import Path

import pytest

import warpath

ROOT = Path(__file__).parent.parent
PROGRAM = """
import numpy as np
import warpath
from warpath import Certificate, GraphError, NegativeCycleError, Paths, Reachability, Reductions, Solver


def solve(path: str) -> list[float]:
    graph: warpath.Graph = warpath.read(path)
    paths: Paths = warpath.sssp(graph, np.int64(0), targets=np.arange(3), cutoff=3.5, output="host")
    certificate: Certificate | None = paths.certificate
    try:
        solver: Solver = warpath.prepare(graph, "cuda:1")
        reductions: Reductions = solver.reductions([0, 1], nearest=3)
    except NegativeCycleError as error:
        assert isinstance(error, GraphError)
        raise
    reachable: Reachability = warpath.closure([[0, 1], [0, 0]])
    for sources, distances in solver.stream(range(5)):
        print(sources, distances.sum(), reachable.variant, certificate)
    warpath.write(warpath.from_arcs(2, [0], [1], [0.5]), "small.gr")
    return [reductions.diameter, *warpath.apsp(np.eye(3)).floats().tolist()]
"""
WRONG = {
    "warpath.sspp(0)": "attr-defined",
    "warpath.sssp(warpath.read('x'), 0, outptu='host')": "call-arg",
    "warpath.sssp(warpath.read('x'), 0, output='gpu')": "arg-type",
    "warpath.sssp(warpath.read('x'), 0, cutoff='far')": "arg-type",
    "warpath.sssp(3.5, 0)": "arg-type",
    "warpath.read(3)": "arg-type",
    "warpath.sssp(warpath.read('x'), 0).distnaces": "attr-defined",
    "warpath.prepare(warpath.read('x')).sssp(0).certificate.verdict": "union-attr",
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
    with pytest.raises(AttributeError, match="sspp"):
        warpath.sspp  # noqa: B018
