"""Markdown as the tests of the documentation read it: tables with the comment before them, commands, links."""

import re
import shlex
from argparse import ArgumentParser, Namespace
from dataclasses import dataclass
from importlib import import_module
from itertools import takewhile
from pathlib import Path

from warpath import cli
from warpath_study import cli as study_cli

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class MarkdownTable:
    """``comment`` is the text of an HTML comment before the table, "" where there is none."""

    comment: str
    header: list[str]
    rows: list[list[str]]


def tables(text: str) -> list[MarkdownTable]:
    """The tables of a page, in order."""
    found, comment, block = [], "", []
    for line in [*text.splitlines(), ""]:
        if line.startswith("|"):
            block.append([cell.strip() for cell in line.strip().strip("|").split("|")])
            continue
        if block:
            found.append(MarkdownTable(comment, block[0], block[2:]))
            comment, block = "", []
        if line.startswith("<!--"):
            comment = line.removeprefix("<!--").removesuffix("-->").strip()
    return found


def commands(text: str) -> list[list[str]]:
    """The commands of a page in its blocks of ``bash``, as words, without variables before them or a file after."""
    found, inside = [], False
    for line in text.splitlines():
        if line.startswith("```"):
            inside = line == "```bash"
        elif inside and line.strip():
            words = list(takewhile(lambda word: word != ">", shlex.split(line, comments=True)))
            found.append([word for number, word in enumerate(words) if number or not re.fullmatch(r"[A-Z_]+=.*", word)])
    return found


def links(text: str) -> list[str]:
    """The targets of all links and pictures of a page that are not addresses on the web, without fragments."""
    found = re.findall(r"\]\(([^)\s]+)\)", text)
    return [target.partition("#")[0] for target in found if "://" not in target and not target.startswith("#")]


def parsed_command(arguments: list[str]) -> Namespace:
    """The options of a command line, without ``warpath`` at its beginning, by the parser of its command."""
    command, *rest = arguments
    package = cli if command in cli.COMMANDS else study_cli
    assert command in package.COMMANDS
    parser = ArgumentParser(exit_on_error=False)
    import_module(f"{package.__name__}.{command.replace('-', '_')}").add_arguments(parser)
    return parser.parse_args(rest)
