"""The kinds of text in work.yaml and config.yaml, by what becomes of them: names, names of files, labels of rows.

Each pattern ends in ``\\Z``, because ``$`` also matches before a line feed at the end.
"""

from typing import Annotated, get_args

from msgspec import Meta

_CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff"

NAME = "[a-z][a-z0-9_]*"
Name = Annotated[str, Meta(pattern=rf"^{NAME}\Z")]
"""Name of a group of runs, of a set of targets, of a work."""

SuiteName = Annotated[str, Meta(pattern=r"^[a-z][a-z0-9_-]*\Z")]
"""Name of a suite, which is also a folder."""

FolderName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z")]
"""Name of one folder."""

ResultsFolder = Annotated[str, Meta(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*)?\Z")]
"""Name of one folder in results/ and figures/, "" for these themselves."""

Stem = Annotated[str, Meta(pattern=r"^([a-z0-9][A-Za-z0-9_-]*/)*([A-Za-z0-9_-]|\{row\})+\Z")]
"""Name of a target's files without the suffix, possibly in folders; ``{row}`` stands for the label of a row."""

RowLabel = Annotated[str, Meta(pattern=rf"^(?!\s)[^,{_CONTROL}]+(?<!\s)\Z")]
"""Label of a row, for readers. Commas separate labels on the command line, so that a label has none."""

ROW_IN_FILE_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]*"
"""What the label of a row must be if it becomes part of a file name."""

_IN_WORDS = {
    FolderName: "of letters, digits, '.', _ and -, with a letter or digit first",
    ResultsFolder: "of letters, digits, '.', _ and -, with a letter or digit first, or empty",
    Stem: "of letters, digits, _ and -, and perhaps {row} and folders before it",
    RowLabel: "without commas, line breaks, other control characters, and blanks at its ends",
}


def in_words(sentence: str) -> str:
    """A sentence of msgspec on one line, with words in place of a pattern that a value does not match."""
    for kind, words in _IN_WORDS.items():
        meta = get_args(kind)[1]
        sentence = sentence.replace(f"matching regex {meta.pattern!r}", words)
    return sentence.replace("\n", "\\n")
