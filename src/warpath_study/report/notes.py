"""The notes below a table: devices, when and how it was measured, how its graphs differ from the work's.

Each function takes cells that were measured, with their labels, and returns sentences, if there is anything to tell.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta

from warpath.durations import readable_seconds

from ..data_files import root_with
from ..datasets.catalog import Dataset, load_catalog
from ..record import WITHOUT_TIME
from .cells import Data
from .labels import date_range, each, listed
from .published import PublishedTable
from .runs import FIRM, ROUGH, Cell, grouped

SIMULATED = (
    "**Host simulation, not GPU times**: without a GPU the kernels ran on the CPU, which says nothing about how fast "
    "they are on a GPU."
)
FEW_SAMPLES = 3
"""A median of fewer is none, and a table says which they are."""
WIDE_SPREAD = 0.2
"""Of the median: a table tells of samples that lie farther apart, from the least to the most."""
_KINDS = {"cuda": "Device", "host": "Device, simulated on the CPU", "cpu": "CPU"}
_SITTING_ENDS_AFTER = timedelta(hours=1)
_LOCKS = {"cupy-cuda13x": "cuda13", "cupy-cuda12x": "cuda12"}


def notes(data: Data, found: Sequence[Cell], published: PublishedTable) -> list[str]:
    """The sentences below a table of ``cells``; warnings come first."""
    measured = [cell for cell in found if cell.status != "not_run"]
    return [
        *warnings(measured),
        *device_notes(measured),
        *_how_measured(measured),
        *sample_notes(measured),
        *circumstances(measured),
        *[
            f"{cell.dataset} {cell.label}, {WITHOUT_TIME[cell.status]}: {cell.reason.rstrip('.')}."
            for cell in measured
            if cell.status in WITHOUT_TIME
        ],
        *["– Not run."] * (len(measured) < len(found)),
        *_graphs(found, published, data.own_datasets(data.target.fields.runs)),
        *weight_notes(measured),
        *hash_notes(measured),
    ]


def is_simulated(found: Iterable[Cell]) -> bool:
    return any(cell.device_kind == "host" for cell in found)


def simulation_notes(found: Iterable[Cell]) -> list[str]:
    """The warning that times come from a simulation."""
    return [SIMULATED] if is_simulated(found) else []


def device_notes(found: Sequence[Cell]) -> list[str]:
    """A line for each device: its name, what ran on it, when, and what a launch and the wait for it took there."""
    lines = []
    devices = grouped(found, "device_kind", "device").items()
    for (kind, name), cells in sorted(devices, key=lambda item: (item[0][0] == "cpu", item[0])):
        labels, dates = listed(each(cell.label for cell in cells)), date_range(cell.date for cell in cells)
        launches = [cell.more["launch_and_wait_s"] for cell in cells if "launch_and_wait_s" in cell.more]
        ends = each(readable_seconds(pick(launches)) for pick in (min, max) if launches)
        took = f"; a launch and the wait for it took {' to '.join(ends)}" if ends else ""
        lines.append(f"{_KINDS[kind]}: {name} ({labels}), {dates}{took}.")
    return lines


def code_notes(found: Iterable[Cell]) -> list[str]:
    """A warning for each variant whose runs have different versions of its code."""
    return [
        f"**Warning**: the runs of {label} used different versions of its code."
        for (_, label), cells in grouped(found, "algorithm", "label").items()
        if len({cell.code for cell in cells}) > 1
    ]


def warnings(found: Sequence[Cell]) -> list[str]:
    """Warnings about simulated times, several GPUs, several drivers, and several versions of the code."""
    lines = simulation_notes(found)
    if len(names := gpu_names(found)) > 1:
        lines.append(f"**Warning**: times come from different devices ({listed(names)}) and cannot be compared.")
    if len(drivers := sorted({cell.driver for cell in found} - {""})) > 1:
        lines.append(f"**Warning**: times come from different versions of the GPU's driver ({listed(drivers)}).")
    return [*lines, *code_notes(found)]


def gpu_names(found: Iterable[Cell]) -> list[str]:
    """The names of the devices that kernels ran on, without the processors of serial variants."""
    return sorted({cell.device for cell in found if cell.device_kind in ("cuda", "host")})


def measured_on(found: Iterable[Cell]) -> str:
    """Where and when, in one sentence."""
    found = list(found)
    return f"Measured on {listed(sorted({cell.device for cell in found}))}, {date_range(cell.date for cell in found)}."


def _how_measured(found: Sequence[Cell]) -> list[str]:
    counts = sorted({cell.sources for cell in found if cell.sources is not None})
    how = (
        f"the mean over {listed(counts)} random sources"
        if counts
        else "the median of its samples (their number in brackets)"
    )
    one_source = any(cell.problem == "sssp" for cell in found)
    graph = "; the graph is already on the device." if one_source else ", including the copies of all matrices."
    first = f"A time is {how}, from the allocation on the device until the answer is copied back{graph}"
    if sources := sorted({cell.source for cell in found if cell.source is not None}):
        places = [f"the vertex of index {source}" if source else "the first vertex" for source in sources]
        first += f" Source: {listed(places)} of each graph."
    lines = [first]
    few = [cell for cell in found if 1 <= (cell.samples or 0) < FEW_SAMPLES and cell.sources is None]
    if few:
        cells = listed(f"{cell.dataset} {cell.label} ({cell.samples})" for cell in few)
        lines.append(f"Fewer than three samples, so that the time is no median: {cells}.")
    lines += estimate_notes(found)
    partly = any(cell.estimated and cell.certified == "subgraph" for cell in found)
    lines.append(f"Every answer was certified{', an estimated one on a part of the graph' if partly else ''}.")
    asked = {cell.label: cell.asked.split(",") for cell in found}
    without = {
        label: ",".join(one for one in of if one and not one.startswith("sources=")) for label, of in asked.items()
    }
    given = [f"{label}: {text}" for label, text in without.items() if text and " = " not in label]
    return [*lines, *([f"Parameters: {listed(given)}."] if given else [])]


def estimate_notes(found: Sequence[Cell]) -> list[str]:
    """What estimates were made of, those that settled and those that did not."""
    why = {
        FIRM: "Estimated from a part of the run, which would outlast its time budget",
        ROUGH: "Estimated before the distances were final, and rougher: later iterations may cost more or less",
    }
    lines = []
    for mark, words in why.items():
        of_mark = grouped((cell for cell in found if cell.estimated == mark), "label")
        parts = [f"{label}: {listed(map(_estimate, cells))}" for label, cells in of_mark.items()]
        lines += [f"{mark} {words}. {'; '.join(parts)}."] if parts else []
    with_error = any(cell.standard_error_s is not None for cell in found)
    return [*lines, *["± The standard error, by the spread between stretches of sources."] * with_error]


def _estimate(cell: Cell) -> str:
    """What was timed. Early iterations may cost more than late ones, so it matters which they are."""
    what = "iterations" if cell.standard_error_s is None else "sources"
    extent = f"{cell.iterations_timed:,} of {cell.iterations_total:,} {what}"
    return f"{cell.dataset} ({readable_seconds(cell.seconds_timed or 0.0)}, {extent})"


def _graphs(found: Sequence[Cell], published: PublishedTable, own: Mapping[str, str]) -> list[str]:
    """How the graphs differ from the work's."""
    pairs = [(cells[0].row, cells[0].dataset) for cells in grouped(found, "row").values()]
    lines = place_notes((row, dataset) for row, dataset in pairs if published.rows and own.get(row, row) != dataset)
    others, fewer = [], {}
    for row, cells in grouped((cell for cell in found if cell.status != "not_run"), "row").items():
        original, cell = published.rows.get(row), cells[0]
        if not original or original.nodes is None:
            continue
        if cell.comparable:
            fewer[cell.dataset] = cell.arcs_missing
        elif cell.dataset != row:
            others.append(cell.dataset)
        else:
            edges = "" if original.edges is None else f" and {original.edges:,} edges"
            size = f"{original.nodes:,} nodes{edges}"
            lines.append(f"{row} differs from the work's graph, which has {size}; no ratio is given.")
    if others:
        lines.append(f"Generated, or not of the size of the work's graph, so that no ratio is given: {listed(others)}.")
    return [*lines, *fewer_arcs_note(fewer)]


def place_notes(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """Which rows, each with its dataset, have another graph than the work's."""
    graphs = [f"{dataset} for {row}" for row, dataset in pairs]
    return [f"Graphs in place of the work's own: {listed(graphs)}."] if graphs else []


def fewer_arcs_note(missing: Mapping[str, int]) -> list[str]:
    """How many arcs each graph lacks."""
    graphs = [f"{count:,} in {graph}" for graph, count in missing.items() if count]
    return [f"Arcs missing, parallel ones of the work's graph: {listed(graphs)}."] if graphs else []


def weight_notes(found: Iterable[Cell]) -> list[str]:
    """A line for each way in which weights were drawn, with the graphs that have such weights."""
    drawn = grouped((cell for cell in found if cell.weights), "weights")
    return [f"{weights}: {listed(each(cell.dataset for cell in cells))}." for weights, cells in drawn.items()]


def hash_notes(found: Iterable[Cell]) -> list[str]:
    """Which graphs come from a file whose hash the catalog does not have."""
    catalog = load_catalog() if root_with("data/catalog.yaml") else {}
    names = each(cell.dataset for cell in found)
    trusted = [name for name in names if name in catalog and _unpinned(catalog[name], catalog)]
    return [f"No hash is known for the files of {listed(trusted)}: the first download was trusted."] if trusted else []


def _unpinned(dataset: Dataset, catalog: Mapping[str, Dataset]) -> bool:
    return dataset.trusts_first_download or (dataset.derived and _unpinned(catalog[dataset.origin or ""], catalog))


def circumstances(found: Sequence[Cell]) -> list[str]:
    """What was unlike elsewhere: other machines, other runs at the same time, other versions."""
    return [*_sittings(found), *_beside(found), *_versions(found)]


def sample_notes(found: Iterable[Cell]) -> list[str]:
    """Samples that lie far apart; those from random sources differ because the sources do."""
    found = list(found)
    far, wide = grouped((cell for cell in found if cell.stragglers), "label"), grouped(filter(_is_wide, found), "label")
    which = [f"{label} on {_graphs_of(cells, _how_far)}" for label, cells in far.items()]
    lines = [f"Samples of more than ten times the median: {'; '.join(which)}."] if which else []
    which = []
    for label, cells in wide.items():
        spreads = [_spread(cell) for cell in cells]
        ends = each(f"{100 * pick(spreads):.0f}" for pick in (min, max))
        which.append(f"{label} on {_graphs_of(cells)} ({' to '.join(ends)} %)")
    return [*lines, *([f"Samples that lie more than 20 % of their median apart: {'; '.join(which)}."] if which else [])]


def _how_far(cell: Cell) -> str:
    return f" ({cell.stragglers} of {cell.samples}, up to {readable_seconds(cell.max_s or 0.0)})"


def _is_wide(cell: Cell) -> bool:
    return cell.sources is None and _spread(cell) > WIDE_SPREAD


def _spread(cell: Cell) -> float:
    return ((cell.max_s or 0.0) - (cell.min_s or 0.0)) / (cell.seconds or 1.0)


def _sittings(cells: Sequence[Cell]) -> list[str]:
    """Which runs come from another machine than the most; of records that name none, from another sitting."""
    parts: dict[str, list[Cell]] = {}
    until, sitting = None, 0
    for cell in sorted((cell for cell in cells if cell.started), key=_began):
        if until is not None and _began(cell) - until > _SITTING_ENDS_AFTER:
            sitting += 1
        until = max(filter(None, (until, datetime.fromisoformat(cell.finished))))
        parts.setdefault(cell.machine or f"sitting {sitting}", []).append(cell)
    if len(parts) < 2:
        return []
    most = max(parts.values(), key=len)
    which = [
        f"From {_began(part[0]).astimezone(UTC):%Y-%m-%d %H:%M} UTC: "
        f"{'the others' if part is most else _places(part, cells)}."
        for part in sorted(parts.values(), key=lambda part: part is most)
    ]
    known = all(cell.machine for cell in cells)
    how = "on different machines" if known else "in several sittings, which may have been on different machines"
    return [" ".join([f"Measured {how}.", *which])]


def _began(cell: Cell) -> datetime:
    return datetime.fromisoformat(cell.started)


def _beside(cells: Sequence[Cell]) -> list[str]:
    disturbed = [cell for cell in cells if cell.beside]
    which = "all columns" if len(disturbed) == len(cells) else _places(disturbed, cells)
    where = "the same machine" if all(cell.machine for cell in cells) else "the same machine or one like it"
    return [f"Measured while another run was going on, on {where}: {which}."] if disturbed else []


def _places(some: Sequence[Cell], cells: Sequence[Cell]) -> str:
    """``some`` of the cells by label, with their graphs, or with the others if those are fewer."""
    every, found = grouped(cells, "label"), []
    for label, chosen in grouped(some, "label").items():
        others = [cell for cell in every[label] if not any(cell is one for one in chosen)]
        few = len(others) < len(chosen)
        where = f" but for {_graphs_of(others)}" if few else f" on {_graphs_of(chosen)}"
        found.append(label + where * bool(others))
    return "; ".join(found)


def _graphs_of(cells: Sequence[Cell], told: Callable[[Cell], str] = lambda cell: "") -> str:
    return listed(each(cell.dataset + told(cell) for cell in cells))


def _versions(cells: Iterable[Cell]) -> list[str]:
    """Versions that are not those of the lock that belongs to the device, where the checkout has one."""
    lines: dict[str, None] = {}
    for text in each(cell.versions for cell in cells if cell.versions):
        versions = dict(pair.partition("=")[::2] for pair in text.split(","))
        name = next((_LOCKS[package] for package in versions if package in _LOCKS), "cpu")
        file = f"envs/requirements-{name}.txt"
        root = root_with(file)
        lock = (root / file).read_text(encoding="utf-8") if root else ""
        locked = dict(re.findall(r"^([\w.-]+)==([^\s;]+)", lock, re.MULTILINE))
        others = [
            f"{package} {version} ({locked[package]})"
            for package, version in versions.items()
            if locked.get(package, version) != version
        ]
        if others:
            python = f"; Python {versions['python']}" if "python" in versions else ""
            lines[f"Other versions than those of {file}, in brackets: {listed(others)}{python}."] = None
    return list(lines)
