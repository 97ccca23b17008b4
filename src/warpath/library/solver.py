"""A graph made ready on a device: its copy, the kernels and the arrays stay there from one call to the next."""

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from math import floor, isnan
from time import perf_counter
from typing import Any, Concatenate, Literal, NoReturn, ParamSpec, TypeVar

import numpy as np

from ..certificates.certificate import Certificate
from ..certificates.combined import combined
from ..device import Device
from ..distances import UNREACHABLE
from ..errors import UsageError
from ..graphs.csr import Graph
from ..locks import Guard
from ..reductions.reductions import Reductions
from ..solvers.auto import Choice, chosen_variant, default_algorithm, refuse_names
from ..solvers.limits import CLOSURE, DISTANCES, PATHS
from ..solvers.plan import Closure
from ..solvers.registry import pairs
from .chunks import rows_at_once
from .delivery import Delivery, Output, Rows, columns_of, moved, refuse_output, within
from .kept_plans import Asked, KeptPlans
from .memory import OUT_OF_MEMORY, in_memory_left, in_smaller_pieces
from .paths import Paths, Reachability
from .reducing import reduced
from .vertices import indices, one_index

Progress = Callable[[int, int], None]
_Given = ParamSpec("_Given")
_Answer = TypeVar("_Answer")


def _in_turn(
    method: "Callable[Concatenate[Solver, _Given], _Answer]",
) -> "Callable[Concatenate[Solver, _Given], _Answer]":
    """A method of the solver in one thread after the other: plans and the judge serve one call at a time.

    Where memory runs out, it is called anew without what earlier calls left on the device.
    """
    retried = in_memory_left(method)

    @wraps(method)
    def in_turn(solver: "Solver", *args: _Given.args, **kwargs: _Given.kwargs) -> _Answer:
        with solver.guard.lock, solver.device.turn():
            return retried(solver, *args, **kwargs)

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
        self._kept = KeptPlans(graph, device)
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
        """Shortest paths from ``source``, a vertex, or from each of several; see ``warpath.sssp``."""
        refuse_output(output)
        one = one_index(self.graph, source, "source")
        sources = indices(self.graph, source, "source") if one is None else np.array([one])
        choice = self._choice("sssp", sources, predecessors, algorithm, variant, parameters)
        wanted = None if targets is None else indices(self.graph, targets, "target")
        told = progress and self._while_free(progress)
        return self._collected(choice, sources, wanted, cutoff, predecessors, output, certify, told, one)

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
        """Shortest paths between all pairs; see ``warpath.apsp``."""
        refuse_output(output)
        vertices = self.graph.vertices
        choice = self._choice("apsp", np.arange(vertices), predecessors, algorithm, variant, parameters)
        wanted = None if targets is None else indices(self.graph, targets, "target")
        asked = wanted, cutoff, predecessors, output, certify
        if not choice.by_rows:
            try:
                return self._all_at_once(choice, *asked)
            except OUT_OF_MEMORY:
                if algorithm is not None:
                    raise
            self._kept.forget()
            choice = self._choice("sssp", np.arange(vertices), predecessors, None, None, None)
        return self._collected(choice, np.arange(vertices), *asked)

    def _all_at_once(
        self,
        choice: Choice,
        wanted: np.ndarray | None,
        cutoff: float | None,
        predecessors: bool,
        output: Output,
        certify: bool,
    ) -> Paths:
        """All pairs, by a plan that has whole matrices."""
        vertices = self.graph.vertices
        limit = self._limit(cutoff)
        self._kept.refuse(choice.variant, None)
        (PATHS if predecessors else DISTANCES).check(vertices, vertices)
        began = perf_counter()
        # Its arrays are handed over, so the plan is not kept.
        solution = self._kept.solved(choice.plan(self.device, self.graph, None, predecessors), None)
        solved = perf_counter()
        answer = solution.distances, solution.predecessors
        certificate = self._kept.judged(choice.variant, certify, np.arange(vertices), *answer)
        certified = perf_counter()
        distances, found = within(limit, *answer, self.graph.weight_min < 0)
        return Paths(
            self.graph,
            np.arange(vertices),
            wanted,
            moved(self.device, columns_of(self.device, distances, wanted), output),
            moved(self.device, found, output) if predecessors else None,
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
        """Shortest paths from ``sources``, by default from every vertex, a few sources at a time.

        Yields sources, int64 of shape (k,), and their distances, (k, n) or, with targets, (k, t); with ``predecessors``
        also those, (k, n). Each piece has ``chunk`` sources; fewer if it is the last, or if memory is short. The next
        one is solved while the last one is copied to the host. So neither the device nor the host ever holds the whole
        answer. What is yielded is the caller's. Errors as for ``sssp``.
        """
        refuse_output(output)
        vertices = np.arange(self.graph.vertices) if sources is None else indices(self.graph, sources, "source")
        if chunk is not None and (isinstance(chunk, bool) or not isinstance(chunk, int) or chunk < 1):
            raise UsageError(f"a chunk is a number of sources, at least 1, not {chunk!r}")
        choice = self._choice("sssp", vertices, predecessors, algorithm, variant, parameters)
        wanted = None if targets is None else indices(self.graph, targets, "target")
        rows = chunk or rows_at_once(choice.variant, self.graph.vertices, predecessors, len(vertices))
        self._kept.refuse(choice.variant, vertices)
        delivery = Delivery(self.device, output, wanted, self._limit(cutoff), self.graph.weight_min < 0)

        def solve(start: int, rows: int) -> Iterator[tuple[Any, ...]]:
            rest = vertices[start:]
            return delivery.stream(self._kept.chunks(choice, rest, predecessors, certify, rows), rest)

        return _InTurns(self, in_smaller_pieces(len(vertices), rows, solve, self._kept.forget))

    @_in_turn
    def reductions(self, sources: Any = None, *, nearest: int = 0, progress: Progress | None = None) -> Reductions:
        """What the rows of ``sources``, by default of every vertex, come to, as ``warpath.reductions.reductions`` says.

        Rows are certified, and reduced where they were solved, a few at a time, so that none has to leave the device.
        ``nearest`` asks for so many nearest vertices of each. GraphError for negative weights; else as for ``sssp``.
        """
        vertices = np.arange(self.graph.vertices) if sources is None else indices(self.graph, sources, "source")
        told = progress and self._while_free(progress)
        return reduced(self._kept, self.prepared, vertices, nearest, progress=told)

    @_in_turn
    def closure(self, *, variant: str | None = None, output: Output = "host", certify: bool = True) -> Reachability:
        """Which vertices can be reached from which; see ``warpath.closure``."""
        refuse_output(output)
        refuse_names(None, variant)
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
        refuse_names(algorithm, variant)
        asked = Asked(problem, len(sources), self.prepared, algorithm, variant, pairs(parameters))
        return self._kept.choice(asked, sources, predecessors)

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
        targets: np.ndarray | None,
        cutoff: float | None,
        predecessors: bool,
        output: Output,
        certify: bool,
        progress: Progress | None = None,
        one: int | None = None,
    ) -> Paths:
        """The whole answer from ``sources``, in arrays of its own; of shape (n,) where there is but ``one`` source."""
        count, vertices = len(sources), self.graph.vertices
        delivery = Delivery(self.device, output, targets, self._limit(cutoff), self.graph.weight_min < 0)
        self._kept.refuse(choice.variant, sources)
        width = vertices if targets is None else len(targets)
        if output == "host":
            size, columns = (PATHS, vertices) if predecessors else (DISTANCES, width)
            size.check(count, columns)
        of_distances = Rows(self.device, count, width, output)
        of_predecessors = Rows(self.device, count, vertices, output) if predecessors else None
        # On the device, what solves many sources at once can write into the answer itself.
        here = output == "device" and delivery.is_whole and choice.variant.many_sources
        rows = count if here else rows_at_once(choice.variant, vertices, predecessors, count)
        into = (of_distances.matrix, of_predecessors.matrix if of_predecessors else None) if here else None
        certificates: list[Certificate] = []
        solve_s = certify_s = 0.0

        def solve(start: int, rows: int) -> Iterator[tuple]:
            nonlocal solve_s, certify_s
            rest = sources[start:]
            rest_of_answer = (into[0][start:], None if into[1] is None else into[1][start:]) if into else None
            for chunk in self._kept.chunks(choice, rest, predecessors, certify, rows, rest_of_answer):
                if not into:
                    distances, trees = delivery.cut(chunk)
                    of_distances.put(start + chunk.first, distances)
                    if of_predecessors:
                        of_predecessors.put(start + chunk.first, trees)
                certificates.extend([chunk.certificate] if chunk.certificate else [])
                solve_s, certify_s = solve_s + chunk.solve_s, certify_s + chunk.certify_s
                if progress:
                    progress(start + chunk.last, count)
                yield (rest[chunk.first : chunk.last],)

        for _ in in_smaller_pieces(count, rows, solve, self._kept.forget):
            pass
        self.device.synchronize()  # the rows are there
        found = of_distances.matrix, of_predecessors.matrix if of_predecessors else None
        if one is not None:
            found = found[0][0], None if found[1] is None else found[1][0]
        return Paths(
            self.graph,
            sources if one is None else one,
            targets,
            *found,
            combined(certificates) if certificates else None,
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
        with self._solver.guard.lock, self._solver.device.turn():
            return next(self._chunks)
