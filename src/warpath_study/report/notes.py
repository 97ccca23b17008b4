"""The notes below a table: marks, graphs, and why times differ; and details: devices, dates, and how it was measured.

Each function takes measured cells and returns a list of sentences, which is empty if there is nothing to report.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from operator import attrgetter

from warpath.system.durations import readable_seconds

from ..data_files import root_with
from ..datasets.catalog import Dataset, load_catalog
from ..record import WITHOUT_TIME
from .cells import Cell, Data
from .labels import date_range, prose_list, unique, with_parameters
from .launches import launch_notes
from .published import PublishedTable
from .runs import ESTIMATE, ROUGH_ESTIMATE, Run, group_by

SIMULATED = (
    "**Simulation, not GPU times**: without a GPU the kernels ran on the CPU, which says nothing about how fast "
    "they are on a GPU."
)
OTHER_GRAPH = "†"
"""Mark of a ratio of a published time to one on another graph of the same size."""
MEDIAN_SAMPLES_MIN = 3
LOAD_MAX = 0.1
"""A note names runs during which other processes kept more than this part of the host's cores busy."""
SPREAD_MAX = 0.2
"""A note names runs whose samples spread over more than this fraction of their median."""
_DEVICE_TITLES = {"cuda": "Device", "simulated": "Device, simulated on the CPU", "cpu": "CPU"}
_SESSION_GAP = timedelta(hours=1)
_LOCKS = {"cupy-cuda13x": "cuda13", "cupy-cuda12x": "cuda12"}


def notes(data: Data, cells: Sequence[Cell], published: PublishedTable) -> list[str]:
    """What a reader of a table of ``cells`` must know to read it; warnings come first."""
    measured = [cell for cell in cells if cell.status != "not_run"]
    return [
        *warnings(measured),
        *_mark_notes(cells),
        *_graph_notes(cells, published),
        *launch_notes(data.work, measured, data.runs),
        *few_samples_notes(measured),
        *untimed_notes(measured),
    ]


def details(cells: Sequence[Run]) -> list[str]:
    """How the times of ``cells`` were measured."""
    measured = [cell for cell in cells if cell.status != "not_run"]
    return [
        *device_notes(measured),
        *_method_notes(measured),
        *estimate_notes(measured),
        *sample_notes(measured),
        *condition_notes(measured),
        *weight_notes(measured),
        *hash_notes(measured),
    ]


def untimed_notes(cells: Iterable[Run]) -> list[str]:
    """Why runs have no time; what is not available is so on every graph."""
    return unique(
        f"{'' if cell.status == 'missing' else cell.dataset + ' '}{cell.label}, {WITHOUT_TIME[cell.status]}: "
        f"{cell.reason.rstrip('.')}."
        for cell in cells
        if cell.status in WITHOUT_TIME
    )


def _mark_notes(cells: Sequence[Cell]) -> list[str]:
    """The meaning of brackets and marks in the cells of a table."""
    marks = {
        "In brackets: the published time, and published over measured (above 1x: faster here)": any(
            cell.published_seconds for cell in cells
        ),
        f"{ESTIMATE} estimated from a part of the run": any(cell.estimated == ESTIMATE for cell in cells),
        f"{ROUGH_ESTIMATE} roughly estimated, before the distances were final": any(
            cell.estimated == ROUGH_ESTIMATE for cell in cells
        ),
        "± standard error": any(cell.standard_error_s is not None for cell in cells),
        "– not run": any(cell.status == "not_run" and not cell.published_seconds for cell in cells),
    }
    used = [mark for mark, is_used in marks.items() if is_used]
    return [f"{'; '.join(used)}."] if used else []


def list_note(text: str, items: Iterable[object]) -> list[str]:
    """``text`` and a list of items as one sentence, if there are items."""
    items = list(items)
    return [f"{text}: {prose_list(items)}."] if items else []


def is_simulated(cells: Iterable[Run]) -> bool:
    return any(cell.device_kind == "simulated" for cell in cells)


def simulation_notes(cells: Iterable[Run]) -> list[str]:
    """The warning that times come from a simulation."""
    return [SIMULATED] if is_simulated(cells) else []


def device_notes(cells: Sequence[Run]) -> list[str]:
    """A line for each device: name, its runs if there are other devices, dates, commits, and the time of a launch."""
    lines = []
    devices = group_by(cells, "device_kind", "device").items()
    for (kind, name), runs in sorted(devices, key=lambda item: (item[0][0] == "cpu", item[0])):
        labels = f" ({prose_list(unique(cell.label for cell in runs))})" if len(devices) > 1 else ""
        launches = [cell.more["launch_and_wait_s"] for cell in runs if "launch_and_wait_s" in cell.more]
        ends = unique(readable_seconds(pick(launches)) for pick in (min, max) if launches)
        launch = f"; a launch and the wait for it took {' to '.join(ends)}" if ends else ""
        lines.append(f"{_DEVICE_TITLES[kind]}: {name}{labels}, {_when(runs)}{launch}.")
    return lines


def code_notes(cells: Iterable[Run]) -> list[str]:
    """A warning for each variant whose runs have different versions of its code.

    For calls of warpath, runs in which the same solvers answered are compared.
    """
    versions: dict[tuple[str, str], dict[str, set[str]]] = {}
    for cell in cells:
        of_solvers = versions.setdefault((cell.algorithm, cell.label), {})
        of_solvers.setdefault(cell.more.get("solvers", ""), set()).add(cell.code)
    return [
        f"**Warning**: the runs of {label} used different versions of its code."
        for (_, label), of_solvers in versions.items()
        if max(map(len, of_solvers.values())) > 1
    ]


def warnings(cells: Sequence[Run]) -> list[str]:
    """Warnings about simulated times, several GPUs, several drivers, and several versions of the code."""
    lines = simulation_notes(cells)
    if len(names := gpu_names(cells)) > 1:
        lines.append(f"**Warning**: times come from different devices ({prose_list(names)}) and cannot be compared.")
    if len(drivers := sorted({cell.driver for cell in cells} - {""})) > 1:
        lines.append(f"**Warning**: times come from different versions of the GPU driver ({prose_list(drivers)}).")
    return [*lines, *code_notes(cells)]


def gpu_names(cells: Iterable[Run]) -> list[str]:
    """The devices that ran kernels, without the CPUs of serial variants."""
    return sorted({cell.device for cell in cells if cell.device_kind in ("cuda", "simulated")})


def measured_on(cells: Iterable[Run]) -> str:
    """Devices, dates and commits in one sentence."""
    cells = list(cells)
    return f"Measured on {prose_list(sorted({cell.device for cell in cells}))}, {_when(cells)}."


def _when(cells: Sequence[Run]) -> str:
    """Dates and commits."""
    commits = sorted({cell.commit for cell in cells} - {""})
    text = f", commit{'s' * (len(commits) > 1)} {prose_list(commits)}" if commits else ""
    return date_range(cell.date for cell in cells) + text


def _method_notes(cells: Sequence[Run]) -> list[str]:
    counts = sorted({cell.sources for cell in cells if cell.sources is not None})
    statistic = f"the mean over {prose_list(counts)} random sources" if counts else "the median of its samples"
    one_source = any(cell.problem == "sssp" for cell in cells)
    graph = "The graph is already on the device." if one_source else "It includes the copies of all matrices."
    text = f"A time is {statistic}. "
    text += f"It runs from the allocation on the device until the answer is copied back. {graph}"
    if sources := sorted({cell.source for cell in cells if cell.source is not None}):
        vertices = [f"the vertex of index {source}" if source else "the first vertex" for source in sources]
        text += f" Source: {prose_list(vertices)} of each graph."
    most = max(counts, default=0)
    partly = any(cell.estimated and cell.certified == "subgraph" for cell in cells)
    parameters = {
        cell.label: ",".join(part for part in cell.asked.split(",") if part and not part.startswith("sources="))
        for cell in cells
        if " = " not in cell.label
    }
    return [
        text,
        *list_note(
            "Fewer random sources, so that ratios compare means over other sources",
            (f"{cell.dataset} {cell.label} ({cell.sources})" for cell in cells if (cell.sources or most) < most),
        ),
        f"Every answer was certified{'; for some estimates, on a part of the graph' if partly else ''}.",
        *list_note("Parameters", (f"{label}: {text}" for label, text in parameters.items() if text)),
    ]


def estimate_notes(cells: Sequence[Run]) -> list[str]:
    """Which part of each estimated run was timed."""
    titles = {
        ESTIMATE: "Estimated from a part of the run, because the whole run exceeds its time budget",
        ROUGH_ESTIMATE: "Rough estimate, made before the distances were final: later iterations may cost more or less",
    }
    lines = []
    for mark, title in titles.items():
        runs = group_by((cell for cell in cells if cell.estimated == mark), "label")
        parts = [f"{label}: {prose_list(map(_timed_part, of_label))}" for label, of_label in runs.items()]
        lines += [f"{mark} {title}. {'; '.join(parts)}."] if parts else []
    with_error = any(cell.standard_error_s is not None for cell in cells)
    return [*lines, *["± Standard error, from the spread between stretches of iterations or sources."] * with_error]


def _timed_part(cell: Run) -> str:
    unit = "sources" if cell.by_source else "iterations"
    extent = f"{cell.iterations_timed:,} of {cell.iterations_total:,} {unit}"
    return f"{cell.dataset} ({readable_seconds(cell.seconds_timed or 0.0)}, {extent})"


def _graph_notes(cells: Sequence[Cell], published: PublishedTable) -> list[str]:
    """Which rows are of the work's own graphs, and how the other graphs differ from these."""
    rows = unique(cell.row for cell in cells if cell.row in published.rows)
    measured = {cell.row: cell for cell in reversed(cells) if cell.row in rows and cell.status != "not_run"}
    own = [row for row in rows if row in measured and measured[row].own_graph]
    if len(own) == len(rows):
        return []
    others = [measured[row] for row in rows if row in measured and row not in own]
    count = f"Rows measured on the work's own graphs: {len(own)} of {len(rows)}{f' ({prose_list(own)})' * bool(own)}."
    no_ratio = list_note(
        "Without a ratio",
        (
            f"{cell.dataset} for {cell.row} ({'generated' if cell.generator else 'of another size'})"
            for cell in others
            if not cell.comparable and cell.dataset != cell.row
        ),
    )
    lines = [" ".join([count, *no_ratio])]
    lines += list_note(
        f"{OTHER_GRAPH} Times of two graphs",
        (f"{cell.dataset} for {cell.row} ({_difference(cell)})" for cell in others if cell.comparable),
    )
    for cell in others:
        original = published.rows[cell.row]
        if not cell.comparable and cell.dataset == cell.row and original.nodes is not None:
            edges = "" if original.edges is None else f" and {original.edges:,} edges"
            lines.append(f"{cell.row} differs from the work's graph, which has {original.nodes:,} nodes{edges}.")
    return lines


def _difference(cell: Cell) -> str:
    """How a graph with as many nodes as the published one differs from it."""
    missing = cell.arcs_missing
    facts = [f"{missing:,} {'arc' if missing == 1 else 'arcs'} fewer"] * bool(missing)
    return prose_list([*facts, *["random weights"] * bool(cell.weights)]) or "of the same size"


def substitute_graph_notes(pairs: Iterable[tuple[str, str]]) -> list[str]:
    """The rows with another graph than the work's; a pair is a row and its dataset."""
    return list_note("Graphs in place of the work's own", (f"{dataset} for {row}" for row, dataset in pairs))


def fewer_arcs_note(missing: Mapping[str, int]) -> list[str]:
    """How many arcs each graph lacks."""
    graphs = (f"{count:,} in {graph}" for graph, count in missing.items() if count)
    return list_note("Parallel arcs of the work's graph that are missing here", graphs)


def weight_notes(cells: Iterable[Run]) -> list[str]:
    """The graphs with random weights, a line for each way of drawing them."""
    drawn = group_by((cell for cell in cells if cell.weights), "weights")
    return [f"{weights}: {_graph_list(runs)}." for weights, runs in drawn.items()]


def hash_notes(cells: Iterable[Run]) -> list[str]:
    """The graphs from files without a hash in the catalog."""
    catalog = load_catalog() if root_with("data/catalog.yaml") else {}
    names = unique(cell.dataset for cell in cells)
    unpinned = [name for name in names if name in catalog and _unpinned(catalog[name], catalog)]
    return list_note("The catalog has no hash for these files, so that the first download was trusted", unpinned)


def _unpinned(dataset: Dataset, catalog: Mapping[str, Dataset]) -> bool:
    return dataset.trusts_first_download or (dataset.derived and _unpinned(catalog[dataset.origin or ""], catalog))


def condition_notes(cells: Sequence[Run]) -> list[str]:
    """Differences in machines and versions, other runs at the same time, and the load of the host."""
    return [*_machine_notes(cells), *_concurrency_notes(cells), *_load_notes(cells), *_version_notes(cells)]


def few_samples_notes(cells: Iterable[Run]) -> list[str]:
    """The runs, but for those from random sources, that have too few samples for a median."""
    few = [cell for cell in cells if 1 <= (cell.samples or 0) < MEDIAN_SAMPLES_MIN and cell.sources is None]
    return list_note(
        "Fewer than three samples",
        (f"{cell.dataset} {cell.label} ({cell.samples})" for cell in few),
    )


def sample_notes(cells: Iterable[Run]) -> list[str]:
    """Samples with a wide spread; with random sources only stragglers, since sources differ."""
    cells = list(cells)
    stragglers = [
        f"{label} on {_graph_list(runs, _straggler_text)}"
        for label, runs in group_by((cell for cell in cells if cell.stragglers), "label").items()
    ]
    wide = []
    for label, runs in group_by(filter(_is_wide, cells), "label").items():
        spreads = [_spread(cell) for cell in runs]
        ends = unique(f"{100 * pick(spreads):.0f}" for pick in (min, max))
        wide.append(f"{label} on {_graph_list(runs)} ({' to '.join(ends)} %)")
    return [
        *([f"Samples of more than ten times the median: {'; '.join(stragglers)}."] if stragglers else []),
        *([f"Samples that spread over more than 20 % of their median: {'; '.join(wide)}."] if wide else []),
    ]


def _straggler_text(cell: Run) -> str:
    return f" ({cell.stragglers} of {cell.samples}, up to {readable_seconds(cell.max_s or 0.0)})"


def _is_wide(cell: Run) -> bool:
    return cell.sources is None and _spread(cell) > SPREAD_MAX


def _spread(cell: Run) -> float:
    return ((cell.max_s or 0.0) - (cell.min_s or 0.0)) / (cell.seconds or 1.0)


def _machine_notes(cells: Sequence[Run]) -> list[str]:
    """The runs of each machine; without the names of machines, the runs of each session."""
    parts: dict[str, list[Run]] = {}
    end, session = None, 0
    for cell in sorted((cell for cell in cells if cell.started), key=_start):
        if end is not None and _start(cell) - end > _SESSION_GAP:
            session += 1
        end = max(filter(None, (end, datetime.fromisoformat(cell.finished))))
        parts.setdefault(cell.machine or f"session {session}", []).append(cell)
    if len(parts) < 2:
        return []
    largest = max(parts.values(), key=len)
    sentences = [
        f"From {_start(part[0]).astimezone(UTC):%Y-%m-%d %H:%M} UTC: "
        f"{'the others' if part is largest else _run_list(part, cells)}."
        for part in sorted(parts.values(), key=lambda part: part is largest)
    ]
    known = all(cell.machine for cell in cells)
    where = "on different machines" if known else "in several sessions, which may have been on different machines"
    return [" ".join([f"Measured {where}.", *sentences])]


def _start(cell: Run) -> datetime:
    return datetime.fromisoformat(cell.started)


def _concurrency_notes(cells: Sequence[Run]) -> list[str]:
    concurrent = [cell for cell in cells if cell.beside]
    runs = "all columns" if len(concurrent) == len(cells) else _run_list(concurrent, cells)
    where = "the same machine" if all(cell.machine for cell in cells) else "this machine or one like it"
    return [f"Measured while another run went on, on {where}: {runs}."] if concurrent else []


def _load_notes(cells: Sequence[Run]) -> list[str]:
    busy = [cell for cell in cells if cell.more.get("load_of_others", 0.0) > LOAD_MAX]
    parts = [100 * cell.more["load_of_others"] for cell in busy]
    ends = unique(f"{pick(parts):.0f}" for pick in (min, max) if parts)
    title = f"Other processes kept more than {100 * LOAD_MAX:.0f} % of the host's cores busy ({' to '.join(ends)} %)"
    runs = "all columns" if len(busy) == len(cells) else _run_list(busy, cells)
    return [f"{title}: {runs}."] if busy else []


def _run_list(selected: Sequence[Run], cells: Sequence[Run]) -> str:
    """The selected cells by label, with their graphs, or with the excluded graphs if those are fewer.

    Parameters are part of a label where they tell a selected cell from another on its graph.
    """
    taken, graph = {id(cell) for cell in selected}, attrgetter("label", "dataset")
    others = [cell for cell in cells if id(cell) not in taken]
    shared = {label for label, _ in set(map(graph, selected)) & set(map(graph, others))}
    full = lambda cell: with_parameters(cell.label, cell.asked * (cell.label in shared))  # noqa: E731
    parts = []
    for label in unique(map(full, selected)):
        runs, left = ([cell for cell in some if full(cell) == label] for some in (selected, others))
        graphs = f" except on {_graph_list(left)}" if len(left) < len(runs) else f" on {_graph_list(runs)}"
        parts.append(label + graphs * bool(left))
    return "; ".join(parts)


def _graph_list(cells: Sequence[Run], detail: Callable[[Run], str] = lambda cell: "") -> str:
    return prose_list(unique(cell.dataset + detail(cell) for cell in cells))


def _version_notes(cells: Iterable[Run]) -> list[str]:
    """Versions that differ from the lock file of the device, if the checkout has one."""
    lines = []
    for text in unique(cell.versions for cell in cells if cell.versions):
        versions = dict(pair.partition("=")[::2] for pair in text.split(","))
        name = next((_LOCKS[package] for package in versions if package in _LOCKS), "cpu")
        file = f"envs/requirements-{name}.txt"
        root = root_with(file)
        lock = (root / file).read_text(encoding="utf-8") if root else ""
        locked: dict[str, list[str]] = {}  # a package may have one version for each of several Pythons
        for package, version in re.findall(r"^([\w.-]+)==([^\s;]+)", lock, re.MULTILINE):
            locked.setdefault(package, []).append(version)
        others = [
            f"{package} {version} ({' or '.join(locked[package])})"
            for package, version in versions.items()
            if version not in locked.get(package, [version])
        ]
        if others:
            python = f"; Python {versions['python']}" if "python" in versions else ""
            lines.append(f"Versions that differ from {file} (in brackets): {prose_list(others)}{python}.")
    return unique(lines)
