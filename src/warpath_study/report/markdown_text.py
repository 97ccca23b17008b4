"""Text from elsewhere in Markdown: the name of a device or a graph shows as it is, whatever its letters mean there."""

import re

from .labels import printable

# What begins code, emphasis, a formula, a cell, a link, HTML, an entity or crossed-out text. A mark that means nothing
# where it stands, such as the underscore of stride_flag, stays as it is, for those who read the file as plain text.
_MARKS = re.compile(
    r"[\\`*|$] | <(?=[A-Za-z/!?]) | &(?=\#?\w+;) | \](?=[(\[:]) | (?<![^\W_])_ | _(?![^\W_]) | ~(?=~) | (?<=~)~",
    re.VERBOSE,
)
_BOLD = re.compile(r"(?:\*\*[\w ,]+\*\*)?")


def escaped(text: str) -> str:
    """``text`` on one line, with a backslash before each letter that would mean something."""
    return _MARKS.sub(r"\\\g<0>", re.sub(r"\s*\n\s*", " ", printable(text)))


def escaped_note(note: str) -> str:
    """A note below a table; it may begin with bold words."""
    bold = _BOLD.match(note)
    end = bold.end() if bold else 0
    return note[:end] + escaped(note[end:])
