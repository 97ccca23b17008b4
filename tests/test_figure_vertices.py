"""The figure of times over the number of vertices."""

from pathlib import Path

import pytest
from drawings import assert_texts_are_readable
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

from warpath.report import figure_vertices, style
from warpath.report.comparison import Entry
from warpath.report.published import read_published

PUBLISHED = Path(__file__).parent.parent / "data/published/floyd_warshall_tutorial/times.csv"


def entry(vertices: int, variant: str, seconds: float | None, status: str = "ok", published: str = "") -> Entry:
    kind = "cpu" if variant == "cpu" else "cuda"
    name = "AMD EPYC 9554" if variant == "cpu" else "NVIDIA H200"
    return Entry(
        dataset=f"tutorial-{vertices}",
        variant=variant,
        published_seconds=published,
        seconds=seconds,
        ratio=None,
        status=status,
        device=name,
        record="record.json",
        algorithm="floyd_warshall",
        row=f"v{vertices}",
        nodes=vertices,
        edges=10 * vertices,
        comparable=vertices == 32000,
        device_kind=kind,
        date="2026-03-14",
    )


def drawn(*entries: Entry):
    with style.applied():
        return figure_vertices.draw(list(entries))


ENTRIES = [
    entry(1000, "cpu", 1.2),
    entry(1000, "branchless", 0.01),
    entry(2000, "cpu", 9.5),
    entry(2000, "branchless", 0.03),
    entry(16000, "cpu", 6000.0, "estimated"),
    entry(16000, "branchless", 9.0),
    entry(32000, "cpu", 50_000.0, "estimated", "250920"),
    entry(32000, "branchless", 60.0, "ok", "1200"),
    entry(46000, "cpu", 160_000.0, "estimated"),
    entry(46000, "branchless", None, "out_of_memory"),
]


def test_measured_and_estimated_times_are_told_apart():
    figure = drawn(*ENTRIES)
    axes = figure.axes[0]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == [
        "CPU",
        "Branchless",
        "Estimated",
        "Published",
    ]
    everything, measured, estimated, published = axes.lines[:4]
    assert list(everything.get_xdata()) == [1000, 2000, 16000, 32000, 46000]
    assert everything.get_linestyle() == "--" and everything.get_marker() == "None"
    assert list(measured.get_ydata()) == [1.2, 9.5] and measured.get_linestyle() == "-"
    assert list(estimated.get_ydata()) == [6000, 50_000, 160_000] and estimated.get_linestyle() == "None"
    assert to_hex(estimated.get_markerfacecolor()) == "#ffffff"
    assert list(published.get_ydata()) == [250920] and published.get_marker() == "x"
    assert axes.get_yscale() == "log" and axes.get_xlabel() == "Vertices"


def test_gaps_are_explained():
    caption = " ".join(drawn(*ENTRIES).texts[-1].get_text().split())
    assert caption.startswith("AMD EPYC 9554 and NVIDIA H200, 2026-03-14. ~ estimated from the first iterations.")
    assert "× out of memory: Branchless on tutorial-46000." in caption


# Sizes close together at the end, and times that take many digits to write out.
CROWDED = [
    entry(vertices, variant, factor * vertices**2)
    for vertices in (64, 128, 256, 512, 1024, 2048, 4096, 9216, 10240, 11264)
    for variant, factor in (("cpu", 1e-7), ("branchless", 4e-8))
]


@pytest.mark.parametrize(
    "entries",
    [ENTRIES, ENTRIES[:4], CROWDED, CROWDED[:4], CROWDED[6:]],
    ids=["all", "two sizes", "crowded", "short times", "few decades"],
)
def test_no_two_texts_overlap_and_all_lie_inside(entries):
    assert_texts_are_readable(drawn(*entries))


def test_the_largest_of_sizes_too_close_for_labels_has_one():
    axes = drawn(*CROWDED).axes[0]
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert labels == ["64", "128", "256", "512", "1024", "2048", "4096", "", "", "11K"]
    assert len(axes.lines[0].get_xdata()) == 10


@pytest.mark.parametrize(("entries", "label"), [(CROWDED, r"10^{-4}"), (CROWDED[6:], "0.01"), (ENTRIES, r"10^{5}")])
def test_times_of_many_digits_are_powers_of_ten(entries, label):
    figure = drawn(*entries)
    figure.draw(FigureCanvasAgg(figure).get_renderer())
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert any(label in text for text in labels), labels


def test_the_published_times_are_of_a_graph_of_that_many_vertices():
    row = read_published(PUBLISHED).rows["v32000"]
    assert row.has_size(32000, 320000) and row.has_size(32000, 5) and not row.has_size(31999, 320000)
    assert (row.cells["cpu"], row.cells["branchless"]) == ("250920", "1200")
