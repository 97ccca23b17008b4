"""A graph made ready on a device: its copy, the kernels and the arrays stay there from one call to the next."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial, wraps
from math import floor, isnan
from time import perf_counter
from typing import Any, Concatenate, Literal, NoReturn, ParamSpec, TypeVar

import numpy as np

from ..certificates.certificate import Certificate
from ..device import Device
from ..distances import UNREACHABLE
from ..errors import GraphError, UsageError
from ..graphs.csr import Graph
from ..locks import Guard
from ..reductions.reductions import Reductions, RowReducer, Seconds
from ..solvers.auto import Choice, check_names, chosen_variant, default_algorithm
from ..solvers.plan import Closure
from ..solvers.preconditions import CLOSURE, DISTANCES, PATHS
from ..solvers.registry import pairs
from .chunks import Chunk, Delivery, Output, Rows, check_output, moved, rows_at_once
from .given import indices, one_index
from .paths import Paths, Reachability
from .plan_cache import OUT_OF_MEMORY, PlanCache, PlanKey, in_smaller_pieces

Progress = Callable[[int, int], None]
_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


def _in_turn(
    method: "Callable[Concatenate[Solver, _Given], _Answer]",
) -> "Callable[Concatenate[Solver, _Given], _Answer]":
    """A method of the solver in one thread after the other: plans and the judge serve one call at a time.

    Where memory runs out, it is called anew without what earlier calls left on the device.
    """

    @wraps(method)
    def in_turn(solver: "Solver", *args: _Given.args, **kwargs: _Given.kwargs) -> _Answer:
        with solver.guard.lock, solver.device.call_context():
            return solver._kept.in_memory_left(partial(method, solver, *args, **kwargs))

    return in_turn


class Solver:
    """Solves one graph on one device; made by ``warpath.prepare``.

    The first call compiles kernels and copies the graph; later calls find both there. Where ``prepared`` is true, it
    also prepares the graph, say by cutting it into parts, if that makes later calls quicker. The methods take what the
    functions of the library take, but for the graph and the device; vertices are indices. ``progress(done, all)`` is
    called as sources are done.

    Any number of threads may use a solver. It works on one call at a time; other calls, also of the same thread, come
    between the chunks of ``stream``, which several threads may share out, and during ``progress``. A call that Ctrl-C
    ends spoils no later one. A solver cannot be pickled.
    """

    def __init__(self, graph: Graph, device: Device, prepared: bool = True):
        self.graph, self.device, self.prepared = graph, device, prepared
        self._kept = PlanCache(graph, device)
        self.guard = Guard()

    def __reduce__(self) -> NoReturn:
        raise TypeError("a solver cannot be copied or pickled; send its graph, and call warpath.prepare there")

    @_in_turn
    def sssp(
        self,
        source: Any,
        *,
        targets: Any = None,
        cutoff: float | None = None,
        algorithm: str | None = None,
        variant: str | None = None,
        parameters: Mapping[str, int] | None = None,
        predecessors: bool = True,
        output: Output = "host",
        certify: bool = True,
        progress: Progress | None = None,
    ) -> Paths:
        """Find shortest paths from one source or several; see ``warpath.sssp``."""
        delivery = self._delivery(targets, cutoff, predecessors, certify, output)
        one = one_index(self.graph, source, "source")
        sources = indices(self.graph, source, "source") if one is None else np.array([one])
        choice = self._choice("sssp", sources, predecessors, algorithm, variant, parameters)
        return self._collected(choice, sources, delivery, progress and self._while_free(progress), one)

    @_in_turn
    def apsp(
        self,
        *,
        targets: Any = None,
        cutoff: float | None = None,
        algorithm: str | None = None,
        variant: str | None = None,
        parameters: Mapping[str, int] | None = None,
        predecessors: bool = True,
        output: Output = "host",
        certify: bool = True,
    ) -> Paths:
        """Find shortest paths between all pairs; see ``warpath.apsp``."""
        delivery = self._delivery(targets, cutoff, predecessors, certify, output)
        sources = np.arange(self.graph.vertices)
        choice = self._choice("apsp", sources, predecessors, algorithm, variant, parameters)
        if not choice.by_rows:
            try:
                return self._all_at_once(choice, delivery)
            except OUT_OF_MEMORY:
                if algorithm is not None:
                    raise
            self._kept.forget()
            choice = self._choice("sssp", sources, predecessors, None, None, None)
        return self._collected(choice, sources, delivery)

    def _all_at_once(self, choice: Choice, delivery: Delivery) -> Paths:
        vertices = self.graph.vertices
        self._kept.check(choice.variant, None)
        (PATHS if delivery.predecessors else DISTANCES).check(vertices, vertices)
        began = perf_counter()
        # Its arrays are handed over, so the plan is not kept.
        solution = self._kept.solved(choice.plan(self.device, self.graph, None, delivery.predecessors), None)
        solved = perf_counter()
        answer = solution.distances, solution.predecessors
        certificate = self._kept.judged(choice.variant, delivery.certify, np.arange(vertices), *answer)
        certified = perf_counter()
        distances, predecessors = delivery.cut(*answer)
        return Paths(
            self.graph,
            np.arange(vertices),
            delivery.targets,
            moved(self.device, distances, delivery.output),
            moved(self.device, predecessors, delivery.output) if delivery.predecessors else None,
            certificate,
            choice.name,
            solved - began,
            certified - solved,
            choice.reason,
        )

    @_in_turn
    def stream(
        self,
        sources: Any = None,
        *,
        targets: Any = None,
        cutoff: float | None = None,
        chunk: int | None = None,
        algorithm: str | None = None,
        variant: str | None = None,
        parameters: Mapping[str, int] | None = None,
        predecessors: bool = False,
        output: Output = "host",
        certify: bool = True,
    ) -> Iterator[tuple[Any, ...]]:
        """Find shortest paths a few sources at a time, so that neither device nor host holds the whole answer.

        The next sources are solved while the last ones are copied to the host. Parameters that are not listed, and
        errors, are those of ``warpath.sssp``.

        Parameters
        ----------
        sources : sequence of vertices, optional
            By default every vertex.
        chunk : int, optional
            Sources at a time; fewer if memory is short.
        predecessors : bool, default False
            Yield predecessors as well.

        Yields
        ------
        sources : int64 array of shape (k,)
        distances : int32 array of shape (k, n), or (k, t) with targets
        predecessors : int32 array of shape (k, n)
            Only if they were asked for.
        """
        delivery = self._delivery(targets, cutoff, predecessors, certify, output)
        vertices = np.arange(self.graph.vertices) if sources is None else indices(self.graph, sources, "source")
        if chunk is not None and (isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1):
            raise UsageError(f"a chunk is a number of sources, at least 1, not {chunk!r}")
        choice = self._choice("sssp", vertices, predecessors, algorithm, variant, parameters)
        rows = chunk or rows_at_once(choice.variant, self.graph.vertices, predecessors, len(vertices))
        self._kept.check(choice.variant, vertices)

        def solve(start: int, rows: int) -> Iterator[tuple[Any, ...]]:
            rest = vertices[start:]
            return delivery.stream(self._kept.chunks(choice, rest, predecessors, certify, rows), rest)

        return _InTurns(self, in_smaller_pieces(len(vertices), rows, solve, self._kept.forget))

    @_in_turn
    def reductions(self, sources: Any = None, *, nearest: int = 0, progress: Progress | None = None) -> Reductions:
        """Statistics of the distances from many sources, computed on the device; each row is certified.

        Parameters
        ----------
        sources : sequence of vertices, optional
            By default every vertex.
        nearest : int, default 0
            Find this many nearest vertices of each source.
        progress : callable, optional
            Called as ``progress(done, all)``.

        Returns
        -------
        Reductions
            Eccentricities, closeness, diameter, radius, mean distance, histogram and nearest vertices.

        Raises
        ------
        GraphError
            A weight is negative. Other errors are those of ``warpath.sssp``.
        """
        vertices = np.arange(self.graph.vertices) if sources is None else indices(self.graph, sources, "source")
        told = progress and self._while_free(progress)
        return reduced(self._kept, self.prepared, vertices, nearest, progress=told)

    @_in_turn
    def closure(self, *, variant: str | None = None, output: Output = "host", certify: bool = True) -> Reachability:
        """Find which vertices can be reached from which; see ``warpath.closure``."""
        check_output(output)
        check_names(None, variant)
        definition = chosen_variant("closure", default_algorithm("closure"), variant)
        CLOSURE.check(self.graph.vertices, self.graph.vertices)
        began = perf_counter()
        answer = self._kept.solved(definition.configured().plan(self.device, self.graph, None), None)
        solved = perf_counter()
        certificate = self._kept.certified_closure(definition, answer) if certify else None
        certified = perf_counter()
        if output == "host":
            answer = Closure(moved(self.device, answer.cells, "host"))
        xp = np if isinstance(answer.cells, np.ndarray) else self.device.xp
        reachable = moved(self.device, answer.reachable(xp).view(bool), output)
        return Reachability(
            self.graph,
            reachable,
            certificate,
            f"{definition.algorithm}.{definition.name}",
            solved - began,
            certified - solved,
        )

    @_in_turn
    def certify(self, sources: Any, distances: Any, predecessors: Any = None) -> Certificate:
        """Certify an answer, int32 arrays of the host or the device; see ``warpath.certify``."""
        one = one_index(self.graph, sources, "source")
        several = indices(self.graph, sources, "source") if one is None else one
        return self._kept.certified_on_device(several, distances, predecessors)

    def _while_free(self, progress: Progress) -> Progress:
        """``progress``, called between chunks and out of turn, so that it may even wait for another thread's call."""

        def told(done: int, count: int) -> None:
            self.guard.lock.release()
            try:
                progress(done, count)
            finally:
                self.guard.lock.acquire()

        return told

    def _choice(
        self,
        problem: Literal["sssp", "apsp"],
        sources: np.ndarray,
        predecessors: bool,
        algorithm: str | None,
        variant: str | None,
        parameters: Mapping[str, int] | None,
    ) -> Choice:
        check_names(algorithm, variant)
        asked = PlanKey(problem, len(sources), self.prepared, algorithm, variant, pairs(parameters))
        return self._kept.choice(asked, sources, predecessors)

    def _delivery(
        self, targets: Any, cutoff: float | None, predecessors: bool, certify: bool, output: Output
    ) -> Delivery:
        check_output(output)
        wanted = None if targets is None else indices(self.graph, targets, "target")
        limit, through_far = self._limit(cutoff), self.graph.weight_min < 0
        return Delivery(self.device, wanted, limit, through_far, predecessors, certify, output)

    def _limit(self, cutoff: float | None) -> int | None:
        """The largest distance that ``cutoff``, in the caller's unit, allows."""
        if cutoff is None:
            return None
        if not isinstance(cutoff, (int, float, np.integer, np.floating)) or isinstance(cutoff, bool) or isnan(cutoff):
            raise UsageError(f"a cutoff is a number, not {cutoff!r}")
        number = int(cutoff) if isinstance(cutoff, (int, np.integer)) else float(cutoff)
        scale = self.graph.scale
        farthest = int(UNREACHABLE) / scale
        if number >= farthest:
            return None
        number = max(number, -farthest)
        limit = floor(number * scale) + 1
        while limit / scale > number:  # the product may be rounded: 0.29 * 100 is below 29
            limit -= 1
        return limit

    def _collected(
        self,
        choice: Choice,
        sources: np.ndarray,
        delivery: Delivery,
        progress: Progress | None = None,
        one: int | None = None,
    ) -> Paths:
        """The whole answer from ``sources``, in arrays of its own; of shape (n,) where there is but ``one`` source."""
        count, vertices, output = len(sources), self.graph.vertices, delivery.output
        self._kept.check(choice.variant, sources)
        width = vertices if delivery.targets is None else len(delivery.targets)
        if output == "host":
            size, columns = (PATHS, vertices) if delivery.predecessors else (DISTANCES, width)
            size.check(count, columns)
        of_distances = Rows(self.device, count, width, output)
        of_predecessors = Rows(self.device, count, vertices, output) if delivery.predecessors else None
        found = of_distances.matrix, of_predecessors.matrix if of_predecessors else None
        # On the device, what solves many sources at once can write into the answer itself.
        here = output == "device" and delivery.is_whole and choice.variant.many_sources
        rows = count if here else rows_at_once(choice.variant, vertices, delivery.predecessors, count)

        def take(first: int, chunk: Chunk) -> None:
            if here:
                return
            distances, trees = delivery.cut(chunk.distances, chunk.predecessors)
            of_distances.put(first, distances)
            if of_predecessors:
                of_predecessors.put(first, trees)

        asked = choice, sources, delivery.predecessors, delivery.certify, rows
        certificate, solve_s, certify_s = self._kept.solve_all(*asked, take, progress, found if here else None)
        self.device.synchronize()  # the rows are there
        if one is not None:
            found = found[0][0], None if found[1] is None else found[1][0]
        return Paths(
            self.graph,
            sources if one is None else one,
            delivery.targets,
            *found,
            certificate,
            choice.name,
            solve_s,
            certify_s,
            choice.reason,
        )


class _InTurns(Iterator[tuple[Any, ...]]):
    """``chunks``, each made in a turn of its own."""

    def __init__(self, solver: Solver, chunks: Iterator[tuple[Any, ...]]):
        self._solver, self._chunks = solver, chunks

    def __next__(self) -> tuple[Any, ...]:
        with self._solver.guard.lock, self._solver.device.call_context():
            return next(self._chunks)


def check_no_negative_weights(graph: Graph) -> None:
    if graph.weight_min < 0:
        raise GraphError(f"the lightest arc weighs {graph.weight_min}; rows are reduced where no weight is negative")


def reduced(
    kept: PlanCache,
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
    check_no_negative_weights(graph)
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
        choice = kept.choice(PlanKey("sssp", max(of, count), prepared, None, None, ()), sources, False)
        kept.check(choice.variant, sources)
        variant = choice.name
        _ = kept.judge  # compiles its kernels, which is no part of what a row costs
        rows = rows_at_once(choice.variant, graph.vertices, False, count)
        certificate, solve_s, certify_s = kept.solve_all(choice, sources, False, True, rows, take, progress)
    seconds = Seconds(solve_s, certify_s, reduce_s, perf_counter() - began)
    return Reductions(graph.vertices, graph.scale, sources, reducer.result(), certificate, variant, seconds)
