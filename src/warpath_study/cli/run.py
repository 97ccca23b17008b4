"""``warpath run``: measure one variant on one graph and keep the record."""

import argparse
import contextlib
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from warpath.atomic import check_writable
from warpath.device import open_device
from warpath.durations import readable_seconds
from warpath.environment import SLOWDOWNS
from warpath.errors import UsageError
from warpath.graphs.labels import named_vertex

from ..datasets.verify import check_named
from ..measure.run import measure_run
from ..measure.runs import find
from ..measure.sampling import SerialProcessor, relative_spread
from ..problems import PROBLEMS
from ..record import SOURCES, WITHOUT_TIME, RandomSources, Record, Settings, parse_run, write_record

HELP = """
Measure one run on one graph, certify the answer, and write the record as JSON. A run has the name of its record:
ALGORITHM.VARIANT, or ALGORITHM.VARIANT.NAME=NUMBER+... with parameters of the variant.
With sources=COUNT as the last parameter, it solves once from each of COUNT random vertices; the time is their mean.
docs/measuring.md describes what is timed, and how.

Too little memory is a result: the record says so, and the exit status is 0. A wrong answer or a failing kernel exits
with 1 and leaves no record. Other libraries are measured as peer_sssp.NAME and peer_apsp.NAME ('warpath list peers');
that one is not installed, or that its answer is wrong, is a result as well, and so is a GPU without the clusters that a
variant needs.

examples:
  warpath run data/graphs/nyc.npz bellman_ford.stride
  warpath run data/graphs/gnutella04.npz floyd_warshall.tiled --budget-s 300 --repeats-max 5 --output tiled.json
  warpath run data/graphs/nyc.npz label_correcting.locality.k=3+sources=100
  warpath run data/graphs/nyc.npz peer_sssp.scipy.sources=10
  warpath run data/graphs/matrices-1024.npz matrix_path.frontier
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    defaults = Settings()
    parser.add_argument("graph", metavar="GRAPH", help="the graph, a .npz file made by 'warpath convert' or 'generate'")
    parser.add_argument("run", metavar="RUN", help="what to measure on it, such as bellman_ford.stride")
    parser.add_argument(
        "--dataset", metavar="NAME", help="the graph's name in the record (default: the name in its file)"
    )
    parser.add_argument(
        "--device", default="auto", help="auto, cuda, cuda:INDEX or host (default: auto); serial variants use none"
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--source",
        metavar="VERTEX",
        help="where paths start, as the graph calls the vertex (default: the first one)",
    )
    where.add_argument(
        "--source-index", type=int, metavar="N", help="the same, as the place of the vertex in the graph, from 0"
    )
    parser.add_argument(
        "--sources-seed", type=int, default=1, metavar="SEED", help="seed of the random sources (default: %(default)d)"
    )
    for option, default, metavar, meaning in (
        ("--budget-s", defaults.budget_s, "SECONDS", "limit for all samples together; a longer run is estimated"),
        ("--repeats-min", defaults.repeats_min, "N", "take at least this many samples if the budget allows"),
        ("--repeats-max", defaults.repeats_max, "N", "take at most this many samples"),
        ("--spread", defaults.spread, "FRACTION", "stop at this half interquartile range, as a part of the median"),
    ):
        meaning += " (default: %(default)g)"
        parser.add_argument(option, type=type(default), default=default, metavar=metavar, help=meaning)
    parser.add_argument("--output", metavar="FILE", help="file of the record (default: results/runs/DATASET/RUN.json)")


def main(arguments: argparse.Namespace) -> None:
    settings = Settings(arguments.budget_s, arguments.repeats_min, arguments.repeats_max, arguments.spread)
    algorithm, variant, asked = parse_run(arguments.run)
    count = asked.pop(SOURCES, None)
    drawn = None if count is None else RandomSources(count, arguments.sources_seed)
    if drawn and (arguments.source, arguments.source_index) != (None, None):
        option = "--source" if arguments.source_index is None else "--source-index"
        raise UsageError(f"{arguments.run} draws its sources at random; leave out {option}, or {SOURCES}={count}")
    configured = find(algorithm, variant).configured(asked)
    problem = PROBLEMS[configured.variant.problem]
    graph = problem.load(arguments.graph)
    source = arguments.source_index or 0
    if arguments.source is not None and problem.takes_source:
        source = named_vertex(graph, arguments.source)
    dataset = arguments.dataset or graph.metadata.get("dataset") or Path(arguments.graph).stem
    if not isinstance(dataset, str) or not re.fullmatch(r"[^\x00-\x1f\x7f]+", dataset):
        raise UsageError(f"the record cannot name the graph {dataset!r}; name it with --dataset")
    check_named(dataset, graph, arguments.graph)
    output = arguments.output or Path("results/runs", dataset, f"{arguments.run}.json")
    check_writable(output)
    label = f"{dataset} {arguments.run}"
    device = SerialProcessor() if configured.variant.on_cpu else open_device(arguments.device)
    extent = f"from {drawn.count} sources" if drawn else f"for about {settings.budget_s:g} s at most"
    _say(f"{label} on {device.name}: measuring {extent}")
    with _ended_at_once_by_signals():
        record = measure_run(graph, configured, device, source, drawn or settings, dataset)
    write_record(output, record)
    _say(f"{label}: {summary(record)}")


def summary(record: Record) -> str:
    """A record in one line: "5.87 s (3 samples, spread 0.4 %), certified"."""
    if record.seconds is None or record.certificate is None:
        return f"{WITHOUT_TIME[record.status]}: {record.reason}"
    if estimate := record.estimate:
        how = f"estimated from {estimate.iterations_timed:,} of {estimate.iterations_total:,} iterations"
        line = f"~{readable_seconds(record.seconds, 3)} ({how})"
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
    held_down = sorted(reasons & SLOWDOWNS)
    return f"{line}; clocks were held down by {', '.join(held_down)}" if held_down else line


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@contextlib.contextmanager
def _ended_at_once_by_signals() -> Iterator[None]:
    """Let Ctrl-C and a batch system's SIGTERM end the process on the spot.

    Python would wait for a compiled loop or a kernel to return, which may take minutes. Nothing needs to be cleaned up:
    the system releases the lock, and no record has been started.
    """
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
