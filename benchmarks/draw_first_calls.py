"""Draws what ``first_calls.py`` printed for several sizes of some families: time against the number of vertices.

python benchmarks/draw_first_calls.py results/reference/nvidia-h200/growth.txt docs/growth.svg
"""

import argparse
import re
from collections import defaultdict
from pathlib import Path

import matplotlib

matplotlib.use("agg")
from matplotlib import pyplot
from matplotlib.ticker import FuncFormatter

PANELS = ("first call", "later calls", "prepared")
GRAPH = re.compile(r"([^:]+):\d+.*: ([\d,]+) vertices")
CALL = re.compile(r"    (\w.*?)  +([\d.]+) \(")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("printed", type=Path, help="the output of first_calls.py")
    parser.add_argument("figure", type=Path, help="the file to write")
    options = parser.parse_args()
    text = options.printed.read_text(encoding="utf-8")
    figure, axes = pyplot.subplots(1, len(PANELS), figsize=(10, 3.6), sharey=True, layout="constrained")
    times = times_of(text)
    for panel, axis in zip(PANELS, axes, strict=True):
        for marker, (family, of_family) in zip("osD^vP", times.items(), strict=False):
            axis.plot(*zip(*of_family[panel], strict=True), marker=marker, markersize=4, label=family)
        axis.set(title=panel.capitalize(), xlabel="vertices", yscale="log")
        axis.set_xscale("log", base=2)
        axis.grid(alpha=0.3)
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes[0].set_ylabel("median time, ms")
    axes[0].legend(frameon=False, fontsize=9)
    figure.suptitle(f"One source, distances on the device: {text.partition(',')[0]}", fontsize=11)
    figure.savefig(options.figure, dpi=160, metadata={"Date": None} if options.figure.suffix == ".svg" else None)


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
