"""Certifies answers on the host, with the interface of ``on_device.DeviceCertifier``."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..graphs.csr import Graph
from ..solvers.plan import Closure
from .certificate import Certificate, certify, certify_each
from .closure import certify_closure


class HostCertifier:
    """Certifies answers of one graph, in arrays of NumPy. It keeps nothing from call to call."""

    ends = None

    def __init__(self, graph: Graph):
        self.graph = graph

    def certify(
        self, sources: int | Sequence[int] | np.ndarray, distances: Any, predecessors: Any | None = None
    ) -> Certificate:
        """As ``DeviceCertifier.certify``."""
        if isinstance(sources, (int, np.integer)):
            return certify(self.graph, int(sources), distances, predecessors)
        return certify_each(self.graph, np.asarray(sources).tolist(), distances, predecessors)

    def certify_closure(self, cells: Any) -> Certificate:
        """As ``DeviceCertifier.certify_closure``."""
        return certify_closure(self.graph, Closure(cells))
