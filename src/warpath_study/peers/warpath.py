"""The public functions of warpath, as peers of other libraries. Answers are in host memory."""

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


def _prepared(graph: Graph, device: Device) -> warpath.Solver:
    return warpath.prepare(new_graph(graph), device)


def _distances(answer: Any, form: Any) -> np.ndarray:
    return answer.distances


def _peer(title: str, summary: str, prepare: Callable, solve: Callable, solve_all: Callable) -> Peer:
    return Peer(
        title=title,
        summary=summary,
        version=lambda: warpath.__version__,
        prepare=prepare,
        solve=solve,
        distances=_distances,
        all_pairs="at once",
        solve_all=solve_all,
        on_cpu=False,
        solver=lambda answer: answer.variant,
    )


def _of_solver(title: str, summary: str, **options: Any) -> Peer:
    """The methods ``sssp`` and ``apsp`` of a prepared solver, called with ``options``."""
    return _peer(
        title,
        f"prepared; {summary}",
        _prepared,
        lambda solver, source: solver.sssp(int(source), **options),
        lambda solver: solver.apsp(**options),
    )


PEERS = {
    "warpath": _of_solver("warpath", "distances and tree, certified"),
    "warpath_distances": _of_solver("warpath, distances", "distances, certified", predecessors=False),
    "warpath_uncertified": _of_solver(
        "warpath, uncertified", "distances, not certified", predecessors=False, certify=False
    ),
    "warpath_unprepared": _peer(
        "warpath, unprepared",
        "not prepared; distances and tree, certified",
        lambda graph, device: (new_graph(graph), device),
        lambda form, source: warpath.sssp(form[0], int(source), device=form[1]),
        lambda form: warpath.apsp(form[0], device=form[1]),
    ),
}
