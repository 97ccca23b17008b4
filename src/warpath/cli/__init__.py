"""The commands of ``warpath``. A command's module is imported only when the command is called.

Each command is a module of this package with ``HELP``, ``add_arguments(parser)`` and ``main(arguments)``. The first
paragraph of ``HELP`` describes the command; the rest, such as examples, follows the options.
"""

import importlib
from collections.abc import Sequence
from types import ModuleType

from .. import __version__
from ..errors import UsageError
from ._parser import Parser

COMMANDS = {
    "datasets": "list the graphs of the catalog and whether they are here",
    "fetch": "download the published file of a dataset, or take it from a mirror",
    "convert": "turn a graph file of any known format into a .npz graph, or into another format",
    "generate": "make a graph: a dataset of the catalog, or one of your own sizes",
    "solve": "compute and certify shortest paths on a graph file",
    "dense": "compute and certify all pairs, with the matrix shared among the processes of an MPI job",
    "reduce": "all pairs, or a part: eccentricity, closeness, histogram, nearest vertices; rows to a store",
    "gather": "put the parts of all pairs together",
    "certify": "certify the answer of any program, or name its first wrong distance",
    "run": "measure one run, a variant on a graph, and keep its record",
    "records": "list records, and say which were made by other code than today's",
    "compare": "say which runs are faster or slower in one set of records than in another",
    "report": "make a work's tables, claims and figures from records",
    "claims": "show what the works claim, and what was measured",
    "list": "list works, targets, variants and datasets",
    "grid": "find a path over the product of two matrices of your own",
    "doctor": "show devices, compilers and caches, and whether each kernel compiles",
}

_EPILOG = """\
examples:
  warpath datasets
  warpath fetch nyc && warpath convert nyc
  warpath solve data/graphs/nyc.npz --source 1 --target 264346
  warpath run data/graphs/nyc.npz bellman_ford.stride
  warpath claims bodra --records results/reference/nvidia-h200/runs

'warpath COMMAND --help' explains a command. '--debug' may also follow the command.
"""


def dispatch(arguments: Sequence[str]) -> None:
    """Parse ``arguments`` (without the program's name) and run the command.

    Raises SystemExit for ``--help`` and ``--version``, WarpathError for arguments that do not parse and for whatever a
    command refuses.
    """
    for word in arguments:
        if "\0" in word:
            raise UsageError(
                f"the argument {word!r} has a NUL character; no name of a file or of anything else has one"
            )
    parser = Parser(
        prog="warpath",
        description="Shortest paths on GPUs: the algorithms of published works, measured and certified; and a library.",
        epilog=_EPILOG,
    )
    parser.add_argument("--debug", action="store_true", help="after an error, show where in warpath it happened")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    # No option before the command takes a value, so the command is the first argument.
    called = arguments[0] if arguments and arguments[0] in COMMANDS else None
    command = parser
    for name, summary in COMMANDS.items():
        added = commands.add_parser(name, help=summary)
        if name == called:
            command, module = added, _load(name)
            command.description, _, command.epilog = module.HELP.strip().partition("\n\n")
            module.add_arguments(command)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        command.refuse_unknown(unknown)
    module.main(options)


def _load(command: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{command}")
