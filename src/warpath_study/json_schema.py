"""JSON schemas of file formats, made from their types."""

from typing import Any

import msgspec

_DRAFT = "https://json-schema.org/draft/2020-12/schema"


def json_schema(type_: type) -> dict[str, Any]:
    """The JSON schema of a msgspec type."""
    return portable(msgspec.json.schema(type_))


def portable(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema that msgspec made, for other readers.

    ``\\Z`` is specific to Python, and ``$`` there also matches before a line feed at the end. Patterns therefore end in
    ``$(?!\\n)``, which means the end of the text everywhere.
    """
    return {"$schema": _DRAFT, **_plain(schema)}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value.replace(r"\Z", r"$(?!\n)") if isinstance(value, str) else value
