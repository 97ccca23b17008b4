"""The two matrices that are multiplied: random ones from a seed, or the user's own."""

import os
import zipfile
from pathlib import Path

import numpy as np

from ..errors import FormatError, UsageError
from ..graphs.random_numbers import hashed

# A product of this size has 2**28 cells; its cells are numbered in 32 bits.
SIZE_MAX = 16_384
_STREAMS = {"left": 0, "right": 1}
_MANTISSA_BITS = 24


def random_matrices(size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Left and right, shape (size, size), float32, entries of [0, 1) in steps of 2**-24; the same on every machine.

    Raises UsageError for a size that has no two cells or too many.
    """
    check_size(size)
    unit = np.float32(2.0**-_MANTISSA_BITS)
    left, right = (
        (hashed(seed, stream, size * size) >> np.uint64(64 - _MANTISSA_BITS)).astype(np.float32) * unit
        for stream in _STREAMS.values()
    )
    return left.reshape(size, size), right.reshape(size, size)


def check_size(size: int) -> None:
    """Raise UsageError where a product of ``size`` has no way from one cell to another, or too many cells."""
    if not 2 <= size <= SIZE_MAX:
        raise UsageError(
            f"a matrix size of {size} is not between 2 (one cell alone would be source and destination in one) and "
            f"{SIZE_MAX}"
        )


def load_matrix(path: str | os.PathLike) -> np.ndarray:
    """The square matrix in a ``.npy`` file, as float32. Raises FormatError or UsageError where there is none."""
    try:
        matrix = np.load(Path(path), allow_pickle=False)
    except FileNotFoundError:
        raise FormatError(f"{path}: no such file") from None
    except OSError as error:
        raise FormatError(f"{path}: cannot be read ({error.strerror}); give a .npy file") from None
    except (ValueError, EOFError, zipfile.BadZipFile):
        raise FormatError(f"{path}: not a whole .npy file; write one with numpy.save") from None
    if not isinstance(matrix, np.ndarray) or matrix.dtype.kind not in "fiu":
        raise FormatError(f"{path}: not one matrix of numbers; write one with numpy.save")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise FormatError(f"{path}: a matrix of shape {matrix.shape} is not square")
    check_size(len(matrix))
    with np.errstate(over="ignore"):
        single = np.ascontiguousarray(matrix, np.float32)
    wrong = _first(np.isfinite(matrix) & ~np.isfinite(single))
    if wrong:
        raise FormatError(
            f"{path}: entry {wrong} is {matrix[wrong]}, too large for single precision; scale the matrix down"
        )
    return single


def refuse_unusable(matrix: np.ndarray, name: str) -> None:
    """Raise UsageError where an entry is infinite or not a number; ``name`` says whose, "the left matrix"."""
    wrong = _first(~np.isfinite(matrix))
    if wrong:
        raise UsageError(f"entry {wrong} of {name} is {matrix[wrong]}; every entry has to be a finite number")


def refuse_negative(product: np.ndarray) -> None:
    """Raise UsageError where a cell's value is negative."""
    wrong = _first(product < 0)
    if wrong:
        raise UsageError(
            f"entry {wrong} of the product is {product[wrong]}; a path could enter and leave such a cell for ever, and "
            "has no least weight"
        )


def _first(flags: np.ndarray) -> tuple[int, int] | None:
    """Row and column of the first true entry."""
    place = int(np.argmax(flags))
    return (place // flags.shape[1], place % flags.shape[1]) if flags.flat[place] else None
