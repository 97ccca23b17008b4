"""Product, its two smallest entries, and the path from the one to the other: the host loops."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..device import Device
from ..errors import UsageError
from .matrices import refuse_negative, refuse_unusable

_PRODUCT = Path(__file__).with_name("product.cu")
_MINIMUM = Path(__file__).with_name("minimum.cu")
_PATH = Path(__file__).with_name("path.cu")
TILE = 32
BLOCK = (32, 32)
REDUCTION_THREADS = 256
NO_PREDECESSOR = -1
# What stands in the place of the smallest entry while the second smallest is looked for, and the cost of an unreached
# cell.
FLOAT_MAX = np.finfo(np.float32).max

Cell = tuple[int, int]  # row, column


@dataclass(frozen=True)
class Entry:
    """An entry of the product."""

    value: float
    row: int
    column: int


@dataclass
class GridSolution:
    """All arrays have shape (n, n): the product and the cost of each cell's best way from the source, both float32,
    and its predecessor, int32, a cell's number in row-major order.

    ``seconds`` has the times of "product", "minima" and "path" on the device, ``counters`` iterations and launches.
    """

    product: np.ndarray
    minimum: Entry
    second_minimum: Entry
    source: Cell
    destination: Cell
    costs: np.ndarray
    predecessors: np.ndarray
    seconds: dict[str, float] = field(default_factory=dict)
    counters: Counter[str] = field(default_factory=Counter)

    @property
    def weight(self) -> float:
        """What the path costs: the values of all its cells but the destination."""
        return float(self.costs[self.destination])

    def path(self) -> list[Cell]:
        """The cells from source to destination, both included."""
        size = len(self.costs)
        cells = [self.destination]
        while cells[-1] != self.source:
            cells.append(divmod(int(self.predecessors[cells[-1]]), size))
        return cells[::-1]


class GridSolver:
    """The three parts for matrices of one size on one device; everything on the device is made once."""

    def __init__(self, device: Device, size: int):
        self.device, self.size = device, size
        self.blocks = tuple(-(-size // side) for side in BLOCK)
        reduction = {"THREADS": REDUCTION_THREADS}
        self.multiply = device.kernel(_PRODUCT, "multiply", {"TILE": TILE})
        self.smallest_of_matrix = device.kernel(_MINIMUM, "smallest_of_matrix", reduction)
        self.smallest_of_smallest = device.kernel(_MINIMUM, "smallest_of_smallest", reduction)
        self.offer = device.kernel(_PATH, "offer")
        self.accept = device.kernel(_PATH, "accept")
        self.product = device.empty((size, size), np.float32)

    def solve(
        self, left: np.ndarray, right: np.ndarray, source: Cell | None = None, destination: Cell | None = None
    ) -> GridSolution:
        """``source`` and ``destination`` are the cells of the smallest and the second smallest entry unless given.

        Raises UsageError for entries that are not finite, for a product with negative ones or such large ones that
        paths are beyond float32, and where source and destination are no cells, or one and the same.
        """
        refuse_unusable(left, "the left matrix")
        refuse_unusable(right, "the right matrix")
        counters: Counter[str] = Counter()
        seconds = {"product": self._multiply(left, right, counters)}
        product = np.empty((self.size, self.size), np.float32)
        self.device.download(self.product, product)
        refuse_unusable(product, "the product")
        refuse_negative(product)

        started = self.device.record()
        minimum, second_minimum = self._two_smallest(counters)
        seconds["minima"] = self.device.seconds_between(started, self.device.record())
        source = (minimum.row, minimum.column) if source is None else source
        destination = (second_minimum.row, second_minimum.column) if destination is None else destination
        _refuse_ends(self.size, source, destination)

        costs, predecessors, seconds["path"] = self._paths_from(source, counters)
        if costs.max() == FLOAT_MAX:
            raise UsageError("the weights of paths over this product are beyond float32; scale the matrices down")
        return GridSolution(
            product, minimum, second_minimum, source, destination, costs, predecessors, seconds, counters
        )

    def _multiply(self, left: np.ndarray, right: np.ndarray, counters: Counter[str]) -> float:
        device_left, device_right = self.device.upload(left), self.device.upload(right)
        grid = (-(-self.size // TILE),) * 2
        started = self.device.record()
        self.multiply(grid, (TILE, TILE), (np.int32(self.size), device_left, device_right, self.product))
        stopped = self.device.record()
        self.device.synchronize()
        counters["launches"] += 1
        return self.device.seconds_between(started, stopped)

    def _two_smallest(self, counters: Counter[str]) -> tuple[Entry, Entry]:
        """The smallest entry, and the smallest while its place holds the largest float."""
        minimum = self._smallest(counters)
        place = (minimum.row, minimum.column)
        self.product[place] = FLOAT_MAX
        second_minimum = self._smallest(counters)
        self.product[place] = minimum.value
        return minimum, second_minimum

    def _smallest(self, counters: Counter[str]) -> Entry:
        count, kernel, entries = self.size * self.size, self.smallest_of_matrix, self.product
        while True:
            blocks = -(-count // REDUCTION_THREADS)
            smallest = self.device.empty((blocks,), np.uint64)
            kernel((blocks,), (REDUCTION_THREADS,), (np.int32(count), entries, smallest))
            counters["launches"] += 1
            if blocks == 1:
                break
            count, kernel, entries = blocks, self.smallest_of_smallest, smallest
        found = np.empty(1, np.uint64)
        self.device.download(smallest, found)
        value = (found >> np.uint64(32)).astype(np.uint32).view(np.float32)[0]
        row, column = divmod(int(found[0]) & 0xFFFFFFFF, self.size)
        return Entry(float(value), row, column)

    def _paths_from(self, source: Cell, counters: Counter[str]) -> tuple[np.ndarray, np.ndarray, float]:
        """Costs and predecessors of all cells, and the seconds between the copies there and back."""
        shape = (self.size, self.size)
        costs = np.full(shape, FLOAT_MAX, np.float32)
        costs[source] = 0
        fell = np.zeros(shape, np.uint8)
        fell[source] = 1
        words = _packed(costs, np.full(shape, NO_PREDECESSOR, np.int32))
        size, changed = np.int32(self.size), np.ones(1, np.int32)
        device_costs, device_fell, offers, device_changed = map(self.device.upload, (costs, fell, words, changed))
        offer = self.offer.bind(
            self.blocks, BLOCK, (size, self.product, device_costs, device_fell, offers, device_changed)
        )
        accept = self.accept.bind(self.blocks, BLOCK, (size, device_costs, device_fell, offers, device_changed))
        started = self.device.record()
        while changed[0]:
            offer()
            accept()
            self.device.download(device_changed, changed)
            counters["iterations"] += 1
            counters["launches"] += 2
        seconds = self.device.seconds_between(started, self.device.record())
        self.device.download(device_costs, costs)
        self.device.download(offers, words)
        return costs, (words & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32), seconds


def _packed(costs: np.ndarray, predecessors: np.ndarray) -> np.ndarray:
    """The 64-bit words of path.cu: the cost's bits above the predecessor's."""
    return costs.view(np.uint32).astype(np.uint64) << np.uint64(32) | predecessors.view(np.uint32).astype(np.uint64)


def _refuse_ends(size: int, source: Cell, destination: Cell) -> None:
    for name, cell in (("source", source), ("destination", destination)):
        if not all(0 <= place < size for place in cell):
            raise UsageError(f"the {name} {cell} is no cell of a matrix of size {size}; rows and columns count from 0")
    if source == destination:
        raise UsageError(f"source and destination are the same cell, {source}; choose two")
