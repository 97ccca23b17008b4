"""Certifies the answer of any variant, by the kind of the answer."""

from ..algorithms.plan import Answer, Closure, Solution
from ..algorithms.product_path import ProductPath
from ..graphs.csr import Graph
from ..graphs.matrix_pair import Matrices
from .certificate import Certificate, certify
from .closure import certify_closure
from .matrix_product import certify_product_path


def certify_answer(graph: Graph | Matrices, source: int | None, answer: Answer, scope: str = "full") -> Certificate:
    """Certify distances and predecessors, a closure, or a path over a matrix product.

    Raises CertificateError, which names the first fault.
    """
    if isinstance(graph, Matrices):
        assert isinstance(answer, ProductPath)
        return certify_product_path(graph, answer, scope)
    if isinstance(answer, Closure):
        return certify_closure(graph, answer, scope)
    assert isinstance(answer, Solution)
    return certify(graph, source, answer.distances, answer.predecessors, scope)
