"""Runs in the form of a comparison, from which the figures are drawn."""

import dataclasses
from collections.abc import Mapping

from ..comparison import Entry, ratio_to_published
from ..labels import spelled
from .published import COLUMNS
from .runs import ALL_PAIRS, CAIDA, CLOSURE, Run

# The variants of each figure, in the order of its legend.
FIGURES = {
    "figure5": (ALL_PAIRS, ("blocked", "register_blocked", "cpu_blocked", "cpu")),
    "figure6": (ALL_PAIRS, ("blocked", "register_blocked", "standard")),
    "figure7": (CLOSURE, ("blocked", "bitset", "naive")),
    "figure8": (ALL_PAIRS, ("blocked", "register_blocked", "several_devices", "out_of_core", "cpu_tuned")),
}


# How a legend has the parameter that a run was asked for with.
_ASKED = {"devices": "{}", "device_memory_limit_mib": "{} MiB"}


def entries_of(
    runs: list[Run], table1: Mapping[int, Mapping[str, str]], algorithm: str, variants: tuple[str, ...]
) -> list[Entry]:
    """The runs of some variants beside the times of Table 1, in their order, row by row."""
    return [_entry(run, table1) for run in _selected(runs, algorithm, variants)]


def figure_entries(figure: str, runs: list[Run], table1: Mapping[int, Mapping[str, str]]) -> list[Entry]:
    """What a figure shows, variants named as its legend has them: "Out of Core (512 MiB)"."""
    return [dataclasses.replace(_entry(run, table1), variant=_label(run)) for run in _selected(runs, *FIGURES[figure])]


def _label(run: Run) -> str:
    name, _, value = run.asked.partition("=")
    return f"{spelled(run.variant)} ({_ASKED[name].format(value)})" if name in _ASKED else run.variant


def _selected(runs: list[Run], algorithm: str, variants: tuple[str, ...]) -> list[Run]:
    return [
        run
        for row in dict.fromkeys(run.row for run in runs if run.row != CAIDA)
        for variant in variants
        for run in runs
        if (run.row, run.algorithm, run.variant) == (row, algorithm, variant)
    ]


def _entry(run: Run, table1: Mapping[int, Mapping[str, str]]) -> Entry:
    column = next((column for column, variant in COLUMNS.items() if variant == run.variant), "")
    published = table1.get(int(run.row), {}).get(column, "") if run.algorithm == ALL_PAIRS else ""
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
