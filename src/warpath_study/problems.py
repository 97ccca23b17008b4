"""The problems: how each is loaded, checked, solved in part and certified."""

import os
from typing import Any, ClassVar

from warpath.certificates.facts import Certificate, Scope
from warpath.errors import UsageError
from warpath.graphs import csr
from warpath.solvers.checks.preconditions import (
    CLOSURE,
    DISTANCES,
    PATHS,
    AnswerSize,
    check_no_negative_cycle,
    check_weights,
)
from warpath.solvers.variant import Configured, Variant

from .record import AnswerFacts

# Vertices of the part of the graph that is solved and certified before anything is timed. 32 divides neither of the
# dense sizes, so that the edges of blocks and tiles are certified too.
PART_VERTICES_SPARSE = 4000
PART_VERTICES_DENSE = 1000
PART_VERTICES_DENSE_WITHOUT_GPU = 200
PART_ROWS = 70

# Certificates and matrices are imported where they are needed, because `warpath list` needs neither and they take long.


class Problem:
    """A problem. Its input is called graph, and has ``vertices``, ``arcs`` and ``sha256``."""

    name: ClassVar[str]
    takes_source: ClassVar[bool] = False
    """Whether a run starts at a vertex."""

    def load(self, path: str | os.PathLike) -> Any:
        """Read the input. Raises FormatError if the file is damaged, UsageError if the problem has no input."""
        return csr.load(path)

    def check(self, graph: Any, variant: Variant, source: int | None) -> None:
        """Raise if ``variant`` cannot give right distances on ``graph``.

        UsageError: the source is missing or is not a vertex. GraphError as for ``check_weights``. NegativeCycleError as
        for ``check_no_negative_cycle``.
        """
        if self.takes_source:
            if source is None:
                raise UsageError(f"{variant.algorithm} needs a source vertex")
            if not 0 <= source < graph.vertices:
                raise UsageError(f"source {source} is not a vertex; vertices are 0..{graph.vertices - 1}")
        check_weights(graph, variant)
        check_no_negative_cycle(graph, source if self.takes_source else None)

    def part(self, graph: Any, source: int | None, on_gpu: bool) -> tuple[Any, int | None]:
        """A small part of ``graph``, to be solved and certified before anything is timed, and the source in it."""
        raise NotImplementedError

    def certify(self, graph: Any, source: int | None, answer: Any, scope: Scope = "full") -> Certificate:
        """Certify the answer of a plan. Raises CertificateError, which names the first fault."""
        from warpath.certificates.certificate import certify

        return certify(graph, source, answer.distances, answer.predecessors, scope)

    def answer_size(self, configured: Configured) -> AnswerSize:
        """The main memory that an answer takes."""
        return PATHS if configured.settings.get("predecessors", 1) else DISTANCES

    def answer_rows(self, vertices: int) -> int:
        """The number of rows of an answer."""
        return 1

    def facts(self, answer: Any) -> AnswerFacts | None:
        """The part of a record that describes the answer itself."""
        return None


class OneSource(Problem):
    """Paths from one source, or from several random sources, one solve each."""

    name = "sssp"
    takes_source = True

    def part(self, graph: Any, source: int | None, on_gpu: bool) -> tuple[Any, int | None]:
        from .subgraph import nearest_subgraph

        return nearest_subgraph(graph, source, PART_VERTICES_SPARSE)


class AllPairs(Problem):
    """Paths of all pairs at once."""

    name = "apsp"

    def part(self, graph: Any, source: int | None, on_gpu: bool) -> tuple[Any, int | None]:
        from .subgraph import nearest_subgraph

        return nearest_subgraph(graph, None, PART_VERTICES_DENSE if on_gpu else PART_VERTICES_DENSE_WITHOUT_GPU)

    def answer_rows(self, vertices: int) -> int:
        return vertices


class Closure(AllPairs):
    """Transitive closure: which vertices can be reached from which."""

    name = "closure"

    def check(self, graph: Any, variant: Variant, source: int | None) -> None:
        """Any graph can be solved."""

    def certify(self, graph: Any, source: int | None, answer: Any, scope: Scope = "full") -> Certificate:
        from warpath.certificates.closure import certify_closure

        return certify_closure(graph, answer, scope)

    def answer_size(self, configured: Configured) -> AnswerSize:
        return CLOSURE


class MatrixProduct(Problem):
    """Telang's problem: a path over the product of two matrices, whose cells are the vertices and steps the arcs."""

    name = "grid"

    def load(self, path: str | os.PathLike) -> Any:
        from .matrix_product import matrices

        return matrices.load(path)

    def check(self, graph: Any, variant: Variant, source: int | None) -> None:
        """Any two matrices can be solved."""

    def part(self, graph: Any, source: int | None, on_gpu: bool) -> tuple[Any, int | None]:
        return graph.part(PART_ROWS), None

    def certify(self, graph: Any, source: int | None, answer: Any, scope: Scope = "full") -> Certificate:
        from .matrix_product.product_path import certify_product_path

        return certify_product_path(graph, answer, scope)

    def answer_size(self, configured: Configured) -> AnswerSize:
        return AnswerSize("the product, the costs and their certificate take up to", 64)

    def facts(self, answer: Any) -> AnswerFacts | None:
        return answer.as_dict()


PROBLEMS: dict[str, Problem] = {
    problem.name: problem for problem in (OneSource(), AllPairs(), Closure(), MatrixProduct())
}
