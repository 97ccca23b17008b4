"""The machine's lock: exclusive across processes, gone with its holder, announced when waited for."""

import fcntl
import os
import re
import signal
import socket
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
import sys, time
from pathlib import Path
from warpath_study.measure.lock import machine_held
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


def _folder(path):
    path.mkdir()


def _link(path):
    (path.parent / "precious").write_text("precious")
    path.symlink_to(path.parent / "precious")


def _second_name(path):
    (path.parent / "precious").write_text("precious")
    path.hardlink_to(path.parent / "precious")


def _socket(path):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(os.path.relpath(path))


def _strict_file(path):
    path.write_text("precious")


@pytest.mark.parametrize("block", [_folder, _link, _second_name, os.mkfifo, _socket, _strict_file])
def test_where_the_lock_is_blocked_it_says_so_and_takes_the_next_place(tmp_path, monkeypatch, capsys, block):
    """A blocked path is what any local user can make of a name in a shared folder."""
    bad, good = tmp_path / "bad", tmp_path / "good"
    bad.mkdir()
    good.mkdir()
    block(bad / lock.NAME)
    before = (bad / lock.NAME).lstat()
    really_open = os.open

    def refuse_other_users_files(path, *arguments):
        if block is _strict_file and Path(path) == bad / lock.NAME:
            raise PermissionError(13, "Permission denied")
        return really_open(path, *arguments)

    monkeypatch.setattr(os, "open", refuse_other_users_files)
    monkeypatch.setattr(lock, "_shared_folders", lambda: iter([bad, tmp_path / "missing", bad, good]))
    monkeypatch.setattr(lock, "KERNEL_FILE", tmp_path / "no sysfs")
    with machine_held("nyc"):
        assert "nyc" in (good / lock.NAME).read_text()
    said = capsys.readouterr().err
    assert said.startswith(f"warpath: other users may measure at the same time: the lock is {good / lock.NAME} (")
    assert said.count("\n") == 1
    assert said.count(f"{bad / lock.NAME}: ") == 1
    assert (bad / lock.NAME).lstat() == before
    assert not (bad / "precious").exists() or (bad / "precious").read_text() == "precious"


def test_two_users_without_a_common_folder_take_turns_all_the_same(tmp_path, monkeypatch, capsys):
    (tmp_path / "kernel").touch()
    monkeypatch.setattr(lock, "KERNEL_FILE", tmp_path / "kernel")
    first = tmp_path / "one"
    first.mkdir()
    monkeypatch.setattr(lock, "_shared_folders", lambda: iter([tmp_path / "missing", first]))
    with machine_held("nyc"):
        assert capsys.readouterr().err == ""
        with open(tmp_path / "kernel") as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with open(tmp_path / "kernel") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_the_last_place_is_the_cache_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv("WARPATH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1")
    *others, last = lock._shared_folders()
    assert others[:2] == [Path("/tmp"), Path("/run/user/1")]
    assert last == tmp_path / "cache"
    (tmp_path / "cache").chmod(0o777)
    assert last not in lock._shared_folders()


def test_a_lock_file_that_was_removed_meanwhile_holds_nobody_up(tmp_path, holder):
    """Cleaners of /tmp remove old files: one who waited for the old file must not share the machine with the new."""
    second = start_holder(tmp_path, "second")
    assert "waiting" in second.stderr.readline()
    (tmp_path / lock.NAME).unlink()
    with machine_held("third", tmp_path):
        holder.communicate("\n", timeout=10)
        assert "third" in second.stderr.readline()
    assert second.stdout.readline() == "held\n"
    second.communicate("\n", timeout=10)


def test_a_file_that_does_not_stay_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(lock, "_is_at", lambda _path, _file: False)
    with pytest.raises(WarpathError, match="removed again and again"), machine_held("nyc", tmp_path):
        pass


def test_what_others_wrote_in_the_file_is_printed_without_control_characters(tmp_path, holder):
    (tmp_path / lock.NAME).write_bytes(b"\x1b[2Jevil\nline\xff" + b"x" * 10_000)
    second = start_holder(tmp_path)
    announcement = second.stderr.readline()
    assert "?[2Jevil?line" in announcement
    assert "\x1b" not in announcement
    assert len(announcement) < 500
    second.kill()
    second.communicate()


def test_nowhere_to_lock(tmp_path):
    with pytest.raises(WarpathError, match="no lock file can be opened"), machine_held("nyc", tmp_path / "missing"):
        pass
