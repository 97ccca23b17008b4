"""A parser of arguments that refuses with one sentence, and suggests the nearest name for a misspelled one."""

import argparse
from collections.abc import Sequence
from typing import Any, NoReturn

from ..errors import UsageError
from ..names import suggestion


class Parser(argparse.ArgumentParser):
    """Raises UsageError where argparse prints the usage and exits. Options are not abbreviated."""

    def __init__(self, **settings: Any):
        super().__init__(**{"formatter_class": argparse.RawDescriptionHelpFormatter, "allow_abbrev": False, **settings})

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{self._place}{message}; '{self.prog} --help' explains")

    def refuse_unknown(self, words: Sequence[str]) -> NoReturn:
        """Raise UsageError for the first of the ``words`` that this parser could not place."""
        option = next((word.partition("=")[0] for word in words if word.startswith("--")), None)
        if option is None:
            self.error(f"there is no place for {words[0]!r}")
        known = [text for action in self._actions for text in action.option_strings if text not in ("-h", "--help")]
        raise UsageError(f"{self._place}unknown option {option}; {suggestion(option, known)}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            what = action.dest if action.option_strings else str(action.metavar).lower()
            raise UsageError(f"{self._place}unknown {what} {value!r}; {suggestion(value, action.choices)}")

    @property
    def _place(self) -> str:
        """The command, where there is one, as the beginning of a sentence about its arguments."""
        _, _, command = self.prog.partition(" ")
        return f"{command}: " if command else ""
