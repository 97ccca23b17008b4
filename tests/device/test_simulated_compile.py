"""Compiling for the simulated GPU: error messages, and the cache of objects."""

import errno
import os
import platform
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from every_device import KERNELS
from tiny_graphs import named

from warpath.device import available_devices
from warpath.device.simulated.compile import find_compiler, load
from warpath.device.simulated.device import SimulatedDevice
from warpath.errors import DeviceError
from warpath.system import kernel_caches
from warpath.system.kernel_caches import cache_folder

SCRIPT = """
import sys
from pathlib import Path
import numpy as np
from warpath.device.simulated.device import SimulatedDevice

file, *macros = sys.argv[1:]
device = SimulatedDevice()
kernel = device.kernel(Path(file), "fill", {name: int(value) for name, value in (m.split("=") for m in macros)})
output = np.zeros(4, np.int32)
kernel((1,), (4,), output=output)
print(*output)
"""


@pytest.fixture
def kernel_file(tmp_path):
    (tmp_path / "value.cuh").write_text("#define VALUE 5\n")
    file = tmp_path / "fill.cu"
    file.write_text(
        '#include "value.cuh"\n#ifndef MORE\n#define MORE 0\n#endif\n'
        'extern "C" __global__ void fill(int* output) { output[threadIdx.x] = VALUE + MORE; }\n'
    )
    return file


@pytest.fixture
def logged_compiler(tmp_path, monkeypatch):
    """A compiler that logs its calls in ``calls``; $CXX names it. The cache of new processes is empty."""
    path = tmp_path / "compiler"
    # Without optimisation, because these tests are about the cache.
    path.write_text(f'#!/bin/sh\necho call >> "{tmp_path}/calls"\nexec {shlex.join(find_compiler())} "$@" -O0\n')
    path.chmod(0o755)
    monkeypatch.setenv("CXX", str(path))
    monkeypatch.setenv("WARPATH_CACHE", str(tmp_path / "cache"))
    return path


def start(*arguments):
    command = [sys.executable, "-c", SCRIPT, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(*arguments):
    process = start(*arguments)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return output.split()


def calls(tmp_path):
    return len((tmp_path / "calls").read_text().splitlines())


def test_a_second_process_does_not_compile_again(tmp_path, kernel_file, logged_compiler):
    assert run(kernel_file) == ["5"] * 4
    assert calls(tmp_path) == 2  # the runtime and the kernels
    assert run(kernel_file) == ["5"] * 4
    assert calls(tmp_path) == 2
    assert run(kernel_file, "MORE=-7") == ["-2"] * 4
    assert calls(tmp_path) == 3
    (tmp_path / "value.cuh").write_text("#define VALUE 6\n")
    assert run(kernel_file) == ["6"] * 4
    assert calls(tmp_path) == 4


@pytest.mark.slow
def test_processes_may_fill_the_cache_at_the_same_time(tmp_path, kernel_file, logged_compiler):
    processes = [start(kernel_file) for _ in range(3)]
    for process in processes:
        assert process.communicate(timeout=120)[0].split() == ["5"] * 4
    files = sorted((tmp_path / "cache").iterdir())
    assert [file.suffix for file in files] == [".so", ".so"]


def test_without_a_compiler_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DeviceError, match="install"):
        SimulatedDevice()
    assert "not available" in available_devices()["simulated"]


def test_a_compiler_of_a_conda_environment_that_is_not_activated_is_found(monkeypatch, tmp_path):
    """A job runs the environment's Python by its path."""
    compiler = tmp_path / f"{platform.machine()}-conda-linux-gnu-c++"
    compiler.touch(mode=0o755)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert find_compiler() == [str(compiler)]


def test_a_cxx_that_is_no_compiler_is_one_sentence(monkeypatch, tmp_path):
    monkeypatch.setenv("WARPATH_CACHE", str(tmp_path))
    linker_fails = " ".join([*find_compiler(), "-lmissing_library"])
    for compiler, says in (
        ("/nonexistent/c++ -O3", "/nonexistent.*CXX"),
        ("'x", "CXX"),
        ("'' -O2", "CXX"),
        ("/", "CXX"),
        ("true", "CXX"),
        ("false", None),
        (linker_fails, "missing_library"),
    ):
        monkeypatch.setenv("CXX", compiler)
        with named(compiler), pytest.raises(DeviceError, match=says) as refused:
            load("int x;", "the text")
        assert "\n" not in str(refused.value)
    monkeypatch.setenv("CXX", "")  # is as good as none
    assert SimulatedDevice().kind == "simulated"


def test_a_compiler_that_fails_is_quoted(monkeypatch, tmp_path, kernel_file):
    compiler = tmp_path / "compiler"
    compiler.write_text("#!/bin/sh\necho no licence >&2\nexit 3\n")
    compiler.chmod(0o755)
    device = SimulatedDevice()
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("WARPATH_CACHE", str(tmp_path / "cache"))
    with pytest.raises(DeviceError, match=r"fill\.cu .*no licence"):
        device.kernel(kernel_file, "fill")
    assert not (tmp_path / "cache").exists()


def test_a_compile_error_names_file_and_line(tmp_path):
    with pytest.raises(DeviceError, match=rf"^{KERNELS / 'broken.cu'}:4:.*missing_name"):
        SimulatedDevice().kernel(KERNELS / "broken.cu", "broken")
    (tmp_path / "part.cuh").write_text("\n\n__device__ int half(int x) { return x / two; }\n")
    file = tmp_path / "whole.cu"
    file.write_text('#include "part.cuh"\nextern "C" __global__ void whole(int* x) { *x = half(*x); }\n')
    with pytest.raises(DeviceError, match=rf"^{tmp_path}/part\.cuh:3:.*two"):
        SimulatedDevice().kernel(file, "whole")


def test_kernels_that_are_not_there(tmp_path):
    device = SimulatedDevice()
    with pytest.raises(DeviceError, match=r"'missing'.*add_one"):
        device.kernel(KERNELS / "plain.cu", "missing")
    with pytest.raises(DeviceError, match="not_compiled"):
        device.kernel(KERNELS / "plain.cu", "not_compiled")
    file = tmp_path / "empty.cu"
    file.write_text("__global__ void mangled(int* x) {}\n")
    with pytest.raises(DeviceError, match="no kernel"):
        device.kernel(file, "mangled")
    file.write_text('extern "C" __global__ void plain(int* x) {\n    extern __shared__ int row[];\n}\n')
    with pytest.raises(DeviceError, match="DYNAMIC_SHARED"):
        device.kernel(file, "plain")


# The cache by itself


TEXT = 'extern "C" __attribute__((visibility("default"))) int value() { return VALUE; }\n'
LOAD = """
import sys
from warpath.device.simulated.compile import load
print(load(sys.argv[1], "the text").value())
"""


@pytest.fixture
def kept_cache(tmp_path, logged_compiler):
    """The cache, with the object of ``text(7)`` in it, compiled by one call."""
    assert value_in_new_process(7) == (7, "")
    return tmp_path / "cache"


def text(value):
    return TEXT.replace("VALUE", str(value))


def value_in_new_process(value):
    """What a new process finds, and what it says: objects stay loaded, and a wrong one ends the process."""
    done = subprocess.run([sys.executable, "-c", LOAD, text(value)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return int(done.stdout), done.stderr


def the_object(kept_cache):
    (path,) = kept_cache.iterdir()
    return path


@pytest.mark.parametrize(("damage", "compiled"), [("empty", 1), ("a folder", 2)])
def test_an_object_that_cannot_be_loaded_is_compiled_anew(tmp_path, kept_cache, damage, compiled):
    path = the_object(kept_cache)
    path.unlink()
    if damage == "empty":
        path.touch()
    else:
        path.mkdir()
    assert value_in_new_process(7)[0] == 7
    assert value_in_new_process(7)[0] == 7
    assert calls(tmp_path) == 1 + compiled


@pytest.mark.parametrize(
    ("folder", "says"), [("file/cache", "File exists"), ("file", "File exists"), ("/proc/cache", "No such file")]
)
def test_a_cache_that_cannot_be_used_is_named_once_and_left_alone(tmp_path, logged_compiler, monkeypatch, folder, says):
    (tmp_path / "file").touch()
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("WARPATH_CACHE", str(tmp_path / folder))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    found, said = value_in_new_process(7)
    assert found == 7
    assert said.count("\n") == 1 and str(tmp_path / folder) in said and says in said
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["calls", "compiler", "file", "temporary"]


def test_a_cache_behind_a_link_of_one_s_own(tmp_path, logged_compiler, kept_cache, monkeypatch):
    assert kept_cache.stat().st_mode & 0o777 == 0o700
    (tmp_path / "link").symlink_to(kept_cache)
    monkeypatch.setenv("WARPATH_CACHE", str(tmp_path / "link"))
    assert value_in_new_process(7) == (7, "")
    assert calls(tmp_path) == 1
    monkeypatch.setenv("CXX", f"{logged_compiler} -O1")  # another compiler makes its own
    assert value_in_new_process(7) == (7, "")
    assert calls(tmp_path) == 2


@pytest.mark.parametrize("number", [errno.EROFS, errno.ENOSPC])
def test_a_cache_that_takes_no_object(logged_compiler, tmp_path, monkeypatch, capsys, number):
    """A read-only folder, a full disk: what the system answers, since tests may run as root, whom no mode stops."""
    really_open = os.open

    def refuse(path, flags, *mode, **where):
        if str(path).startswith(str(tmp_path / "cache")) and flags & os.O_CREAT:
            raise OSError(number, "refused", str(path))
        return really_open(path, flags, *mode, **where)

    monkeypatch.setattr(os, "open", refuse)
    for value in (1, 2):
        assert load(text(value), "the text").value() == value
    assert calls(tmp_path) == 2  # what was compiled is used: not once for the cache and once without
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and str(tmp_path / "cache") in said
    assert list((tmp_path / "cache").iterdir()) == []


def test_a_cache_without_execution(logged_compiler, tmp_path, monkeypatch, capsys):
    really_load = kernel_caches.ctypes.CDLL

    def refuse(path, mode):
        if path.startswith(str(tmp_path / "cache")):
            raise OSError(f"{path}: failed to map segment from shared object")
        return really_load(path, mode)

    monkeypatch.setattr(kernel_caches.ctypes, "CDLL", refuse)
    assert load(text(3), "the text").value() == 3
    assert load(text(3), "the text").value() == 3
    assert capsys.readouterr().err.count("failed to map segment") == 1


def test_an_object_that_another_node_has_kept_meanwhile_is_not_replaced(tmp_path, kept_cache):
    """Where a file system is on a network, a program may lose the pages of a file that another machine replaces."""
    path = the_object(kept_cache)
    copy = tmp_path / "compiled.so"
    copy.write_bytes(path.read_bytes())
    before = path.stat()
    assert kernel_caches.store_and_load(copy, path.stem, os.RTLD_NOW).value() == 7
    assert os.path.samestat(before, path.stat())


def test_where_the_cache_is(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", "/home/someone")
    monkeypatch.delenv("WARPATH_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == Path("/home/someone/.cache/warpath")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_folder() == Path("/caches/warpath")
    monkeypatch.setenv("WARPATH_CACHE", "/mine")
    assert cache_folder() == Path("/mine")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WARPATH_CACHE", ".")  # the loader looks for a name without a folder elsewhere
    assert cache_folder() == tmp_path
