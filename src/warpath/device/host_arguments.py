"""Checking grid, block and arguments of a launch on the host device: whatever a GPU would refuse or misread."""

import ctypes
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import DeviceError
from .contract import Dimensions
from .host_runtime import CompiledKernel, Parameter

# CUDA's limits since compute capability 3.0; dynamic shared memory as on Hopper.
GRID_MAX = (2**31 - 1, 65535, 65535)
BLOCK_MAX = (1024, 1024, 64)
BLOCK_THREADS_MAX = 1024
DYNAMIC_SHARED_BYTES_MAX = 227 * 1024

# Enough for every type of parameter.
_ALIGNMENT_BYTES = 16


@dataclass(frozen=True)
class PackedArguments:
    """Arguments for the runtime: ``address`` is that of a C array of pointers, one to the value of each argument.

    ``kept`` keeps the memory behind them alive.
    """

    address: int
    kept: tuple


def checked_sizes(kernel: str, grid: Dimensions, block: Dimensions, shared_mem: int) -> tuple[Dimensions, Dimensions]:
    """``grid`` and ``block`` with three numbers each. Raises DeviceError if CUDA would refuse the launch."""
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


def _checked_size(kernel: str, what: str, given: Dimensions, limits: Dimensions) -> Dimensions:
    if not 1 <= len(given) <= 3:
        raise DeviceError(f"kernel {kernel}: the {what} has one to three dimensions, not {len(given)}")
    x, y, z = size = (*map(int, given), 1, 1)[:3]
    if not (1 <= x <= limits[0] and 1 <= y <= limits[1] and 1 <= z <= limits[2]):
        raise DeviceError(f"kernel {kernel}: {what} {tuple(given)} is not between (1, 1, 1) and {limits}")
    return size


def packed_arguments(kernel: CompiledKernel, args: Sequence[Any]) -> PackedArguments:
    """The arguments of a launch, each checked against its parameter; DeviceError for the first that does not match."""
    if len(args) != len(kernel.parameters):
        raise DeviceError(f"kernel {kernel.name} takes {len(kernel.parameters)} arguments, not {len(args)}")
    values = bytearray()
    offsets = []
    for position, (parameter, argument) in enumerate(zip(kernel.parameters, args, strict=True), start=1):
        complaint = _complaint(parameter, argument)
        if complaint:
            raise DeviceError(f"kernel {kernel.name}, parameter {position}: {complaint}")
        values += bytes(-len(values) % _ALIGNMENT_BYTES)
        offsets.append(len(values))
        if parameter.pointer:
            address = 0 if argument is None else argument.__array_interface__["data"][0]
            values += address.to_bytes(8, sys.byteorder)
        else:
            values += argument.tobytes()
    buffer = (ctypes.c_char * len(values)).from_buffer(values)
    base = ctypes.addressof(buffer)
    pointers = (ctypes.c_void_p * len(args))(*(base + offset for offset in offsets))
    return PackedArguments(ctypes.addressof(pointers), (pointers, buffer, tuple(args)))


def _complaint(parameter: Parameter, argument: Any) -> str | None:
    """What is wrong with ``argument``, or None."""
    return (_pointer_complaint if parameter.pointer else _value_complaint)(parameter, argument)


def _value_complaint(parameter: Parameter, argument: Any) -> str | None:
    if not isinstance(argument, np.generic):
        return f"expected {_type_name(parameter)}, got {_described(argument)}"
    if argument.dtype.kind != parameter.kind or argument.dtype.itemsize != parameter.bytes:
        return f"expected {_type_name(parameter)}, got numpy.{argument.dtype.name}"
    return None


def _pointer_complaint(parameter: Parameter, argument: Any) -> str | None:
    if argument is None:
        return None
    if not isinstance(argument, np.ndarray):
        return f"expected {_type_name(parameter)}, got {_described(argument)}"
    # A struct or a short vector (int4) may also be passed as an array of numbers.
    fits = argument.itemsize == parameter.bytes or (
        parameter.kind == "V" and argument.nbytes % max(1, parameter.bytes) == 0
    )
    if not fits:
        return f"expected {_type_name(parameter)}, got an array of numpy.{argument.dtype.name}"
    flags = argument.flags
    if not flags.c_contiguous:
        return f"expected {_type_name(parameter)} that is C-contiguous, got one that is not"
    if not flags.writeable and not parameter.constant:
        return f"expected {_type_name(parameter)} that the kernel can write to, got a read-only one"
    return None


def _type_name(parameter: Parameter) -> str:
    if parameter.kind != "V":
        name = f"numpy.{np.dtype(f'{parameter.kind}{parameter.bytes}').name}"
    else:
        name = f"{parameter.bytes}-byte structs" if parameter.bytes else "any type"
    return f"an array of {name}" if parameter.pointer else name


def _described(argument: Any) -> str:
    return "an array" if isinstance(argument, np.ndarray) else f"a Python {type(argument).__name__}"
