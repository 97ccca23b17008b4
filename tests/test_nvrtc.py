"""Every kernel compiles for GPUs, with the compiler that CuPy uses; needs no GPU, only NVIDIA's package of NVRTC."""

import ctypes
import importlib.util
from pathlib import Path

import pytest

from warpath import sources

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


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("file", sources.kernel_files(), ids=lambda f: f"{f.parent.name}.{f.stem}")
def test_compiles(nvrtc, file, architecture):
    options = ["--std=c++17", f"--gpu-architecture={architecture}"]
    for macros in ([], ["-DNEGATIVE_WEIGHTS=1"], ["-DVERTEX_BITS=6"]):
        assert compile_log(nvrtc, sources.expanded_source(file), file.name, options + macros) is None


def test_a_broken_kernel_is_noticed(nvrtc):
    log = compile_log(nvrtc, 'extern "C" __global__ void broken(int n) { n = m; }', "broken.cu", [])
    assert "broken.cu(1): error" in log
