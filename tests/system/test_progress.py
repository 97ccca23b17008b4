"""What takes long shows a bar on a terminal, and nothing elsewhere."""

import os
import re
import signal
import sys
import threading
import time

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from tiny_graphs import named

import warpath
from warpath.system import progress
from warpath.system.durations import common_unit, readable_seconds
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
    "preparing": (lambda graph: warpath.prepare(graph, "simulated").sssp(0, algorithm="partition"), "preparing"),
}


def test_calls_of_the_library(roads, terminal):
    for name, (call, text) in CALLS.items():
        with named(name):
            shown = terminal()
            call(roads)
            assert text in shown.getvalue()
            assert shown.getvalue().endswith("\r")  # the bar is erased


@pytest.mark.parametrize("call", ["sssp", "table", "statistics"])
def test_on_the_cpu_a_bar_moves(call, roads, terminal):
    solver, count, cores = warpath.prepare(roads, "cpu"), 20_000, os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        shown = terminal()
        getattr(solver, call)(np.zeros(count, int), **({"predecessors": False} if call == "sssp" else {}))
    finally:
        os.sched_setaffinity(0, cores)
    assert len(set(re.findall(rf"(\d+)/{count}", shown.getvalue()))) > 2


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


def test_nothing_without_a_terminal(file, monkeypatch, capfd):
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)  # which the test of a notebook imports
    monkeypatch.setattr(progress, "DELAY_S", 0)
    graph = warpath.read(file).by_index
    for call, _ in CALLS.values():
        call(graph)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
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


def test_a_variable_turns_bars_off(roads, terminal, monkeypatch):
    monkeypatch.setenv("TQDM_DISABLE", "1")
    shown = terminal()
    for call, _ in CALLS.values():
        call(roads)
    assert shown.getvalue() == ""


def test_a_stream_that_is_left_ends_its_bar(roads, terminal):
    shown = terminal()
    stream = warpath.prepare(roads, "simulated").stream(range(50), chunk=1)
    sources, distances = next(stream)
    assert sources.tolist() == [0] and np.isfinite(distances).all()
    del stream
    assert shown.getvalue().endswith("\r")


# Times for readers: their unit and their digits.


def test_seconds_for_a_person_have_a_unit_and_three_digits():
    for seconds, text in (
        (1.25e-05, "12.5 µs"),
        (0.000999999, "1.00 ms"),
        (0.695, "0.695 s"),
        (1137.63, "1,140 s"),
        (3599.9, "1.00 h"),
        (86400.0, "24.00 h"),
    ):
        assert readable_seconds(seconds) == text
    for seconds, text in ((9.996e-7, "1.00 µs"), (3.4e-3, "3.40 ms"), (0.9999, "1.00 s"), (1320, "1,320 s")):
        assert readable_seconds(seconds, 3, ms_below=1) == text


def test_a_column_has_one_unit():
    for column, texts in (
        ([756.4, 5028.0, 155121.0], ["756 s", "5,030 s", "155,000 s"]),
        ([5028.0, 155121.0], ["1.40 h", "43.09 h"]),
        ([8.5e-5, 8.9e-4, 0.0325], ["85.0 µs", "890 µs", "32,500 µs"]),
        ([0.0, None, 0.002, 0.104], ["0 ms", "2.00 ms", "104 ms"]),
        ([8.5e-5, 0.0325, 1015.7], ["0.0000850 s", "0.0325 s", "1,020 s"]),  # not 1,020,000 ms
    ):
        unit = common_unit(column)
        assert [readable_seconds(seconds, unit=unit) for seconds in column if seconds is not None] == texts
    assert common_unit([None]) is None


def test_a_forked_process_shows_what_it_does_while_a_thread_of_the_other_one_draws(terminal):
    terminal()
    draws, ends = threading.Event(), threading.Event()

    def draw():
        with progress.Progress("here", "rows", 10**9) as bar:
            while not ends.is_set():
                bar(1)
                draws.set()

    thread = threading.Thread(target=draw)
    thread.start()
    try:
        draws.wait()
        for _ in range(12):
            child = os.fork()
            if child == 0:
                signal.alarm(20)  # ends it, if it waits for a lock of a thread that it does not have
                with progress.Progress("there", "rows", 3) as bar:
                    bar(3)
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
    finally:
        ends.set()
        thread.join()
