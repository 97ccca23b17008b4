"""Where solvers run: ``cuda`` (a GPU, through CuPy), ``cpu``, or ``simulated`` (the kernels on a simulated GPU)."""

from .contract import AnyDevice, Device, Event, Kernel, Launch, Stream
from .open import NO_GPU, available_devices, has_gpu, open_device, open_for_kernels, open_without_warning

__all__ = [
    "NO_GPU",
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
    "open_without_warning",
]
