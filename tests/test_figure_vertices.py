"""Figures over the number of vertices."""

from pathlib import Path

import pytest
from drawings import ESTIMATED, OUT_OF_MEMORY, assert_texts_are_readable, caption, data_of, drawn, legend, run_line
from matplotlib.colors import to_hex

from warpath_study.works.works import load

WORKS = Path(__file__).parent.parent / "workflow/works"
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
    assert legend(figure) == ["CPU", "Branchless", "Estimated", "Published"]
    of_cpu = [line for line in axes.lines if line.get_color() == axes.lines[0].get_color()]
    by_look = {(line.get_linestyle(), line.get_marker()): line for line in of_cpu}
    assert list(by_look["--", "None"].get_ydata()) == list(SECONDS["cpu"])
    solid = by_look["-", "o"]
    assert [y for y in solid.get_ydata() if y == y] == list(SECONDS["cpu"][:5])
    hollow = by_look["None", "o"]
    assert list(hollow.get_ydata()) == list(SECONDS["cpu"][5:]) and to_hex(hollow.get_markerfacecolor()) == "#ffffff"
    assert list(hollow.get_xdata()) == [16000, 24000, 32000, 40000, 46000]
    assert list(by_look[":", "x"].get_ydata()) == [250920]
    assert axes.get_yscale() == "log" and axes.get_xlabel() == "Vertices"


def test_gaps_are_explained_without_names_of_rows_or_datasets():
    words = caption(tutorial())
    assert words.startswith("Measured on AMD EPYC 9554 and NVIDIA H200, 2026-03-14. Crosses: published")
    assert "⊘: out of memory (Branchless on 46,000 vertices)." in words
    assert "tutorial-" not in words
    left_out = caption(tutorial(1000, 4000, 12000, 16000, 24000, 32000, 40000, 46000))
    assert "Not run: 2,000 vertices and 8,000 vertices." in left_out


@pytest.mark.parametrize(
    "figure",
    [tutorial, lambda: tutorial(32000, 46000), lambda: katz("figure8"), lambda: katz("figure8", (9216, 10240, 11264))],
    ids=["tutorial", "two sizes", "katz", "three sizes close together"],
)
def test_no_two_texts_overlap(figure):
    assert_texts_are_readable(figure())


def test_labels_of_one_axis_are_of_one_kind():
    labels = [label.get_text() for label in tutorial().axes[0].get_xticklabels()]
    assert labels[:3] == ["1K", "2K", "4K"] and labels[-1] == "46K"


def test_every_size_has_its_point_though_not_its_label():
    axes = katz("figure5").axes[0]
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels == ["64", "128", "256", "512", "1024", "2048", "4096", "", "", "11264"]
    assert len(next(line for line in axes.lines if line.get_linestyle() == "-").get_xdata()) == 10


def test_times_of_many_digits_are_powers_of_ten():
    for figure, label in ((katz("figure7"), "10⁻⁴"), (tutorial(), "10⁵")):
        assert label in [text.get_text() for text in figure.axes[0].get_yticklabels()]


def test_a_line_of_several_devices_says_how_many():
    names = legend(katz("figure8", suite="reference"))
    assert "Several Devices, 2 GPUs" in names and "Out of Core, 512 MiB" in names
