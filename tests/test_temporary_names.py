"""Temporary files: no two writers share one, and what killed writers left is swept, but nothing that is in use."""

import os
import re
import signal
import subprocess
import sys
import threading
import time

import pytest

from warpath import temporary_names
from warpath.atomic import check_place, write_text, written_whole
from warpath.errors import WarpathError
from warpath.temporary_names import temporary_name

WRITER = """
import sys, time
from warpath.atomic import written_whole
with written_whole(sys.argv[1]) as temporary:
    temporary.write_text("half")
    print(temporary, flush=True)
    time.sleep(60)
"""


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def start_writer(target):
    return subprocess.Popen([sys.executable, "-c", WRITER, target], stdout=subprocess.PIPE, text=True)


@pytest.fixture
def killed_writer(tmp_path):
    """The temporary name that a killed process left beside ``file.txt``."""
    with start_writer(tmp_path / "file.txt") as process:
        left = process.stdout.readline().strip()
        process.send_signal(signal.SIGKILL)
    return os.path.basename(left)


def test_threads_that_write_one_path_do_not_meet(tmp_path):
    target = tmp_path / "file.txt"
    failures = []

    def save(thread):
        for number in range(50):
            try:
                write_text(target, f"{thread} {number}\n" * 200)
            except Exception as error:
                failures.append(error)

    threads = [threading.Thread(target=save, args=(thread,)) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert names(tmp_path) == ["file.txt"]
    assert len(set(target.read_text().splitlines())) == 1


def test_containers_with_equal_process_numbers_do_not_meet(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "getpid", lambda: 7)
    assert len({temporary_name(tmp_path / "a.npz") for _ in range(1000)}) == 1000


def test_what_a_killed_process_left_is_swept_at_the_next_write(tmp_path, killed_writer):
    assert names(tmp_path) == [killed_writer]
    others = [".file.txt.part", ".file.notes.txt", killed_writer.replace(".file.", ".file.other."), "." + killed_writer]
    for name in others:
        (tmp_path / name).touch()
    write_text(tmp_path / "file.csv", "another suffix")
    assert killed_writer in names(tmp_path)
    write_text(tmp_path / "file.txt", "new")
    assert names(tmp_path) == sorted(["file.csv", "file.txt", *others])


def test_what_a_living_process_writes_stays(tmp_path):
    with start_writer(tmp_path / "file.txt") as process:
        written = os.path.basename(process.stdout.readline().strip())
        os.utime(tmp_path / written, (0, 0))
        with written_whole(tmp_path / "file.txt") as ours:
            write_text(tmp_path / "file.txt", "new")
            assert names(tmp_path) == sorted(["file.txt", written, ours.name])
        process.kill()


def test_the_file_of_another_machine_stays_for_a_day(tmp_path, monkeypatch, killed_writer):
    monkeypatch.setattr(temporary_names, "_machine", lambda: "0" * 12)
    write_text(tmp_path / "file.txt", "new")
    assert names(tmp_path) == sorted([killed_writer, "file.txt"])
    yesterday = time.time() - 25 * 3600
    os.utime(tmp_path / killed_writer, (yesterday, yesterday))
    write_text(tmp_path / "file.txt", "new")
    assert names(tmp_path) == ["file.txt"]


def test_a_link_with_the_temporary_name_is_not_followed(tmp_path, monkeypatch):
    (tmp_path / "precious").write_text("precious")
    name = temporary_name(tmp_path / "file.txt")
    monkeypatch.setattr("warpath.atomic.temporary_name", lambda _target: name)
    (tmp_path / name).symlink_to("precious")
    for write in (check_place, lambda target: write_text(target, "text")):
        with pytest.raises(WarpathError, match="cannot be written"):
            write(tmp_path / "file.txt")
    assert names(tmp_path) == sorted([name, "precious"])
    assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.parametrize("length", [120, 200, 251])
def test_a_long_name_that_fits_can_be_written_and_swept(tmp_path, length):
    target = tmp_path / ("ä" * (length // 2) + ".txt")
    with start_writer(target) as process:
        assert process.stdout.readline()
        process.kill()
    assert len(names(tmp_path)) == 1
    check_place(target)
    write_text(target, "text")
    assert names(tmp_path) == [target.name]


@pytest.mark.parametrize("name", ["plain", "two.dots.tar.gz", ".hidden", "back\\slash.csv", "a[1]*.csv", "- \n.csv"])
def test_the_suffix_stays_at_the_end(tmp_path, name):
    target = tmp_path / name
    assert re.search(r"\.part(\.\w+)?\Z", temporary_name(target))
    with written_whole(target) as temporary:
        assert temporary.suffix == (target.suffix or ".part")
    assert names(tmp_path) == [name]
