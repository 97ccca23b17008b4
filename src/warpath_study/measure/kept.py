"""A record kept apart from its place, so that an interrupted job of a cluster measures nothing twice.

Snakemake removes the outputs of a job before it starts, and of a job that fails. A record that is kept elsewhere, too,
is taken again where the same run is asked for.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from warpath.errors import FormatError
from warpath.solvers.registry import Configured

from ..problems import PROBLEMS
from ..record import SOURCES, Measure, RandomSources, Record
from ..records.files import read_record
from .run import chosen
from .runs import run_kind
from .sampling import Settings


def kept_record(
    file: str | os.PathLike,
    graph: Any,
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
    kind = run_kind(variant)
    today = kind.code(device_kind)
    same = (
        record.code == today
        and record.device["kind"] == ("cpu" if variant.on_cpu else device_kind)
        and (record.dataset, record.algorithm, record.variant) == (dataset, variant.algorithm, variant.name)
        and record.asked == {**configured.given, **count}
        and record.graph.sha256 == graph.sha256
        and record.source == (source if PROBLEMS[variant.problem].takes_source and not count else None)
        and _choices(record.measure) == _choices(Measure(**chosen(how)))
        and kind.is_kept(record)
    )
    return record if same else None


def _choices(measure: Measure) -> Mapping[str, Any]:
    """What was chosen before the run; the number of launches was found by it."""
    return {name: value for name, value in msgspec.structs.asdict(measure).items() if name != "warmup_launches"}
