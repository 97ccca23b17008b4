"""The file of a part: the reductions of a range of sources, with the facts that say of what, in a .npz file.

Only this module reads and writes it. ``read_part`` believes nothing that it can compute again from the rest.
"""

import datetime
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from ..atomic import written_whole
from ..distances import UNREACHABLE
from ..errors import FormatError
from ..facts import Certificate, Code, Count, GraphFacts, Moment, Positive, Sha256
from ..graphs.npz_file import read_about, read_npz
from ..reductions import reductions
from ..reductions.bins import BINS
from ..reductions.reductions import Reductions, Rows

FORMAT: Final = 1


class PartFacts(Struct, forbid_unknown_fields=True, kw_only=True):
    """What a part is of. Its sources are the vertices ``first`` to ``last`` - 1, of 0 to ``of`` - 1 in all parts."""

    format: Literal[1] = FORMAT
    graph: GraphFacts
    scale: Positive
    first: Count
    last: Count
    of: Count
    nearest: Count
    bin_width: Positive
    variant: Annotated[str, Meta(description='What solved, "" if there are no sources.')]
    certificate: Certificate | None
    seconds: reductions.Seconds
    device: Annotated[dict[str, Any], Meta(description="kind, name, and facts.")]
    environment: dict[str, Any]
    code: Code
    started: Moment
    finished: Moment
    shard: Annotated[Sha256 | None, Meta(description="Hash of the file that has the rows, where they are kept.")] = None


@dataclass(frozen=True, eq=False)
class Part:
    """The reductions of a range, and what they are of."""

    facts: PartFacts
    reductions: Reductions


# The arrays of a file: their type, and their shape by the names of its lengths.
_ARRAYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "eccentricities": ("<i4", ("sources",)),
    "farthest": ("<i4", ("sources",)),
    "reached": ("<i4", ("sources",)),
    "sums": ("<i8", ("sources",)),
    "nearest": ("<i4", ("sources", "nearest")),
    "nearest_distances": ("<i4", ("sources", "nearest")),
    "histogram": ("<i8", ("bins",)),
}


def now() -> str:
    """This moment, as a file says it."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def write_part(path: str | os.PathLike, part: Part) -> None:
    """Write ``part``, whole or not at all; equal parts are equal bytes. Raises WarpathError for a full disk."""
    about = msgspec.json.encode(part.facts, order="sorted")
    arrays = {name: getattr(part.reductions.rows, name) for name in _ARRAYS}
    with written_whole(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, **arrays, about=np.frombuffer(about, np.uint8))


def read_part(path: str | os.PathLike) -> Part:
    """Read what ``write_part`` wrote. Raises FormatError, naming file and fault, for anything else."""
    try:
        found = read_npz(path, (*_ARRAYS, "about"))
        missing = [name for name in (*_ARRAYS, "about") if name not in found]
        if missing:
            raise ValueError(f"it has no array {missing[0]!r}")
        facts = msgspec.json.decode(json.dumps(read_about(found.pop("about"))), type=PartFacts)
        rows = _rows(facts, found)
    except (ValueError, msgspec.ValidationError) as error:
        raise FormatError(f"{path}: not a whole part of all pairs ({error}); make it again") from None
    certificate = facts.certificate
    return Part(
        facts,
        Reductions(
            facts.graph.vertices,
            facts.scale,
            np.arange(facts.first, facts.last),
            rows,
            certificate,
            facts.variant,
            facts.seconds,
        ),
    )


def facts_of(found: Reductions, first: int, last: int, **others: Any) -> PartFacts:
    """The facts of ``found``, whose sources are ``first`` to ``last`` - 1; ``others`` only the caller knows."""
    return PartFacts(
        scale=found.scale,
        first=first,
        last=last,
        nearest=found.rows.nearest.shape[1],
        bin_width=found.rows.bin_width,
        variant=found.variant,
        certificate=found.certificate,
        seconds=found.seconds,
        **others,
    )


def _rows(facts: PartFacts, found: dict[str, np.ndarray]) -> Rows:
    """The arrays, if they can be those of ``facts``; raises ValueError that says what contradicts what."""
    vertices, count = facts.graph.vertices, facts.last - facts.first
    if not 0 <= facts.first <= facts.last <= facts.of <= vertices:
        raise ValueError(f"sources {facts.first} to {facts.last} of {facts.of}, where there are {vertices} vertices")
    lengths = {"sources": count, "nearest": facts.nearest, "bins": BINS}
    for name, (dtype, names) in _ARRAYS.items():
        shape = tuple(lengths[length] for length in names)
        if found[name].shape != shape or found[name].dtype != np.dtype(dtype):
            raise ValueError(f"{name} are {found[name].dtype} of shape {found[name].shape}, not {dtype} of {shape}")
    rows = Rows(**found, bin_width=facts.bin_width)
    certificate = facts.certificate
    if (certificate.sources if certificate else 0) != count:
        raise ValueError(f"its certificate is not of {count} sources")
    pairs = int(rows.reached.sum(dtype=np.int64))
    if certificate and (certificate.reached, certificate.vertices) != (pairs, vertices):
        raise ValueError(f"it has {pairs} pairs with a path, and its certificate {certificate.reached}")
    if facts.bin_width & (facts.bin_width - 1) or int(rows.histogram.sum()) != pairs - count:
        raise ValueError(f"its histogram is not of {pairs - count} pairs")
    if not (
        _between(rows.eccentricities, 0, int(UNREACHABLE) - 1)
        and _between(rows.reached, 1, vertices)
        and _between(rows.farthest, 0, vertices - 1)
        and _between(rows.nearest, -1, vertices - 1)
        and _between(rows.nearest_distances, 0, int(UNREACHABLE))
        and _between(rows.sums, 0, vertices * int(UNREACHABLE))
        and _between(rows.histogram, 0, pairs)
    ):
        raise ValueError("a number in it is out of range")
    return rows


def _between(array: np.ndarray, low: int, high: int) -> bool:
    return array.size == 0 or (int(array.min()) >= low and int(array.max()) <= high)


def sha256_of(path: Path) -> str:
    """The hash of a file's bytes; raises OSError if it cannot be read."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
