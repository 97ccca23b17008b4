"""Reductions of many rows: solved, certified and reduced a chunk at a time, on the device."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from ..errors import GraphError
from ..graphs.csr import Graph
from ..reductions.reductions import Reductions, Seconds
from ..reductions.row_reducer import RowReducer
from .chunks import Chunk, rows_at_once
from .kept_plans import Asked, KeptPlans


def refuse_negative_weights(graph: Graph) -> None:
    """Raise GraphError for a graph whose rows cannot be reduced."""
    if graph.weight_min < 0:
        raise GraphError(f"the lightest arc weighs {graph.weight_min}; rows are reduced where no weight is negative")


def reduced(
    kept: KeptPlans,
    prepared: bool,
    sources: np.ndarray,
    nearest: int = 0,
    keep: Callable[[int, Any], None] | None = None,
    progress: Callable[[int, int], None] | None = None,
    of: int = 0,
) -> Reductions:
    """What ``Solver.reductions`` returns, of indices, int64 of shape (s,).

    ``keep(first, rows)`` gets the distances, int32 of shape (k, n), from source number ``first`` on; the array, of the
    device or the host, is overwritten once ``keep`` returns. Where these sources are some ``of`` more, that number
    decides what solves.
    """
    graph = kept.graph
    refuse_negative_weights(graph)
    began = perf_counter()
    count = len(sources)
    reducer = RowReducer(kept.device, graph.vertices, count, nearest)
    certificate, solve_s, certify_s, reduce_s, variant = None, 0.0, 0.0, 0.0, ""

    def take(first: int, chunk: Chunk) -> None:
        nonlocal reduce_s
        if keep:
            keep(first, chunk.distances)
        reducing = perf_counter()
        reducer.take(first, sources[first : first + len(chunk.distances)], chunk.distances)
        reduce_s += perf_counter() - reducing

    if count:
        choice = kept.choice(Asked("sssp", max(of, count), prepared, None, None, ()), sources, False)
        kept.refuse(choice.variant, sources)
        variant = choice.name
        _ = kept.judge  # compiles its kernels, which is no part of what a row costs
        rows = rows_at_once(choice.variant, graph.vertices, False, count)
        certificate, solve_s, certify_s = kept.solve_all(choice, sources, False, True, rows, take, progress)
    seconds = Seconds(solve_s, certify_s, reduce_s, perf_counter() - began)
    return Reductions(graph.vertices, graph.scale, sources, reducer.result(), certificate, variant, seconds)
