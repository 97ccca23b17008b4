"""``warpath datasets``: what the catalog knows, and what of it is here."""

import argparse
from pathlib import Path

from ..graphs import catalog

HELP = """\
List the graphs of the catalog, and whether the published file (raw) and the converted graph are here.

examples:
  warpath datasets
  warpath datasets --catalog my-catalog.yaml
"""

_COLUMNS = ("name", "kind", "vertices", "arcs", "raw", "graph", "title")
_TO_THE_RIGHT = {"vertices", "arcs"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--catalog", type=Path, metavar="FILE", help="catalog (default: data/catalog.yaml)")


def main(arguments: argparse.Namespace) -> None:
    rows = [_COLUMNS, *map(_row, catalog.load_catalog(arguments.catalog).values())]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if name in _TO_THE_RIGHT else cell.ljust(width)
            for name, cell, width in zip(_COLUMNS, row, widths, strict=True)
        ]
        print("  ".join(cells).rstrip())


def _row(dataset: catalog.Dataset) -> tuple[str, ...]:
    raw = "-" if dataset.generated else _presence(catalog.raw_path(dataset))
    graph = _presence(catalog.graph_path(dataset))
    return (dataset.name, dataset.kind, f"{dataset.vertices:,}", f"{dataset.arcs:,}", raw, graph, dataset.title)


def _presence(path: Path) -> str:
    return "yes" if path.is_file() else "no"
