"""``warpath fetch``: get the file of a dataset into data/raw."""

import argparse
from pathlib import Path

from ..datasets import catalog
from ..datasets.download import DEFAULT_PATIENCE, Patience, fetch, mirrors_from_environment
from ..datasets.verify import record_of

HELP = """\
Get the file of a dataset into data/raw and check it against the catalog. Mirror folders are tried before the
publisher's addresses. A file that is already there is checked and kept. Where the catalog has no hash, that of the
first download is kept beside the file as .sha256, and later ones are held to it; delete it to accept a new edition.

examples:
  warpath fetch nyc                                        -> data/raw/USA-road-d.NY.gr.gz
  warpath fetch nyc --mirror /scratch/graphs
  WARPATH_MIRROR=/scratch/graphs:/mnt/graphs warpath fetch gnutella04
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a dataset of the catalog that has a published file")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="file to write (default: data/raw and the name in the catalog)"
    )
    parser.add_argument(
        "--mirror",
        type=Path,
        action="append",
        default=[],
        metavar="DIR",
        help="folder that may hold the file; may be repeated; tried before the folders in WARPATH_MIRROR",
    )
    parser.add_argument(
        "--attempts",
        type=int,
        default=DEFAULT_PATIENCE.attempts,
        metavar="N",
        help="give up on an address after N attempts without an answer (default: %(default)s)",
    )
    parser.add_argument(
        "--timeout-s",
        type=float,
        default=DEFAULT_PATIENCE.timeout_s,
        metavar="S",
        help="longest wait for a response, and for each piece of it, in seconds (default: %(default)g)",
    )
    parser.add_argument("--catalog", type=Path, metavar="FILE", help="catalog (default: data/catalog.yaml)")


def main(arguments: argparse.Namespace) -> None:
    dataset = catalog.dataset(arguments.name, arguments.catalog)
    output = arguments.output or catalog.raw_path(dataset)
    mirrors = [*arguments.mirror, *mirrors_from_environment()]
    patience = Patience(arguments.attempts, arguments.timeout_s)
    origin = fetch(dataset, output, mirrors, patience)
    print(f"{output}: already here, checked" if origin == output else f"{output}: from {origin}")
    record = record_of(dataset, output.parent)
    if record is not None and record.exists():
        print(f"{output}: the catalog has no sha256 of it; held to that of the first download, kept in {record}")
