"""Figures over the number of vertices."""

from pathlib import Path

import pytest
from drawings import (
    ESTIMATED,
    OUT_OF_MEMORY,
    assert_texts_are_readable,
    caption,
    data_of,
    drawn,
    legend,
    run_line,
    tick_names,
)
from matplotlib.colors import to_hex

from warpath_study.report.published import parse_seconds, read_table
from warpath_study.works.works import load

WORKS = Path(__file__).resolve().parents[3] / "workflow/works"
TUTORIAL, KATZ = load(WORKS / "floyd_warshall_tutorial"), load(WORKS / "katz_kider")
SECONDS = {
    "cpu": (1.2, 9.5, 70.0, 600.0, 2000.0, 6000.0, 16_000.0, 50_000.0, 100_000.0, 160_000.0),
    "branchless": (0.01, 0.03, 0.2, 1.1, 3.8, 9.0, 30.0, 60.0, 120.0),
}
SIZES = (1000, 2000, 4000, 8000, 12000, 16000, 24000, 32000, 40000, 46000)


def tutorial(*sizes: int):
    """The tutorial's figure: estimates from 16,000 vertices on the CPU, and no memory for the largest on the GPU."""

    def line(run):
        size = int(run.row)
        if sizes and size not in sizes:
            return None
        times = SECONDS[run.variant]
        place = SIZES.index(size)
        facts = {"vertices": size, "arcs": 10 * size}
        if place >= len(times):
            return run_line(run, None, **facts, **OUT_OF_MEMORY)
        estimated = ESTIMATED if run.variant == "cpu" and size >= 16000 else {}
        return run_line(run, times[place], **{**facts, **estimated})

    return drawn(data_of(TUTORIAL, "vertices", line))


def katz(name: str, sizes=(64, 128, 256, 512, 1024, 2048, 4096, 9216, 10240, 11264), suite: str = "paper", scale=4e-8):
    """A figure of many sizes, close together at the end, and times that take many digits to write out."""

    def line(run):
        size = int(run.row)
        factor = scale * (1 + len(run.column) % 5)
        return run_line(run, factor * size**2, vertices=size, arcs=10 * size) if size in sizes else None

    return drawn(data_of(KATZ, name, line, suite))


def test_measured_estimated_and_published_times_are_told_apart():
    figure = tutorial()
    axes = figure.axes[0]
    assert legend(figure) == ["CPU", "Branchless", "Estimated", "Published", "Out of memory"]
    of_cpu = [line for line in axes.lines if line.get_color() == axes.lines[0].get_color()]
    by_look = {(line.get_linestyle(), line.get_fillstyle()): line for line in of_cpu if line.get_marker() == "o"}
    by_look |= {line.get_linestyle(): line for line in of_cpu if line.get_marker() == "None"}
    assert list(by_look["--"].get_ydata()) == list(SECONDS["cpu"])
    assert [y for y in by_look["-"].get_ydata() if y == y] == list(SECONDS["cpu"][:5])
    assert list(by_look["None", "full"].get_ydata()) == list(SECONDS["cpu"][:5])
    half = by_look["None", "bottom"]
    assert list(half.get_ydata()) == list(SECONDS["cpu"][5:])
    assert list(half.get_xdata()) == [16000, 24000, 32000, 40000, 46000]
    published = by_look[":", "full"]
    assert list(published.get_ydata()) == [250920] and to_hex(published.get_markerfacecolor()) == "#ffffff"
    assert axes.get_yscale() == "log" and axes.get_xlabel() == "Vertices"


def test_graphs_that_were_not_run_are_named():
    assert "not run" not in caption(tutorial())
    left_out = caption(tutorial(1000, 4000, 12000, 16000, 24000, 32000, 40000, 46000))
    assert "tutorial-2000 and tutorial-8000 were not run" in left_out


@pytest.mark.parametrize(
    "figure",
    [tutorial, lambda: tutorial(32000, 46000), lambda: katz("figure8"), lambda: katz("figure8", (9216, 10240, 11264))],
    ids=["tutorial", "two sizes", "katz", "three sizes close together"],
)
def test_no_two_texts_overlap(figure):
    assert_texts_are_readable(figure())


@pytest.mark.parametrize(
    "figure", [tutorial, lambda: katz("figure5"), lambda: katz("figure7")], ids=["tutorial", "figure5", "figure7"]
)
def test_every_size_has_its_label_and_its_point(figure):
    axes = figure().axes[0]
    sizes = list(next(line for line in axes.lines if line.get_linestyle() == "-").get_xdata())
    assert tick_names(axes.xaxis) == {size: f"{size:,}" for size in sizes} and len(sizes) == 10


def test_both_published_times_of_the_tuned_cpu_code_are_drawn_and_named():
    """The paper's table has times that Han et al. published, and times of their code on the authors' machine."""
    figure = katz("figure8")
    table = read_table(KATZ.published_file("table1.csv"))
    looks = dict(zip(legend(figure), figure.legends[0].legend_handles, strict=True))
    for column, who in (("cpu_tuned_han", "run by Han"), ("cpu_tuned_authors", "run by Katz")):
        (handle,) = [handle for label, handle in looks.items() if who in label]
        (line,) = [one for one in figure.axes[0].lines if one.get_marker() == handle.get_marker()]
        printed = {row: parse_seconds(table.cell(row, column)) for row in table.rows}
        assert dict(zip(line.get_xdata(), line.get_ydata(), strict=True)) == {
            int(row): seconds for row, seconds in printed.items() if seconds
        }
        assert to_hex(line.get_markerfacecolor()) == "#ffffff"
    of_cpu = [line for line in figure.axes[0].lines if line.get_color() == looks["CPU, Tuned"].get_color()]
    assert of_cpu and not any(line.get_linestyle() == ":" for line in of_cpu)


def test_a_line_of_several_devices_says_how_many():
    names = legend(katz("figure8", suite="reference"))
    assert "Several Devices, 2 GPUs" in names and "Out of Core, 512 MiB" in names
