"""The public functions of warpath, as peers of other libraries."""

from collections.abc import Callable
from typing import Any

import numpy as np

import warpath
from warpath.device import Device
from warpath.graphs.csr import Graph

from .contract import Peer


def new_graph(graph: Graph) -> Graph:
    """A Graph of the same host arrays, for which nothing is kept."""
    return Graph(graph.indptr, graph.indices, graph.weights)


def prepared(graph: Graph, device: Device) -> warpath.Solver:
    return warpath.prepare(new_graph(graph), device)


def distances(answer: Any, form: Any) -> np.ndarray:
    return answer.distances


def peer_of_solver(title: str, summary: str, **options: Any) -> Peer:
    """The methods ``sssp`` and ``apsp`` of a prepared solver, called with ``options``."""
    return peer(
        title,
        f"prepared; {summary}",
        prepared,
        lambda solver, source: solver.sssp(int(source), **options),
        lambda solver: solver.apsp(**options),
        warpath.Solver.update,
    )


def peer(
    title: str,
    summary: str,
    prepare: Callable,
    solve: Callable,
    solve_all: Callable,
    update: Callable[[Any, np.ndarray], None] | None = None,
) -> Peer:
    return Peer(
        title=title,
        summary=summary,
        version=lambda: warpath.__version__,
        prepare=prepare,
        solve=solve,
        distances=distances,
        all_pairs="at once",
        solve_all=solve_all,
        update=update,
        on_cpu=False,
        solver=lambda answer: answer.variant,
    )
