"""What takes long shows a bar on a terminal, and nothing elsewhere."""

import os
import re
import subprocess
import sys
import time

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

import warpath
from warpath.__main__ import main
from warpath.system import progress
from warpath_study.datasets.generate import generate


@pytest.fixture(scope="module")
def roads():
    return generate("road", vertices=300, arcs=800, seed=1)


@pytest.fixture
def file(roads, tmp_path):
    path = tmp_path / "roads.gr.gz"
    warpath.write(roads, path)
    return path


CALLS = {
    "several sources": (
        lambda graph: warpath.sssp(graph, range(40), algorithm="bellman_ford", device="simulated"),
        "40",
    ),
    "a stream": (lambda graph: list(warpath.prepare(graph, "simulated").stream(range(12), chunk=5)), "12"),
    "statistics": (lambda graph: warpath.prepare(graph, "simulated").statistics(range(13)), "13"),
    "all pairs": (lambda graph: warpath.apsp(graph, algorithm="floyd_warshall", device="simulated"), "all pairs"),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_of_the_library(name, roads, terminal):
    call, text = CALLS[name]
    shown = terminal()
    call(roads)
    assert text in shown.getvalue()
    assert shown.getvalue().endswith("\r")  # the bar is erased


@pytest.mark.parametrize("call", ["sssp", "table", "statistics"])
def test_on_the_cpu_a_bar_moves(call, roads, terminal):
    solver, count, cores = warpath.prepare(roads, "cpu"), 30_000, os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        shown = terminal()
        getattr(solver, call)(np.zeros(count, int), **({"predecessors": False} if call == "sssp" else {}))
    finally:
        os.sched_setaffinity(0, cores)
    assert len(set(re.findall(rf"(\d+)/{count}", shown.getvalue()))) > 2


def test_preparing(roads, terminal):
    shown = terminal()
    warpath.prepare(roads, "simulated").sssp(0, algorithm="partition")
    assert "preparing" in shown.getvalue()


def test_work_that_says_nothing_shows_its_time(terminal, monkeypatch):
    shown = terminal()
    monkeypatch.setattr(progress, "DELAY_S", 0.1)
    with progress.Progress("waiting"), progress.Progress("counting", "sheep", 7):
        assert shown.getvalue() == ""
        deadline = time.monotonic() + 30
        while not ("waiting" in shown.getvalue() and "0/7" in shown.getvalue()) and time.monotonic() < deadline:
            time.sleep(0.05)
    assert "waiting" in shown.getvalue() and "0/7" in shown.getvalue()


def test_reading(file, tmp_path, terminal):
    shown = terminal()
    warpath.write(warpath.read(file), tmp_path / "roads.npz")
    assert "roads.gr.gz: 100%" in shown.getvalue()
    warpath.read(tmp_path / "roads.npz")
    assert "roads.npz" in shown.getvalue()


@pytest.mark.parametrize(
    "command", [["solve", "--source", "1,2,3"], ["solve", "--all-pairs"], ["statistics", "--first", "3"]]
)
def test_commands(command, file, terminal, capsys):
    shown = terminal()
    assert main([command[0], str(file), *command[1:], "--device", "simulated"]) == 0
    assert "solving" in shown.getvalue()
    assert "certificate" in capsys.readouterr().out


def test_nothing_without_a_terminal(file, monkeypatch, capfd):
    monkeypatch.setattr(progress, "DELAY_S", 0)
    graph = warpath.read(file)
    for call, _ in CALLS.values():
        call(graph)
    assert capfd.readouterr() == ("", "")


def test_a_notebook_shows_a_bar_and_no_warning():
    code = """
from warpath.system import progress
progress.DELAY_S = 0
with progress.Progress("counting", "sheep", 7) as counting:
    counting(3)
"""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    NotebookClient(notebook, kernel_name="python3", extra_arguments=["--log-level=ERROR"]).execute()
    shown = "".join(output.text for output in notebook.cells[0].outputs)
    assert "3/7" in shown and "Warning" not in shown


@pytest.mark.parametrize("variable", ["", "1"])
def test_the_variable_of_tqdm_turns_bars_off(variable, file):
    script = f"""
import sys, warpath
from warpath.system import progress
progress.DELAY_S = 0
sys.stderr.isatty = lambda: True
warpath.sssp(warpath.read({str(file)!r}), [0, 1, 2], device="simulated")
print("tqdm" in sys.modules)
"""
    environment = {**os.environ, "TQDM_DISABLE": variable}
    run = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True)
    assert (run.stderr == "") == (run.stdout == "False\n") == (variable == "1")


def test_small_calls_on_a_terminal_do_not_import_tqdm(file):
    script = f"""
import sys, warpath
sys.stderr.isatty = lambda: True
graph = warpath.read({str(file)!r})
warpath.sssp(graph, 0, device="simulated", certify=False)
warpath.sssp(graph, [0, 1], device="simulated")
print("tqdm" in sys.modules)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "False\n"


def test_a_stream_that_is_left_ends_its_bar(roads, terminal):
    shown = terminal()
    stream = warpath.prepare(roads, "simulated").stream(range(50), chunk=1)
    sources, distances = next(stream)
    assert sources.tolist() == [0] and np.isfinite(distances).all()
    del stream
    assert shown.getvalue().endswith("\r")
