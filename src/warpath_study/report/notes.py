"""The notes below a table: devices, dates, how it was measured, how its graphs differ from the work's."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from warpath.durations import readable_seconds

from ..record import WITHOUT_TIME
from .cells import FIRM, ROUGH, Data, estimate_mark, present
from .circumstances import circumstances, hash_notes, sample_notes
from .labels import date_range, listed
from .published import PublishedTable
from .runs import lines_of

SIMULATED = (
    "**Host simulation, not GPU times**: without a GPU the kernels ran on the CPU, which says nothing about how fast "
    "they are on a GPU."
)
FEW_SAMPLES = 3
"""A median of fewer is none, and a table says which they are."""
_KINDS = {"cpu": "CPU", "host": "Device, simulated on the CPU", "cuda": "Device"}


def notes(data: Data, found: pd.DataFrame, published: PublishedTable) -> list[str]:
    """The sentences below a table of ``cells``; warnings come first."""
    measured = found[found["status"] != "not_run"]
    return [
        *warnings(measured),
        *device_notes(measured),
        *_how_measured(measured),
        *sample_notes(measured),
        *circumstances(measured),
        *_empty_cells(found),
        *_graphs(found, published, data.own_datasets(data.target.fields.runs)),
        *weight_notes(measured),
        *hash_notes(measured),
    ]


def simulation_notes(found: pd.DataFrame) -> list[str]:
    """The warning that times come from a simulation."""
    return [SIMULATED] if (found["device_kind"] == "host").any() else []


def device_notes(found: pd.DataFrame) -> list[str]:
    """A line for each device: its name, what ran on it, when, and what a launch and the wait for it took there."""
    lines = []
    devices = found.groupby(["device_kind", "device"], sort=True)
    for (kind, name), cells in sorted(devices, key=lambda item: item[0][0] == "cpu"):
        labels = listed(list(dict.fromkeys(cells["label"])))
        lines.append(f"{_KINDS[str(kind)]}: {name} ({labels}), {date_range(list(cells['date']))}{_launches(cells)}.")
    return lines


def _launches(cells: pd.DataFrame) -> str:
    """From the least to the most of the records that have it; "" if none does."""
    found = [seconds for seconds in cells.get("launch_and_wait_s", ()) if present(seconds)]
    ends = list(dict.fromkeys(readable_seconds(end) for end in (min(found), max(found)))) if found else []
    return f"; a launch and the wait for it took {' to '.join(ends)}" if ends else ""


def code_notes(found: pd.DataFrame) -> list[str]:
    """A warning for each variant whose runs have different versions of its code."""
    lines = []
    for (_, label), cells in found.groupby(["algorithm", "label"], sort=False):
        if cells["code"].nunique() > 1:
            lines.append(f"**Warning**: the runs of {label} used different versions of its code.")
    return lines


def warnings(found: pd.DataFrame) -> list[str]:
    """Warnings about simulated times, several GPUs, several drivers, and several versions of the code."""
    lines = simulation_notes(found)
    names = gpu_names(found)
    if len(names) > 1:
        lines.append(f"**Warning**: times come from different devices ({listed(names)}) and cannot be compared.")
    drivers = sorted({*found["driver"].dropna()} - {""}) if "driver" in found else []
    if len(drivers) > 1:
        lines.append(f"**Warning**: times come from different versions of the GPU's driver ({listed(drivers)}).")
    return [*lines, *code_notes(found)]


def gpu_names(found: pd.DataFrame) -> list[str]:
    """The names of the devices that kernels ran on, without the processors of serial variants."""
    return sorted(set(found[found["device_kind"].isin(["cuda", "host"])]["device"]))


def _how_measured(found: pd.DataFrame) -> list[str]:
    drawn = found["sources"].dropna().unique()
    if len(drawn):
        counts = listed([str(int(count)) for count in sorted(drawn)])
        lines = [f"A time is the mean over {counts} random sources"]
    else:
        lines = ["A time is the median of its samples (their number in brackets)"]
    sources = sorted(found["source"].dropna().astype(int).unique())
    one_source = (found["problem"] == "sssp").any()
    lines[0] += ", from the allocation on the device until the answer is copied back"
    lines[0] += "; the graph is already on the device." if one_source else ", including the copies of all matrices."
    if sources:
        places = [f"the vertex of index {source}" if source else "the first vertex" for source in sources]
        lines[0] += f" Source: {listed(places)} of each graph."
    few = found[found["samples"].between(1, FEW_SAMPLES - 1) & found["sources"].isna()]
    if len(few):
        cells = listed([f"{cell['dataset']} {cell['label']} ({int(cell['samples'])})" for cell in lines_of(few)])
        lines.append(f"Fewer than three samples, so that the time is no median: {cells}.")
    estimated = found[found["estimated"] != ""]
    lines += estimate_notes(found)
    partly = (estimated["certified"] == "subgraph").any()
    lines.append(f"Every answer was certified{', an estimated one on a part of the graph' if partly else ''}.")
    asked = {cell["label"]: cell["asked"] for cell in lines_of(found) if "=" in cell["asked"]}
    given = [
        f"{label}: {_parameters(text)}" for label, text in asked.items() if _parameters(text) and " = " not in label
    ]
    return [*lines, *([f"Parameters: {listed(given)}."] if given else [])]


def _parameters(asked: str) -> str:
    return ",".join(part for part in asked.split(",") if not part.startswith("sources="))


def estimate_notes(found: pd.DataFrame) -> list[str]:
    """What estimates were made of, those that settled and those that did not."""
    of_mark: dict[str, dict[str, list[str]]] = {}
    for cell in lines_of(found):
        if mark := estimate_mark(cell):
            of_mark.setdefault(mark, {}).setdefault(cell["label"], []).append(_estimate(cell))
    why = {
        FIRM: "Estimated from a part of the run, which would outlast its time budget",
        ROUGH: "Estimated before the distances were final, and rougher: later iterations may cost more or less",
    }
    notes = [
        f"{mark} {why[mark]}. {'; '.join(f'{label}: {listed(parts)}' for label, parts in of_mark[mark].items())}."
        for mark in why
        if mark in of_mark
    ]
    with_error = any(present(cell.get("standard_error_s")) for cell in lines_of(found))
    return [*notes, *["± The standard error, by the spread between stretches of sources."] * with_error]


def _estimate(cell: Mapping[str, Any]) -> str:
    """What was timed. Early iterations may cost more than late ones, so it matters which they are."""
    what = "sources" if present(cell.get("standard_error_s")) else "iterations"
    extent = f"{int(cell['iterations_timed']):,} of {int(cell['iterations_total']):,} {what}"
    return f"{cell['dataset']} ({readable_seconds(cell['seconds_timed'])}, {extent})"


def _empty_cells(found: pd.DataFrame) -> list[str]:
    """Why cells have no time."""
    empty = lines_of(found[found["status"].isin(list(WITHOUT_TIME))])
    lines = [
        f"{cell['dataset']} {cell['label']}, {WITHOUT_TIME[cell['status']]}: {cell['reason'].rstrip('.')}."
        for cell in empty
    ]
    return [*lines, "– Not run."] if (found["status"] == "not_run").any() else lines


def _graphs(found: pd.DataFrame, published: PublishedTable, own: Mapping[str, str]) -> list[str]:
    """How the graphs differ from the work's."""
    lines = []
    rows = found.drop_duplicates("row")
    replaced = rows[rows["dataset"] != rows["row"].map(lambda row: own.get(row, row))]
    if len(replaced) and published.rows:
        pairs = listed(
            [f"{dataset} for {row}" for dataset, row in zip(replaced["dataset"], replaced["row"], strict=True)]
        )
        lines.append(f"Graphs in place of the work's own: {pairs}.")
    others, fewer = [], {}
    for row in lines_of(found[found["status"] != "not_run"].drop_duplicates("row")):
        original = published.rows.get(row["row"])
        if not original or not present(original.nodes):
            continue
        if row["comparable"]:
            fewer[row["dataset"]] = row["arcs_missing"]
        elif row["dataset"] != row["row"]:
            others.append(row["dataset"])
        else:
            edges = "" if original.edges is None else f" and {original.edges:,} edges"
            size = f"{original.nodes:,} nodes{edges}"
            lines.append(f"{row['row']} differs from the work's graph, which has {size}; no ratio is given.")
    if others:
        lines.append(f"Generated, or not of the size of the work's graph, so that no ratio is given: {listed(others)}.")
    return [*lines, *fewer_arcs_note(fewer)]


def fewer_arcs_note(missing: Mapping[str, int]) -> list[str]:
    """How many arcs each graph lacks."""
    graphs = [f"{count:,} in {graph}" for graph, count in missing.items() if count]
    return [f"Arcs missing, parallel ones of the work's graph: {listed(graphs)}."] if graphs else []


def weight_notes(found: pd.DataFrame) -> list[str]:
    """A line for each way in which weights were drawn, with the graphs that have such weights."""
    drawn = found[found["weights"] != ""].drop_duplicates("dataset")
    return [f"{text}: {listed(list(rows['dataset']))}." for text, rows in drawn.groupby("weights", sort=False)]
