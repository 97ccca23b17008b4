"""CUDA's compiler without a GPU: NVRTC's log, and the sections of machine code."""

import ctypes
import importlib.util
import struct
from pathlib import Path

AS_CUPY = "--device-as-default-execution-space"


def nvrtc_library() -> ctypes.CDLL | None:
    """NVRTC from the ``nvidia-cuda-nvrtc`` package, or None."""
    package = importlib.util.find_spec("nvidia")
    for folder in package.submodule_search_locations if package else ():
        for library in sorted(Path(folder).rglob("libnvrtc.so.*")):
            (builtins,) = library.parent.glob("libnvrtc-builtins.so.*")
            ctypes.CDLL(str(builtins))  # NVRTC 13.0 does not look for it in its own folder
            return ctypes.CDLL(str(library))
    return None


def _compiled(nvrtc: ctypes.CDLL, text: str, name: str, options: list[str]) -> tuple[ctypes.c_void_p, int]:
    """The program, and NVRTC's status: 0 if ``text`` compiles as CuPy compiles it."""
    program = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), name.encode(), 0, None, None) == 0
    encoded = [option.encode() for option in (AS_CUPY, *options)]
    return program, nvrtc.nvrtcCompileProgram(program, len(encoded), (ctypes.c_char_p * len(encoded))(*encoded))


def compile_log(nvrtc: ctypes.CDLL, text: str, name: str, options: list[str]) -> str | None:
    """None where ``text`` compiles, else what the compiler says."""
    program, status = _compiled(nvrtc, text, name, options)
    try:
        if status == 0:
            return None
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetProgramLog(program, log)
        return log.value.decode()
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def machine_code(nvrtc: ctypes.CDLL, text: str, name: str, *further: str, form: str = "CUBIN") -> bytes:
    """``text`` compiled for an H100 or H200: an ELF file, or with the form PTX, a text."""
    program, status = _compiled(nvrtc, text, name, ["--std=c++17", "--gpu-architecture=sm_90", *further])
    assert status == 0
    size = ctypes.c_size_t()
    assert nvrtc[f"nvrtcGet{form}Size"](program, ctypes.byref(size)) == 0
    code = ctypes.create_string_buffer(size.value)
    assert nvrtc[f"nvrtcGet{form}"](program, code) == 0
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return code.raw


def sections(cubin: bytes) -> dict[str, bytes]:
    """The contents of the sections of an ELF file, by name."""
    (begin,), (count, names) = struct.unpack_from("<Q", cubin, 0x28), struct.unpack_from("<HH", cubin, 0x3C)
    headers = [struct.unpack_from("<IIQQQQ", cubin, begin + 64 * number) for number in range(count)]
    found = {}
    for name, kind, _, _, offset, size in headers:
        title = cubin[headers[names][4] + name :].partition(b"\0")[0].decode()
        found[title] = bytes(size) if kind == 8 else cubin[offset : offset + size]  # 8: without content in the file
    return found
