"""All pairs in parts: reductions of the rows, made by several jobs and gathered."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from warpath.errors import UsageError

from .problem import Problem

if TYPE_CHECKING:
    from warpath.solvers.limits import AnswerSize
    from warpath.solvers.registry import Configured

    from ..record import Record


class AllPairsInParts(Problem):
    """The rows of all pairs, or of the first sources, solved, certified and reduced."""

    name = "reductions"

    def load(self, path: str | os.PathLike) -> Any:
        raise UsageError("all_pairs.reductions is made in parts: by 'warpath reduce', and then 'warpath record-parts'")

    def answer_size(self, configured: Configured) -> AnswerSize:
        """Rows pass through the memory a few at a time."""
        from warpath.solvers.limits import PATHS

        return PATHS

    def sources_of(self, record: Record, vertices: int) -> int:
        return record.parameters.get("first") or vertices

    def fault(self, record: Record) -> str | None:
        """Reductions that are missing, or of other pairs than the certificate's."""
        found, certificate = record.reductions, record.certificate
        if record.answer is not None:
            return "answer: only a matrix product has one"
        if found is None:
            return "reductions: every run of all pairs in parts has them"
        if certificate is None:
            return None
        if (found.sources, found.sources + found.pairs) != (certificate.sources, certificate.reached):
            return f"reductions: {found.pairs} pairs of {found.sources} sources are not those of the certificate"
        if sum(found.histogram) != found.pairs:
            return f"reductions.histogram: {sum(found.histogram)} pairs, where there are {found.pairs}"
        if not (len(found.histogram) - 1) * found.bin_width <= found.diameter < len(found.histogram) * found.bin_width:
            return f"reductions.diameter: {found.diameter}, which is not in the last bin"
        return None
