"""A record kept apart from its place, so that an interrupted job of a cluster measures nothing twice.

Snakemake removes the outputs of a job before it starts, and of a job that fails. A record that is kept elsewhere, too,
is taken again where the same run is asked for.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from .. import code
from ..algorithms.registry import Configured
from ..errors import FormatError
from ..graphs.csr import Graph
from ..graphs.matrix_pair import Matrices
from ..peers.contract import Peer
from .random_sources import RandomSources
from .record import SOURCES, Measure, Record, read_record
from .run import chosen
from .sampling import Settings


def kept_record(
    file: str | os.PathLike,
    graph: Graph | Matrices,
    configured: Configured,
    device_kind: str,
    source: int | None,
    how: Settings | RandomSources,
    dataset: str,
) -> Record | None:
    """The record in ``file`` if it is of this run on this graph, on such a device, as ``how`` says, by today's code.

    The arguments are those of ``measure_run``. None for a file that is missing, damaged, or of another measurement.
    """
    if not Path(file).is_file():
        return None
    try:
        record = read_record(file)
    except FormatError:
        return None
    variant = configured.variant
    count = {SOURCES: how.count} if isinstance(how, RandomSources) else {}
    today = code.identity(variant, device_kind)
    same = (
        record.code == today
        and record.device["kind"] == ("cpu" if variant.on_cpu else device_kind)
        and (record.dataset, record.algorithm, record.variant) == (dataset, variant.algorithm, variant.name)
        and record.asked == {**configured.given, **count}
        and record.graph.sha256 == graph.sha256
        and record.source == (source if variant.problem == "sssp" and not count else None)
        and _choices(record.measure) == _choices(Measure(**chosen(how)))
        and (record.status != "missing" if variant.peer is None else _is_version_of(variant.peer, record))
    )
    return record if same else None


def _is_version_of(peer: Peer, record: Record) -> bool:
    by = record.solved_by
    return by is not None and peer.missing() is None and by.version == peer.version()


def _choices(measure: Measure) -> Mapping[str, Any]:
    """What was chosen before the run; the number of launches was found by it."""
    return {name: value for name, value in msgspec.structs.asdict(measure).items() if name != "warmup_launches"}
