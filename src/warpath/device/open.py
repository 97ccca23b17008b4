"""Choosing a device by name."""

import re
from typing import Any

from ..errors import DeviceError, UsageError
from ..names import suggestion
from .contract import Device
from .kernel_caches import ensure_cupy_cache

NAMES = ("auto", "cuda", "cuda:INDEX", "host")

_NAME = re.compile(r"auto|host|cuda(?::(?P<index>[0-9]{1,4}))?")


def open_device(name: str = "auto", **options: Any) -> Device:
    """The device ``name``: ``cuda`` (or ``cuda:1``), ``host``, or ``auto`` (a GPU if there is one, else the host).

    ``options`` go to the host device: ``order`` ("forward", "reverse", "shuffle"), ``seed``, ``workers``. Raises
    DeviceError that says what to install if the device does not work here, UsageError for any other name.
    """
    index = _check(name)["index"]
    if name.startswith("cuda"):
        from .cuda import CudaDevice

        ensure_cupy_cache()
        return CudaDevice(int(index or 0))
    if name == "host":
        from .host import HostDevice

        return HostDevice(**options)
    try:
        return open_device("cuda")
    except DeviceError:
        return open_device("host", **options)


def kind_of(name: str) -> str:
    """The kind of the device ``name``, "cuda" or "host"; only ``auto`` has to look whether there is a GPU.

    Raises UsageError for any other name.
    """
    _check(name)
    return open_device(name).kind if name == "auto" else name.partition(":")[0]


def available_devices() -> dict[str, str]:
    """The name of each device that opens here, or the reason why it does not: {"cuda": "NVIDIA H200", ...}."""
    found = {}
    for name in ("cuda", "host"):
        try:
            found[name] = open_device(name).name
        except DeviceError as error:
            found[name] = f"not available: {error}"
    return found


def _check(name: str) -> re.Match[str]:
    found = _NAME.fullmatch(name) if isinstance(name, str) else None
    if found is None:
        raise UsageError(f"unknown device {name!r}; {suggestion(name, NAMES)}")
    return found
