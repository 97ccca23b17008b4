"""Graph files for the tests of readers, and what was read of them."""

from pathlib import Path

from warpath.graphs.csr import Graph


def written(path: Path, content: str | bytes) -> Path:
    """``path``, at which a file has this content now."""
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def arcs(graph: Graph) -> list[tuple]:
    """The arcs as (label, label, weight), in their order."""
    tails, heads = graph.labels[graph.tails()].tolist(), graph.labels[graph.indices].tolist()
    return list(zip(tails, heads, graph.weights.tolist(), strict=True))
