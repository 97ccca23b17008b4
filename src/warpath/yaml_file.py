"""Reads YAML files strictly: a duplicate key is an error. PyYAML alone would keep the last one."""

import os
from pathlib import Path
from typing import Any

import yaml

from .errors import FormatError, UsageError

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster, where PyYAML has it


class _Loader(_Base):
    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} occurs twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def load_yaml(path: str | os.PathLike, what: str = "") -> Any:
    """The contents of the file. Raises UsageError if it cannot be read, FormatError if it is not YAML.

    ``what`` is a name for the file in the first of these, such as "the catalog".
    """
    try:
        return yaml.load(Path(path).read_text(encoding="utf-8"), _Loader)
    except OSError as error:
        raise UsageError(f"{path}: {what}{' ' if what else ''}cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise FormatError(f"{path}: not YAML ({' '.join(str(error).split())})") from None
