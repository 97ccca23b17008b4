"""Draws what ``first_calls.py`` printed for several sizes of some families: time against the number of vertices.

python benchmarks/draw_first_calls.py results/reference/nvidia-h200/growth.txt docs/growth.png
"""

import argparse
import re
from collections import defaultdict
from pathlib import Path

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from warpath_study.report import style
from warpath_study.report.labels import short_count

PANELS = ("first call", "later calls", "prepared")
HEAD = re.compile(r"(.*), (\d+) sources, milliseconds")
GRAPH = re.compile(r"([^:]+):\d+.*: ([\d,]+) vertices")
CALL = re.compile(r"    (\w.*?)  +([\d.]+) \(")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("printed", type=Path, help="the output of first_calls.py")
    parser.add_argument("figure", type=Path, help="the file to write")
    options = parser.parse_args()
    with style.style_context():
        figure = drawing(options.printed.read_text(encoding="utf-8"))
    style.save(figure, options.figure)


def drawing(text: str) -> Figure:
    """A panel for each kind of call, with a line for each family."""
    head, times = HEAD.search(text), times_of(text)
    assert head
    looks = dict(zip(times, style.looks_of(len(times)), strict=True))
    sizes = sorted({vertices for of_family in times.values() for vertices, _ in of_family[PANELS[0]]})
    figure = style.new_figure(style.WIDE_INCHES)
    every = figure.subplots(1, len(PANELS), sharex=True, sharey=True)
    for panel, axes in zip(PANELS, every, strict=True):
        for family, look in looks.items():
            axes.plot(*zip(*times[family][panel], strict=True), **look.mark())
        axes.set(title=panel.capitalize(), xlabel="Vertices")
        axes.grid(axis="y")
    every[0].set_xscale("log", base=2)
    every[0].set_xticks(sizes, map(short_count, sizes))
    every[0].xaxis.set_minor_locator(NullLocator())
    every[0].set_ylabel("Median time")
    style.log_axis(every[0], "y", " ms")
    legend: style.Legend = [(Line2D([], [], **look.mark()), family) for family, look in looks.items()]
    caption = f"Median times over {head[2]} sources, until the distances are on the device."
    return style.finish(figure, "Calls from one source", head[1], caption, legend, 2.4)


def times_of(text: str) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """Vertices and median milliseconds, by family and kind of call."""
    times: dict[str, dict[str, list[tuple[int, float]]]] = defaultdict(lambda: defaultdict(list))
    for line in text.splitlines():
        if graph := GRAPH.match(line):
            family, vertices = graph[1], int(graph[2].replace(",", ""))
        elif call := CALL.match(line):
            times[family][call[1]].append((vertices, float(call[2])))
    return times


if __name__ == "__main__":
    main()
