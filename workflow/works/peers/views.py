"""Views of the comparison with other libraries: times, ratios to warpath, and bars for each graph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf

from matplotlib.figure import Figure

from warpath.durations import common_unit, readable_seconds
from warpath.errors import UsageError
from warpath_study.peers import PEERS, find_peer
from warpath_study.record import WITHOUT_TIME, parse_run
from warpath_study.report import charts
from warpath_study.report.cells import Data, cells
from warpath_study.report.labels import algorithm_label, prose_list, run_label, three_digits, unique
from warpath_study.report.notes import (
    code_notes,
    condition_notes,
    estimate_notes,
    hash_notes,
    is_simulated,
    list_note,
    measured_on,
    sample_notes,
    simulation_notes,
)
from warpath_study.report.runs import ESTIMATE, ROUGH_ESTIMATE, Cell
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
    """A column of the table. Each row shows one of the runs ``columns``.

    For published variants, it is the fastest run. For warpath, it is the first available run, which is the variant that
    the library uses on this machine.
    """

    columns: tuple[str, ...]
    role: str
    label: str

    @property
    def key(self) -> str:
        """The name in a CSV file."""
        return self.role if self.role in (OURS, PUBLISHED) else self.columns[0].partition(".")[2]


@dataclass(frozen=True)
class Comparison:
    """The solvers and rows of a target, and the measured runs by row and column."""

    solvers: list[Solver]
    datasets: dict[str, str]
    runs: Mapping[tuple[str, str], Cell]

    def run(self, row: str, solver: Solver) -> Cell:
        column = self.column(row, solver)
        return self.runs[row, column] if column else Cell(row=row, dataset=self.datasets[row])

    def column(self, row: str, solver: Solver) -> str | None:
        """The run of the solver that this row shows, with or without a time; None without a run."""
        runs = {column: self.runs[row, column] for column in solver.columns if (row, column) in self.runs}
        if solver.role == OURS:
            return min(runs, key=lambda column: runs[column].status == "missing", default=None)
        return min(runs, key=lambda column: runs[column].seconds or inf, default=None)

    def ours(self, row: str) -> Cell:
        return self.run(row, self.solvers[0])

    def counts(self, row: str) -> tuple[int | None, int | None]:
        return next(((run.vertices, run.arcs) for (name, _), run in self.runs.items() if name == row), (None, None))

    def ratio(self, row: str, solver: Solver) -> float | None:
        """The solver's time over warpath's time; above 1, warpath is faster. None in a simulation."""
        ours, theirs = self.ours(row), self.run(row, solver)
        if solver.role == OURS or not (ours.seconds and theirs.seconds) or is_simulated([ours, theirs]):
            return None
        return theirs.seconds / ours.seconds

    def fastest_peer(self, row: str) -> tuple[Solver, float] | None:
        peers = [solver for solver in self.solvers if solver.role in (PEER, GPU_PEER)]
        ratios = [(solver, ratio) for solver in peers if (ratio := self.ratio(row, solver)) is not None]
        return min(ratios, key=lambda item: item[1], default=None)


def _comparison(data: Data, warpath: Sequence[str], best_published: Sequence[str]) -> Comparison:
    solvers = [Solver(tuple(warpath), OURS, "warpath"), Solver(tuple(best_published), PUBLISHED, "best published")]
    for column in unique(run.column for run in data.requests):
        if column.startswith("peer_"):
            peer = find_peer(column.partition(".")[2])
            solvers.append(Solver((column,), PEER if peer.on_cpu else GPU_PEER, peer.title))
    columns = {(run.row, run.run): run.column for run in data.requests}
    runs = {(run.row, columns[run.row, run.run]): run for run in data.measured}
    return Comparison(solvers, {run.row: run.dataset for run in data.requests}, runs)


def times(data: Data, *, warpath: Sequence[str], best_published: Sequence[str]) -> Table:
    """A line for each graph: the time of each solver, and its ratio to warpath's time.

    Each row shows the first available run of ``warpath`` and the fastest run of ``best_published``.
    """
    solved = _comparison(data, warpath, best_published)
    lines, readable = [], []
    with_error = [
        solver
        for solver in solved.solvers
        if any(solved.run(row, solver).standard_error_s is not None for row in solved.datasets)
    ]
    units = {
        solver: common_unit(solved.run(row, solver).seconds for row in solved.datasets) for solver in solved.solvers
    }
    for row, dataset in solved.datasets.items():
        vertices, arcs = solved.counts(row)
        line = {"row": row, "dataset": dataset, "nodes": csv_number(vertices), "edges": csv_number(arcs)}
        cell = {"Graph": row, "Vertices": readable_count(vertices), "Arcs": readable_count(arcs)}
        on_device, fastest = solved.ours(row).more.get("solve_s"), solved.fastest_peer(row)
        line["warpath_on_the_device"] = csv_number(on_device)
        for solver in solved.solvers:
            run, ratio = solved.run(row, solver), solved.ratio(row, solver)
            line |= {solver.key: csv_number(run.seconds), f"{solver.key}_status": run.status}
            if solver in with_error:
                line[f"{solver.key}_standard_error"] = csv_number(run.standard_error_s)
            line[f"{solver.key}_ratio"] = "" if ratio is None else f"{ratio:.4g}"
            ratio_text = "" if ratio is None else f" ({three_digits(ratio)}x)"
            cell[solver.label] = WITHOUT_TIME.get(run.status, f"{readable_time(run, units[solver])}{ratio_text}")
            if solver.role == OURS:
                cell["warpath, on the device"] = (
                    "–" if on_device is None else readable_seconds(on_device, unit=units[solver])
                )
                # Next to warpath's time, for narrow screens.
                cell[FASTEST] = f"{fastest[0].label}, {three_digits(fastest[1])}x" if fastest else "–"
        lines.append(line)
        readable.append(cell)
    notes, text_columns = _notes(data, solved), ["Graph", FASTEST]
    return Table(data.target.fields.title, lines, comparison(cells(data)), readable, notes, text_columns)


def preparation(data: Data, *, warpath: Sequence[str], best_published: Sequence[str]) -> Table:
    """The time of each solver to convert a graph to its own form."""
    solved = _comparison(data, warpath, best_published)
    lines, readable = [], []
    prepared = {
        (row, solver): solved.run(row, solver).more.get("preparation_s")
        for row in solved.datasets
        for solver in solved.solvers
    }
    units = {solver: common_unit(prepared[row, solver] for row in solved.datasets) for solver in solved.solvers}
    for row, dataset in solved.datasets.items():
        line, cell = {"row": row, "dataset": dataset}, {"Graph": row}
        for solver in solved.solvers:
            seconds = prepared[row, solver]
            line[solver.key] = csv_number(seconds)
            cell[solver.label] = "–" if seconds is None else readable_seconds(seconds, unit=units[solver])
        lines.append(line)
        readable.append(cell)
    found = _labelled(data)
    notes = [
        "The time excludes reading the file and making the CSR arrays. For gapbs, it includes the trial solves for "
        "delta. –: no preparation, or not run.",
        "A peer's time includes the reduction of parallel arcs to the lightest, even if the graph has none. For SciPy, "
        "it is only this reduction. warpath keeps all arcs.",
        "For Partition, Borders, the time includes the uploads. For Label Correcting, Cluster, it excludes them. For "
        "Near Far, Whole Grid, it is only the sort of inbound arcs on the GPU; it excludes the uploads, the division "
        "of long rows and the mean of the weights.",
        *_variant_notes(solved),
        *condition_notes(found),
        *hash_notes(found),
    ]
    return Table(data.target.fields.title, lines, comparison(cells(data)), readable, notes, text_columns=["Graph"])


def _labelled(data: Data) -> list[Cell]:
    """The measured runs, with the names of peers as labels."""
    return [
        replace(run, label=find_peer(run.variant).title) if run.algorithm in PEERS else run for run in data.measured
    ]


def _notes(data: Data, solved: Comparison) -> list[str]:
    found = _labelled(data)
    slower = [
        f"{row} ({fastest[0].label}, {three_digits(fastest[1])}x)"
        for row in solved.datasets
        if (fastest := solved.fastest_peer(row)) and fastest[1] < 1
    ]
    lines = [
        *simulation_notes(found),
        *code_notes(found),
        "In brackets: the solver's time over warpath's time.",
        *_variant_notes(solved),
        *([f"**A peer is faster** on {prose_list(slower)}."] if slower else []),
        "Peers and warpath are timed differently. The time of a peer is the wall-clock time of its public call from "
        "Python. The times of warpath and of the published variants are between GPU events around the solve and the "
        "copy of the distances to the host. They exclude the rest of a library call: finding the plan, allocating the "
        "answer and certifying it.",
        "The time begins when the graph is in the solver's own form, and ends when the distances are in host memory. "
        "From one source, warpath has allocated its device memory and the page-locked memory of the answer before; the "
        "other solvers allocate within their time. igraph makes its list of weights within each call. The published "
        "variant also finds predecessors.",
        "Peers get the graph without parallel arcs, of which the lightest stays. Every answer was certified.",
        measured_on(found),
        *_peer_notes(solved),
        *_setting_notes(solved),
    ]
    if counts := sorted({run.sources for run in found if run.sources is not None}, reverse=True):
        texts = [
            f"{count} on {prose_list(unique(run.row for run in found if run.sources == count))}" for count in counts
        ]
        lines.append(f"A time is the mean over random sources: {', '.join(texts)}.")
    else:
        lines.append("A time is the median of its samples.")
    lines += [*estimate_notes(found), *sample_notes(found), *condition_notes(found), *hash_notes(found)]
    return [*lines, *_missing_notes(solved)]


def _variant_notes(solved: Comparison) -> list[str]:
    """The variants of the columns warpath and best published, and their graphs."""
    lines = []
    for solver in solved.solvers[:2]:
        rows = {
            column: [row for row in solved.datasets if solved.column(row, solver) == column]
            for column in solver.columns
        }
        graphs = {_column_label(column): f" on {prose_list(names)}" for column, names in rows.items() if names}
        names = [name + (where if len(graphs) > 1 else "") for name, where in graphs.items()]
        label = solver.label if solver.role == OURS else solver.label.capitalize()
        lines += [f"{label}: {'; '.join(names)}."] if names else []
    return lines


def _column_label(column: str) -> str:
    algorithm, variant, parameters = parse_run(column)
    varied = ",".join(f"{name}={value}" for name, value in parameters.items() if name != "predecessors")
    return f"{algorithm_label(algorithm)}, {run_label('.'.join(filter(None, (variant, varied))))}"


def _peer_notes(solved: Comparison) -> list[str]:
    """Version and threads of each peer."""
    peers = []
    for solver in solved.solvers[2:]:
        facts = [more for row in solved.datasets if "peer_version" in (more := solved.run(row, solver).more)]
        for version, threads in dict.fromkeys((more["peer_version"], more["peer_threads"]) for more in facts):
            peers.append(f"{solver.label} {version} ({threads} thread{'s' if threads > 1 else ''})")
    return list_note("Peers", peers)


def _setting_notes(solved: Comparison) -> list[str]:
    """The settings of each peer on each graph."""
    lines = []
    for solver in solved.solvers[2:]:
        settings = {row: solved.run(row, solver).more.get("peer_settings") for row in solved.datasets}
        lines += list_note(
            solver.label, (f"{text.replace('=', ' ')} on {row}" for row, text in settings.items() if text)
        )
    return lines


def _missing_notes(solved: Comparison) -> list[str]:
    """The reasons of runs without a time."""
    lines = []
    for row, dataset in solved.datasets.items():
        for solver in solved.solvers:
            run = solved.run(row, solver)
            if run.status in WITHOUT_TIME:
                graph = "" if run.status == "missing" else f"{dataset} "
                lines.append(f"{graph}{solver.label}, {WITHOUT_TIME[run.status]}: {run.reason.rstrip('.')}.")
    return unique(lines)


def panels(data: Data, *, warpath: Sequence[str], best_published: Sequence[str]) -> Figure:
    """A panel for each graph with a bar for each solver that has a time somewhere."""
    solved = _comparison(data, warpath, best_published)
    rows = [row for row in solved.datasets if any(name == row for name, _ in solved.runs)]
    solvers = [solver for solver in solved.solvers if any(solved.run(row, solver).seconds for row in rows)]
    if not solvers:
        raise UsageError(f"{data.target.name}: there is no time to draw; measure first")
    drawn = {row: [_bar(solver, solved.run(row, solver)) for solver in solvers] for row in rows}
    return charts.panels(data.target.fields.title, drawn, _caption(data, solved, solvers))


def _bar(solver: Solver, run: Cell) -> charts.Bar:
    placeholder = WITHOUT_TIME.get(run.status, "–")
    return charts.Bar(solver.label, KINDS[solver.role], run.seconds, run.estimated, placeholder)


def _caption(data: Data, solved: Comparison, solvers: list[Solver]) -> str:
    found = [run for run in data.measured if run.seconds is not None]
    sentences = ["Host simulation, not GPU times."] * is_simulated(found)
    sentences += [measured_on(found), *_variant_notes(solved)]
    sentences.append(
        "The time begins when the graph is in the solver's own form, and ends when the distances are in host memory. "
        "A peer's time is of its public call. warpath's time is of the solve inside its plan, so that a call takes "
        "longer."
    )
    marks = {run.estimated for run in found}
    sentences += [
        f"{mark}: estimated from some of the sources." for mark in (ESTIMATE, ROUGH_ESTIMATE) if mark in marks
    ]
    sentences += _peer_notes(solved)
    return " ".join(
        [*sentences, *list_note("Not available", (solver.label for solver in solved.solvers if solver not in solvers))]
    )


of_one_source = partial(
    claim,
    setting="public call of a peer over the plan of warpath, mean over random sources, distances in host memory",
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
    setting="public call of a peer over the plan of warpath, distances in host memory",
    about=["all_pairs", "all_pairs_bars"],
)
def _(t):
    peers = ("networkit", "rustworkx", "scipy", "igraph")
    ours = ("sparse_all_pairs.narrow", "floyd_warshall.narrow")
    return t.best(*(f"peer_apsp.{name}" for name in peers)) / t.first(*(f"{name}.predecessors=0" for name in ours))
