"""Runs in the form of a comparison, from which the figures are drawn."""

from collections.abc import Mapping

from ..comparison import Entry, ratio_to_published
from .published import COLUMNS
from .runs import ALL_PAIRS, CAIDA, CLOSURE, Run

# The variants of each figure, in the order of its legend.
FIGURES = {
    "figure5": (ALL_PAIRS, ("blocked", "register_blocked", "cpu_blocked", "cpu")),
    "figure6": (ALL_PAIRS, ("blocked", "register_blocked", "standard")),
    "figure7": (CLOSURE, ("blocked", "bitset", "naive")),
    "figure8": (ALL_PAIRS, ("blocked", "several_devices", "out_of_core", "cpu_tuned")),
}


def entries_of(
    runs: list[Run], table1: Mapping[int, Mapping[str, str]], algorithm: str, variants: tuple[str, ...]
) -> list[Entry]:
    """The runs of some variants beside the times of Table 1, in their order, row by row."""
    columns = {variant: column for column, variant in COLUMNS.items()}
    entries = []
    for row in dict.fromkeys(run.row for run in runs if run.row != CAIDA):
        for variant in variants:
            for run in runs:
                if (run.row, run.algorithm, run.variant) == (row, algorithm, variant):
                    printed = table1.get(int(row), {}) if algorithm == ALL_PAIRS else {}
                    entries.append(_entry(run, printed.get(columns.get(variant, ""), "")))
    return entries


def _entry(run: Run, published: str) -> Entry:
    return Entry(
        dataset=run.dataset,
        variant=run.variant,
        published_seconds=published,
        seconds=run.seconds,
        ratio=ratio_to_published(published, run.seconds, run.comparable, run.device_kind),
        status=run.status,
        device=run.device,
        record=run.record,
        algorithm=run.algorithm,
        row=run.row,
        nodes=run.nodes,
        edges=run.edges,
        comparable=run.comparable,
        device_kind=run.device_kind,
        date=run.date,
    )
