"""The arguments of a launch by name, as every device that runs kernels takes them."""

from collections.abc import Callable, Iterable, Mapping
from operator import itemgetter
from typing import Any

from ..errors import DeviceError


class ParameterNames(dict[str, int]):
    """The positions of a kernel's parameters by name. An unknown name raises DeviceError."""

    def __init__(self, kernel: str, names: Iterable[str]):
        super().__init__((name, position) for position, name in enumerate(names))
        self._kernel = kernel
        # An item getter is the fastest, but returns no tuple of fewer than two.
        self._pick: Callable[[Mapping[str, Any]], tuple[Any, ...]] = (
            itemgetter(*self) if len(self) > 1 else lambda arguments: tuple(arguments[name] for name in self)
        )

    def __missing__(self, name: str) -> int:
        raise self._error([f"has no parameter {name}"])

    def in_order(self, arguments: Mapping[str, Any]) -> tuple[Any, ...]:
        """The ``arguments`` in the order of the parameters. Raises DeviceError unless there is one for each."""
        try:
            ordered = self._pick(arguments)
        except KeyError:
            ordered = ()
        if len(arguments) != len(self) or len(ordered) != len(self):
            unknown = [f"has no parameter {name}" for name in arguments if name not in self]
            missing = [f"is not given {name}" for name in self if name not in arguments]
            raise self._error(unknown + missing)
        return ordered

    def _error(self, faults: list[str]) -> DeviceError:
        return DeviceError(f"kernel {self._kernel} {', '.join(faults)}; it takes {', '.join(self) or 'no arguments'}")
