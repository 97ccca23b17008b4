"""Where kernels run: ``cuda`` (a GPU, through CuPy) or ``host`` (the same kernel sources on the CPU)."""

from .contract import AnyDevice, Device, Event, Kernel, Launch, Stream
from .open import available_devices, kind_of, open_device

__all__ = ["AnyDevice", "Device", "Event", "Kernel", "Launch", "Stream", "available_devices", "kind_of", "open_device"]
