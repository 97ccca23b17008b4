"""Checking what a kernel is launched with on the host device, as strictly as a GPU would suffer from it."""

import ctypes
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


@dataclass(frozen=True)
class PackedArguments:
    """Arguments as the runtime wants them: ``address`` is that of a C array with the address of each one's value.

    ``kept`` keeps alive what is pointed at.
    """

    address: int
    kept: tuple


def checked_dimensions(
    kernel: str, grid: Dimensions, block: Dimensions, shared_mem: int
) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """``grid`` and ``block`` with three numbers each. Raises DeviceError where CUDA would refuse the launch."""
    sizes = []
    for what, given, limits in (("grid", grid, GRID_MAX), ("block", block, BLOCK_MAX)):
        if not 1 <= len(given) <= 3:
            raise DeviceError(f"kernel {kernel}: the {what} has one to three dimensions, not {len(given)}")
        size = (*(int(number) for number in given), 1, 1)[:3]
        if not all(1 <= number <= limit for number, limit in zip(size, limits, strict=True)):
            raise DeviceError(f"kernel {kernel}: {what} {tuple(given)} is not between (1, 1, 1) and {limits}")
        sizes.append(size)
    threads = sizes[1][0] * sizes[1][1] * sizes[1][2]
    if threads > BLOCK_THREADS_MAX:
        raise DeviceError(
            f"kernel {kernel}: block {tuple(block)} has {threads} threads; {BLOCK_THREADS_MAX} are allowed"
        )
    if not 0 <= shared_mem <= DYNAMIC_SHARED_BYTES_MAX:
        raise DeviceError(
            f"kernel {kernel}: {shared_mem} bytes of dynamic shared memory are not between 0 and {DYNAMIC_SHARED_BYTES_MAX}"
        )
    return sizes[0], sizes[1]


def packed_arguments(kernel: CompiledKernel, args: Sequence[Any]) -> PackedArguments:
    """The arguments of a launch, each checked against its parameter. Raises DeviceError at the first that does not fit."""
    if len(args) != len(kernel.parameters):
        raise DeviceError(f"kernel {kernel.name} takes {len(kernel.parameters)} arguments, not {len(args)}")
    values = []
    for position, (parameter, argument) in enumerate(zip(kernel.parameters, args, strict=True), start=1):
        complaint = _complaint(parameter, argument)
        if complaint:
            raise DeviceError(f"kernel {kernel.name}, parameter {position}: {complaint}")
        if parameter.pointer:
            address = None if argument is None else argument.ctypes.data
            values.append(ctypes.c_void_p(address))
        else:
            values.append(ctypes.create_string_buffer(argument.tobytes(), argument.nbytes))
    addresses = (ctypes.c_void_p * max(1, len(values)))(*(ctypes.addressof(value) for value in values))
    return PackedArguments(ctypes.addressof(addresses), (addresses, values, tuple(args)))


def _complaint(parameter: Parameter, argument: Any) -> str | None:
    """What is wrong with ``argument``, or None."""
    if not parameter.pointer:
        wanted = _type_name(parameter)
        if not isinstance(argument, np.generic):
            return f"expected {wanted}, got {_described(argument)}"
        if argument.dtype.kind != parameter.kind or argument.nbytes != parameter.bytes:
            return f"expected {wanted}, got numpy.{argument.dtype.name}"
        return None
    if argument is None:
        return None
    wanted = f"an array of {_type_name(parameter)}"
    if not isinstance(argument, np.ndarray):
        return f"expected {wanted}, got {_described(argument)}"
    if not argument.flags.c_contiguous:
        return f"expected {wanted} that is C-contiguous; this one is not"
    if not argument.flags.writeable and not parameter.constant:
        return f"expected {wanted} that can be written to; this one is read-only"
    # A struct or a short vector (int4) is also a row of numbers.
    fits = argument.itemsize == parameter.bytes or (
        parameter.kind == "V" and argument.nbytes % max(1, parameter.bytes) == 0
    )
    return None if fits else f"expected {wanted}, got one of {argument.dtype.name}"


def _type_name(parameter: Parameter) -> str:
    if parameter.kind == "V":
        return f"{parameter.bytes}-byte structs" if parameter.bytes else "any type"
    return f"numpy.{np.dtype(f'{parameter.kind}{parameter.bytes}').name}"


def _described(argument: Any) -> str:
    if isinstance(argument, np.ndarray):
        return "an array"
    return f"a Python {type(argument).__name__}"
