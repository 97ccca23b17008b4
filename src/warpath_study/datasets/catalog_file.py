"""The format of ``data/catalog.yaml``: the types below. ``read_entries`` reads it; ``schema()`` is its JSON schema."""

from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from warpath.errors import FormatError, UsageError
from warpath.names import check_printable

from ..data_files import load_yaml, portable

# Names become file names and Snakemake wildcards. \Z, because $ also matches before a line feed at the end.
DatasetName = Annotated[str, Meta(pattern=r"^[a-z0-9][a-z0-9_-]*\Z")]
FileName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*\Z")]
Address = Annotated[str, Meta(pattern=r"^https?://[^\s]+\Z")]
Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]
Title = Annotated[str, Meta(min_length=1, description="What a reader of a table calls it; by default its name.")]
Vertices = Annotated[int, Meta(ge=1, description="Number of vertices. Checked where it is given.")]
Arcs = Annotated[
    int, Meta(ge=0, description="Number of arcs, parallel arcs and loops counted. Checked where it is given.")
]


class Fields(Struct, forbid_unknown_fields=True, omit_defaults=True, kw_only=True):
    """What all types here have in common."""


class WeightFields(Fields):
    """How weights are drawn: equally likely from min..max, or like something measured; alike both ways of an edge."""

    seed: Annotated[int, Meta(description="Seed of the random numbers.")]
    min: Annotated[int | UnsetType, Meta(description="Smallest weight.")] = UNSET
    max: Annotated[int | UnsetType, Meta(description="Largest weight.")] = UNSET
    like: (
        Annotated[
            Literal["road_lengths"],
            Meta(description="road_lengths: distributed like the lengths of New York's roads, see road_lengths.py."),
        ]
        | UnsetType
    ) = UNSET

    def __post_init__(self) -> None:
        range_given = {self.min is not UNSET, self.max is not UNSET}
        if range_given != {self.like is UNSET}:
            raise ValueError("Weights need `seed` and either `like` or both `min` and `max`")


class FileFields(Fields):
    """A file in data/raw: a published one, with addresses and all that is known of it, or one of your own."""

    kind: Annotated[
        Literal["dimacs", "pace", "snap", "edges", "mtx"],
        Meta(
            description="dimacs, a .gr file, with weights; pace, a .gr file of undirected edges without weights "
            "('p tw'), each two arcs; snap, an edge list; edges, a text of a line 'n m' and m lines 'u v w'; mtx, "
            "MatrixMarket."
        ),
    ]
    file: Annotated[
        FileName,
        Meta(
            description="Name of the file in data/raw, plain, .gz or .xz: its published name; the name that mirrors "
            "use, where the published one would be taken for another file."
        ),
    ]
    title: Title | UnsetType = UNSET
    vertices: Vertices | UnsetType = UNSET
    arcs: Arcs | UnsetType = UNSET
    weighted: Annotated[
        bool | UnsetType,
        Meta(
            description="Whether the graph has weights of its own (in an edge list: the third column); if not, it gets "
            "random ones, as `weights` says or from the seed of the config. Left out, the file decides, but an edge "
            "list must have two columns."
        ),
    ] = UNSET
    weights: Annotated[WeightFields | UnsetType, Meta(description="How weights are drawn.")] = UNSET
    scale: (
        Annotated[int, Meta(ge=1, le=10**9, description="What weights with fractions are multiplied by to be whole.")]
        | UnsetType
    ) = UNSET
    addresses: (
        Annotated[
            list[Address], Meta(min_length=1, description="Where the file is published, in the order in which to try.")
        ]
        | UnsetType
    ) = UNSET
    sha256: Annotated[
        Sha256 | UnsetType | None,
        Meta(
            description="Hash of the file's uncompressed content; null where no trustworthy one is known. Then the "
            "first download decides: its hash is recorded beside the file, and later ones are held to it."
        ),
    ] = UNSET
    max_bytes: (
        Annotated[
            int,
            Meta(
                ge=1,
                le=10**15,
                description="The most bytes that the published file may have, and also its uncompressed content. Where "
                "it is left out, it follows from the counts: 1 MiB, and 64 bytes for each vertex and each arc.",
            ),
        ]
        | UnsetType
    ) = UNSET
    licence: (
        Annotated[str, Meta(min_length=1, description="Terms of use, as far as the publisher states them.")] | UnsetType
    ) = UNSET
    citation: Annotated[str, Meta(min_length=1, description="The work to cite.")] | UnsetType = UNSET

    def __post_init__(self) -> None:
        always = {"dimacs": True, "pace": False}.get(self.kind, self.weighted)
        if self.weighted not in (UNSET, always):
            raise ValueError(f"`weighted` has to be {str(always).lower()} for a file of kind {self.kind}")
        if self.weights is not UNSET and self.weighted is not False:
            raise ValueError("`weights` are drawn only where `weighted` is false")
        if self.addresses is not UNSET:
            for name in ("title", "vertices", "arcs", "weighted", "sha256", "licence", "citation"):
                if getattr(self, name) is UNSET:
                    raise ValueError(f"A file with `addresses` needs `{name}`")


class GeneratedFields(Fields):
    """A graph that a generator of warpath makes."""

    kind: Literal["generated"]
    generator: Annotated[
        Literal["road", "gnutella", "complete", "hub", "random", "power_law", "paper_sample", "matrices"],
        Meta(description="Which generator makes it."),
    ]
    parameters: Annotated[dict[str, Any], Meta(description="What the generator is called with, its seed included.")]
    title: Title
    vertices: Vertices
    arcs: Arcs
    weighted: Annotated[
        bool, Meta(description="Whether the generator gives it weights; if not, it gets random ones from a seed.")
    ]
    sha256: Annotated[
        Sha256 | UnsetType,
        Meta(
            description="Hash of the graph that the generator makes, with weights of 1 if it gives none. No other "
            "graph is measured under this name."
        ),
    ] = UNSET


class FirstFields(Fields):
    """The arcs of one weight between the first vertices, each counting 1."""

    vertices: Annotated[int, Meta(ge=1, description="How many vertices.")]
    weight: Annotated[int, Meta(description="The weight in the other graph.")]


class DerivedFields(Fields, rename={"origin": "from"}):
    """The graph of another dataset with new weights, which keeps its vertices and arcs, or a part of it."""

    kind: Literal["derived"]
    origin: Annotated[str, Meta(description="The other dataset, which comes before this one in the file.")]
    title: Title | UnsetType = UNSET
    vertices: Vertices | UnsetType = UNSET
    arcs: Arcs | UnsetType = UNSET
    weights: Annotated[WeightFields | UnsetType, Meta(description="How weights are drawn.")] = UNSET
    first: Annotated[FirstFields | UnsetType, Meta(description="The part to take.")] = UNSET

    def __post_init__(self) -> None:
        if (self.weights is UNSET) == (self.first is UNSET):
            raise ValueError("A derived graph needs either `weights` or `first`")


class _Kind(Struct):
    kind: str


_TYPES = {"generated": GeneratedFields, "derived": DerivedFields}


def read_entries(file: Path) -> dict[str, dict[str, Any]]:
    """The keys that each entry of a ``catalog.yaml`` has. Raises UsageError if the file cannot be read, and
    FormatError, naming file and entry, if it is malformed.
    """
    contents = load_yaml(file, "the catalog")
    name: Any = "top level"
    try:
        check_printable(str(file), contents)
        if not isinstance(contents, dict) or not contents:
            raise FormatError(f"{file}: top level: has to be names of datasets, each with an entry")
        entries = {}
        for name, entry in contents.items():
            msgspec.convert(name, DatasetName)
            kind = msgspec.convert(entry, _Kind).kind
            entries[name] = msgspec.to_builtins(msgspec.convert(entry, _TYPES.get(kind, FileFields)))
        return entries
    except UsageError as error:
        raise FormatError(str(error)) from None
    except msgspec.ValidationError as error:
        said = str(error).replace("\n", "\\n")
        raise FormatError(
            f"{file}: {name!s}: {said}; workflow/schemas/catalog.schema.json describes every key"
        ) from None


def schema() -> dict[str, Any]:
    """The format as JSON schema."""
    kinds = (FileFields, GeneratedFields, DerivedFields)
    (names, *entries), types = msgspec.json.schema_components((DatasetName, *kinds), ref_template="#/$defs/{name}")
    mapping = {"type": "object", "minProperties": 1, "propertyNames": names, "additionalProperties": {"anyOf": entries}}
    return portable({**mapping, "$defs": types})
