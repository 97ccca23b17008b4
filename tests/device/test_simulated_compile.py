"""Compiling for the simulated GPU: error messages, and the cache of objects."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from warpath.device import available_devices
from warpath.device.simulated.compile import find_compiler, load
from warpath.device.simulated.device import SimulatedDevice
from warpath.errors import DeviceError

KERNELS = Path(__file__).resolve().parents[1] / "kernels"
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
def environment(tmp_path):
    """The environment of a process with an empty cache and a compiler that logs its calls in ``calls``."""
    compiler = tmp_path / "compiler"
    # Without optimisation, because these tests are about the cache.
    compiler.write_text(f'#!/bin/sh\necho call >> "{tmp_path}/calls"\nexec {" ".join(find_compiler())} "$@" -O0\n')
    compiler.chmod(0o755)
    return {**os.environ, "CXX": str(compiler), "WARPATH_CACHE": str(tmp_path / "cache" / "below")}


def start(environment, *arguments):
    command = [sys.executable, "-c", SCRIPT, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run(environment, *arguments):
    process = start(environment, *arguments)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    return output.split()


def calls(tmp_path):
    return len((tmp_path / "calls").read_text().splitlines())


def test_a_second_process_does_not_compile_again(tmp_path, kernel_file, environment):
    assert run(environment, kernel_file) == ["5"] * 4
    assert calls(tmp_path) == 2  # the runtime and the kernels
    assert run(environment, kernel_file) == ["5"] * 4
    assert calls(tmp_path) == 2
    assert run(environment, kernel_file, "MORE=-7") == ["-2"] * 4
    assert calls(tmp_path) == 3
    (tmp_path / "value.cuh").write_text("#define VALUE 6\n")
    assert run(environment, kernel_file) == ["6"] * 4
    assert calls(tmp_path) == 4
    assert run({**environment, "CXX": environment["CXX"] + " -O1"}, kernel_file) == ["6"] * 4
    assert calls(tmp_path) == 6


def test_processes_may_fill_the_cache_at_the_same_time(tmp_path, kernel_file, environment):
    processes = [start(environment, kernel_file) for _ in range(3)]
    for process in processes:
        assert process.communicate(timeout=120)[0].split() == ["5"] * 4
    files = sorted((tmp_path / "cache" / "below").iterdir())
    assert [file.suffix for file in files] == [".so", ".so"]


def test_a_damaged_object_is_made_again(tmp_path, kernel_file, environment):
    run(environment, kernel_file)
    for file in (tmp_path / "cache" / "below").iterdir():
        file.write_bytes(b"not an object")
    assert run(environment, kernel_file) == ["5"] * 4
    assert calls(tmp_path) == 4


def test_without_a_cache_that_can_be_written_it_works_all_the_same(tmp_path, kernel_file, environment):
    (tmp_path / "file").touch()
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment |= {"WARPATH_CACHE": str(tmp_path / "file" / "cache"), "TMPDIR": str(temporary)}
    assert run(environment, kernel_file) == ["5"] * 4
    assert list(temporary.iterdir()) == []


def test_without_a_compiler_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DeviceError, match=r"no c\+\+, g\+\+ or clang\+\+ .* apt install g\+\+.*cxx-compiler"):
        SimulatedDevice()
    assert "not available: the simulated GPU needs a C++ compiler" in available_devices()["simulated"]


def test_a_compiler_of_a_conda_environment_that_is_not_activated_is_found(monkeypatch, tmp_path):
    """A job runs the environment's Python by its path."""
    compiler = tmp_path / f"{platform.machine()}-conda-linux-gnu-c++"
    compiler.touch(mode=0o755)
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert find_compiler() == [str(compiler)]


def test_a_wrong_cxx_is_named(monkeypatch):
    monkeypatch.setenv("CXX", "/nonexistent/c++ -O3")
    with pytest.raises(DeviceError, match=r"/nonexistent/c\+\+\x27 \(from \$CXX\) does not exist; install one"):
        SimulatedDevice()


@pytest.mark.parametrize("compiler", ["'x", 'c++ "-O', "x\\", "''", "'' -O2", "/", "true", "false"])
def test_a_cxx_that_is_no_compiler_is_one_sentence(compiler, tmp_path):
    program = (
        "import os, sys, warpath.device.simulated.compile as c\n"
        "from warpath.errors import DeviceError\n"
        "os.environ.update(CXX=sys.argv[1], WARPATH_CACHE=sys.argv[2])\n"
        "try: c.load('int x;', 'the text')\n"
        "except DeviceError as error: print(error)\n"
    )
    command = [sys.executable, "-c", program, compiler, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr, done.stdout.count("\n")) == (0, "", 1)
    assert "CXX" in done.stdout or compiler == "false"


def test_an_empty_cxx_is_as_good_as_none(monkeypatch):
    monkeypatch.setenv("CXX", "")
    assert SimulatedDevice().kind == "simulated"


def test_a_linker_that_fails_is_quoted(monkeypatch):
    monkeypatch.setenv("CXX", " ".join([*find_compiler(), "-lmissing_library"]))
    with pytest.raises(DeviceError, match=r"the text does not compile for .*: .*ld.*missing_library") as caught:
        load("int value;", "the text")
    assert "\n" not in str(caught.value)


def test_a_compiler_that_fails_is_quoted(monkeypatch, tmp_path, kernel_file):
    compiler = tmp_path / "compiler"
    compiler.write_text("#!/bin/sh\necho no licence >&2\nexit 3\n")
    compiler.chmod(0o755)
    device = SimulatedDevice()
    monkeypatch.setenv("CXX", str(compiler))
    monkeypatch.setenv("WARPATH_CACHE", str(tmp_path / "cache"))
    with pytest.raises(
        DeviceError, match=r"fill\.cu does not compile for the simulated GPU with .*compiler: no licence"
    ):
        device.kernel(kernel_file, "fill")
    assert not (tmp_path / "cache").exists()


def test_a_compile_error_names_file_and_line():
    with pytest.raises(DeviceError) as caught:
        SimulatedDevice().kernel(KERNELS / "broken.cu", "broken")
    assert str(caught.value).startswith(f"{KERNELS / 'broken.cu'}:4:")
    assert "missing_name" in str(caught.value)


def test_an_error_in_an_included_file_names_that_file(tmp_path):
    (tmp_path / "part.cuh").write_text("\n\n__device__ int half(int x) { return x / two; }\n")
    file = tmp_path / "whole.cu"
    file.write_text('#include "part.cuh"\nextern "C" __global__ void whole(int* x) { *x = half(*x); }\n')
    with pytest.raises(DeviceError, match=rf"^{tmp_path}/part\.cuh:3:.*two"):
        SimulatedDevice().kernel(file, "whole")


def test_kernels_that_are_not_there(tmp_path):
    device = SimulatedDevice()
    with pytest.raises(
        DeviceError, match=r"plain\.cu has no kernel 'missing'; it has add_one, coordinates, every_type"
    ):
        device.kernel(KERNELS / "plain.cu", "missing")
    with pytest.raises(DeviceError, match="has no kernel 'not_compiled'"):
        device.kernel(KERNELS / "plain.cu", "not_compiled")
    file = tmp_path / "empty.cu"
    file.write_text("__global__ void mangled(int* x) {}\n")
    with pytest.raises(DeviceError, match='has no kernel; a kernel begins with extern "C" __global__ void'):
        device.kernel(file, "mangled")
    file.write_text('extern "C" __global__ void plain(int* x) {\n    extern __shared__ int row[];\n}\n')
    with pytest.raises(DeviceError, match="DYNAMIC_SHARED"):
        device.kernel(file, "plain")
