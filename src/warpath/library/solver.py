"""Solves one graph on one device, and keeps the graph, kernels and arrays there from call to call."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import replace
from functools import partial, wraps
from time import perf_counter
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeVar, cast

import numpy as np

from ..certificates.certificate import Certificate, check_shapes
from ..certificates.on_host import HostCertifier
from ..device import Device
from ..device.resident import resident
from ..errors import UsageError
from ..graphs.csr import Graph
from ..graphs.objects.adopted import Origin, adopt
from ..solvers.checks.preconditions import CLOSURE
from ..solvers.choice.choose import MANY, choose_closure, drop_solvers
from ..solvers.costs import Wanted
from ..solvers.registry import check_names
from ..solvers.solver import ClosureSolver
from ..solvers.variant import pairs as names_and_values
from ..statistics.statistics import Statistics
from ..system.arrays import is_on, on_host
from ..system.locks import Guard
from ..system.progress import Progress
from . import alone
from .arguments import check_count, distances_for, limit_within, predecessors_of
from .calls import Call, Delivery, Outcome, Output, certified, certifier_of
from .choosing import Request, call_for, calls_of, follow, wanted_of
from .chunks import Chunk, answered, check_output, closure_rows, cut, moved, streamed, table_targets
from .memory import OUT_OF_MEMORY, again, forget_all, in_smaller_pieces, out_of_memory
from .nearest import Nearest, joined, separated
from .pairs import Pairs, Question, answered_pairs, columns_of
from .paths import Path, Paths, Reachability
from .statistics import check_no_negative_weights, statistics_of
from .table import Table, nearest_targets
from .updates import updated
from .within import NAME, REASON, Within, searched, solved

if TYPE_CHECKING:
    from types import EllipsisType

    from ..typing import Array, ArrayLike, NewWeights, VertexLike, VerticesLike

_Method = TypeVar("_Method", bound=Callable)


def _alone(method: _Method) -> _Method:
    """A method that one thread runs at a time. If memory runs out, it runs again with nothing kept."""

    @wraps(method)
    def exclusive(solver: "Solver", *args: Any, **kwargs: Any) -> Any:
        device = solver.device
        while True:
            resident = solver.resident
            with resident.guard.lock, device.call_context():
                if resident is not solver.resident:  # an update ended meanwhile, after which another lock counts
                    continue
                try:
                    return method(solver, *args, **kwargs)
                except OUT_OF_MEMORY as error:
                    message = out_of_memory(error)
                # Here the traceback no longer refers to the arrays of the functions that failed.
                return again(device, message, partial(method, solver, *args, **kwargs))

    return cast(_Method, exclusive)


def _exclusive(method: _Method) -> _Method:
    """As ``_alone``, for arguments that can be read once."""
    alone = _alone(method)

    @wraps(method)
    def repeatable(solver: "Solver", *args: Any, **kwargs: Any) -> Any:
        return alone(solver, *map(_lasting, args), **{name: _lasting(value) for name, value in kwargs.items()})

    return cast(_Method, repeatable)


def _lasting(argument: Any) -> Any:
    """An argument that can be read twice."""
    return list(argument) if isinstance(argument, Iterator) else argument


class Solver:
    """Solves one graph on one device. ``warpath.prepare`` returns a solver.

    The first call compiles kernels and copies the graph, and later calls reuse both. If it is ``prepared`` for many, it
    also prepares the graph if that makes later calls faster, for instance by partitioning it. The methods have the
    parameters of the library's functions, without the graph and the device.

    Any number of threads may use a solver. It works on one call at a time. Other calls may run between two chunks of
    ``stream``. Several threads may share one ``stream``; if a chunk fails, the next ones are errors, too. A call that
    Ctrl-C interrupts does not affect later ones. A solver cannot be pickled.

    Parameters
    ----------
    graph : Graph
    device : Device
    prepared : int, default 3000
        Prepare the graph for so many calls; 0 for none.
    origin : Origin, optional
        What the graph was made from. Default: ``graph`` itself.
    """

    def __init__(self, graph: Graph, device: Device, prepared: int = MANY, origin: Origin | None = None):
        self.device, self.prepared = device, prepared
        self.origin = origin or adopt(graph).origin
        self.resident = resident(device, graph)  # `update` replaces it; a stream keeps the one that it began with
        self._calls: dict[tuple[bool, Output, bool], Call] = {}  # from one source, without other options than these

    def __repr__(self) -> str:
        return f"<Solver on {self.device.name}{', prepared' if self.prepared else ''}: {self.graph!r}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a solver cannot be copied or pickled; pickle its graph, and call warpath.prepare on it")

    @property
    def graph(self) -> Graph:
        """The graph, with the weights of the last update."""
        return self.resident.graph

    @_exclusive
    def update(
        self,
        weights: "NewWeights",
        arcs: "ArrayLike | None" = None,
        *,
        weight: "Hashable | EllipsisType | None" = ...,
    ) -> None:
        """Replace the weights of all arcs, or of some. Later calls answer for the new weights.

        The solver keeps what it has prepared from the arcs alone, such as a partition. It makes what depends on
        weights, such as a table of distances, again in the second call from one source, because a single call takes
        less time without. ``solver.graph`` becomes a new Graph; the old one, earlier answers and streams that have
        begun stay as they are. An update that fails changes nothing.

        Parameters
        ----------
        weights : numbers of shape (m,), or (k,) with arcs; data frame, column, mapping, graph or matrix
            An array of numbers, on the host or the device, is in the order of ``solver.graph.weights`` and in its unit:
            if the graph has a ``scale``, weights are multiplied by it already.

            Anything else has the unit of the caller's data, which the scale multiplies. A data frame, a graph of
            NetworkX or igraph, a Graph and a matrix have exactly the arcs of the solver's graph, in any order. A pandas
            Series belongs to the rows of the data frame from which the solver was made, by its index. A mapping from
            pairs of vertices, named as for ``sssp``, has the weights of some arcs. An edge of an undirected graph is
            both its arcs.

            Whole numbers if the graph has these; for a graph with floats, numbers that its type holds.
        arcs : integers of shape (k,), optional
            The positions of the arcs in ``solver.graph.indices``, which are sorted by tail. The last of equal positions
            counts.
        weight : str, optional
            The column or the attribute that has the weights. By default that from which the solver was prepared.

        Raises
        ------
        GraphError
            There are too many or too few weights, or one of them is of the wrong type, too large or not finite. Or a
            data frame, graph or matrix has other arcs.
        UsageError
            ``arcs`` are not positions of arcs, or a mapping names no arc, or one of several parallel ones. Or a column
            does not belong to the rows from which the solver was made; then ``values[solver.graph.rows]`` brings an
            array of values, one for each row, into the order of the arcs.

        Examples
        --------
        >>> import warpath
        >>> solver = warpath.prepare(warpath.from_arcs(3, [0, 1, 0], [1, 2, 2], [4, 5, 8]), "cpu")
        >>> solver.update([6, 9, 2])  # in the order of the CSR: 0 -> 1, 0 -> 2, 1 -> 2
        >>> solver.sssp(0).distances.tolist()
        [0, 6, 8]
        >>> solver.update([1], arcs=[1])
        >>> solver.update({(1, 2): 7})
        >>> solver.sssp(0).distances.tolist()
        [0, 6, 1]
        >>> import pandas
        >>> roads = pandas.DataFrame({"source": ["b", "a"], "target": ["c", "b"], "free": [5, 4], "rush": [30, 9]})
        >>> solver = warpath.prepare(roads, "cpu", weight="free")
        >>> solver.update(roads, weight="rush")  # or solver.update(roads["rush"])
        >>> solver.pairs(["a"], ["c"]).distances.tolist()
        [39]
        """
        graph = updated(self.device, self.graph, weights, arcs, weight=weight, origin=self.origin)
        following = resident(self.device, graph)
        follow(following, self.resident)
        self._calls, self.resident = {}, following  # no thread finds a call of the old graph beside the new one

    def sssp(
        self,
        source: "VertexLike | VerticesLike",
        *,
        cutoff: float | None = None,
        algorithm: str | None = None,
        variant: str | None = None,
        parameters: Mapping[str, int] | None = None,
        predecessors: bool = True,
        output: Output = "host",
        certify: bool = True,
    ) -> Paths:
        """Find shortest paths from one source or several; see ``warpath.sssp``."""
        graph = self.resident.graph
        check_output(output)
        options = algorithm, variant, parameters, cutoff, bool(predecessors), output, bool(certify)
        is_plain = algorithm is None and variant is None and parameters is None and cutoff is None
        first = graph.names.first  # of consecutive numbers, whose index takes no call
        one: Any = source - first if type(source) is int and first is not None else -1
        if not 0 <= one < graph.vertices:
            one = graph.names.index_of(source, "source")
        if not isinstance(one, int):
            return self._from_several(one, *options)
        if is_plain and output == "host" and graph.indptr[one] == graph.indptr[one + 1]:
            return self._from_alone(one, predecessors, certify)
        return self._from_one(one, is_plain, *options)

    def path(
        self, source: "VertexLike", target: "VertexLike", *, cutoff: float | None = None, certify: bool = True
    ) -> Path:
        """Find the distance and a shortest path from one vertex to another; see ``warpath.path``."""
        return Path.of(self.sssp(source, cutoff=cutoff, certify=certify), target)

    def _from_alone(self, source: int, predecessors: bool, certify: bool) -> Paths:
        began, graph = perf_counter(), self.graph
        distances, trees = alone.solve(graph, source, predecessors)
        solved = perf_counter()
        return Paths(
            graph=graph,
            sources=source,
            distances=distances,
            predecessors=trees,
            variant=alone.NAME,
            reason=alone.REASON,
            certificate=alone.certify(graph, source, distances, trees) if certify else None,
            solve_s=solved - began,
            certify_s=perf_counter() - solved,  # after the certificate above
        )

    @_alone
    def _from_one(self, source: int, is_plain: bool, *options: Any) -> Paths:
        sources = np.array([source], np.int32)
        call = self._calls.get(options[4:]) if is_plain else None
        if call is None:
            call = self._call_from_one(sources, is_plain, *options)
        if call.graph.weight_min < 0:
            call.check(sources)
        call.check_size(1, call.graph.vertices)
        if call.is_whole:
            rows, outcome = call.whole(sources)
            distances, trees = rows.distances[0], None if rows.predecessors is None else rows.predecessors[0]
        else:
            distances, trees, outcome = answered(call, sources, progress=False)
            distances, trees = distances[0], None if trees is None else trees[0]
        return self._answer(call, source, distances, trees, outcome)

    def _call_from_one(
        self,
        sources: np.ndarray,
        is_plain: bool,
        algorithm: str | None,
        variant: str | None,
        parameters: Mapping[str, int] | None,
        cutoff: float | None,
        *delivered: Any,
    ) -> Call:
        delivery = self._delivery(cutoff, *delivered)
        is_first = not calls_of(self.resident).answered.get(self.prepared > 0)
        call = self._call("sssp", sources, delivery, algorithm, variant, parameters, alone=True)
        if is_plain and not is_first:  # the next call is like this one
            self._calls[delivered] = call
        return call

    @_exclusive
    def _from_several(
        self,
        sources: np.ndarray,
        algorithm: str | None,
        variant: str | None,
        parameters: Mapping[str, int] | None,
        cutoff: float | None,
        *delivered: Any,
    ) -> Paths:
        call = self._call("sssp", sources, self._delivery(cutoff, *delivered), algorithm, variant, parameters)
        return self._paths(call, sources)

    @_exclusive
    def apsp(
        self,
        *,
        cutoff: float | None = None,
        algorithm: str | None = None,
        variant: str | None = None,
        parameters: Mapping[str, int] | None = None,
        predecessors: bool = True,
        output: Output = "host",
        certify: bool = True,
    ) -> Paths:
        """Find shortest paths between all pairs; see ``warpath.apsp``."""
        delivery = self._delivery(cutoff, predecessors, output, certify)
        sources = np.arange(self.graph.vertices)
        call = self._call("apsp", sources, delivery, algorithm, variant, parameters)
        if not call.choice.by_rows:
            try:
                with Progress("solving all pairs"):
                    return self._all_at_once(call, sources)
            except OUT_OF_MEMORY:
                if algorithm is not None:
                    raise
            forget_all(self.device)
            call = self._call("sssp", sources, delivery)
        return self._paths(call, sources)

    def _all_at_once(self, call: Call, sources: np.ndarray) -> Paths:
        call.check(None)
        call.check_size(len(sources), len(sources))
        into = call.new_rows(len(sources))
        outcome = call.solve(sources.astype(np.int32), into)
        drop_solvers(self.resident, call.choice.key)  # it may keep as much memory as the answer
        distances, trees = cut(call, Chunk(0, len(sources), into.distances, into.predecessors, outcome), None)
        distances = moved(self.device, distances, call.delivery.output)
        trees = None if trees is None else moved(self.device, trees, call.delivery.output)
        return self._answer(call, sources, distances, trees, outcome)

    @_exclusive
    def stream(
        self,
        sources: "VerticesLike | None" = None,
        *,
        targets: "VerticesLike | None" = None,
        cutoff: float | None = None,
        chunk: int | None = None,
        algorithm: str | None = None,
        variant: str | None = None,
        parameters: Mapping[str, int] | None = None,
        predecessors: bool = False,
        output: Output = "host",
        certify: bool = True,
    ) -> "Iterator[tuple[Array, ...]]":
        """Find shortest paths a few sources at a time; neither the device nor the host holds the whole answer.

        The next sources are solved while the last ones are copied to the host. Other parameters and the errors are
        those of ``warpath.sssp``.

        Parameters
        ----------
        sources : sequence of vertices, optional
            By default every vertex.
        chunk : int, optional
            The number of sources at a time. It is smaller if memory is short.
        predecessors : bool, default False
            Yield predecessors as well.

        Yields
        ------
        sources : int64 array of shape (k,)
        distances : array of shape (k, n), or (k, t) with targets
        predecessors : int32 array of shape (k, n)
            Only with ``predecessors``.
        """
        delivery = self._delivery(cutoff, predecessors, output, certify)
        columns = None if targets is None else self.graph.names.indices_of(targets, "target")
        vertices = np.arange(self.graph.vertices) if sources is None else self.graph.names.indices_of(sources, "source")
        if chunk is not None:
            check_count("chunk", chunk, "sources")
        count = len(vertices)
        call = self._call("sssp", vertices, delivery, algorithm, variant, parameters, columns)
        call.check(vertices)
        of_table = table_targets(call, columns)
        rows = chunk or call.rows_at_once(count, None if of_table is None else len(of_table))
        device, guard = self.device, self.resident.guard
        pieces = in_smaller_pieces(
            device, count, rows, lambda start, rows: streamed(call, vertices[start:], rows, columns)
        )
        return _ExclusiveIterator(guard, device, _counted(count, pieces))

    @_exclusive
    def statistics(self, sources: "VerticesLike | None" = None, *, nearest: int = 0) -> Statistics:
        """Compute statistics of the distances from many sources on the device, and certify each row.

        Parameters
        ----------
        sources : sequence of vertices, optional
            By default every vertex.
        nearest : int, default 0
            The number of nearest vertices to find for each source.

        Returns
        -------
        Statistics
            Eccentricities, closeness, diameter, radius, mean distance, histogram and nearest vertices.

        Raises
        ------
        GraphError
            A weight is negative. The other errors are those of ``warpath.sssp``.
        """
        vertices = np.arange(self.graph.vertices) if sources is None else self.graph.names.indices_of(sources, "source")
        with Progress("solving", "sources", len(vertices)) as progress:
            found = statistics_of(self.resident, self.prepared, vertices, nearest, progress=progress)
        return replace(found, graph=self.graph)

    @_exclusive
    def pairs(
        self,
        sources: "VerticesLike",
        targets: "VerticesLike | None" = None,
        *,
        paths: bool = False,
        cutoff: float | None = None,
        output: Output = "host",
        certify: bool = True,
    ) -> Pairs:
        """Find the distance, or a path, of each pair of a source and a target; see ``warpath.pairs``."""
        sources, targets, frame = columns_of(sources, targets)
        ends = self.graph.names.indices_of(sources, "source"), self.graph.names.indices_of(targets, "target")
        if len(ends[0]) != len(ends[1]):
            raise UsageError(f"there are {len(ends[0])} sources and {len(ends[1])} targets; a pair has one of each")
        check_output(output)
        question = Question(*ends, limit_within(cutoff, self.graph), paths, certify, output)
        found = answered_pairs(self.resident, self.prepared, question)
        return replace(found, frame=frame)

    @_exclusive
    def table(
        self,
        sources: "VerticesLike",
        targets: "VerticesLike | None" = None,
        *,
        nearest: int | None = None,
        cutoff: float | None = None,
        output: Output = "host",
        certify: bool = True,
    ) -> Table:
        """Find the distance from each source to each target, or to the nearest targets; see ``warpath.table``."""
        graph, delivery = self.graph, self._delivery(cutoff, False, output, certify)
        of_sources = self.graph.names.indices_of(sources, "source")
        columns = None if targets is None else self.graph.names.indices_of(targets, "target")
        if nearest is not None:
            check_no_negative_weights(graph, "the nearest targets")
            columns = None if columns is None else np.unique(columns)
        call = self._call("sssp", of_sources, delivery, targets=columns)
        if nearest is None:
            distances, _, outcome = answered(call, of_sources, columns)
            columns = np.arange(graph.vertices) if columns is None else columns
        else:
            columns, distances, outcome = nearest_targets(call, of_sources, columns, nearest)
            distances = moved(self.device, distances, output)
        return Table(sources=of_sources, targets=columns, distances=distances, **self._how(call, outcome))

    @_exclusive
    def nearest(
        self, sources: "VerticesLike", *, cutoff: float | None = None, output: Output = "host", certify: bool = True
    ) -> Nearest:
        """Find the nearest of several sources for each vertex; see ``warpath.nearest``."""
        check_output(output)
        graph, made = self.graph, self.resident.made
        vertices = np.unique(graph.names.indices_of(sources, "source"))
        known, solver = made.get("nearest", (None, None))
        if known is None or not np.array_equal(known, vertices):
            solver = Solver(joined(graph, vertices), self.device, prepared=0)
            made["nearest"] = vertices, solver
        start = solver.graph.label_of(graph.vertices)
        paths = solver.sssp(start, cutoff=cutoff, output="device", certify=certify)
        return separated(graph, vertices, paths, self.device, output)

    @_exclusive
    def within(
        self,
        cutoff: float,
        sources: "VerticesLike | None" = None,
        targets: "VerticesLike | None" = None,
        *,
        certify: bool = True,
    ) -> Within:
        """Find the targets within ``cutoff`` of each source, and their distances; see ``warpath.within``."""
        if cutoff is None:
            raise UsageError("cutoff=None is not a number; apsp and table have all distances")
        graph, delivery = self.graph, self._delivery(cutoff, False, "device", certify)
        rows = np.arange(graph.vertices) if sources is None else graph.names.indices_of(sources, "source")
        columns = None if targets is None else graph.names.indices_of(targets, "target")
        how: dict[str, Any]
        if self.device.kind == "cpu" and graph.weight_min >= 0 and delivery.limit is not None:
            found, outcome = searched(graph, rows, columns, delivery.limit, certify)
            how = {"graph": graph, "variant": NAME, "reason": REASON, **outcome._asdict()}
        else:
            call = self._call("sssp", rows, delivery, targets=columns)
            found, outcome = solved(call, rows, columns)
            how = self._how(call, outcome)
        columns = np.arange(graph.vertices) if columns is None else columns
        return Within(sources=rows, targets=columns, **found, **how)

    @_exclusive
    def closure(self, *, variant: str | None = None, output: Output = "host", certify: bool = True) -> Reachability:
        """Find which vertices can be reached from which; see ``warpath.closure``."""
        check_output(output)
        check_names(None, variant)
        definition = choose_closure(self.device, variant)
        CLOSURE.check(self.graph.vertices, self.graph.vertices)
        solver = cast(ClosureSolver, definition.configured().solver(self.resident))
        began = perf_counter()
        answer = solver.solve()
        self.device.synchronize()
        solved = perf_counter()
        certifier = HostCertifier(self.graph) if definition.on_cpu else certifier_of(self.resident)
        certificate = certifier.certify_closure(answer.cells) if certify else None
        certified = perf_counter()
        reachable = closure_rows(self.device, answer, output).view(bool)
        return Reachability(
            graph=self.graph,
            reachable=reachable,
            certificate=certificate,
            variant=f"{definition.algorithm}.{definition.name}",
            reason="as named" if variant else "the default of this device",
            solve_s=solved - began,
            certify_s=certified - solved,
        )

    @_exclusive
    def certify(
        self,
        sources: "VertexLike | VerticesLike | None",
        distances: "ArrayLike | Paths",
        predecessors: "ArrayLike | None" = None,
    ) -> Certificate:
        """Certify an answer, arrays on the host or the device; see ``warpath.certify``."""
        found = np.arange(self.graph.vertices) if sources is None else self.graph.names.index_of(sources, "source")
        if isinstance(distances, Paths):
            predecessors = distances.predecessors if predecessors is None else predecessors
            distances = distances.floats()
        rows: Any = distances_for(self.graph, distances)
        trees: Any = None if predecessors is None else predecessors_of(predecessors)
        rows, trees = (each if is_on(self.device, each) else on_host(each) for each in (rows, trees))
        if isinstance(found, int):
            check_shapes(self.graph, (self.graph.vertices,), rows, trees)
            rows, trees = rows[None], None if trees is None else trees[None]
        return certified(self.resident, np.atleast_1d(found), rows, trees)

    def _call(
        self,
        problem: Literal["sssp", "apsp"],
        sources: np.ndarray,
        delivery: Delivery,
        algorithm: str | None = None,
        variant: str | None = None,
        parameters: Mapping[str, int] | None = None,
        targets: np.ndarray | None = None,
        alone: bool = False,
    ) -> Call:
        """The solver for a request, and how its answers are checked and delivered."""
        check_names(algorithm, variant)
        count = len(sources)
        names = algorithm, variant, names_and_values(parameters)
        expected = calls_of(self.resident).expected(self.prepared, count)
        wanted = wanted_of(count, delivery, None if targets is None else len(targets), alone)
        if problem == "apsp":
            wanted = Wanted(count, trees=delivery.predecessors, all_pairs=True)
        return call_for(self.resident, Request(wanted, expected, *names), sources, delivery)

    def _delivery(self, cutoff: float | None, predecessors: bool, output: Output, certify: bool) -> Delivery:
        check_output(output)
        return Delivery(predecessors, certify, output, limit_within(cutoff, self.graph))

    def _paths(self, call: Call, sources: np.ndarray) -> Paths:
        return self._answer(call, sources, *answered(call, sources))

    def _answer(self, call: Call, sources: int | np.ndarray, distances: Any, trees: Any, outcome: Outcome) -> Paths:
        return Paths(sources=sources, distances=distances, predecessors=trees, **self._how(call, outcome))

    def _how(self, call: Call, outcome: Outcome) -> dict[str, Any]:
        """What an answer tells of itself."""
        choice = call.choice
        return {
            "graph": call.graph,
            "variant": choice.name,
            "reason": choice.reason,
            "certificate": outcome.certificate,
            "solve_s": outcome.solve_s,
            "certify_s": outcome.certify_s,
        }


class _ExclusiveIterator(Iterator[tuple[Any, ...]]):
    """Chunks, of which one thread computes one at a time."""

    def __init__(self, guard: Guard, device: Device, chunks: Iterator[tuple[Any, ...]]):
        self._guard, self._device, self._chunks = guard, device, chunks
        self._failure = ""

    def __next__(self) -> tuple[Any, ...]:
        with self._guard.lock, self._device.call_context():
            if self._failure:  # the generator has ended, which would read as if all chunks had been there
                raise UsageError(f"this stream failed before its end ({self._failure}); begin another one")
            try:
                return next(self._chunks)
            except BaseException as error:
                self._failure = "" if isinstance(error, StopIteration) else type(error).__name__
                raise


def _counted(count: int, chunks: Iterator[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """The ``chunks``, which are tuples that begin with their sources, of ``count`` sources; shows progress."""
    done = 0
    with Progress("solving", "sources", count) as progress:
        for chunk in chunks:
            done += len(chunk[0])
            progress(done)
            yield chunk
            del chunk  # frees its memory before the next one is computed
