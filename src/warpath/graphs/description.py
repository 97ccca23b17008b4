"""One line of text about a graph. ``graph`` is a Graph; its module imports this one."""

from typing import Any

import numpy as np

_FORMATS = {
    "gr": "DIMACS",
    "snap": "SNAP edge list",
    "el": "edge list",
    "wel": "weighted edge list",
    "edges": "'n m' text",
    "mtx": "MatrixMarket",
    "csv": "CSV edge list",
    "parquet": "Parquet edge list",
}


def describe(graph: Any) -> str:
    """See ``Graph.describe``."""
    form = graph.metadata.get("format")
    if form == "gr" and graph.metadata.get("undirected") and graph.weight_name is None:
        form = "PACE"
    parallel = parallel_arcs(graph)
    loops = int(np.count_nonzero(graph.tails() == graph.indices))
    parts = [
        *([_FORMATS.get(form, form)] if form else []),
        *(["undirected (every edge is two arcs)"] if graph.metadata.get("undirected") else []),
        _counted(graph.vertices, "vertex", "vertices"),
        _counted(graph.arcs, "arc", "arcs"),
        _weights(graph),
        _counted(parallel, "parallel arc", "parallel arcs"),
        _counted(loops, "loop", "loops"),
        f"labels {graph.names}" if graph.vertices > 1 else f"label {graph.names}",
    ]
    return ", ".join(parts)


def parallel_arcs(graph: Any) -> int:
    """The number of arcs with the tail and head of an earlier arc."""
    ends = graph.tails().astype(np.int64)
    ends <<= 32
    ends |= graph.indices
    ends.sort(kind="stable")  # merges the rows, which are in order already
    return int(np.count_nonzero(ends[1:] == ends[:-1]))


def _weights(graph: Any) -> str:
    metadata, scale = graph.metadata.get("weights", {}), graph.scale
    if metadata.get("kind") == "random":
        like = f" like {metadata['like'].replace('_', ' ')}" if metadata.get("like") else ""
        return f"weights drawn{like} (from {metadata['min']:,} to {metadata['max']:,} by seed {metadata['seed']})"
    if metadata.get("kind") == "unit":
        return "weights all 1 (arcs are counted)"
    if not graph.arcs:
        return "no weights"
    name = metadata.get("name", "given")
    if scale == 1:
        kind = f", {graph.weights.dtype}" if graph.has_floats else ""
        return f"weights {name} ({graph.weight_min:,} to {graph.weight_max:,}{kind})"
    return f"weights {name} ({graph.weight_min / scale:,.15g} to {graph.weight_max / scale:,.15g}; scale {scale:,})"


def _counted(count: int, one: str, several: str) -> str:
    return f"1 {one}" if count == 1 else f"{count or 'no'} {several}" if count < 1000 else f"{count:,} {several}"
