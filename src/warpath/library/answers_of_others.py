"""Distances and predecessors that others computed, in the form that certificates take."""

from typing import Any

import numpy as np

from ..distances import NO_PREDECESSOR, UNREACHABLE
from ..errors import CertificateError
from .delivery import on_host

_ROUNDED_MAX = 1e-6  # in units of a scaled weight


def whole_distances(distances: Any, scale: int = 1) -> Any:
    """``distances`` as int32 with UNREACHABLE: integers, or floats with ``inf``, in units that ``scale`` undoes.

    int32 arrays of a device stay as they are. Raises CertificateError for a number that no distance can be: beyond 32
    bits, or not whole. Floats that had to be scaled are whole if they are within a millionth of it.
    """
    if _is_ready(distances):
        return distances
    given = np.asarray(on_host(distances))
    if given.dtype == np.int32 and scale == 1:
        return given
    if given.dtype.kind not in "iuf":
        raise CertificateError(f"distances are {given.dtype} numbers; give integers, or floats with inf")
    missing = np.isposinf(given) if given.dtype.kind == "f" else given == UNREACHABLE
    with np.errstate(invalid="ignore"):
        scaled = given.astype(np.float64) * scale if given.dtype.kind == "f" else given
        whole = np.rint(scaled)
        # Sums of whole numbers are whole in floats as well; those of others are rounded.
        near = np.abs(scaled - whole) <= (0 if scale == 1 else _ROUNDED_MAX)
    wrong = np.argwhere(~missing & ~((np.abs(scaled) < UNREACHABLE) & near))
    if len(wrong):
        place = tuple(wrong[0].tolist())
        where = place[0] if len(place) == 1 else place
        scaled_by = f" after scaling by {scale}" if scale != 1 else ""
        raise CertificateError(
            f"distance {given[place]} at {where} cannot be one: distances are whole numbers of 32 bits{scaled_by}"
        )
    return np.where(missing, UNREACHABLE, whole).astype(np.int32)


def whole_predecessors(predecessors: Any) -> Any:
    """``predecessors`` as int32 with -1 for none; scipy's -9999 means none, too."""
    if _is_ready(predecessors):
        return predecessors
    given = np.asarray(on_host(predecessors))
    if given.dtype.kind not in "iu":
        raise CertificateError(f"predecessors are {given.dtype} numbers; give integers")
    narrow = np.where((given == -9999) | (given > np.iinfo(np.int32).max), NO_PREDECESSOR, given)
    return narrow.astype(np.int32)


def _is_ready(array: Any) -> bool:
    """Whether ``array`` is a device's, of the type that certificates take."""
    return hasattr(array, "__cuda_array_interface__") and array.dtype == np.int32
