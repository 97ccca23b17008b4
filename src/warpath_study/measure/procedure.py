"""The steps of a measurement, in order: tune, certify a part, release, plan; warm up, sample."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from warpath.certificates.certificate import Certificate
from warpath.device import AnyDevice
from warpath.graphs.csr import Graph
from warpath.solvers.plan import Plan
from warpath.solvers.registry import Configured

from ..problems import PROBLEMS
from .random_sources import SourcesMeasurement, measure_from_each
from .runs import run_kind
from .sampling import Measurement, Settings, measure, warm_up


class Procedure(ABC):
    """A run of ``configured`` on ``graph``: first ``prepare``, then ``sample``.

    Afterwards ``configured`` holds the parameters that ran, including tuned ones. ``certificate`` belongs to the part
    until ``sample`` has certified the answer itself. ``preparation_s`` and ``solved_by`` are those of the plan. Both
    methods raise OutOfMemoryError or MemoryError if memory does
    not suffice; the attributes then say how far the run came.
    """

    def __init__(self, graph: Any, configured: Configured, device: AnyDevice):
        self.graph, self.configured, self.device = graph, configured, device
        self.problem = PROBLEMS[configured.variant.problem]
        self.certificate: Certificate | None = None
        self.warmup_launches = 0
        self.preparation_s = 0.0
        self.solved_by: Mapping[str, Any] | None = None
        self.measurement: Measurement | SourcesMeasurement | None = None

    @abstractmethod
    def prepare(self) -> None:
        """Do everything before the first sample. Raises CertificateError if the answer on the part is wrong."""

    @abstractmethod
    def sample(self) -> None:
        """Warm up, take the samples, and certify the answer. Raises CertificateError if it is wrong."""

    def _prepared_plan(self, source: int | None) -> Plan:
        self._certify_part(source)
        self.device.release()
        size = run_kind(self.configured.variant).answer_size(self.configured)
        size.check(self.problem.answer_rows(self.graph.vertices), self.graph.vertices)
        plan = self.configured.plan(self.device, self.graph, source)
        self.preparation_s, self.solved_by = plan.preparation_s, plan.solved_by
        return plan

    def _certify_part(self, source: int | None) -> None:
        """Solve a part of the graph and certify the answer. This also compiles the kernels that are timed later."""
        part, source_in_part = self.problem.part(self.graph, source, self.device.kind == "cuda")
        plan = self.configured.plan(self.device, part, source_in_part)
        self.certificate = self.problem.certify(part, source_in_part, plan.solve(), "subgraph")
        self.warmup_launches = plan.counters["launches"]


class FromOneSource(Procedure):
    """The same solve, repeated until there are enough samples; ``source`` is None unless the problem is ``sssp``."""

    def __init__(
        self,
        graph: Any,
        configured: Configured,
        device: AnyDevice,
        source: int | None,
        settings: Settings,
    ):
        super().__init__(graph, configured, device)
        self.source, self.settings = source, settings

    def prepare(self) -> None:
        self.plan = self._prepared_plan(self.source)

    def sample(self) -> None:
        same_cost = self.configured.variant.same_cost
        # Where iterations differ, the first few of them warm up too little, and a plan may refuse to end there.
        self.warmup_launches += warm_up(self.plan, self.device, whole=not same_cost)
        measurement = measure(self.plan, self.device, same_cost, self.settings)
        if measurement.final:
            self.certificate = self.problem.certify(self.graph, self.source, measurement.solution)
        self.measurement = measurement


class FromEachSource(Procedure):
    """One solve from each of ``sources``. Parameters that the work tuned by trial runs are tuned, unless given."""

    graph: Graph

    def __init__(self, graph: Graph, configured: Configured, device: AnyDevice, sources: Sequence[int]):
        super().__init__(graph, configured, device)
        self.sources = sources

    def prepare(self) -> None:
        variant = self.configured.variant
        if variant.tune is not None:
            found = variant.tune(self.device, self.graph, self.sources, self.configured.settings)
            self.configured = variant.configured({**found, **self.configured.given})
        self.plan = self._prepared_plan(self.sources[0])

    def sample(self) -> None:
        self.warmup_launches += warm_up(self.plan, self.device, whole=True)
        self.measurement, self.certificate = measure_from_each(
            self.graph, self.configured, self.plan, self.device, self.sources
        )
