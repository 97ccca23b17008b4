"""One run, from graph to record: takes the machine's lock, runs the procedure, reads the GPU's clocks around it."""

import datetime
import statistics
from pathlib import Path
from typing import Any, cast

from warpath.device import AnyDevice, Device
from warpath.environment import gpu_state, software_and_machine
from warpath.errors import CertificateError, NoClustersError, OutOfMemoryError
from warpath.facts import GraphFacts
from warpath.solvers.registry import Configured

from ..peers.contract import MissingPeerError
from ..problems import PROBLEMS
from ..record import (
    SOURCES,
    AnyOutcome,
    Measure,
    Missing,
    OutOfMemory,
    PeerFacts,
    RandomSources,
    Record,
    Settings,
    Wrong,
    run_name,
)
from .lock import machine_held
from .runs import answer_size, code_of, peer_of
from .sampling import Procedure

EMPTY_KERNEL = Path(__file__).with_name("empty.cu")
LAUNCHES = 100
"""Launches that are timed together: a clock of half a microsecond then tells hundredths of one."""
BATCHES = 15


def measure_run(
    graph: Any,
    configured: Configured,
    device: AnyDevice,
    source: int | None,
    how: Settings | RandomSources,
    dataset: str,
) -> Record:
    """Measure ``configured`` on ``graph`` and return the record.

    ``source`` is an index, used for ``sssp`` only; with random sources, there is one solve from each instead, and
    parameters that the work tuned by trial runs are tuned, unless their values were given. Waits until no other
    measurement runs on this machine. Too little memory is a result: the record's status is then ``out_of_memory``. So
    it is of a peer that gives a wrong answer, or that is not on this machine: ``wrong`` or ``missing``. A variant of
    ours that needs clusters is ``missing`` on a GPU without them. Any other failure raises a WarpathError and gives no
    record: UsageError and GraphError from the problem's ``check``, UsageError as of ``Procedure``, CertificateError for
    a wrong answer of ours, DeviceError for a kernel that fails.
    """
    variant = configured.variant
    peer, problem = peer_of(variant), PROBLEMS[variant.problem]
    procedure = Procedure(graph, configured, device, source, how, answer_size(configured))
    problem.check(graph, variant, procedure.source)
    identity = code_of(variant, device.kind)  # read now: an edit during the run is not part of what ran
    machine = software_and_machine()
    gpu, launch_s = None, None
    outcome: AnyOutcome
    with machine_held():
        started = _now()
        try:
            if peer:
                peer.version()  # raises where it is not on this machine
            procedure.prepare()
            launch_s = launch_and_wait_s(cast(Device, device)) if device.kind == "cuda" else None
            before = gpu_state(device.describe())
            outcome = procedure.sample()
            after = gpu_state(device.describe())
            gpu = {"before": before, "after": after} if before or after else None
        except (MissingPeerError, NoClustersError) as error:
            outcome = Missing(str(error))
        except OutOfMemoryError as error:
            outcome = OutOfMemory(str(error))
        except MemoryError as error:
            outcome = OutOfMemory(f"this machine's memory does not hold the run ({error})")
        except CertificateError as error:
            if not peer:
                asked = {**configured.given, **({SOURCES: how.count} if isinstance(how, RandomSources) else {})}
                label = f"{dataset} {run_name(variant.algorithm, variant.name, asked)}"
                raise CertificateError(f"{label} gives a wrong answer on {device.name}: {error}") from error
            outcome = Wrong(str(error))
            procedure.certificate = None
        finished = max(started, _now())  # the clock may have been set back meanwhile; the next run has not begun yet
    source = None if isinstance(how, RandomSources) else procedure.source
    return Record(
        dataset=dataset,
        algorithm=variant.algorithm,
        variant=variant.name,
        given=dict(configured.given),
        parameters=dict(procedure.configured.settings),
        problem=variant.problem,
        source=source,
        source_label=problem.label(graph, source),
        graph=GraphFacts(graph.vertices, graph.arcs, graph.sha256, graph.metadata),
        device=device.describe(),
        measure=Measure(how, procedure.warmup_launches),
        outcome=outcome,
        certificate=procedure.certificate,
        answer=procedure.answer,
        preparation_s=procedure.preparation_s,
        solved_by=PeerFacts(**procedure.solved_by) if procedure.solved_by else None,
        launch_and_wait_s=launch_s,
        environment={**machine, "gpu": gpu},
        code=identity,
        started=started,
        finished=finished,
    )


def launch_and_wait_s(device: Device) -> float:
    """What one launch and the wait for it cost, whatever the kernel does, in seconds by the device's clock.

    The median of BATCHES means over LAUNCHES launches of an empty kernel, each waited for before the next, in the loop
    that variants use. A variant that waits for every round pays it once a round, and it depends on the host as well: on
    its processor, its driver, and what else runs on it. This takes some ten milliseconds on a GPU.
    """
    launch = device.kernel(EMPTY_KERNEL, "empty").bind((1,), (1,), ())
    device.repeat([launch], LAUNCHES)  # the first launch loads the kernel
    device.synchronize()
    seconds = []
    for _ in range(BATCHES):
        start = device.record()
        device.repeat([launch], LAUNCHES)
        seconds.append(device.seconds_between(start, device.record()) / LAUNCHES)
    return statistics.median(seconds)


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
