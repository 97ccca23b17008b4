"""Sparse matrices in files of ``scipy.sparse.save_npz``."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import scipy.sparse

from ...errors import FormatError, GraphError
from ..content import MemoryLimit
from ..csr import Graph
from ..npz_file import read_npz
from ..objects.adjacency_matrix import from_matrix
from .number_lines import check_counts

_SAVED = {
    "csr": ("indices", "indptr"),
    "csc": ("indices", "indptr"),
    "bsr": ("indices", "indptr"),
    "dia": ("offsets",),
    "coo": ("row", "col"),
}
"""The arrays of a matrix in a file, beside its data."""


def load(path: str | os.PathLike, scale: int | None, floats: bool = False) -> Graph:
    """The graph of a matrix that ``scipy.sparse.save_npz`` wrote, as float64 if ``floats`` is true.

    Raises FormatError, or GraphError for no graph.
    """
    try:
        arrays = read_npz(path, ("format", "shape", "data", "indices", "indptr", "offsets", "row", "col"))
        form = arrays["format"].item()
        form = form.decode() if isinstance(form, bytes) else form
        rows, columns = map(int, arrays["shape"])
        limit = MemoryLimit.of(path, os.path.getsize(path))
        check_counts(max(rows, columns), arrays["data"].size, str(path), limit)
        parts = _SAVED[form]
        inner = tuple(arrays[part] for part in parts)
        content = (arrays["data"], inner) if form == "coo" else (arrays["data"], *inner)
        matrix = getattr(scipy.sparse, f"{form}_array")(content, shape=(rows, columns))
    except (KeyError, ValueError, TypeError, IndexError, OverflowError) as error:
        raise FormatError(f"{path}: not a matrix of scipy.sparse.save_npz ({error}); save it again") from None
    try:
        graph = from_matrix(matrix.astype(np.float64) if floats else matrix, scale)
    except GraphError as error:
        raise GraphError(f"{path}: {error}") from None
    return replace(graph, metadata={**graph.metadata, "format": "matrix", "origin": Path(path).name})
