"""``warpath datasets``: list the graphs of the catalog, with their files."""

import argparse
from pathlib import Path

from ..datasets import catalog
from . import print_columns

HELP = """\
List the graphs of the catalog. The columns raw and graph tell whether the file in data/raw and the graph in data/graphs
exist. The column hash is 'pinned' if the catalog has a hash of the file or of the generated graph, and 'none' if the
first download is trusted instead.

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
    raw = _exists(catalog.raw_path(dataset)) if dataset.published else "-"
    graph = _exists(catalog.graph_path(dataset.name))
    counts = ("-" if count is None else f"{count:,}" for count in (dataset.vertices, dataset.arcs))
    hash_ = "pinned" if dataset.sha256 else "none" if dataset.trusts_first_download else "-"
    return (dataset.name, dataset.kind, *counts, hash_, raw, graph, dataset.title)


def _exists(path: Path) -> str:
    return "yes" if path.is_file() else "no"
