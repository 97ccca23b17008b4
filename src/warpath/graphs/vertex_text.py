"""Vertices on the command line: they are called what the graph's file calls them."""

import contextlib
from collections.abc import Iterable

from ..errors import UsageError
from .csr import Graph


def index_of(graph: Graph, text: str) -> int:
    """The index of the vertex that is called ``text``; raises UsageError, with the nearest labels, if there is none."""
    label: int | str = text
    if graph.names.numbers:
        with contextlib.suppress(ValueError):  # the graph refuses other text, and says what its labels look like
            label = int(text)
    return graph.index_of(label)


def indices_of(graph: Graph, texts: Iterable[str]) -> list[int]:
    """The indices of the vertices in ``texts``, each a label or several with commas between; each vertex once."""
    found: dict[int, None] = {}
    for text in texts:
        for label in map(str.strip, text.split(",")):
            if not label:
                raise UsageError(f"{text!r} names no vertex; give a label, or several as 1,17,99")
            found[index_of(graph, label)] = None
    return list(found)
