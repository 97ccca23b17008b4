"""Converts files to graphs with weights, and graphs to derived graphs."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from warpath.errors import FormatError, UsageError
from warpath.graphs import csr
from warpath.graphs.csr import Graph, from_arcs
from warpath.graphs.files import edge_list, formats
from warpath.graphs.named_arcs import WEIGHT
from warpath.graphs.weights import with_random_weights

from .catalog import Dataset, require_published
from .verify import check_counts, check_file, read_hash
from .weight_rules import with_drawn

# The number of weights in a message.
_LISTED_MAX = 8


def convert_dataset(
    dataset: Dataset,
    path: str | os.PathLike,
    weights: str | None = None,
    scale: int | None = None,
    **options: Any,
) -> Graph:
    """The graph of ``dataset`` from its file ``path``, checked against the catalog.

    By default, the catalog decides about weights, or else the file; a graph without weights gets random ones. Other
    values of ``weights``, ``scale`` and ``options`` are as in ``formats.read``.
    Raises FormatError if the file or its counts are not those of the catalog, or if an edge list has a third column and
    the catalog does not tell whether it is a weight.
    """
    require_published(dataset)
    if not Path(path).exists():
        fetch = f"warpath fetch {dataset.name}"
        advice = f"put it there, or copy it with: {fetch} --mirror FOLDER" if dataset.own else f"get it with: {fetch}"
        raise FormatError(f"{path}: no such file; {advice}")
    if dataset.sha256 is not None or read_hash(dataset, Path(path).parent) is not None:
        check_file(dataset, path)
    if dataset.weighted is None and dataset.kind == "snap" and edge_list.columns(path) > 2:
        raise FormatError(
            f"{path}: the first arc has more than two columns; add 'weighted: true' to {dataset.name} in the catalog "
            "if the third is a weight, else 'weighted: false'"
        )
    rule = dataset.weights if weights is None else None
    if rule:
        options["weight"] = None
    elif weights is None and dataset.weighted is not None and "weight" not in options:
        weights = "given" if dataset.weighted else "drawn"
    graph = convert_file(path, dataset.kind, weights=weights, scale=scale or dataset.scale, **options)
    check_counts(dataset, path, graph.vertices, graph.arcs)
    if rule:
        graph = with_drawn(graph, rule)
    origin = dataset.addresses[0] if dataset.addresses else dataset.file
    graph.metadata.update(dataset=dataset.name, title=dataset.title, origin=origin)
    return graph


def derive_dataset(dataset: Dataset, path: str | os.PathLike) -> Graph:
    """The graph of a derived ``dataset`` from ``path``, the original .npz graph.

    Raises FormatError if there is no such graph or the counts are not those of the catalog, UsageError as
    ``with_random_weights`` and ``first_vertices`` do.
    """
    if not Path(path).exists():
        raise FormatError(f"{path}: no such file; {dataset.name} is derived from the graph of {dataset.origin}")
    original = csr.load(path)
    if dataset.first:
        graph = first_vertices(original, dataset.first.vertices, dataset.first.weight)
    else:
        assert dataset.weights is not None  # checked by Dataset
        graph = with_drawn(original, dataset.weights)
    check_counts(dataset, path, graph.vertices, graph.arcs)
    about = {"dataset": dataset.name, "title": dataset.title, "derived_from": dataset.origin}
    return replace(graph, metadata={**graph.metadata, **about})


def first_vertices(graph: Graph, vertices: int, weight: int) -> Graph:
    """The arcs of weight ``weight`` between the first ``vertices`` vertices, with weight 1.

    Raises UsageError if the graph has fewer vertices or no such arc.
    """
    if not 1 <= vertices <= graph.vertices:
        raise UsageError(
            f"the number of first vertices must be from 1 to {graph.vertices}, the size of the graph, not {vertices}"
        )
    tails = graph.tails()
    between = (tails < vertices) & (graph.indices < vertices)
    if not between.any():
        raise UsageError(f"there is no arc between the first {vertices} vertices; choose more")
    selected = between & (graph.weights == weight)
    if not selected.any():
        weights = [str(other) for other in np.unique(graph.weights[between])]
        listed = ", ".join(weights[:_LISTED_MAX] + ["..."] * (len(weights) > _LISTED_MAX))
        raise UsageError(f"no arc between the first {vertices} vertices has weight {weight}; weights are {listed}")
    ones = np.ones(int(selected.sum()), np.int32)
    part = f"first {vertices} vertices, arcs of weight {weight}"
    metadata = {**graph.metadata, "part": part, "weights": {"kind": "given"}}
    return from_arcs(vertices, tails[selected], graph.indices[selected], ones, metadata, graph.labels[:vertices])


def convert_file(path: str | os.PathLike, format: str | None = None, **options: Any) -> Graph:
    """The graph in a file, as ``formats.read`` reads it, but with random weights if the file has none."""
    graph = formats.read(path, format, **options)
    counted = options.get("weights") is None and graph.weight_name is None
    if counted and options.get("weight", WEIGHT) is not None:
        drawn = {name: options[name] for name in ("seed", "weight_min", "weight_max") if name in options}
        return with_random_weights(graph, **{"seed": 1, **drawn})
    return graph
