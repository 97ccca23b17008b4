"""The command line's roof: which commands there are. A command's module is imported only when it is called.

A command is a module of this package with ``HELP`` (its first paragraph describes the command, the rest, such as
examples, follows the options), ``add_arguments(parser)`` and ``main(arguments)``.
"""

import argparse
import importlib
import importlib.metadata
from collections.abc import Sequence
from types import ModuleType

COMMANDS = {
    "datasets": "list the graphs of the catalog and which of them are here",
    "fetch": "download the published file of a dataset, or take it from a mirror",
    "convert": "turn a graph file (.gr, SNAP edge list, 'n m / u v w' text) into a .npz graph",
    "generate": "make a graph: a dataset of the catalog, or one of your own sizes",
    "solve": "compute shortest paths on a graph file and print, write or validate them",
    "run": "measure one variant on one graph and keep the record",
    "table": "put records into a published table's rows and columns",
    "plot": "draw a figure from records",
    "katz": "table, comparisons and claims of Katz and Kider's work",
    "safari": "tables, comparisons and claims of Safari and Ebnenasir's work",
    "grid": "find a path over a matrix product, certify it and keep the record",
    "telang": "the table of results over records of 'grid'",
    "doctor": "show devices, compilers and caches, and whether each kernel compiles",
}

_EPILOG = """\
examples:
  warpath datasets
  warpath fetch nyc && warpath convert nyc
  warpath solve data/graphs/nyc.npz --algorithm bellman_ford --variant stride_flag --validate

'warpath COMMAND --help' explains a command.
"""


def dispatch(arguments: Sequence[str]) -> None:
    """Parse ``arguments`` (without the program's name) and run their command.

    Raises SystemExit for ``--help``, ``--version`` and arguments that do not parse, WarpathError for everything that a
    command refuses.
    """
    parser = argparse.ArgumentParser(
        prog="warpath",
        description="Shortest paths on GPUs: measured as published, every distance certified.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=importlib.metadata.version("warpath"))
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    # No option of the roof takes a value, so a command can only be the first argument.
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
