"""Figures: what is in the axes, that nothing overlaps, and that the same numbers give the same bytes."""

import importlib
from pathlib import Path

import matplotlib
import pytest
from drawings import assert_texts_are_readable
from matplotlib.colors import to_hex
from matplotlib.image import imread
from report_samples import TABLE1, TABLE3

from warpath import sources
from warpath.__main__ import main
from warpath.errors import UsageError
from warpath.report import style
from warpath.report.comparison import Entry, comparison_text
from warpath.report.published import read_published, seconds_of

FIGURES = {
    "figure5": ("bellman_ford", TABLE1),
    "figure5_log": ("bellman_ford", TABLE1),
    "figure6": ("floyd_warshall", TABLE3),
    "figure6_log": ("floyd_warshall", TABLE3),
}


def comparison(algorithm: str, published_file: Path, suite: str = "paper") -> list[Entry]:
    """A comparison in which every GPU variant takes half of its published time.

    Suite standin: the last graph is estimated and its last variant is out of memory. Suite demo: small graphs, a
    thousandth of the time, simulated.
    """
    table = read_published(published_file)
    entries = []
    for row, (name, published) in enumerate(table.rows.items()):
        for variant in table.variants:
            seconds = seconds_of(published.cells[variant])
            status = "ok" if seconds else "not_run"
            if suite == "standin" and row == len(table.rows) - 1 and seconds:
                status = "out_of_memory" if variant == table.variants[-1] else "estimated"
            run = status != "not_run"
            kind = "cpu" if variant == "cpu" else "host" if suite == "demo" else "cuda"
            device = {"cpu": "AMD EPYC 9554", "host": "AMD EPYC 9554 64-Core Processor", "cuda": "NVIDIA H200"}[kind]
            scale = 0.0005 if suite == "demo" else 0.5
            entries.append(
                Entry(
                    dataset=name if suite == "paper" else f"{suite}-{name}",
                    variant=variant,
                    published_seconds=published.cells[variant],
                    seconds=seconds * scale if status in ("ok", "estimated") else None,
                    ratio=None,
                    status=status,
                    device=device if run else "",
                    record="record.json" if run else "",
                    algorithm=algorithm,
                    row=name,
                    nodes=published.nodes if suite != "demo" else 300 * (row + 1),
                    edges=published.edges if suite != "demo" else 1700 * (row + 1),
                    comparable=suite != "demo",
                    device_kind=kind if run else "",
                    date="2026-03-14" if run else "",
                )
            )
    return entries


def drawn(figure: str, suite: str = "paper", entries: list[Entry] | None = None):
    """The figure of a suite; ``entries`` replace its comparison."""
    with style.applied():
        return importlib.import_module(f"warpath.report.{figure}").draw(entries or comparison(*FIGURES[figure], suite))


def legend(figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def caption(figure) -> str:
    return " ".join(figure.texts[-1].get_text().split())


def labels(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].get_xticklabels()]


def test_figure_5_has_the_papers_axes_and_bars_of_the_measured_heights():
    figure = drawn("figure5")
    axes = figure.axes[0]
    assert figure.get_suptitle() == "Results: Bellman-Ford"
    assert legend(figure) == ["Naive", "Stride", "Stride with Flag"]
    assert [label.replace(",\n", ",") for label in labels(figure)] == [
        "nyc\n(264K,733K)",
        "bay\n(321K,800K)",
        "col\n(435K,1.0M)",
        "fla\n(1.0M,2.7M)",
        "ne\n(1.5M,3.8M)",
        "e\n(3.5M,8.7M)",
    ]
    assert axes.get_ylabel() == "Time (s)"
    assert axes.get_ylim()[0] == 0
    assert len(axes.patches) == 18
    assert [bar.get_height() for bar in axes.patches[:3]] == [8.58384 / 2, 8.77939 / 2, 3.91371 / 2]
    assert axes.patches[15].get_height() == 1137.63 / 2
    centres = [bar.get_x() + bar.get_width() / 2 for bar in axes.patches]
    assert centres == sorted(centres)
    assert centres[1::3] == pytest.approx(range(6))
    assert caption(figure) == "NVIDIA H200, 2026-03-14."


def test_figure_6_has_a_line_for_each_variant():
    figure = drawn("figure6")
    axes = figure.axes[0]
    assert legend(figure) == ["Naive", "Super Naive", "Super Naive Shared", "Tiled", "Tiled with Shared Memory"]
    assert labels(figure) == ["gnutella04\n(10K,39K)", "gnutella25\n(22K,54K)", "gnutella30\n(36K,88K)"]
    assert list(axes.lines[0].get_ydata()) == [30.1521 / 2, 137.369 / 2, 703.358 / 2]
    assert len(axes.lines) == 5
    assert axes.get_ylim()[0] == 0
    assert axes.get_yscale() == "linear"


def test_figure_5_log_has_the_published_times_as_hollow_marks_at_their_bars():
    figure = drawn("figure5_log")
    axes = figure.axes[0]
    assert axes.get_yscale() == "log"
    assert legend(figure)[-1] == "Published"
    assert [line.get_ydata()[0] for line in axes.lines[:3]] == [8.58384, 8.77939, 3.91371]
    for bar, mark in zip(axes.patches, axes.lines, strict=True):
        assert mark.get_xdata()[0] == pytest.approx(bar.get_x() + bar.get_width() / 2)
        assert to_hex(mark.get_markerfacecolor()) == "#ffffff"


def test_figure_6_log_has_a_dashed_line_of_the_published_times_in_each_colour():
    axes = drawn("figure6_log").axes[0]
    measured, published = axes.lines[0::2], axes.lines[1::2]
    assert list(published[4].get_ydata()) == [2.37704, 20.4614, 82.3174]
    assert [line.get_color() for line in measured] == [line.get_color() for line in published]
    assert {to_hex(line.get_markerfacecolor()) for line in published} == {"#ffffff"}


@pytest.mark.parametrize("figure", FIGURES)
def test_simulated_times_are_marked_and_have_no_published_ones_beside_them(figure):
    drawing = drawn(figure, "demo")
    assert drawing.axes[0].get_ylabel() == "Host simulation time (ms)"
    assert caption(drawing).startswith("Host simulation, not GPU times. AMD EPYC 9554 64-Core Processor, 2026-03-14.")
    assert "Published" not in legend(drawing)
    assert ("Published times are left out" in caption(drawing)) == figure.endswith("_log")


@pytest.mark.parametrize("figure", FIGURES)
def test_estimates_and_gaps_are_marked_and_explained(figure):
    drawing = drawn(figure, "standin")
    variants = len(drawing.axes[0].texts)
    marks = [text.get_text() for text in drawing.axes[0].texts]
    assert sorted(marks) == ["~"] * (variants - 1) + ["×"]
    assert variants == (3 if figure.startswith("figure5") else 5)
    assert "~ estimated from the first iterations." in caption(drawing)
    assert "× out of memory: " in caption(drawing)


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("suite", ["paper", "standin", "demo"])
def test_no_two_texts_overlap_and_all_lie_inside(figure, suite):
    assert_texts_are_readable(drawn(figure, suite))


@pytest.mark.parametrize("figure", FIGURES)
def test_no_letter_is_under_eight_points_at_the_width_of_a_column(figure):
    drawing = drawn(figure)
    assert drawing.get_figwidth() == 3.5
    drawing.canvas.draw()
    sizes = [text.get_fontsize() for text in drawing.findobj(matplotlib.text.Text) if text.get_text()]
    assert min(sizes) >= 8


def test_graphs_and_variants_that_were_not_run_are_left_out_and_named():
    entries = [entry for entry in comparison("bellman_ford", TABLE1) if entry.dataset in ("nyc", "bay")]
    gap = Entry("col", "naive", "19.6589", None, None, "not_run", "", "", "bellman_ford", "col", 1, 2, False, "", "")
    figure = drawn("figure5", entries=[*entries, gap])
    assert labels(figure) == ["nyc\n(264K,733K)", "bay\n(321K,800K)"]
    assert caption(figure) == "NVIDIA H200, 2026-03-14. Not run: col."


def test_series_differ_without_colour_too():
    looks = style.series(7)
    assert len({look.colour for look in looks}) == len({look.marker for look in looks}) == 7
    assert len({look.hatch for look in looks[:6]}) == 6
    assert style.series(3) == looks[:3]


def test_a_comparison_of_another_algorithm_is_refused():
    with pytest.raises(UsageError, match="is of floyd_warshall, but the figure shows bellman_ford"):
        drawn("figure5", entries=comparison("floyd_warshall", TABLE3))


def test_a_comparison_without_gpu_times_is_refused():
    entries = [entry for entry in comparison("bellman_ford", TABLE1) if entry.variant == "cpu"]
    with pytest.raises(UsageError, match="no time of bellman_ford"):
        drawn("figure5", entries=entries)


@pytest.mark.parametrize("figure", ["figure5", "figure6_log"])
@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_the_command_writes_the_same_bytes_for_the_same_numbers(tmp_path, figure, suffix):
    table = tmp_path / "comparison.csv"
    table.write_text(comparison_text(comparison(*FIGURES[figure])), encoding="utf-8")
    outputs = [tmp_path / f"{name}.{suffix}" for name in ("one", "two")]
    with matplotlib.rc_context({"font.size": 20, "axes.facecolor": "red"}):  # the user's own settings do not matter
        assert main(["plot", figure, "--table", str(table), "--output", str(outputs[0])]) == 0
    assert main(["plot", figure, "--table", str(table), "--output", str(outputs[1])]) == 0
    assert outputs[0].read_bytes() == outputs[1].read_bytes()
    begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert outputs[0].read_bytes().startswith(begins)
    if suffix == "png":
        assert imread(outputs[0]).shape[1] == 3.5 * 200


@pytest.mark.parametrize(
    ("figure", "output", "says"),
    [
        ("figure9", "a.png", "unknown figure 'figure9'; there are figure5, figure5_log, figure6, figure6_log"),
        ("figure5", "a.jpg", "a figure is written as png, svg, pdf"),
        ("figure5", "figure5", "a figure is written as png, svg, pdf"),
    ],
)
def test_a_request_that_is_off_is_refused_before_anything_is_read(tmp_path, capsys, figure, output, says):
    assert main(["plot", figure, "--table", "nowhere.csv", "--output", str(tmp_path / output)]) == 2
    assert says in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_table_that_is_not_there_is_said_in_one_sentence(tmp_path, capsys):
    assert main(["plot", "figure5", "--table", "nowhere.csv", "--output", str(tmp_path / "a.png")]) == 1
    assert "nowhere.csv: no such file" in capsys.readouterr().err


def test_a_figure_is_made_of_its_own_module_and_no_code_that_measures():
    files = [path.relative_to(sources.PACKAGE_ROOT).as_posix() for path in sources.import_closure("warpath.cli.plot")]
    assert not [file for file in files if file.startswith(("algorithms", "device", "measure", "check", "graphs"))]
    assert not [file for file in files if Path(file).name.startswith(("figure", "tables", "markdown"))]
    names = {path.name for path in sources.import_closure("warpath.report.figure6_log")}
    assert {name for name in names if name.startswith("figure")} == {"figure6.py", "figure6_log.py"}


def test_a_table_is_made_of_no_code_that_measures_but_the_reader_of_records():
    files = [path.relative_to(sources.PACKAGE_ROOT).as_posix() for path in sources.import_closure("warpath.cli.table")]
    assert [file for file in files if file.startswith(("algorithms", "device", "measure", "check", "graphs"))] == [
        "measure/record.py",
        "measure/record.schema.json",
    ]
    assert not [file for file in files if "figure" in file or "style" in file]
