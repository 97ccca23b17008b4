"""``warpath list``: list works, targets, variants, peers and datasets."""

import argparse

from warpath.solvers.registry import entries
from warpath.system.names import check_known

from . import print_columns

HELP = """\
List works, their targets, variants, peers (other libraries, for comparison) and datasets.

examples:
  warpath list
  warpath list targets
  warpath list variants
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("what", nargs="*", metavar="WHAT", help=f"{', '.join(_LISTS)} (default: all)")


def main(arguments: argparse.Namespace) -> None:
    check_known("list", arguments.what, _LISTS)
    names = arguments.what or list(_LISTS)
    for name in names:
        if len(names) > 1:
            print(f"{name}:")
        print_columns(_LISTS[name](), indent="  " * (len(names) > 1))


# Each list imports what it needs, since that takes longer than printing it.
def _works() -> list[tuple[str, ...]]:
    from ..works import works

    return [(name, work.fields.about or work.fields.title) for name, work in works.load_all().items()]


def _targets() -> list[tuple[str, ...]]:
    from ..works import works

    choice = works.Choice()
    return [
        (work.name, target.name, target.fields.kind, target.fields.title)
        for work in works.load_all().values()
        for target in work.targets(choice)
    ]


def _variants() -> list[tuple[str, ...]]:
    return sorted((entry.name, entry.problem, entry.summary) for entry in entries())


def _peers() -> list[tuple[str, ...]]:
    from ..peers import find_peer, peer_names
    from ..peers.contract import MissingPeerError, Peer

    def version(peer: Peer) -> str:
        try:
            return peer.version()
        except MissingPeerError:
            return "not installed"

    return [(name, version(find_peer(name)), find_peer(name).summary) for name in peer_names()]


def _datasets() -> list[tuple[str, ...]]:
    from ..datasets.catalog import load_catalog

    return [(name, dataset.kind, dataset.title) for name, dataset in load_catalog().items()]


_LISTS = {"works": _works, "targets": _targets, "variants": _variants, "peers": _peers, "datasets": _datasets}
