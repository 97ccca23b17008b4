"""``warpath compare``: compare the times of two sets of records."""

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from warpath.errors import UsageError

from ..measure.compare import MARGIN, NOT_COMPARABLE, Comparison, compare, compare_sets, read_records
from . import print_columns

HELP = """\
Compare the times of runs that were measured twice, such as before and after an edit of a kernel: in two folders of
records, at any depth, or in two records. For each run in both, the output has the times in A and B (the median of the
samples, or the mean over random sources), the ratio B/A, a confidence interval of it, and a verdict. Of runs from
random sources, B/A is the median of the sources' ratios.

examples:
  warpath compare before results/runs
  warpath compare before results/runs --fail-if-slower
  warpath compare naive.json stride.json
  warpath compare results/reference/nvidia-h200/runs results/runs --format csv

verdict:
  faster, slower   the whole interval is below 1 or above 1 by more than the margin
  undecided        neither; or too few samples (3 on each side suffice), an estimate, a run without a time, or
                   simulated times
  not comparable   the graphs, sources or devices differ

The interval is the Hodges-Lehmann interval, which assumes no distribution. Each of its two ends is wrong with a
probability of at most 5 %. Runs from random sources are compared source by source, with a sign test. With 3 samples on
each side, a verdict needs ranges that do not overlap. More samples ('warpath run --repeats-min 10') detect smaller
changes. If both records have the time of a launch and a wait, the notes give it: a run with many launches and waits is
slower on a slower host, whatever the GPU.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("a", type=Path, metavar="RESULTS_A", help="the older records: a folder, or one record")
    parser.add_argument("b", type=Path, metavar="RESULTS_B", help="the newer records")
    margin = "smaller changes are undecided, because a new process alone may change a time (default: %(default)g)"
    parser.add_argument("--margin", type=float, default=100 * MARGIN, metavar="PERCENT", help=margin)
    failing = "exit with status 1 if a run is slower, or has no time only in RESULTS_B"
    parser.add_argument("--fail-if-slower", action="store_true", help=failing)
    formats = ("text", "csv")
    parser.add_argument("--format", choices=formats, default="text", help="format of the table (default: %(default)s)")


def main(arguments: argparse.Namespace) -> None:
    if not 0 <= arguments.margin < 100:
        raise UsageError(f"--margin: expected a percentage from 0 to below 100, not {arguments.margin:g}")
    if arguments.a.is_dir() != arguments.b.is_dir() and arguments.a.exists() and arguments.b.exists():
        raise UsageError(f"{arguments.a} and {arguments.b}: name two folders or two records")
    a, b = (read_records(path) for path in (arguments.a, arguments.b))
    margin = arguments.margin / 100
    if arguments.a.is_dir():
        compared = compare_sets(a, b, margin)
    else:  # two named records may be of different runs
        compared = [compare(before, after, margin) for before, after in zip(a.values(), b.values(), strict=True)]
    if not compared:
        raise UsageError(f"{arguments.a} and {arguments.b}: no run in common")
    if arguments.format == "csv":
        _print_csv(compared)
    else:
        print_columns(map(_cells, compared), _HEADING, right=("A", "B", "B/A"))
    only = {"A": len(a.keys() - b.keys()), "B": len(b.keys() - a.keys())} if arguments.a.is_dir() else {}
    print(_summary(compared, only), file=sys.stderr)
    if arguments.fail_if_slower and any(comparison.verdict == "slower" or comparison.lost for comparison in compared):
        raise SystemExit(1)


def _summary(compared: Sequence[Comparison], only: Mapping[str, int]) -> str:
    counts = Counter(comparison.verdict for comparison in compared)
    verdicts = [f"{counts[name]} {name}" for name in ("faster", "slower", "undecided", NOT_COMPARABLE) if counts[name]]
    runs = "1 run" if len(compared) == 1 else f"{len(compared)} runs"
    rest = [f"{count} only in {name}" for name, count in only.items() if count]
    return "; ".join([f"{runs} compared: {', '.join(verdicts)}", *rest])


_HEADING = ("dataset", "run", "A", "B", "B/A", "interval", "verdict", "notes")


def _cells(comparison: Comparison) -> tuple[str, ...]:
    a, b = comparison.a, comparison.b
    ratio = "-" if comparison.ratio is None else _number(comparison.ratio)
    interval = "-" if comparison.interval is None else " to ".join(map(_number, comparison.interval))
    times = (_time(a.seconds, a.status), _time(b.seconds, b.status))
    return (b.dataset, b.run, *times, ratio, interval, comparison.verdict, ", ".join(comparison.notes))


def _time(seconds: float | None, status: str) -> str:
    return "-" if seconds is None else f"{'~' * (status == 'estimated')}{seconds:.5g} s"


def _number(ratio: float) -> str:
    return f"{ratio:.3f}" if 0.1 <= ratio < 100 else f"{ratio:.4g}"


def _print_csv(compared: Sequence[Comparison]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    times = ("a_s", "a_samples", "a_launch_and_wait_s", "b_s", "b_samples", "b_launch_and_wait_s")
    writer.writerow(["dataset", "run", *times, "ratio", "ratio_low", "ratio_high", "verdict", "notes"])
    for one in compared:
        a, b = ((record.seconds, len(record.samples), record.launch_and_wait_s) for record in (one.a, one.b))
        interval, notes = one.interval or (None, None), ", ".join(one.notes)
        writer.writerow([one.b.dataset, one.b.run, *a, *b, one.ratio, *interval, one.verdict, notes])
