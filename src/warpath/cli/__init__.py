"""The commands of ``warpath``. The module of a command is imported when the command runs.

Other packages add commands, such as the study: an entry point of the group ``warpath.commands`` is a package with
``COMMANDS``, a mapping from names to summaries.

Each command is a module of its package with ``HELP``, ``add_arguments(parser)`` and ``main(arguments)``. The first
paragraph of ``HELP`` describes the command. The rest, such as examples, follows the options.
"""

import argparse
import contextlib
import importlib
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, NoReturn

from .. import __version__
from ..errors import UsageError
from ..system.driver import start_driver
from ..system.names import suggestion

COMMANDS = {
    "solve": "compute and certify shortest paths on a graph file",
    "pairs": "find the distances, or paths, of pairs of vertices, by name",
    "table": "find the distances from some vertices to others, or to the nearest, by name",
    "certify": "certify the answer of any program, or name its first wrong distance",
    "doctor": "show devices, compilers and caches, and compile each kernel",
    "completion": "print a script with which the Tab key completes commands in a shell",
}
GROUP = "warpath.commands"

_EPILOG = """\
examples:
  warpath solve roads.gr.gz --source 1 --target 264346
  warpath fetch nyc && warpath convert nyc
  warpath run data/graphs/nyc.npz bellman_ford.stride

'warpath COMMAND --help' explains a command. '--debug' may also follow the command.
"""


class Parser(argparse.ArgumentParser):
    """Raises UsageError where argparse prints the usage and exits. Options are not abbreviated."""

    def __init__(self, **settings: Any):
        super().__init__(**{"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False, **settings})

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self._prefix}{message}; see '{self.prog} --help'")

    def raise_unknown(self, words: Sequence[str]) -> NoReturn:
        """Raise UsageError for the first of the unknown ``words``."""
        option = next((word.partition("=")[0] for word in words if word.startswith("--")), None)
        if option is None:
            self.error(f"unexpected argument {words[0]!r}")
        known = [text for action in self._actions for text in action.option_strings if text not in ("-h", "--help")]
        raise UsageError(f"{self._prefix}unknown option {option}; {suggestion(option, known)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = action.dest if action.option_strings else str(action.metavar).lower()
            raise UsageError(f"{self._prefix}unknown {what} {value!r}; {suggestion(value, action.choices)}")

    @property
    def _prefix(self) -> str:
        """The beginning of a message: the command, if there is one."""
        _, _, command = self.prog.partition(" ")
        return f"{command}: " if command else ""


def dispatch(arguments: Sequence[str]) -> None:
    """Parse ``arguments``, without the name of the program, and run the command.

    Raises SystemExit for ``--help`` and ``--version``, UsageError for wrong arguments, and the errors of the command.
    """
    for word in arguments:
        if "\0" in word:
            raise UsageError(f"the argument {word!r} contains a NUL character; remove it")
    parser, commands = _parser()
    # No option before the command takes a value, so the command is the first argument.
    called = arguments[0] if arguments else None
    packages = {__name__: COMMANDS} if called in COMMANDS else {__name__: COMMANDS, **_further_commands()}
    asks_for_help = not {"-h", "--help"}.isdisjoint(arguments)
    if called in ("solve", "pairs", "table") and not asks_for_help:
        start_driver(arguments)
    command = parser
    for package, name, summary in ((package, *item) for package, known in packages.items() for item in known.items()):
        added = commands.add_parser(name, help=summary)
        if name == called:
            command, module = added, _load(package, name)
            if asks_for_help:
                command.description, _, command.epilog = module.HELP.strip().partition("\n\n")
            module.add_arguments(command)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        command.raise_unknown(unknown)
    module.main(options)


def parser_of_all_commands() -> Parser:
    """The parser with the arguments of every command whose packages are installed."""
    parser, commands = _parser()
    for package, known in {__name__: COMMANDS, **_further_commands()}.items():
        for name, summary in known.items():
            with contextlib.suppress(UsageError):
                module = _load(package, name)
                module.add_arguments(commands.add_parser(name, help=summary))
    return parser


def _parser() -> tuple[Parser, Any]:
    """The parser without commands, and where these are added."""
    parser = Parser(
        prog="warpath",
        description="Certified shortest paths on GPUs, and a study that measures published works and other libraries.",
        epilog=_EPILOG,
    )
    parser.add_argument("--debug", action="store_true", help="after an error, show where in warpath it happened")
    parser.add_argument("--version", action="version", version=__version__)
    return parser, parser.add_subparsers(title="commands", metavar="COMMAND", required=True)


def _further_commands() -> dict[str, Mapping[str, str]]:
    """The packages of other commands, each with the summaries of its commands."""
    from importlib.metadata import entry_points  # slow to import, and most calls are of the commands here

    entries = entry_points(group=GROUP)
    return {entry.value: entry.load().COMMANDS for entry in entries}


def _load(package: str, command: str) -> ModuleType:
    """The module of a command. Raises UsageError if it imports a package that is not installed."""
    try:
        return importlib.import_module(f"{package}.{command.replace('-', '_')}")
    except ModuleNotFoundError as error:
        if package == __name__ or (error.name or "").startswith("warpath"):
            raise
        raise UsageError(
            f"warpath {command} needs {error.name}, which is not installed; in the clone, run pip install '.[study]'"
        ) from None
