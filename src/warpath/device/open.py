"""Choosing a device by name."""

import re
import sys
import warnings
from typing import Any, cast

from ..errors import DeviceError, UsageError
from ..system.kernel_caches import ensure_cupy_cache
from ..system.locks import once
from .contract import Device

NAMES = ("auto", "cuda", "cuda:INDEX", "cpu", "simulated")

NO_GPU = (
    "no GPU can be used, so the CPU solves; {} asks for that without this warning, and 'warpath doctor' says why there "
    "is no GPU"
)
"""A warning, with what the caller can write instead."""

_NAME = re.compile(r"auto|cpu|simulated|cuda(?::(?P<index>[0-9]{1,4}))?")


def open_device(name: str = "auto", **options: Any) -> Device:
    """Open a device.

    Parameters
    ----------
    name : {"auto", "cuda", "cuda:INDEX", "cpu", "simulated"}
        "cuda" is GPU 0. "cpu" is for solvers of the CPU. "simulated" is a GPU simulated on the CPU, slow and meant for
        tests. "auto" is a GPU if there is one, else the CPU, with one warning per process.
    **options
        Of the simulated GPU: ``order`` of threads ("forward", "reverse", "shuffle"), ``seed`` and ``workers``.

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
    >>> warpath.open_device("cpu").kind
    'cpu'
    """
    device = open_without_warning(name, **options)
    if name == "auto" and device.kind == "cpu":
        _warn()
    return device


def open_without_warning(name: str, **options: Any) -> Device:
    """As ``open_device``; the caller says that there is no GPU."""
    index = _check(name)["index"]
    if options and name != "simulated":
        raise UsageError(f"the device {name} has no options; {', '.join(options)} is for the simulated GPU")
    if name.startswith("cuda"):
        from .cuda import CudaDevice

        ensure_cupy_cache()
        return CudaDevice(int(index or 0))
    if name == "simulated":
        from .simulated.device import SimulatedDevice

        return SimulatedDevice(**options)
    if name == "auto":
        try:
            return open_device("cuda")
        except DeviceError:
            pass
    from .cpu import CpuDevice

    return cast(Device, CpuDevice())  # no solver that runs kernels is chosen for it


@once
def _warn() -> None:
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == "warpath":
        frame, level = frame.f_back, level + 1
    warnings.warn(NO_GPU.format("device='cpu'"), stacklevel=level)


def open_for_kernels(name: str) -> Device:
    """Open the device ``name``, which must run kernels, for this thread: "auto" is a GPU.

    Raises the errors of ``open_device``.
    """
    if _check(name)[0] == "cpu":
        raise UsageError("the device cpu runs no kernels; choose cuda, or simulated, which simulates a GPU and is slow")
    device = open_device("cuda" if name == "auto" else name)
    device.use_in_thread()
    return device


def has_gpu() -> bool:
    """Whether a GPU can be opened."""
    try:
        open_device("cuda")
    except DeviceError:
        return False
    return True


def available_devices() -> dict[str, str]:
    """List the devices of this machine.

    Returns
    -------
    dict of str to str
        For "cuda", "cpu" and "simulated", the model, or the reason why the device is not available.
    """
    devices = {}
    for name in ("cuda", "cpu", "simulated"):
        try:
            devices[name] = open_device(name).name
        except DeviceError as error:
            devices[name] = f"not available: {error}"
    return devices


def _check(name: str) -> re.Match[str]:
    match = _NAME.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise UsageError(f"unknown device {name!r}; there are {', '.join(NAMES)}")
    return match
