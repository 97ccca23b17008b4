"""Figures: they draw what was measured and say what their signs mean; those by a shared view can be read."""

import dataclasses
from pathlib import Path

import matplotlib
import pytest
from drawings import (
    ESTIMATED,
    OUT_OF_MEMORY,
    SIMULATED,
    UNSETTLED,
    assert_texts_are_readable,
    caption,
    data_of,
    drawn,
    error_bars,
    legend,
    run_line,
    tick_names,
)
from matplotlib.colors import to_hex, to_rgb
from matplotlib.container import BarContainer
from matplotlib.text import Text

from warpath.errors import UsageError
from warpath_study.report import style
from warpath_study.report.cells import Data, cells
from warpath_study.report.charts import speedup
from warpath_study.report.published import parse_seconds, read_table
from warpath_study.report.views import VIEWS
from warpath_study.works import works

ROOT = Path(__file__).resolve().parents[3]
WORKS = works.load_all(ROOT / works.FOLDER)
BODRA = WORKS["bodra"]
TABLES = {name: read_table(BODRA.published_file(f"{name}.csv")) for name in ("table1", "table3")}
FIGURES = {f"figure5{form}": "table1" for form in ("", "_log", "_speedup")}
FIGURES |= {f"figure6{form}": "table3" for form in ("", "_log", "_speedup")}


def measured(figure: str, suite: str = "paper", **of_variant: dict) -> Data:
    """Every run in a third of its published time, on graphs of the published sizes; ``of_variant`` changes some."""
    table = TABLES[FIGURES[figure]]

    def line(run):
        seconds = parse_seconds(table.cell(run.row, run.variant).lstrip(">"))
        size = table.rows[run.row]
        counts = {"vertices": size.nodes, "arcs": size.edges}
        return (
            run_line(run, seconds and seconds / 3, **{**counts, **of_variant.get(run.variant, {})}) if seconds else None
        )

    return data_of(BODRA, figure, line, suite)


def gpu_cells(data: Data):
    """The cells that are drawn, in their order."""
    found = cells(data, data.read_published(f"{FIGURES[data.target.name]}.csv"))
    return [cell for cell in found if cell.device_kind == "cuda"]


def bars(figure) -> list[float]:
    return [bar.patches[0].get_height() for bar in figure.axes[0].containers if isinstance(bar, BarContainer)]


def diamonds(figure):
    return [line for line in figure.axes[0].lines if line.get_marker() == "D"]


def marks(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def signs(figure) -> list[str]:
    """The signs that the legend explains."""
    return [handle.get_text() for handle in figure.legends[0].legend_handles if isinstance(handle, Text)]


def line_of(figure, label: str, **properties):
    """Lines of the axes in the colour of the series ``label``, with other properties."""
    looks = dict(zip(legend(figure), figure.legends[0].legend_handles, strict=True))
    return [
        line
        for line in figure.axes[0].lines
        if line.get_color() == looks[label].get_color()
        and all(matplotlib.artist.getp(line, name) == value for name, value in properties.items())
    ]


def labels(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].get_xticklabels()]


def graph_names(figure) -> list[str]:
    """The names of the graphs, which may break at hyphens, without their counts."""
    return [label.partition("\n(")[0].replace("\n", "") for label in labels(figure)]


def is_pale(colour) -> bool:
    """Whether the colour is lighter than that of any series."""
    return min(to_rgb(colour)) > 0.75


def test_bars_are_the_seconds_of_their_cells_from_the_fastest_sample_to_the_slowest():
    data = measured("figure5")
    figure, found = drawn(data), gpu_cells(data)
    axes = figure.axes[0]
    assert bars(figure) == [cell.seconds for cell in found]
    assert bars(figure)[0] == pytest.approx(8.58384 / 3) != pytest.approx(8.58384)
    assert legend(figure) == ["Naive", "Stride", "Stride with Flag"]
    assert axes.get_ylabel() == "Time (s)" and axes.get_yscale() == "linear" and axes.get_ylim()[0] == 0
    centres = [bar.get_x() + bar.get_width() / 2 for bar in axes.patches]
    assert centres[1::3] == pytest.approx(range(6)) and centres == sorted(centres)
    assert [x for x, _, _ in error_bars(figure)] == pytest.approx(centres)
    ends = [(low, high) for _, low, high in error_bars(figure)]
    assert ends == [pytest.approx(pair) for pair in ((cell.min_s, cell.max_s) for cell in found)]
    assert "error bars" in caption(figure) and "ublished" not in caption(figure)
    assert not diamonds(figure)


def test_published_times_are_hollow_diamonds_at_their_bars_in_their_colours():
    figure = drawn(measured("figure5_log"))
    axes = figure.axes[0]
    assert bars(figure)[0] == pytest.approx(8.58384 / 3)
    assert [line.get_ydata()[0] for line in diamonds(figure)[:3]] == [8.58384, 8.77939, 3.91371]
    for bar, diamond in zip(axes.patches, diamonds(figure), strict=True):
        assert diamond.get_xdata()[0] == pytest.approx(bar.get_x() + bar.get_width() / 2)
        assert to_hex(diamond.get_markeredgecolor()) == to_hex(bar.get_facecolor())
        assert to_hex(diamond.get_markerfacecolor()) == "#ffffff"
    assert legend(figure)[-1] == "Published" and axes.get_yscale() == "log"
    assert BODRA.fields.hardware in caption(figure)


def test_lines_go_through_the_measured_times_and_hollow_marks_are_published_ones():
    data = measured("figure6_log")
    figure, found, table = drawn(data), gpu_cells(data), TABLES["table3"]
    series = {"naive": "Naive", "super_naive_shared": "Super Naive Shared", "super_naive": "Super Naive"}
    series |= {"tiled": "Tiled", "tiled_shared": "Tiled with Shared Memory"}
    assert legend(figure) == [*series.values(), "Published"]  # from the top
    for variant, label in series.items():
        published = [parse_seconds(table.cell(row, variant)) for row in table.rows]
        (line,), (marks,) = line_of(figure, label, linestyle="-"), line_of(figure, label, linestyle="None")
        (printed,) = line_of(figure, label, linestyle=":")
        assert list(line.get_ydata()) == list(marks.get_ydata()) == [seconds / 3 for seconds in published]
        assert list(printed.get_ydata()) == published and to_hex(printed.get_markerfacecolor()) == "#ffffff"
        assert printed.get_marker() == marks.get_marker()
    ends = sorted((low, high) for _, low, high in error_bars(figure))
    assert ends == [pytest.approx(pair) for pair in sorted((cell.min_s, cell.max_s) for cell in found)]


def test_one_sample_has_no_error_bar():
    single = {"samples": 1, "min_s": 3.0, "max_s": 3.0, "seconds": 3.0}
    figure = drawn(measured("figure5", naive=single, stride=single, stride_flag=single))
    assert not error_bars(figure) and "error bars" not in caption(figure)
    mean = {"sources": 100, "samples": 100}
    figure = drawn(measured("figure5", naive=single, stride=mean, stride_flag=mean))
    assert len(error_bars(figure)) == 12
    assert "over random sources" in caption(figure) and figure.axes[0].get_ylabel() == "Mean time (s)"


def test_marks_stand_on_bars_that_are_estimated():
    estimated = drawn(measured("figure5_log", stride=ESTIMATED))
    assert marks(estimated) == ["~"] * 6 and signs(estimated) == ["~"]
    both = drawn(measured("figure6_speedup", tiled=UNSETTLED, tiled_shared=ESTIMATED))
    assert marks(both) == ["≈", "~"] * 3 and signs(both) == ["~", "≈"]
    assert not marks(drawn(measured("figure5"))) and not signs(drawn(measured("figure5")))


def test_a_run_that_ran_out_of_memory_is_marked():
    for name in ("figure5", "figure6_log"):
        last = TABLES[FIGURES[name]].columns[-1]
        figure = drawn(measured(name, **{last: OUT_OF_MEMORY}))
        assert marks(figure) == ["⊘"] * len(TABLES[FIGURES[name]].rows)
        assert signs(figure) == ["⊘"] and "Out of memory" in legend(figure)


def test_a_speedup_is_of_the_same_graph_and_of_one_machine():
    figure = drawn(measured("figure6_speedup", naive={"seconds": 60.0, "min_s": 30.0, "max_s": 90.0}))
    table = TABLES["table3"]
    others = table.columns[2:]
    printed = [(table.cell(row, "naive"), table.cell(row, variant)) for row in table.rows for variant in others]
    printed = [(parse_seconds(naive), parse_seconds(other)) for naive, other in printed]
    assert bars(figure) == pytest.approx([180 / other for _, other in printed])
    quotients = [naive / other for naive, other in printed]
    assert [line.get_ydata()[0] for line in diamonds(figure)] == pytest.approx(quotients)
    tiled_s = parse_seconds(table.cell("gnutella04", "tiled")) / 3
    assert error_bars(figure)[2][1:] == pytest.approx((30 / (1.1 * tiled_s), 90 / (0.7 * tiled_s)))
    assert legend(figure)[0] == "Super Naive" and "Naive" not in legend(figure)
    assert figure.axes[0].get_ylabel() == "Speedup over Naive"


def test_a_speedup_is_estimated_where_the_naive_time_is_and_refused_without_it():
    figure = drawn(measured("figure5_speedup", naive=ESTIMATED, stride=UNSETTLED))
    assert marks(figure) == ["≈", "~"] * 6 and not error_bars(figure)
    with pytest.raises(UsageError, match="naive, stride"):
        speedup(measured("figure5_speedup"), over="fastest")
    naive_alone = lambda run: run_line(run, 3.0, vertices=9, arcs=9) if run.variant == "naive" else None  # noqa: E731
    with pytest.raises(UsageError, match="Naive"):
        speedup(data_of(BODRA, "figure5_speedup", naive_alone))


def test_bars_and_marks_are_pale_where_the_graph_or_its_weights_are_not_the_works():
    for name, suite in (("figure5_log", "topology"), ("figure5_speedup", "topology"), ("figure6_log", "standin")):
        data = measured(name, suite)
        figure = drawn(data)
        names = graph_names(figure)
        assert names == list(dict.fromkeys(run.dataset for run in data.runs))
        foreign = [row != dataset for row, dataset in zip(TABLES[FIGURES[name]].rows, names, strict=True)]
        if name == "figure6_log":
            (marks,) = line_of(figure, "Naive", linestyle="None")
            assert is_pale(marks.get_markerfacecolor()) and all(foreign)
        else:
            pale = [is_pale(bar.get_facecolor()) for bar in figure.axes[0].patches]
            assert pale == [is_foreign for is_foreign in foreign for _ in range(len(pale) // len(names))]
            assert any(foreign) and not all(foreign)
            assert [name in caption(figure) for name in names] == foreign
        assert len([label for label in legend(figure) if "not as published" in label]) == 1
        assert "not as published" not in " ".join(legend(drawn(measured(name))))


def test_graphs_that_were_not_run_are_left_out_and_named():
    data = measured("figure5")
    data = dataclasses.replace(data, runs=[run for run in data.runs if run.row in ("nyc", "bay")])
    figure = drawn(data)
    assert labels(figure) == ["nyc\n(264K, 734K)", "bay\n(321K, 800K)"]
    assert "NVIDIA H200, 2026-03-14" in caption(figure)
    assert "NVIDIA H200" in figure.legends[0].get_title().get_text()
    assert "col, fla, ne and e were not run" in caption(figure)


@pytest.mark.parametrize("name", ["figure5_speedup", "figure6_log"])
def test_simulated_times_are_marked_and_have_no_published_ones_beside_them(name):
    small = {"vertices": 300, "arcs": 1700}
    simulated = {variant: {**small, **SIMULATED} for variant in TABLES[FIGURES[name]].columns}
    figure = drawn(measured(name, "demo", **{**simulated, "cpu": small}))
    assert figure.axes[0].get_ylabel().endswith(", simulation")
    assert caption(figure).startswith("Simulation, not GPU times")
    assert "AMD EPYC 9554 64-Core Processor" in caption(figure)
    assert "simulation" in figure.legends[0].get_title().get_text()
    assert "Published" not in legend(figure)


def test_the_unit_is_that_of_the_longest_time_drawn():
    short = {"seconds": 0.002, "min_s": 0.001, "max_s": 0.003}
    every = {"naive": short, "stride": short, "stride_flag": short}
    figure = drawn(measured("figure5", **every))
    assert figure.axes[0].get_ylabel() == "Time (ms)" and bars(figure)[0] == pytest.approx(2)
    with_published = drawn(measured("figure5_log", **every))
    assert with_published.axes[0].get_ylabel() == "Time (s)" and bars(with_published)[0] == pytest.approx(0.002)


def test_a_figure_without_gpu_times_is_refused():
    data = measured("figure5")
    nothing = dataclasses.replace(data, runs=[run for run in data.runs if run.device_kind == "cpu"])
    with pytest.raises(UsageError, match="figure5"):
        drawn(nothing)


def test_series_differ_without_colour_too():
    looks = style.looks_of(7)
    assert len({look.colour for look in looks}) == len({look.marker for look in looks}) == 7
    assert len({look.hatch for look in looks[:6]}) == 6
    assert style.looks_of(3) == looks[:3]


@pytest.mark.slow
def test_the_same_numbers_give_the_same_bytes(tmp_path):
    contents = []
    for size, colour in ((20, "red"), (10, "white")):  # the user's own settings do not matter
        with matplotlib.rc_context({"font.size": size, "axes.facecolor": colour}):
            figure = drawn(measured("figure5_log"))
            files = [tmp_path / f"{size}.{suffix}" for suffix in ("png", "svg", "pdf")]
            for file in files:
                style.save(figure, file)
        contents.append([file.read_bytes() for file in files])
    assert contents[0] == contents[1]
    assert [content[:4] for content in contents[0]] == [b"\x89PNG", b"<?xm", b"%PDF"]


# Over the number of vertices.

TUTORIAL, KATZ = WORKS["floyd_warshall_tutorial"], WORKS["katz_kider"]
SECONDS_PER_VERTEX = {"cpu": 1e-3, "branchless": 1e-5, "branching": 2e-5, "cpu_branching": 3e-3, "cpu_branchless": 2e-3}


def tutorial(*sizes: int):
    """The tutorial's figure: estimates from 16,000 vertices on the CPU, and no memory for the largest on the GPU."""

    def line(run):
        size = int(run.row)
        facts = {"vertices": size, "arcs": 10 * size}
        if sizes and size not in sizes:
            return None
        if run.variant == "branchless" and size == 46000:
            return run_line(run, None, **facts, **OUT_OF_MEMORY)
        estimated = ESTIMATED if run.variant == "cpu" and size >= 16000 else {}
        return run_line(run, SECONDS_PER_VERTEX[run.variant] * size, **{**facts, **estimated})

    return drawn(data_of(TUTORIAL, "vertices", line))


KATZ_SIZES = (64, 128, 256, 512, 1024, 2048, 4096, 9216, 10240, 11264)


def katz(name: str, sizes=KATZ_SIZES):
    """A figure of many sizes, close together at the end, and times that take many digits to write out."""

    def line(run):
        size = int(run.row)
        factor = 4e-8 * (1 + len(run.column) % 5)
        return run_line(run, factor * size**2, vertices=size, arcs=10 * size) if size in sizes else None

    return drawn(data_of(KATZ, name, line))


def test_measured_estimated_and_published_times_are_told_apart():
    figure = tutorial()
    axes = figure.axes[0]
    lines = ["CPU, Branching", "CPU, Branchless", "CPU", "Branching", "Branchless"]
    assert legend(figure) == [*lines, "Estimated", "Published", "Out of memory"]
    of_cpu = [line for line in axes.lines if line.get_color() == axes.lines[0].get_color()]
    by_look = {(line.get_linestyle(), line.get_fillstyle()): line for line in of_cpu if line.get_marker() == "o"}
    by_look |= {line.get_linestyle(): line for line in of_cpu if line.get_marker() == "None"}
    estimated = by_look["None", "bottom"]
    assert list(estimated.get_xdata()) == [16000, 24000, 32000, 40000, 46000]
    assert list(estimated.get_ydata()) == pytest.approx([16, 24, 32, 40, 46])
    assert list(by_look["None", "full"].get_ydata()) == pytest.approx([1, 2, 4, 8, 12])
    assert list(by_look["--"].get_ydata()) == pytest.approx([1, 2, 4, 8, 12, 16, 24, 32, 40, 46])
    assert [y for y in by_look["-"].get_ydata() if y == y] == list(by_look["None", "full"].get_ydata())
    published = by_look[":", "full"]
    assert list(published.get_ydata()) == [250920] and to_hex(published.get_markerfacecolor()) == "#ffffff"
    assert axes.get_yscale() == "log" and axes.get_xlabel() == "Vertices"


@pytest.mark.slow
def test_sizes_close_together_have_labels_and_points_that_do_not_overlap():
    for figure in (tutorial(32000, 46000), katz("figure8", (9216, 10240, 11264))):
        assert_texts_are_readable(figure)
    figure = katz("figure5")
    assert [int(name.replace(",", "")) for name in tick_names(figure.axes[0].xaxis).values()] == list(KATZ_SIZES)


def test_both_published_times_of_the_tuned_cpu_code_are_drawn_and_named():
    """The paper's table has times that Han et al. published, and times of their code on the authors' machine."""
    figure = katz("figure8")
    table = read_table(KATZ.published_file("table1.csv"))
    looks = dict(zip(legend(figure), figure.legends[0].legend_handles, strict=True))
    for column, who in (("cpu_tuned_han", "run by Han"), ("cpu_tuned_authors", "run by Katz")):
        (handle,) = [handle for label, handle in looks.items() if who in label]
        (line,) = [one for one in figure.axes[0].lines if one.get_marker() == handle.get_marker()]
        printed = {int(row): parse_seconds(table.cell(row, column)) for row in table.rows}
        drawn_times = dict(zip(line.get_xdata(), line.get_ydata(), strict=True))
        assert drawn_times == {row: seconds for row, seconds in printed.items() if seconds}
        assert to_hex(line.get_markerfacecolor()) == "#ffffff"


# Every figure of every work in each suite, found by looking, but for those that are views of a work's own.

EVERY = [
    (work, suite, target)
    for work in WORKS.values()
    for suite in (works.PAPER, "demo")
    for target in work.targets(works.Choice(suite))
    if target.fields.kind == "figure" and target.fields.view in VIEWS
]


def drawn_at(figures):
    """The first is drawn in `make test`; the first of each other view is slow, and all others are nightly."""
    found, seen = [], set()
    for work, suite, target in figures:
        marks = [] if not found else [pytest.mark.nightly if target.fields.view in seen else pytest.mark.slow]
        found.append(pytest.param(work, suite, target, id=f"{work.name}-{suite}-{target.name}", marks=marks))
        seen.add(target.fields.view)
    return found


@pytest.mark.parametrize(("work", "suite", "target"), drawn_at(EVERY))
def test_a_figure_of_any_times_can_be_read(work, suite, target, monkeypatch):
    """Times over four decades; the largest graph is estimated and the last variant does not fit on it."""
    monkeypatch.chdir(ROOT)
    requests = work.requests(target.fields.runs, works.Choice(suite))
    rows = list(dict.fromkeys(run.row for run in requests))
    columns = list(dict.fromkeys(run.column for run in requests))

    def line(run):
        place, column = rows.index(run.row), columns.index(run.column)
        size = int(run.row) if run.row.isdigit() else 1000 * 4**place
        largest = place == len(rows) - 1 and len(rows) > 1
        facts = {"vertices": size, "arcs": 3 * size}
        if largest and column == len(columns) - 1:
            return run_line(run, None, **facts, **OUT_OF_MEMORY)
        return run_line(run, 0.004 * 5**place / (1 + column), **{**facts, **(ESTIMATED if largest else {})})

    assert_texts_are_readable(drawn(data_of(work, target.name, line, suite)))
