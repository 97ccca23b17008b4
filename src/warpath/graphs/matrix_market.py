"""MatrixMarket files, ``.mtx``, read through scipy: entry (u, v) is the weight of the arc from u to v, counted from 1.

A symmetric matrix stands for both its triangles, and a pattern has no weights. https://math.nist.gov/MatrixMarket
"""

import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.io

from ..errors import FormatError, GraphError
from .adjacency_matrix import graph_of_entries
from .content import open_content
from .csr import Graph
from .number_lines import check_counts
from .weights import given_weights


def read(path: str | os.PathLike, take_weights: bool = True, scale: int = 1) -> Graph:
    """Read a square real, integer or pattern matrix, plain or compressed; row i has index i - 1 and label i.

    In a coordinate file every entry is an arc, zeros included, and entries of one place are parallel arcs; in an array
    file zeros are not arcs. Raises FormatError that names the file if scipy cannot read it or a weight does not suit.
    """
    content = _content(path)
    rows, _, entries, layout, field, symmetry = _header(path, content)
    check_counts(rows, entries, str(path))  # before scipy, which an array of no rows ends with the process
    if field == "complex" or symmetry == "hermitian":
        raise FormatError(f"{path}: a {symmetry} {field} matrix; a weight is a real number")
    weighted = field != "pattern" and take_weights
    about = {
        "format": "mtx",
        "origin": Path(path).name,
        "weights": given_weights(scale) if weighted else {"kind": "unit"},
        **({"undirected": True} if symmetry == "symmetric" else {}),
    }
    try:
        matrix: Any = scipy.io.mmread(io.BytesIO(content), spmatrix=False)
        if not weighted and layout == "coordinate":
            matrix.data = np.ones(len(matrix.data), bool)
        elif not weighted:
            matrix = np.isfinite(matrix) & (matrix != 0)
        return graph_of_entries(matrix, scale if weighted else 1, about, first=1)
    except (ValueError, OverflowError) as error:
        raise FormatError(f"{path}: not a MatrixMarket file that scipy reads ({error})") from None
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None


def counts(path: str | os.PathLike) -> tuple[int, int] | None:
    """(vertices, arcs) as the header announces them; None where the entries do not tell the arcs."""
    rows, _, entries, layout, _, symmetry = _header(path, _content(path))
    return (rows, entries) if (layout, symmetry) == ("coordinate", "general") else None


def _content(path: str | os.PathLike) -> bytes:
    """The text of the file. Given an open file, scipy 1.17 ends the process where the first line is not its own."""
    with open_content(path) as file:
        return file.read()


def _header(path: str | os.PathLike, content: bytes) -> tuple[int, int, int, str, str, str]:
    try:
        return scipy.io.mminfo(io.BytesIO(content))
    except (ValueError, OverflowError) as error:
        raise FormatError(f"{path}: not a MatrixMarket file that scipy reads ({error})") from None
