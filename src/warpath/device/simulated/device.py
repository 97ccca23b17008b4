"""The ``simulated`` device simulates a GPU: it runs the same ``.cu`` files on the CPU, to check kernels without a GPU.

Barriers, shared memory, atomics and warp functions behave as on a GPU. The threads of a block run in forward, reverse
or shuffled order, which exposes missing barriers.
"""

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import DeviceError, UsageError
from ...system import host_machine
from ..contract import Dimensions
from ..cpu import CpuDevice, CpuStream
from .compile import compiler_version, find_compiler
from .runtime import (
    DYNAMIC_SHARED_BYTES_MAX,
    FAILED,
    FINISHED,
    ORDERS,
    UNFINISHED,
    CompiledKernel,
    LaunchRecord,
    PackedArguments,
    checked_sizes,
    load_kernels,
    runtime,
)

REVISION = 1
"""Increased when an edit changes what is timed; part of the identity of a run's code."""


class SimulatedDevice(CpuDevice):
    """A simulated GPU; see ``warpath.device.contract.Device``.

    Parameters
    ----------
    order : {"forward", "reverse", "shuffle"}
        The order of the blocks, and of the threads in each block.
    seed : int
        The seed of "shuffle".
    workers : int, optional
        The number of OS threads that run blocks. Default: one for each core.

    Raises
    ------
    DeviceError
        There is no C++ compiler.
    """

    kind = "simulated"

    def __init__(self, order: str = "forward", seed: int = 0, workers: int | None = None):
        if order not in ORDERS:
            raise UsageError(f"order={order!r} is unknown; choose {', '.join(ORDERS)}")
        if workers is not None and workers < 1:
            raise UsageError(f"workers={workers} is too small; the simulated GPU needs at least one")
        super().__init__()
        self.order = order
        self.seed = seed
        self.workers = workers or host_machine.core_count()
        self._compiler = find_compiler()
        self._runtime = runtime()

    def kernel(self, file: Path, name: str, macros: Mapping[str, int] | None = None) -> "SimulatedKernel":
        kernels = load_kernels(Path(file), macros or {})
        if name not in kernels:
            raise DeviceError(f"{file} has no kernel {name!r}; it has {', '.join(kernels) or 'none'}")
        return SimulatedKernel(self, kernels[name])

    def peers(self, count: int) -> "list[SimulatedDevice]":
        """Return ``count`` devices that share the cores of this machine."""
        others = [SimulatedDevice(self.order, self.seed + number, self.workers) for number in range(1, count)]
        return [self, *others]

    def repeat(self, launches: Sequence["SimulatedLaunch"], times: int) -> None:
        addresses = (ctypes.c_void_p * len(launches))(*(launch.address for launch in launches))
        self.finish(self._runtime.warpath_repeat(addresses, len(launches), times))

    def enqueue(self, launches: Sequence["SimulatedLaunch"]) -> None:
        for launch in launches:
            launch()

    def repeat_while(
        self, rounds: Sequence[Sequence["SimulatedLaunch"]], word: np.ndarray, times: int
    ) -> tuple[int, bool]:
        for done in range(times):
            word[0] = 0
            for launch in rounds[done % len(rounds)]:
                launch()
            if not word[0]:
                return done + 1, True
        return times, False

    def resident_blocks(self, kernel: "SimulatedKernel", block: Dimensions, shared_mem: int = 0) -> int:
        """1, because a block ends before the next one begins; 0 if it does not fit."""
        return int(shared_mem <= DYNAMIC_SHARED_BYTES_MAX)

    @property
    def cluster_blocks(self) -> int:
        return 1

    @property
    def shared_memory_bytes(self) -> int:
        """The limit of a Hopper GPU."""
        return DYNAMIC_SHARED_BYTES_MAX

    def describe(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "name": self.name,
            "cores": host_machine.core_count(),
            "workers": self.workers,
            "order": self.order,
            "memory_bytes": self.memory_bytes()[1],
            "compiler": self._compiler[0],
            "compiler_version": compiler_version(self._compiler[0]),
        }

    def finish(self, status: int) -> None:
        """Finish a call of the runtime, which returns early from time to time so that Python can handle Ctrl-C."""
        while status == UNFINISHED:
            status = self._runtime.warpath_resume()
        if status == FAILED:
            raise DeviceError(self._runtime.warpath_failure().decode())


class SimulatedKernel:
    """A kernel of a ``.cu`` file; see ``warpath.device.contract.Kernel``."""

    def __init__(self, device: SimulatedDevice, compiled: CompiledKernel):
        self._device = device
        self._compiled = compiled

    def __call__(self, grid: Dimensions, block: Dimensions, /, **options: Any) -> None:
        self.bind(grid, block, **options)()

    def allow_large_clusters(self) -> None:
        """Do nothing: a cluster is one block."""

    def bind(
        self,
        grid: Dimensions,
        block: Dimensions,
        /,
        *,
        shared_mem: int = 0,
        stream: CpuStream | None = None,
        **arguments: Any,
    ) -> "SimulatedLaunch":
        return SimulatedLaunch(self._device, self._compiled, grid, block, arguments, shared_mem)


class SimulatedLaunch:
    """A kernel with its grid, block and arguments. Calling it runs the kernel; it keeps the arguments alive."""

    def __init__(
        self,
        device: SimulatedDevice,
        kernel: CompiledKernel,
        grid: Dimensions,
        block: Dimensions,
        arguments: Mapping[str, Any],
        shared_mem: int,
    ):
        grid, block = checked_sizes(kernel.name, grid, block, shared_mem)
        kernel.positions.in_order(arguments)  # checks the names
        self._bound, self._packed = dict(arguments), PackedArguments(kernel, arguments)
        self._lent: tuple[str, ...] = ()  # the names of the last launch's own arguments
        self._record = LaunchRecord(
            kernel=kernel.address,
            arguments=self._packed.address,
            grid=grid,
            block=block,
            dynamic_shared_bytes=shared_mem,
            order=ORDERS.index(device.order),
            seed=device.seed,
            workers=device.workers,
            static_shared_module=kernel.static_shared[0],
            static_shared_bytes=kernel.static_shared[1],
        )
        self._address = ctypes.addressof(self._record)
        self._device = device
        self._address_array = (ctypes.c_void_p * 1)(self._address)
        self._repeat = runtime().warpath_repeat

    def __call__(self, **arguments: Any) -> None:
        names = tuple(arguments)
        if names != self._lent:
            self._lent = names
            self._packed.write(self._bound)
        self._packed.write(arguments)
        status = self._repeat(self._address_array, 1, 1)
        if status != FINISHED:
            self._device.finish(status)

    @property
    def address(self) -> int:
        """The address of the record of a launch with the bound arguments."""
        if self._lent:
            self._lent = ()
            self._packed.write(self._bound)
        return self._address

    def set(self, **arguments: Any) -> None:
        self._packed.write(arguments)
        self._bound.update(arguments)
