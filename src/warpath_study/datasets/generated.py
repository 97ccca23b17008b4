"""Is a graph that goes by the name of a generated dataset the one that the catalog describes?"""

import os

import numpy as np

from warpath.errors import FormatError
from warpath.graphs.csr import Graph
from warpath.graphs.npz_file import to_make_again
from warpath.graphs.weights import with_drawn, with_ones

from ..matrix_product.matrices import Matrices
from .catalog import load_catalog


def check_named(name: str | None, graph: Graph | Matrices, path: str | os.PathLike) -> None:
    """Raise FormatError if ``name`` is a generated dataset of the catalog and ``graph``, read from ``path``, is not it.

    The catalog has the hash of what the generator makes. Random weights are drawn again, with the seed that ``about``
    records, and compared.
    """
    dataset = load_catalog().get(name) if name else None
    if dataset is None or not dataset.generated or dataset.sha256 is None:
        return
    if dataset.weighted or isinstance(graph, Matrices):
        same = graph.sha256 == dataset.sha256
    else:
        drawn = graph.about.get("weights", {})
        same = (
            with_ones(graph).sha256 == dataset.sha256
            and drawn.get("kind") == "random"
            and np.array_equal(with_drawn(graph, drawn).weights, graph.weights)
        )
    if not same:
        raise FormatError(
            f"{path}: not the dataset {name}, whose generator makes other arcs or weights; {to_make_again(path)}"
        )
