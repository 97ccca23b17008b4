"""The catalog of datasets, ``data/catalog.yaml``. ``Dataset`` is the format of an entry."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from warpath.errors import FormatError, UsageError
from warpath.graphs.files.formats import TEXT
from warpath.system.names import suggestion

from ..data_files import load_yaml, portable, root_with
from .weight_rules import WeightRule

_FILE = Path("data", "catalog.yaml")
_RAW = Path("data", "raw")
_GRAPHS = Path("data", "graphs")
# Fields that do not change the graph.
_NO_IDENTITY = frozenset({"title", "addresses", "max_bytes", "licence", "citation"})
# Limits of a published file: no format needs more for a vertex or an arc, or for comments.
_BYTES_PER_ITEM = 64
_BYTES_OF_COMMENTS = 1 << 20

# Names become file names and Snakemake wildcards. \Z, because $ also matches before a line feed at the end.
DatasetName = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]*\Z")]
FileName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z")]
Address = Annotated[str, Meta(pattern=r"^https?://[^\s]+\Z")]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Text = Annotated[str, Meta(min_length=1)]
Count = Annotated[int, Meta(ge=0)]
Positive = Annotated[int, Meta(ge=1)]
Bytes = Annotated[int, Meta(ge=1, le=10**15)]
Scale = Annotated[int, Meta(ge=1, le=10**9)]

_WEIGHTED = (
    "Whether the graph has weights, in an edge list as the third column; if not, it gets random ones. By default the "
    "file decides, and an edge list must have two columns."
)
_FILE_NAME = "Name of the file in data/raw and in mirrors, plain, .gz, .bz2 or .xz."
_SHA256 = (
    "Hash of the file's uncompressed content, or of the generated graph before random weights are drawn. If null for a "
    "published file, later downloads must have the hash of the first one."
)
_MAX_BYTES = (
    "Maximum size of the published file, also uncompressed; by default 1 MiB, and 64 bytes per vertex and per arc."
)

_COMMON = frozenset({"name", "kind", "title", "vertices", "arcs"})
_FILE_KEYS = frozenset({"file", "weighted", "weights", "scale", "sha256"}) | (_NO_IDENTITY - {"title"})
_KEYS = {
    "generated": frozenset({"generator", "parameters", "weighted", "sha256"}),
    "derived": frozenset({"from", "weights", "first", "weighted"}),
}
_NEEDED = {"generated": ("generator", "vertices", "arcs", "weighted"), "derived": ("from",)}
_NEEDED_WITH_ADDRESSES = ("vertices", "arcs", "weighted", "licence", "citation")


class FirstVertices(Struct, frozen=True, forbid_unknown_fields=True):
    """The arcs of one weight between the first vertices, with weight 1."""

    vertices: Annotated[int, Meta(ge=1, description="Number of vertices.")]
    weight: Annotated[int, Meta(description="The weight in the other graph.")]


class Dataset(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, rename={"origin": "from"}
):
    """An entry: a published file or your own one in data/raw, a generated graph, or one derived from another graph."""

    name: str
    kind: Annotated[
        str,
        Meta(
            description="Generated, derived, or the format of a file: "
            + "; ".join(f"{format.name}, {format.meaning}" for format in TEXT.values()),
            extra_json_schema={"enum": [*TEXT, *_KEYS]},
        ),
    ]
    title: Annotated[Text, Meta(description="Name in tables; by default the name of the entry.")]
    vertices: Annotated[Positive | None, Meta(description="Number of vertices, which is checked.")] = None
    arcs: Annotated[
        Count | None, Meta(description="Number of arcs with parallel ones and loops, which is checked.")
    ] = None
    weighted: Annotated[bool | None, Meta(description=_WEIGHTED)] = None
    weights: Annotated[WeightRule | None, Meta(description="How random weights are drawn.")] = None
    file: Annotated[FileName | None, Meta(description=_FILE_NAME)] = None
    addresses: Annotated[tuple[Address, ...], Meta(description="Addresses of the file, in the order to try them.")] = ()
    sha256: Annotated[Sha256 | None, Meta(description=_SHA256)] = None
    max_bytes: Annotated[Bytes | None, Meta(description=_MAX_BYTES)] = None
    scale: Annotated[Scale | None, Meta(description="Factor that makes weights with fractions whole.")] = None
    licence: Annotated[Text | None, Meta(description="Terms of use, if the publisher states them.")] = None
    citation: Annotated[Text | None, Meta(description="The work to cite.")] = None
    generator: Annotated[
        Literal["road", "gnutella", "complete", "hub", "random", "power_law", "paper_sample", "matrices"] | None,
        Meta(description="The generator."),
    ] = None
    parameters: Annotated[dict[str, Any], Meta(description="The parameters of the generator, with its seed.")] = {}
    origin: Annotated[str | None, Meta(description="The original dataset, which comes first in the file.")] = None
    first: Annotated[FirstVertices | None, Meta(description="The part of the original graph.")] = None

    def __post_init__(self) -> None:
        if self.kind not in (*TEXT, *_KEYS):
            raise ValueError(f"unknown `kind` {self.kind!r}; {suggestion(self.kind, (*TEXT, *_KEYS))}")
        keys = set(msgspec.to_builtins(self))
        for name in sorted(keys - _COMMON - _KEYS.get(self.kind, _FILE_KEYS)):
            raise ValueError(f"A dataset of kind {self.kind} has no `{name}`")
        for name in (*_NEEDED.get(self.kind, ("file",)), *(_NEEDED_WITH_ADDRESSES if self.addresses else ())):
            if name not in keys:
                raise ValueError(f"A dataset of kind {self.kind} needs `{name}`")
        if self.published and self.weights and self.weighted is not False:
            raise ValueError("`weights` needs `weighted: false`")
        if self.derived and (self.weights is None) == (self.first is None):
            raise ValueError("A derived graph needs either `weights` or `first`")

    @property
    def published(self) -> bool:
        """Whether the graph is read from a file in data/raw, published or the user's own."""
        return self.kind in TEXT

    @property
    def own(self) -> bool:
        """Whether the file is the user's own, without an address."""
        return self.published and not self.addresses

    @property
    def size_limit(self) -> int | None:
        """Maximum size in bytes of the published file and of its uncompressed content; None for the user's own."""
        if self.max_bytes is not None or not self.addresses:
            return self.max_bytes
        return _BYTES_OF_COMMENTS + _BYTES_PER_ITEM * ((self.vertices or 0) + (self.arcs or 0))

    @property
    def trusts_first_download(self) -> bool:
        """Whether the catalog has no hash of the published file."""
        return self.published and not self.own and self.sha256 is None

    @property
    def generated(self) -> bool:
        return self.kind == "generated"

    @property
    def derived(self) -> bool:
        return self.kind == "derived"

    @property
    def identity(self) -> dict[str, Any]:
        """The fields that change the graph. The workflow makes the graph again if they change."""
        return {name: value for name, value in msgspec.to_builtins(self).items() if name not in _NO_IDENTITY}


def load_catalog(path: str | os.PathLike | None = None) -> dict[str, Dataset]:
    """All datasets by name, in the order of the file.

    The default file is ``data/catalog.yaml`` of the working directory, or else of warpath. Raises UsageError if it
    cannot be read, FormatError, with the place, if it is malformed.
    """
    if path is None:
        root = root_with(str(_FILE))
        if root is None:
            raise UsageError(f"there is no catalog {_FILE} here or in warpath; name one with --catalog")
        path = root / _FILE
    file = Path(path)
    contents = load_yaml(file, "the catalog")
    if not isinstance(contents, dict) or not contents:
        raise FormatError(f"{file}: top level: must map names of datasets to entries")
    datasets: dict[str, Dataset] = {}
    for name, entry in contents.items():
        try:
            msgspec.convert(name, DatasetName)
            datasets[name] = _dataset(name, msgspec.convert(entry, dict[str, Any]), datasets)
        except UsageError as error:
            raise FormatError(f"{file}: {name}.from: {error}") from None
        except msgspec.ValidationError as error:
            message = str(error).replace("\n", "\\n")
            raise FormatError(
                f"{file}: {name}: {message}; workflow/schemas/catalog.schema.json describes every key"
            ) from None
    return datasets


def _dataset(name: str, entry: Mapping[str, Any], previous: Mapping[str, Dataset]) -> Dataset:
    """The dataset of an entry; ``previous`` are the datasets before it in the file."""
    if "name" in entry:
        raise msgspec.ValidationError("Object contains unknown field `name`")
    dataset = msgspec.convert({"title": name, **entry, "name": name}, Dataset)
    if dataset.origin is None:
        return dataset
    origin = _known(dataset.origin, previous, "the original dataset must come first")
    # New weights keep the counts of the original graph. The number of arcs of a part is not known.
    vertices, arcs = (dataset.first.vertices, None) if dataset.first else (origin.vertices, origin.arcs)
    return msgspec.structs.replace(
        dataset,
        vertices=vertices if dataset.vertices is None else dataset.vertices,
        arcs=arcs if dataset.arcs is None else dataset.arcs,
        weighted=True,
    )


def dataset(name: str, path: str | os.PathLike | None = None) -> Dataset:
    """The dataset ``name``. Raises UsageError, with the nearest names, if there is none."""
    return _known(name, load_catalog(path))


def _known(name: str, datasets: Mapping[str, Dataset], hint: str = "") -> Dataset:
    if name in datasets:
        return datasets[name]
    raise UsageError(f"unknown dataset {name!r}{f' ({hint})' if hint else ''}; {suggestion(name, datasets)}")


def require_published(dataset: Dataset) -> None:
    """Raise UsageError, with the command that makes the graph, if ``dataset`` is not read from a file."""
    if not dataset.published:
        command = f"warpath {'generate' if dataset.generated else 'convert'} {dataset.name}"
        raise UsageError(f"{dataset.name} is a {dataset.kind} graph; make it with: {command}")


def raw_path(dataset: Dataset) -> Path:
    """The default path of the file of ``dataset``. Raises UsageError if it is not read from a file."""
    require_published(dataset)
    return _RAW / (dataset.file or "")


def graph_path(name: str) -> Path:
    """The default path of the graph of the dataset ``name``."""
    return _GRAPHS / f"{name}.npz"


def schema() -> dict[str, Any]:
    """The JSON schema of the catalog."""
    (names, entry), types = msgspec.json.schema_components((DatasetName, Dataset), ref_template="#/$defs/{name}")
    del types["Dataset"]["properties"]["name"]
    types["Dataset"]["required"] = ["kind"]
    mapping = {"type": "object", "minProperties": 1, "propertyNames": names, "additionalProperties": entry}
    return portable({**mapping, "$defs": types})
