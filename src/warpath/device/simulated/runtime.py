"""The compiled part of the simulated GPU (simt/interface.h): the runtime, kernel objects, checked launches."""

import ctypes
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DeviceError
from ...system.locks import once
from ..contract import Dimensions
from ..kernel_source import KERNEL, expanded_source, parameter_names
from ..parameter_names import ParameterNames
from .compile import load

# CUDA's limits since compute capability 3.0; the dynamic shared memory of a Hopper GPU.
GRID_MAX = (2**31 - 1, 65535, 65535)
BLOCK_MAX = (1024, 1024, 64)
BLOCK_THREADS_MAX = 1024
DYNAMIC_SHARED_BYTES_MAX = 227 * 1024

_VALUE_BYTES = 16  # enough for each type of parameter, and for its alignment

ORDERS = ("forward", "reverse", "shuffle")

# Status codes of the runtime.
FINISHED, UNFINISHED, FAILED = 0, 1, 2


class Parameter(ctypes.Structure):
    """``simt::Parameter``; ``kind`` is NumPy's letter ("V" for structs and void), of a value or of the pointee."""

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
        ("parameters", ctypes.POINTER(Parameter)),
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
class CompiledKernel:
    """A kernel in a loaded object; ``address`` points to its ``simt::Kernel``.

    ``static_shared`` is the object's number in the dynamic loader and the size of its ``__shared__`` variables.
    """

    name: str
    address: int
    positions: ParameterNames
    parameters: tuple[Parameter, ...]
    static_shared: tuple[int, int]


@once
def runtime() -> ctypes.CDLL:
    """The runtime; kernel objects link to it."""
    library = load('#include "runtime.h"\n', "the simulated GPU's runtime", ctypes.RTLD_GLOBAL)
    library.warpath_repeat.argtypes = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64)
    library.warpath_failure.restype = ctypes.c_char_p
    library.warpath_static_shared.restype = ctypes.c_uint64
    library.warpath_prepare()
    return library


def load_kernels(file: Path, macros: Mapping[str, int]) -> dict[str, CompiledKernel]:
    """The kernels of a ``.cu`` file by name, compiled with ``-D`` macros. A process reads the file once."""
    return _load_kernels(file, tuple(sorted(macros.items())))


@once
def _load_kernels(file: Path, macros: tuple[tuple[str, int], ...]) -> dict[str, CompiledKernel]:
    find_static_shared = runtime().warpath_static_shared  # load the runtime first: kernels link to it
    text = _translation_unit(file, macros)
    library = load(text, str(file))
    count = ctypes.c_int32.in_dll(library, "warpath_kernel_count").value
    table = (_Kernel * count).in_dll(library, "warpath_kernels")
    shared_bytes = ctypes.c_uint32()
    shared_module = find_static_shared(table, ctypes.byref(shared_bytes))
    names = parameter_names(text)
    compiled = {kernel.name.decode(): kernel for kernel in table if kernel.run}  # otherwise an #if leaves it out
    return {
        name: CompiledKernel(
            name,
            ctypes.addressof(kernel),
            ParameterNames(name, names[name]),
            tuple(kernel.parameters[: kernel.parameter_count]),
            (shared_module, shared_bytes.value),
        )
        for name, kernel in compiled.items()
    }


def _translation_unit(file: Path, macros: Iterable[tuple[str, int]]) -> str:
    """The C++ text for a ``.cu`` file: kernel.h, macros, the expanded file, and the table of its kernels."""
    source = expanded_source(file)
    if re.search(r"^[ \t]*extern\s+__shared__", source, re.MULTILINE):
        raise DeviceError(
            f"{file}: declare dynamic shared memory with DYNAMIC_SHARED(type, name) of "
            '"device/dynamic_shared.cuh", which works on the simulated GPU too, not with extern __shared__'
        )
    names = sorted(set(KERNEL.findall(source)))
    if not names:
        raise DeviceError(f'{file} has no kernel; a kernel begins with extern "C" __global__ void')
    defines = "".join(f"#define {name} {value:d}\n" for name, value in macros)
    absent = "".join(f"Absent {name}(Absent);\n" for name in names)
    entries = "".join(f'simt::Exported<simt::choose({name}, 0)>::kernel("{name}"),\n' for name in names)
    return (
        f'#include "kernel.h"\n{defines}{source}\n#line 1 "the table of kernels of {file.name}"\n'
        f"namespace simt::absent {{\n{absent}}}\nusing namespace simt::absent;\n"
        f"WARPATH_API const simt::Kernel warpath_kernels[] = {{\n{entries}}};\n"
        f"WARPATH_API const int32_t warpath_kernel_count = {len(names)};\n"
    )


def checked_sizes(kernel: str, grid: Dimensions, block: Dimensions, shared_mem: int) -> tuple[Dimensions, Dimensions]:
    """``grid`` and ``block`` as three numbers each. Raises DeviceError if CUDA would refuse the launch."""
    grid = _checked_size(kernel, "grid", grid, GRID_MAX)
    block = _checked_size(kernel, "block", block, BLOCK_MAX)
    threads = block[0] * block[1] * block[2]
    if threads > BLOCK_THREADS_MAX:
        raise DeviceError(f"kernel {kernel}: block {block} has {threads} threads, more than {BLOCK_THREADS_MAX}")
    if not 0 <= shared_mem <= DYNAMIC_SHARED_BYTES_MAX:
        raise DeviceError(
            f"kernel {kernel}: {shared_mem} bytes of dynamic shared memory are not between 0 and "
            f"{DYNAMIC_SHARED_BYTES_MAX}"
        )
    return grid, block


def _checked_size(kernel: str, what: str, dimensions: Dimensions, limits: Dimensions) -> Dimensions:
    if not 1 <= len(dimensions) <= 3:
        raise DeviceError(f"kernel {kernel}: the {what} has {len(dimensions)} dimensions, not one to three")
    size = (*map(int, dimensions), 1, 1)[:3]
    if not all(1 <= length <= limit for length, limit in zip(size, limits, strict=True)):
        raise DeviceError(f"kernel {kernel}: {what} {tuple(dimensions)} is not between (1, 1, 1) and {limits}")
    return size


class PackedArguments:
    """The values of a kernel's arguments, and pointers to them."""

    def __init__(self, kernel: CompiledKernel, arguments: Mapping[str, Any]):
        self._kernel = kernel
        count = len(kernel.positions)
        self._values = bytearray(_VALUE_BYTES * count)
        self._memory = (ctypes.c_char * len(self._values)).from_buffer(self._values)
        first = ctypes.addressof(self._memory)
        self._pointers = (ctypes.c_void_p * count)(*range(first, first + len(self._values), _VALUE_BYTES))
        self.address = ctypes.addressof(self._pointers)
        self.write(arguments)

    def write(self, arguments: Mapping[str, Any]) -> None:
        """Replace these arguments. Raises DeviceError for one of a wrong type or name."""
        kernel = self._kernel
        for name, argument in arguments.items():
            number = kernel.positions[name]
            parameter = kernel.parameters[number]
            mismatch = _mismatch(parameter, argument)
            if mismatch:
                expected = f"expected {_type_name(parameter)}"
                raise DeviceError(f"kernel {kernel.name}, argument {name}: {expected}{mismatch}")
            if parameter.pointer:
                address = 0 if argument is None else argument.__array_interface__["data"][0]
                value = address.to_bytes(8, sys.byteorder)
            else:
                value = argument.tobytes()
            self._values[_VALUE_BYTES * number : _VALUE_BYTES * number + len(value)] = value


def _mismatch(parameter: Parameter, argument: Any) -> str | None:
    """The end of a message about an argument of the wrong type; None if it fits."""
    if parameter.pointer and argument is None:
        return None
    if not isinstance(argument, np.ndarray if parameter.pointer else np.generic):
        return ", got an array" if isinstance(argument, np.ndarray) else f", got a Python {type(argument).__name__}"
    if not parameter.pointer:
        fits = argument.dtype.kind == parameter.kind.decode() and argument.itemsize == parameter.bytes
        return None if fits else f", got numpy.{argument.dtype.name}"
    # Structs and short vectors (int4) may also be passed as an array of numbers.
    may_be_structs = parameter.kind == b"V" and argument.nbytes % max(1, parameter.bytes) == 0
    if argument.itemsize != parameter.bytes and not may_be_structs:
        return f", got an array of numpy.{argument.dtype.name}"
    if not argument.flags.c_contiguous:
        return " that is C-contiguous, got one that is not"
    if not argument.flags.writeable and not parameter.constant:
        return " that is writable, got a read-only one"
    return None


def _type_name(parameter: Parameter) -> str:
    if parameter.kind != b"V":
        name = f"numpy.{np.dtype(f'{parameter.kind.decode()}{parameter.bytes}').name}"
    else:
        name = f"{parameter.bytes}-byte structs" if parameter.bytes else "any type"
    return f"an array of {name}" if parameter.pointer else name
