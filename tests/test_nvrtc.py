"""Every kernel compiles for GPUs, with the compiler that CuPy uses; needs no GPU, only NVIDIA's package of NVRTC."""

import ctypes
import importlib.util
import re
from pathlib import Path

import pytest

from warpath.device.kernel_source import expanded_source, kernel_files
from warpath.package import PACKAGE_ROOT

ARCHITECTURES = ("compute_75", "compute_90")


def nvrtc_library() -> ctypes.CDLL | None:
    """NVRTC from the ``nvidia-cuda-nvrtc`` package, or None."""
    package = importlib.util.find_spec("nvidia")
    for folder in package.submodule_search_locations if package else ():
        for library in sorted(Path(folder).rglob("libnvrtc.so.*")):
            if "builtins" not in library.name:
                return ctypes.CDLL(str(library))
    return None


@pytest.fixture(scope="module")
def nvrtc():
    library = nvrtc_library()
    if library is None:
        pytest.skip("the package nvidia-cuda-nvrtc is not installed")
    return library


def compile_log(nvrtc: ctypes.CDLL, text: str, name: str, options: list[str]) -> str | None:
    """None where ``text`` compiles, else what the compiler says."""
    program = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), name.encode(), 0, None, None) == 0
    encoded = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    try:
        if nvrtc.nvrtcCompileProgram(program, len(options), encoded) == 0:
            return None
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        return log.value.decode()
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def registers_a_thread(nvrtc: ctypes.CDLL, text: str, name: str) -> list[int]:
    """The register count of each kernel of ``text``, compiled to machine code of an H100 or H200."""
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), name.encode(), 0, None, None) == 0
    options = (ctypes.c_char_p * 2)(b"--std=c++17", b"--gpu-architecture=sm_90")
    assert nvrtc.nvrtcCompileProgram(program, len(options), options) == 0
    assert nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size)) == 0
    cubin = ctypes.create_string_buffer(size.value)
    assert nvrtc.nvrtcGetCUBIN(program, cubin) == 0
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    # Entries of the section .nv.info: format, attribute (0x2f is the register count), size, symbol, count.
    entry = re.compile(rb"\x04\x2f\x08\x00.{4}(.{4})", re.DOTALL)
    return [int.from_bytes(count, "little") for count in entry.findall(cubin.raw)]


@pytest.mark.parametrize(
    "kernel", ["floyd_warshall/tiled_shared", "blocked_all_pairs/blocked", "transitive_closure/blocked"]
)
def test_two_blocks_of_the_blocked_scheme_share_a_multiprocessor(nvrtc, kernel):
    """Blocks of 1024 threads: beyond 32 registers a thread only one fits, which took 1.4 times as long on an H200."""
    file = PACKAGE_ROOT / "algorithms" / f"{kernel}.cu"
    counts = registers_a_thread(nvrtc, expanded_source(file), file.name)
    assert len(counts) >= 3 and max(counts) <= 32, counts


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("file", kernel_files(), ids=lambda f: f"{f.parent.name}.{f.stem}")
def test_compiles(nvrtc, file, architecture):
    options = ["--std=c++17", f"--gpu-architecture={architecture}"]
    text = expanded_source(file)
    assert compile_log(nvrtc, text, file.name, options) is None
    for macro, value in (("NEGATIVE_WEIGHTS", 1), ("VERTEX_BITS", 6), ("CELL_BITS", 16)):
        if macro in text:
            assert compile_log(nvrtc, text, file.name, [*options, f"-D{macro}={value}"]) is None


def test_a_broken_kernel_is_noticed(nvrtc):
    log = compile_log(nvrtc, 'extern "C" __global__ void broken(int n) { n = m; }', "broken.cu", [])
    assert "broken.cu(1): error" in log
