"""Files are written whole or not at all, wherever; and what can be done with folders of caches."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from full_disk import with_little_room
from tiny_graphs import named

from warpath.cli.doctor import print_folders
from warpath.errors import WarpathError
from warpath.system import folders, kernel_caches
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
        with pytest.raises(WarpathError, match="written"):
            write(tmp_path / "file.txt")
    assert names(tmp_path) == ["precious", "taken"]
    assert (tmp_path / "precious").read_text() == "precious"


def test_the_temporary_name_keeps_the_suffix(tmp_path):
    """NumPy and matplotlib choose the format by it."""
    done = []
    for name in ("plain", "a.tar.gz", ".hidden", "back\\slash.csv", "a[1]*.csv", "- \n.csv", "ä" * 120 + ".txt"):
        target = tmp_path / name
        check_writable(target)
        with atomic_write(target) as temporary:
            assert temporary.suffix == (target.suffix or ".part")
            assert temporary.parent == tmp_path
        done.append(name)
        assert names(tmp_path) == sorted(done)


def test_places_that_cannot_be_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("folder").mkdir()
    os.mkfifo("pipe")
    os.symlink("pipe", "link")
    for target in (
        *("folder", "file/x", "file/x/y", "n" * 300, ".", "..", "/", "", "/proc/file", "/proc/folder/file"),
        *("a\0b", "a\ud800b"),
        *("/dev/null", "pipe", "link"),  # what is no regular file is not replaced
    ):
        for write in (check_writable, lambda path: write_text(path, "text")):
            with named(repr(target)), pytest.raises(WarpathError, match="written"):
                write(target)
    assert names(tmp_path) == ["file", "folder", "link", "pipe"]
    assert names(tmp_path / "folder") == []


def test_a_link_to_a_file_stays_a_link(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    file, link = tmp_path / "elsewhere" / "file", tmp_path / "link"
    link.symlink_to(file)
    for text in ("new", "newer"):
        write_text(link, text)
        assert link.is_symlink() and file.read_text() == text
        assert names(tmp_path) == ["elsewhere", "link"]
        assert names(tmp_path / "elsewhere") == ["file"]


def test_a_missing_file_that_is_read_is_not_the_output(tmp_path):
    with pytest.raises(FileNotFoundError, match="source"), atomic_write(tmp_path / "file"):
        (tmp_path / "source").read_text()


def test_checking_a_place_leaves_it_as_it_was(tmp_path):
    check_writable(tmp_path / "deep" / "er" / "file.txt")
    assert names(tmp_path) == []
    write_text(tmp_path / "file", "old")
    check_writable(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "old" and names(tmp_path) == ["file"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(WarpathError, match="written"):
        write_text(tmp_path / "file", "text")


def test_a_full_disk_under_any_writer_gives_one_sentence_and_leaves_nothing(tmp_path):
    """Matplotlib fails again while it closes the PDF; NumPy's error has no number; the others say what they met."""
    program = f"""
        import gzip
        from pathlib import Path
        import numpy as np
        from matplotlib.figure import Figure
        from warpath.errors import WarpathError
        from warpath.graphs.csr import from_arcs
        from warpath.system.atomic import atomic_write, write_text
        def draw(path):
            figure = Figure()
            figure.subplots().plot(np.random.default_rng(1).random(5000))
            figure.savefig(path)
        def compress(path):
            with gzip.open(path, "wb") as file:
                file.write(np.random.default_rng(1).bytes(50_000))
        def save(path):
            zeros = np.zeros(50_000, np.int32)
            from_arcs(10, zeros, zeros, zeros).save(path)
        noise = np.random.default_rng(1).random(10_000)
        writers = {{
            "pdf": draw, "svg": draw, "gz": compress, "npy": lambda path: np.save(path, noise),
            "bin": noise.tofile, "graph": save, "txt": lambda path: write_text(path, "x" * 100_000),
        }}
        for suffix, write in writers.items():
            try:
                with atomic_write(Path({str(tmp_path)!r}, f"file.{{suffix}}")) as temporary:
                    write(temporary)
            except WarpathError as error:
                print(error)
        """
    done = with_little_room(["-c", textwrap.dedent(program)], 4_000)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 7
    for line in lines:
        assert line.startswith(f"{tmp_path}/") and "the disk is full" in line
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


# What can be done with a folder, and with the caches of other packages that lie in folders.


MOUNTS = """\
22 1 259:1 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw
30 22 0:26 / /home rw,relatime shared:5 - nfs4 server:/home rw,vers=4.2
31 30 0:27 / /home/a\\040b rw,relatime - fuse.sshfs a@b: rw
32 22 0:28 / /scratch rw - ext4 /dev/sdb rw
33 22 0:29 / /scratch rw - lustre 10.0.0.1@o2ib:/scratch rw,flock
"""


def test_the_file_system_of_a_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "_MOUNTS", tmp_path / "mountinfo")
    assert folders.file_system(tmp_path) == "unknown"
    (tmp_path / "mountinfo").write_text(MOUNTS)
    for folder, kind, shared in (
        ("/", "ext4", False),
        ("/homes/x", "ext4", False),
        ("/home/someone/warpath", "nfs4", True),
        ("/home/a b/warpath", "fuse.sshfs", True),
        ("/scratch/x", "lustre", True),
    ):
        assert folders.file_system(Path(folder)) == kind
        assert folders.is_on_a_network(kind) is shared


def test_whether_a_folder_can_be_written_leaves_no_trace(tmp_path):
    (tmp_path / "file").touch()
    assert folders.why_unwritable(tmp_path / "new" / "folder") is None
    assert folders.why_unwritable(tmp_path / "file" / "folder") == "Not a directory"
    assert folders.why_unwritable(Path("/proc/none")) is not None
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


# CuPy's cache. A module called cupy is enough: it is looked for, and not imported.


@pytest.fixture
def cupy(tmp_path, monkeypatch):
    """A package of CuPy's name, and the function that looks at its cache once."""
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages/cupy.py").write_text("raise AssertionError\n")
    monkeypatch.syspath_prepend(tmp_path / "packages")
    monkeypatch.delitem(sys.modules, "cupy", raising=False)
    monkeypatch.setenv("CUPY_CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return kernel_caches.ensure_cupy_cache.__wrapped__


def test_a_cache_of_cupy_that_can_be_written_is_left_alone(cupy, tmp_path, monkeypatch, capsys):
    cupy()
    assert os.environ["CUPY_CACHE_DIR"] == ""
    monkeypatch.setenv("CUPY_CACHE_DIR", "/proc/none")
    monkeypatch.setattr(kernel_caches.importlib.util, "find_spec", lambda _name: None)
    cupy()  # where there is no CuPy
    assert os.environ["CUPY_CACHE_DIR"] == "/proc/none"
    assert not (tmp_path / "home").exists() and capsys.readouterr().err == ""


def test_a_cache_of_cupy_that_cannot_be_written_is_replaced_for_this_process(cupy, tmp_path, monkeypatch, capsys):
    (tmp_path / "home").touch()
    monkeypatch.setattr(folders.atexit, "register", lambda function, folder, **_: left.append(folder))
    left: list[str] = []
    cupy()
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"its cache {tmp_path}/home/.cupy/kernel_cache cannot be used: Not a dir" in said
    assert os.environ["CUPY_CACHE_DIR"] == left[0]
    Path(left[0]).rmdir()


# What `warpath doctor` prints of them.


def test_the_doctor_s_places(tmp_path, monkeypatch, capsys):
    cache = tmp_path / "cache"
    cache.mkdir()
    (cache / "object.so").write_bytes(bytes(2**20))
    monkeypatch.setenv("WARPATH_CACHE", str(cache))
    monkeypatch.setenv("CUPY_CACHE_DIR", "/proc/none")
    monkeypatch.setenv("CUDA_PATH", "/opt/cuda-12.4")
    monkeypatch.setattr(folders, "_MOUNTS", tmp_path / "mountinfo")
    (tmp_path / "mountinfo").write_text("33 22 0:29 / / rw - nfs4 server:/all rw\n")
    monkeypatch.setattr("socket.if_nameindex", lambda: [(1, "lo")])
    print_folders()
    lines = {line[:20].strip(): line[20:].strip() for line in capsys.readouterr().out.splitlines() if line[:2] == "  "}
    assert lines["Python"] == sys.executable and lines["CUDA_PATH"] == "/opt/cuda-12.4"
    assert lines["simulated kernels"].startswith(f"{cache}: 1 files, 1.0 MiB; nfs4, ")
    assert lines["simulated kernels"].endswith("shared with other machines")
    assert lines["CuPy kernels"].endswith("set CUPY_CACHE_DIR to another folder")
    assert "NOT" not in lines["temporary files"] and lines["temporary files"].startswith(tempfile.gettempdir())
    assert lines["network"].startswith("none; fetch graphs")
    monkeypatch.setattr("warpath.cli.doctor.forbids_execution", lambda _folder: True)
    print_folders()
    assert "NOT USABLE: it is mounted noexec" in capsys.readouterr().out
