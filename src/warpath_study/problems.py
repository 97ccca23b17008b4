"""The kinds of problems: what measuring and certifying need to know of each."""

import os
from typing import Any, ClassVar

from warpath.certificates.certificate import Certificate, certify_answer
from warpath.errors import UsageError
from warpath.facts import Scope
from warpath.graphs import csr
from warpath.solvers.preconditions import PATHS, AnswerSize, answer_size, check_solvable
from warpath.solvers.registry import Configured, Variant

from .matrix_product import matrices
from .matrix_product.product_path import certify_product_path
from .record import AnswerFacts
from .subgraph import nearest_subgraph

# Vertices of the part of the graph that is solved and certified before anything is timed. 32 divides neither of the
# dense sizes, so that the edges of blocks and tiles are certified too.
PART_VERTICES_SPARSE = 4000
PART_VERTICES_DENSE = 1000
PART_VERTICES_DENSE_WITHOUT_GPU = 200
PART_ROWS = 70


class Problem:
    """A kind of problem; its input is called graph whatever it is, and has ``vertices``, ``arcs`` and ``sha256``."""

    name: ClassVar[str]
    takes_source: ClassVar[bool] = False
    """Whether a run starts at a vertex."""

    def load(self, path: str | os.PathLike) -> Any:
        """Read the input. Raises FormatError where the file is damaged, UsageError where the problem has no input."""
        return csr.load(path)

    def check(self, graph: Any, variant: Variant, source: int | None) -> None:
        """Raise where ``variant`` cannot give a right answer, as ``check_solvable`` does."""
        check_solvable(graph, variant, source)

    def part(self, graph: Any, source: int | None, on_gpu: bool) -> tuple[Any, int | None]:
        """A small part of ``graph``, and the source in it: solved and certified before anything is timed."""
        raise NotImplementedError

    def certify(self, graph: Any, source: int | None, answer: Any, scope: Scope = "full") -> Certificate:
        """Certify an answer of a plan. Raises CertificateError, which names the first fault."""
        return certify_answer(graph, source, answer, scope)

    def answer_size(self, configured: Configured) -> AnswerSize:
        """What an answer takes of this machine's memory."""
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


class OneSource(Problem):
    """Paths from one source, or from several drawn at random, one solve each."""

    name = "sssp"
    takes_source = True

    def part(self, graph: Any, source: int | None, on_gpu: bool) -> tuple[Any, int | None]:
        return nearest_subgraph(graph, source, PART_VERTICES_SPARSE)


class AllPairs(Problem):
    """Paths of all pairs at once."""

    name = "apsp"

    def part(self, graph: Any, source: int | None, on_gpu: bool) -> tuple[Any, int | None]:
        return nearest_subgraph(graph, None, PART_VERTICES_DENSE if on_gpu else PART_VERTICES_DENSE_WITHOUT_GPU)

    def answer_rows(self, vertices: int) -> int:
        return vertices


class Closure(AllPairs):
    """Transitive closure: which vertices can be reached from which."""

    name = "closure"


class MatrixProduct(Problem):
    """A path over the product of two matrices, Telang's problem.

    The input is a pair of matrices; its vertices are the cells of their product, its arcs the steps between them.
    """

    name = "grid"

    def load(self, path: str | os.PathLike) -> Any:
        return matrices.load(path)

    def check(self, graph: Any, variant: Variant, source: int | None) -> None:
        """Any two matrices can be solved."""

    def part(self, graph: Any, source: int | None, on_gpu: bool) -> tuple[Any, int | None]:
        return graph.part(PART_ROWS), None

    def certify(self, graph: Any, source: int | None, answer: Any, scope: Scope = "full") -> Certificate:
        return certify_product_path(graph, answer, scope)

    def answer_size(self, configured: Configured) -> AnswerSize:
        return AnswerSize("the product, the costs and their certificate take up to", 64)

    def facts(self, answer: Any) -> AnswerFacts | None:
        return answer.as_dict()


class AllPairsInParts(Problem):
    """The rows of all pairs, or of the first sources, solved, certified and reduced."""

    name = "reductions"

    def load(self, path: str | os.PathLike) -> Any:
        raise UsageError("all_pairs.reductions is made in parts: by 'warpath reduce', and then 'warpath record-parts'")

    def answer_size(self, configured: Configured) -> AnswerSize:
        """Rows pass through the memory a few at a time."""
        return PATHS


PROBLEMS: dict[str, Problem] = {
    problem.name: problem for problem in (OneSource(), AllPairs(), Closure(), MatrixProduct(), AllPairsInParts())
}
