"""Measures runs and makes their records, under the lock of the machine."""

import secrets
import statistics
from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Any, cast

from warpath.device import AnyDevice, Device
from warpath.errors import UsageError
from warpath.graphs.csr import Graph
from warpath.solvers.trees.predecessors import trees_needed
from warpath.solvers.variant import Configured

from ..problems import PROBLEMS
from ..provenance.environment import now, software_and_machine
from ..provenance.facts import GraphFacts
from ..record import Measure, PeerFacts, RandomSources, Record, Settings
from .gpu_state import gpu_state
from .host_load import host_load
from .lock import machine_held
from .runs import answer_size, code_of, peer_of
from .sampling import Procedure, draw
from .turns import take_turns

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
    """Measure one run; see ``measure_runs``."""
    (record,) = measure_runs(graph, [(configured, device)], source, sampling, dataset, sources_budget_s)
    return record


def measure_runs(
    graph: Any,
    runs: Sequence[tuple[Configured, AnyDevice]],
    source: int | None,
    sampling: Settings | RandomSources,
    dataset: str,
    sources_budget_s: float = inf,
) -> list[Record]:
    """Measure ``runs`` on ``graph`` once no other measurement runs on this machine.

    ``source`` is an index, used only for ``sssp`` without random sources. With random sources, the runs take turns,
    parameters that were not given are tuned if the work tuned them, and a run has fewer sources if all would exceed
    ``sources_budget_s``. A record's status is ``out_of_memory`` if memory did not suffice, ``wrong`` if a peer gave a
    wrong answer, and ``missing`` if the peer is not installed or the GPU lacks clusters.
    Raises UsageError or GraphError if a variant cannot solve this graph, CertificateError if warpath gives a wrong
    answer, and DeviceError if a kernel fails.
    """
    random = sampling if isinstance(sampling, RandomSources) else None
    for variant in (configured.variant for configured, _ in runs):
        if random and not PROBLEMS[variant.problem].takes_source:
            raise UsageError(f"{variant.algorithm} {variant.name} has no source vertex; leave out sources=")
    drawn = draw(graph, random) if random else []
    procedures = []
    for configured, device in runs:
        asked = answer_size(configured), peer_of(configured.variant), dataset
        procedure = Procedure(graph, configured, device, drawn or [source], sampling, *asked)
        procedure.problem.check(graph, configured.variant, procedure.source)
        procedures.append(procedure)
    # Now, because the files may be edited during the run.
    codes = [code_of(configured.variant, device.kind, _needs_trees(graph)) for configured, device in runs]
    environment = software_and_machine()
    with machine_held():
        started, load_before = now(), host_load()
        for procedure in procedures:
            procedure.attempt(procedure.prepare)
        ready = [procedure for procedure in procedures if not procedure.outcome]
        gpus = {procedure.device for procedure in ready if procedure.device.kind == "cuda"}
        launches_s = {device: launch_and_wait_s(cast(Device, device)) for device in gpus}
        before = {device: gpu_state(device.describe()) for device in gpus}
        if random:
            take_turns(graph, ready, drawn, sources_budget_s)
        else:
            for procedure in ready:
                procedure.attempt(procedure.sample)
        after = {device: gpu_state(device.describe()) for device in gpus}
        environment["load"] = {"before": load_before, "after": host_load()}
        finished = max(started, now())  # the clock may have been set back; still under the lock
    turns = secrets.token_hex(8) if len(runs) > 1 else None
    records = []
    for (configured, device), procedure, identity in zip(runs, procedures, codes, strict=True):
        variant = configured.variant
        by = PeerFacts(**procedure.solved_by) if procedure.solved_by else None
        if by and by.solvers:  # from the texts that were read before
            identity = code_of(variant, device.kind, _needs_trees(graph), by.solvers)
        source = None if random else procedure.source
        label = None if source is None else graph.label_of(source)
        gpu = {"before": before.get(device), "after": after.get(device)}
        assert procedure.outcome
        records.append(
            Record(
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
                measure=Measure(sampling, procedure.warmup_launches, turns),
                outcome=procedure.outcome,
                certificate=procedure.certificate,
                answer=procedure.answer,
                preparation_s=procedure.preparation_s,
                solved_by=by,
                launch_and_wait_s=launches_s.get(device),
                environment={**environment, "gpu": gpu if any(gpu.values()) else None},
                code=identity,
                started=started,
                finished=finished,
            )
        )
    return records


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
