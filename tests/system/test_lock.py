"""The machine's lock: exclusive across processes, gone with its holder, announced when waited for."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from warpath.errors import WarpathError
from warpath_study.measure import lock
from warpath_study.measure.lock import machine_held

HOLDER = """
import sys
from pathlib import Path
from warpath_study.measure.lock import machine_held
with machine_held(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.fixture
def file(tmp_path):
    return tmp_path / "lock"


def start_holder(file: Path) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, file],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def holder(file):
    process = start_holder(file)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_a_free_lock_is_taken_silently_and_again(file, capsys):
    for _ in range(2):
        with machine_held(file):
            pass
    assert capsys.readouterr().err == ""


def test_the_second_waits_and_says_so_once(file, holder):
    second = start_holder(file)
    assert second.stderr.readline().startswith("waiting")
    holder.communicate("\n", timeout=10)
    assert second.stdout.readline() == "held\n"
    _, said = second.communicate("\n", timeout=10)
    assert (second.returncode, said) == (0, "")


def test_a_killed_holder_lets_go(file, holder):
    waited = []

    def wait():
        with machine_held(file):
            waited.append(time.monotonic())

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.2)
    assert not waited
    os.kill(holder.pid, signal.SIGKILL)
    thread.join(timeout=10)
    assert waited


def test_an_error_inside_lets_go(file, capsys):
    with pytest.raises(RuntimeError), machine_held(file):
        raise RuntimeError
    with machine_held(file):
        pass
    assert capsys.readouterr().err == ""


def test_the_kernel_s_file_is_locked_and_else_one_that_is_made(tmp_path, monkeypatch):
    kernel, made = tmp_path / "kernel", tmp_path / "made"
    monkeypatch.setattr(lock, "KERNEL_FILE", kernel)
    monkeypatch.setattr(lock, "FILE", made)
    for file in (made, kernel):
        with machine_held():
            second = start_holder(file)
            assert second.stderr.readline().startswith("waiting")
        assert second.stdout.readline() == "held\n"
        second.communicate("\n", timeout=10)
        kernel.touch()


def test_a_file_that_cannot_be_opened(tmp_path):
    with pytest.raises(WarpathError), machine_held(tmp_path / "missing" / "lock"):
        pass
