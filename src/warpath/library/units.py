"""Answers in the caller's terms: distances in the unit of the weights, and vertices by name."""

from typing import Any

import numpy as np

from ..distances import unreachable
from ..graphs.csr import Graph


def as_floats(graph: Graph, distances: Any) -> Any:
    """``distances`` as float64, ``inf`` where there is no path, in the original unit of the weights of ``graph``."""
    floats = distances / np.float64(graph.scale)
    floats[distances == unreachable(distances.dtype)] = np.inf
    return floats


def named(graph: Graph | None, vertices: np.ndarray) -> Any:
    """Vertices as a column of a data frame: their labels in ``graph``, or indices if it is None; missing for -1."""
    import pandas

    missing = vertices < 0
    names = pandas.Series(vertices if graph is None else graph.labels[vertices])
    if missing.any():
        names = names.astype("Int64" if names.dtype.kind == "i" else object).mask(missing)
    return names


def how_solved(answer: Any) -> str:
    """The solver of an answer, and whether it is certified, for its ``repr``."""
    return f"by {answer.variant or 'no solver'}, {'certified' if answer.certificate else 'not certified'}"
