"""Solves paths from sources, and delivers the answer: whole or in part, on the device or the host."""

import sys
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np

from ..graphs.csr import Graph
from ..solvers.checks.preconditions import size_of_paths
from ..solvers.choice.auto import Choice, are_few
from ..system.progress import Progress
from .chunks import Chunk, Delivery, Outcome, RowBuffer, rows_at_once, solves_elsewhere
from .plan_cache import PlanCache


def may_be_a_table(graph: Graph, sources: int, delivery: Delivery) -> bool:
    """Whether the distances of a few targets are all that is wanted."""
    targets = delivery.targets
    if targets is None or not len(targets) or delivery.predecessors or delivery.certify:
        return False
    return are_few(len(targets), sources, graph)


def for_table(graph: Graph, choice: Choice, sources: int, delivery: Delivery) -> tuple[np.ndarray | None, Delivery]:
    """The targets if the solver solves a table, else None; and how to deliver what it solves."""
    if not (choice.variant.has_tables(graph) and may_be_a_table(graph, sources, delivery)):
        return None, delivery
    return delivery.targets, replace(delivery, targets=None)


def answer_of_one(
    cache: PlanCache, choice: Choice, source: int, sources: np.ndarray, delivery: Delivery
) -> tuple[Any, Any, Outcome]:
    """Distances and predecessors, of shape (n,), by a solver that solves from one source at a time.

    ``sources`` is an array with ``source``.
    """
    graph, output = cache.graph, delivery.output
    cache.check(choice.variant, sources)
    if output == "host":
        size_of_paths(delivery.predecessors, graph.weights.itemsize).check(1, graph.vertices)

    def copied(distances: Any, predecessors: Any) -> tuple[Any, Any]:
        stream = cache.copying if output == "host" and delivery.is_whole else None
        of_distances, of_predecessors = delivery.cut(distances, predecessors)
        trees = None if of_predecessors is None else delivery.copied(of_predecessors, stream)
        return delivery.copied(of_distances, stream), trees

    keep = output == "device" and delivery.is_whole
    answer, outcome = cache.solve_one(choice, source, delivery.predecessors, delivery.checks, keep, copied)
    if output == "host":
        cache.device.synchronize()  # completes the copies
    return *answer, outcome


def answer_of_several(
    cache: PlanCache, choice: Choice, sources: np.ndarray, delivery: Delivery, one: int | None = None
) -> tuple[Any, Any, Outcome]:
    """Distances and predecessors in new arrays, which have shape (n,) if ``one`` is the only source."""
    device, graph = cache.device, cache.graph
    count, vertices, output = len(sources), graph.vertices, delivery.output
    cache.check(choice.variant, sources)
    targets = delivery.targets
    width = vertices if targets is None else len(targets)
    of_table, delivery = for_table(graph, choice, count, delivery)
    if output == "host":
        size = size_of_paths(delivery.predecessors, graph.weights.itemsize)
        size.check(count, vertices if delivery.predecessors else width)
    of_distances = RowBuffer(device, (count, width), graph.weights.dtype, output)
    of_predecessors = RowBuffer(device, (count, vertices), np.int32, output) if delivery.predecessors else None
    arrays = of_distances.matrix, of_predecessors.matrix if of_predecessors else None
    # On the device, a solver for many sources writes into these arrays directly.
    direct = output == "device" and delivery.is_whole and choice.variant.many_sources
    direct = direct and not solves_elsewhere(choice.variant, device)
    solved_width = vertices if of_table is None else width
    at_once = {"chunk_bytes": sys.maxsize} if direct else {}
    rows = rows_at_once(choice.variant, graph, solved_width, delivery.predecessors, count, **at_once)

    def take(first: int, chunk: Chunk) -> None:
        if direct:
            return
        distances, trees = delivery.cut(chunk.distances, chunk.predecessors)
        of_distances.put(first, distances)
        if of_predecessors:
            of_predecessors.put(first, trees)

    request = choice, sources, delivery.predecessors, delivery.checks, rows
    into = arrays if direct else None
    # One source takes too little time for a bar.
    progress = Progress("solving", "sources", count) if one is None else None
    with progress or nullcontext():
        outcome = cache.solve_all(*request, take, progress, into, of_table)
    device.synchronize()  # completes the copies
    if one is not None:
        arrays = arrays[0][0], None if arrays[1] is None else arrays[1][0]
    return *arrays, outcome
