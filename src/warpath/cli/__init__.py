"""The commands of ``warpath``. A command's module is imported only when the command is called.

Each command is a module of this package with ``HELP``, ``add_arguments(parser)`` and ``main(arguments)``. The first
paragraph of ``HELP`` describes the command; the rest, such as examples, follows the options.
"""

import argparse
import importlib
import importlib.metadata
from collections.abc import Sequence
from types import ModuleType

COMMANDS = {
    "datasets": "list the graphs of the catalog and whether they are here",
    "fetch": "download the published file of a dataset, or take it from a mirror",
    "convert": "turn a graph file (.gr, SNAP edge list, 'n m / u v w' text) into a .npz graph",
    "generate": "make a graph: a dataset of the catalog, or one of your own sizes",
    "solve": "compute shortest paths on a graph file and print, write or certify them",
    "run": "measure one run, a variant on a graph, and keep its record",
    "records": "list records, and say which were made by other code than today's",
    "report": "make a work's tables, claims and figures from records",
    "list": "list works, targets, variants and datasets",
    "grid": "find a path over the product of two matrices of your own",
    "doctor": "show devices, compilers and caches, and whether each kernel compiles",
}

_EPILOG = """\
examples:
  warpath datasets
  warpath fetch nyc && warpath convert nyc
  warpath solve data/graphs/nyc.npz --algorithm bellman_ford --variant stride_flag --certify

'warpath COMMAND --help' explains a command.
"""


def dispatch(arguments: Sequence[str]) -> None:
    """Parse ``arguments`` (without the program's name) and run the command.

    Raises SystemExit for ``--help``, ``--version`` and arguments that do not parse, WarpathError for whatever a command
    refuses.
    """
    parser = argparse.ArgumentParser(
        prog="warpath",
        description="Shortest paths on GPUs: the algorithms of published works, measured and certified; and a library.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=importlib.metadata.version("warpath"))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    # No option before the command takes a value, so the command is the first argument.
    called = arguments[0] if arguments and arguments[0] in COMMANDS else None
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, formatter_class=argparse.RawDescriptionHelpFormatter)
        if name == called:
            module = _load(name)
            command.description, _, command.epilog = module.HELP.strip().partition("\n\n")
            module.add_arguments(command)
    options = parser.parse_args(arguments)
    module.main(options)


def _load(command: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{command}")
