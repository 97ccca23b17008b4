"""Checks and converts arguments: cutoffs, and distances and predecessors of other programs."""

from math import floor
from sys import float_info
from typing import Any

import numpy as np

from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..errors import CertificateError, UsageError
from ..graphs.csr import Graph
from ..system.arrays import of_numpy, shared

_ROUNDING_MAX = 1e-6  # in units of a scaled weight
_SCIPY_NONE = -9999


def distances_for(graph: Graph, distances: Any) -> Any:
    """Distances of any program, in the original unit of the weights, in the type and unit that ``graph`` needs.

    For whole weights, see ``_whole_distances``. For floats, only ``inf`` means no path.
    """
    if not graph.has_floats:
        return _whole_distances(distances, graph.scale)
    dtype, distances = graph.weights.dtype, shared(distances)
    if _is_ready(distances, dtype):
        return distances
    values = of_numpy("distances", distances, CertificateError)
    if values.dtype.kind not in "iuf":
        raise CertificateError(f"distances have the type {values.dtype}; give numbers, with inf where there is no path")
    with np.errstate(over="ignore"):
        converted = values.astype(dtype)
    wrong = np.argwhere(np.isinf(converted) & np.isfinite(values))
    if len(wrong):
        raise CertificateError(f"distance {_at(values, wrong[0])} is wrong: it is beyond the greatest {dtype}")
    return converted


def _whole_distances(distances: Any, scale: int) -> Any:
    """Distances times ``scale`` as int32. UNREACHABLE and ``inf`` mean no path.

    Raises CertificateError for a number that does not fit 32 bits or is not whole. After scaling, a number may differ
    from a whole one by a millionth.
    """
    distances = shared(distances)
    if scale == 1 and _is_ready(distances, np.dtype(np.int32)):
        return distances
    values = of_numpy("distances", distances, CertificateError)
    if scale == 1 and values.dtype == np.int32:
        return values
    if values.dtype.kind not in "iuf":
        raise CertificateError(f"distances have the type {values.dtype}; give integers, or floats with inf")
    missing = values == UNREACHABLE
    whole, near = values, np.True_
    if values.dtype.kind == "f" or scale != 1:
        missing |= values == np.inf
        with np.errstate(invalid="ignore", over="ignore"):
            scaled = values * np.float64(scale)
            whole = np.rint(scaled)
            # Sums of whole numbers are exact in floats; sums of fractions are rounded.
            near = np.abs(scaled - whole) <= (0 if scale == 1 else _ROUNDING_MAX)
    wrong = np.argwhere(~missing & ~(near & (whole > -UNREACHABLE) & (whole < UNREACHABLE)))
    if len(wrong):
        scaled_by = f" after scaling by {scale}" if scale != 1 else ""
        raise CertificateError(
            f"distance {_at(values, wrong[0])} is wrong: distances are whole numbers of 32 bits{scaled_by}"
        )
    return np.where(missing, UNREACHABLE, whole).astype(np.int32)


def predecessors_of(predecessors: Any) -> Any:
    """Predecessors as int32. -1 and SciPy's -9999 mean none.

    Raises CertificateError for a number that does not fit 32 bits. The certificate checks whether others are vertices.
    """
    narrow = predecessors = shared(predecessors)
    if not _is_ready(predecessors, np.dtype(np.int32)):
        values = of_numpy("predecessors", predecessors, CertificateError)
        if values.dtype.kind not in "iu":
            raise CertificateError(f"predecessors have the type {values.dtype}; give integers")
        limits = np.iinfo(np.int32)
        wrong = np.argwhere((values < limits.min) | (values > limits.max))
        if len(wrong):
            raise CertificateError(f"predecessor {_at(values, wrong[0])} is not a vertex; give -1 if there is none")
        narrow = values.astype(np.int32, copy=False)
    none = narrow == _SCIPY_NONE
    if none.any():
        narrow = narrow.copy()
        narrow[none] = NO_PREDECESSOR
    return narrow


def _at(array: np.ndarray, position: np.ndarray) -> str:
    """A number and its position, such as "7 at (0, 2)"."""
    index = tuple(position.tolist())
    return f"{array[index]} at {index[0] if len(index) == 1 else index}"


def _is_ready(array: Any, dtype: np.dtype) -> bool:
    """Whether ``array`` has the type ``dtype`` on a GPU, and needs no conversion."""
    return hasattr(array, "__cuda_array_interface__") and array.dtype == dtype


def limit_within(cutoff: float | None, graph: Graph) -> float | None:
    """The largest distance within ``cutoff``, which is in the original unit; None if there is no limit.

    Raises UsageError if ``cutoff`` is not a number.
    """
    if cutoff is None:
        return None
    is_number = isinstance(cutoff, (int, float, np.integer, np.floating)) and not isinstance(cutoff, bool)
    if not is_number or cutoff != cutoff:  # NaN
        raise UsageError(f"cutoff={cutoff!r} is not a number")
    number = int(cutoff) if isinstance(cutoff, (int, np.integer)) else float(cutoff)
    if graph.has_floats:
        if isinstance(number, int):
            number = max(-float_info.max, min(number, float_info.max))
        with np.errstate(over="ignore"):
            rounded = graph.weights.dtype.type(number)
        if float(rounded) > number:
            rounded = np.nextafter(rounded, -np.inf, dtype=rounded.dtype)
        return float(rounded)
    scale = graph.scale
    farthest = int(UNREACHABLE) / scale
    if number >= farthest:
        return None
    number = max(number, -farthest)
    limit = floor(number * scale) + 1
    while limit / scale > number:  # the product may be rounded: 0.29 * 100 < 29
        limit -= 1
    return limit


def check_count(name: str, value: Any, of: str) -> None:
    """Raise UsageError if the argument ``name`` is no whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise UsageError(f"{name}={value!r} is not a number of {of}; give a whole number, at least 1")
