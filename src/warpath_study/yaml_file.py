"""Reads YAML files. PyYAML alone would keep the last of two equal keys of a mapping; here, they are refused."""

import os
from pathlib import Path
from typing import Any

import yaml

from warpath.errors import FormatError, UsageError

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster, where PyYAML has it


class _Loader(_Base):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if isinstance(key.value, str) and key.value in seen:
                raise yaml.MarkedYAMLError(problem=f"{key.value!r} occurs twice", problem_mark=key.start_mark)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


def load_yaml(path: str | os.PathLike, what: str = "") -> Any:
    """The contents of the file. Raises UsageError if it cannot be read, FormatError if it is not YAML.

    ``what`` is a name for the file in the first of these, such as "the catalog".
    """
    try:
        return yaml.load(Path(path).read_bytes(), _Loader)
    except OSError as error:
        raise UsageError(f"{path}: {what}{' ' if what else ''}cannot be read ({error.strerror})") from None
    # Besides its own errors, PyYAML lets Python's through: of a date that does not exist, of nests without end.
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        place = f"{path}, line {mark.line + 1}" if mark else f"{path}"
        said = getattr(error, "problem", None) or str(error)
        raise FormatError(f"{place}: not YAML ({' '.join(said.split())})") from None
