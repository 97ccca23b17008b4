"""Parts of all pairs: the reductions of a range of sources, with the facts that say of what; a .npz file each.

Only this module reads and writes such files. ``read_part`` believes nothing that it can compute again from the rest.
``gathered`` puts parts together: all of one graph, one code and one extent, each source in one of them.
"""

import datetime
import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from ..atomic import atomic_write
from ..distances import UNREACHABLE
from ..errors import FormatError, UsageError
from ..facts import Certificate, Code, Count, GraphFacts, Moment, Positive, Sha256
from ..graphs.csr import Graph
from ..graphs.npz_file import read_metadata, read_npz
from ..reductions import reductions
from ..reductions.reductions import BINS, Reductions, Rows, merged

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
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def write_part(path: str | os.PathLike, part: Part) -> None:
    """Write ``part``, whole or not at all; equal parts are equal bytes. Raises WarpathError for a full disk."""
    about = msgspec.json.encode(part.facts, order="sorted")
    arrays = {name: getattr(part.reductions.rows, name) for name in _ARRAYS}
    with atomic_write(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, **arrays, about=np.frombuffer(about, np.uint8))


def read_part(path: str | os.PathLike) -> Part:
    """Read what ``write_part`` wrote. Raises FormatError, naming file and fault, for anything else."""
    try:
        found = read_npz(path, (*_ARRAYS, "about"))
        missing = [name for name in (*_ARRAYS, "about") if name not in found]
        if missing:
            raise ValueError(f"it has no array {missing[0]!r}")
        facts = msgspec.json.decode(json.dumps(read_metadata(found.pop("about"))), type=PartFacts)
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


def range_of(number: int, parts: int, count: int, block: int = 1) -> tuple[int, int]:
    """The first source of part ``number``, from 1, of ``parts``, and the one after its last; they may be equal.

    All parts together are 0..count-1. Each begins at a multiple of ``block``, and has as many blocks as any other, or
    one more.
    """
    blocks = -(-count // block)
    return tuple(min(count, blocks * part // parts * block) for part in (number - 1, number))  # type: ignore[return-value]


def parse_part(text: str) -> tuple[int, int]:
    """The number of a part and of all parts, from a text such as "2/8". Raises UsageError for any other."""
    found = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", text, re.ASCII)
    number, parts = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= parts:
        raise UsageError(f"--part {text}: a part is such as 2/8, the second of eight")
    return number, parts


def gathered(files: Sequence[Path]) -> tuple[Part, list[Part]]:
    """The part of all sources, and its parts in order, from their files in any order, one at least.

    Raises FormatError for a file that is no part; UsageError, naming the file, where parts do not belong together, and
    naming the sources that are missing or there twice.
    """
    parts = sorted(
        ((read_part(file), file) for file in files), key=lambda item: (item[0].facts.first, item[0].facts.last)
    )
    first, first_file = parts[0]
    for part, file in parts[1:]:
        for what, here, there in (
            ("another graph", part.facts.graph.sha256, first.facts.graph.sha256),
            ("another graph", part.facts.scale, first.facts.scale),
            ("another number of sources in all", part.facts.of, first.facts.of),
            ("another number of nearest vertices", part.facts.nearest, first.facts.nearest),
            ("other code", part.facts.code.identity, first.facts.code.identity),
        ):
            if here != there:
                raise UsageError(f"{file}: is of {what} than {first_file}; make all parts anew, or leave one out")
    end = 0
    for part, file in parts:
        if part.facts.first > end:
            raise UsageError(f"there is no part with sources {end:,} to {part.facts.first - 1:,}; name all parts")
        if part.facts.first < end:
            raise UsageError(
                f"{file}: begins at source {part.facts.first:,}, which another part has already; leave one out"
            )
        end = part.facts.last
    if end < first.facts.of:
        raise UsageError(f"there is no part with sources {end:,} to {first.facts.of - 1:,}; name all parts")
    found = merged([part.reductions for part, _ in parts])
    facts = facts_of(
        found,
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
    return Part(facts, found), [part for part, _ in parts]


def check_graph(part: Part, part_file: Path, graph: Graph, graph_file: Path) -> None:
    """Raise FormatError, naming both files, if ``part`` is not of ``graph``."""
    if (part.facts.graph.sha256, part.facts.scale) != (graph.sha256, graph.scale):
        raise FormatError(f"{part_file}: is of another graph than {graph_file}; name the one it was made of")
