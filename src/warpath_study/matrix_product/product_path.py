"""The answer on a matrix product, its two smallest entries and the path between them; and its certificate.

``certify_product_path`` checks the answer itself, with stated tolerances.

*Product.* An exact entry is the sum of n products. A float32 sum, in any order, fused or not, differs from it by at
most g(n) = n u / (1 - n u) times the sum of the absolute products, where u = 2**-24 (N. J. Higham, "Accuracy and
Stability of Numerical Algorithms", section 3.1). The product in float64 stands for the exact one.

*Minima.* They must be exactly the smallest and the second smallest entry of the float32 product. Of equal entries, the
first counts.

*Path.* Costs are sums of float32 values, rounded at each step, and certified exactly in that arithmetic: (1) the source
costs 0, (2) no step from any cell gives its neighbour a lower cost, (3) each cell costs what the step from its
predecessor gives, and (4) the predecessors form a tree. By (2), no path of L steps is cheaper than (1 - g(L)) times the
cost; by (3), there is one that costs at most (1 + g(L)) times as much. L is at most the larger of the path's own steps
and weight / smallest entry.

Source: K. P. Telang, "Single Source Shortest Path using CUDA".
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from warpath.certificates.certificate import Certificate
from warpath.certificates.facts import Scope
from warpath.distances import NO_PREDECESSOR
from warpath.errors import CertificateError

from .matrices import Matrices, first_true

Cell = tuple[int, int]  # row, column

_STEPS = {"U": (-1, 0), "D": (1, 0), "L": (0, -1), "R": (0, 1)}
_LETTERS = {step: letter for letter, step in _STEPS.items()}


@dataclass(frozen=True)
class Entry:
    """An entry of the product."""

    value: float
    row: int
    column: int


@dataclass
class ProductPath:
    """The product, its two smallest entries, and the shortest paths from ``source``.

    Arrays have shape (n, n). ``product`` and ``costs`` are float32; ``predecessors``, int32, number the cells row
    by row.
    """

    product: np.ndarray
    minimum: Entry
    second_minimum: Entry
    source: Cell
    destination: Cell
    costs: np.ndarray
    predecessors: np.ndarray

    @property
    def weight(self) -> float:
        """The cost of the path: the sum of its cells without the destination."""
        return float(self.costs[self.destination])

    def cells(self) -> list[Cell]:
        """The path from source to destination, both included."""
        size = len(self.costs)
        cells = [self.destination]
        while cells[-1] != self.source:
            cells.append(divmod(int(self.predecessors[cells[-1]]), size))
        return cells[::-1]

    def as_dict(self) -> dict[str, Any]:
        """The ``answer`` of a record; ``moves`` has a letter for each step: up, down, left, right."""
        return {
            "minimum": asdict(self.minimum),
            "second_minimum": asdict(self.second_minimum),
            "path": {
                "source": list(self.source),
                "destination": list(self.destination),
                "weight": self.weight,
                "moves": moves(self.cells()),
            },
        }


def moves(cells: list[Cell]) -> str:
    """A letter for each step of a path."""
    return "".join(_LETTERS[there[0] - here[0], there[1] - here[1]] for here, there in pairwise(cells))


def path_cells(path: Mapping[str, Any]) -> list[Cell]:
    """The cells of the ``path`` in a record's ``answer``, source and destination included."""
    row, column = path["source"]
    cells = [(row, column)]
    for move in path["moves"]:
        row, column = row + _STEPS[move][0], column + _STEPS[move][1]
        cells.append((row, column))
    return cells


def program_output(size: int, answer: Mapping[str, Any]) -> str:
    """A record's ``answer`` in the form of the published program."""
    minimum, second = answer["minimum"], answer["second_minimum"]
    return (
        f"The input size is {size}\n"
        f"The minimum Value is {minimum['value']:f} at index {minimum['row']}, {minimum['column']}\n"
        f"The 2nd minimum Value is {second['value']:f} at index {second['row']}, {second['column']}\n"
        f"The weight of the path to get to the second min value from the first min value is "
        f"{answer['path']['weight']:f}.\n"
    )


UNIT_ROUNDOFF = 2.0**-24


def certify_product_path(matrices: Matrices, solution: ProductPath, scope: Scope = "full") -> Certificate:
    """Certify ``solution``, or raise CertificateError with the first wrong cell.

    The certificate has two relative tolerances: "product" for the entries, and "weight" for the distance of the path's
    weight from the least weight.
    """
    tolerance = rounding_bound(matrices.size)
    _certify_product(matrices.left, matrices.right, solution.product, tolerance)
    _certify_minima(solution)
    _certify_costs(solution)
    steps = max(len(solution.cells()) - 1, _most_steps(solution))
    cells = matrices.vertices
    tolerances = {"product": tolerance, "weight": rounding_bound(steps)}
    return Certificate(scope, cells, 1, matrices.arcs, cells, "exact in float32", tolerances)


def rounding_bound(roundings: int) -> float:
    """g(n), the bound on the relative error of ``roundings`` float32 roundings, or infinity."""
    error = roundings * UNIT_ROUNDOFF
    return error / (1 - error) if error < 1 else float("inf")


def _most_steps(solution: ProductPath) -> int:
    """A bound on the steps of a cheapest path: a step costs at least the smallest entry, and cells do not repeat."""
    cells = solution.product.size
    if solution.minimum.value == 0:
        return cells - 1
    return min(cells - 1, int(solution.weight / solution.minimum.value * (1 + 1e-3)) + 1)


def _certify_product(left: np.ndarray, right: np.ndarray, product: np.ndarray, tolerance: float) -> None:
    exact = left.astype(np.float64) @ right
    bound = tolerance * (np.abs(left).astype(np.float64) @ np.abs(right))
    # The smallest float32 covers products that underflow.
    wrong = np.abs(product - exact) > bound * (1 + 1e-6) + np.finfo(np.float32).tiny * len(left)
    if cell := first_true(wrong):
        raise CertificateError(f"entry {cell} of the product is {product[cell]} instead of {exact[cell]:.9g}")


def _certify_minima(solution: ProductPath) -> None:
    entries = solution.product.ravel().copy()
    for name, found in (("smallest", solution.minimum), ("second smallest", solution.second_minimum)):
        index = int(np.argmin(entries))
        expected = Entry(float(entries[index]), *divmod(index, len(solution.product)))
        if found != expected:
            raise CertificateError(f"the {name} entry is {expected}, not {found}")
        entries[index] = np.inf


def _certify_costs(solution: ProductPath) -> None:
    costs, size = solution.costs, len(solution.costs)
    if costs[solution.source] != 0 or solution.predecessors[solution.source] != NO_PREDECESSOR:
        raise CertificateError(f"the source {solution.source} costs {costs[solution.source]} instead of 0")
    numbers = np.arange(size * size, dtype=np.int64).reshape(size, size)
    leaving = costs + solution.product  # float32, rounded once, as on the device
    explained = np.zeros((size, size), bool)
    explained[solution.source] = True
    for here, there in _neighbours():
        if step := first_true(leaving[here] < costs[there]):
            raise CertificateError(
                f"the step from cell {divmod(int(numbers[here][step]), size)} to "
                f"{divmod(int(numbers[there][step]), size)} gives the cost {leaving[here][step]}, below the cost "
                f"{costs[there][step]} of the second cell"
            )
        explained[there] |= (solution.predecessors[there] == numbers[here]) & (leaving[here] == costs[there])
    if cell := first_true(~explained):
        raise CertificateError(
            f"no step from predecessor {solution.predecessors[cell]} gives the cost {costs[cell]} of cell {cell}"
        )
    _check_tree(solution)


def _neighbours() -> Iterator[tuple[tuple[slice, slice], tuple[slice, slice]]]:
    """The slices of a matrix that steps leave and enter, for each direction."""
    everything, but_last, but_first = slice(None), slice(None, -1), slice(1, None)
    yield (everything, but_last), (everything, but_first)
    yield (everything, but_first), (everything, but_last)
    yield (but_last, everything), (but_first, everything)
    yield (but_first, everything), (but_last, everything)


def _check_tree(solution: ProductPath) -> None:
    costs, source = solution.costs.ravel(), int(np.ravel_multi_index(solution.source, solution.costs.shape))
    ancestors = solution.predecessors.ravel().astype(np.int64)
    ancestors[source] = source
    others = np.arange(costs.size) != source
    if (costs[ancestors] < costs)[others].all():
        return  # costs fall with each step back, so there is no cycle
    for _ in range(costs.size.bit_length()):
        ancestors = ancestors[ancestors]  # twice as many steps back
        if (ancestors == source).all():
            return
    cell = divmod(int(ancestors[np.argmax(ancestors != source)]), len(solution.costs))
    raise CertificateError(f"the predecessors of cell {cell} form a cycle")
