"""What answers share: how they were found, distances in the unit of the weights, and vertices by name."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ..certificates.certificate import Certificate
from ..distances import unreachable
from ..graphs.csr import Graph
from ..graphs.objects import frames

if TYPE_CHECKING:
    from ..typing import Array


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Answer:
    """An answer about ``graph``, and how it was found.

    Attributes
    ----------
    graph : Graph
    certificate : Certificate or None
        None with ``certify=False``, or if nothing was asked.
    variant, reason : str
        The solver, such as "near_far.whole_grid", and why it was chosen. "host.search" is a search on the host, for a
        source that reaches few vertices. Both are "" if nothing was asked.
    solve_s, certify_s : float
        Seconds. On a GPU, kernels that certify run beside the solve, and count in ``solve_s``.
    """

    graph: Graph
    certificate: Certificate | None
    variant: str
    reason: str
    solve_s: float
    certify_s: float

    def __repr__(self) -> str:
        certified = "certified" if self.certificate else "not certified"
        return f"<{self._told()}, by {self.variant or 'no solver'}, {certified}>"

    def found_how(self) -> dict[str, Any]:
        """The fields of ``Answer``, for another answer that is made from this one."""
        return {field.name: getattr(self, field.name) for field in fields(Answer)}

    def _told(self) -> str:
        """What was asked, for ``repr``."""
        raise NotImplementedError

    def _named(self, vertices: np.ndarray) -> np.ndarray:
        """The labels of vertices, masked for -1."""
        return np.ma.array(self.graph.labels[vertices], mask=vertices < 0)

    def _frame(self, columns: dict[str, np.ndarray]) -> Any:
        """A data frame of the kind that the graph was made from."""
        return frames.new_frame(columns, frames.kind_of(self.graph))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Distances(Answer):
    """An answer with ``distances``, an array of the type of the weights.

    Where there is no path, int32 has UNREACHABLE (2**31 - 1), floats have ``inf``. Check ``reached`` before adding to
    whole distances, or use ``floats``. If the weights were scaled, so are the distances.
    """

    distances: "Array"

    @property
    def weight(self) -> str | None:
        """The name of the weights that were summed, such as "weight"; None if arcs were counted."""
        return self.graph.weight_name

    @property
    def reached(self) -> "Array":
        """bool array of the shape of ``distances``: where there is a path."""
        return self.distances != unreachable(self.distances.dtype)

    def floats(self) -> "Array":
        """The distances as float64, ``inf`` where there is no path, in the original unit of the weights."""
        floats = self.distances / np.float64(self.graph.scale)
        floats[~self.reached] = np.inf
        return floats

    def _float(self, *position: Any) -> float:
        """One of ``floats``."""
        distance = self.distances[position].item()
        return np.inf if distance == unreachable(self.distances.dtype) else distance / self.graph.scale
