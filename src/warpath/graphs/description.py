"""What a graph is, in one line for people. ``graph`` is a Graph, whose module calls this one."""

from typing import Any

import numba
import numpy as np

# What ``about`` calls a format, and what people do.
_FORMATS = {
    "gr": "DIMACS",
    "snap": "SNAP edge list",
    "el": "edge list",
    "wel": "weighted edge list",
    "edges": "'n m' text",
    "mtx": "MatrixMarket",
}


def describe(graph: Any) -> str:
    """Format, counts, where the weights come from and their range, parallel arcs, loops and labels."""
    form = "PACE" if graph.about.get("undirected") and graph.about.get("format") == "gr" else graph.about.get("format")
    parallel = parallel_arcs(graph)
    loops = int(np.count_nonzero(graph.sources() == graph.indices))
    parts = [
        *([_FORMATS.get(form, form)] if form else []),
        *(["undirected (every edge is two arcs)"] if graph.about.get("undirected") else []),
        _counted(graph.vertices, "vertex", "vertices"),
        _counted(graph.arcs, "arc", "arcs"),
        _weights(graph),
        _counted(parallel, "parallel arc", "parallel arcs"),
        _counted(loops, "loop", "loops"),
        f"labels {graph.names}" if graph.vertices > 1 else f"label {graph.names}",
    ]
    return ", ".join(parts)


def parallel_arcs(graph: Any) -> int:
    """How many arcs have the tail and head of an earlier one."""
    return int(_parallel_arcs(graph.indptr, graph.indices))


def decimal(weight: int, scale: int) -> str:
    """``weight / scale`` with thousands separated: exact where decimals are finite, else to 15 digits."""
    return f"{weight:,}" if scale == 1 else f"{weight / scale:,.15g}"


def _weights(graph: Any) -> str:
    said = graph.about.get("weights", {})
    scaled = f"; scale {graph.scale:,}" if graph.scale != 1 else ""
    if said.get("kind") == "random":
        like = f" like {said['like'].replace('_', ' ')}" if said.get("like") else ""
        return f"weights drawn{like} (from {said['min']:,} to {said['max']:,} by seed {said['seed']})"
    if said.get("kind") == "unit":
        return "weights all 1"
    if not graph.arcs:
        return "no weights"
    return (
        f"weights given ({decimal(graph.weight_min, graph.scale)} to {decimal(graph.weight_max, graph.scale)}{scaled})"
    )


def _counted(count: int, one: str, several: str) -> str:
    return f"1 {one}" if count == 1 else f"{count or 'no'} {several}" if count < 1000 else f"{count:,} {several}"


@numba.njit(cache=True)
def _parallel_arcs(indptr: np.ndarray, indices: np.ndarray) -> int:
    vertices = len(indptr) - 1
    last_tail = np.full(vertices, -1, np.int32)
    found = 0
    for tail in range(vertices):
        for arc in range(indptr[tail], indptr[tail + 1]):
            if last_tail[indices[arc]] == tail:
                found += 1
            last_tail[indices[arc]] = tail
    return found
