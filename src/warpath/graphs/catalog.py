"""The catalog of datasets, ``data/catalog.yaml``: which graphs have a name, and what each must be."""

import difflib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jsonschema
import yaml

from ..errors import FormatError, UsageError

# Where the catalog lies: in the working directory, else in the checkout that warpath is installed from.
_FOLDERS = (Path("data"), Path(__file__).resolve().parents[3] / "data")
_FILE = "catalog.yaml"
_RAW = Path("data", "raw")
_GRAPHS = Path("data", "graphs")
_SCHEMA = Path(__file__).with_name("catalog.schema.json")


@dataclass(frozen=True)
class Dataset:
    """One entry; the schema describes each field. What a kind does not have is None or empty."""

    name: str
    kind: str
    title: str
    vertices: int
    arcs: int
    weighted: bool
    # Published files.
    file: str | None = None
    addresses: tuple[str, ...] = ()
    sha256: str | None = None
    licence: str | None = None
    citation: str | None = None
    # Generated graphs.
    generator: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def generated(self) -> bool:
        return self.kind == "generated"


class _Loader(yaml.SafeLoader):
    """Plain YAML, in which a key that stands twice is an error: by itself, PyYAML lets the last one win."""

    def construct_mapping(self, node, deep=False):
        seen = set()
        for key, _ in node.value:
            if key.value in seen:
                raise yaml.constructor.ConstructorError(None, None, f"{key.value!r} stands there twice", key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def load_catalog(path: str | os.PathLike | None = None) -> dict[str, Dataset]:
    """All datasets by name, in the order of the file (default: ``data/catalog.yaml``).

    Raises UsageError where there is no such file, FormatError where it breaks the schema, naming the place.
    """
    file = _default_path() if path is None else Path(path)
    try:
        entries = yaml.load(file.read_text(encoding="utf-8"), _Loader)
    except OSError as error:
        raise UsageError(f"{file}: the catalog cannot be read ({error.strerror})") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise FormatError(f"{file}: not YAML ({' '.join(str(error).split())})") from None
    validator = jsonschema.Draft202012Validator(json.loads(_SCHEMA.read_text(encoding="utf-8")))
    fault = jsonschema.exceptions.best_match(validator.iter_errors(entries))
    if fault is not None:
        place = ".".join(str(step) for step in fault.absolute_path) or "top level"
        raise FormatError(f"{file}: {place}: {fault.message}")
    return {
        name: Dataset(name, **{**entry, "addresses": tuple(entry.get("addresses", ()))})
        for name, entry in entries.items()
    }


def find(name: str, path: str | os.PathLike | None = None) -> Dataset:
    """The dataset ``name``; raises UsageError that lists the names nearest to it, or all of them."""
    catalog = load_catalog(path)
    if name in catalog:
        return catalog[name]
    near = difflib.get_close_matches(name.lower(), catalog, n=5)
    if near:
        raise UsageError(f"unknown dataset {name!r}; did you mean {' or '.join(near)}?")
    raise UsageError(f"unknown dataset {name!r}; there are {', '.join(catalog)}")


def require_published(dataset: Dataset) -> None:
    """Raise UsageError where ``dataset`` is generated, and so has no file."""
    if dataset.generated:
        raise UsageError(f"{dataset.name} is a generated graph; make it with: warpath generate {dataset.name}")


def raw_path(dataset: Dataset) -> Path:
    """Where the published file of ``dataset`` lies when nothing else is said; UsageError where there is none."""
    require_published(dataset)
    return _RAW / dataset.file


def graph_path(dataset: Dataset) -> Path:
    """Where the graph of ``dataset`` lies when nothing else is said."""
    return _GRAPHS / f"{dataset.name}.npz"


def _default_path() -> Path:
    for folder in _FOLDERS:
        if (folder / _FILE).is_file():
            return folder / _FILE
    raise UsageError(
        f"no catalog {_FOLDERS[0] / _FILE} here; run warpath in its repository or name the file with --catalog"
    )
