"""One run, from graph to record: takes the machine's lock, runs the procedure, reads the GPU's clocks around it."""

import datetime
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, cast

from warpath.device import AnyDevice, Device
from warpath.durations import readable_seconds
from warpath.environment import gpu_state, software_and_machine
from warpath.errors import CertificateError, NoClustersError, OutOfMemoryError, UsageError
from warpath.facts import GraphFacts
from warpath.graphs.csr import Graph
from warpath.solvers.registry import Configured

from ..peers.contract import MissingPeerError
from ..problems import PROBLEMS
from ..record import (
    SOURCES,
    Measure,
    PeerFacts,
    RandomSources,
    Record,
    Status,
    run_name,
)
from .launch_cost import launch_and_wait_s
from .lock import machine_held
from .procedure import FromEachSource, FromOneSource, Procedure
from .random_sources import draw
from .runs import run_kind
from .sampling import Measurement, Settings


def measure_run(
    graph: Any,
    configured: Configured,
    device: AnyDevice,
    source: int | None,
    settings: Settings,
    dataset: str,
) -> Record:
    """Measure ``configured`` on ``graph`` and return the record.

    ``source`` is an index, used for ``sssp`` only. Waits until no other measurement runs on this machine. Too little
    memory is a result: the record's status is then ``out_of_memory``. So it is of a peer that gives a wrong answer, or
    that is not on this machine: ``wrong`` or ``missing``. A variant of ours that needs clusters is ``missing`` on a GPU
    without them. Any other failure raises a WarpathError and gives no record: UsageError and GraphError from
    the problem's ``check``, CertificateError for a wrong answer of ours, DeviceError for a kernel that fails.
    """
    problem = PROBLEMS[configured.variant.problem]
    source = source if problem.takes_source else None
    problem.check(graph, configured.variant, source)
    procedure = FromOneSource(graph, configured, device, source, settings)
    return _recorded(procedure, dataset, configured.given, source, chosen(settings))


def measure_sources(
    graph: Graph, configured: Configured, device: AnyDevice, drawn: RandomSources, dataset: str
) -> Record:
    """Measure ``configured`` on ``graph`` once from each source ``drawn``; record and errors as for ``measure_run``.

    Parameters that the work tuned by trial runs are tuned, unless their values were given.
    """
    variant = configured.variant
    problem = PROBLEMS[variant.problem]
    if not problem.takes_source:
        raise UsageError(f"{variant.algorithm} {variant.name} takes no source vertex, so none can be drawn")
    vertices = draw(graph, drawn)
    problem.check(graph, variant, vertices[0])
    procedure = FromEachSource(graph, configured, device, vertices)
    return _recorded(procedure, dataset, {**configured.given, SOURCES: drawn.count}, None, chosen(drawn))


def chosen(how: Settings | RandomSources) -> dict[str, Any]:
    """What a record's ``measure`` says was chosen before the run, by its names."""
    if isinstance(how, RandomSources):
        return {"random_sources": how}
    return asdict(how)


def _recorded(
    procedure: Procedure, dataset: str, asked: Mapping[str, int], source: int | None, how: Mapping[str, Any]
) -> Record:
    """Run ``procedure`` while no other measurement runs on this machine, and make its record."""
    graph, device, variant = procedure.graph, procedure.device, procedure.configured.variant
    label = f"{dataset} {run_name(variant.algorithm, variant.name, asked)}"
    kind, problem = run_kind(variant), PROBLEMS[variant.problem]
    identity = kind.code(device.kind)  # read now: an edit during the run is not part of what ran
    machine = software_and_machine()
    status: Status = "ok"
    reason, gpu, launch_s = None, None, None
    with machine_held():
        started = _now()
        try:
            kind.check_present()
            procedure.prepare()
            launch_s = launch_and_wait_s(cast(Device, device)) if device.kind == "cuda" else None
            before = gpu_state(device.describe())
            procedure.sample()
            after = gpu_state(device.describe())
            gpu = {"before": before, "after": after} if before or after else None
        except (MissingPeerError, NoClustersError) as error:
            status, reason = "missing", str(error)
        except OutOfMemoryError as error:
            status, reason = "out_of_memory", str(error)
        except MemoryError as error:
            status, reason = "out_of_memory", f"this machine's memory does not hold the run ({error})"
        except CertificateError as error:
            if not kind.wrong_is_a_result:
                raise CertificateError(f"{label} gives a wrong answer on {device.name}: {error}") from error
            status, reason = "wrong", str(error)
            procedure.measurement = procedure.certificate = None
        finished = max(started, _now())  # the clock may have been set back meanwhile; the next run has not begun yet
    measured, certificate = procedure.measurement, procedure.certificate
    if measured and (estimate := measured.estimate):
        status = "estimated"
        reason = (
            f"a full run of about {readable_seconds(measured.seconds, 3)} would outlast the budget of "
            f"{how['budget_s']:g} s; "
            f"{estimate.iterations_timed:,} of {estimate.iterations_total:,} iterations were timed"
        )
    solution = measured.solution if isinstance(measured, Measurement) else None
    return Record(
        dataset=dataset,
        algorithm=variant.algorithm,
        variant=variant.name,
        asked=dict(asked),
        parameters=dict(procedure.configured.settings),
        problem=variant.problem,
        source=source,
        source_label=problem.label(graph, source),
        graph=GraphFacts(graph.vertices, graph.arcs, graph.sha256, graph.about),
        device=device.describe(),
        status=status,
        reason=reason,
        seconds=measured.seconds if measured else None,
        samples=list(measured.samples) if measured else [],
        preparation_s=procedure.preparation_s,
        solved_by=PeerFacts(**procedure.solved_by) if procedure.solved_by else None,
        launch_and_wait_s=launch_s,
        estimate=measured.estimate.as_estimate() if measured and measured.estimate else None,
        counters=dict(measured.counters) if measured else {},
        certificate=certificate,
        answer=problem.facts(solution) if solution is not None else None,
        measure=Measure(procedure.warmup_launches, **how),
        environment={**machine, "gpu": gpu},
        code=identity,
        started=started,
        finished=finished,
    )


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
