"""The generators by name. Equal parameters give equal graphs, on every machine."""

import inspect
from collections.abc import Callable

from warpath.errors import UsageError
from warpath.graphs.csr import Graph
from warpath.names import suggestion

from ...matrix_product.matrices import Matrices, random_matrices
from .complete import complete
from .gnutella import gnutella
from .hub import hub
from .paper_sample import paper_sample
from .power_law import power_law
from .random_digraph import random_digraph
from .road import road

GENERATORS: dict[str, Callable[..., Graph | Matrices]] = {
    "road": road,
    "gnutella": gnutella,
    "complete": complete,
    "hub": hub,
    "random": random_digraph,
    "power_law": power_law,
    "paper_sample": paper_sample,
    "matrices": random_matrices,
}


def generate(kind: str, **parameters: int) -> Graph | Matrices:
    """Make a graph, or for "matrices" a pair of them, with the generator ``kind``.

    ``about`` records the generator and its parameters.

    Raises UsageError for an unknown kind, for a parameter that is missing, unknown or not an integer, and for
    parameters that no graph can have.
    """
    if kind not in GENERATORS:
        raise UsageError(f"unknown kind of graph {kind!r}; {suggestion(kind, GENERATORS)}")
    known = inspect.signature(GENERATORS[kind]).parameters
    for name, value in parameters.items():
        if name not in known:
            raise UsageError(f"a {kind} graph has no parameter {name!r}; it has {', '.join(known) or 'none'}")
        if not isinstance(value, int):
            raise UsageError(f"a {kind} graph needs an integer for {name!r}, not {value!r}")
    for name, parameter in known.items():
        if parameter.default is parameter.empty and name not in parameters:
            raise UsageError(f"a {kind} graph needs the parameter {name!r}")
    graph = GENERATORS[kind](**parameters)
    graph.about.update(origin="generated", generator=kind, parameters=parameters)
    return graph
