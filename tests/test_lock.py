"""The machine's lock: exclusive across processes, gone with its holder, announced when waited for."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from warpath.errors import WarpathError
from warpath.measure import lock
from warpath.measure.lock import machine_held

HOLDER = """
import sys, time
from pathlib import Path
from warpath.measure.lock import machine_held
with machine_held(sys.argv[2], Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def start_holder(folder: Path, purpose: str = "nyc dijkstra naive") -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, folder, purpose],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture
def holder(tmp_path):
    process = start_holder(tmp_path)
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_free_lock_is_taken_silently_and_again(tmp_path, capsys):
    for _ in range(2):
        with machine_held("nyc", tmp_path):
            text = (tmp_path / lock.NAME).read_text()
            assert text.startswith(f"nyc (process {os.getpid()}, since ")
        assert (tmp_path / lock.NAME).read_text() == ""
    assert capsys.readouterr().err == ""


def test_the_second_waits_and_says_for_whom(tmp_path, holder):
    second = start_holder(tmp_path, "bay bellman_ford cpu")
    announcement = second.stderr.readline()
    assert re.search(rf"waiting .* nyc dijkstra naive \(process {holder.pid}, since \d\d:\d\d:\d\d\)", announcement)
    holder.communicate("\n", timeout=10)
    assert second.stdout.readline() == "held\n"
    second.communicate("\n", timeout=10)
    assert second.returncode == 0


def test_a_killed_holder_lets_go(tmp_path, holder, capsys):
    waited = []

    def wait():
        with machine_held("after the crash", tmp_path):
            waited.append(time.monotonic())

    thread = threading.Thread(target=wait)
    thread.start()
    time.sleep(0.2)
    assert not waited
    os.kill(holder.pid, signal.SIGKILL)
    thread.join(timeout=10)
    assert waited
    assert "nyc dijkstra naive" in capsys.readouterr().err


def test_an_error_inside_lets_go(tmp_path, capsys):
    with pytest.raises(RuntimeError), machine_held("first", tmp_path):
        raise RuntimeError
    with machine_held("second", tmp_path):
        pass
    assert capsys.readouterr().err == ""


def test_every_user_can_open_the_file(tmp_path):
    before = os.umask(0o077)
    try:
        with machine_held("first", tmp_path):
            assert (tmp_path / lock.NAME).stat().st_mode & 0o777 == 0o666
    finally:
        os.umask(before)


def test_a_file_that_can_only_be_read_still_locks(tmp_path, monkeypatch, capsys):
    """What another user's strict mode looks like (tests may run as root, whom no mode stops)."""
    really_open = os.open

    def refuse_writing(path, flags, *mode):
        if flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied")
        return really_open(path, flags, *mode)

    (tmp_path / lock.NAME).write_text("someone else")
    monkeypatch.setattr(os, "open", refuse_writing)
    with machine_held("reader", tmp_path):
        assert (tmp_path / lock.NAME).read_text() == "someone else"


def test_a_link_is_not_followed_and_the_next_place_is_tried(tmp_path, monkeypatch):
    bad, good, target = tmp_path / "bad", tmp_path / "good", tmp_path / "precious"
    bad.mkdir()
    good.mkdir()
    target.write_text("precious")
    (bad / lock.NAME).symlink_to(target)
    monkeypatch.setattr(lock, "_shared_folders", lambda: [bad, tmp_path / "missing", good])
    with machine_held("nyc"):
        assert "nyc" in (good / lock.NAME).read_text()
    assert target.read_text() == "precious"


def test_nowhere_to_lock(tmp_path):
    with pytest.raises(WarpathError, match="no lock file can be opened"), machine_held("nyc", tmp_path / "missing"):
        pass
