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
    """Open a device.

    Parameters
    ----------
    name : {"auto", "cuda", "cuda:INDEX", "host"}
        "cuda" is GPU 0. "host" runs kernels on the CPU. "auto" is a GPU if there is one, else the host.
    **options
        Of the host device: ``order`` of threads ("forward", "reverse", "shuffle"), ``seed`` and ``workers``.

    Returns
    -------
    Device

    Raises
    ------
    DeviceError
        The device does not work here; the message says what to install.
    UsageError
        The name is unknown.

    Examples
    --------
    >>> import warpath
    >>> warpath.open_device("host").kind
    'host'
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
    """The kind of the device ``name``, "cuda" or "host"; only "auto" opens it. Raises UsageError for others."""
    _check(name)
    return open_device(name).kind if name == "auto" else name.partition(":")[0]


def available_devices() -> dict[str, str]:
    """List the devices of this machine.

    Returns
    -------
    dict of str to str
        For "cuda" and "host", the model, or the reason why the device is not available.
    """
    devices = {}
    for name in ("cuda", "host"):
        try:
            devices[name] = open_device(name).name
        except DeviceError as error:
            devices[name] = f"not available: {error}"
    return devices


def _check(name: str) -> re.Match[str]:
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise UsageError(f"unknown device {name!r}; {suggestion(name, NAMES)}")
    return match
