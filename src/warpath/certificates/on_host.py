"""Certifies answers on the host, with the interface of ``on_device.DeviceCertifier``."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..graphs.csr import Graph
from ..solvers.solver import Closure
from .certificate import Certificate, certify_each
from .closure import certify_closure


class HostCertifier:
    """Certifies answers of one graph, in arrays of NumPy. It keeps nothing from call to call."""

    def __init__(self, graph: Graph):
        self.graph = graph

    def begin(
        self, sources: Sequence[int] | np.ndarray, distances: Any, predecessors: Any | None
    ) -> Callable[[], Certificate]:
        """As ``DeviceCertifier.begin``."""
        return lambda: self.certify(sources, distances, predecessors)

    def certify(
        self, sources: Sequence[int] | np.ndarray, distances: Any, predecessors: Any | None = None
    ) -> Certificate:
        """As ``DeviceCertifier.certify``."""
        return certify_each(self.graph, np.asarray(sources).tolist(), distances, predecessors)

    def certify_closure(self, cells: Any) -> Certificate:
        """As ``DeviceCertifier.certify_closure``."""
        return certify_closure(self.graph, Closure(cells))
