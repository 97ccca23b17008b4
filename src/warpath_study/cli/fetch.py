"""``warpath fetch``: get the published file of a dataset."""

import argparse
from pathlib import Path

from ..datasets import catalog
from ..datasets.download import fetch, mirrors_from_environment
from ..datasets.verify import hash_file_of, read_hash

HELP = """\
Get the published file of a dataset and check it against the catalog. Mirror folders are tried before the publisher's
addresses. An existing file is checked and kept. If the catalog has no hash, the hash of the first download is written
beside the file as .sha256, and later downloads must have it; delete that file to accept a new edition.

examples:
  warpath fetch nyc                                        -> data/raw/USA-road-d.NY.gr.gz
  warpath fetch nyc --mirror /scratch/graphs
  WARPATH_MIRROR=/scratch/graphs:/mnt/graphs warpath fetch gnutella04
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a dataset of the catalog with a published file")
    parser.add_argument("--output", type=Path, metavar="FILE", help="file to write (default: data/raw/FILE)")
    mirror = "mirror folder, tried before those in WARPATH_MIRROR; may be repeated"
    parser.add_argument("--mirror", type=Path, action="append", default=[], metavar="DIR", help=mirror)
    parser.add_argument("--catalog", type=Path, metavar="FILE", help="catalog (default: data/catalog.yaml)")


def main(arguments: argparse.Namespace) -> None:
    dataset = catalog.dataset(arguments.name, arguments.catalog)
    output = arguments.output or catalog.raw_path(dataset)
    mirrors = [*arguments.mirror, *mirrors_from_environment()]
    first = read_hash(dataset, output.parent) is None
    origin = fetch(dataset, output, mirrors)
    print(f"{output}: exists, checked" if origin == output else f"{output}: from {origin}")
    sha256 = read_hash(dataset, output.parent)
    if sha256 and first:
        print(f"{output}: sha256 {sha256}; compare it with another copy's, and put it into the catalog")
    elif sha256:
        print(f"{output}: sha256 {sha256}, as in {hash_file_of(dataset, output.parent)}; the catalog has none")
