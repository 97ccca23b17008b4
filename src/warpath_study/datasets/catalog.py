"""The catalog of datasets, ``data/catalog.yaml``: where each graph comes from and what it must be.

The type ``Dataset`` is the format of an entry; ``schema()`` is its JSON schema.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from warpath.errors import FormatError, UsageError
from warpath.graphs.formats import TEXT
from warpath.graphs.weights import WeightRule
from warpath.names import check_printable, suggestion

from ..data_files import load_yaml, portable, root_with

_FILE = Path("data", "catalog.yaml")
_RAW = Path("data", "raw")
_GRAPHS = Path("data", "graphs")
# What an entry says for readers and for the download; it changes nothing about the graph.
_PROSE = frozenset({"title", "addresses", "max_bytes", "licence", "citation"})
# Of a published file: more than a line of any of the formats needs for a vertex or an arc, and room for comments.
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

_COMMON = frozenset({"name", "kind", "title", "vertices", "arcs"})
_OF_FILES = frozenset(
    {"file", "weighted", "weights", "scale", "addresses", "sha256", "max_bytes", "licence", "citation"}
)
_KEYS = {
    "generated": frozenset({"generator", "parameters", "weighted", "sha256"}),
    "derived": frozenset({"from", "weights", "first", "weighted"}),
}
_NEEDED = {"generated": ("generator", "vertices", "arcs", "weighted"), "derived": ("from",)}
_NEEDED_WITH_ADDRESSES = ("vertices", "arcs", "weighted", "licence", "citation")


class FirstVertices(Struct, frozen=True, forbid_unknown_fields=True):
    """The arcs of one weight between the first vertices, each counting 1."""

    vertices: Annotated[int, Meta(ge=1, description="How many vertices.")]
    weight: Annotated[int, Meta(description="The weight in the other graph.")]


class Dataset(
    Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True, rename={"origin": "from"}
):
    """An entry: a file in data/raw, a published one, with addresses and all that is known of it, or one of your own; a
    graph that a generator makes; or one derived from that of another dataset: with new weights, or a part of it.
    """

    name: str
    kind: Annotated[
        str,
        Meta(
            description="Of a file, its format: "
            + "; ".join(f"{format.name}, {format.meaning}" for format in TEXT.values())
            + ". Else generated or derived.",
            extra_json_schema={"enum": [*TEXT, *_KEYS]},
        ),
    ]
    title: Annotated[Text, Meta(description="What a reader of a table calls it; by default its name.")]
    vertices: Annotated[Positive | None, Meta(description="Number of vertices. Checked where it is given.")] = None
    arcs: Annotated[
        Count | None, Meta(description="Number of arcs, parallel arcs and loops counted. Checked where it is given.")
    ] = None
    weighted: Annotated[
        bool | None,
        Meta(
            description="Whether the graph has weights of its own (in an edge list: the third column); if not, it gets "
            "random ones, as `weights` says or from the seed of the config. Left out, the file decides, but an edge "
            "list must have two columns."
        ),
    ] = None
    weights: Annotated[WeightRule | None, Meta(description="How weights are drawn.")] = None
    file: Annotated[
        FileName | None,
        Meta(
            description="Name of the file in data/raw, plain, .gz or .xz: its published name; the name that mirrors "
            "use, where the published one would be taken for another file."
        ),
    ] = None
    addresses: Annotated[
        tuple[Address, ...], Meta(description="Where the file is published, in the order in which to try.")
    ] = ()
    sha256: Annotated[
        Sha256 | None,
        Meta(
            description="Hash of the file's uncompressed content; null where no trustworthy one is known. Then the "
            "first download decides: its hash is recorded beside the file, and later ones are held to it. Of a "
            "generated graph, the hash of what the generator makes, with weights of 1 if it gives none. No other graph "
            "is measured under this name."
        ),
    ] = None
    max_bytes: Annotated[
        Bytes | None,
        Meta(
            description="The most bytes that the published file may have, and also its uncompressed content. Where it "
            "is left out, it follows from the counts: 1 MiB, and 64 bytes for each vertex and each arc."
        ),
    ] = None
    scale: Annotated[Scale | None, Meta(description="What weights with fractions are multiplied by to be whole.")] = (
        None
    )
    licence: Annotated[Text | None, Meta(description="Terms of use, as far as the publisher states them.")] = None
    citation: Annotated[Text | None, Meta(description="The work to cite.")] = None
    generator: Annotated[
        Literal["road", "gnutella", "complete", "hub", "random", "power_law", "paper_sample", "matrices"] | None,
        Meta(description="Which generator makes it."),
    ] = None
    parameters: Annotated[
        dict[str, Any], Meta(description="What the generator is called with, its seed included.")
    ] = {}
    origin: Annotated[str | None, Meta(description="The other dataset, which comes before this one in the file.")] = (
        None
    )
    first: Annotated[FirstVertices | None, Meta(description="The part to take.")] = None

    def __post_init__(self) -> None:
        if self.kind not in (*TEXT, *_KEYS):
            raise ValueError(f"unknown `kind` {self.kind!r}; {suggestion(self.kind, (*TEXT, *_KEYS))}")
        given = set(msgspec.to_builtins(self))
        for name in sorted(given - _COMMON - _KEYS.get(self.kind, _OF_FILES)):
            raise ValueError(f"A dataset of kind {self.kind} has no `{name}`")
        for name in (*_NEEDED.get(self.kind, ("file",)), *(_NEEDED_WITH_ADDRESSES if self.addresses else ())):
            if name not in given:
                raise ValueError(f"A dataset of kind {self.kind} needs `{name}`")
        if self.published and self.weights and self.weighted is not False:
            raise ValueError("`weights` are drawn only where `weighted` is false")
        if self.derived and (self.weights is None) == (self.first is None):
            raise ValueError("A derived graph needs either `weights` or `first`")

    @property
    def published(self) -> bool:
        """Whether the graph is read from a file that is fetched to data/raw, or lies there as the user's own."""
        return self.kind in TEXT

    @property
    def own(self) -> bool:
        """Whether that file is the user's own: no address to fetch it from."""
        return self.published and not self.addresses

    @property
    def size_limit(self) -> int | None:
        """The most bytes that the published file and its uncompressed content may have; None for the user's own."""
        if self.max_bytes is not None or not self.addresses:
            return self.max_bytes
        return _BYTES_OF_COMMENTS + _BYTES_PER_ITEM * ((self.vertices or 0) + (self.arcs or 0))

    @property
    def trusts_first_download(self) -> bool:
        """Whether no hash is known that a downloaded file could be held to."""
        return self.published and not self.own and self.sha256 is None

    @property
    def generated(self) -> bool:
        return self.kind == "generated"

    @property
    def derived(self) -> bool:
        return self.kind == "derived"

    @property
    def identity(self) -> str:
        """The facts that decide which graph this is, as JSON text: all but title, addresses, max_bytes, licence and
        citation.

        For the workflow to compare: editing one entry makes that graph anew and no other, and editing prose makes none.
        """
        facts = msgspec.to_builtins(self)
        return json.dumps({name: value for name, value in facts.items() if name not in _PROSE}, sort_keys=True)


def load_catalog(path: str | os.PathLike | None = None) -> dict[str, Dataset]:
    """All datasets by name, in the order of the file.

    By default, that is ``data/catalog.yaml`` here, or else the one that comes with warpath. Raises UsageError if the
    file cannot be read, FormatError that names the place if it is malformed.
    """
    file = _default_path() if path is None else Path(path)
    contents = load_yaml(file, "the catalog")
    datasets: dict[str, Dataset] = {}
    name: Any = "top level"
    try:
        check_printable(str(file), contents)
        if not isinstance(contents, dict) or not contents:
            raise FormatError(f"{file}: top level: has to be names of datasets, each with an entry")
        for name, entry in contents.items():
            msgspec.convert(name, DatasetName)
            datasets[name] = _dataset(name, msgspec.convert(entry, dict[str, Any]), datasets)
    except UsageError as error:
        raise FormatError(str(error) if name == "top level" else f"{file}: {name}.from: {error}") from None
    except msgspec.ValidationError as error:
        said = str(error).replace("\n", "\\n")
        raise FormatError(
            f"{file}: {name!s}: {said}; workflow/schemas/catalog.schema.json describes every key"
        ) from None
    return datasets


def _dataset(name: str, entry: Mapping[str, Any], above: Mapping[str, Dataset]) -> Dataset:
    """The dataset of one entry; ``above`` are those before it in the file."""
    if "name" in entry:
        raise msgspec.ValidationError("Object contains unknown field `name`")
    found = msgspec.convert({"title": name, **entry, "name": name}, Dataset)
    if found.origin is None:
        return found
    origin = _known(found.origin, above, "an origin comes before what is derived from it")
    # New weights change no count; a part has the stated vertices and as many arcs as it turns out to have.
    counts = (found.first.vertices, None) if found.first else (origin.vertices, origin.arcs)
    return msgspec.structs.replace(
        found,
        vertices=counts[0] if found.vertices is None else found.vertices,
        arcs=counts[1] if found.arcs is None else found.arcs,
        weighted=True,
    )


def dataset(name: str, path: str | os.PathLike | None = None) -> Dataset:
    """The dataset ``name``; raises UsageError that lists the names nearest to it, or all of them."""
    return _known(name, load_catalog(path))


def _known(name: str, datasets: Mapping[str, Dataset], hint: str = "") -> Dataset:
    if name in datasets:
        return datasets[name]
    raise UsageError(f"unknown dataset {name!r}{f' ({hint})' if hint else ''}; {suggestion(name, datasets)}")


def require_published(dataset: Dataset) -> None:
    """Raise UsageError, naming the command that makes the graph, if ``dataset`` is not read from a file."""
    if not dataset.published:
        command = f"warpath {'generate' if dataset.generated else 'convert'} {dataset.name}"
        raise UsageError(f"{dataset.name} is a {dataset.kind} graph; make it with: {command}")


def raw_path(dataset: Dataset) -> Path:
    """The default place of the file of ``dataset``; UsageError if it is not read from a file."""
    require_published(dataset)
    return _RAW / (dataset.file or "")


def graph_path(name: str) -> Path:
    """The default place of the graph of the dataset ``name``."""
    return _GRAPHS / f"{name}.npz"


def schema() -> dict[str, Any]:
    """The format of the file as JSON schema."""
    (names, entry), types = msgspec.json.schema_components((DatasetName, Dataset), ref_template="#/$defs/{name}")
    del types["Dataset"]["properties"]["name"]
    types["Dataset"]["required"] = ["kind"]
    mapping = {"type": "object", "minProperties": 1, "propertyNames": names, "additionalProperties": entry}
    return portable({**mapping, "$defs": types})


def _default_path() -> Path:
    root = root_with(str(_FILE))
    if root is None:
        raise UsageError(f"no catalog {_FILE} here, and none came with warpath; name one with --catalog")
    return root / _FILE
