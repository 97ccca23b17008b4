"""Caches plans and the certifier of one graph on one device; solves and certifies with them.

If memory runs out, the caches of all graphs on the device are emptied, and fewer rows are solved at a time.
"""

import gc
import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cached_property, partial
from time import perf_counter
from typing import Any, Literal, NamedTuple, TypeVar, cast

import numpy as np

from ..certificates.certificate import Certificate, certify_each, combined, load_certificate
from ..certificates.judges import ArcEnds
from ..certificates.on_device import DeviceCertifier
from ..certificates.on_host import HostCertifier
from ..device import Device, open_device
from ..device.contract import Stream
from ..device.copies import copy_on, made_from_arcs
from ..distances import UNREACHABLE, Columns
from ..errors import CertificateError, OutOfMemoryError, UsageError
from ..graphs.csr import Graph
from ..solvers.checks.preconditions import Overflow, check_no_negative_cycle, check_weights, negative_cycle
from ..solvers.choice.auto import Choice, Preparation, choose
from ..solvers.choice.first_call import are_short, choose_again, steps_at_first
from ..solvers.one_source.source_plan import OneLaunchPlan
from ..solvers.plan import Closure, Plan, RowsPlan, Solution
from ..solvers.variant import Variant
from ..system.arrays import on_host
from ..system.progress import Progress
from .chunks import Checks, Chunk, Outcome, chunks_of_one, chunks_of_rows, rows_at_once, solves_elsewhere

OUT_OF_MEMORY = (OutOfMemoryError, MemoryError)  # CuPy raises a MemoryError

_Rows = TypeVar("_Rows", bound=tuple)
_Answer = TypeVar("_Answer")

# All caches, by identity. Another thread may drop one at any time.
_caches: weakref.WeakValueDictionary[int, "PlanCache"] = weakref.WeakValueDictionary()

# Labels of all vertices are certified for one source to so many vertices; for fewer, whole rows take less time.
_VERTICES_A_SOURCE = 64

# Up to this number of vertices and arcs, the host does not wait for the solve from one source before it enqueues the
# kernels that certify the answer, since they take microseconds.
_SMALL_MAX = 2**18

_CACHED_PROPERTIES = ("certifier", "_overflow", "_made_from_arcs", "_ends")


class PlanKey(NamedTuple):
    """What determines the choice of a solver; the arguments of ``choose``."""

    problem: Literal["sssp", "apsp"]
    sources: int
    preparation: Preparation
    algorithm: str | None
    variant: str | None
    parameters: tuple[tuple[str, int], ...]
    table: bool = False


class PlanCache:
    """Keeps plans, with their copy of the graph and their kernels, and choices from call to call."""

    _made_from_arcs: Sequence[Any] = ()
    _ends: ArcEnds | None = None

    def __init__(self, graph: Graph, device: Device):
        self.graph, self.device = graph, device
        self._plans: dict[tuple, Plan] = {}
        self._process = os.getpid()
        self._unsuitable: set[str] = set()
        self._choices: dict[PlanKey, Choice] = {}
        self._is_new, self._is_updated = True, False  # new: no call from one source was answered
        self._long_paths = True  # until a call shows that they are short
        _caches[id(self)] = self

    def followed_by(self, graph: Graph) -> "PlanCache":
        """A cache for ``graph``, which has the same arcs and other weights. It reuses what was made from the arcs."""
        following = PlanCache(graph, self.device)
        following._is_updated = True
        following._made_from_arcs = made_from_arcs(self.device, graph)
        following._ends = self.certifier.ends if "certifier" in vars(self) else self._ends
        if (graph.weight_min < 0) == (self.graph.weight_min < 0):  # little else of the weights matters to the choice
            following._choices = {key: choice for key, choice in self._choices.items() if key.problem == "sssp"}
            following._unsuitable = self._unsuitable
            following._long_paths = self._long_paths
        return following

    def forget(self) -> None:
        """Free the memory of all caches on the device."""
        self.device.synchronize()
        for cache in self._on_this_device():
            cache._plans.clear()
            for name in _CACHED_PROPERTIES:
                vars(cache).pop(name, None)
        gc.collect()  # some plans and their launches refer to each other
        self.device.release()

    def retried(self, call: Callable[[], _Answer]) -> _Answer:
        """``call()``; if memory runs out, a second time with empty caches.

        If that fails, no reference to the memory remains, not even in the traceback, so the caller can use it.
        """
        is_filled = bool(self._plans) or any(
            cache._plans or not vars(cache).keys().isdisjoint(_CACHED_PROPERTIES) for cache in self._on_this_device()
        )
        for _ in range(2 if is_filled else 1):
            try:
                return call()
            except OUT_OF_MEMORY as error:
                message = _message(error)
            self.forget()
        raise OutOfMemoryError(message)

    def _on_this_device(self) -> "list[PlanCache]":
        caches = [reference() for reference in _caches.valuerefs()]
        return [cache for cache in caches if cache is not None and cache.device is self.device]

    def preparation(self, prepared: bool, sources: int) -> Preparation:
        """What a call may make for later calls. ``prepared``: the caller expects many calls.

        The first call from one source may be the last one, so it makes less. After an update it finds what was made
        from the arcs; what it makes from the weights serves a single call if another update follows.
        """
        is_new = self._is_new and sources == 1
        self._is_new &= not is_new
        if self._is_updated:
            return "all" if prepared and not is_new else "some"
        return "all" if prepared else "none" if is_new else "some"

    def choice(self, key: PlanKey, sources: np.ndarray, predecessors: bool) -> Choice:
        """The solver for ``key``; an alternative if the first choice does not support the graph."""
        choice = self._choices.get(key)
        if choice is None:
            names = key.algorithm, key.variant, dict(key.parameters)
            # Choosing and all parts of the plan share a copy of the graph.
            is_shared = key.problem == "sssp" and key.algorithm is None and self.device.kind != "cpu"
            copy = copy_on(self.device, self.graph) if is_shared else None
            what = key.sources, key.preparation, *names, key.table, self._long_paths
            choice = choose(key.problem, self.device, self.graph, *what)
            choice = self._suitable(choice, sources, predecessors)
            if is_shared and len(sources):
                with suppress(UsageError, *OUT_OF_MEMORY):  # they are raised again when the call needs the plan
                    self._plan(choice, int(sources[0]), predecessors)
                    if key.preparation == "none":
                        choice = self._unless_paths_are_long(choice, sources, predecessors)
            self._choices[key] = choice
            del copy
        return choice

    def _unless_paths_are_long(self, choice: Choice, sources: np.ndarray, predecessors: bool) -> Choice:
        """Begin to solve with ``choice``. If that takes long, choose another solver if one takes less time."""
        steps, source = steps_at_first(self.graph), int(sources[0])
        if steps is None:
            return choice
        with self._dropping_plans_on_failure():
            ended, reached = self._plan(choice, source, predecessors).begin_solve(source, steps)
        self._long_paths = not are_short(self.graph, steps, reached)
        another = None if ended else choose_again(self.device, self.graph, steps, reached)
        if another is None:
            return choice
        chosen = self._suitable(replace(another, otherwise=choice), sources, predecessors)
        if chosen is not choice:
            self._plans = {key: plan for key, plan in self._plans.items() if key[0] != choice.key}
        return chosen

    def _suitable(self, choice: Choice, sources: np.ndarray, predecessors: bool) -> Choice:
        while choice.by_rows and choice.otherwise and len(sources):
            if choice.name not in self._unsuitable:
                try:
                    self.retried(partial(self._plan, choice, int(sources[0]), predecessors))
                    return choice
                except (UsageError, OutOfMemoryError):
                    self._unsuitable.add(choice.name)
            choice = choice.otherwise
        return choice

    @cached_property
    def certifier(self) -> DeviceCertifier | HostCertifier:
        if self.device.kind == "cpu":
            return HostCertifier(self.graph)
        return DeviceCertifier(self.device, self.graph, ends=self._ends)

    @cached_property
    def copying(self) -> Stream:
        """A stream that copies answers to the host while they are certified."""
        return self.device.stream()

    @cached_property
    def _waiting(self) -> Stream:
        """A stream that waits until a chunk of rows is solved."""
        return self.device.stream()

    @cached_property
    def _overflow(self) -> Overflow:
        return Overflow(self.device, self.graph)

    @cached_property
    def _has_negative_cycle(self) -> bool:
        return bool(self.graph.weight_min < 0 and negative_cycle(self.graph, None))

    def check(self, variant: Variant, sources: np.ndarray | None) -> None:
        """Raise GraphError if ``variant`` cannot solve from all of ``sources``, or all pairs if it is None."""
        check_weights(self.graph, variant)
        if self._has_negative_cycle:
            for source in [None] if sources is None else sources.tolist():
                check_no_negative_cycle(self.graph, source)

    def chunks(
        self,
        choice: Choice,
        sources: np.ndarray,
        predecessors: bool,
        checks: Checks,
        rows: int,
        into: tuple[Any, Any] | None = None,
        targets: np.ndarray | None = None,
        columns: bool = False,
    ) -> Iterator[Chunk]:
        """Solve from ``sources``, ``rows`` at a time if the variant can. A failure drops all plans.

        With ``targets``, solve a table. The variant has tables, and there are no predecessors and no certificates. With
        ``columns``, the variant has them, all weights are above 0, and there are no predecessors.
        """
        if not len(sources):
            return
        check = (
            partial(self.checked, choice.variant, checks) if targets is None else partial(self._fits, choice, checks)
        )
        find = partial(self._plan, choice, int(sources[0]), predecessors)
        if choice.variant.on_cpu and checks.certify:
            load_certificate(self.graph, predecessors)
        if choice.variant.many_sources:
            rows_plan, rows = cast(Callable[[], RowsPlan], find), max(1, rows)
            device, waiting = self.device, self._waiting
            if solves_elsewhere(choice.variant, device):
                device = open_device("cpu")
                waiting = device.stream()
            chunks = chunks_of_rows(
                device, rows_plan, sources, rows, check, predecessors, waiting, into, targets, columns
            )
        else:
            chunks = chunks_of_one(self.solved, find, sources, check, predecessors)
        while True:
            with self._dropping_plans_on_failure():
                chunk = next(chunks, None)
            if chunk is None:
                return
            yield chunk

    def solve_all(
        self,
        choice: Choice,
        sources: np.ndarray,
        predecessors: bool,
        checks: Checks,
        rows: int,
        take: Callable[[int, Chunk], None],
        progress: Progress | None = None,
        into: tuple[Any, Any] | None = None,
        targets: np.ndarray | None = None,
        columns: bool = False,
    ) -> Outcome:
        """Solve as ``chunks`` does, with fewer rows at a time if memory is short. Call ``take(first, chunk)`` with each
        chunk and the number of sources before it.
        """
        certificates: list[Certificate] = []
        solve_s = certify_s = 0.0

        def solve(start: int, rows: int) -> Iterator[tuple]:
            nonlocal solve_s, certify_s
            rest = sources[start:]
            rest_of_answer = (into[0][start:], None if into[1] is None else into[1][start:]) if into else None
            for chunk in self.chunks(choice, rest, predecessors, checks, rows, rest_of_answer, targets, columns):
                take(start + chunk.first, chunk)
                certificates.extend([chunk.certificate] if chunk.certificate else [])
                solve_s, certify_s = solve_s + chunk.solve_s, certify_s + chunk.certify_s
                if progress:
                    progress(start + chunk.last)
                yield (rest[chunk.first : chunk.last],)

        for _ in in_smaller_pieces(len(sources), rows, solve, self.forget):
            pass
        return Outcome(combined(certificates) if certificates else None, solve_s, certify_s)

    def certifies_pairs(self, sources: int) -> bool:
        """Whether certificates of pairs with so many different sources are about labels, not about whole rows."""
        if self.device.kind == "cpu" or self.graph.weight_min <= 0 or self._overflow.is_possible:
            return False
        known = "certifier" in vars(self) and cast(DeviceCertifier, self.certifier).knows_labels
        return known or _VERTICES_A_SOURCE * sources >= self.graph.vertices

    def solve_pairs(
        self, choice: Choice, sources: np.ndarray, targets: np.ndarray, checks: Checks, distances: Any
    ) -> Outcome | None:
        """Solve from each source to the target at the same position, into an array of the device.

        The variant has tables. There is at least one pair. Returns None if the labels take too much memory for a
        certificate.
        """
        with self._dropping_plans_on_failure():
            plan = cast(RowsPlan, self._plan(choice, int(sources[0]), False))
            began = perf_counter()
            labels = plan.labels_of_all() if checks.certify else None
            if checks.certify and labels is None:
                return None
            plan.solve_pairs(sources, targets, distances)
            self.device.synchronize()
        solved = perf_counter()
        if labels is None:
            self._fits(choice, checks, sources, distances[:, None], None, False)
            return Outcome(None, solved - began, 0.0)
        certificate = cast(DeviceCertifier, self.certifier).certify_pairs(labels, sources, targets, distances)
        return Outcome(certificate, solved - began, perf_counter() - solved)

    def solve_one(
        self, choice: Choice, source: int, predecessors: bool, checks: Checks, keep: bool, copied: Callable[..., tuple]
    ) -> tuple[tuple[Any, Any], Outcome]:
        """Solve from one source, with a variant that solves one at a time. Returns arrays of shape (n,): distances, and
        predecessors or None.

        With ``keep``, they may be the plan's own. Else ``copied`` copies them, since the next solve overwrites them;
        the answer is certified while it does.
        """
        with self._dropping_plans_on_failure():
            plan = self._plan(choice, source, predecessors)
            copies: tuple | None = None

            def wanted(answer: Solution) -> tuple[Any, Any]:
                return answer.distances, answer.predecessors if predecessors else None

            def meanwhile() -> None:
                nonlocal copies
                answer = cast(Solution, plan.on_device())
                if not keep:
                    self.copying.wait(self.device.record())
                    copies = copied(*wanted(answer))
                if checks.certify:
                    cast(DeviceCertifier, self.certifier).begin(source, answer.distances, answer.predecessors)

            if isinstance(plan, OneLaunchPlan) and self.graph.vertices + self.graph.arcs <= _SMALL_MAX:
                plan.meanwhile = meanwhile
            began = perf_counter()
            solution = self.solved(plan, source)
            solve_s = perf_counter() - began + plan.begun_s
            if copies is None and not keep:
                copies = copied(*wanted(solution))
            began = perf_counter()
            answer = solution.distances, solution.predecessors
            certificate = self.checked(choice.variant, checks, source, *answer, plan.sums_fit)
            outcome = Outcome(certificate, solve_s, perf_counter() - began)
            if copies is None:
                copies = wanted(solution) if plan.give_away() else copied(*wanted(solution))
                certifier = vars(self).get("certifier")
                if isinstance(certifier, DeviceCertifier):
                    certifier.drop_answer()
            return copies, outcome

    def checked(
        self,
        variant: Variant,
        checks: Checks,
        sources: int | np.ndarray,
        distances: Any,
        predecessors: Any,
        sums_fit: bool = False,
    ) -> Certificate | None:
        """The certificate, or None without ``checks.certify``. Arrays have shape (n,) if ``sources`` is one.

        Raises GraphError if a distance does not fit 32 bits, NegativeCycleError if sums of floats fall around a cycle.

        ``sums_fit`` says that all do.
        """
        if isinstance(distances, Columns):
            assert not isinstance(sources, int)
            certificate = cast(DeviceCertifier, self.certifier).certify_columns(sources, distances)
            if certificate:
                return certificate
            by_vertex = distances.cells[:, self.device.upload(distances.positions)]
            rows = by_vertex.transpose(0, 2, 1).reshape(-1, self.graph.vertices)
            distances = self.device.xp.ascontiguousarray(rows[: len(sources)])
        if not checks.certify:
            self._check_rounded_cycles(sources)
            if checks.overflow and not sums_fit:
                self._overflow.check(distances)
            return None
        try:
            return self.certified(variant, sources, distances, predecessors)
        except CertificateError:
            self._check_rounded_cycles(sources)
            if checks.overflow or not self._overflow.is_possible:
                self._overflow.check(distances)
                raise
        rows = np.atleast_2d(on_host(distances))
        trees = None if predecessors is None else np.atleast_2d(on_host(predecessors))
        return certify_each(self.graph, np.atleast_1d(sources).tolist(), rows, trees, far_is_unreachable=True)

    def _check_rounded_cycles(self, sources: int | np.ndarray) -> None:
        """Raise NegativeCycleError if one of ``sources`` reaches a cycle that ``check`` did not find.

        Whether the sum of floats falls around a cycle may depend on the distance at which it begins.
        """
        if self.graph.has_floats:
            for source in np.atleast_1d(sources).tolist():
                check_no_negative_cycle(self.graph, source)

    def _fits(self, choice: Choice, checks: Checks, sources: np.ndarray, table: Any, _: None, __: bool) -> None:
        """Raise GraphError if a distance of a table does not fit 32 bits. Whole rows show why one is unreachable."""
        if checks.overflow and self._overflow.is_possible and table.size and int(table.max()) == UNREACHABLE:
            unreached = np.unique(sources[on_host((table == UNREACHABLE).any(axis=1))])
            rows = rows_at_once(choice.variant, self.graph, self.graph.vertices, False, len(unreached))
            for chunk in self.chunks(choice, unreached, False, Checks(certify=False), rows):
                del chunk  # it has been checked

    def _plan(self, choice: Choice, source: int, predecessors: bool) -> Plan:
        if self._process != os.getpid():  # after a fork: a thread of the parent may have been using the plans
            self._plans.clear()
            self._process = os.getpid()
        both = choice.variant.many_sources or predecessors or not choice.variant.optional_predecessors
        key = choice.key, both
        plan = self._plans.get(key)
        if plan is None:
            with Progress("preparing the graph"):
                plan = self._plans[key] = choice.plan(self.device, self.graph, source, both)
        return plan

    def solved(self, plan: Plan, source: int | None) -> Any:
        """The answer, on the device if possible. The next solve with the plan overwrites it."""
        plan.start(source)
        plan.run_until_settled()
        self.device.synchronize()
        on_device = plan.on_device()
        return plan.download() if on_device is None else on_device

    @contextmanager
    def _dropping_plans_on_failure(self) -> Iterator[None]:
        """A failure may leave arrays of a plan incomplete."""
        try:
            yield
        except BaseException:
            self._plans.clear()
            raise

    def certified(self, variant: Variant, sources: int | np.ndarray, distances: Any, predecessors: Any) -> Certificate:
        """Certify on the host for variants of the CPU, else on the device. Raises CertificateError."""
        if variant.on_cpu:
            return HostCertifier(self.graph).certify(sources, distances, predecessors)
        return self.certified_on_device(sources, distances, predecessors)

    def certified_on_device(
        self, sources: int | Sequence[int] | np.ndarray, distances: Any, predecessors: Any
    ) -> Certificate:
        """Certify on the device, with fewer rows at a time if memory is short."""
        try:
            return self.certifier.certify(sources, distances, predecessors)
        except OUT_OF_MEMORY:
            if isinstance(sources, int) or len(sources) == 1:
                raise
        self.forget()
        count, certificates = len(sources), list[Certificate]()

        def certify(first: int, rows: int) -> Iterator[tuple]:
            for begin in range(first, count, rows):
                part = slice(begin, begin + rows)
                arrays = (None if array is None else array[part] for array in (distances, predecessors))
                certificates.append(self.certifier.certify(sources[part], *arrays))
                yield (sources[part],)

        for _ in in_smaller_pieces(count, count // 2, certify, self.forget):
            pass
        return combined(certificates)

    def certified_closure(self, variant: Variant, answer: Closure) -> Certificate:
        certifier = HostCertifier(self.graph) if variant.on_cpu else self.certifier
        return certifier.certify_closure(answer.cells)


def in_smaller_pieces(
    count: int, rows: int, work: Callable[[int, int], Iterator[_Rows]], forget: Callable[[], None]
) -> Iterator[_Rows]:
    """Yield the results of ``work(first, rows)``, which are tuples that begin with their sources, for ``count`` rows.

    If memory runs out, call ``forget``, and continue with a quarter of the rows at a time. Raises OutOfMemoryError if
    one row does not fit.
    """
    first = 0
    while True:
        try:
            for piece in work(first, rows):
                first += len(piece[0])
                yield piece
                del piece  # frees its memory before the next one is computed
            return
        except OUT_OF_MEMORY as error:
            message = _message(error)
        # Here the traceback no longer refers to the arrays of the functions that failed.
        forget()
        if rows <= 1:
            raise OutOfMemoryError(message)
        rows = max(1, min(rows, count - first) // 4)


def _message(error: BaseException) -> str:
    return str(error) if isinstance(error, OutOfMemoryError) else f"there is not enough memory: {error}"
