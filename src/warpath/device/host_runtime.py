"""The compiled side of the host device: the runtime and the kernel objects, as simt/interface.h declares them."""

import ctypes
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import DeviceError
from ..locks import once
from .host_compile import load
from .kernel_source import expanded_source

ORDERS = ("forward", "reverse", "shuffle")

# What the runtime returns.
FINISHED, UNFINISHED, FAILED = 0, 1, 2

_KERNEL_NAME = re.compile(
    r'extern\s+"C"\s+__global__\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?void\s+'
    r"(?:__launch_bounds__\s*\([^)]*\)\s*)?(?:CLUSTER\s+)?(\w+)\s*\("
)


class _Parameter(ctypes.Structure):
    """``simt::Parameter``."""

    _fields_ = (
        ("pointer", ctypes.c_bool),
        ("constant", ctypes.c_bool),
        ("kind", ctypes.c_char),
        ("bytes", ctypes.c_int32),
    )


class _Kernel(ctypes.Structure):
    """``simt::Kernel``."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("run", ctypes.c_void_p),
        ("parameters", ctypes.POINTER(_Parameter)),
        ("parameter_count", ctypes.c_int32),
    )


class LaunchRecord(ctypes.Structure):
    """``simt::Launch``."""

    _fields_ = (
        ("kernel", ctypes.c_void_p),
        ("arguments", ctypes.c_void_p),
        ("grid", ctypes.c_uint32 * 3),
        ("block", ctypes.c_uint32 * 3),
        ("dynamic_shared_bytes", ctypes.c_uint32),
        ("order", ctypes.c_int32),
        ("seed", ctypes.c_uint64),
        ("workers", ctypes.c_int32),
        ("static_shared_bytes", ctypes.c_uint32),
        ("static_shared_module", ctypes.c_uint64),
    )


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel: numpy's letter for its kind ("V" for structs and void) and its size in bytes.

    For a pointer both are those of the pointee, and ``constant`` says whether it is const.
    """

    pointer: bool
    constant: bool
    kind: str
    bytes: int


@dataclass(frozen=True)
class CompiledKernel:
    """A kernel in a loaded object. ``address`` is that of its ``simt::Kernel``.

    ``static_shared`` locates the object's ``__shared__`` variables: the object's number in the dynamic loader, and
    their size in bytes; (0, 0) if there are none or they cannot be located.
    """

    name: str
    address: int
    parameters: tuple[Parameter, ...]
    static_shared: tuple[int, int]


@once
def runtime() -> ctypes.CDLL:
    """The runtime, loaded so that kernel objects can link to it."""
    library = load('#include "runtime.h"\n', "the host device's runtime", ctypes.RTLD_GLOBAL)
    library.warpath_launch.argtypes = (ctypes.c_void_p,)
    library.warpath_repeat.argtypes = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64)
    library.warpath_failure.restype = ctypes.c_char_p
    library.warpath_static_shared.restype = ctypes.c_uint64
    library.warpath_prepare()
    return library


def load_kernels(file: Path, macros: Mapping[str, int]) -> dict[str, CompiledKernel]:
    """The kernels of a ``.cu`` file by name, compiled with ``-D`` macros; the file is read at every call."""
    return _load_kernels(_translation_unit(file, macros), str(file))


@once
def _load_kernels(text: str, subject: str) -> dict[str, CompiledKernel]:
    find_static_shared = runtime().warpath_static_shared  # load the runtime first: kernels link to it
    library = load(text, subject)
    count = ctypes.c_int32.in_dll(library, "warpath_kernel_count").value
    table = (_Kernel * count).in_dll(library, "warpath_kernels")
    shared_bytes = ctypes.c_uint32()
    shared_module = find_static_shared(table, ctypes.byref(shared_bytes))
    return {
        kernel.name.decode(): CompiledKernel(
            kernel.name.decode(),
            ctypes.addressof(kernel),
            tuple(
                Parameter(parameter.pointer, parameter.constant, parameter.kind.decode(), parameter.bytes)
                for parameter in kernel.parameters[: kernel.parameter_count]
            ),
            (shared_module, shared_bytes.value),
        )
        for kernel in table
        if kernel.run  # otherwise an #if leaves it out
    }


def _translation_unit(file: Path, macros: Mapping[str, int]) -> str:
    """The C++ text of a ``.cu`` file: kernel.h, the macros, the file with its includes, the table of its kernels."""
    source = expanded_source(file)
    if re.search(r"^[ \t]*extern\s+__shared__", source, re.MULTILINE):
        raise DeviceError(
            f"{file}: declare dynamic shared memory with DYNAMIC_SHARED(type, name) of "
            '"device/simt/dynamic_shared.cuh", which works on the host device too, not with extern __shared__'
        )
    names = sorted(set(_KERNEL_NAME.findall(source)))
    if not names:
        raise DeviceError(f'{file} has no kernel; a kernel begins with extern "C" __global__ void')
    defines = "".join(f"#define {name} {value:d}\n" for name, value in sorted(macros.items()))
    absent = "".join(f"Absent {name}(Absent);\n" for name in names)
    entries = "".join(f'simt::Exported<simt::choose({name}, 0)>::kernel("{name}"),\n' for name in names)
    return (
        f'#include "kernel.h"\n{defines}{source}\n#line 1 "the table of kernels of {file.name}"\n'
        f"namespace simt::absent {{\n{absent}}}\nusing namespace simt::absent;\n"
        f"WARPATH_API const simt::Kernel warpath_kernels[] = {{\n{entries}}};\n"
        f"WARPATH_API const int32_t warpath_kernel_count = {len(names)};\n"
    )
