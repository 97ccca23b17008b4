"""From a file to a graph with weights, and from one graph to another: what the command ``convert`` does."""

import os
from dataclasses import replace
from pathlib import Path

from ..errors import FormatError
from . import csr, formats, snap
from .catalog import Dataset, require_published
from .csr import Graph
from .first_vertices import first_vertices
from .verify import check_counts, check_file
from .weights import with_random_weights

_FORMATS = {"dimacs": "gr", "snap": "snap", "edges": "edges"}


def convert_dataset(
    dataset: Dataset,
    path: str | os.PathLike,
    seed: int = 1,
    weight_min: int = 1,
    weight_max: int = 100,
    replace_weights: bool = False,
) -> Graph:
    """The graph of ``dataset`` from its file ``path``, checked against the catalog.

    A graph without weights gets random ones from ``seed``; with ``replace_weights``, every graph does. Raises
    FormatError if the file or its counts are not the catalog's, or if an edge list has a third column and the catalog
    does not say whether it is a weight.
    """
    require_published(dataset)
    if not Path(path).exists():
        fetch = f"warpath fetch {dataset.name}"
        advice = f"put it there, or copy it with: {fetch} --mirror FOLDER" if dataset.own else f"get it with: {fetch}"
        raise FormatError(f"{path}: no such file; {advice}")
    if dataset.sha256 is not None:
        check_file(dataset, path)
    if dataset.weighted is None and snap.columns(path) > 2:
        raise FormatError(
            f"{path}: the first arc has more than two columns; if the third is a weight, say 'weighted: true' of "
            f"{dataset.name} in the catalog, and 'weighted: false' if it is not"
        )
    graph = formats.read(path, _FORMATS[dataset.kind], weighted=dataset.weighted)
    check_counts(dataset, path, graph.vertices, graph.arcs)
    origin = dataset.addresses[0] if dataset.addresses else dataset.file
    graph.about.update(dataset=dataset.name, title=dataset.title, origin=origin)
    return _weighted(graph, seed, weight_min, weight_max, replace_weights)


def derive_dataset(dataset: Dataset, path: str | os.PathLike) -> Graph:
    """The graph of a derived ``dataset`` from ``path``, the .npz graph of the dataset that it is derived from.

    Raises FormatError if there is no such graph or the counts are not the catalog's, UsageError as
    ``with_random_weights`` and ``first_vertices`` do.
    """
    if not Path(path).exists():
        raise FormatError(f"{path}: no such file; {dataset.name} is derived from the graph of {dataset.origin}")
    original = csr.load(path)
    if dataset.first:
        graph = first_vertices(original, dataset.first["vertices"], dataset.first["weight"])
    else:
        weights = dataset.weights
        graph = with_random_weights(original, weights["seed"], weights["min"], weights["max"])
    check_counts(dataset, path, graph.vertices, graph.arcs)
    about = {"dataset": dataset.name, "title": dataset.title, "derived_from": dataset.origin}
    return replace(graph, about={**graph.about, **about})


def convert_file(
    path: str | os.PathLike,
    format: str | None = None,
    seed: int = 1,
    weight_min: int = 1,
    weight_max: int = 100,
    replace_weights: bool = False,
) -> Graph:
    """The graph in any file that ``formats.read`` knows, with random weights as for ``convert_dataset``."""
    # If the weights are replaced, the third column of an edge list may hold anything.
    graph = formats.read(path, format, weighted=False if replace_weights else None)
    return _weighted(graph, seed, weight_min, weight_max, replace_weights)


def _weighted(graph: Graph, seed: int, weight_min: int, weight_max: int, replace_weights: bool) -> Graph:
    if replace_weights or graph.about.get("weights", {}).get("kind") == "unit":
        return with_random_weights(graph, seed, weight_min, weight_max)
    return graph
