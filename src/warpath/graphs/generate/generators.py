"""The generators by name. All are deterministic: equal parameters give equal graphs, on every machine."""

import inspect
from collections.abc import Callable

from ...errors import UsageError
from ..csr import Graph
from .complete import complete
from .gnutella import gnutella
from .hub import hub
from .paper_sample import paper_sample
from .random_digraph import random_digraph
from .road import road

GENERATORS: dict[str, Callable[..., Graph]] = {
    "road": road,
    "gnutella": gnutella,
    "complete": complete,
    "hub": hub,
    "random": random_digraph,
    "paper_sample": paper_sample,
}


def generate(kind: str, **parameters: int) -> Graph:
    """Make a graph with the generator ``kind``; ``about`` says which it was and with which parameters.

    Raises UsageError for an unknown kind, for a parameter that it lacks, does not know or that is no integer, and
    where there is no such graph.
    """
    if kind not in GENERATORS:
        raise UsageError(f"unknown kind of graph {kind!r}; there are {', '.join(GENERATORS)}")
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
