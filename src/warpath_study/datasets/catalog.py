"""The catalog of datasets, ``data/catalog.yaml``: where each graph comes from and what it must be."""

import dataclasses
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from warpath.errors import FormatError, UsageError
from warpath.names import suggestion

from ..data_files import root_with
from .catalog_file import read_entries

_FILE = Path("data", "catalog.yaml")
_RAW = Path("data", "raw")
_GRAPHS = Path("data", "graphs")
# What an entry says for readers and for the download; it changes nothing about the graph.
_PROSE = frozenset({"title", "addresses", "max_bytes", "licence", "citation"})
# The file itself, or the entry, says whether there are weights.
_MAY_LACK_WEIGHTS = frozenset({"snap", "mtx"})
# Of a published file: more than a line of any of the formats needs for a vertex or an arc, and room for comments.
_BYTES_PER_ITEM = 64
_BYTES_OF_COMMENTS = 1 << 20
_FILE_KINDS = frozenset({"dimacs", "pace", "snap", "edges", "mtx"})


@dataclass(frozen=True)
class Dataset:
    """One entry; ``catalog_file`` describes each field. A field that an entry lacks is None or empty."""

    name: str
    kind: str
    title: str
    vertices: int | None = None
    arcs: int | None = None
    weighted: bool | None = None
    # Of the content of a file, or of a generated graph.
    sha256: str | None = None
    # Read from a file: published, or the user's own, which has no addresses.
    file: str | None = None
    addresses: tuple[str, ...] = ()
    max_bytes: int | None = None
    scale: int | None = None
    licence: str | None = None
    citation: str | None = None
    # Generated.
    generator: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    # How weights are drawn, of a file without any or of a derived graph.
    weights: Mapping[str, Any] = field(default_factory=dict)
    # Derived from the graph of the dataset ``origin`` (``from`` in the file).
    origin: str | None = None
    first: Mapping[str, int] = field(default_factory=dict)

    @property
    def published(self) -> bool:
        """Whether the graph is read from a file that is fetched to data/raw, or lies there as the user's own."""
        return self.kind in _FILE_KINDS

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
        """Whether a generator makes the graph."""
        return self.kind == "generated"

    @property
    def derived(self) -> bool:
        """Whether the graph is made from that of the dataset ``origin``."""
        return self.kind == "derived"

    @property
    def identity(self) -> str:
        """The facts that decide which graph this is, as JSON text: all but title, addresses, max_bytes, licence and
        citation.

        For the workflow to compare: editing one entry makes that graph anew and no other, and editing prose makes none.
        """
        facts = {name: value for name, value in dataclasses.asdict(self).items() if name not in _PROSE}
        return json.dumps({name: value for name, value in facts.items() if value not in (None, {})}, sort_keys=True)


def load_catalog(path: str | os.PathLike | None = None) -> dict[str, Dataset]:
    """All datasets by name, in the order of the file.

    By default, that is ``data/catalog.yaml`` here, or else the one that comes with warpath. Raises UsageError if there
    is no such file, FormatError that names the place if it is malformed.
    """
    file = _default_path() if path is None else Path(path)
    entries = read_entries(file)
    datasets: dict[str, Dataset] = {}
    for name, entry in entries.items():
        try:
            datasets[name] = _dataset(name, entry, datasets)
        except UsageError as error:
            raise FormatError(f"{file}: {name}.from: {error}") from None
    return datasets


def _dataset(name: str, entry: Mapping[str, Any], above: Mapping[str, Dataset]) -> Dataset:
    """The dataset of one entry; ``above`` are those before it in the file."""
    fields = {"title": name, **entry, "addresses": tuple(entry.get("addresses", ()))}
    if entry["kind"] not in _MAY_LACK_WEIGHTS:
        fields.setdefault("weighted", entry["kind"] != "pace")
    if entry["kind"] == "derived":
        fields["origin"] = fields.pop("from")
        origin = _known(fields["origin"], above, "an origin comes before what is derived from it")
        # New weights change no count; a part has the stated vertices and as many arcs as it turns out to have.
        counts = (entry["first"]["vertices"], None) if "first" in entry else (origin.vertices, origin.arcs)
        fields = {"vertices": counts[0], "arcs": counts[1], **fields}
    return Dataset(name, **fields)


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


def _default_path() -> Path:
    root = root_with(str(_FILE))
    if root is None:
        raise UsageError(f"no catalog {_FILE} here, and none came with warpath; name one with --catalog")
    return root / _FILE
