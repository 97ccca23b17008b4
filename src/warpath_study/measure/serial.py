"""Where serial variants run: the processor itself, timed by the wall clock."""

from time import perf_counter
from typing import Any

from warpath.device import host_machine

REVISION = 1
"""Raised when an edit changes what is timed; it identifies the code of a run."""


class SerialProcessor:
    """The part of ``warpath.device.contract.Device`` that measuring needs, for plans that use no device; kind "cpu"."""

    kind = "cpu"

    def __init__(self) -> None:
        self.name = host_machine.processor_name()

    def release(self) -> None:
        """Nothing is kept back."""

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def record(self) -> float:
        """Now, in seconds."""
        return perf_counter()

    def seconds_between(self, start: float, stop: float) -> float:
        """Seconds from ``start`` to ``stop``."""
        return stop - start

    def describe(self) -> dict[str, Any]:
        """Facts for a record."""
        return {"kind": self.kind, "name": self.name, "memory_bytes": host_machine.memory_bytes()[1]}
