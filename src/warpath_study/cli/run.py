"""``warpath run``: measure variants on a graph, and write the records."""

import argparse
import contextlib
import signal
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from warpath.device import open_for_kernels
from warpath.device.cpu import CpuDevice
from warpath.errors import UsageError
from warpath.graphs.labels import named_vertex
from warpath.system.atomic import check_writable
from warpath.system.durations import readable_seconds

from ..datasets.verify import checked_name
from ..measure.gpu_state import SLOWDOWNS
from ..measure.run import measure_runs
from ..measure.runs import find
from ..measure.sampling import relative_spread
from ..parts.run import IN_PARTS
from ..problems import PROBLEMS
from ..record import (
    SOURCES,
    SOURCES_WITH_ARCS,
    WITHOUT_TIME,
    RandomSources,
    Record,
    Settings,
    parse_run,
    without_sources,
    write_record,
)

HELP = """
Measure a run on a graph, certify the answer, and write the record as JSON. RUN is ALGORITHM.VARIANT, or
ALGORITHM.VARIANT.NAME=NUMBER+... with parameters. With sources=COUNT as the last parameter, the time is the mean over
solves from COUNT random vertices; with sources_with_arcs=COUNT, these have arcs. Several runs from the same random
sources take turns: all solve from the first source, then all from the second, and so on. docs/measuring.md describes
what is timed.

Other libraries are measured as peer_sssp.NAME and peer_apsp.NAME ('warpath list peers').

If memory does not suffice, a peer is not installed or gives a wrong answer, or the GPU lacks clusters that the variant
needs, the record says so, and the exit status is 0. If warpath gives a wrong answer or a kernel fails, there is no
record, and the exit status is 1.

examples:
  warpath run data/graphs/nyc.npz bellman_ford.stride
  warpath run data/graphs/gnutella04.npz floyd_warshall.tiled --budget-s 300 --repeats-max 5 --output tiled.json
  warpath run data/graphs/nyc.npz label_correcting.locality.k=3+sources=100
  warpath run data/graphs/nyc.npz peer_sssp.warpath.sources=10 peer_sssp.scipy.sources=10
  warpath run data/graphs/matrices-1024.npz matrix_path.frontier
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    defaults = Settings()
    parser.add_argument("graph", metavar="GRAPH", help="a .npz graph, made by 'warpath convert' or 'warpath generate'")
    parser.add_argument("runs", metavar="RUN", nargs="+", help="the run, such as bellman_ford.stride")
    parser.add_argument("--dataset", metavar="NAME", help="name of the graph in the record (default: as in its file)")
    device = "cuda, cuda:INDEX or simulated (default: cuda); ignored by variants of the CPU"
    parser.add_argument("--device", default="cuda", help=device)
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--source", metavar="VERTEX", help="label of the source (default: the first vertex)")
    source.add_argument("--source-index", type=int, metavar="N", help="index of the source, from 0")
    seed = "seed of the random sources (default: %(default)d)"
    parser.add_argument("--sources-seed", type=int, default=1, metavar="SEED", help=seed)
    for option, default, metavar, meaning in (
        ("--budget-s", defaults.budget_s, "SECONDS", "limit for all samples of a run; a longer run is estimated"),
        ("--spread", defaults.spread, "FRACTION", "stop at this half interquartile range over the median"),
    ):
        meaning += " (default: %(default)g)"
        parser.add_argument(option, type=type(default), default=default, metavar=metavar, help=meaning)
    for option, number, meaning in (
        ("--repeats-min", defaults.repeats_min, "minimum number of samples, if the budget and the maximum allow"),
        ("--repeats-max", defaults.repeats_max, "maximum number of samples"),
    ):
        parser.add_argument(option, type=int, metavar="N", help=f"{meaning} (default: {number})")
    output = "file of the record, or of several runs the folder (default: results/runs/DATASET/RUN.json)"
    parser.add_argument("--output", metavar="FILE", help=output)


def main(arguments: argparse.Namespace) -> None:
    # A number of repeats that is given counts more than the default of the other.
    least, most, defaults = arguments.repeats_min, arguments.repeats_max, Settings()
    most = max(defaults.repeats_max, least or 0) if most is None else most
    least = min(defaults.repeats_min, most) if least is None else least
    settings = Settings(arguments.budget_s, least, most, arguments.spread)
    asked = {run: parse_run(run) for run in arguments.runs}
    if len(asked) < len(arguments.runs):
        raise UsageError("a run is named twice; name each once")
    drawn = {_random_sources(parameters, arguments.sources_seed) for _, _, parameters in asked.values()}
    random = drawn.pop()
    if drawn or (random is None and len(asked) > 1):
        raise UsageError("several runs take turns from the same random sources; give all the same sources=COUNT")
    if random and (arguments.source, arguments.source_index) != (None, None):
        option = "--source" if arguments.source_index is None else "--source-index"
        ((name, count),) = random.parameter.items()
        raise UsageError(f"{arguments.runs[0]} has random sources; leave out {option} or {name}={count}")
    runs = {}
    for run, (algorithm, variant, parameters) in asked.items():
        found = find(algorithm, variant)
        if found is IN_PARTS:
            raise UsageError(f"{run} is measured by 'warpath statistics' and 'warpath gather --record'")
        runs[run] = found.configured(without_sources(parameters))
    problem = PROBLEMS[runs[arguments.runs[0]].variant.problem]
    graph = problem.load(arguments.graph)
    source = arguments.source_index or 0
    if arguments.source is not None and problem.takes_source:
        source = named_vertex(graph, arguments.source)
    dataset = checked_name(arguments.dataset, graph, arguments.graph)
    folder = Path("results/runs", dataset) if arguments.output is None else Path(arguments.output)
    is_file = arguments.output is not None and len(runs) == 1
    outputs = {run: folder if is_file else folder / f"{run}.json" for run in runs}
    for output in outputs.values():
        check_writable(output)
    needed = not all(configured.variant.on_cpu for configured in runs.values())
    device = open_for_kernels(arguments.device) if needed else CpuDevice()
    on = [(configured, CpuDevice() if configured.variant.on_cpu else device) for configured in runs.values()]
    extent = f"for about {settings.budget_s:g} s at most" + (f", from {random.count} sources" if random else "")
    print(f"{dataset} {' '.join(runs)} on {device.name}: measuring {extent}", file=sys.stderr, flush=True)
    with _default_signal_handlers():
        records = measure_runs(graph, on, source, random or settings, dataset, settings.budget_s)
    for record in records:
        write_record(outputs[record.run], record)
        print(f"{dataset} {record.run}: {summary(record)}", file=sys.stderr, flush=True)


def _random_sources(parameters: Mapping[str, int], seed: int) -> RandomSources | None:
    """The random sources in the parameters of a run's name."""
    name = SOURCES_WITH_ARCS if SOURCES_WITH_ARCS in parameters else SOURCES
    return RandomSources(parameters[name], seed, name == SOURCES_WITH_ARCS) if name in parameters else None


def summary(record: Record) -> str:
    """A record in one line, such as "5.87 s (3 samples, spread 0.4 %), certified"."""
    if record.seconds is None or record.certificate is None:
        return f"{WITHOUT_TIME[record.status]}: {record.reason}"
    if estimate := record.estimate:
        part = f"{estimate.iterations_timed:,} of {estimate.iterations_total:,} iterations"
        line = f"~{readable_seconds(record.seconds, 2)} (estimated from {part})"
    elif record.measure.random_sources:
        line = f"{readable_seconds(record.seconds, 3)} (mean over {len(record.samples)} sources)"
    else:
        totals = [sample.total_s for sample in record.samples]
        samples = "1 sample" if len(totals) == 1 else f"{len(totals)} samples, spread {relative_spread(totals):.1%}"
        line = f"{readable_seconds(record.seconds, 3)} ({samples.replace('%', ' %')})"
    whole = record.certificate.scope == "full"
    line += ", certified" if whole else f", certified on {record.certificate.vertices:,} vertices"
    gpu = record.environment["gpu"] or {}
    reasons = {reason for state in gpu.values() if state for reason in state["throttle_reasons"] or ()}
    slowdowns = sorted(reasons & SLOWDOWNS)
    return f"{line}; clocks were reduced by {', '.join(slowdowns)}" if slowdowns else line


@contextlib.contextmanager
def _default_signal_handlers() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end the process at once.

    Python's handlers would wait for a compiled loop or a kernel, which may take minutes. There is nothing to clean up:
    the system releases the lock, and no record has been started.
    """
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
