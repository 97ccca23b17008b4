"""What stands below a table of when and where its runs were: machines, other runs beside them, versions, outliers."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pandas as pd

from warpath.durations import readable_seconds

from ..data_files import root_with
from ..datasets.catalog import Dataset, load_catalog
from .cells import present
from .labels import listed
from .runs import lines_of

WIDE_SPREAD = 0.2
"""Of the median: a table tells of samples that lie farther apart, from the least to the most."""
_SITTING_ENDS_AFTER = timedelta(hours=1)
_LOCKS = {"cupy-cuda13x": "cuda13", "cupy-cuda12x": "cuda12"}

Line = Mapping[str, Any]


def circumstances(found: pd.DataFrame) -> list[str]:
    """Where and when the runs ``found``, each with a ``label``, were measured; nothing where nothing is to be told."""
    lines = lines_of(found)
    return [*_sittings(lines), *_beside(lines), *_versions(lines)]


def sample_notes(found: pd.DataFrame) -> list[str]:
    """Samples that lie far apart, of runs that each have a ``label``."""
    lines = lines_of(found)
    return [*_stragglers(lines), *_spreads(lines)]


def _sittings(lines: Sequence[Line]) -> list[str]:
    """Which runs come from another machine than the most; of records that name none, from another sitting."""
    parts: dict[str, list[Line]] = {}
    until, sitting = None, 0
    for line in sorted((line for line in lines if present(line["started"])), key=_began):
        if until is not None and _began(line) - until > _SITTING_ENDS_AFTER:
            sitting += 1
        until = max(filter(None, (until, datetime.fromisoformat(line["finished"]))))
        parts.setdefault(line["machine"] or f"sitting {sitting}", []).append(line)
    if len(parts) < 2:
        return []
    most = max(parts.values(), key=len)
    which = [
        f"From {_began(of_part[0]).astimezone(UTC):%Y-%m-%d %H:%M} UTC: "
        f"{'the others' if of_part is most else _places(of_part, lines)}."
        for of_part in sorted(parts.values(), key=lambda of_part: of_part is most)
    ]
    known = all(line["machine"] for line in lines)
    how = "on different machines" if known else "in several sittings, which may have been on different machines"
    return [" ".join([f"Measured {how}.", *which])]


def _began(line: Line) -> datetime:
    return datetime.fromisoformat(line["started"])


def _beside(lines: Sequence[Line]) -> list[str]:
    disturbed = [line for line in lines if present(line["beside"]) and line["beside"] > 0]
    which = "all columns" if len(disturbed) == len(lines) else _places(disturbed, lines)
    where = "the same machine" if all(line["machine"] for line in lines) else "the same machine or one like it"
    return [f"Measured while another run was going on, on {where}: {which}."] if disturbed else []


def _places(some: Sequence[Line], lines: Sequence[Line]) -> str:
    """``some`` of the lines by label, with their graphs, or with the others if those are fewer."""
    every, chosen = _by_label(lines), _by_label(some)
    found = []
    for label, of_label in chosen.items():
        others = [line for line in every[label] if not any(line is each for each in of_label)]
        few = len(others) < len(of_label)
        where = f" but for {_graphs(others)}" if few else f" on {_graphs(of_label)}"
        found.append(label + where * bool(others))
    return "; ".join(found)


def _by_label(lines: Sequence[Line]) -> dict[str, list[Line]]:
    found: dict[str, list[Line]] = {}
    for line in lines:
        found.setdefault(line["label"], []).append(line)
    return found


def _graphs(lines: Sequence[Line], told: Callable[[Line], str] = lambda line: "") -> str:
    return listed(list(dict.fromkeys(line["dataset"] + told(line) for line in lines)))


def _versions(lines: Sequence[Line]) -> list[str]:
    """Versions that are not those of the lock that belongs to the device, where the checkout has one."""
    notes: dict[str, None] = {}
    for text in dict.fromkeys(line["versions"] for line in lines if present(line["versions"])):
        versions = dict(pair.partition("=")[::2] for pair in text.split(","))
        name = next((_LOCKS[package] for package in versions if package in _LOCKS), "cpu")
        file = f"envs/requirements-{name}.txt"
        locked = _lock(file)
        others = [
            f"{package} {version} ({locked[package]})"
            for package, version in versions.items()
            if locked.get(package, version) != version
        ]
        if others:
            python = f"; Python {versions['python']}" if "python" in versions else ""
            notes[f"Other versions than those of {file}, in brackets: {listed(others)}{python}."] = None
    return list(notes)


def _lock(file: str) -> dict[str, str]:
    root = root_with(file)
    text = (root / file).read_text(encoding="utf-8") if root else ""
    return dict(re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE))


def _stragglers(lines: Sequence[Line]) -> list[str]:
    far = [line for line in lines if present(line["stragglers"]) and line["stragglers"] > 0]
    which = [f"{label} on {_graphs(of_label, _how_far)}" for label, of_label in _by_label(far).items()]
    return [f"Samples of more than ten times the median: {'; '.join(which)}."] if far else []


def _how_far(line: Line) -> str:
    return f" ({int(line['stragglers'])} of {int(line['samples'])}, up to {readable_seconds(line['max_s'])})"


def _spreads(lines: Sequence[Line]) -> list[str]:
    """Of samples of one solve; those from random sources differ because the sources do."""
    wide = [
        line
        for line in lines
        if present(line["max_s"]) and not present(line["sources"]) and _spread(line) > WIDE_SPREAD
    ]
    which = []
    for label, of_label in _by_label(wide).items():
        percents = sorted(f"{100 * spread:.0f}" for spread in sorted(map(_spread, of_label)))
        ends = dict.fromkeys((min(percents, key=int), max(percents, key=int)))
        which.append(f"{label} on {_graphs(of_label)} ({' to '.join(ends)} %)")
    return [f"Samples that lie more than 20 % of their median apart: {'; '.join(which)}."] if wide else []


def _spread(line: Line) -> float:
    return (line["max_s"] - line["min_s"]) / line["seconds"]


def hash_notes(found: pd.DataFrame) -> list[str]:
    """Which graphs come from a file whose hash the catalog does not have."""
    catalog = load_catalog() if root_with("data/catalog.yaml") else {}
    trusted = [
        name for name in dict.fromkeys(found["dataset"]) if name in catalog and _unpinned(catalog[name], catalog)
    ]
    return [f"No hash is known for the files of {listed(trusted)}: the first download was trusted."] if trusted else []


def _unpinned(dataset: Dataset, catalog: Mapping[str, Dataset]) -> bool:
    return dataset.trusts_first_download or (dataset.derived and _unpinned(catalog[dataset.origin or ""], catalog))
