"""What can be done with a folder, and with the caches of other packages that lie in folders."""

import os
import sys
import tempfile
import types
from pathlib import Path

import pytest

from warpath.cli.doctor import print_folders
from warpath.system import folders, kernel_caches

MOUNTS = """\
22 1 259:1 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p1 rw
30 22 0:26 / /home rw,relatime shared:5 - nfs4 server:/home rw,vers=4.2
31 30 0:27 / /home/a\\040b rw,relatime - fuse.sshfs a@b: rw
32 22 0:28 / /scratch rw - ext4 /dev/sdb rw
33 22 0:29 / /scratch rw - lustre 10.0.0.1@o2ib:/scratch rw,flock
"""


@pytest.mark.parametrize(
    ("folder", "kind", "shared"),
    [
        ("/", "ext4", False),
        ("/homes/x", "ext4", False),
        ("/home/someone/warpath", "nfs4", True),
        ("/home/a b/warpath", "fuse.sshfs", True),
        ("/scratch/x", "lustre", True),
    ],
)
def test_the_file_system_of_a_folder(tmp_path, monkeypatch, folder, kind, shared):
    (tmp_path / "mountinfo").write_text(MOUNTS)
    monkeypatch.setattr(folders, "_MOUNTS", tmp_path / "mountinfo")
    assert folders.file_system(Path(folder)) == kind
    assert folders.is_on_a_network(kind) is shared


def test_a_system_that_does_not_tell_its_mounts(tmp_path, monkeypatch):
    monkeypatch.setattr(folders, "_MOUNTS", tmp_path / "none")
    assert folders.file_system(tmp_path) == "unknown"


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


def test_a_cache_of_cupy_that_can_be_written_is_left_alone(cupy, tmp_path, capsys):
    cupy()
    assert os.environ["CUPY_CACHE_DIR"] == "" and capsys.readouterr().err == ""
    assert not (tmp_path / "home").exists()


def test_a_cache_of_cupy_that_cannot_be_written_is_replaced_for_this_process(cupy, tmp_path, monkeypatch, capsys):
    (tmp_path / "home").touch()
    monkeypatch.setattr(folders.atexit, "register", lambda function, folder, **_: left.append(folder))
    left: list[str] = []
    cupy()
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and f"its cache {tmp_path}/home/.cupy/kernel_cache cannot be used: Not a dir" in said
    assert os.environ["CUPY_CACHE_DIR"] == left[0]
    Path(left[0]).rmdir()


def test_no_cupy_no_look_at_its_cache(monkeypatch, capsys):
    monkeypatch.setenv("CUPY_CACHE_DIR", "/proc/none")
    monkeypatch.setattr(kernel_caches.importlib.util, "find_spec", lambda _name: None)
    kernel_caches.ensure_cupy_cache.__wrapped__()
    assert os.environ["CUPY_CACHE_DIR"] == "/proc/none" and capsys.readouterr().err == ""


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


def test_a_folder_that_forbids_execution_is_told(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("WARPATH_CACHE", str(tmp_path / "new"))
    monkeypatch.setattr(
        "os.statvfs", lambda _folder: types.SimpleNamespace(f_flag=os.ST_NOEXEC, f_bavail=1, f_frsize=1)
    )
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: types.SimpleNamespace(free=1))
    print_folders()
    assert "NOT USABLE: it is mounted noexec" in capsys.readouterr().out
