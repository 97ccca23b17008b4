"""Views of all pairs in parts: a table of statistics, a histogram of distances, and the time for each source."""

from warpath.errors import UsageError
from warpath.system.durations import readable_seconds
from warpath_study.record import StatisticsFacts, read_record
from warpath_study.report.cells import Data, cells
from warpath_study.report.labels import plain_number, prose_list
from warpath_study.report.notes import code_notes, condition_notes, hash_notes, measured_on, simulation_notes
from warpath_study.report.runs import Run
from warpath_study.report.table import Line, Table, comparison, csv_number, readable_count
from warpath_study.works.claims import claim

# The phases of a source, in the order of the bars.
PHASES = {"solve_s": "solve", "certify_s": "certify", "reduce_s": "reduce"}
_MICROSECONDS = 1e6


def statistics(data: Data) -> Table:
    """A line for each graph."""
    runs = data.measured
    if not runs:
        raise UsageError(f"{data.target.name}: no run has a record; make the parts first")
    return Table(
        title=data.target.fields.title,
        lines=[_csv_line(run) for run in runs],
        comparison=comparison(cells(data)),
        readable=[_readable_line(run) for run in runs],
        notes=[
            *simulation_notes(runs),
            *code_notes(runs),
            "Distances follow the arcs, from the sources. Diameter: the largest distance of a pair with a path. "
            "Radius: the smallest eccentricity of a source that reaches every vertex. Mean distance: over pairs of "
            "two different vertices with a path.",
            "Time a source: mean time to solve, certify and reduce its row. Total: the time of all jobs together, "
            "which also prepare the graph and write rows.",
            *(_job_note(run) for run in runs),
            f"{measured_on(runs)} Every row was certified.",
            *condition_notes(runs),
            *hash_notes(runs),
        ],
        text_columns=["Graph"],
    )


def _csv_line(run: Run) -> Line:
    more = run.more
    counts = {"vertices": run.vertices, "arcs": run.arcs, "rows": more["rows"], "pairs": more["pairs"]}
    seconds = {"source_s": more["source_s"], **{phase: more[phase] for phase in PHASES}, "seconds": run.seconds}
    return {
        "row": run.row,
        "dataset": run.dataset,
        **{name: csv_number(count) for name, count in counts.items()},
        **{name: _text(more[name]) for name in ("diameter", "radius", "mean_distance")},
        **{name: csv_number(value) for name, value in seconds.items()},
        "run": run.run,
        "solved_by": more["solved_by"],
        "status": run.status,
        "parts": str(more["parts"]),
    }


def _readable_line(run: Run) -> Line:
    more = run.more
    phases = [readable_seconds(more[phase] / more["rows"]) for phase in PHASES]
    return {
        "Graph": run.row,
        "Vertices": readable_count(run.vertices),
        "Sources": readable_count(more["rows"]),
        "Pairs with a path": readable_count(more["pairs"]),
        "Diameter": _text(more["diameter"]),
        "Radius": _text(more["radius"]) or "–",
        "Mean distance": "–" if more["mean_distance"] is None else plain_number(more["mean_distance"], 6),
        "Time a source": readable_seconds(more["source_s"]),
        **dict(zip(("Solve", "Certify", "Reduce"), phases, strict=True)),
        "Total": readable_seconds(run.seconds or 0.0),
    }


def _job_note(run: Run) -> str:
    """The jobs, the solver and the stored values of a line."""
    parts = run.more["parts"]
    jobs = "one job" if parts == 1 else f"{parts:,} jobs"
    parameters = dict(pair.split("=") for pair in run.asked.split(",") if pair)
    stored = []
    if parameters.get("nearest", "0") != "0":
        stored.append(f"{parameters['nearest']} nearest vertices of each source")
    if parameters.get("store") == "1":
        stored.append("all rows in a store")
    return f"{run.row}: {jobs}, by {run.more['solved_by']}{'; stored: ' + prose_list(stored) if stored else ''}."


def _read_statistics(run: Run) -> StatisticsFacts:
    statistics = read_record(run.record).reductions
    assert statistics is not None  # every record of such a run has them
    return statistics


def _text(number: float | None) -> str:
    return "" if number is None else f"{number:.15g}"


@claim(
    "a source of a thousand costs what a source of all costs",
    runs="sources",
    setting="solved, certified and reduced; jobs of one device each",
    about=["cost"],
)
def _(t):
    return t.fact("source_s", "reductions.first=1000+nearest=8") / t.fact("source_s", "reductions.nearest=8")
