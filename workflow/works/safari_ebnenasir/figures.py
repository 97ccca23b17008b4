"""Figure 4 of Safari and Ebnenasir: times over two parameters."""

from typing import Any

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from warpath.solvers.variant import parse
from warpath_study.report import style
from warpath_study.report.cells import Data, cells
from warpath_study.report.chart_data import ChartData, chart_data
from warpath_study.report.charts import draw_line, finish, shared_signs
from warpath_study.report.labels import prose_list
from warpath_study.report.published import read_claims


def figure4(data: Data) -> Figure:
    """Mean time of locality over k: a panel for each graph, a line for each number of vertices per thread."""
    found = cells(data)
    chart = chart_data(data, [run for run in found if run.variant == "locality"])
    settings = {place: parse(cell.parameters) for place, cell in chart.cells.items() if cell.seconds is not None}
    steps = sorted({values["k"] for values in settings.values()})
    widths = sorted({values["vertices_per_thread"] for values in settings.values()})
    looks = dict(zip(widths, style.looks_of(len(widths)), strict=True))
    figure = style.new_figure(style.WIDE_INCHES if len(chart.rows) > 1 else style.WIDTH_INCHES)
    panels = figure.subplots(1, len(chart.rows), squeeze=False)[0]
    for axes, row in zip(panels, chart.rows, strict=True):
        of_row = {
            (values["k"], values["vertices_per_thread"]): chart.points[place]
            for place, values in settings.items()
            if place[0] == row
        }
        for number, (vertices, look) in enumerate(looks.items()):
            shift = (number - (len(looks) - 1) / 2) * _LINE_SHIFT
            draw_line(axes, [(k + shift, of_row[k, vertices]) for k in steps if (k, vertices) in of_row], look)
        axes.set(title=chart.datasets[row], xticks=steps, xlabel="k, steps of a thread along a path")
        axes.set_ylim(0, 1.05 * axes.dataLim.ymax)
        axes.yaxis.set_major_locator(MaxNLocator(4))
        axes.grid(axis="y")
    panels[0].set_ylabel(chart.axis_label)
    legend: style.Legend = [
        (Line2D([], [], **look.mark()), f"{vertices} {'vertex' if vertices == 1 else 'vertices'} per thread")
        for vertices, look in looks.items()
    ]
    legend += shared_signs(chart)
    return finish(figure, data, chart, legend, 2.4, _best_settings(data, chart))


def _best_settings(data: Data, chart: ChartData) -> str:
    """The fastest setting on each of the paper's own graphs, and in the paper; "" without a time of such a graph."""
    claims = read_claims(data.work.published_file("claims.csv"))
    claimed = _setting_text(*(claims[f"best {name}"].low for name in ("k", "vertices per thread")))
    graphs_of: dict[str, list[str]] = {}
    for row in chart.rows:
        timed = [cell for (name, _), cell in chart.cells.items() if name == row and cell.seconds is not None]
        if timed and row not in chart.differences and not chart.simulated:
            best = parse(min(timed, key=lambda cell: cell.seconds or 0.0).parameters)
            setting = _setting_text(best["k"], best["vertices_per_thread"])
            graphs_of.setdefault(setting, []).append(chart.datasets[row])
    if not graphs_of:
        return ""
    found = prose_list(
        f"on the paper's graph {prose_list(names)}, {setting} is fastest" for setting, names in graphs_of.items()
    )
    return f"{found}, {'as in the paper' if set(graphs_of) == {claimed} else f'but in the paper, {claimed} is'}"


def _setting_text(k: Any, vertices: Any) -> str:
    return f"k = {k:g} with {vertices:g} {'vertex' if vertices == 1 else 'vertices'} per thread"


_LINE_SHIFT = 0.07  # between the lines of a panel, so that their error bars do not overlap
