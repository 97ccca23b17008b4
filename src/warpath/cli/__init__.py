"""The commands of ``warpath``. The module of a command is imported when the command runs.

Other packages add commands, such as the study: an entry point of the group ``warpath.commands`` is a package with
``COMMANDS``, a mapping from names to summaries; the extra of this name has what they need.

Each command is a module of its package with ``HELP``, ``add_arguments(parser)`` and ``main(arguments)``. The first
paragraph of ``HELP`` describes the command. The rest, such as examples, follows the options.
"""

import argparse
import importlib
from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from .. import __version__
from ..errors import UsageError
from ..system.driver import start_driver
from ..system.names import suggestion

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

COMMANDS = {
    "solve": "compute and certify shortest paths on a graph file",
    "pairs": "find the distances, or paths, of pairs of vertices, by name",
    "table": "find the distances from some vertices to others, or to the nearest, by name",
    "certify": "certify the answer of any program, or name its first wrong distance",
    "doctor": "show devices, compilers and caches, and compile each kernel",
    "completion": "print a script with which the Tab key completes commands in a shell",
}
GROUP = "warpath.commands"

_USAGE = "warpath [-h] [--debug] [--version] COMMAND ..."
_EPILOG = """\
examples:
  warpath solve roads.csv --weight km --source Oslo --target Bergen
  warpath table roads.csv --weight km --source Oslo,Voss --target Bergen

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


class _Program(Parser):
    """Parses COMMAND. Its help lists the commands of each package apart, which argparse does not do by itself."""

    def __init__(self) -> None:
        super().__init__(prog="warpath", usage=_USAGE)
        _add_options(self)
        self.commands = self.add_subparsers(prog="warpath", parser_class=Parser, metavar="COMMAND", required=True)

    def format_help(self) -> str:
        about = "Certified shortest paths on GPUs, and a study that measures published works and other libraries."
        listed = Parser(prog=self.prog, usage=_USAGE, description=about, epilog=_EPILOG)
        _add_options(listed)
        _list_commands(listed.add_argument_group("commands"), COMMANDS)
        for study in _further():
            needs = f"Most of them need further packages; in the clone, run pip install '.[{study.name}]'."
            _list_commands(listed.add_argument_group(f"commands of the {study.name}", needs), study.load().COMMANDS)
        return listed.format_help()


def _add_options(parser: Parser) -> None:
    parser.add_argument("--debug", action="store_true", help="after an error, show where in warpath it happened")
    parser.add_argument("--version", action="version", version=__version__)


def _list_commands(group: Any, commands: Mapping[str, str]) -> None:
    for name, summary in commands.items():
        group.add_argument(name, help=summary)


def dispatch(arguments: Sequence[str]) -> None:
    """Parse ``arguments``, without the name of the program, and run the command.

    Raises SystemExit for ``--help`` and ``--version``, UsageError for wrong arguments, and the errors of the command.
    """
    for word in arguments:
        if "\0" in word:
            raise UsageError(f"the argument {word!r} contains a NUL character; remove it")
    parser = _Program()
    # No option before the command takes a value, so the command is the first argument.
    called = arguments[0] if arguments else None
    packages = {__name__: COMMANDS} if called in COMMANDS else {__name__: COMMANDS, **_further_commands()}
    asks_for_help = not {"-h", "--help"}.isdisjoint(arguments)
    if called in ("solve", "pairs", "table") and not asks_for_help:
        start_driver(arguments)
    command: Parser = parser
    for package, name, summary in ((package, *item) for package, known in packages.items() for item in known.items()):
        added = parser.commands.add_parser(name, help=summary)
        if name == called:
            command, module = added, _module(package, name)
            if asks_for_help:
                command.description, _, command.epilog = module.HELP.strip().partition("\n\n")
            module.add_arguments(command)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        command.raise_unknown(unknown)
    try:
        module.main(options)
    except ModuleNotFoundError as error:
        if called in COMMANDS or (error.name or "").startswith("warpath"):
            raise
        raise UsageError(
            f"warpath {called} needs {error.name}, which is not installed; in the clone, run pip install '.[study]'"
        ) from None


def parser_of_all_commands() -> Parser:
    """The parser with the arguments of every command."""
    parser = _Program()
    for package, known in {__name__: COMMANDS, **_further_commands()}.items():
        for name, summary in known.items():
            _module(package, name).add_arguments(parser.commands.add_parser(name, help=summary))
    return parser


def _further() -> Iterable["EntryPoint"]:
    """The entry points of packages with other commands."""
    from importlib.metadata import entry_points  # slow to import, and most calls are of the commands here

    return entry_points(group=GROUP)


def _further_commands() -> dict[str, Mapping[str, str]]:
    """The packages of other commands, each with the summaries of its commands."""
    return {entry.value: entry.load().COMMANDS for entry in _further()}


def _module(package: str, command: str) -> ModuleType:
    return importlib.import_module(f"{package}.{command.replace('-', '_')}")
