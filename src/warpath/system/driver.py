"""The CUDA driver, without CuPy. It starts while Python imports modules, so that a command does not wait for both.

A GPU's context takes a tenth of a second or more, as importing CuPy does. CuPy holds Python's global lock while it
makes the context; ctypes releases the lock.
"""

import ctypes
import threading
from collections.abc import Sequence
from itertools import pairwise


def start_driver(arguments: Sequence[str]) -> None:
    """Begin to make the context of the GPU that a command with the option ``--device`` opens. Reports no error."""
    name = "auto"
    for word, following in pairwise([*arguments, ""]):
        option, is_joined, value = word.partition("=")
        if option == "--device":
            name = value if is_joined else following
    kind, _, index = name.partition(":")
    if kind in ("auto", "cuda") and (index or "0").isdecimal():
        threading.Thread(target=_make_context, args=(int(index or 0),)).start()


def gpu_count() -> int:
    """The number of GPUs that the driver shows to this process; makes no context."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int()
    return count.value if driver.cuInit(0) == 0 and driver.cuDeviceGetCount(ctypes.byref(count)) == 0 else 0


def _make_context(index: int) -> None:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:  # no driver, as opening the device reports
        return
    device, context = ctypes.c_int(), ctypes.c_void_p()
    if driver.cuInit(0) == 0 and driver.cuDeviceGet(ctypes.byref(device), index) == 0:
        # CUDA's runtime uses the same context. It lasts as long as the process.
        driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
