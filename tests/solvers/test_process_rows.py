"""Shared rows with a process for each share: threads in the place of processes, and two real ones where MPI is here."""

import importlib.util
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import which

import numpy as np
import pytest
from every_device import opened
from examples import fewer
from hypothesis import given, strategies
from scipy_reference import reference
from test_floyd_warshall import SHAPES
from tiny_graphs import NEGATIVE, TINY, named, random_graphs

from warpath import apsp
from warpath.__main__ import main
from warpath.errors import DeviceError
from warpath.graphs.csr import from_arcs
from warpath.solvers.all_pairs.shared_rows import ProcessRows


class Threads:
    """Communicators for threads."""

    def __init__(self, size):
        self.size = size
        self._met = threading.Barrier(size, timeout=30)
        self._sent = None

    def of(self, rank):
        return OfThread(self, rank)

    def broadcast(self, buffer, sends):
        if sends:
            self._sent = buffer
        self._met.wait()
        if not sends:
            np.copyto(buffer, self._sent)
        self._met.wait()


class OfThread:
    def __init__(self, threads, rank):
        self.threads, self.rank, self.size = threads, rank, threads.size

    def Bcast(self, buffer, root):
        self.threads.broadcast(buffer, root == self.rank)


def solved(graph, processes, shape=SHAPES[0]):
    """The distances of all processes, which have to lie one after the other."""
    threads = Threads(processes)

    def solve(rank):
        rows = ProcessRows(opened("shuffle", seed=rank), graph, threads.of(rank), shape)
        rows.allocate()
        rows.solve()
        return rows.first_row, rows.distances()

    with ThreadPoolExecutor(processes) as pool:
        parts = list(pool.map(solve, range(processes)))
    ends = np.cumsum([len(distances) for _, distances in parts])
    assert [first for first, _ in parts] == [0, *ends[:-1]] and ends[-1] == graph.vertices
    return np.concatenate([distances for _, distances in parts])


@pytest.mark.parametrize("processes", [1, 4])
def test_every_tiny_graph(processes):
    for name, graph in {**TINY, **NEGATIVE}.items():
        with named(name):
            np.testing.assert_array_equal(solved(graph, processes), reference(graph, None))


@fewer
@given(data=strategies.data())
def test_any_graph_and_any_number_of_processes(data):
    graph = data.draw(random_graphs(vertices_max=75, arcs_per_vertex=8))
    shape = data.draw(strategies.sampled_from(SHAPES[:3]))
    np.testing.assert_array_equal(solved(graph, data.draw(strategies.integers(1, 4)), shape), reference(graph, None))


# The command, in real processes.


def launched(*arguments, processes=2, program=("-m", "warpath")):
    """``mpiexec`` with the command; skips where there is no MPI."""
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed")
    beside = Path(sys.executable).with_name("mpiexec")
    mpiexec = str(beside) if beside.exists() else which("mpiexec")
    if mpiexec is None:
        pytest.skip("there is no mpiexec")
    command = [mpiexec, "-n", str(processes), sys.executable, *program, "dense", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.fixture
def graph_file(tmp_path):
    """A graph whose answer is known, and its file."""
    graph = TINY["scattered path of 97"]
    graph.save(tmp_path / "graph.npz")
    return graph, tmp_path / "graph.npz"


def test_two_processes_write_one_certified_answer(graph_file, tmp_path):
    graph, file = graph_file
    done = launched(file, "--device", "simulated", "--output", tmp_path / "distances.npy")
    assert done.returncode == 0, done.stderr
    assert "2 processes" in done.stdout and done.stdout.count("certificate  exact") == 1
    np.testing.assert_array_equal(np.load(tmp_path / "distances.npy"), reference(graph, None))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["distances.npy", "graph.npz"]


@pytest.mark.parametrize("dtype", [np.float32, pytest.param(np.float64, marks=pytest.mark.slow)])
def test_two_processes_write_floats(tmp_path, dtype):
    numbers = np.random.default_rng(3)
    ends = numbers.integers(0, 150, (2, 700))
    graph = from_arcs(150, *ends, numbers.exponential(1, 700).astype(dtype))
    graph.save(tmp_path / "graph.npz")
    done = launched(tmp_path / "graph.npz", "--device", "simulated", "--output", tmp_path / "distances.npy")
    assert done.returncode == 0, done.stderr
    distances = np.load(tmp_path / "distances.npy")
    expected = apsp(graph, device="cpu", predecessors=False).distances
    assert distances.dtype == dtype
    np.testing.assert_array_equal(distances, expected)


FULL_DISK = """
import errno, io, sys
from mpi4py import MPI
from warpath.__main__ import main
from warpath.cli import dense

class Full(io.FileIO):
    def write(self, _):
        raise OSError(errno.ENOSPC, "No space left on device")

if MPI.COMM_WORLD.rank == {fails}:
    dense.open = Full
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("fails", [pytest.param(0, marks=pytest.mark.slow), 1])
def test_a_process_that_cannot_write_leaves_nothing(graph_file, tmp_path, fails):
    target = tmp_path / "distances.npy"
    target.write_bytes(b"before")
    program = ["-c", FULL_DISK.format(fails=fails)]
    done = launched(graph_file[1], "--device", "simulated", "--output", target, program=program)
    assert done.returncode == 1
    assert done.stderr.count("warpath: error: ") == done.stderr.count(f"{target}: the disk is full") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["distances.npy", "graph.npz"]
    assert target.read_bytes() == b"before"


@pytest.mark.slow
def test_more_processes_than_tiles(graph_file, tmp_path):
    graph, file = graph_file
    done = launched(file, "--device", "simulated", "--output", tmp_path / "distances.npy", processes=3)
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(np.load(tmp_path / "distances.npy"), reference(graph, None))


def test_what_is_refused_is_said_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("negative.wel").write_text("0 1 0.5\n1 2 -0.25\n")
    done = launched("negative.wel", "--device", "simulated")
    assert done.returncode == 2
    assert done.stderr.count("negative.wel: ") == done.stderr.count("warpath: error: ") == 1
    assert "Traceback" not in done.stderr


def test_a_missing_file_and_a_wrong_suffix_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", OneProcess())
    TINY["ties"].save(tmp_path / "graph.npz")
    for arguments, status, says in (
        (["missing.npz"], 1, "missing.npz"),
        (["graph.npz", "--output", "answer.csv"], 2, "answer.csv"),
    ):
        try:
            assert main(["dense", *arguments, "--device", "simulated"]) == status
        except SystemExit as ended:
            assert ended.code == status
        assert says in capsys.readouterr().err


def test_without_mpi_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", None)
    assert main(["dense", "graph.npz"]) == 2
    assert "mpi4py is not installed" in capsys.readouterr().err


class OneProcess:
    """In the place of ``mpi4py.MPI``: a job of one process."""

    COMM_TYPE_SHARED, rank, size = 0, 0, 1

    def __init__(self):
        self.COMM_WORLD, self.aborted = self, []

    def Split_type(self, _kind):
        return self

    def Barrier(self):
        pass

    def Abort(self, status):
        self.aborted.append(status)
        raise SystemExit(status)

    def allgather(self, value):
        return [value]


def test_a_process_that_fails_ends_the_others(graph_file, monkeypatch, capsys):
    mpi = OneProcess()

    def fail(rows):
        raise DeviceError("a kernel failed")

    monkeypatch.setitem(sys.modules, "mpi4py.MPI", mpi)
    monkeypatch.setattr(ProcessRows, "solve", fail)
    with pytest.raises(SystemExit):
        main(["dense", str(graph_file[1]), "--device", "simulated"])
    assert mpi.aborted == [1]
    assert capsys.readouterr().err == "warpath: error: process 0: a kernel failed\n"
