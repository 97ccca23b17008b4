"""A path over the product of two matrices: Telang's problem."""

from __future__ import annotations

import os
from math import isqrt
from typing import TYPE_CHECKING, Any, cast

from .problem import Problem

if TYPE_CHECKING:
    from warpath.certificates.certificate import Certificate
    from warpath.facts import Scope
    from warpath.solvers.limits import AnswerSize
    from warpath.solvers.registry import Configured, Variant

    from ..record import AnswerFacts, Record

PART_ROWS = 70


class MatrixProduct(Problem):
    """The input is a pair of matrices; its vertices are the cells of their product, its arcs the steps between them."""

    name = "grid"
    verdict = "exact in float32"

    def load(self, path: str | os.PathLike) -> Any:
        from ..matrix_product import matrices

        return matrices.load(path)

    def check(self, graph: Any, variant: Variant, source: int | None) -> None:
        """Any two matrices can be solved."""

    def part(self, graph: Any, source: int | None, on_gpu: bool) -> tuple[Any, int | None]:
        return graph.part(PART_ROWS), None

    def certify(self, graph: Any, source: int | None, answer: Any, scope: Scope = "full") -> Certificate:
        from ..matrix_product.product_path import certify_product_path

        return certify_product_path(graph, answer, scope)

    def answer_size(self, configured: Configured) -> AnswerSize:
        from warpath.solvers.limits import AnswerSize

        return AnswerSize("the product, the costs and their certificate take up to", 64)

    def facts(self, answer: Any) -> AnswerFacts | None:
        return cast("AnswerFacts", answer.as_dict())

    def fault(self, record: Record) -> str | None:
        """A product of another shape, or a path that leaves it or misses its destination."""
        from ..matrix_product.product_path import cells_of
        from ..record import WITHOUT_TIME

        graph, answer, certificate = record.graph, record.answer, record.certificate
        size = isqrt(graph.vertices)
        if size * size != graph.vertices or graph.arcs != 4 * size * (size - 1):
            return f"graph: {graph.vertices} vertices and {graph.arcs} arcs are not the cells of a square and its steps"
        if certificate and not {"product", "weight"} <= certificate.tolerances.keys():
            return "certificate.tolerances: needs those of product and weight"
        if record.reductions is not None:
            return "reductions: only all pairs in parts have them"
        if answer is None:
            return None if record.status in WITHOUT_TIME else "answer: every measured matrix product has one"
        if record.status in WITHOUT_TIME:
            return f"answer: there, where the status is {record.status}"
        path, entries = answer["path"], (answer["minimum"], answer["second_minimum"])
        cells = cells_of(path)
        if list(cells[-1]) != path["destination"]:
            return f"answer.path.moves: lead to {list(cells[-1])}, not to the destination {path['destination']}"
        cells += [(entry["row"], entry["column"]) for entry in entries]
        if not all(0 <= row < size and 0 <= column < size for row, column in cells):
            return f"answer: names a cell outside the {size} rows and columns"
        if cells[-1] == cells[-2]:
            return "answer.second_minimum: in the same place as the minimum"
        if entries[0]["value"] > entries[1]["value"]:
            return "answer.minimum: larger than the second minimum"
        return None
