"""Views of Safari and Ebnenasir: out-degrees of the graphs, costs of each method, time over two parameters."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from warpath.durations import readable_seconds
from warpath.graphs import csr
from warpath.solvers.parameters import parse
from warpath_study.report import style
from warpath_study.report.cells import Data, cells, present
from warpath_study.report.charts import draw_line
from warpath_study.report.circumstances import circumstances, hash_notes, sample_notes
from warpath_study.report.labels import date_range, listed, plain_seconds
from warpath_study.report.notes import warnings, weight_notes
from warpath_study.report.published import NOTHING, read_lines
from warpath_study.report.shown import caption, select
from warpath_study.report.table import Table, comparison, csv_seconds
from warpath_study.works.claims import claim

BASE = "harish"
STATISTICS = {
    "nodes": "Vertices",
    "arcs": "Arcs",
    "max_out_degree": "Maximum",
    "std_out_degree": "Deviation",
    "median_out_degree": "Median",
}


_KINDS = {"nodes": int, "arcs": int, "max_out_degree": int, "std_out_degree": float, "median_out_degree": int}


def table1(data: Data) -> Table:
    """The graphs and their out-degrees, computed from the graphs, beside the published ones."""
    published = read_lines(data.work.published_file("table1.csv"), {"graph": str, "name": str, **_KINDS})
    datasets = {run.row: run.dataset for run in data.asked}
    lines, compared, shown = [], [], []
    for graph in published:
        name = graph["name"]
        if data.choice.rows and name not in data.choice.rows:
            continue
        measured = _degrees(data, datasets[name]) if name in datasets else dict.fromkeys(STATISTICS)
        lines.append({"graph": graph["graph"], "name": name, **{key: _plain(value) for key, value in measured.items()}})
        shown.append({"Graph": f"{name} ({datasets[name]})" if name in datasets else name})
        for key, heading in STATISTICS.items():
            agrees = "" if measured[key] is None else "yes" if round(measured[key], 2) == graph[key] else "no"
            compared.append(
                {
                    "name": name,
                    "statistic": key,
                    "published": _plain(graph[key]),
                    "measured": _plain(measured[key]),
                    "agrees": agrees,
                }
            )
            shown[-1][heading] = _beside(key, measured[key], graph[key], agrees)
    about = [
        "In brackets: the paper's number, if it differs. –: no graph in this row.",
        "The deviation is the standard deviation over all vertices.",
    ]
    frames = [pd.DataFrame(rows) for rows in (lines, compared, shown)]
    return Table(data.target.fields.title, *frames, about, left=["Graph"])


def _degrees(data: Data, dataset: str) -> dict[str, Any]:
    """The counts of a graph and the statistics of its out-degrees; parallel arcs and loops count."""
    graph = csr.load(data.graph_file(dataset))
    degrees = np.diff(graph.indptr)
    values = (graph.vertices, graph.arcs, int(degrees.max()), float(degrees.std()), float(np.median(degrees)))
    return dict(zip(STATISTICS, values, strict=True))


def _plain(value: Any) -> str:
    """A number for a CSV file: a float with six digits, a whole number with all of them."""
    return "" if value is None else plain_seconds(value) if isinstance(value, float) else str(value)


def _beside(key: str, measured: Any, published: Any, agrees: str) -> str:
    form = "{:.2f}" if key == "std_out_degree" else "{:,.10g}"
    if measured is None:
        return f"– ({form.format(published)})"
    return form.format(measured) + (f" ({form.format(published)})" if agrees == "no" else "")


def table2(data: Data) -> Table:
    """Bytes, launches, host reads, atomics and speedup of each method, means of one run, beside the published ones."""
    columns = dict.fromkeys(("variant", "space", "launches", "host_reads", "speedup"), str)
    published = {line["variant"]: line for line in read_lines(data.work.published_file("table2.csv"), columns)}
    found = cells(data, NOTHING)
    found = found[found["seconds"].notna()]
    lines, shown = [], []
    for _, of_row in found.groupby("row", sort=False):
        base_s = next((run["seconds"] for run in of_row.to_dict("records") if run["variant"] == BASE), None)
        for run in of_row.to_dict("records"):
            speedup = base_s / run["seconds"] if base_s else None
            lines.append(_method(run, speedup))
            shown.append(_readable(run, speedup, published.get(run["variant"], {})))
    devices = listed(list(dict.fromkeys(found["device"])))
    counts = listed([str(int(count)) for count in sorted(found["sources"].dropna().unique())])
    about = [
        *warnings(found),
        f"{devices}, {date_range(list(found['date']))}.",
        f"Means over {counts} random sources; every answer was certified.",
        "A time runs from the allocation on the device until the answer is copied back; the graph is already on the "
        "device.",
        "In brackets: the paper's Table 2. There, "
        + "; ".join(_printed(published[name]) for name in dict.fromkeys(found["variant"]) if name in published)
        + ".",
        "Bytes: V vertices, A arcs; four bytes per vertex hold predecessors, which the paper's programs do not "
        "compute.",
        "Launches and host reads include those for the predecessors. Atomics were counted in a separate run; the paper "
        "counts statements.",
        *_of_others(data),
        *sample_notes(found),
        *circumstances(found),
        *weight_notes(found),
        *hash_notes(found),
    ]
    return Table(
        data.target.fields.title,
        pd.DataFrame(lines),
        comparison(found),
        pd.DataFrame(shown),
        about,
        left=["Graph", "Method"],
    )


def _of_others(data: Data) -> list[str]:
    """What the paper prints of methods that were not measured here."""
    columns = dict.fromkeys(("method", "seconds", "hardware"), str)
    others = [
        f"{line['method']} {line['seconds']} s{line['hardware'] and ' on ' + line['hardware']}"
        for line in read_lines(data.work.published_file("calnev.csv"), columns)
    ]
    return [f"Of other methods, not implemented here, the paper has times on CalNev: {listed(others)}."]


def _method(run: Mapping[str, Any], speedup: float | None) -> dict[str, str]:
    """A line of the CSV file."""
    numbers = {
        "launches": run["launches"],
        "launches_per_iteration": run["launches"] / run["iterations"],
        "host_reads": run["host_reads"],
        "host_reads_per_iteration": run["host_reads"] / run["iterations"],
        "atomics": run["atomics"],
        "atomics_per_arc": run["atomics"] / run["arcs"],
        "speedup": speedup,
        "seconds": run["seconds"],
    }
    return {
        "row": run["row"],
        "dataset": run["dataset"],
        "method": run["label"],
        "bytes_per_vertex": f"{run['bytes_per_vertex']:.0f}",
        "bytes_per_arc": f"{run['bytes_per_arc']:.0f}",
        **{name: csv_seconds(value) for name, value in numbers.items()},
        "std_s": csv_seconds(run["std_s"]),
        "min_s": csv_seconds(run["min_s"]),
        "max_s": csv_seconds(run["max_s"]),
        "samples": str(run["samples"]),
        "weights": run["weights"],
    }


def _printed(line: Mapping[str, str]) -> str:
    """What a line of the paper's table says of a variant beside launches and host reads."""
    speedup = f" and is {line['speedup']} as fast" if line["speedup"] else ""
    return f"{line['variant']} takes {line['space']} words of four bytes{speedup}"


def _readable(run: Mapping[str, Any], speedup: float | None, published: Mapping[str, str]) -> dict[str, str]:
    def an_iteration(counter: str) -> str:
        text = f"{run[counter]:,.0f}, {run[counter] / run['iterations']:.2f} an iteration"
        return f"{text} ({published[counter]})" if counter in published else text

    return {
        "Graph": run["dataset"],
        "Method": run["label"],
        "Bytes": f"{run['bytes_per_vertex']:.0f} V + {run['bytes_per_arc']:.0f} A",
        "Launches": an_iteration("launches"),
        "Host reads": an_iteration("host_reads"),
        "Atomics": f"{run['atomics']:,.0f}, {run['atomics'] / run['arcs']:.2f} an arc",
        "Speedup over Harish": "–" if speedup is None else f"{speedup:.2f}x",
        "Mean time": readable_seconds(run["seconds"]),
    }


def table3(data: Data) -> Table:
    """The graphs with random weights, as the paper lists them, and the graphs measured in their place."""
    columns = dict.fromkeys(("name", "graph", "acronym"), str)
    published = {line["name"]: line for line in read_lines(data.work.published_file("table3.csv"), columns)}
    found = cells(data, NOTHING)
    measured = found[found["seconds"].notna()].drop_duplicates("row")
    lines, shown = [], []
    for graph in measured.to_dict("records"):
        printed = published.get(graph["row"], {"graph": graph["row"], "acronym": ""})
        counts = {"vertices": str(graph["vertices"]), "arcs": str(graph["arcs"])}
        names = {"graph": printed["graph"], "acronym": printed["acronym"], "dataset": graph["dataset"]}
        lines.append({**names, **counts, "weights": graph["weights"]})
        shown.append(
            {
                "Graph": printed["graph"],
                "Acronym": printed["acronym"],
                "Dataset": graph["dataset"],
                "Vertices": f"{graph['vertices']:,}",
                "Arcs": f"{graph['arcs']:,}",
                "Description": graph["weights"],
            }
        )
    about = ["The paper replaces the weights by random ones between 1 and 10, inclusive."]
    frames = [pd.DataFrame(rows) for rows in (lines, shown)]
    left = ["Graph", "Acronym", "Dataset", "Description"]
    return Table(data.target.fields.title, frames[0], comparison(found), frames[1], about, left=left)


def figure4(data: Data) -> Figure:
    """Mean time of locality over k: a panel for each graph, a line for each number of vertices per thread."""
    found = cells(data, NOTHING)
    shown = select(data, found[found["variant"] == "locality"])
    settings = {place: parse(cell["parameters"]) for place, cell in shown.cells.items() if present(cell["seconds"])}
    steps = sorted({each["k"] for each in settings.values()})
    widths = sorted({each["vertices_per_thread"] for each in settings.values()})
    looks = dict(zip(widths, style.looks_of(len(widths)), strict=True))
    figure = style.new_figure()
    panels = figure.subplots(len(shown.rows), 1, sharex=True, squeeze=False)[:, 0]
    for axes, row in zip(panels, shown.rows, strict=True):
        of_row = {
            (each["k"], each["vertices_per_thread"]): shown.points[place]
            for place, each in settings.items()
            if place[0] == row
        }
        for number, (vertices, look) in enumerate(looks.items()):
            aside = (number - (len(looks) - 1) / 2) * _APART
            draw_line(axes, [(k + aside, of_row[k, vertices]) for k in steps if (k, vertices) in of_row], look)
        axes.set(title=row, xticks=steps, ylabel=shown.axis_label)
        axes.set_ylim(0, 1.05 * axes.dataLim.ymax)
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.grid(axis="y")
    panels[-1].set_xlabel("k, steps that a thread carries a distance on")
    legend: style.Legend = [
        (
            Line2D([], [], color=look.colour, marker=look.marker),
            f"{vertices} {'vertex' if vertices == 1 else 'vertices'} per thread",
        )
        for vertices, look in looks.items()
    ]
    return style.finished(figure, data.target.fields.title, caption(shown, lines=True), legend, 1.7 * len(panels))


_APART = 0.07  # between the lines of a panel, so that their error bars stand side by side


OWN = "locality.k=4+vertices_per_thread=2"
of_figures = partial(claim, printed="figure3.csv")
of_graphs = partial(of_figures, runs="graphs", setting="k = 4, two vertices a thread", about=["figure3", "table2"])
of_revised = partial(of_figures, runs="revised", about=["figure4"])
BEST_OF_GRAPH = "best k and vertices a thread of each graph"
BEST_OF_K = "best vertices a thread of each k"


def _own_speedup(t):
    return t.seconds(BASE) / t.seconds(OWN)


def _best_speedup(t):
    return t.seconds(BASE) / t.best("locality")


@of_graphs("speedup over Harish lowest (CalNev)", best=lambda t: _best_speedup(t).min(), best_setting=BEST_OF_GRAPH)
def _(t):
    return _own_speedup(t).min()


@of_graphs(
    "speedup over Harish highest (California)", best=lambda t: _best_speedup(t).max(), best_setting=BEST_OF_GRAPH
)
def _(t):
    return _own_speedup(t).max()


@of_graphs("locality-based faster than Harish on all graphs", best=_best_speedup, best_setting=BEST_OF_GRAPH)
def _(t):
    return _own_speedup(t)


@of_graphs("Western USA locality-based", best=lambda t: t.best("locality").at("Western"), best_setting=BEST_OF_GRAPH)
def _(t):
    return t.seconds(OWN).at("Western")


@of_graphs("Western USA Harish", setting="two kernels an iteration")
def _(t):
    return t.seconds(BASE).at("Western")


@of_graphs("CalNev locality-based", best=lambda t: t.best("locality").at("CalNev"), best_setting=BEST_OF_GRAPH)
def _(t):
    return t.seconds(OWN).at("CalNev")


# Each of the three graphs of Figure 4 has the same weight: a time is relative to that of harish on the same graph.
def _by_k(t, **others):
    return t.by("k", "locality", BASE, **others)


def _by_vertices(t, **others):
    return t.by("vertices_per_thread", "locality", BASE, **others)


@of_revised(
    "best k",
    setting="two vertices a thread",
    best=lambda t: _by_k(t).least_at(),
    best_setting=BEST_OF_K,
)
def _(t):
    return _by_k(t, vertices_per_thread=2).least_at()


@of_revised(
    "best vertices per thread",
    setting="k = 4",
    best=lambda t: _by_vertices(t).least_at(),
    best_setting="best k of each number",
)
def _(t):
    return _by_vertices(t, k=4).least_at()


def _gain(by_k):
    return 100 * (1 - by_k.only("2", "3", "4").min() / by_k.at("1"))


@of_revised(
    "gain of locality for k below 5",
    setting="time saved by the best k from 2 to 4 against k = 1, two vertices a thread",
    best=lambda t: _gain(_by_k(t)),
    best_setting=BEST_OF_K,
)
def _(t):
    return _gain(_by_k(t, vertices_per_thread=2))


@of_revised("no significant gain of k = 5 over k = 4: less than a tenth", setting="two vertices a thread")
def _(t):
    by_k = _by_k(t, vertices_per_thread=2)
    return by_k.at("4") / by_k.at("5")


@of_revised("no significant gain of more than two vertices per thread: less than a tenth", setting="k = 4")
def _(t):
    by_vertices = _by_vertices(t, k=4)
    return by_vertices.at("2") / by_vertices.only("4", "8").min()


def _fewest_iterations(t):
    return t.fact("iterations_min", BASE).at("New York")


# The paper does not say which weights it used.
@of_figures(
    "Harish minimum iterations on New York over 100 sources",
    runs="graphs",
    setting="the roads' own weights",
    best=_fewest_iterations,
    best_runs="revised",
    best_setting="weights from 1 to 10",
    about=["table2"],
    timing=False,
)
def _(t):
    return _fewest_iterations(t)
