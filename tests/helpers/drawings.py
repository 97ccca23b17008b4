"""Runs for drawings, and what every drawing must satisfy, whatever it shows."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from math import ceil, floor, log10
from typing import Any

from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

from warpath_study.report import style
from warpath_study.report.cells import Data
from warpath_study.report.labels import run_label
from warpath_study.report.runs import Run
from warpath_study.report.views import make
from warpath_study.works.works import PAPER, Choice, RunRequest, Work

H200 = {"device_kind": "cuda", "device": "NVIDIA H200"}
CPU = {"device_kind": "cpu", "device": "AMD EPYC 9554"}
SIMULATED = {"device_kind": "simulated", "device": "AMD EPYC 9554 64-Core Processor", "status": "simulated"}
ESTIMATED = {
    "status": "estimated",
    "samples": 0,
    "min_s": None,
    "max_s": None,
    "iterations_timed": 9,
    "iterations_total": 90,
    "seconds_timed": 1.0,
    "settled": True,
}
UNSETTLED = {**ESTIMATED, "status": "unsettled", "settled": False}
OUT_OF_MEMORY = {**ESTIMATED, "status": "out_of_memory", "seconds": None, "iterations_timed": None, "reason": "full"}


def run_line(run: RunRequest, seconds: float | None, /, **facts: Any) -> Run:
    """A measured run: a median of five samples, of which the fastest is farther off than the slowest."""
    machine = CPU if run.variant.startswith("cpu") else H200
    sources = run.parameters.get("sources_with_arcs", run.parameters.get("sources"))
    spread = {} if seconds is None else {"min_s": 0.7 * seconds, "max_s": 1.1 * seconds, "std_s": 0.1 * seconds}
    line = {
        "row": run.row,
        "dataset": run.dataset,
        "run": run.run,
        "algorithm": run.algorithm,
        "variant": run.variant,
        "asked": ",".join(f"{name}={value}" for name, value in run.parameters.items()),
        "problem": "apsp",
        "vertices": 1000,
        "arcs": 3000,
        "status": "ok",
        "seconds": seconds,
        "samples": sources or 5,
        "sources": sources,
        "date": "2026-03-14",
        "certified": "full",
        **spread,
        **machine,
    }
    return changed(Run(label=run_label(run.variant), **line), **facts)


def changed(cell: Run, **facts: Any) -> Run:
    """The cell with other facts, those that it has no field for among ``more``."""
    own = {name: value for name, value in facts.items() if hasattr(cell, name)}
    more = {name: value for name, value in facts.items() if name not in own}
    return replace(cell, **own, more={**cell.more, **more})


def data_of(work: Work, name: str, cells: Callable[[RunRequest], Run | None], suite: str = PAPER) -> Data:
    """A target with the runs that ``cells`` makes; None for one that was not measured."""
    choice = Choice(suite)
    target = work.target(name, choice)
    found = [cell for run in work.requests(work.needs(target), choice) if (cell := cells(run))]
    return Data(work, target, choice, found)


def drawn(data: Data) -> Figure:
    """The figure of a target."""
    with style.style_context():
        return make(data)


def legend(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def caption(figure: Figure) -> str:
    """The words at the foot of a figure, on one line."""
    return " ".join(figure.texts[-1].get_text().split())


def tick_names(axis: Axis) -> dict[float, str]:
    """The labels of the ticks within the limits of an axis, by their places."""
    low, high = sorted(axis.get_view_interval())
    ticks = [(tick.get_loc(), tick.label1.get_text()) for tick in axis.get_major_ticks()]
    return {place: text for place, text in ticks if low - 1e-9 * abs(low) <= place <= high + 1e-9 * abs(high)}


def assert_decades_are_labelled(axis: Axis) -> None:
    """Every power of ten on a logarithmic axis has a label, or of more than six every second; all have one form."""
    low, high = axis.get_view_interval()
    powers = range(ceil(log10(low) - 1e-9), floor(log10(high) + 1e-9) + 1)
    superscripts = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    names = [f"10{str(power).translate(superscripts)}" for power in powers]
    assert list(tick_names(axis).values()) in ([names] if len(names) <= 6 else [names, names[::2], names[1::2]])


def error_bars(figure: Figure) -> list[tuple[float, float, float]]:
    """Place, lower and upper end of each error bar of the first axes, in the order in which they were drawn."""
    bars = [bar for bar in figure.axes[0].containers if isinstance(bar, ErrorbarContainer)]
    segments = [segment for bar in bars for segment in bar.lines[2][0].get_segments()]
    return [(low[0], low[1], high[1]) for low, high in segments]


def assert_texts_are_readable(figure: Figure) -> None:
    """No two texts of a figure overlap, all lie inside, and none is smaller than print allows."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    texts = [*figure.texts, *(text for legend in figure.legends for text in [legend.get_title(), *legend.get_texts()])]
    for axes in figure.axes:
        texts += [axes.yaxis.label, axes.xaxis.label, axes.title, axes._left_title]
        for axis, (low, high) in ((axes.xaxis, sorted(axes.get_xlim())), (axes.yaxis, sorted(axes.get_ylim()))):
            ticks = [tick for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high]  # others are not drawn
            texts += [tick.label1 for tick in ticks if tick.label1.get_visible()]
    boxes = [
        (text.get_text(), text.get_window_extent(renderer)) for text in dict.fromkeys(texts) if text.get_text().strip()
    ]
    assert boxes
    assert min(text.get_fontsize() for text in texts if text.get_text()) >= 8
    for axis in [axis for axes in figure.axes for axis in (axes.xaxis, axes.yaxis)]:
        if axis.get_scale() == "log" and axis.get_transform().base == 10:
            assert_decades_are_labelled(axis)
    width, height = figure.bbox.width, figure.bbox.height
    for name, box in boxes:
        assert min(box.x0, box.y0) >= 0 and box.x1 <= width and box.y1 <= height, f"{name!r} is cut off"
    for (name, box), (other_name, other) in itertools.combinations(boxes, 2):
        assert not box.overlaps(other), f"{name!r} overlaps {other_name!r}"
