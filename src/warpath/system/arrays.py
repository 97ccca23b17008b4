"""Arrays of other libraries, such as PyTorch, CuPy and JAX, on the host or a GPU, through DLPack."""

from typing import Any

import narwhals as nw
import numpy as np

from ..errors import UsageError, WarpathError

# Types of devices, as DLPack numbers them: memory of the host, ordinary and page-locked; memory of CUDA.
_HOST, _CUDA = (1, 3), (2, 13)


def shared(thing: Any) -> Any:
    """``thing`` as an array of NumPy or CuPy, without a copy, if it is an array; anything else as it is.

    Later work in CuPy's current stream waits for the work of the array's library on the array. Raises UsageError if its
    library does not share it.
    """
    if isinstance(thing, np.ndarray) or _is_of_cupy(thing):
        return thing
    name = type(thing).__name__
    try:
        if hasattr(thing, "__dlpack_device__"):
            place = int(thing.__dlpack_device__()[0])
            if place in _HOST:
                return np.from_dlpack(thing)
            if place not in _CUDA:
                raise UsageError(
                    f"an array of type {name} is on device {place} of DLPack; move it to the CPU or to CUDA"
                )
            return _cupy(name).from_dlpack(thing)
        if hasattr(thing, "__cuda_array_interface__"):
            return _cupy(name).asarray(thing)
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise UsageError(f"an array of type {name} cannot be shared through DLPack: {error}") from None
    return thing


def is_on(device: Any, array: Any) -> bool:
    """Whether ``array``, of NumPy or CuPy, is in the memory of ``device``, a GPU, and not of another one."""
    return device.kind == "cuda" and isinstance(array, device.xp.ndarray) and array.device.id == device.index


def on_host(thing: Any) -> Any:
    """``thing`` as an array of NumPy, a copy if it is on a GPU, if it is an array; anything else as it is.

    So is a column of Polars, PyArrow or cuDF.
    """
    if hasattr(thing, "to_pandas"):
        thing = nw.from_native(thing, series_only=True, pass_through=True)
        return thing.to_numpy() if isinstance(thing, nw.Series) else thing
    thing = shared(thing)
    return thing.get() if _is_of_cupy(thing) else thing


def of_numpy(name: str, thing: Any, error: type[WarpathError]) -> np.ndarray:
    """``thing`` as an array of NumPy.

    Raises ``error``, which names it, for nested sequences of different lengths, and as ``complete`` does.
    """
    try:
        return np.asarray(complete(name, on_host(thing), error))
    except ValueError as reason:
        raise error(f"{name} cannot be an array: {reason}") from None


def complete(name: str, thing: Any, error: type[Exception]) -> Any:
    """``thing``, whose ``name`` is for messages. Raises ``error`` if an entry is masked, or missing as in pandas."""
    if isinstance(thing, np.ma.MaskedArray):
        missing, what = np.ma.getmaskarray(thing), "masked"
    elif hasattr(thing, "isna") and not isinstance(getattr(thing, "dtype", None), np.dtype):
        missing, what = np.asarray(thing.isna()), "missing"
    else:
        return thing
    if missing.any():
        position = np.argwhere(missing)[0].tolist()
        raise error(f"{name}{position or ''} is {what}; give it a value, or leave it out")
    return thing


def _is_of_cupy(thing: Any) -> bool:
    """Whether ``thing`` is an array or a sparse matrix of CuPy."""
    return type(thing).__module__.partition(".")[0] in ("cupy", "cupyx") and hasattr(thing, "get")


def _cupy(name: str) -> Any:
    try:
        import cupy
    except ImportError:
        raise UsageError(
            f"an array of type {name} on a GPU needs CuPy; install it, or move the array to the CPU"
        ) from None
    return cupy
