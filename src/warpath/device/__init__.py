"""Where solvers run: ``cuda`` (a GPU, through CuPy), ``cpu``, or ``host`` (the kernels on a simulated GPU)."""

from .contract import AnyDevice, Device, Event, Kernel, Launch, Stream
from .open import available_devices, has_gpu, open_device, open_for_kernels

__all__ = [
    "AnyDevice",
    "Device",
    "Event",
    "Kernel",
    "Launch",
    "Stream",
    "available_devices",
    "has_gpu",
    "open_device",
    "open_for_kernels",
]
