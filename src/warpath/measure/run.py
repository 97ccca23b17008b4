"""One cell of a table, from graph to record: check, warm up, time, certify, in this order."""

import datetime
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from .. import sources
from ..algorithms.limits import refuse_unsolvable
from ..algorithms.registry import Variant
from ..certify.answers import certify_answer
from ..certify.certificate import Certificate
from ..certify.subgraph import around
from ..device import Device, host_machine
from ..errors import CertificateError, OutOfMemoryError, UsageError
from ..graphs.csr import Graph
from .environment import gpu_state, software_and_machine
from .lock import machine_held
from .random_sources import RandomSources, SourcesMeasurement, measure_from_each
from .record import SCHEMA_VERSION
from .sampling import Measurement, Settings, measure, warm_up
from .serial import SerialProcessor

# Vertices of the part of the graph that is solved and certified before anything is timed. 32 divides neither of the
# dense sizes, so that the edges of blocks and tiles are checked too.
CHECK_VERTICES_SPARSE = 4000
CHECK_VERTICES_DENSE = 1000
CHECK_VERTICES_DENSE_WITHOUT_GPU = 200

AnyDevice = Device | SerialProcessor


@dataclass
class _Outcome:
    """How far a run has come; ``variant`` is what was run, with what tuning found."""

    variant: Variant
    status: str = "ok"
    reason: str | None = None
    certificate: Certificate | None = None
    warmup_launches: int = 0
    measurement: Measurement | SourcesMeasurement | None = None
    gpu: dict[str, Any] = field(default_factory=dict)


def measure_cell(
    graph: Graph, variant: Variant, device: AnyDevice, source: int | None, settings: Settings, dataset: str
) -> dict[str, Any]:
    """Measure ``variant`` on ``graph`` and return the record, in the shape of ``record.schema.json``.

    ``source`` counts for one-source problems alone. Waits until no other measurement runs on this machine. Memory that
    does not suffice is a result: the record's status is then ``out_of_memory``. All else that goes wrong raises a
    WarpathError and leaves no record: UsageError and GraphError for what ``refuse_unsolvable`` refuses,
    CertificateError for a wrong answer, DeviceError for a kernel that fails.
    """
    source = source if variant.problem == "sssp" else None
    refuse_unsolvable(graph, variant, source)
    work = partial(_run, graph, variant, device, source, settings)
    return _recorded(graph, variant, device, source, dataset, asdict(settings), work)


def measure_sources(
    graph: Graph, variant: Variant, device: AnyDevice, drawn: RandomSources, dataset: str
) -> dict[str, Any]:
    """Measure ``variant`` on ``graph`` once from each source ``drawn``; record and errors as for ``measure_cell``.

    What the variant's work found by trial runs, is found by trial runs, unless its value was given.
    """
    if variant.problem != "sssp":
        raise UsageError(f"{variant.algorithm} {variant.name} takes no source vertex, so none can be drawn")
    vertices = drawn.of(graph)
    refuse_unsolvable(graph, variant, vertices[0])
    work = partial(_run_from_each, graph, variant, device, vertices)
    return _recorded(graph, variant, device, None, dataset, {"random_sources": asdict(drawn)}, work)


def _recorded(
    graph: Graph,
    variant: Variant,
    device: AnyDevice,
    source: int | None,
    dataset: str,
    how: dict[str, Any],
    work: Callable[[_Outcome], None],
) -> dict[str, Any]:
    """Do ``work`` while no other measurement runs on this machine, and make the record of its outcome."""
    label = f"{dataset} {variant.algorithm} {variant.name}"
    files = sources.hashes(variant.files)  # as they are now: an edit during the run is not what ran
    machine = software_and_machine()
    outcome = _Outcome(variant)
    with machine_held(label):
        started = _now()
        try:
            work(outcome)
        except OutOfMemoryError as error:
            outcome.status, outcome.reason = "out_of_memory", str(error)
        except MemoryError as error:
            outcome.status, outcome.reason = "out_of_memory", f"this machine's memory does not hold the run ({error})"
        except CertificateError as error:
            raise CertificateError(f"{label} gives a wrong answer on {device.name}: {error}") from error
    measured = outcome.measurement
    return {
        "schema": SCHEMA_VERSION,
        "dataset": dataset,
        "algorithm": variant.algorithm,
        "variant": variant.name,
        "parameters": outcome.variant.all_settings,
        "problem": variant.problem,
        "source": source,
        "graph": {
            "vertices": graph.vertices,
            "arcs": graph.arcs,
            "sha256": graph.sha256,
            "about": graph.about,
        },
        "device": device.describe(),
        "status": outcome.status,
        "reason": outcome.reason,
        "seconds": measured.seconds if measured else None,
        "samples": [sample.as_dict() for sample in measured.samples] if measured else [],
        "estimate": measured.estimate.as_dict() if measured and measured.estimate else None,
        "counters": measured.counters if measured else {},
        "certificate": asdict(outcome.certificate) if outcome.certificate else None,
        "measure": {**how, "warmup_launches": outcome.warmup_launches},
        "environment": {**machine, "gpu": outcome.gpu or None},
        "sources": files,
        "started": started,
        "finished": _now(),
    }


def _run(
    graph: Graph,
    variant: Variant,
    device: AnyDevice,
    source: int | None,
    settings: Settings,
    outcome: _Outcome,
) -> None:
    """Everything that needs the machine to itself; ``outcome`` is filled in step by step, whatever happens."""
    _check(graph, variant, device, source, outcome)
    device.release()
    _refuse_oversized_answer(graph, variant, source)
    plan = variant.plan(device, graph, source, **variant.settings)
    outcome.warmup_launches += warm_up(plan, device)
    before = gpu_state(device.describe())
    measurement = measure(plan, device, variant.same_cost, settings)
    after = gpu_state(device.describe())
    if before or after:
        outcome.gpu = {"before": before, "after": after}
    if measurement.final:
        outcome.certificate = certify_answer(graph, source, measurement.solution)
    if measurement.estimate:
        timed = f"{measurement.estimate.iterations_timed:,} of {plan.iterations:,} iterations were timed"
        outcome.status = "estimated"
        whole = in_seconds(measurement.seconds)
        outcome.reason = f"a full run of about {whole} would outlast the budget of {settings.budget_s:g} s; {timed}"
    outcome.measurement = measurement


def _run_from_each(graph: Graph, variant: Variant, device: AnyDevice, vertices: list[int], outcome: _Outcome) -> None:
    """The same with one solve from each of ``vertices``."""
    if variant.tune is not None:
        found = variant.tune(device, graph, vertices, variant.all_settings)
        variant = outcome.variant = variant.with_settings({**found, **variant.settings})
    _check(graph, variant, device, vertices[0], outcome)
    device.release()
    _refuse_oversized_answer(graph, variant, vertices[0])
    outcome.warmup_launches += warm_up(variant.plan(device, graph, vertices[0], **variant.settings), device)
    before = gpu_state(device.describe())
    outcome.measurement, outcome.certificate = measure_from_each(graph, variant, device, vertices)
    after = gpu_state(device.describe())
    if before or after:
        outcome.gpu = {"before": before, "after": after}


def _check(graph: Graph, variant: Variant, device: AnyDevice, source: int | None, outcome: _Outcome) -> None:
    """Solve a part of the graph and certify the answer; compiles what is to be timed, too."""
    if variant.problem == "sssp":
        vertices_max = CHECK_VERTICES_SPARSE
    else:
        vertices_max = CHECK_VERTICES_DENSE if device.kind == "cuda" else CHECK_VERTICES_DENSE_WITHOUT_GPU
    part, source_in_part = around(graph, source, vertices_max)
    plan = variant.plan(device, part, source_in_part, **variant.settings)
    outcome.certificate = certify_answer(part, source_in_part, plan.solve(), "subgraph")
    outcome.warmup_launches = plan.counters["launches"]


def _refuse_oversized_answer(graph: Graph, variant: Variant, source: int | None) -> None:
    """Raise OutOfMemoryError where this machine cannot even hold the answer.

    Systems promise more memory than they have and end the process that uses it, which would end the table as well.
    """
    rows = graph.vertices if source is None else 1
    what, bytes_a_pair = "distances and predecessors take", 2 * 4
    if variant.problem == "closure":
        # As the variants with the largest cells have it; the check makes two arrays of a byte a pair.
        what, bytes_a_pair = "the closure and its check take up to", 4 + 2
    needed_bytes = bytes_a_pair * rows * graph.vertices
    free_bytes, total_bytes = host_machine.memory_bytes()
    if needed_bytes > free_bytes:
        raise OutOfMemoryError(
            f"{what} {needed_bytes:,} bytes of this machine's memory, of which {free_bytes:,} of {total_bytes:,} are "
            "free"
        )


def in_seconds(seconds: float) -> str:
    """A time for a sentence, "5.87 s" or "1,320 s"."""
    return f"{seconds:,.0f} s" if seconds >= 1000 else f"{seconds:.3g} s"


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
