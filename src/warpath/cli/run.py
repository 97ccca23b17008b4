"""``warpath run``: measure one variant on one graph and keep the record."""

import argparse
import contextlib
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..algorithms.parameters import parse
from ..algorithms.registry import find
from ..atomic import check_place
from ..device import open_device
from ..graphs import csr
from ..measure.environment import SLOWDOWNS
from ..measure.random_sources import RandomSources
from ..measure.record import write_record
from ..measure.run import in_seconds, measure_cell, measure_sources
from ..measure.sampling import Settings, relative_spread
from ..measure.serial import SerialProcessor

HELP = """
Measure one variant on one graph, certify the answer, and keep the record as JSON. What is timed, and how, is told in
docs/measuring.md.

Exit status 0 also where memory does not suffice: that is a result, and the record says so. A wrong answer or a failing
kernel exits with 1 and leaves no record.

examples:
  warpath run --graph data/graphs/nyc.npz --algorithm bellman_ford --variant stride --output nyc.json
  warpath run --graph data/graphs/gnutella04.npz --algorithm floyd_warshall --variant tiled --budget-s 300 \\
              --repeats-max 5 --output results/runs/gnutella04/floyd_warshall.tiled.json
  warpath run --graph data/graphs/nyc.npz --algorithm label_correcting --variant locality --parameters k=3 \\
              --random-sources 100 --output nyc.json
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``warpath run``."""
    defaults = Settings()
    parser.add_argument("--graph", required=True, metavar="FILE", help="the graph, a .npz file of 'warpath convert'")
    parser.add_argument(
        "--dataset", metavar="NAME", help="its name in the record (default: the one the graph file holds)"
    )
    parser.add_argument("--algorithm", required=True, help="bellman_ford, dijkstra, floyd_warshall, ...")
    parser.add_argument("--variant", required=True, help="an implementation of it: cpu, naive, tiled, ...")
    parser.add_argument(
        "--parameters",
        default={},
        type=parse,
        metavar="NAME=VALUE,...",
        help="of the variant, whole numbers (default: its own; docs/fidelity.md names them)",
    )
    parser.add_argument(
        "--device", default="auto", help="auto, cuda, cuda:INDEX or host (default: auto); serial variants use none"
    )
    sources = parser.add_mutually_exclusive_group()
    sources.add_argument(
        "--source", type=int, default=0, metavar="VERTEX", help="where paths start (default: 0); not for all pairs"
    )
    sources.add_argument(
        "--random-sources",
        type=int,
        metavar="COUNT",
        help="solve once from each of so many vertices and keep the mean; budget, repeats and spread do not count",
    )
    parser.add_argument(
        "--sources-seed", type=int, default=1, metavar="SEED", help="picks the random sources (default: %(default)d)"
    )
    parser.add_argument(
        "--budget-s",
        type=float,
        default=defaults.budget_s,
        metavar="SECONDS",
        help="for all timed samples together; a run that would take longer is estimated (default: %(default)g)",
    )
    parser.add_argument(
        "--repeats-min", type=int, default=defaults.repeats_min, metavar="N", help="samples at least, as far as the "
        "budget reaches (default: %(default)d)"
    )  # fmt: skip
    parser.add_argument(
        "--repeats-max",
        type=int,
        default=defaults.repeats_max,
        metavar="N",
        help="samples at most (default: %(default)d)",
    )
    parser.add_argument(
        "--spread",
        type=float,
        default=defaults.spread,
        metavar="FRACTION",
        help="stop once half the interquartile range is this part of the median (default: %(default)g)",
    )
    parser.add_argument("--output", required=True, metavar="FILE", help="where the record goes, a .json file")


def main(arguments: argparse.Namespace) -> None:
    """Run the command; progress goes to stderr."""
    settings = Settings(arguments.budget_s, arguments.repeats_min, arguments.repeats_max, arguments.spread)
    check_place(arguments.output)
    drawn = None
    if arguments.random_sources is not None:
        drawn = RandomSources(arguments.random_sources, arguments.sources_seed)
    variant = find(arguments.algorithm, arguments.variant).with_settings(arguments.parameters)
    graph = csr.load(arguments.graph)
    dataset = arguments.dataset or graph.about.get("dataset") or Path(arguments.graph).stem
    device = SerialProcessor() if variant.on_cpu else open_device(arguments.device)
    label = f"{dataset} {variant.algorithm} {variant.name}"
    extent = f"from {drawn.count} sources" if drawn else f"for about {settings.budget_s:g} s at most"
    _say(f"{label} on {device.name}: measuring {extent}")
    with _ended_at_once_by_signals():
        if drawn:
            record = measure_sources(graph, variant, device, drawn, dataset)
        else:
            record = measure_cell(graph, variant, device, arguments.source, settings, dataset)
    write_record(arguments.output, record)
    _say(f"{label}: {summary(record)}")


def summary(record: dict[str, Any]) -> str:
    """A record in one line: "5.87 s (3 samples, spread 0.4 %), certified"."""
    if record["status"] == "out_of_memory":
        return f"out of memory: {record['reason']}"
    if record["status"] == "estimated":
        estimate = record["estimate"]
        how = f"estimated from {estimate['iterations_timed']:,} of {estimate['iterations_total']:,} iterations"
        line = f"~{in_seconds(record['seconds'])} ({how})"
    elif "random_sources" in record["measure"]:
        line = f"{in_seconds(record['seconds'])} (mean over {len(record['samples'])} sources)"
    else:
        totals = [sample["total_s"] for sample in record["samples"]]
        samples = "1 sample" if len(totals) == 1 else f"{len(totals)} samples, spread {relative_spread(totals):.1%}"
        line = f"{in_seconds(record['seconds'])} ({samples.replace('%', ' %')})"
    certificate = record["certificate"]
    whole = certificate["scope"] == "full"
    line += ", certified" if whole else f", certified on {certificate['vertices']:,} vertices"
    gpu = record["environment"]["gpu"] or {}
    reasons = {reason for state in gpu.values() if state for reason in state["throttle_reasons"] or ()}
    held_down = sorted(reasons & SLOWDOWNS)
    return f"{line}; clocks were held down by {', '.join(held_down)}" if held_down else line


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@contextlib.contextmanager
def _ended_at_once_by_signals() -> Iterator[None]:
    """Let Ctrl-C and a batch system's SIGTERM end the process on the spot.

    Python would wait for a compiled loop or a kernel to return, which may take minutes. There is nothing to tidy up:
    the system lets go of the lock, and the record is not begun.
    """
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
