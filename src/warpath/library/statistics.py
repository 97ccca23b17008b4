"""Solves many sources and reduces their rows, so that no matrix of distances is needed."""

from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from ..device.resident import Resident
from ..errors import GraphError
from ..graphs.csr import Graph
from ..statistics.statistics import Seconds, Statistics, collector_for
from ..system.progress import Progress
from .calls import CHUNK_BYTES, COLUMNS_BYTES, Delivery, certifier_of
from .choosing import Request, call_for, calls_of, wanted_of
from .chunks import Chunk, solve_all


def check_no_negative_weights(graph: Graph, what: str = "statistics of all pairs") -> None:
    if graph.weight_min < 0:
        raise GraphError(f"the smallest weight is {graph.weight_min}; {what} need weights of at least 0")


def statistics_of(
    resident: Resident,
    prepared: int,
    sources: np.ndarray,
    nearest: int = 0,
    keep: Callable[[int, Any], None] | None = None,
    progress: Progress | None = None,
    count_of_all: int = 0,
) -> Statistics:
    """The result of ``Solver.statistics`` for ``sources``, int64 of shape (s,).

    Calls ``keep(first, rows)`` with the distances, shape (k, n), and the number of sources before them. The
    array, on the device or the host, is overwritten later. If other calls solve further sources, ``count_of_all`` is
    the number of all sources, and determines the solver.
    """
    graph = resident.graph
    check_no_negative_weights(graph)
    began = perf_counter()
    count = len(sources)
    collector = collector_for(resident.device, graph, count, nearest)
    certificate, solve_s, certify_s, reduce_s, variant = None, 0.0, 0.0, 0.0, ""

    def take(first: int, chunk: Chunk) -> None:
        nonlocal reduce_s
        if keep:
            keep(first, chunk.distances)
        reducing = perf_counter()
        collector.take(first, sources[first : first + len(chunk.distances)], chunk.distances)
        reduce_s += perf_counter() - reducing

    if count:
        count_of_all = max(count_of_all, count)
        expected = calls_of(resident).expected(prepared, count_of_all)
        delivery = Delivery(predecessors=False, output="device")
        call = call_for(resident, Request(wanted_of(count_of_all, delivery), expected), sources, delivery)
        call.check(sources)
        variant = call.choice.name
        certifier_of(resident)  # compiles its kernels before the time of the rows begins
        columns = call.variant.has_columns(graph) and not keep and nearest == 0 and graph.weight_min > 0
        rows = call.rows_at_once(count, None, COLUMNS_BYTES if columns else CHUNK_BYTES)
        certificate, solve_s, certify_s = solve_all(call, sources, rows, take, progress, columns=columns)
    seconds = Seconds(solve_s, certify_s, reduce_s, perf_counter() - began)
    return Statistics(graph.vertices, graph.scale, sources, collector.result(), certificate, variant, seconds)
