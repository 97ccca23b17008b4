"""``warpath list``: list works, targets, variants and datasets."""

import argparse

from ..algorithms import families, find
from ..graphs.catalog import load_catalog
from ..names import check_known
from ..report import works
from ._columns import print_columns

HELP = """\
List works, their targets, variants and datasets.

examples:
  warpath list
  warpath list targets
  warpath list variants
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"{', '.join(_LISTS)} (default: all)")


def main(arguments: argparse.Namespace) -> None:
    check_known("list", arguments.what, _LISTS)
    asked = arguments.what or list(_LISTS)
    for name in asked:
        if len(asked) > 1:
            print(f"{name}:")
        print_columns(_LISTS[name](), indent="  " * (len(asked) > 1))


def _works() -> list[tuple[str, ...]]:
    return [(name, work.fields.about or work.fields.title) for name, work in works.load_all().items()]


def _targets() -> list[tuple[str, ...]]:
    choice = works.Choice()
    return [
        (work.name, target.name, target.fields.kind, target.fields.title)
        for work in works.load_all().values()
        for target in work.targets(choice)
    ]


def _variants() -> list[tuple[str, ...]]:
    found = [find(algorithm, name) for algorithm, names in families().items() for name in names]
    return [(f"{variant.algorithm}.{variant.name}", variant.problem, variant.summary) for variant in found]


def _datasets() -> list[tuple[str, ...]]:
    return [(name, dataset.kind, dataset.title) for name, dataset in load_catalog().items()]


_LISTS = {"works": _works, "targets": _targets, "variants": _variants, "datasets": _datasets}
