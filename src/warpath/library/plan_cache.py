"""What a solver keeps of one graph on one device: plans and the judge. It solves with them, and certifies.

Where memory runs out, what earlier calls left on the device goes, and fewer rows are done at a time.
"""

import gc
import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, TypeVar, cast

import numpy as np

from ..certificates.certificate import Certificate, certify_each, combined
from ..certificates.closure import certify_closure
from ..certificates.on_device import DeviceCertifier
from ..device import Device
from ..device.contract import Stream
from ..errors import CertificateError, OutOfMemoryError, UsageError
from ..graphs.csr import Graph
from ..solvers.auto import Choice, chosen
from ..solvers.plan import Closure, Plan, RowsPlan
from ..solvers.preconditions import Overflow, check_no_negative_cycle, check_weights, negative_cycle
from ..solvers.registry import Variant
from .chunks import Chunk, chunks_of_one, chunks_of_rows

OUT_OF_MEMORY = (OutOfMemoryError, MemoryError)  # CuPy's own is a MemoryError

_Rows = TypeVar("_Rows", bound=tuple)
_Answer = TypeVar("_Answer")

# By identity; what is here may be dropped at any time, also by another thread.
_everywhere: weakref.WeakValueDictionary[int, "PlanCache"] = weakref.WeakValueDictionary()

_KEPT_BESIDE_PLANS = ("judge", "_overflow")


class PlanKey(NamedTuple):
    """What decides the choice; arguments as of ``chosen``."""

    problem: Literal["sssp", "apsp"]
    sources: int
    prepared: bool
    algorithm: str | None
    variant: str | None
    parameters: tuple[tuple[str, int], ...]


class PlanCache:
    """Plans stay from one call to the next, the copy of the graph and the kernels with them; and so do choices."""

    def __init__(self, graph: Graph, device: Device):
        self.graph, self.device = graph, device
        self._plans: dict[tuple, Plan] = {}
        self._process = os.getpid()
        self._unsuitable: set[str] = set()
        self._choices: dict[PlanKey, Choice] = {}
        _everywhere[id(self)] = self

    def forget(self) -> None:
        """Give back the memory of whatever is kept on the device, of this graph or another."""
        self.device.synchronize()
        for kept in self._on_this_device():
            kept._plans.clear()
            for name in _KEPT_BESIDE_PLANS:
                vars(kept).pop(name, None)
        gc.collect()  # some plans and their launches refer to each other
        self.device.release()

    def in_memory_left(self, call: Callable[[], _Answer]) -> _Answer:
        """``call()``; where memory runs out, a second time, without what earlier calls left there.

        If that is not enough, nothing stays behind, not even in the traceback, so that the caller's handler has the
        memory.
        """
        holds_anything = any(
            kept._plans or not vars(kept).keys().isdisjoint(_KEPT_BESIDE_PLANS) for kept in self._on_this_device()
        )
        for _ in range(2 if holds_anything else 1):
            try:
                return call()
            except OUT_OF_MEMORY as error:
                failure = _sentence(error)
            self.forget()
        raise OutOfMemoryError(failure)

    def _on_this_device(self) -> "list[PlanCache]":
        everyone = [reference() for reference in _everywhere.valuerefs()]
        return [kept for kept in everyone if kept is not None and kept.device is self.device]

    def choice(self, asked: PlanKey, sources: np.ndarray, predecessors: bool) -> Choice:
        """What solves what is ``asked``; something else where the graph turns out not to suit the first choice."""
        found = self._choices.get(asked)
        if found is None:
            named = asked.algorithm, asked.variant, dict(asked.parameters)
            found = chosen(asked.problem, self.device, self.graph, asked.sources, asked.prepared, *named)
            self._choices[asked] = found = self._suitable(found, sources, predecessors)
        return found

    def _suitable(self, choice: Choice, sources: np.ndarray, predecessors: bool) -> Choice:
        while choice.by_rows and choice.otherwise and len(sources):
            if choice.name not in self._unsuitable:
                try:
                    self._kept_plan(choice, int(sources[0]), predecessors)
                    return choice
                except (UsageError, *OUT_OF_MEMORY):
                    self._unsuitable.add(choice.name)
            choice = choice.otherwise
        return choice

    @cached_property
    def judge(self) -> DeviceCertifier:
        return DeviceCertifier(self.device, self.graph)

    @cached_property
    def _waiting(self) -> Stream:
        """For waiting until a chunk of rows is solved."""
        return self.device.stream()

    @cached_property
    def _overflow(self) -> Overflow:
        return Overflow(self.device, self.graph)

    @cached_property
    def _has_negative_cycle(self) -> bool:
        return bool(self.graph.weight_min < 0 and negative_cycle(self.graph, None))

    def check(self, variant: Variant, sources: np.ndarray | None) -> None:
        """Raise where ``variant`` cannot solve from all of ``sources``; None for all pairs."""
        check_weights(self.graph, variant)
        if self._has_negative_cycle:
            for source in [None] if sources is None else sources.tolist():
                check_no_negative_cycle(self.graph, source)

    def chunks(
        self,
        choice: Choice,
        sources: np.ndarray,
        predecessors: bool,
        certify: bool,
        rows: int,
        into: tuple[Any, Any] | None = None,
    ) -> Iterator[Chunk]:
        """Solve from ``sources``, ``rows`` at a time where the variant can. A failure forgets all plans."""
        if not len(sources):
            return
        judge = partial(self.judged, choice.variant, certify)
        find = partial(self._kept_plan, choice, int(sources[0]), predecessors)
        if choice.variant.many_sources:
            rows_plan, rows = cast(Callable[[], RowsPlan], find), max(1, rows)
            chunks = chunks_of_rows(self.device, rows_plan, sources, rows, judge, predecessors, self._waiting, into)
        else:
            chunks = chunks_of_one(self.solved, find, sources, judge, predecessors)
        while True:
            with self._forgetting_plans_on_failure():
                chunk = next(chunks, None)
            if chunk is None:
                return
            yield chunk

    def solve_all(
        self,
        choice: Choice,
        sources: np.ndarray,
        predecessors: bool,
        certify: bool,
        rows: int,
        take: Callable[[int, Chunk], None],
        progress: Callable[[int, int], None] | None = None,
        into: tuple[Any, Any] | None = None,
    ) -> tuple[Certificate | None, float, float]:
        """Solve as ``chunks`` does, fewer rows at a time where memory is short; ``take(first, chunk)`` gets the rows of
        sources number ``first`` on. Returns the certificate, and the seconds of solving and certifying.
        """
        certificates: list[Certificate] = []
        solve_s = certify_s = 0.0

        def solve(start: int, rows: int) -> Iterator[tuple]:
            nonlocal solve_s, certify_s
            rest = sources[start:]
            rest_of_answer = (into[0][start:], None if into[1] is None else into[1][start:]) if into else None
            for chunk in self.chunks(choice, rest, predecessors, certify, rows, rest_of_answer):
                take(start + chunk.first, chunk)
                certificates.extend([chunk.certificate] if chunk.certificate else [])
                solve_s, certify_s = solve_s + chunk.solve_s, certify_s + chunk.certify_s
                if progress:
                    progress(start + chunk.last, len(sources))
                yield (rest[chunk.first : chunk.last],)

        for _ in in_smaller_pieces(len(sources), rows, solve, self.forget):
            pass
        return combined(certificates) if certificates else None, solve_s, certify_s

    def judged(
        self, variant: Variant, certify: bool, sources: np.ndarray, distances: Any, predecessors: Any
    ) -> Certificate | None:
        """The certificate, None unless asked to ``certify``. Raises GraphError if a distance does not fit 32 bits."""
        if not certify:
            self._overflow.check(distances)
            return None
        try:
            return self.certified(variant, sources, distances, predecessors)  # no vertex is lost in what passes
        except CertificateError:
            self._overflow.check(distances)
            raise

    def _kept_plan(self, choice: Choice, source: int, predecessors: bool) -> Plan:
        if self._process != os.getpid():  # in the process that this one was forked from, a thread may have used them
            self._plans.clear()
            self._process = os.getpid()
        both = choice.variant.many_sources or predecessors or not choice.variant.optional_predecessors
        key = (choice.name, both, *sorted(choice.configured.settings.items()))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plans[key] = choice.plan(self.device, self.graph, source, both)
        return plan

    def solved(self, plan: Plan, source: int | None) -> Any:
        """The answer, on the device if the plan has it there; the next solve of the plan overwrites it."""
        with self._forgetting_plans_on_failure():
            plan.start(source)
            plan.run_until_settled()
            self.device.synchronize()
            on_device = plan.on_device()
            return plan.download() if on_device is None else on_device

    @contextmanager
    def _forgetting_plans_on_failure(self) -> Iterator[None]:
        """Whatever fails here may leave arrays of a plan half made."""
        try:
            yield
        except BaseException:
            self._plans.clear()
            raise

    def certified(self, variant: Variant, sources: np.ndarray, distances: Any, predecessors: Any) -> Certificate:
        """Raises CertificateError if the answer is wrong. What the host's serial variants made, the host certifies."""
        if variant.on_cpu:
            return certify_each(self.graph, sources.tolist(), distances, predecessors)
        return self.certified_on_device(sources, distances, predecessors)

    def certified_on_device(
        self, sources: int | Sequence[int] | np.ndarray, distances: Any, predecessors: Any
    ) -> Certificate:
        """What the judge says, which looks at fewer rows at a time where memory is short."""
        try:
            return self.judge.certify(sources, distances, predecessors)
        except OUT_OF_MEMORY:
            if isinstance(sources, int) or len(sources) == 1:
                raise
        self.forget()
        count, certificates = len(sources), list[Certificate]()

        def judge(first: int, rows: int) -> Iterator[tuple]:
            for begin in range(first, count, rows):
                here = slice(begin, begin + rows)
                of_rows = (None if array is None else array[here] for array in (distances, predecessors))
                certificates.append(self.judge.certify(sources[here], *of_rows))
                yield (sources[here],)

        for _ in in_smaller_pieces(count, count // 2, judge, self.forget):
            pass
        return combined(certificates)

    def certified_closure(self, variant: Variant, answer: Closure) -> Certificate:
        if variant.on_cpu:
            return certify_closure(self.graph, answer)
        return self.judge.certify_closure(answer.cells)


def in_smaller_pieces(
    count: int, rows: int, done: Callable[[int, int], Iterator[_Rows]], forget: Callable[[], None]
) -> Iterator[_Rows]:
    """Yield what ``done(first, rows)`` does of ``count`` rows, from ``first`` on: tuples that begin with their sources.

    Where memory runs out, ``forget`` makes room, and ``done`` goes on with a quarter of the rows at a time. Raises
    OutOfMemoryError where it runs out with one row.
    """
    first = 0
    while True:
        try:
            for piece in done(first, rows):
                first += len(piece[0])
                yield piece
                del piece  # so that it does not stay while the next one is made
            return
        except OUT_OF_MEMORY as error:
            failure = _sentence(error)
        # By now the failure and its traceback are gone, and with them the arrays of the functions that failed.
        forget()
        if rows <= 1:
            raise OutOfMemoryError(failure)
        rows = max(1, min(rows, count - first) // 4)


def _sentence(error: BaseException) -> str:
    return str(error) if isinstance(error, OutOfMemoryError) else f"there is not enough memory: {error}"
