"""Data files of the study: where they are, reading YAML, and JSON schemas.

The catalog and the works come with warpath: in ``data`` and ``workflow`` of a checkout, and in folders of these names
in this package if it was installed from a wheel.
"""

import json
import os
from pathlib import Path
from typing import Any

import msgspec

from warpath.errors import FormatError, UsageError

PACKAGE_ROOT = Path(__file__).resolve().parent


def roots() -> tuple[Path, ...]:
    """The folders to search, in order: the working directory, the checkout that warpath runs from, this package."""
    checkout = (PACKAGE_ROOT.parents[1],) if PACKAGE_ROOT.parent.name == "src" else ()
    return (Path(), *checkout, PACKAGE_ROOT)


def root_with(pattern: str) -> Path | None:
    """The first of ``roots`` with a file that matches the glob ``pattern``; None if there is none."""
    return next((root for root in roots() if any(root.glob(pattern))), None)


def load_yaml(path: str | os.PathLike, what: str = "") -> Any:
    """The contents of a YAML file. Raises UsageError if it cannot be read, FormatError if it is not YAML.

    ``what`` names the file in the first message, such as "the catalog".
    """
    import yaml  # here, so that the help of commands does without it

    from .yaml_loader import Loader

    try:
        return yaml.load(Path(path).read_bytes(), Loader)
    except OSError as error:
        raise UsageError(f"{path}: {what}{' ' if what else ''}cannot be read ({error.strerror})") from None
    # PyYAML also raises errors of Python, such as for a date that does not exist or for deep nesting.
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        place = f"{path}, line {mark.line + 1}" if mark else f"{path}"
        problem = getattr(error, "problem", None) or str(error)
        raise FormatError(f"{place}: not YAML ({' '.join(problem.split())})") from None


def json_schema(type_: type) -> dict[str, Any]:
    """The JSON schema of a msgspec type."""
    return portable(msgspec.json.schema(type_))


def portable(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema of msgspec with portable patterns: ``$(?!\\n)`` instead of ``\\Z``, which only Python knows."""
    text = json.dumps(schema).replace(r"\\Z", r"$(?!\\n)")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **json.loads(text)}
