"""Every figure of every work, found by looking, can be drawn and read, in each suite and from the reference records."""

from pathlib import Path

import pytest
from drawings import ESTIMATED, OUT_OF_MEMORY, assert_texts_are_readable, data_of, drawn, error_bars, run_line
from matplotlib.container import BarContainer

from warpath_study.report.cells import Data, cells
from warpath_study.report.runs import collect
from warpath_study.report.views import VIEWS
from warpath_study.works import works

ROOT = Path(__file__).resolve().parents[3]
REFERENCE = sorted(ROOT.glob("results/reference/*/runs"))
WORKS = works.load_all(ROOT / works.FOLDER)


def target_of(work: works.Work, suite: str, name: str) -> works.Target:
    return work.target(name, works.Choice(suite))


FIGURES = [
    pytest.param(work, suite, target.name, id=f"{work.name}-{suite}-{target.name}")
    for work in WORKS.values()
    for suite in (works.PAPER, "demo")
    for target in work.targets(works.Choice(suite))
    if target.fields.kind == "figure"
]

# The suite of the reference results: of its own name where the work has one, else the paper's.
MEASURED = [
    pytest.param(work, suite, target.name, id=f"{work.name}-{target.name}")
    for work in WORKS.values()
    for suite in ["reference"]
    for target in work.targets(works.Choice(suite))
    if target.fields.kind == "figure"
]


# A view of a work's own may read more of a record than its line; it is drawn from the reference.
OF_A_LINE = [figure for figure in FIGURES if target_of(*figure.values).fields.view in VIEWS]


def all_but_one_slow(figures):
    return [figures[0], *(pytest.param(*figure.values, id=figure.id, marks=pytest.mark.slow) for figure in figures[1:])]


BARS = [figure for figure in MEASURED if target_of(*figure.values).fields.view == "bars"]


def test_there_are_figures_to_look_at():
    assert {figure.values[0].name for figure in FIGURES} == set(WORKS)
    assert BARS


@pytest.mark.parametrize(("work", "suite", "name"), all_but_one_slow(OF_A_LINE))
def test_a_figure_of_any_times_can_be_read(work, suite, name, monkeypatch):
    """Times over four decades; the largest graph is estimated and the last variant does not fit on it."""
    monkeypatch.chdir(ROOT)
    target = target_of(work, suite, name)
    rows = list(dict.fromkeys(run.row for run in work.requests(target.fields.runs, works.Choice(suite))))
    columns = list(dict.fromkeys(run.column for run in work.requests(target.fields.runs, works.Choice(suite))))

    def line(run):
        place, column = rows.index(run.row), columns.index(run.column)
        size = int(run.row) if run.row.isdigit() else 1000 * 4**place
        largest = place == len(rows) - 1 and len(rows) > 1
        facts = {"vertices": size, "arcs": 3 * size}
        if largest and column == len(columns) - 1:
            return run_line(run, None, **facts, **OUT_OF_MEMORY)
        return run_line(run, 0.004 * 5**place / (1 + column), **{**facts, **(ESTIMATED if largest else {})})

    assert_texts_are_readable(drawn(data_of(work, name, line, suite)))


def reference(work: works.Work, suite: str, name: str) -> Data:
    """The target with those of its runs that the reference has."""
    choice = works.Choice(suite)
    target = work.target(name, choice)
    asked = work.requests(work.needs(target), choice)
    shown = [run for run in asked if run.row == (target.row or run.row) and not run.variant.startswith("cpu")]
    there = {records: sum((records / run.file).is_file() for run in shown) for records in REFERENCE}
    records = max(REFERENCE, key=there.__getitem__)  # works share some runs
    if there[records]:
        return Data(work, target, choice, collect(asked, records))
    pytest.skip(f"results/reference has no record of the {suite} suite of this figure")


@pytest.mark.parametrize(("work", "suite", "name"), all_but_one_slow(MEASURED))
def test_a_figure_of_the_reference_can_be_read(work, suite, name, monkeypatch):
    monkeypatch.chdir(ROOT)
    data = reference(work, suite, name)
    missing = [run.dataset for run in data.requests if not data.graph_file(run.dataset).is_file()]
    if data.target.fields.graphs and missing:
        pytest.skip(f"it reads the graphs as well; {missing[0]} is not there")
    assert_texts_are_readable(drawn(data))


@pytest.mark.parametrize(("work", "suite", "name"), all_but_one_slow(BARS))
def test_bars_of_the_reference_are_the_seconds_of_its_records(work, suite, name, monkeypatch):
    monkeypatch.chdir(ROOT)
    data = reference(work, suite, name)
    figure = drawn(data)
    found = cells(data, data.read_published(data.target.fields.options.get("published", "")))
    found = [cell for cell in found if cell.device_kind in ("cuda", "simulated") and cell.seconds is not None]
    heights = [bar.patches[0].get_height() for bar in figure.axes[0].containers if isinstance(bar, BarContainer)]
    factor = {"s": 1, "ms": 1e3, "µs": 1e6}[figure.axes[0].get_ylabel().partition("(")[2][:-1]]
    assert heights == pytest.approx([cell.seconds * factor for cell in found])
    several = [cell for cell in found if cell.samples and cell.min_s < cell.max_s]
    ends = [(low, high) for _, low, high in error_bars(figure)]
    assert ends == [pytest.approx((cell.min_s * factor, cell.max_s * factor)) for cell in several]


@pytest.mark.parametrize("work", WORKS.values(), ids=WORKS)
def test_every_figure_has_words(work):
    for name, target in work.fields.targets.items():
        if target.kind == "figure":
            assert target.title and target.caption.endswith("."), f"{name} needs a title and a caption"
            assert len(target.caption.split()) >= 6
    shows = [t for t in work.fields.targets.values() if t.kind == "figure" and t.options.get("published")]
    assert work.fields.hardware or not shows, f"{work.name}: hardware is missing"
