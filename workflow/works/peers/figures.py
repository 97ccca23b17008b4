"""The figure of peers: times of all solvers, a panel for each graph."""

from collections import Counter
from collections.abc import Sequence

from matplotlib.figure import Figure

from warpath.errors import UsageError
from warpath_study.record import SOURCES, SOURCES_WITH_ARCS, WITHOUT_TIME, parse_run
from warpath_study.report import charts
from warpath_study.report.cells import Data
from warpath_study.report.chart_data import device_titles, measured_text
from warpath_study.report.notes import MEDIAN_SAMPLES_MIN
from warpath_study.report.runs import Run
from warpath_study.report.style import Look

from .views import GPU_PEER, KERNELS, OURS, PEER, PUBLISHED, Solver, _comparison, _time

KINDS = {
    OURS: charts.Kind("warpath", Look("#0072B2"), bold=True),
    KERNELS: charts.Kind("warpath's kernels", Look("#CCE3F0")),
    PUBLISHED: charts.Kind("a published port on the GPU", Look("#56B4E9", "////")),
    PEER: charts.Kind("library on the CPU", Look("#E69F00")),
    GPU_PEER: charts.Kind("library on the GPU", Look("#009E73", "....")),
}


def panels(data: Data, *, best_published: Sequence[str] = ()) -> Figure:
    """A panel for each graph with a bar for each solver that has a time somewhere."""
    solved = _comparison(data, (), best_published)
    rows = [row for row in solved.datasets if any(name == row for name, _ in solved.runs)]
    solvers = [solver for solver in solved.solvers if any(solved.run(row, solver).seconds for row in rows)]
    if not solvers:
        raise UsageError(f"{data.target.name}: there is no time to draw; measure first")
    drawn = {}
    for row in rows:
        shown = [(solver, solved.run(row, solver)) for solver in solvers]
        places = Counter(_place(run) for _, run in shown if run.seconds is not None)
        drawn[row] = [_bar(solver, run, max(places, key=places.__getitem__, default=None)) for solver, run in shown]
    found = [run for run in data.measured if run.seconds is not None]
    return charts.panels(
        data.target.fields.title, device_titles(found), drawn, _caption(found), "Median time of a call"
    )


def _place(run: Run) -> tuple[str, str]:
    return run.machine, run.date


def _bar(solver: Solver, run: Run, usual: tuple[str, str] | None) -> charts.Bar:
    return charts.Bar(
        solver.label,
        KINDS[solver.role],
        _time(run),
        run.estimated,
        placeholder=WITHOUT_TIME.get(run.status, "–"),
        first_s=run.more.get("first_answer_s") if run.sources and run.more.get("preparations", 1) > 1 else None,
        few=_few(run),
        elsewhere=run.seconds is not None and _place(run) != usual,
    )


def _few(run: Run) -> int | None:
    """The number of sources if there are fewer than asked, or of samples if they are too few for a median."""
    asked = parse_run(run.run)[2] if run.run else {}
    wanted = MEDIAN_SAMPLES_MIN if run.sources is None else asked.get(SOURCES, asked.get(SOURCES_WITH_ARCS))
    return run.samples if run.samples and run.samples < (wanted or 0) else None


def _caption(found: Sequence[Run]) -> str:
    shown = (
        "median times of a call until the answer is in host memory, on a prepared graph unless the label says otherwise"
    )
    single = " A single sample has no bar." * any(_few(run) == 1 for run in found)
    return f"{measured_text(shown, found)}. The time of the best published port is that of its timed region.{single}"
