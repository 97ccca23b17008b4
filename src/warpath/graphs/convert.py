"""From a graph file to a graph with weights: what the pipeline's ``convert`` step does."""

import os
from pathlib import Path

from ..errors import FormatError
from . import formats
from .catalog import Dataset, require_published
from .csr import Graph
from .verify import check_counts, check_file
from .weights import with_random_weights


def convert_dataset(
    dataset: Dataset,
    path: str | os.PathLike,
    seed: int = 1,
    weight_min: int = 1,
    weight_max: int = 100,
    replace_weights: bool = False,
) -> Graph:
    """The graph of ``dataset`` from its published file ``path``, checked against the catalog.

    A graph without weights, or any if ``replace_weights``, gets random ones from ``seed``. Raises FormatError where the
    file's content, or its number of vertices or arcs, is not the catalog's.
    """
    require_published(dataset)
    if not Path(path).exists():
        raise FormatError(f"{path}: no such file; get it with: warpath fetch {dataset.name}")
    if dataset.sha256 is not None:
        check_file(dataset, path)
    format = "gr" if dataset.kind == "dimacs" else "snap"
    graph = formats.read(path, format, weighted=dataset.weighted)
    check_counts(dataset, path, graph.vertices, graph.arcs)
    graph.about.update(dataset=dataset.name, title=dataset.title, origin=dataset.addresses[0])
    return _weighted(graph, seed, weight_min, weight_max, replace_weights)


def convert_file(
    path: str | os.PathLike,
    format: str | None = None,
    seed: int = 1,
    weight_min: int = 1,
    weight_max: int = 100,
    replace_weights: bool = False,
) -> Graph:
    """The graph in any file that ``formats.read`` knows, with random weights as for ``convert_dataset``."""
    # With weights that will be replaced, an edge list's third column may hold anything.
    graph = formats.read(path, format, weighted=False if replace_weights else None)
    return _weighted(graph, seed, weight_min, weight_max, replace_weights)


def _weighted(graph: Graph, seed: int, weight_min: int, weight_max: int, replace_weights: bool) -> Graph:
    if replace_weights or graph.about.get("weights", {}).get("kind") == "unit":
        return with_random_weights(graph, seed, weight_min, weight_max)
    return graph
