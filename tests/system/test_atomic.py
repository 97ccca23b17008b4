"""Files are written whole or not at all, even when the disk is full or the program is stopped."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from full_disk import with_little_room

from warpath.errors import WarpathError
from warpath.system.atomic import atomic_write, check_writable, write_text


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_file_appears_with_its_folder_and_nothing_else(tmp_path):
    write_text(tmp_path / "deep" / "er" / "file.txt", "ä\n")
    assert (tmp_path / "deep" / "er" / "file.txt").read_bytes() == b"\xc3\xa4\n"
    assert names(tmp_path / "deep" / "er") == ["file.txt"]


def test_an_error_leaves_the_old_file_and_no_other(tmp_path):
    target = tmp_path / "file.txt"
    write_text(target, "old")
    with pytest.raises(ZeroDivisionError), atomic_write(target) as temporary:
        temporary.write_text("half")
        assert target.read_text() == "old"
        raise ZeroDivisionError
    assert target.read_text() == "old"
    assert names(tmp_path) == ["file.txt"]


def test_threads_that_write_one_path_do_not_meet(tmp_path):
    target = tmp_path / "file.txt"

    def save(thread):
        for number in range(50):
            write_text(target, f"{thread} {number}\n" * 200)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(save, range(8)))
    assert names(tmp_path) == ["file.txt"]
    assert len(set(target.read_text().splitlines())) == 1


def test_a_file_has_the_mode_that_the_umask_leaves(tmp_path):
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "file.txt", "text")
    finally:
        os.umask(before)
    assert (tmp_path / "file.txt").stat().st_mode & 0o777 == 0o640


def test_what_a_killed_process_left_is_swept_after_a_day(tmp_path):
    with atomic_write(tmp_path / "file.txt") as left:
        pass
    left.touch()
    os.link(left, tmp_path / ".file.notes.txt")
    write_text(tmp_path / "file.txt", "new")
    assert left.exists()
    yesterday = time.time() - 25 * 3600
    os.utime(left, (yesterday, yesterday))
    write_text(tmp_path / "file.csv", "another suffix")
    assert left.exists()
    write_text(tmp_path / "file.txt", "new")
    assert names(tmp_path) == [".file.notes.txt", "file.csv", "file.txt"]


def test_a_link_with_the_temporary_name_is_not_followed(tmp_path, monkeypatch):
    (tmp_path / "precious").write_text("precious")
    monkeypatch.setattr("warpath.system.atomic.temporary_name", lambda _target: "taken")
    (tmp_path / "taken").symlink_to("precious")
    for write in (check_writable, lambda target: write_text(target, "text")):
        with pytest.raises(WarpathError, match="cannot be written"):
            write(tmp_path / "file.txt")
    assert names(tmp_path) == ["precious", "taken"]
    assert (tmp_path / "precious").read_text() == "precious"


@pytest.mark.parametrize(
    "name", ["plain", "two.dots.tar.gz", ".hidden", "back\\slash.csv", "a[1]*.csv", "- \n.csv", "ä" * 120 + ".txt"]
)
def test_the_temporary_name_keeps_the_suffix(tmp_path, name):
    """NumPy and matplotlib choose the format by it."""
    target = tmp_path / name
    check_writable(target)
    with atomic_write(target) as temporary:
        assert temporary.suffix == (target.suffix or ".part")
        assert temporary.parent == tmp_path
    assert names(tmp_path) == [name]


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for target in (tmp_path / "folder", tmp_path / "file" / "x", tmp_path / "file" / "x" / "y", tmp_path / ("n" * 300)):
        with pytest.raises(WarpathError, match=r"cannot be written .*choose another path"):
            write_text(target, "text")
    assert names(tmp_path) == ["file", "folder"]
    assert names(tmp_path / "folder") == []


@pytest.mark.parametrize("folder", [".", "..", "/", ""])
def test_a_folder_without_a_name_cannot_be_written(tmp_path, monkeypatch, folder):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WarpathError, match=r"cannot be written \(Is a directory\); choose another path"):
        write_text(folder, "text")
    assert names(tmp_path) == []


@pytest.mark.parametrize("target", ["/dev/null", "pipe", "link"])
def test_what_is_no_regular_file_is_not_replaced(tmp_path, monkeypatch, target):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    os.symlink("pipe", "link")
    for write in (check_writable, lambda path: write_text(path, "text")):
        with pytest.raises(WarpathError, match=r"cannot be written \(it is a device, a FIFO or a socket\)"):
            write(target)
    assert names(tmp_path) == ["link", "pipe"]


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_to_a_file_stays_a_link(tmp_path, exists):
    (tmp_path / "elsewhere").mkdir()
    file, link = tmp_path / "elsewhere" / "file", tmp_path / "link"
    if exists:
        file.write_text("old")
    link.symlink_to(file)
    write_text(link, "new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert names(tmp_path) == ["elsewhere", "link"]
    assert names(tmp_path / "elsewhere") == ["file"]


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b"])
def test_a_name_that_no_file_can_have(tmp_path, name):
    for write in (check_writable, lambda path: write_text(path, "text")):
        with pytest.raises(WarpathError, match="cannot be written"):
            write(tmp_path / name)


@pytest.mark.parametrize("name", ["file", "folder/file"])
def test_a_system_that_takes_no_files(name):
    with pytest.raises(WarpathError, match=rf"/proc/{name}: cannot be written .*choose another path"):
        write_text(f"/proc/{name}", "text")
    with pytest.raises(WarpathError, match=rf"/proc/{name}: cannot be written .*choose another path"):
        check_writable(f"/proc/{name}")


def test_a_missing_file_that_is_read_is_not_the_output(tmp_path):
    with pytest.raises(FileNotFoundError, match="source"), atomic_write(tmp_path / "file"):
        (tmp_path / "source").read_text()


def test_checking_a_place_leaves_it_as_it_was(tmp_path):
    check_writable(tmp_path / "deep" / "er" / "file.txt")
    assert names(tmp_path) == []
    write_text(tmp_path / "file", "old")
    check_writable(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "old"
    for target in (tmp_path, tmp_path / "file" / "x", tmp_path / ("n" * 300)):
        with pytest.raises(WarpathError, match="cannot be written"):
            check_writable(target)
    assert names(tmp_path) == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(WarpathError, match="cannot be written"):
        write_text(tmp_path / "file", "text")


def run_limited(program, bytes_max):
    return with_little_room(["-c", textwrap.dedent(program)], bytes_max)


def test_a_full_disk_gives_one_sentence_and_leaves_nothing(tmp_path):
    done = run_limited(
        f"""
        from warpath.system.atomic import write_text
        from warpath.errors import WarpathError
        try:
            write_text({str(tmp_path / "file.txt")!r}, "x" * 100_000)
        except WarpathError as error:
            print(error)
        """,
        bytes_max=10_000,
    )
    assert done.stdout.startswith(f"{tmp_path / 'file.txt'}: the disk is full")
    assert (done.stdout.count("\n"), done.stderr) == (1, "")
    assert names(tmp_path) == []


def test_a_full_disk_while_saving_a_graph(tmp_path):
    done = run_limited(
        f"""
        import numpy as np
        from warpath.errors import WarpathError
        from warpath.graphs.csr import from_arcs
        zeros = np.zeros(50_000, np.int32)
        try:
            from_arcs(10, zeros, zeros, zeros).save({str(tmp_path / "graph.npz")!r})
        except WarpathError as error:
            print(error)
        """,
        bytes_max=100_000,
    )
    assert done.stdout.startswith(f"{tmp_path / 'graph.npz'}: the disk is full")
    assert (done.stdout.count("\n"), done.stderr) == (1, "")
    assert names(tmp_path) == []


def test_a_full_disk_under_other_writers(tmp_path):
    """Matplotlib fails again while it closes the PDF; NumPy's error has no number; the others say what they met."""
    done = run_limited(
        f"""
        import gzip
        from pathlib import Path
        import numpy as np
        from matplotlib.figure import Figure
        from warpath.system.atomic import atomic_write
        from warpath.errors import WarpathError
        def draw(path):
            figure = Figure()
            figure.subplots().plot(np.random.default_rng(1).random(5000))
            figure.savefig(path)
        def compress(path):
            with gzip.open(path, "wb") as file:
                file.write(np.random.default_rng(1).bytes(50_000))
        noise = np.random.default_rng(1).random(10_000)
        writers = {{
            "pdf": draw, "svg": draw, "png": draw, "gz": compress, "npy": lambda path: np.save(path, noise),
            "npz": lambda path: np.savez_compressed(path, noise), "bin": noise.tofile,
        }}
        for suffix, write in writers.items():
            try:
                with atomic_write(Path({str(tmp_path)!r}, f"file.{{suffix}}")) as temporary:
                    write(temporary)
            except WarpathError as error:
                print(error)
        """,
        bytes_max=4_000,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 7
    for line in lines:
        assert "the disk is full" in line
    assert names(tmp_path) == []


@pytest.mark.parametrize("signal_number", [signal.SIGTERM, signal.SIGINT])
def test_a_stopped_program_leaves_nothing(tmp_path, signal_number):
    program = f"""
        import sys, time
        import warpath.__main__
        from warpath.system.atomic import atomic_write
        def command(arguments):
            with atomic_write({str(tmp_path / "file.txt")!r}) as temporary:
                temporary.write_text("half")
                print("writing", flush=True)
                for _ in range(600):  # a signal just before a sleep is handled after it
                    time.sleep(0.1)
        warpath.__main__.dispatch = command
        sys.exit(warpath.__main__.main([]))
        """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout.readline() == "writing\n"
        process.send_signal(signal_number)
        _, stderr = process.communicate(timeout=30)
    assert process.returncode == 128 + signal_number
    assert "Traceback" not in stderr
    assert names(tmp_path) == []
