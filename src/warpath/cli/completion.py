"""``warpath completion``: the Tab key completes commands, options and names of files."""

import argparse
from pathlib import Path

import shtab

from . import parser_of_all_commands

SHELLS = ("bash", "zsh")

HELP = """\
Print a script with which the Tab key completes commands, options and names of files. For bash, redirect it to
~/.local/share/bash-completion/completions/warpath. For zsh, redirect it to a file _warpath in a folder of $fpath. Do so
again after an update of warpath.

examples:
  warpath completion bash
  warpath completion zsh
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help=f"{', '.join(SHELLS)}")


def main(arguments: argparse.Namespace) -> None:
    parser = parser_of_all_commands()
    _complete_files(parser)
    print(shtab.complete(parser, arguments.shell))


def _complete_files(parser: argparse.ArgumentParser) -> None:
    for action in parser._actions:  # argparse has no other list of them
        if action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _complete_files(command)
