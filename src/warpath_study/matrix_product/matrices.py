"""Two square matrices to multiply: a pair is to the problem ``grid`` what a Graph is to the others.

The vertices are the cells of the product, and its arcs the steps from a cell to a neighbour, up to four a cell.
"""

import hashlib
import json
import os
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from warpath.atomic import atomic_write
from warpath.errors import FormatError, GraphError, UsageError
from warpath.graphs.csr import check_metadata
from warpath.graphs.npz_file import read_metadata, read_npy, read_npz, to_make_again
from warpath.graphs.random_numbers import hashed

# A product of this size has 2**28 cells; its cells are numbered in 32 bits.
SIZE_MAX = 16_384
_MANTISSA_BITS = 24


@dataclass(frozen=True, eq=False)
class Matrices:
    """``left`` and ``right`` have shape (n, n), float32. ``metadata`` says where they come from (JSON values only)."""

    left: np.ndarray
    right: np.ndarray
    metadata: dict = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Rows, and columns, of each matrix."""
        return len(self.left)

    @property
    def vertices(self) -> int:
        """The cells of the product."""
        return self.size**2

    @property
    def arcs(self) -> int:
        """The steps from a cell of the product to a neighbour."""
        return 4 * self.size * (self.size - 1)

    @cached_property
    def sha256(self) -> str:
        """Hash of both matrices."""
        digest = hashlib.sha256(f"{self.size}\n".encode())
        for matrix in (self.left, self.right):
            digest.update(np.ascontiguousarray(matrix, "<f4").data)
        return digest.hexdigest()

    def part(self, size_max: int) -> "Matrices":
        """Smaller matrices to try a variant on: the first rows and columns, without signs, so that paths exist."""
        if self.size <= size_max:
            return self
        left, right = (np.abs(matrix[:size_max, :size_max]) for matrix in (self.left, self.right))
        return Matrices(left, right)

    def check(self) -> None:
        """Raise UsageError where the matrices cannot be multiplied, or an entry is infinite or not a number."""
        for name, matrix in (("left", self.left), ("right", self.right)):
            if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype != np.float32:
                raise UsageError(f"the {name} matrix is {matrix.dtype} of shape {matrix.shape}; give square float32")
        if len(self.left) != len(self.right):
            raise UsageError(
                f"the left matrix has {len(self.left)} rows and the right one {len(self.right)}; give two of one size"
            )
        check_size(self.size)
        check_usable(self.left, "the left matrix")
        check_usable(self.right, "the right matrix")

    def save(self, path: str | os.PathLike) -> None:
        """Write the matrices to ``path`` (.npz), whole or not at all, the same bytes for the same matrices."""
        about = json.dumps(self.metadata, sort_keys=True, ensure_ascii=False)
        with atomic_write(path) as temporary, open(temporary, "wb") as file:
            np.savez(file, left=self.left, right=self.right, about=np.frombuffer(about.encode(), dtype=np.uint8))


def load(path: str | os.PathLike) -> Matrices:
    """Read what ``Matrices.save`` wrote. Raises FormatError where it is not that."""
    try:
        arrays = read_npz(path, ("left", "right", "about"))
        if len(arrays) < 3:
            raise FormatError(f"{path}: does not hold two matrices; make such a file with 'warpath generate'")
        matrices = Matrices(arrays["left"], arrays["right"], read_metadata(arrays["about"]))
        check_metadata(matrices.metadata)
        matrices.check()
    except (ValueError, UsageError, GraphError) as error:
        raise FormatError(f"{path}: not a pair of matrices ({error}); {to_make_again(path)}") from None
    return matrices


def random_matrices(size: int, seed: int = 1) -> Matrices:
    """Entries of [0, 1) in steps of 2**-24, the same on every machine.

    Raises UsageError for a size that has no two cells or too many.
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
    """Raise UsageError where a product of ``size`` has no way from one cell to another, or too many cells."""
    if not 2 <= size <= SIZE_MAX:
        raise UsageError(
            f"a matrix size of {size} is not between 2 (a single cell would be both source and destination) and "
            f"{SIZE_MAX}"
        )


def load_matrix(path: str | os.PathLike) -> np.ndarray:
    """The square matrix in a ``.npy`` file, as float32. Raises FormatError or UsageError where there is none."""
    try:
        matrix = read_npy(path)
    except ValueError:
        raise FormatError(f"{path}: not a whole .npy file; write one with numpy.save") from None
    if matrix.dtype.kind not in "fiu":
        raise FormatError(f"{path}: not one matrix of numbers; write one with numpy.save")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise FormatError(f"{path}: a matrix of shape {matrix.shape} is not square")
    check_size(len(matrix))
    with np.errstate(over="ignore"):
        single = np.ascontiguousarray(matrix, np.float32)
    wrong = first_true(np.isfinite(matrix) & ~np.isfinite(single))
    if wrong:
        raise FormatError(
            f"{path}: entry {wrong} is {matrix[wrong]}, too large for single precision; scale the matrix down"
        )
    return single


def check_usable(matrix: np.ndarray, name: str) -> None:
    """Raise UsageError where an entry is infinite or not a number; ``name`` says whose, "the left matrix"."""
    wrong = first_true(~np.isfinite(matrix))
    if wrong:
        raise UsageError(f"entry {wrong} of {name} is {matrix[wrong]}; every entry must be a finite number")


def first_true(flags: np.ndarray) -> tuple[int, int] | None:
    """Row and column of the first true entry, None where there is none."""
    place = int(np.argmax(flags))
    return (place // flags.shape[1], place % flags.shape[1]) if flags.flat[place] else None
