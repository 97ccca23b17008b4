"""Reads YAML files strictly: a mapping has distinct keys, which are text, and a small file stays small.

PyYAML alone would keep the last of two equal keys. Anchors work, but what aliases stand for is counted each time, and
that is bounded, as is depth.
"""

import os
from pathlib import Path
from typing import Any

import yaml

from warpath.errors import FormatError, OutOfMemoryError, UsageError

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster, where PyYAML has it
_DEPTH_MAX = 50
_NODES_MAX = 1_000_000
_TEXT_TAGS = frozenset({"tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"})


class _Loader(_Base):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if not isinstance(key, yaml.ScalarNode) or key.tag not in _TEXT_TAGS:
                shown = repr(key.value) if isinstance(key, yaml.ScalarNode) else f"a {key.id}"
                raise _fault(f"the key {shown[:40]} is not text; put it in quotes", key.start_mark)
            if key.value in seen:
                raise _fault(f"{key.value!r} occurs twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError):
            # A date that does not exist, a number of thousands of digits, a tag on what it does not suit.
            kind = node.tag.rpartition(":")[2]
            raise _fault(f"{str(node.value)[:40]!r} cannot be read as {kind}", node.start_mark) from None


def load_yaml(path: str | os.PathLike, what: str = "") -> Any:
    """The contents of the file. Raises UsageError if it cannot be read, FormatError if it is not YAML.

    ``what`` is a name for the file in the first of these, such as "the catalog".
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {what}{' ' if what else ''}cannot be read ({error.strerror})") from None
    try:
        text = content.decode("utf-8-sig")
        _check_size(text)
        return yaml.load(text, _Loader)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FormatError(f"{path}, line {line}: not YAML ({error.reason} of UTF-8 text)") from None
    except yaml.reader.ReaderError as error:
        line = content.decode("utf-8-sig").count("\n", 0, error.position) + 1
        raise FormatError(f"{path}, line {line}: not YAML (a character that text does not have)") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        place = f"{path}, line {mark.line + 1}" if mark else f"{path}"
        said = getattr(error, "problem", None) or getattr(error, "context", None) or str(error)
        raise FormatError(f"{place}: not YAML ({' '.join(said.split())})") from None
    except MemoryError:
        raise OutOfMemoryError(f"{path}: this machine's memory does not hold what is in the file") from None


def _check_size(text: str) -> None:
    """Raise MarkedYAMLError if nodes, those behind aliases counted each time, are too many or too deep."""
    sizes: dict[str, int] = {}  # of what has an anchor
    opened: list[tuple[str | None, int]] = []  # its anchor, and how many nodes were before it
    count = 0
    for event in yaml.parse(text, _Base):
        if isinstance(event, yaml.AliasEvent):
            if any(anchor == event.anchor for anchor, _ in opened):
                raise _fault(f"the alias *{event.anchor} is inside what it stands for", event.start_mark)
            count += sizes.get(event.anchor or "", 1)
        elif isinstance(event, yaml.NodeEvent):
            count += 1
            if isinstance(event, yaml.ScalarEvent):
                sizes[event.anchor or ""] = 1
            else:
                opened.append((event.anchor, count - 1))
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = opened.pop()
            sizes[anchor or ""] = count - before
        if count > _NODES_MAX:
            raise _fault(f"aliases and all, these are more than {_NODES_MAX} values", event.start_mark)
        if len(opened) > _DEPTH_MAX:
            raise _fault(f"values are nested more than {_DEPTH_MAX} deep", event.start_mark)


def _fault(problem: str, mark: Any) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=mark)
