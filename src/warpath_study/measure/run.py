"""Measures one run and makes its record, under the lock of the machine."""

import statistics
from math import inf
from pathlib import Path
from typing import Any, cast

from warpath.device import AnyDevice, Device
from warpath.errors import CertificateError, NoClustersError, OutOfMemoryError
from warpath.graphs.csr import Graph
from warpath.solvers.trees.predecessors import trees_needed
from warpath.solvers.variant import Configured

from ..peers.contract import MissingPeerError
from ..problems import PROBLEMS
from ..provenance.environment import now, software_and_machine
from ..provenance.facts import GraphFacts
from ..record import (
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
from .gpu_state import gpu_state
from .lock import machine_held
from .runs import answer_size, code_of, peer_of
from .sampling import Procedure

EMPTY_KERNEL = Path(__file__).with_name("empty.cu")
LAUNCHES = 100
"""Launches in a batch. A clock that resolves half a microsecond then gives hundredths of one for a launch."""
BATCHES = 15


def measure_run(
    graph: Any,
    configured: Configured,
    device: AnyDevice,
    source: int | None,
    sampling: Settings | RandomSources,
    dataset: str,
    sources_budget_s: float = inf,
) -> Record:
    """Measure ``configured`` on ``graph`` once no other measurement runs on this machine.

    ``source`` is an index, used only for ``sssp`` without random sources. With random sources, parameters that were not
    given are tuned if the work tuned them, and there are fewer sources if all would exceed ``sources_budget_s``. The
    record's status is ``out_of_memory`` if memory did not suffice, ``wrong`` if a peer gave a wrong answer, and
    ``missing`` if the peer is not installed or the GPU lacks clusters.
    Raises UsageError or GraphError if the variant cannot solve this graph, CertificateError if warpath gives a wrong
    answer, and DeviceError if a kernel fails.
    """
    variant = configured.variant
    peer, problem = peer_of(variant), PROBLEMS[variant.problem]
    procedure = Procedure(graph, configured, device, source, sampling, answer_size(configured), sources_budget_s)
    problem.check(graph, variant, procedure.source)
    # Now, because the files may be edited during the run.
    identity = code_of(variant, device.kind, _needs_trees(graph))
    machine = software_and_machine()
    gpu, launch_s = None, None
    outcome: AnyOutcome
    with machine_held():
        started = now()
        try:
            if peer:
                peer.version()  # raises if it is not installed
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
                sources = sampling.parameter if isinstance(sampling, RandomSources) else {}
                run = run_name(variant.algorithm, variant.name, {**configured.given, **sources})
                raise CertificateError(f"{dataset} {run} gives a wrong answer on {device.name}: {error}") from error
            outcome = Wrong(str(error))
            procedure.certificate = None
        finished = max(started, now())  # the clock may have been set back; still under the lock
    by = PeerFacts(**procedure.solved_by) if procedure.solved_by else None
    if by and by.solvers:  # from the texts that were read before
        identity = code_of(variant, device.kind, _needs_trees(graph), by.solvers)
    source = None if isinstance(sampling, RandomSources) else procedure.source
    label = None if source is None else graph.label_of(source)
    return Record(
        dataset=dataset,
        algorithm=variant.algorithm,
        variant=variant.name,
        given=dict(configured.given),
        parameters=dict(procedure.configured.settings),
        problem=variant.problem,
        source=source,
        source_label=label if label is None or isinstance(label, int) else str(label),
        graph=GraphFacts(graph.vertices, graph.arcs, graph.sha256, graph.metadata),
        device=device.describe(),
        measure=Measure(sampling, procedure.warmup_launches),
        outcome=outcome,
        certificate=procedure.certificate,
        answer=procedure.answer,
        preparation_s=procedure.preparation_s,
        solved_by=by,
        launch_and_wait_s=launch_s,
        environment={**machine, "gpu": gpu},
        code=identity,
        started=started,
        finished=finished,
    )


def _needs_trees(graph: Any) -> bool:
    return isinstance(graph, Graph) and trees_needed(graph)


def launch_and_wait_s(device: Device) -> float:
    """The time to launch an empty kernel and wait for it, in seconds by the device's clock.

    The result is the median of BATCHES means over LAUNCHES launches in the loop that variants use. A variant that waits
    after each round spends this time once a round. It also depends on the host: on its processor, its driver and its
    load. Measuring it takes about ten milliseconds.
    """
    launch = device.kernel(EMPTY_KERNEL, "empty").bind((1,), (1,))
    device.repeat([launch], LAUNCHES)  # the first launch loads the kernel
    device.synchronize()
    seconds = []
    for _ in range(BATCHES):
        start = device.record()
        device.repeat([launch], LAUNCHES)
        seconds.append(device.seconds_between(start, device.record()) / LAUNCHES)
    return statistics.median(seconds)
