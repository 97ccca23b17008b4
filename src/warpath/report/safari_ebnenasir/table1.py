"""Table 1: the graphs and their out-degrees, as published and as converted here."""

from collections.abc import Mapping
from dataclasses import dataclass

from ...graphs.degrees import OutDegrees
from ..csv_text import csv_text
from .published import PublishedGraph


@dataclass(frozen=True)
class Statistics:
    """A graph as measured, in the paper's columns."""

    graph: str
    name: str
    nodes: int | None
    arcs: int | None
    max_out_degree: int | None
    std_out_degree: float | None
    median_out_degree: float | None


@dataclass(frozen=True)
class Compared:
    """One number of one graph; ``agrees`` is yes or no, to the digits printed, and empty where none was measured."""

    name: str
    statistic: str
    published: float
    measured: float | None
    agrees: str


_STATISTICS = ("nodes", "arcs", "max_out_degree", "std_out_degree", "median_out_degree")
_HEADINGS = ("Vertices", "Arcs", "Maximum", "Deviation", "Median")


def statistics(published: Mapping[str, PublishedGraph], measured: Mapping[str, OutDegrees]) -> list[Statistics]:
    """A line for each graph of the paper, empty where none stands in its row."""
    lines = []
    for name, graph in published.items():
        found = measured.get(name)
        values = _values(found) if found else (None,) * len(_STATISTICS)
        lines.append(Statistics(graph.graph, name, *values))
    return lines


def compare(published: Mapping[str, PublishedGraph], measured: Mapping[str, OutDegrees]) -> list[Compared]:
    """A line for each number that the paper prints."""
    lines = []
    for name, graph in published.items():
        here = _values(measured[name]) if name in measured else (None,) * len(_STATISTICS)
        for statistic, printed, value in zip(_STATISTICS, _values(graph), here, strict=True):
            agrees = "" if value is None else "yes" if round(value, 2) == printed else "no"
            lines.append(Compared(name, statistic, printed, value, agrees))
    return lines


def table1_csv(lines: list[Statistics]) -> str:
    """The table in the paper's own columns."""
    return csv_text(Statistics, lines)


def table1_comparison(lines: list[Compared]) -> str:
    """A line for each number, published and measured."""
    return csv_text(Compared, lines)


def table1_markdown(lines: list[Compared], datasets: Mapping[str, str]) -> str:
    """For reading: each number as measured, and in brackets the published one where it is another."""
    text = [
        "# Table 1: Graphs and their out-degrees",
        "",
        f"| Graph | {' | '.join(_HEADINGS)} |",
        f"| ---{' | ---:' * len(_HEADINGS)} |",
    ]
    names = list(dict.fromkeys(line.name for line in lines))
    for name in names:
        label = f"{name} ({datasets[name]})" if name in datasets else name
        text.append(f"| {label} | {' | '.join(_cell(line) for line in lines if line.name == name)} |")
    text += [
        "",
        "- In brackets: what the paper prints, where it is another number; – where no graph stands in the row.",
        "- The deviation is the standard deviation over all vertices.",
    ]
    return "\n".join(text) + "\n"


def _values(graph: PublishedGraph | OutDegrees) -> tuple[int, int, int, float, float]:
    return graph.vertices, graph.arcs, graph.maximum, graph.deviation, graph.median


def _cell(line: Compared) -> str:
    if line.measured is None:
        return f"– ({_number(line, line.published)})"
    return _number(line, line.measured) + (f" ({_number(line, line.published)})" if line.agrees == "no" else "")


def _number(line: Compared, value: float) -> str:
    return f"{value:.2f}" if line.statistic == "std_out_degree" else f"{value:,.10g}"
