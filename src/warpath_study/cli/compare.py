"""``warpath compare``: say which runs are faster or slower in one set of records than in another."""

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from warpath.errors import UsageError

from ..measure.compare import MARGIN, NOT_COMPARABLE, Comparison, compare, compare_sets, read_records
from . import print_columns

HELP = """\
Compare the times of runs that were measured twice, such as before and after an edit of a kernel: two folders of
records, searched at any depth, or two record files. For each run in both: the time in A and in B (the median of the
samples, or the mean over random sources), their ratio B/A, the interval in which that ratio lies, and the verdict.

examples:
  warpath compare before results/runs
  warpath compare before results/runs --fail-if-slower
  warpath compare naive.json stride.json
  warpath compare results/reference/nvidia-h200/runs results/runs --format csv

verdict:
  faster, slower   the whole interval lies more than the margin below 1, or above it
  undecided        it does not; or there are too few samples (3 and 3 suffice), an estimate, a run that is out of
                   memory, or simulated times
  not comparable   another graph, source or device

The interval is that of the rank test of Mann and Whitney, which assumes no distribution: each of its ends is wrong in
at most one comparison in twenty. Runs from random sources are compared source by source, with a sign test. With 3
samples on both sides, a verdict needs ranges that do not overlap; more samples ('warpath run --repeats-min 10') see
smaller changes. The notes name what a launch and the wait for it took in A and in B, where both records have it: a run
that is mostly launches and waits is slower on a slower host, whatever the GPU.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", type=Path, metavar="RESULTS_A", help="a folder of records, or a record; the older one")
    parser.add_argument("b", type=Path, metavar="RESULTS_B", help="the same, of the newer measurements")
    parser.add_argument(
        "--margin",
        type=float,
        default=100 * MARGIN,
        metavar="PERCENT",
        help="smaller changes are undecided, since a new process alone may change a time (default: %(default)g)",
    )
    parser.add_argument(
        "--fail-if-slower",
        action="store_true",
        help="end with status 1 if a run is slower, or out of memory only in RESULTS_B",
    )
    parser.add_argument(
        "--format", choices=("text", "csv", "markdown"), default="text", help="of the table (default: %(default)s)"
    )


def main(arguments: argparse.Namespace) -> None:
    if not 0 <= arguments.margin < 100:
        raise UsageError(f"--margin: expected a percentage from 0 to below 100, not {arguments.margin:g}")
    if arguments.a.is_dir() != arguments.b.is_dir() and arguments.a.exists() and arguments.b.exists():
        raise UsageError(f"{arguments.a} and {arguments.b}: name two folders of records, or two records")
    a, b = (read_records(path) for path in (arguments.a, arguments.b))
    margin = arguments.margin / 100
    if arguments.a.is_dir():
        compared = compare_sets(a, b, margin)
    else:  # two records that were named need not be of one run
        compared = [compare(before, after, margin) for before, after in zip(a.values(), b.values(), strict=True)]
    if not compared:
        raise UsageError(f"{arguments.a} and {arguments.b}: have no run in common")
    {"text": _print_text, "csv": _print_csv, "markdown": _print_markdown}[arguments.format](compared)
    alone = [(name, len(of.keys() - other.keys())) for name, of, other in (("A", a, b), ("B", b, a))]
    print(_summary(compared, alone if arguments.a.is_dir() else ()), file=sys.stderr)
    if arguments.fail_if_slower and any(each.verdict == "slower" or each.lost for each in compared):
        raise SystemExit(1)


def _summary(compared: Sequence[Comparison], alone: Sequence[tuple[str, int]]) -> str:
    counts = Counter(each.verdict for each in compared)
    found = [f"{counts[name]} {name}" for name in ("faster", "slower", "undecided", NOT_COMPARABLE) if counts[name]]
    only = [f"{count} only in {name}" for name, count in alone if count]
    runs = "1 run" if len(compared) == 1 else f"{len(compared)} runs"
    return "; ".join([f"{runs} compared: {', '.join(found)}", *only])


_HEADING = ("dataset", "run", "A", "B", "B/A", "interval", "verdict", "notes")
_NUMBERS = ("A", "B", "B/A")


def _print_text(compared: Sequence[Comparison]) -> None:
    print_columns(map(_cells, compared), _HEADING, right=_NUMBERS)


def _print_markdown(compared: Sequence[Comparison]) -> None:
    print(f"| {' | '.join(_HEADING)} |")
    print(f"|{'|'.join('---:' if name in _NUMBERS else '---' for name in _HEADING)}|")
    for each in compared:
        print(f"| {' | '.join(_cells(each))} |")


def _cells(each: Comparison) -> tuple[str, ...]:
    ratio = "-" if each.ratio is None else _number(each.ratio)
    interval = "-" if each.interval is None else " to ".join(map(_number, each.interval))
    times = (_time(each.a.seconds, each.a.status), _time(each.b.seconds, each.b.status))
    return (each.b.dataset, each.b.run, *times, ratio, interval, each.verdict, ", ".join(each.notes))


def _time(seconds: float | None, status: str) -> str:
    return "-" if seconds is None else f"{'~' * (status == 'estimated')}{seconds:.5g} s"


def _number(ratio: float) -> str:
    return f"{ratio:.3f}" if 0.1 <= ratio < 100 else f"{ratio:.4g}"


def _print_csv(compared: Sequence[Comparison]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    times = ("a_s", "a_samples", "a_launch_and_wait_s", "b_s", "b_samples", "b_launch_and_wait_s")
    writer.writerow(["dataset", "run", *times, "ratio", "ratio_low", "ratio_high", "verdict", "notes"])
    for each in compared:
        of_a, of_b = ((of.seconds, len(of.samples), of.launch_and_wait_s) for of in (each.a, each.b))
        interval = each.interval or (None, None)
        notes = ", ".join(each.notes)
        writer.writerow([each.b.dataset, each.b.run, *of_a, *of_b, each.ratio, *interval, each.verdict, notes])
