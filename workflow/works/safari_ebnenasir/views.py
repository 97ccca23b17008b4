"""Views of Safari and Ebnenasir: out-degrees of graphs, operations of methods, and times over two parameters."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from warpath.graphs import csr
from warpath.system.durations import readable_seconds
from warpath_study.report.cells import Data, cells
from warpath_study.report.labels import date_range, prose_list, unique
from warpath_study.report.notes import condition_notes, hash_notes, sample_notes, warnings, weight_notes
from warpath_study.report.published import read_lines
from warpath_study.report.runs import Run, group_by
from warpath_study.report.table import Line, Table, comparison, csv_number
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
    """The out-degrees of the graphs, measured and published."""
    published = read_lines(data.work.published_file("table1.csv"), {"graph": str, "name": str, **_KINDS})
    datasets = {run.row: run.dataset for run in data.requests}
    lines, compared, readable = [], [], []
    for graph in published:
        name = graph["name"]
        if data.choice.rows and name not in data.choice.rows:
            continue
        measured = _degrees(data, datasets[name]) if name in datasets else dict.fromkeys(STATISTICS)
        texts = {key: csv_number(value) for key, value in measured.items()}
        lines.append({"graph": graph["graph"], "name": name, **texts})
        readable.append({"Graph": f"{name} ({datasets[name]})" if name in datasets else name})
        for key, heading in STATISTICS.items():
            agrees = "" if measured[key] is None else "yes" if round(measured[key], 2) == graph[key] else "no"
            facts = {"name": name, "statistic": key, "published": csv_number(graph[key])}
            compared.append({**facts, "measured": texts[key], "agrees": agrees})
            readable[-1][heading] = _degree_text(key, measured[key], graph[key], agrees)
    notes = [
        "In brackets: the published number, if it differs. –: no graph in this row.",
        "Deviation: the standard deviation over all vertices.",
    ]
    return Table(data.target.fields.title, lines, compared, readable, notes, text_columns=["Graph"])


def _degrees(data: Data, dataset: str) -> dict[str, Any]:
    """The counts of a graph and the statistics of its out-degrees, including parallel arcs and loops."""
    graph = csr.load(data.graph_file(dataset))
    degrees = np.diff(graph.indptr)
    values = (graph.vertices, graph.arcs, int(degrees.max()), float(degrees.std()), float(np.median(degrees)))
    return dict(zip(STATISTICS, values, strict=True))


def _degree_text(key: str, measured: Any, published: Any, agrees: str) -> str:
    form = "{:.2f}" if key == "std_out_degree" else "{:,.10g}"
    if measured is None:
        return f"– ({form.format(published)})"
    return form.format(measured) + (f" ({form.format(published)})" if agrees == "no" else "")


def table2(data: Data) -> Table:
    """Bytes, launches, host reads, atomics and speedup of each method, means over its sources."""
    columns = dict.fromkeys(("variant", "space", "launches", "host_reads", "speedup"), str)
    published = {line["variant"]: line for line in read_lines(data.work.published_file("table2.csv"), columns)}
    found = [run for run in cells(data) if run.seconds is not None]
    lines, readable = [], []
    for of_row in group_by(found, "row").values():
        base_s = next((run.seconds for run in of_row if run.variant == BASE), None)
        for run in of_row:
            speedup = base_s / run.seconds if base_s else None
            lines.append(_csv_line(run, speedup))
            readable.append(_readable_line(run, speedup, published.get(run.variant, {})))
    printed = [_published_text(published[name]) for name in unique(run.variant for run in found) if name in published]
    notes = [
        *warnings(found),
        f"{prose_list(unique(run.device for run in found))}, {date_range(run.date for run in found)}.",
        f"Means over {prose_list(sorted({run.sources for run in found}))} random sources; every answer was certified.",
        "A time runs from the allocation on the device until the answer is copied back. The graph is already on the "
        "device.",
        f"In brackets: the paper's Table 2. There, {'; '.join(printed)}.",
        "Bytes: V vertices, A arcs. Four bytes per vertex are for predecessors, which the paper does not compute.",
        "Launches and host reads include the predecessors. Atomics were counted in a separate run; the paper counts "
        "statements.",
        *_other_method_notes(data),
        *sample_notes(found),
        *condition_notes(found),
        *weight_notes(found),
        *hash_notes(found),
    ]
    return Table(data.target.fields.title, lines, comparison(found), readable, notes, text_columns=["Graph", "Method"])


def _other_method_notes(data: Data) -> list[str]:
    """The published times of methods that are not implemented."""
    columns = dict.fromkeys(("method", "seconds", "hardware"), str)
    others = [
        f"{line['method']} {line['seconds']} s{line['hardware'] and ' on ' + line['hardware']}"
        for line in read_lines(data.work.published_file("calnev.csv"), columns)
    ]
    return [f"Published times on CalNev of methods that are not implemented here: {prose_list(others)}."]


def _csv_line(run: Run, speedup: float | None) -> Line:
    more = run.more
    numbers = {
        "launches": more["launches"],
        "launches_per_iteration": more["launches"] / more["iterations"],
        "host_reads": more["host_reads"],
        "host_reads_per_iteration": more["host_reads"] / more["iterations"],
        "atomics": more["atomics"],
        "atomics_per_arc": more["atomics"] / run.arcs,
        "speedup": speedup,
        "seconds": run.seconds,
        "std_s": run.std_s,
        "min_s": run.min_s,
        "max_s": run.max_s,
    }
    return {
        "row": run.row,
        "dataset": run.dataset,
        "method": run.label,
        "bytes_per_vertex": f"{more['bytes_per_vertex']:.0f}",
        "bytes_per_arc": f"{more['bytes_per_arc']:.0f}",
        **{name: csv_number(value) for name, value in numbers.items()},
        "samples": csv_number(run.samples),
        "weights": run.weights,
    }


def _published_text(line: Mapping[str, str]) -> str:
    """Memory and speedup of a variant in the published table."""
    speedup = f" and is {line['speedup']} as fast" if line["speedup"] else ""
    return f"{line['variant']} takes {line['space']} words of four bytes{speedup}"


def _readable_line(run: Run, speedup: float | None, published: Mapping[str, str]) -> Line:
    more = run.more

    def count_text(counter: str) -> str:
        text = f"{more[counter]:,.0f}, {more[counter] / more['iterations']:.2f} an iteration"
        return f"{text} ({published[counter]})" if counter in published else text

    return {
        "Graph": run.dataset,
        "Method": run.label,
        "Bytes": f"{more['bytes_per_vertex']:.0f} V + {more['bytes_per_arc']:.0f} A",
        "Launches": count_text("launches"),
        "Host reads": count_text("host_reads"),
        "Atomics": f"{more['atomics']:,.0f}, {more['atomics'] / run.arcs:.2f} an arc",
        "Speedup over Harish": "–" if speedup is None else f"{speedup:.2f}x",
        "Mean time": readable_seconds(run.seconds),
    }


def table3(data: Data) -> Table:
    """The published graphs with random weights, and the measured graphs."""
    columns = dict.fromkeys(("name", "graph", "acronym"), str)
    published = {line["name"]: line for line in read_lines(data.work.published_file("table3.csv"), columns)}
    found = cells(data)
    lines, readable = [], []
    for row, of_row in group_by((run for run in found if run.seconds is not None), "row").items():
        run, printed = of_row[0], published.get(row, {"graph": row, "acronym": ""})
        names = {"Graph": printed["graph"], "Acronym": printed["acronym"], "Dataset": run.dataset}
        readable.append({**names, "Vertices": f"{run.vertices:,}", "Arcs": f"{run.arcs:,}", "Description": run.weights})
        counts = {"vertices": str(run.vertices), "arcs": str(run.arcs)}
        lines.append({name.lower(): text for name, text in names.items()} | counts | {"weights": run.weights})
    notes = ["The paper replaces the weights with random weights from 1 to 10."]
    text_columns = ["Graph", "Acronym", "Dataset", "Description"]
    return Table(data.target.fields.title, lines, comparison(found), readable, notes, text_columns)


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


# Each of the three graphs of Figure 4 has equal weight, because times are relative to harish on the same graph.
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


# The paper does not name the weights.
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


# An iteration of harish follows each path by one arc, and its last one finds nothing. So the most iterations from a
# source, less one, are the arcs of the longest shortest path from the sources: at most the diameter.
def _over_diameter(t):
    return 4 * t.fact("iterations_max", OWN) / (t.fact("iterations_max", BASE) - 1)


@claim(
    "conjecture: iterations at most the diameter over k",
    runs="graphs",
    setting="k = 4, two vertices a thread; k times the most iterations, over the longest shortest path found, in arcs",
    best=_over_diameter,
    best_runs="revised",
    best_setting="weights from 1 to 10",
    about=["table2"],
    timing=False,
)
def _(t):
    return _over_diameter(t)
