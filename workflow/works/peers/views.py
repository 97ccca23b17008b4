"""Views of the comparison with other libraries: times, spreads, preparation, and bars for each graph.

Tables have a line for each solver and a column for each graph, and one unit.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf

from warpath.system.durations import common_unit, readable_seconds
from warpath_study.peers import PEERS, find_peer, peer_names
from warpath_study.record import WITHOUT_TIME, parse_run
from warpath_study.report.cells import Data, cells
from warpath_study.report.labels import algorithm_label, prose_list, run_label, three_digits, unique
from warpath_study.report.notes import (
    code_notes,
    condition_notes,
    estimate_notes,
    few_samples_notes,
    hash_notes,
    is_simulated,
    list_note,
    measured_on,
    sample_notes,
    simulation_notes,
    untimed_notes,
)
from warpath_study.report.runs import Run
from warpath_study.report.table import Line, Table, comparison, csv_number, readable_count, readable_time
from warpath_study.report.verdicts import (
    FASTER,
    NO_DIFFERENCE,
    SLOWER,
    Ratio,
    ratio_of_means,
    ratio_of_medians,
    took_turns,
)
from warpath_study.works.claims import claim

OURS, KERNELS, PUBLISHED, PEER, GPU_PEER = "warpath", "kernels", "published", "peer", "peer on the GPU"
DEFAULT_CALL = "warpath"
"""The peer that all others are compared with: warpath, prepared, by its default call."""
FASTEST, RATIO, VERDICT = "Fastest peer", "Its time over warpath's", "Faster"
_SECONDS: dict[str, Callable[[Run], float | None]] = {
    "time": lambda run: run.seconds if run.sources is None else run.more.get("median_s"),
    "mean": lambda run: None if run.sources is None else run.seconds,
    "p10": lambda run: run.more.get("p10_s"),
    "p90": lambda run: run.more.get("p90_s"),
    "preparation": lambda run: run.more.get("preparation_s"),
    "preparation_min": lambda run: run.more.get("preparation_min_s"),
    "preparation_max": lambda run: run.more.get("preparation_max_s"),
    "first_answer": lambda run: run.more.get("first_answer_s"),
    "first_answer_min": lambda run: run.more.get("first_answer_min_s"),
    "first_answer_max": lambda run: run.more.get("first_answer_max_s"),
}
# Each has less to do than the next one.
_BY_EFFORT = ("warpath_uncertified", "warpath_distances", "warpath", "warpath_unprepared")
_OF_TURNS = {"time": ratio_of_medians, "mean": ratio_of_means}
"""The ratio of each statistic of two runs that took turns."""


@dataclass(frozen=True)
class Solver:
    """A line of the table. Each graph shows one of the runs ``columns``.

    For published variants, it is the fastest run. For warpath's kernels, it is the first available run, which is the
    variant that the library uses on this machine.
    """

    columns: tuple[str, ...]
    role: str
    label: str

    @property
    def key(self) -> str:
        """The name in a CSV file."""
        return self.role if self.role in (KERNELS, PUBLISHED) else self.columns[0].partition(".")[2]


@dataclass(frozen=True)
class Comparison:
    """The solvers and rows of a target, and the measured runs by row and column."""

    solvers: list[Solver]
    datasets: dict[str, str]
    runs: Mapping[tuple[str, str], Run]

    def run(self, row: str, solver: Solver) -> Run:
        column = self.column(row, solver)
        return self.runs[row, column] if column else Run(row=row, dataset=self.datasets[row])

    def column(self, row: str, solver: Solver) -> str | None:
        """The run of the solver that this row shows, with or without a time; None without a run."""
        runs = {column: self.runs[row, column] for column in solver.columns if (row, column) in self.runs}
        if solver.role == KERNELS:
            return min(runs, key=lambda column: runs[column].status == "missing", default=None)
        return min(runs, key=lambda column: _time(runs[column]) or inf, default=None)

    def ours(self, row: str) -> Run:
        """warpath's default call; a run without a time if that is no column."""
        solver = next((solver for solver in self.solvers if solver.key == DEFAULT_CALL), None)
        return self.run(row, solver) if solver else Run(row=row, dataset=self.datasets[row])

    def counts(self, row: str) -> tuple[int | None, int | None]:
        return next(((run.vertices, run.arcs) for (name, _), run in self.runs.items() if name == row), (None, None))

    def ratio(self, row: str, solver: Solver, statistic: str = "time") -> Ratio | None:
        """The solver's time over that of warpath's default call; above 1, warpath is faster.

        None in a simulation, and for kernels, whose time is of another clock.
        """
        return None if solver.role == KERNELS else _ratio(self.run(row, solver), self.ours(row), statistic)

    def fastest_peer(self, row: str, statistic: str = "time") -> tuple[Solver, Ratio] | None:
        peers = [solver for solver in self.solvers if solver.role in (PEER, GPU_PEER)]
        ratios = [(solver, ratio) for solver in peers if (ratio := self.ratio(row, solver, statistic)) is not None]
        return min(ratios, key=lambda item: item[1].value, default=None)


def title_of(column: str) -> str:
    """The title of a peer; for one in C that is only known from records, its name."""
    name = column.partition(".")[2]
    return find_peer(name).title if name in peer_names() else name


def is_ours(column: str) -> bool:
    """Whether a peer is a call of warpath."""
    return column.partition(".")[2] in _BY_EFFORT


def _comparison(data: Data, kernels: Sequence[str], best_published: Sequence[str]) -> Comparison:
    columns = {(run.row, run.run): run.column for run in data.requests}
    runs = {(run.row, columns[run.row, run.run]): run for run in data.measured}
    ours, peers = [], []
    for column in unique(columns.values()):
        if column.startswith("peer_"):
            kinds = {run.device_kind for (_, name), run in runs.items() if name == column}
            role = OURS if is_ours(column) else GPU_PEER if kinds - {"cpu"} else PEER
            (ours if role == OURS else peers).append(Solver((column,), role, title_of(column)))
    plans = [(kernels, KERNELS, "warpath's kernels"), (best_published, PUBLISHED, "best published")]
    solvers = [*ours, *(Solver(tuple(columns), role, label) for columns, role, label in plans if columns), *peers]
    return Comparison(solvers, {run.row: run.dataset for run in data.requests}, runs)


def _ratio(run: Run, other: Run, statistic: str) -> Ratio | None:
    """The time of ``run`` over that of ``other``; None in a simulation, or if a time is missing."""
    times = _SECONDS[statistic](run), _SECONDS[statistic](other)
    if is_simulated([run, other]) or not all(times):
        return None
    return _OF_TURNS[statistic](run, other) if took_turns(run, other) else Ratio(times[0] / times[1])


def _time(run: Run) -> float | None:
    """The time that tables show: the median over the sources, or over the samples."""
    return _SECONDS["time"](run)


def _seconds(run: Run, solver: Solver, statistic: str) -> float | None:
    """A time of a run; of kernels, the solve alone, of which no other statistic is known."""
    if solver.role == KERNELS:
        of_solves = "solve_s" if run.sources is None else "median_solve_s"
        return run.more.get(of_solves) if statistic == "time" else None
    return _SECONDS[statistic](run)


def times(data: Data, *, kernels: Sequence[str] = (), best_published: Sequence[str] = ()) -> Table:
    """The time of each solver on each graph, and the ratio of the fastest peer to warpath's default call."""
    solved = _comparison(data, kernels, best_published)
    unit = common_unit(_seconds(run, solver, "time") for run, solver in _runs_of(solved))

    def text(row: str, solver: Solver) -> str:
        run = solved.run(row, solver)
        if solver.role == KERNELS:
            return _readable(_seconds(run, solver, "time"), unit)
        return WITHOUT_TIME.get(run.status, readable_time(replace(run, seconds=_time(run)), unit))

    readable = [
        *_sizes(solved),
        *({"Solver": solver.label} | {row: text(row, solver) for row in solved.datasets} for solver in solved.solvers),
        *_fastest_lines(solved, "time"),
    ]
    return _table(data, solved, readable, _notes(data, solved))


def _fastest_lines(solved: Comparison, statistic: str) -> list[Line]:
    """The fastest peer of each graph, its ratio with the interval, and which of the two is faster."""
    fastest = {row: solved.fastest_peer(row, statistic) for row in solved.datasets}
    of_each: dict[str, Callable[[Solver, Ratio], str]] = {
        FASTEST: lambda solver, ratio: solver.label,
        RATIO: lambda solver, ratio: _ratio_text(ratio),
        VERDICT: lambda solver, ratio: {SLOWER: "warpath", FASTER: solver.label}.get(
            ratio.verdict, ratio.verdict or "–"
        ),
    }
    return [
        {"Solver": label} | {row: text(*found) if found else "–" for row, found in fastest.items()}
        for label, text in of_each.items()
    ]


def _ratio_text(ratio: Ratio) -> str:
    """A ratio, and its interval if there is one."""
    if ratio.interval is None:
        return three_digits(ratio.value)
    return f"{three_digits(ratio.value)} ({' to '.join(map(three_digits, ratio.interval))})"


def spread(data: Data, *, best_published: Sequence[str] = ()) -> Table:
    """The mean over the sources, and the 10th and 90th percentile, of each solver on each graph."""
    solved = _comparison(data, (), best_published)
    statistics = {"mean": "mean", "p10": "10th percentile", "p90": "90th percentile"}
    readable = _by_statistic(solved, "Of the times", statistics, "mean")
    readable += [{**line, "Of the times": "mean"} for line in _fastest_lines(solved, "mean")]
    found = _labelled(data)
    notes = [*_verdict_notes(solved, "mean"), *_source_notes(data), measured_on(found), *condition_notes(found)]
    return _table(data, solved, readable, notes)


def preparation(data: Data) -> Table:
    """The time of each peer to prepare a graph, and until its first answer."""
    solved = _comparison(data, (), ())
    statistics = {"preparation": "prepared", "first_answer": "first answer"}
    readable = _by_statistic(solved, "Until", statistics, "first_answer")
    found = _labelled(data)
    counts = {
        f"{run.label} on {run.row} ({count})": count
        for run in found
        if run.algorithm in PEERS and "preparation_s" in run.more and (count := run.more.get("preparations", 1))
    }
    most = max(counts.values(), default=1)
    notes = [
        "Both times begin with the CSR arrays of the graph, without parallel arcs, in host memory. They end when the "
        "solver can answer, and when the first answer, from a vertex with the most arcs, is in host memory. They "
        "include copies to the GPU.",
        "warpath prepares the graph during its first call.",
        "The process has prepared and solved the graph once before, so that libraries are loaded and kernels compiled.",
        f"A time is the median of {most} preparations, with the least and greatest in brackets."
        if most > 1
        else "A time is of one preparation.",
        *list_note("Fewer preparations", (run for run, count in counts.items() if count < most)),
        "Trial solves, which choose settings of a peer for the graph, are in neither time.",
        *condition_notes(found),
        *hash_notes(found),
    ]
    return _table(data, solved, readable, notes)


def _runs_of(solved: Comparison) -> list[tuple[Run, Solver]]:
    return [(solved.run(row, solver), solver) for row in solved.datasets for solver in solved.solvers]


def _by_statistic(solved: Comparison, heading: str, statistics: Mapping[str, str], of_unit: str) -> list[Line]:
    """A line for each solver and statistic; ``heading`` is that of their names, ``of_unit`` the one with the unit."""
    unit = common_unit(_SECONDS[of_unit](run) for run, _ in _runs_of(solved))
    return [
        {"Solver": solver.label, heading: words}
        | {row: _with_ends(solved.run(row, solver), name, unit) for row in solved.datasets}
        for solver in solved.solvers
        for name, words in statistics.items()
    ]


def _with_ends(run: Run, statistic: str, unit: str | None) -> str:
    """A statistic of a run, and the least and the greatest time if it has them."""
    text = _readable(_SECONDS[statistic](run), unit)
    ends = [of(run) for end in ("min", "max") if (of := _SECONDS.get(f"{statistic}_{end}"))]
    return f"{text} ({' to '.join(_readable(end, unit) for end in ends)})" if ends and None not in ends else text


def _readable(seconds: float | None, unit: str | None) -> str:
    return "–" if seconds is None else readable_seconds(seconds, unit=unit)


def _sizes(solved: Comparison) -> list[Line]:
    counts = {row: solved.counts(row) for row in solved.datasets}
    return [
        {"Solver": label} | {row: readable_count(count[index]) for row, count in counts.items()}
        for index, label in enumerate(("Vertices", "Arcs"))
    ]


def _table(data: Data, solved: Comparison, readable: list[Line], notes: Sequence[str]) -> Table:
    """A table with one CSV line for each graph and solver."""
    lines = []
    for row, dataset in solved.datasets.items():
        vertices, arcs = solved.counts(row)
        for solver in solved.solvers:
            run = solved.run(row, solver)
            line = {"row": row, "dataset": dataset, "nodes": csv_number(vertices), "edges": csv_number(arcs)}
            line |= {"solver": solver.key, "status": run.status, "sources": csv_number(run.sources)}
            line |= {name: csv_number(_seconds(run, solver, name)) for name in _SECONDS}
            line["standard_error"] = csv_number(run.standard_error_s)
            for statistic, prefix in (("time", ""), ("mean", "mean_")):
                line |= _ratio_columns(solved.ratio(row, solver, statistic), prefix)
            lines.append(line)
    text_columns = [name for name in readable[0] if name not in solved.datasets]
    return Table(data.target.fields.title, lines, comparison(cells(data)), readable, notes, text_columns)


def _ratio_columns(ratio: Ratio | None, prefix: str) -> Line:
    """The columns of a CSV file for a ratio."""
    low, high = (ratio and ratio.interval) or (None, None)
    numbers = {"ratio": ratio and ratio.value, "ratio_low": low, "ratio_high": high}
    texts = {prefix + name: "" if number is None else f"{number:.4g}" for name, number in numbers.items()}
    return texts | {f"{prefix}verdict": ratio.verdict if ratio else ""}


def _labelled(data: Data) -> list[Run]:
    """The measured runs, with the names of peers as labels."""
    return [
        replace(run, label=title_of(f"{run.algorithm}.{run.variant}")) if run.algorithm in PEERS else run
        for run in data.measured
    ]


def _source_notes(data: Data) -> list[str]:
    """Which sources, how many, and where there are fewer than asked."""
    found = _labelled(data)
    asked = [part.partition("=") for run in found for part in run.asked.split(",") if part.startswith("sources")]
    if not asked:
        return []
    (name, _, count) = asked[0]
    which = "vertices with arcs" if name == "sources_with_arcs" else "vertices"
    fewer = [run for run in found if run.sources is not None and run.samples and run.samples < int(count)]
    return [
        f"The sources are {count} random {which} of the largest component, the same for all solvers.",
        *list_note(
            "Fewer sources, because the time for them was limited",
            (f"{run.label} on {run.row} ({run.samples})" for run in fewer),
        ),
    ]


def _notes(data: Data, solved: Comparison) -> list[str]:
    found = _labelled(data)
    return [
        *simulation_notes(found),
        *code_notes(found),
        *_verdict_notes(solved, "time"),
        "A time is of the solver's public call, by the wall clock, on a prepared graph, until the answer is in host "
        f"memory. It is the median {'over the sources' if any(run.sources for run in found) else 'of the samples'}.",
        *_source_notes(data),
        *_line_notes(solved),
        *_order_notes(solved),
        "Every solver gets the graph without parallel arcs, of which the lightest stays. Every answer was certified.",
        measured_on(found),
        *_peer_notes(solved),
        *_setting_notes(solved),
        *estimate_notes(found),
        *few_samples_notes(found),
        *sample_notes(found),
        *condition_notes(found),
        *hash_notes(found),
        *untimed_notes(replace(run, label=solver.label) for run, solver in _runs_of(solved)),
    ]


def _verdict_notes(solved: Comparison, statistic: str) -> list[str]:
    """On which graphs warpath's default call is not faster than the fastest peer, and how one knows."""
    found = {row: fastest for row in solved.datasets if (fastest := solved.fastest_peer(row, statistic))}
    graphs: dict[str, list[str]] = {FASTER: [], NO_DIFFERENCE: [], SLOWER: []}
    for row, (solver, ratio) in found.items():
        verdict = ratio.verdict or (FASTER if ratio.value < 1 else SLOWER)
        graphs[verdict].append(f"{row} ({solver.label}, {_ratio_text(ratio)} times warpath's time)")
    alone = [row for row, (_, ratio) in found.items() if not ratio.verdict]
    of_ratio = "the median of the ratios of times from a source" if statistic == "time" else "the ratio of means"
    method = (
        "Solvers took turns: all solved from a source before any solved from the next one. A ratio is "
        f"{of_ratio}, with an interval of 95 % in brackets. If it contains 1, there is no difference."
    )
    return [
        *list_note("**A peer is faster** than warpath's default call", graphs[FASTER]),
        *list_note("**No difference** between warpath's default call and the fastest peer", graphs[NO_DIFFERENCE]),
        *([method] if len(alone) < len(found) else []),
        *list_note("Measured one solver after another, or from too few sources for a verdict", alone),
    ]


def _line_notes(solved: Comparison) -> list[str]:
    """What the lines of warpath and of published variants are, and which variants they show."""
    ours = [f"{solver.label}: {find_peer(solver.key).summary}." for solver in solved.solvers if solver.role == OURS]
    plans = [solver for solver in solved.solvers if solver.role in (KERNELS, PUBLISHED)]
    clocks = {
        KERNELS: "warpath's kernels: the solve alone, without the copy to the host, by the GPU's clock",
        PUBLISHED: "Best published: the published timed region, with predecessors, by the GPU's clock",
    }
    shown = ((plan, _variants(solved, plan)) for plan in plans)
    return [*ours, *(f"{clocks[plan.role]}. {variants}." for plan, variants in shown if variants)]


def _order_notes(solved: Comparison) -> list[str]:
    """Calls of warpath that take longer than those that have more to do, and what one knows of the difference."""
    solvers = {solver.key: solver for solver in solved.solvers}
    graphs: dict[str, dict[str, list[str]]] = {}
    for less, more in pairwise(solvers[key] for key in _BY_EFFORT if key in solvers):
        for row in solved.datasets:
            runs = solved.run(row, less), solved.run(row, more)
            ratio = _ratio(*runs, "time")
            if ratio is not None and ratio.value > 1:
                pair = f"{less.label} took longer than {more.label}"
                graphs.setdefault(_difference(*runs, ratio), {}).setdefault(pair, []).append(row)
    return [
        f"Against expectation, {'; '.join(f'{pair} on {prose_list(rows)}' for pair, rows in pairs.items())}: {known}."
        for known, pairs in graphs.items()
    ]


def _difference(run: Run, other: Run, ratio: Ratio) -> str:
    """What one knows of the difference of two times."""
    if ratio.verdict:
        return {NO_DIFFERENCE: "by turns, there is no difference"}.get(
            ratio.verdict, "by turns, the difference is real"
        )
    percentiles = "p10_s" in run.more
    low, high = (run.more["p10_s"], other.more["p90_s"]) if percentiles else (run.min_s, other.max_s)
    overlap = "overlap" if low is not None and high is not None and low <= high else "do not overlap"
    return f"they took no turns, and their times{', from the 10th to the 90th percentile,' * percentiles} {overlap}"


def _variants(solved: Comparison, solver: Solver) -> str:
    """The variants of a line, and their graphs."""
    rows = {
        column: [row for row in solved.datasets if solved.column(row, solver) == column] for column in solver.columns
    }
    graphs = {_column_label(column): f" on {prose_list(names)}" for column, names in rows.items() if names}
    return "; ".join(name + (where if len(graphs) > 1 else "") for name, where in graphs.items())


def _column_label(column: str) -> str:
    algorithm, variant, parameters = parse_run(column)
    varied = ",".join(f"{name}={value}" for name, value in parameters.items() if name != "predecessors")
    return f"{algorithm_label(algorithm)}, {run_label('.'.join(filter(None, (variant, varied))))}"


def _peer_notes(solved: Comparison) -> list[str]:
    """Version and threads of each peer."""
    peers = []
    for solver in solved.solvers:
        facts = {row: more for row in solved.datasets if "peer_version" in (more := solved.run(row, solver).more)}
        if solver.role == OURS or not facts:
            continue
        threads: dict[int, list[str]] = {}
        for row, more in facts.items():
            threads.setdefault(more["peer_threads"], []).append(row)
        texts = [
            f"{count} thread{'s' if count > 1 else ''}" + (f" on {prose_list(rows)}" if len(threads) > 1 else "")
            for count, rows in sorted(threads.items())
        ]
        versions = unique(more["peer_version"] for more in facts.values())  # with commas
        peers.append(f"{solver.label} {' and '.join(versions)} ({', '.join(texts)})")
    return list_note("Peers", peers)


def _setting_notes(solved: Comparison) -> list[str]:
    """The settings of each peer on each graph."""
    lines = []
    for solver in solved.solvers:
        rows: dict[str, list[str]] = {}
        for row in solved.datasets:
            if text := solved.run(row, solver).more.get("peer_settings"):
                rows.setdefault(text.replace("=", " ").replace(",", ", "), []).append(row)
        parts = [f"{text} on {prose_list(names)}" for text, names in rows.items()]
        lines += [f"{solver.label}: {'; '.join(parts)}."] if parts else []
    return lines


def _peers(t):
    return [column for column in t.columns if column.startswith("peer_") and not is_ours(column)]


@claim(
    "the call of every peer takes longer than warpath's default call, from one source",
    runs="one_source",
    setting="public calls; median of the ratios from sources with arcs; warpath prepared, with tree and certificate",
    about=["one_source", "one_source_bars"],
)
def _(t):
    return t.times_as_long(_peers(t), "peer_sssp.warpath")


@claim(
    "the call of every peer takes longer than warpath's default call, from any source",
    runs="any_source",
    setting=(
        "public calls; median of the ratios from sources, some without arcs; warpath prepared, with tree and "
        "certificate"
    ),
    about=["any_source"],
)
def _(t):
    return t.times_as_long(_peers(t), "peer_sssp.warpath")


@claim(
    "the call of every peer takes longer than warpath's default call, for all pairs",
    runs="all_pairs",
    setting="public calls; ratio of the medians; warpath prepared, with trees and certificate",
    about=["all_pairs", "all_pairs_bars"],
)
def _(t):
    return t.best(*_peers(t)) / t.first("peer_apsp.warpath")
