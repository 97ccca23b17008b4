"""Views of the comparison with other libraries: times with their ratio to warpath's, and bars, graph by graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from matplotlib.figure import Figure

from warpath.durations import readable_seconds
from warpath.errors import UsageError
from warpath_study.peers import PEERS, find_peer
from warpath_study.record import WITHOUT_TIME, parse_run
from warpath_study.report import charts
from warpath_study.report.cells import Data, cells
from warpath_study.report.labels import each, listed, run_label, spelled, three_digits
from warpath_study.report.notes import (
    circumstances,
    code_notes,
    estimate_notes,
    hash_notes,
    is_simulated,
    measured_on,
    sample_notes,
    simulation_notes,
)
from warpath_study.report.runs import FIRM, ROUGH, Cell
from warpath_study.report.table import Table, comparison, csv_number, readable_count, readable_time
from warpath_study.works.claims import claim

OURS, PUBLISHED, PEER, GPU_PEER = "warpath", "published", "peer", "peer on the GPU"
FASTEST = "Fastest peer over warpath"
KINDS = {
    OURS: charts.Kind("warpath", "#0072B2", bold=True),
    PUBLISHED: charts.Kind("a published variant on the GPU", "#56B4E9", "////"),
    PEER: charts.Kind("library on the CPU", "#E69F00"),
    GPU_PEER: charts.Kind("library on the GPU", "#009E73", "...."),
}


@dataclass(frozen=True)
class Solver:
    """A column: the runs of which each row shows one; its role, and its name for readers.

    Of published variants it is the fastest. Of ours it is the first that is available: what the library answers with
    on this machine.
    """

    columns: tuple[str, ...]
    role: str
    label: str

    @property
    def key(self) -> str:
        """Its name in a CSV file."""
        return self.role if self.role in (OURS, PUBLISHED) else self.columns[0].partition(".")[2]


@dataclass(frozen=True)
class Shown:
    """The solvers and rows of a target, and the run at each of their places, if there is one."""

    solvers: list[Solver]
    datasets: dict[str, str]
    runs: Mapping[tuple[str, str], Cell]

    def run(self, row: str, solver: Solver) -> Cell:
        column = self.column(row, solver)
        return self.runs[row, column] if column else Cell(row=row, dataset=self.datasets[row])

    def column(self, row: str, solver: Solver) -> str | None:
        """The run of the solver that this row shows, even one without a time; None: there is none."""
        runs = {column: self.runs[row, column] for column in solver.columns if (row, column) in self.runs}
        if solver.role == OURS:
            return min(runs, key=lambda column: runs[column].status == "missing", default=None)
        return min(runs, key=lambda column: runs[column].seconds or inf, default=None)

    def ours(self, row: str) -> Cell:
        return self.run(row, self.solvers[0])

    def counts(self, row: str) -> tuple[int | None, int | None]:
        """The vertices and arcs of a row's graph."""
        return next(((run.vertices, run.arcs) for (name, _), run in self.runs.items() if name == row), (None, None))

    def ratio(self, row: str, solver: Solver) -> float | None:
        """The solver's time over warpath's: above 1, warpath is faster. None in a simulation."""
        ours, theirs = self.ours(row), self.run(row, solver)
        if solver.role == OURS or not (ours.seconds and theirs.seconds) or is_simulated([ours, theirs]):
            return None
        return theirs.seconds / ours.seconds

    def fastest_peer(self, row: str) -> tuple[Solver, float] | None:
        """The peer with the least time, and its ratio."""
        peers = [solver for solver in self.solvers if solver.role in (PEER, GPU_PEER)]
        ratios = [(solver, ratio) for solver in peers if (ratio := self.ratio(row, solver)) is not None]
        return min(ratios, key=lambda item: item[1], default=None)


def _shown(data: Data, warpath: Sequence[str], best_published: Sequence[str]) -> Shown:
    solvers = [Solver(tuple(warpath), OURS, "warpath"), Solver(tuple(best_published), PUBLISHED, "best published")]
    for column in each(run.column for run in data.asked):
        if column.startswith("peer_"):
            peer = find_peer(column.partition(".")[2])
            solvers.append(Solver((column,), PEER if peer.on_cpu else GPU_PEER, peer.title))
    columns = {(run.row, run.run): run.column for run in data.asked}
    runs = {(run.row, columns[run.row, run.run]): run for run in data.shown}
    return Shown(solvers, {run.row: run.dataset for run in data.asked}, runs)


def times(data: Data, *, warpath: Sequence[str], best_published: Sequence[str]) -> Table:
    """A line for each graph: the time of each solver, and its ratio to that of warpath.

    ``warpath`` are the runs with which warpath answers, of which each row shows the first that is available;
    ``best_published`` are published variants, of which each row shows the fastest.
    """
    shown = _shown(data, warpath, best_published)
    written, readable = [], []
    with_error = [
        solver
        for solver in shown.solvers
        if any(shown.run(row, solver).standard_error_s is not None for row in shown.datasets)
    ]
    for row, dataset in shown.datasets.items():
        vertices, arcs = shown.counts(row)
        line = {"row": row, "dataset": dataset, "nodes": csv_number(vertices), "edges": csv_number(arcs)}
        cell = {"Graph": row, "Vertices": readable_count(vertices), "Arcs": readable_count(arcs)}
        on_device, fastest = shown.ours(row).more.get("solve_s"), shown.fastest_peer(row)
        line["warpath_on_the_device"] = csv_number(on_device)
        for solver in shown.solvers:
            run, ratio = shown.run(row, solver), shown.ratio(row, solver)
            line |= {solver.key: csv_number(run.seconds), f"{solver.key}_status": run.status}
            if solver in with_error:
                line[f"{solver.key}_standard_error"] = csv_number(run.standard_error_s)
            line[f"{solver.key}_ratio"] = "" if ratio is None else f"{ratio:.4g}"
            beside = "" if ratio is None else f" ({three_digits(ratio)}x)"
            cell[solver.label] = WITHOUT_TIME.get(run.status, f"{readable_time(run)}{beside}")
            if solver.role == OURS:
                cell["of it, on the device"] = "–" if on_device is None else readable_seconds(on_device)
                # Beside warpath's time, where a narrow screen still shows it.
                cell[FASTEST] = f"{fastest[0].label}, {three_digits(fastest[1])}x" if fastest else "–"
        written.append(line)
        readable.append(cell)
    left = ["Graph", FASTEST]
    return Table(data.target.fields.title, written, comparison(cells(data)), readable, _notes(data, shown), left)


def preparation(data: Data, *, warpath: Sequence[str], best_published: Sequence[str]) -> Table:
    """Seconds that each solver took to bring a graph into its own form."""
    shown = _shown(data, warpath, best_published)
    written, readable = [], []
    for row, dataset in shown.datasets.items():
        line, cell = {"row": row, "dataset": dataset}, {"Graph": row}
        for solver in shown.solvers:
            seconds = shown.run(row, solver).more.get("preparation_s")
            line[solver.key] = csv_number(seconds)
            cell[solver.label] = "–" if seconds is None else readable_seconds(seconds)
        written.append(line)
        readable.append(cell)
    found = _labelled(data)
    about = [
        "Reading the file and making its CSR arrays are not in it; gapbs's trial solves for its delta are. "
        "– nothing is prepared, or it was not run.",
        "A peer's time has the reduction of parallel arcs to the lightest in it, on graphs without any as well; "
        "SciPy's is nothing else. warpath's has not, as it keeps all arcs.",
        "Of warpath's variants, Partition, Borders has its uploads in it. For Label Correcting, Cluster the uploads "
        "are not in it. For Near Far, Whole Grid the sort of inbound arcs on the GPU is all that is in it: the upload "
        "of the graph, long rows in pieces and their upload, and the mean of the weights are not.",
        *_ours(shown),
        *circumstances(found),
        *hash_notes(found),
    ]
    return Table(data.target.fields.title, written, comparison(cells(data)), readable, about, left=["Graph"])


def _labelled(data: Data) -> list[Cell]:
    """The runs, each with the name of its solver."""
    return [replace(run, label=find_peer(run.variant).title) if run.algorithm in PEERS else run for run in data.shown]


def _notes(data: Data, shown: Shown) -> list[str]:
    found = _labelled(data)
    slower = [
        f"{row} ({fastest[0].label}, {three_digits(fastest[1])}x)"
        for row in shown.datasets
        if (fastest := shown.fastest_peer(row)) and fastest[1] < 1
    ]
    lines = [
        *simulation_notes(found),
        *code_notes(found),
        "In brackets: the solver's time over that of warpath.",
        *_ours(shown),
        *([f"**A peer is faster** on {listed(slower)}."] if slower else []),
        "The clocks differ. A peer's is around its public call from Python. Those of warpath and of the published "
        "variants are events of the GPU around the solve and the copy of the distances to the host, inside a plan that "
        "is kept: what a call of the library does besides, such as looking up the plan, making arrays for the answer "
        "and certifying it, is not in them.",
        "Every solver has its graph in its own form before the time begins. The time ends with distances in the host's "
        "memory. From one source, warpath's memory on the device, and the page-locked memory of its answer, belong to "
        "its form of the graph; the others allocate in their time. igraph makes its list of weights anew in each call. "
        "The published variant finds predecessors as well.",
        "Parallel arcs were reduced to the lightest for every peer. Every answer was certified.",
        measured_on(found),
        *_peers(shown),
        *_settings(shown),
    ]
    if drawn := sorted({run.sources for run in found if run.sources is not None}, reverse=True):
        counts = [f"{count} on {listed(each(run.row for run in found if run.sources == count))}" for count in drawn]
        lines.append(f"A time is the mean over random sources: {', '.join(counts)}.")
    else:
        lines.append("A time is the median of its samples.")
    lines += [*estimate_notes(found), *sample_notes(found), *circumstances(found), *hash_notes(found)]
    return [*lines, *_empty(shown)]


def _ours(shown: Shown) -> list[str]:
    """Which variants ran under the names of the first two columns, and where."""
    lines = []
    for solver in shown.solvers[:2]:
        rows = {
            column: [row for row in shown.datasets if shown.column(row, solver) == column] for column in solver.columns
        }
        ran = {_in_words(column): f" on {listed(where)}" for column, where in rows.items() if where}
        names = [name + (where if len(ran) > 1 else "") for name, where in ran.items()]
        label = solver.label if solver.role == OURS else solver.label.capitalize()
        lines += [f"{label}: {'; '.join(names)}."] if names else []
    return lines


def _in_words(column: str) -> str:
    algorithm, variant, asked = parse_run(column)
    varied = ",".join(f"{name}={value}" for name, value in asked.items() if name != "predecessors")
    return f"{spelled(algorithm)}, {run_label('.'.join(filter(None, (variant, varied))))}"


def _peers(shown: Shown) -> list[str]:
    """Version and threads of each peer."""
    peers = []
    for solver in shown.solvers[2:]:
        facts = [more for row in shown.datasets if "peer_version" in (more := shown.run(row, solver).more)]
        for version, threads in dict.fromkeys((more["peer_version"], more["peer_threads"]) for more in facts):
            peers.append(f"{solver.label} {version} ({threads} thread{'s' if threads > 1 else ''})")
    return [f"Peers: {listed(peers)}."] if peers else []


def _settings(shown: Shown) -> list[str]:
    """What a peer was set to for each graph."""
    lines = []
    for solver in shown.solvers[2:]:
        settings = {row: shown.run(row, solver).more.get("peer_settings") for row in shown.datasets}
        chosen = [f"{text.replace('=', ' ')} on {row}" for row, text in settings.items() if text]
        lines += [f"{solver.label}: {listed(chosen)}."] if chosen else []
    return lines


def _empty(shown: Shown) -> list[str]:
    """Why there is no time."""
    lines: dict[str, None] = {}
    for row, dataset in shown.datasets.items():
        for solver in shown.solvers:
            run = shown.run(row, solver)
            if run.status in WITHOUT_TIME:
                place = "" if run.status == "missing" else f"{dataset} "
                lines[f"{place}{solver.label}, {WITHOUT_TIME[run.status]}: {run.reason.rstrip('.')}."] = None
    return list(lines)


def panels(data: Data, *, warpath: Sequence[str], best_published: Sequence[str]) -> Figure:
    """A panel for each graph with a bar for each solver that has a time somewhere."""
    shown = _shown(data, warpath, best_published)
    rows = [row for row in shown.datasets if any(name == row for name, _ in shown.runs)]
    solvers = [solver for solver in shown.solvers if any(shown.run(row, solver).seconds for row in rows)]
    if not solvers:
        raise UsageError(f"{data.target.name}: there is no time to draw; measure first")
    drawn = {row: [_bar(solver, shown.run(row, solver)) for solver in solvers] for row in rows}
    return charts.panels(data.target.fields.title, drawn, _caption(data, shown, solvers))


def _bar(solver: Solver, run: Cell) -> charts.Bar:
    instead = WITHOUT_TIME.get(run.status, "–")
    return charts.Bar(solver.label, KINDS[solver.role], run.seconds, run.estimated, instead)


def _caption(data: Data, shown: Shown, solvers: list[Solver]) -> str:
    found = [run for run in data.shown if run.seconds is not None]
    sentences = ["Host simulation, not GPU times."] * is_simulated(found)
    sentences += [measured_on(found), *_ours(shown)]
    sentences.append(
        "Each graph is in the solver's own form before; distances are in the host's memory after. The clock is around "
        "a peer's public call, and inside the plan that warpath keeps, so that a call of warpath takes longer."
    )
    marks = {run.estimated for run in found}
    sentences += [f"{mark} Estimated from some of the sources." for mark in (FIRM, ROUGH) if mark in marks]
    sentences += _peers(shown)
    away = [solver.label for solver in shown.solvers if solver not in solvers]
    return " ".join([*sentences, *([f"Not available: {listed(away)}."] if away else [])])


of_one_source = partial(
    claim,
    setting="a peer's public call over a kept plan, mean over random sources, distances in the host's memory",
    about=["one_source", "one_source_bars"],
)


@of_one_source(
    "the call of every peer takes longer than warpath inside a kept plan, from one source", runs="one_source"
)
def _(t):
    peers = ("gapbs", "cugraph", "scipy", "networkit", "rustworkx", "igraph")
    ours = ("partition.borders", "label_correcting.cluster", "near_far.whole_grid")
    return t.best(*(f"peer_sssp.{name}" for name in peers)) / t.first(*(f"{name}.predecessors=0" for name in ours))


@of_one_source(
    "the call of every peer takes longer than warpath inside a kept plan, from one source of a large graph",
    runs="large",
)
def _(t):
    peers = ("gapbs", "cugraph", "scipy", "networkit")
    ours = ("partition.borders", "near_far.whole_grid")
    return t.best(*(f"peer_sssp.{name}" for name in peers)) / t.first(*(f"{name}.predecessors=0" for name in ours))


@claim(
    "the call of every peer takes longer than warpath inside a kept plan, for all pairs",
    runs="all_pairs",
    setting="a peer's public call over a kept plan, distances in the host's memory",
    about=["all_pairs", "all_pairs_bars"],
)
def _(t):
    peers = ("networkit", "rustworkx", "scipy", "igraph")
    ours = ("sparse_all_pairs.narrow", "floyd_warshall.narrow")
    return t.best(*(f"peer_apsp.{name}" for name in peers)) / t.first(*(f"{name}.predecessors=0" for name in ours))
