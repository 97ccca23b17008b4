"""Files of the study beside its code: where they lie, how YAML is read, and the JSON schemas of their formats.

The catalog of datasets and the works come with warpath. A checkout has them in ``data`` and ``workflow``, a wheel has
the same folders inside this package.
"""

import os
from pathlib import Path
from typing import Any

import msgspec
import yaml

from warpath.errors import FormatError, UsageError

PACKAGE_ROOT = Path(__file__).resolve().parent

_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times faster, where PyYAML has it


def roots() -> tuple[Path, ...]:
    """Where those folders may lie, first choice first: here, in the checkout that warpath runs from, in the package."""
    checkout = (PACKAGE_ROOT.parents[1],) if PACKAGE_ROOT.parent.name == "src" else ()
    return (Path(), *checkout, PACKAGE_ROOT)


def root_with(pattern: str) -> Path | None:
    """The first of ``roots`` that has a file matching the glob ``pattern``; None if there is none."""
    return next((root for root in roots() if any(root.glob(pattern))), None)


class _Loader(_Base):
    """PyYAML alone would keep the last of two equal keys of a mapping; here, they are refused."""

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


def json_schema(type_: type) -> dict[str, Any]:
    """The JSON schema of a msgspec type."""
    return portable(msgspec.json.schema(type_))


def portable(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that msgspec made, for other readers.

    ``\\Z`` is specific to Python, and ``$`` there also matches before a line feed at the end. Patterns therefore end in
    ``$(?!\\n)``, which means the end of the text everywhere.
    """
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_plain(schema)}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value.replace(r"\Z", r"$(?!\n)") if isinstance(value, str) else value
