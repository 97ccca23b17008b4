"""Matrix path, frontier: product, two smallest entries, and a path in rounds over cells with a lower cost."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from warpath.device import Device
from warpath.distances import NO_PREDECESSOR
from warpath.errors import UsageError

from ....matrix_product.matrices import Matrices, check_finite, first_true
from ....matrix_product.product_path import Cell, Entry, ProductPath
from ...shared.plan import Plan, PlanVariant

KERNEL = Path(__file__).with_suffix(".cu")
_PRODUCT = Path(__file__).with_name("product.cu")
_MINIMUM = Path(__file__).with_name("minimum.cu")
TILE = 32
BLOCK = (32, 32)
REDUCTION_THREADS = 256
# Replaces the smallest entry during the search for the second smallest; the cost of an unreached cell.
FLOAT_MAX = np.finfo(np.float32).max


class MatrixPathPlan(Plan[Matrices]):
    """An iteration is one round of both path kernels; ``iterations`` is an upper bound.

    ``ends`` are the source and the destination; None means the smallest and the second smallest entry. The published
    times are of kernels, so copies are between the phases. Counters: ``iterations`` and ``launches``.

    A solve raises UsageError for a product with infinite, undefined or negative entries, for paths beyond float32, and
    for ends outside of the matrix or equal to each other.
    """

    def __init__(
        self,
        device: Device,
        matrices: Matrices,
        source: None = None,
        ends: tuple[Cell | None, Cell | None] = (None, None),
    ):
        super().__init__(device, matrices)
        self.size, self.ends = matrices.size, ends
        # Each round adds at least one step to every shortest path, and the last round finds nothing.
        self.iterations = matrices.vertices
        self.blocks = tuple(-(-self.size // side) for side in BLOCK)
        reduction = {"THREADS": REDUCTION_THREADS}
        self.multiply_kernel = device.kernel(_PRODUCT, "multiply", {"TILE": TILE})
        self.smallest_of_matrix = device.kernel(_MINIMUM, "smallest_of_matrix", reduction)
        self.smallest_of_smallest = device.kernel(_MINIMUM, "smallest_of_smallest", reduction)
        self.offer_kernel = device.kernel(KERNEL, "offer")
        self.accept_kernel = device.kernel(KERNEL, "accept")
        shape = (self.size, self.size)
        self.host_product, self.host_costs = np.empty(shape, np.float32), np.empty(shape, np.float32)
        self.host_words = np.empty(shape, np.uint64)
        self.host_neighbours = neighbours(self.size)

    def steps(self) -> Sequence[tuple[str | None, Callable[[], Any]]]:
        return (
            (None, self.upload_matrices),
            ("product_s", self.multiply),
            (None, self.download_product),
            ("minima_s", self.find_minima),
            (None, self.upload_costs),
            ("path_s", self.run),
            (None, self.download),
        )

    def upload(self) -> None:
        """All steps before the iterations, including the product and its minima."""
        for _, step in self.steps()[:-2]:
            step()

    def upload_matrices(self) -> None:
        self.matrices = [self.device.upload(matrix) for matrix in (self.graph.left, self.graph.right)]
        self.product = self.device.empty((self.size, self.size), np.float32)

    def multiply(self) -> None:
        grid = (-(-self.size // TILE),) * 2
        left, right = self.matrices
        self.multiply_kernel(grid, (TILE, TILE), size=np.int32(self.size), left=left, right=right, product=self.product)
        self.counters["launches"] += 1

    def download_product(self) -> None:
        self.device.download(self.product, self.host_product)
        self.matrices = []
        check_finite(self.host_product, "the product")
        if negative := first_true(self.host_product < 0):
            raise UsageError(
                f"entry {negative} of the product is {self.host_product[negative]}; entries must not be negative, "
                "because a path could visit such a cell without end"
            )

    def find_minima(self) -> None:
        """The smallest entry, and the smallest of the others."""
        self.minimum = self._smallest()
        cell = (self.minimum.row, self.minimum.column)
        self.product[cell] = FLOAT_MAX
        self.second_minimum = self._smallest()
        self.product[cell] = self.minimum.value

    def _smallest(self) -> Entry:
        count, entries = self.size * self.size, None
        while True:
            blocks = -(-count // REDUCTION_THREADS)
            smallest = self.device.empty((blocks,), np.uint64)
            size = {"count": np.int32(count), "smallest": smallest}
            if entries is None:
                self.smallest_of_matrix((blocks,), (REDUCTION_THREADS,), matrix=self.product, **size)
            else:
                self.smallest_of_smallest((blocks,), (REDUCTION_THREADS,), entries=entries, **size)
            self.counters["launches"] += 1
            if blocks == 1:
                break
            count, entries = blocks, smallest
        word = np.empty(1, np.uint64)
        self.device.download(smallest, word)
        value = (word >> np.uint64(32)).astype(np.uint32).view(np.float32)[0]
        row, column = divmod(int(word[0]) & 0xFFFFFFFF, self.size)
        return Entry(float(value), row, column)

    def upload_costs(self) -> None:
        """Cost 0 for the source; every other cell is unreached."""
        of_minima = ((entry.row, entry.column) for entry in (self.minimum, self.second_minimum))
        self.source_cell, self.destination_cell = (
            given or found for given, found in zip(self.ends, of_minima, strict=True)
        )
        _check_ends(self.size, self.source_cell, self.destination_cell)
        self.host_costs.fill(FLOAT_MAX)
        self.host_costs[self.source_cell] = 0
        fell = np.zeros((self.size, self.size), np.uint8)
        fell[self.source_cell] = 1
        self.host_words[:] = _packed(self.host_costs)
        self.costs, self.words = self.device.upload(self.host_costs), self.device.upload(self.host_words)
        fell, self.changed = self.device.upload(fell), self.device.upload(np.ones(1, np.int32))
        starts, heads = (self.device.upload(array) for array in self.host_neighbours)
        of_both = {"size": np.int32(self.size), "costs": self.costs, "fell": fell, "offers": self.words}
        self.round = [
            self.offer_kernel.bind(self.blocks, BLOCK, starts=starts, neighbours=heads, values=self.product, **of_both),
            self.accept_kernel.bind(self.blocks, BLOCK, **of_both, changed=self.changed),
        ]
        self.quiet = False

    def iterate(self, first: int, last: int) -> None:
        if self.quiet:
            return
        done, self.quiet = self.device.repeat_while([self.round], self.changed, last - first)
        self.counters["iterations"] += done
        self.counters["launches"] += len(self.round) * done

    def download(self) -> ProductPath:
        self.device.download(self.costs, self.host_costs)
        self.device.download(self.words, self.host_words)
        if self.quiet and self.host_costs.max() == FLOAT_MAX:
            raise UsageError("the weights of paths over this product are beyond float32; scale the matrices down")
        predecessors = (self.host_words & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32)
        minima = self.minimum, self.second_minimum
        return ProductPath(
            self.host_product, *minima, self.source_cell, self.destination_cell, self.host_costs, predecessors
        )

    def release(self) -> None:
        self.matrices = []
        self.product = self.costs = self.words = self.changed = None
        self.round = []  # there is nothing to launch until the next upload

    def settled(self) -> bool:
        return self.quiet


def neighbours(size: int) -> tuple[np.ndarray, np.ndarray]:
    """The left, top, right and bottom neighbours of each cell of a square matrix, in CSR form.

    Offsets of shape (size * size + 1,), int64, and cells, int32.
    """
    cells = np.arange(size * size, dtype=np.int32).reshape(size, size)
    padded = np.pad(cells, 1, constant_values=-1)
    adjacent = np.stack([padded[1:-1, :-2], padded[:-2, 1:-1], padded[1:-1, 2:], padded[2:, 1:-1]], axis=-1)
    inside = adjacent >= 0
    starts = np.zeros(size * size + 1, np.int64)
    np.cumsum(inside.sum(axis=-1), out=starts[1:])
    return starts, adjacent[inside]


def _packed(costs: np.ndarray) -> np.ndarray:
    """The 64-bit words of frontier.cu: the bits of a cost, and below them no predecessor."""
    return costs.view(np.uint32).astype(np.uint64) << np.uint64(32) | np.uint64(NO_PREDECESSOR.view(np.uint32))


def _check_ends(size: int, source: Cell, destination: Cell) -> None:
    for name, cell in (("source", source), ("destination", destination)):
        if not all(0 <= index < size for index in cell):
            raise UsageError(f"the {name} {cell} is outside of a matrix of size {size}; rows and columns count from 0")
    if source == destination:
        raise UsageError(f"source and destination are the same cell, {source}; choose two")


VARIANT = PlanVariant(
    origin="telang_grid",
    plan=MatrixPathPlan,
    kernels=(KERNEL, _MINIMUM, _PRODUCT),
    same_cost=False,
)
