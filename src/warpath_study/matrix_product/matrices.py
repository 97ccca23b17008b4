"""Two square matrices to multiply: the input of the problem ``grid``, in place of a Graph.

The vertices are the cells of the product, and the arcs are the steps from a cell to its up to four neighbours.
"""

import hashlib
import json
import os
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from warpath.errors import FormatError, GraphError, UsageError
from warpath.graphs.csr import check_metadata
from warpath.graphs.npz_file import read_metadata, read_npz, to_make_again
from warpath.graphs.random_numbers import hashed
from warpath.system.atomic import atomic_write

# 2**28 cells, with numbers of 32 bits.
SIZE_MAX = 16_384
_MANTISSA_BITS = 24


@dataclass(frozen=True, eq=False)
class Matrices:
    """``left`` and ``right`` have shape (n, n), float32. ``metadata`` is JSON."""

    left: np.ndarray
    right: np.ndarray
    metadata: dict = field(default_factory=dict)

    @property
    def size(self) -> int:
        """The number of rows and of columns."""
        return len(self.left)

    @property
    def vertices(self) -> int:
        """The cells of the product."""
        return self.size**2

    @property
    def arcs(self) -> int:
        """The steps between neighbouring cells of the product."""
        return 4 * self.size * (self.size - 1)

    @cached_property
    def sha256(self) -> str:
        """Hash of both matrices."""
        digest = hashlib.sha256(f"{self.size}\n".encode())
        for matrix in (self.left, self.right):
            digest.update(np.ascontiguousarray(matrix, "<f4").data)
        return digest.hexdigest()

    def part(self, size_max: int) -> "Matrices":
        """The first rows and columns, for a trial; absolute values, so that paths exist."""
        if self.size <= size_max:
            return self
        left, right = (np.abs(matrix[:size_max, :size_max]) for matrix in (self.left, self.right))
        return Matrices(left, right)

    def check(self) -> None:
        """Raise UsageError if the shapes or types do not fit, or an entry is not finite."""
        for name, matrix in (("left", self.left), ("right", self.right)):
            if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype != np.float32:
                raise UsageError(
                    f"the {name} matrix must be square and float32, not {matrix.dtype} of shape {matrix.shape}"
                )
        if len(self.left) != len(self.right):
            raise UsageError(f"the matrices must have one size, but have {len(self.left)} and {len(self.right)} rows")
        check_size(self.size)
        check_finite(self.left, "the left matrix")
        check_finite(self.right, "the right matrix")

    def save(self, path: str | os.PathLike) -> None:
        """Write an .npz file, atomically; the same matrices give the same bytes."""
        about = json.dumps(self.metadata, sort_keys=True, ensure_ascii=False)
        with atomic_write(path) as temporary, open(temporary, "wb") as file:
            np.savez(file, left=self.left, right=self.right, about=np.frombuffer(about.encode(), dtype=np.uint8))


def load(path: str | os.PathLike) -> Matrices:
    """Read a file of ``Matrices.save``; FormatError for any other file."""
    try:
        arrays = read_npz(path, ("left", "right", "about"))
        if len(arrays) < 3:
            raise FormatError(f"{path}: not a pair of matrices; make one with 'warpath generate'")
        matrices = Matrices(arrays["left"], arrays["right"], read_metadata(arrays["about"]))
        check_metadata(matrices.metadata)
        matrices.check()
    except (ValueError, UsageError, GraphError) as error:
        raise FormatError(f"{path}: not a pair of matrices ({error}); {to_make_again(path)}") from None
    return matrices


def random_matrices(size: int, seed: int = 1) -> Matrices:
    """Random entries in [0, 1), multiples of 2**-24, the same on every machine.

    Raises UsageError for a size out of range.
    """
    check_size(size)
    unit = np.float32(2.0**-_MANTISSA_BITS)
    left, right = (
        ((hashed(seed, stream, size * size) >> np.uint64(64 - _MANTISSA_BITS)).astype(np.float32) * unit).reshape(
            size, size
        )
        for stream in (0, 1)
    )
    return Matrices(left, right, {"weights": {"kind": "given"}})


def check_size(size: int) -> None:
    """Raise UsageError unless ``size`` is from 2 to SIZE_MAX."""
    if not 2 <= size <= SIZE_MAX:
        raise UsageError(
            f"the size of a matrix must be from 2 to {SIZE_MAX}, not {size} (the source is not the destination)"
        )


def check_finite(matrix: np.ndarray, name: str) -> None:
    """Raise UsageError if an entry is not finite; ``name`` is for the message, such as "the left matrix"."""
    if wrong := first_true(~np.isfinite(matrix)):
        raise UsageError(f"entry {wrong} of {name} is {matrix[wrong]}; every entry must be a finite number")


def first_true(flags: np.ndarray) -> tuple[int, int] | None:
    """Row and column of the first true entry, or None."""
    index = int(np.argmax(flags))
    return divmod(index, flags.shape[1]) if flags.flat[index] else None
