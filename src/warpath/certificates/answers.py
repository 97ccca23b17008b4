"""Certifies the answer of any solver, by the kind of the answer."""

from ..facts import Scope
from ..graphs.csr import Graph
from ..solvers.plan import Closure, Solution
from .certificate import Certificate, certify
from .closure import certify_closure


def certify_answer(graph: Graph, source: int | None, answer: Solution | Closure, scope: Scope = "full") -> Certificate:
    """Certify distances and predecessors, or a closure. Raises CertificateError, which names the first fault."""
    if isinstance(answer, Closure):
        return certify_closure(graph, answer, scope)
    return certify(graph, source, answer.distances, answer.predecessors, scope)
