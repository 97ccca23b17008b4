"""Parts of all pairs: the statistics of a range of sources and facts about them, in a .npz file each.

Only this module reads and writes these files. ``read_part`` compares counts, types and shapes with each other.
``gathered`` combines parts of one graph, made by one code, that contain each source once.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import frexp
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from warpath.certificates.certificate import combined
from warpath.certificates.facts import Certificate, Count, Positive
from warpath.errors import FormatError, UsageError
from warpath.graphs.csr import WEIGHT_TYPES, Graph
from warpath.graphs.npz_file import read_metadata, read_npz, to_make_again
from warpath.statistics import statistics
from warpath.statistics.statistics import BINS, RowStatistics, Statistics, joined
from warpath.system.atomic import atomic_write

from ..provenance.facts import Code, GraphFacts, Moment, Sha256

FORMAT: Final = 1


class PartFacts(Struct, forbid_unknown_fields=True, kw_only=True):
    """Facts about a part. Its sources are the vertices ``first`` to ``last`` - 1; all parts have 0 to ``of`` - 1."""

    format: Literal[1] = FORMAT
    graph: GraphFacts
    scale: Positive
    first: Count
    last: Count
    of: Count
    nearest: Count
    bin_width: Positive | Annotated[float, Meta(gt=0)]
    variant: Annotated[str, Meta(description='The solver, "" if there are no sources.')]
    certificate: Certificate | None
    seconds: statistics.Seconds
    device: Annotated[dict[str, Any], Meta(description="Kind, name, and facts.")]
    environment: dict[str, Any]
    code: Code
    started: Moment
    finished: Moment
    shard: Annotated[Sha256 | None, Meta(description="Hash of the file of the rows, if there is a store.")] = None


@dataclass(frozen=True, eq=False)
class Part:
    """The statistics of a range of sources, and facts about them."""

    facts: PartFacts
    statistics: Statistics


# The arrays of a file: type, or None for that of distances, and names of the lengths in the shape.
_ARRAYS: dict[str, tuple[str | None, tuple[str, ...]]] = {
    "eccentricities": (None, ("sources",)),
    "farthest": ("<i4", ("sources",)),
    "reached": ("<i4", ("sources",)),
    "sums": ("<i8", ("sources",)),  # "<f8" if distances are floats
    "nearest": ("<i4", ("sources", "nearest")),
    "nearest_distances": (None, ("sources", "nearest")),
    "histogram": ("<i8", ("bins",)),
}


def write_part(path: str | os.PathLike, part: Part) -> None:
    """Write ``part``, whole or not at all. Equal parts give equal bytes. Raises WarpathError if the disk is full."""
    facts = msgspec.json.encode(part.facts, order="sorted")
    arrays = {name: getattr(part.statistics.rows, name) for name in _ARRAYS}
    with atomic_write(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, **arrays, about=np.frombuffer(facts, np.uint8))


def read_part(path: str | os.PathLike) -> Part:
    """Read a file of ``write_part``. Raises FormatError that names the file and the fault."""
    try:
        arrays = read_npz(path, (*_ARRAYS, "about"))
        missing = [name for name in (*_ARRAYS, "about") if name not in arrays]
        if missing:
            raise ValueError(f"it has no array {missing[0]!r}")
        facts = msgspec.convert(read_metadata(arrays.pop("about")), PartFacts)
        rows = _checked_rows(facts, arrays)
    except (ValueError, msgspec.ValidationError) as error:
        raise FormatError(f"{path}: not a valid part of all pairs ({error}); {to_make_again(path)}") from None
    sources = np.arange(facts.first, facts.last)
    identity = facts.graph.vertices, facts.scale, sources
    return Part(facts, Statistics(*identity, rows, facts.certificate, facts.variant, facts.seconds))


def part_of(statistics: Statistics, first: int, last: int, **facts: Any) -> Part:
    """The part of sources ``first`` to ``last`` - 1; ``facts`` are those that are not in ``statistics``."""
    return Part(
        PartFacts(
            scale=statistics.scale,
            first=first,
            last=last,
            nearest=statistics.rows.nearest.shape[1],
            bin_width=statistics.rows.bin_width,
            variant=statistics.variant,
            certificate=statistics.certificate,
            seconds=statistics.seconds,
            **facts,
        ),
        statistics,
    )


def _checked_rows(facts: PartFacts, arrays: dict[str, np.ndarray]) -> RowStatistics:
    """The arrays as statistics. Raises ValueError if they contradict ``facts`` or each other."""
    vertices, count = facts.graph.vertices, facts.last - facts.first
    if not 0 <= facts.first <= facts.last <= facts.of <= vertices:
        raise ValueError(f"sources {facts.first} to {facts.last} of {facts.of}, but there are {vertices} vertices")
    lengths = {"sources": count, "nearest": facts.nearest, "bins": BINS}
    of_distances = arrays["eccentricities"].dtype
    if of_distances not in WEIGHT_TYPES:
        raise ValueError(f"eccentricities are {of_distances}")
    floats = of_distances.kind == "f"
    for name, (given, names) in _ARRAYS.items():
        shape = tuple(lengths[length] for length in names)
        dtype = "<f8" if floats and name == "sums" else given or of_distances
        if arrays[name].shape != shape or arrays[name].dtype != np.dtype(dtype):
            raise ValueError(f"{name} are {arrays[name].dtype} of shape {arrays[name].shape}, not {dtype} of {shape}")
    rows = RowStatistics(**arrays, bin_width=facts.bin_width)
    certificate = facts.certificate
    if (certificate.sources if certificate else 0) != count:
        raise ValueError(f"its certificate is not for {count} sources")
    pairs = int(rows.reached.sum(dtype=np.int64))
    if certificate and (certificate.reached, certificate.vertices) != (pairs, vertices):
        raise ValueError(f"it has {pairs} pairs with a path, but its certificate has {certificate.reached}")
    if frexp(facts.bin_width)[0] != 0.5 or int(rows.histogram.sum()) != pairs - count:
        raise ValueError(f"its histogram does not count {pairs - count} pairs")
    return rows


def range_of(number: int, parts: int, count: int, block: int = 1) -> tuple[int, int]:
    """The first source of part ``number`` of ``parts``, counted from 1, and the source after its last one.

    All parts together have the sources 0..count-1. Each part begins at a multiple of ``block``. The numbers of blocks
    of two parts differ by at most one; it may be zero.
    """
    blocks = -(-count // block)
    return tuple(min(count, blocks * part // parts * block) for part in (number - 1, number))  # type: ignore[return-value]


def parse_part(text: str) -> tuple[int, int]:
    """The number of a part and the number of parts, from a text such as "2/8". Raises UsageError for other texts."""
    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text, re.ASCII)
    number, parts = map(int, match.groups()) if match else (0, 0)
    if not 1 <= number <= parts:
        raise UsageError(f"--part {text}: not a part; write 2/8 for the second of eight parts")
    return number, parts


def gathered(files: Sequence[Path]) -> tuple[Part, list[Part]]:
    """The part of all sources, and the given parts in order. The files, at least one, may be in any order.

    Raises FormatError for a file that is not a part. Raises UsageError if two parts differ in graph, extent or code,
    and if a source is missing or is in two parts.
    """
    parts = sorted(
        ((read_part(file), file) for file in files), key=lambda item: (item[0].facts.first, item[0].facts.last)
    )
    first, first_file = parts[0]
    for part, file in parts[1:]:
        for name, value, expected in (
            ("the graph", part.facts.graph.sha256, first.facts.graph.sha256),
            ("the scale", part.facts.scale, first.facts.scale),
            ("the number of sources of all parts", part.facts.of, first.facts.of),
            ("the number of nearest vertices", part.facts.nearest, first.facts.nearest),
            ("the kind of device", part.facts.device.get("kind"), first.facts.device.get("kind")),
            ("the code", part.facts.code.identity, first.facts.code.identity),
        ):
            if value != expected:
                raise UsageError(f"{file}: {name} differs from {first_file}; make all parts again, or leave one out")
    end = 0
    for part, file in parts:
        if part.facts.first < end:
            raise UsageError(f"{file}: source {part.facts.first:,} is already in another part; leave one out")
        if part.facts.first > end:
            break
        end = part.facts.last
    if end < first.facts.of:
        after = min((part.facts.first for part, _ in parts if part.facts.first > end), default=first.facts.of)
        raise UsageError(f"no part has the sources {end:,} to {after - 1:,}; name all parts")
    whole = part_of(
        merged([part.statistics for part, _ in parts]),
        0,
        end,
        of=end,
        graph=first.facts.graph,
        device={**first.facts.device, "name": ", ".join(dict.fromkeys(part.facts.device["name"] for part, _ in parts))},
        environment=first.facts.environment,
        code=first.facts.code,
        started=min(part.facts.started for part, _ in parts),
        finished=max(part.facts.finished for part, _ in parts),
    )
    return whole, [part for part, _ in parts]


def check_graph(part: Part, part_file: Path, graph: Graph, graph_file: Path) -> None:
    """Raise FormatError that names both files if ``part`` belongs to another graph."""
    if (part.facts.graph.sha256, part.facts.scale) != (graph.sha256, graph.scale):
        raise FormatError(f"{part_file}: belongs to another graph than {graph_file}; name the graph of the part")


def merged(parts: Sequence[Statistics]) -> Statistics:
    """The statistics of all sources of ``parts``, at least one, in their order.

    Raises UsageError if the graphs or the numbers of nearest vertices differ.
    """
    first = parts[0]
    for part in parts[1:]:
        if (part.vertices, part.scale) != (first.vertices, first.scale):
            raise UsageError("these statistics are of two graphs")
        if part.rows.nearest.shape[1] != first.rows.nearest.shape[1]:
            raise UsageError("these statistics have different numbers of nearest vertices")
    certificates = [part.certificate for part in parts if part.certificate]
    certified = sum(certificate.sources for certificate in certificates) == sum(len(part.rows) for part in parts)
    return Statistics(
        first.vertices,
        first.scale,
        np.concatenate([part.sources for part in parts]),
        joined([part.rows for part in parts]),
        combined(certificates) if certificates and certified else None,
        ", ".join(dict.fromkeys(part.variant for part in parts if part.variant)),
        sum((part.seconds for part in parts[1:]), first.seconds),
    )
