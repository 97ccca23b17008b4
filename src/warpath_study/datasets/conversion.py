"""From a file to a graph with weights, and from one graph to another: what the command ``convert`` does."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from warpath.errors import FormatError, UsageError
from warpath.graphs import csr, edge_list, formats
from warpath.graphs.csr import Graph, from_arcs
from warpath.graphs.weights import with_drawn, with_random_weights

from .catalog import Dataset, require_published
from .verify import check_counts, check_file, read_recorded

# How many weights an error message lists.
_LISTED = 8


def convert_dataset(
    dataset: Dataset,
    path: str | os.PathLike,
    weights: str | None = None,
    scale: int | None = None,
    **drawn: int,
) -> Graph:
    """The graph of ``dataset`` from its file ``path``, checked against the catalog.

    With ``weights`` None a graph has the weights that the catalog says, and where it says nothing those of its file;
    a graph without weights gets those that the catalog draws, or else random ones. Other values, ``scale``, and
    ``drawn``, a seed and a range, as for ``formats.read``.
    Raises FormatError if the file or its counts are not the catalog's, or if an edge list has a third column and the
    catalog does not say whether it is a weight.
    """
    require_published(dataset)
    if not Path(path).exists():
        fetch = f"warpath fetch {dataset.name}"
        advice = f"put it there, or copy it with: {fetch} --mirror FOLDER" if dataset.own else f"get it with: {fetch}"
        raise FormatError(f"{path}: no such file; {advice}")
    if dataset.sha256 is not None or read_recorded(dataset, Path(path).parent) is not None:
        check_file(dataset, path)
    if dataset.weighted is None and dataset.kind == "snap" and edge_list.columns(path) > 2:
        raise FormatError(
            f"{path}: the first arc has more than two columns; if the third is a weight, say 'weighted: true' of "
            f"{dataset.name} in the catalog, and 'weighted: false' if it is not"
        )
    rule = dataset.weights if weights is None else None
    if rule:
        weights = "ones"
    elif weights is None and dataset.weighted is not None:
        weights = "given" if dataset.weighted else "drawn"
    graph = convert_file(path, dataset.kind, weights, scale or dataset.scale, **drawn)
    check_counts(dataset, path, graph.vertices, graph.arcs)
    if rule:
        graph = with_drawn(graph, rule)
    origin = dataset.addresses[0] if dataset.addresses else dataset.file
    graph.metadata.update(dataset=dataset.name, title=dataset.title, origin=origin)
    return graph


def derive_dataset(dataset: Dataset, path: str | os.PathLike) -> Graph:
    """The graph of a derived ``dataset`` from ``path``, the .npz graph of the dataset that it is derived from.

    Raises FormatError if there is no such graph or the counts are not the catalog's, UsageError as
    ``with_random_weights`` and ``first_vertices`` do.
    """
    if not Path(path).exists():
        raise FormatError(f"{path}: no such file; {dataset.name} is derived from the graph of {dataset.origin}")
    original = csr.load(path)
    if dataset.first:
        graph = first_vertices(original, dataset.first.vertices, dataset.first.weight)
    else:
        assert dataset.weights is not None  # it has one of both
        graph = with_drawn(original, dataset.weights)
    check_counts(dataset, path, graph.vertices, graph.arcs)
    about = {"dataset": dataset.name, "title": dataset.title, "derived_from": dataset.origin}
    return replace(graph, metadata={**graph.metadata, **about})


def first_vertices(graph: Graph, vertices: int, weight: int) -> Graph:
    """The arcs of weight ``weight`` between the first ``vertices`` vertices, all with weight 1.

    Raises UsageError if the graph has fewer vertices or no such arc.
    """
    if not 1 <= vertices <= graph.vertices:
        raise UsageError(
            f"a graph of {graph.vertices} vertices has no first {vertices}; choose from 1 to {graph.vertices}"
        )
    tails = graph.sources()
    between = (tails < vertices) & (graph.indices < vertices)
    if not between.any():
        raise UsageError(f"there is no arc between the first {vertices} vertices; choose more")
    kept = between & (graph.weights == weight)
    if not kept.any():
        there = [str(other) for other in np.unique(graph.weights[between])]
        listed = ", ".join(there[:_LISTED] + ["..."] * (len(there) > _LISTED))
        raise UsageError(f"no arc between the first {vertices} vertices has weight {weight}; weights are {listed}")
    ones = np.ones(int(kept.sum()), np.int32)
    about = {
        **graph.metadata,
        "part": f"first {vertices} vertices, arcs of weight {weight}",
        "weights": {"kind": "given"},
    }
    return from_arcs(vertices, tails[kept], graph.indices[kept], ones, about, graph.labels[:vertices])


def convert_file(
    path: str | os.PathLike,
    format: str | None = None,
    weights: str | None = None,
    scale: int | None = None,
    **drawn: int,
) -> Graph:
    """The graph in any file, as ``formats.read`` reads it, but with random weights where the file has none."""
    graph = formats.read(path, format, weights=weights, scale=scale, **drawn)
    if weights is None and graph.metadata.get("weights", {}).get("kind") == "unit":
        return with_random_weights(graph, **{"seed": 1, **drawn})
    return graph
