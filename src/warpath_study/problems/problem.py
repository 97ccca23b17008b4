"""The protocol of a kind of problem, with what most kinds have in common."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from warpath.certificates.certificate import Certificate
    from warpath.facts import Scope
    from warpath.solvers.limits import AnswerSize
    from warpath.solvers.registry import Configured, Variant

    from ..record import AnswerFacts, Record


class Problem:
    """A kind of problem; its input is called graph whatever it is, and has ``vertices``, ``arcs`` and ``sha256``."""

    name: ClassVar[str]
    takes_source: ClassVar[bool] = False
    """Whether a run starts at a vertex."""
    certifies_all_arcs: ClassVar[bool] = True
    """Whether a full certificate checks the arcs of the graph once a source."""
    verdict: ClassVar[str] = "exact"
    """What its certificates say."""

    def load(self, path: str | os.PathLike) -> Any:
        """Read the input. Raises FormatError where the file is damaged, UsageError where the problem has no input."""
        from warpath.graphs import csr

        return csr.load(path)

    def check(self, graph: Any, variant: Variant, source: int | None) -> None:
        """Raise where ``variant`` cannot give a right answer, as ``refuse_unsolvable`` does."""
        from warpath.solvers.limits import refuse_unsolvable

        refuse_unsolvable(graph, variant, source)

    def part(self, graph: Any, source: int | None, on_gpu: bool) -> tuple[Any, int | None]:
        """A small part of ``graph``, and the source in it: solved and certified before anything is timed."""
        raise NotImplementedError

    def certify(self, graph: Any, source: int | None, answer: Any, scope: Scope = "full") -> Certificate:
        """Certify an answer of a plan. Raises CertificateError, which names the first fault."""
        from warpath.certificates.certificate import certify_answer

        return certify_answer(graph, source, answer, scope)

    def answer_size(self, configured: Configured) -> AnswerSize:
        """What an answer takes of this machine's memory."""
        from warpath.solvers.limits import answer_size

        return answer_size(configured)

    def answer_rows(self, vertices: int) -> int:
        """How many rows an answer has."""
        return 1

    def label(self, graph: Any, source: int | None) -> int | str | None:
        """What the graph's file calls the source; None without one."""
        if source is None:
            return None
        label = graph.label_of(source)
        return label if isinstance(label, int) else str(label)

    def facts(self, answer: Any) -> AnswerFacts | None:
        """What a record tells of the answer itself."""
        return None

    def sources_of(self, record: Record, vertices: int) -> int:
        """How many sources a certificate of ``vertices`` vertices is of."""
        return 1

    def fault(self, record: Record) -> str | None:
        """What is wrong with the part of a record that only this kind of problem has, beginning with its key."""
        if record.answer is not None:
            return "answer: only a matrix product has one"
        return "reductions: only all pairs in parts have them" if record.reductions is not None else None
