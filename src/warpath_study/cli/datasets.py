"""``warpath datasets``: list the graphs of the catalog, and whether they are here."""

import argparse
from pathlib import Path

from ..datasets import catalog
from . import print_columns

HELP = """\
List the graphs of the catalog. The columns raw and graph say whether the file in data/raw and the graph in data/graphs
are here. The column hash says what a file or a generated graph is held to: a hash in the catalog (pinned), or none, so
that the first download is trusted.

examples:
  warpath datasets
  warpath datasets --catalog my-catalog.yaml
"""

_COLUMNS = ("name", "kind", "vertices", "arcs", "hash", "raw", "graph", "title")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--catalog", type=Path, metavar="FILE", help="catalog (default: data/catalog.yaml)")


def main(arguments: argparse.Namespace) -> None:
    rows = map(_row, catalog.load_catalog(arguments.catalog).values())
    print_columns(rows, _COLUMNS, right=("vertices", "arcs"))


def _row(dataset: catalog.Dataset) -> tuple[str, ...]:
    raw = _presence(catalog.raw_path(dataset)) if dataset.published else "-"
    graph = _presence(catalog.graph_path(dataset.name))
    counts = ("-" if count is None else f"{count:,}" for count in (dataset.vertices, dataset.arcs))
    hashed = "pinned" if dataset.sha256 else "none" if dataset.trusts_first_download else "-"
    return (dataset.name, dataset.kind, *counts, hashed, raw, graph, dataset.title)


def _presence(path: Path) -> str:
    return "yes" if path.is_file() else "no"
