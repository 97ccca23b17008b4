"""Reductions of many rows: solved, certified and reduced a chunk at a time, on the device."""

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import numpy as np

from ..certificates.certificate import Certificate
from ..certificates.combined import combined
from ..errors import GraphError
from ..graphs.csr import Graph
from ..reductions.reductions import Reductions, Seconds
from ..reductions.row_reducer import RowReducer
from .chunks import rows_at_once
from .kept_plans import Asked, KeptPlans
from .memory import in_smaller_pieces


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
    certificates: list[Certificate] = []
    solve_s = certify_s = reduce_s = 0.0
    variant = ""
    if count:
        choice = kept.choice(Asked("sssp", max(of, count), prepared, None, None, ()), sources, False)
        kept.refuse(choice.variant, sources)
        variant = choice.name
        _ = kept.judge  # compiles its kernels, which is no part of what a row costs

        def solve(start: int, rows: int) -> Iterator[tuple]:
            nonlocal solve_s, certify_s, reduce_s
            rest = sources[start:]
            for chunk in kept.chunks(choice, rest, False, True, rows):
                here = rest[chunk.first : chunk.last]
                if keep:
                    keep(start + chunk.first, chunk.distances)
                reducing = perf_counter()
                reducer.take(start + chunk.first, here, chunk.distances)
                reduce_s += perf_counter() - reducing
                solve_s, certify_s = solve_s + chunk.solve_s, certify_s + chunk.certify_s
                certificates.extend([chunk.certificate] if chunk.certificate else [])
                if progress:
                    progress(start + chunk.last, count)
                yield (here,)

        for _ in in_smaller_pieces(
            count, rows_at_once(choice.variant, graph.vertices, False, count), solve, kept.forget
        ):
            pass
    rows = reducer.result()
    return Reductions(
        graph.vertices,
        graph.scale,
        sources,
        rows,
        combined(certificates) if certificates else None,
        variant,
        Seconds(solve_s, certify_s, reduce_s, perf_counter() - began),
    )
